"""State contracts, from the procurement register."""

import polars as pl

from innspect.schemas.declaration import (
    Block,
    CoverageRules,
    Field,
    Figure,
    Groups,
    Inline,
    List,
    Map,
    Mark,
    Reserved,
    Row,
    Zero,
    company_method,
    count_of,
    has_items,
    is_full,
    is_one_of,
    is_true,
    sum_of,
)
from innspect.schemas.kinds import (
    COUNT,
    FLAG,
    INN,
    JSON,
    NUMBER,
    REG_NUM,
    RUB,
    TEXT,
    URL,
    YEAR,
    YMD,
    day,
    in_words,
    one_of,
)
from innspect.schemas.news.news_template import BY_ROW, DETAILS, News, Words, addition, cell_change, removal

SOURCE = one_of("aggregator", "supplier_site", "plan_44", "plan_223")
NOT_FED = "The current feed does not have it."


class YearOfContracts(Row, key=("year",)):
    """Contracts signed in one year."""

    year = Field(YEAR, "Year of signing.")
    count = Field(COUNT, "Contracts signed in it.")
    amount = Field(RUB, "Sum of their prices.")


class Product(Row):
    """A position of the contract's specification."""

    okpd2_code = Field(TEXT, "Product classifier code.")
    okpd2_name = Field(TEXT, "Name of that code.")
    name = Field(TEXT, "Name of the position.")
    quantity = Field(NUMBER, "Quantity, in units; may be 0.")
    unit = Field(TEXT, "Unit of measure; often not given.")
    price = Field(RUB, "Price of one unit.")
    total_sum = Field(RUB, "Price of the position.")


class Contract(Row, key=("reg_num",)):
    """One contract, latest signing date first."""

    reg_num = Field(REG_NUM, "Number in the register of contracts.")
    subject = Field(TEXT, "Subject.")
    amount = Field(RUB, "Price.")
    paid_sum = Field(
        RUB, "Payment planned for the current year, not the amount paid; given for one contract in fifty.", Zero.UNKNOWN
    )
    sign_date = Field(day(YMD), "Day of signing.")
    execution_start_date = Reserved("", NOT_FED)
    execution_end_date = Reserved("", NOT_FED)
    status = Reserved("", NOT_FED)
    contract_stage = Field(
        in_words(
            {
                "E": ("исполнение", "in execution"),
                "EC": ("исполнение завершено", "executed"),
                "ET": ("исполнение прекращено", "terminated"),
                "IN": ("аннулирован", "annulled"),
                # The documents of the service name these codes without a meaning.
                "A": ("A", "A"),
                "P": ("P", "P"),
                "I": ("I", "I"),
            }
        ),
        "Stage, a code of the register; almost never given.",
    )
    cancel_reason = Reserved("", NOT_FED)
    purchase_method = Reserved("", NOT_FED)
    purchase_method_code = Reserved("", NOT_FED)
    okpd2_code = Field(TEXT, "Product classifier code of the most expensive position.")
    okpd2_name = Field(TEXT, "Name of that code.")
    region_okato = Reserved("", NOT_FED)
    delivery_place = Field(TEXT, "Place of delivery; rarely given.")
    customer_name = Field(TEXT, "Customer.")
    customer_inn = Field(INN, "INN of the customer.")
    supplier_name = Field(TEXT, "Supplier.")
    supplier_inn = Field(INN, "INN of the supplier: 10 digits, 12 for a sole proprietor.")
    products = List(Product, "Positions of the specification; given for one contract in fifty.")
    role = Field(
        in_words({"supplier": ("поставщик", "supplier"), "customer": ("заказчик", "customer")}),
        "Role of the requested INN.",
    )
    law = Field(one_of("fz44", "fz223"), "Law of the purchase; currently only fz44.")
    source = Field(TEXT, "Source channel; eis_procurement is the official one.")
    url = Field(URL, "Link to the contract card.")


class Collection(Row):
    """Marks of the collection; the documents name them without types, except the one that other blocks have too."""

    sources = Mark(JSON, "Sources that were queried, as received.")
    ext_sources_timeout = Mark(JSON, "Whether side channels ran out of time: an empty list is no evidence.")
    all_sources_dead = Mark(FLAG, "No source responded: an empty list is no evidence.")


IS_SUPPLIER, IS_CUSTOMER = is_one_of("role", "supplier"), is_one_of("role", "customer")
BY_YEAR = Groups(
    "contracts",
    pl.col("sign_date").dt.year().cast(pl.Int64),
    {"count": Figure(("contracts",)), "amount": Figure(("contracts",), "amount")},
)


class Contracts(
    Block,
    name="contracts",
    order=5,
    title_en="State contracts",
    title_ru="Госконтракты",
    full_check="gov_contracts",
    methods=(company_method("contracts", 8, free_if_unavailable=True),),
):
    """State contracts of the company as supplier and customer: one row, with counts and amounts by role."""

    total_contracts = count_of("contracts", "Contracts in this response; 5000 is the cap and means at least 5000.")
    total_amount = sum_of(
        "contracts", "amount", "Sum of the prices in both roles.", is_one_of("role", "supplier", "customer")
    )
    supplier_amount = sum_of("contracts", "amount", "Sum of the prices as supplier.", IS_SUPPLIER)
    customer_amount = sum_of("contracts", "amount", "Sum of the prices as customer.", IS_CUSTOMER)
    as_supplier = count_of("contracts", "Contracts as supplier.", IS_SUPPLIER)
    as_customer = count_of("contracts", "Contracts as customer.", IS_CUSTOMER)
    as_participant = Reserved(0, NOT_FED)
    fz44_contracts = count_of("contracts", "Contracts under law 44.", is_one_of("law", "fz44"))
    fz223_contracts = Reserved(0, NOT_FED)
    by_year = Map(YearOfContracts, "Contracts by the year of signing.", groups=BY_YEAR)
    contracts = List(Contract, "Contracts, at most 5000.", max_rows=5000)
    purchases = Reserved([], "Responses from the register have none.")
    rnp_records = Reserved([], "The block rnp has them.")
    fas_complaints = Reserved({}, "Never filled in this method.")
    unavailable = Mark(FLAG, "All sources failed.")
    sources_ok = Mark(SOURCE, "Side channels that responded; none if the main one did.", many=True)
    sources_failed = Mark(SOURCE, "Side channels that failed.", many=True)
    raw = Inline(Collection, "Marks of the collection.", "raw_", marks=True, open=True)
    error = Mark(TEXT, "Error of the collection; empty if there was none.")

    coverage = CoverageRules(
        unavailable={"unavailable": is_true("unavailable")},
        incomplete={
            "all_sources_dead": is_true("raw_all_sources_dead"),
            "ext_sources_timeout": ~pl.col("raw_ext_sources_timeout").fill_null("false").is_in(["false", "0"]),
            "list_full": is_full("contracts", contracts, "total_contracts"),
            "sources_failed": has_items("sources_failed"),
            "main_source_missed": has_items("sources_ok"),
        },
    )

    news_templates = (
        News(
            "contracts",
            ("contracts",),
            always=Words("Контракт[ № {reg_num}]", "Contract[ No. {reg_num}]"),
            heads=(
                addition(
                    "Новый госконтракт[ № {reg_num}][ от {sign_date}][ на {amount}][, контрагент — {role}]"
                    "[, предмет: {subject}]",
                    "New state contract[ No. {reg_num}][ of {sign_date}][ for {amount}]"
                    "[, the counterparty is the {role}][, subject: {subject}]",
                ),
                removal(
                    "Контракт[ № {reg_num}] больше не значится в реестре контрактов",
                    "The register no longer lists contract[ No. {reg_num}]",
                ),
            ),
            lines=(
                cell_change("[цена: {amount.move}]", "[price: {amount.move}]", "contracts"),
                cell_change("[этап: {contract_stage.move}]", "[stage: {contract_stage.move}]", "contracts"),
                cell_change(
                    "[план оплаты на текущий год: {paid_sum.move}]",
                    "[payment planned for this year: {paid_sum.move}]",
                    "contracts",
                ),
                cell_change("[предмет: {subject.move}]", "[subject: {subject.move}]", "contracts", instead=True),
                addition(
                    "[позиция: {name}][ — {total_sum}]",
                    "[item: {name}][ — {total_sum}]",
                    "contracts.products",
                    instead=True,
                ),
            ),
            figures=Words(
                "Изменились итоги по госконтрактам[, всего: {total_contracts.move}][, сумма: {total_amount.move}]",
                "Totals of state contracts changed[, contracts: {total_contracts.move}][, sum: {total_amount.move}]",
            ),
            by=BY_ROW,
            other=DETAILS,
        ),
    )
