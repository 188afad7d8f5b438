"""Tax debts, from the tax authority's quarterly open data."""

from innspect.schemas.blocks.open_data import INDEX_READY, SNAPSHOT_DATE, STATUS
from innspect.schemas.declaration import (
    Block,
    CoverageRules,
    Echo,
    Field,
    List,
    Mark,
    Reserved,
    Row,
    company_method,
    count_of,
    sum_of,
)
from innspect.schemas.kinds import DMY, RUB, TEXT, day
from innspect.schemas.news.news_template import DETAILS, News, Words, addition, cell_change, removal


class TaxDebt(Row, key=("debt_type",)):
    """The debt in one kind of tax or fee, the largest first."""

    inn = Echo()
    ogrn = Reserved("", "The current data set does not have it.")
    name = Field(TEXT, "Name as in the data set, in upper case.")
    debt_type = Field(TEXT, "Kind of tax, fee, contribution or penalty, from the tax authority's list.")
    sum = Field(RUB, "Debt, with kopecks.")
    record_date = Field(day(DMY), "Day of the record; not always given.")


class TaxDebts(
    Block,
    name="tax_debts",
    order=16,
    title_en="Tax debts",
    title_ru="Налоговые долги",
    full_check="tax_debts_bulk",
    methods=(company_method("tax-debts", 5),),
):
    """Tax debts on the day of the data set: one row per company."""

    inn = Echo()
    total = count_of("records", "Kinds of tax with a debt; 0 means no debt in the data set.")
    total_sum = sum_of("records", "sum", "Total debt, with kopecks.")
    records = List(TaxDebt, "Debts, one per kind of tax.")
    snapshot_date = SNAPSHOT_DATE
    status = STATUS
    error = Mark(TEXT, "Error of the lookup; empty if there was none.")

    coverage = CoverageRules(unconfirmed=INDEX_READY)

    news_templates = (
        News(
            "debts",
            ("records",),
            always=Words("Изменилась задолженность по налогам и сборам", "The tax debts changed"),
            heads=(
                addition("Задолженность по налогам и сборам", "Tax debts"),
                removal(
                    "Сведения о задолженности по налогам и сборам больше не опубликованы",
                    "A tax debt is no longer published",
                ),
            ),
            lines=(
                addition("[{debt_type}][ — {sum}]", "[{debt_type}][: {sum}]", "records", first="sum"),
                cell_change(
                    "[{debt_type}][: {sum.move}]", "[{debt_type}][: {sum.move}]", "records", first="sum", sum="*"
                ),
                removal(
                    "[погашена или исключена: {debt_type}][ — {sum}]",
                    "[paid or excluded: {debt_type}][, {sum}]",
                    "records",
                    first="sum",
                ),
            ),
            figures=Words(
                "Изменилась задолженность по налогам[: {total_sum.move}]", "The tax debt changed[: {total_sum.move}]"
            ),
            other=DETAILS,
        ),
    )
