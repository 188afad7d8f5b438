"""Financial statements, by year and line."""

from innspect.schemas.declaration import (
    Block,
    CoverageRules,
    Field,
    Ignored,
    List,
    Map,
    Mark,
    Row,
    Zero,
    company_method,
    is_true,
)
from innspect.schemas.kinds import COUNT, FLAG, LINE_CODE, RATIO_PERCENT, RUB, TEXT, YEAR, code, one_of
from innspect.schemas.news.news_template import DETAILS, News, Words, addition, cell_change, of_column, removal


class Indicator(Row, key=("year", "indicator")):
    """One indicator of one year."""

    year = Field(YEAR, "Year of the statements.")
    indicator = Field(TEXT, "Name of the indicator in the service.")
    amount = Field(RUB, "Its amount.")


class StatementLine(Row, key=("form", "year", "line_code")):
    """One line of one form of one year."""

    form = Field(one_of("balance", "income", "cash_flow", "capital"), "Form of the statements.")
    year = Field(YEAR, "Year of the statements.")
    line_code = Field(LINE_CODE, "Code of the line.")
    amount = Field(RUB, "Its amount.")


class Burden(Row, key=("year",)):
    """Tax burden of one year."""

    year = Field(YEAR, "Year of the statements.")
    value = Field(RATIO_PERCENT, "Taxes paid (line 4124) as a share of revenue (line 2110), to hundredths.")


class YearCount(Row, key=("year",)):
    """Headcount of one year."""

    year = Field(YEAR, "Year.")
    count = Field(COUNT, "Headcount.")


def indicator(name: str, description: str) -> Map:
    """A `{year: amount}` object; rows of the table of indicators under its name."""
    return Map(Indicator, description, "indicators", ("year",), (("indicator", name),), window="year")


def lines(form: str, description: str) -> Map:
    """A `{year: {line code: amount}}` object; rows of the table of lines under its form."""
    return Map(StatementLine, description, "lines", ("year", "line_code"), (("form", form),), window="year")


class Financial(
    Block,
    name="financial",
    order=6,
    title_en="Statements",
    title_ru="Отчётность",
    full_check="financial",
    methods=(company_method("financial", 6),),
):
    """Financial statements: one row per company; amounts are in the tables of indicators and lines."""

    has_data = Field(FLAG, "Whether statements were found.")
    years = List(YEAR, "Years with data, usually the last five or six.", window="value")
    revenue = indicator("revenue", "Revenue, line 2110.")
    net_profit = indicator("net_profit", "Net profit, line 2400; negative is a loss.")
    gross_profit = indicator("gross_profit", "Gross profit, line 2100.")
    operating_profit = indicator("operating_profit", "Profit from sales, line 2200.")
    profit_before_tax = indicator("profit_before_tax", "Profit before tax, line 2300; usually the last two years.")
    total_assets = indicator("total_assets", "Total assets, line 1600.")
    equity = indicator("equity", "Equity, line 1300; negative where liabilities exceed assets.")
    current_assets = indicator("current_assets", "Current assets, line 1200, or the sum of its lines.")
    non_current_assets = indicator("non_current_assets", "Non-current assets, line 1100.")
    accounts_receivable = indicator("accounts_receivable", "Receivables, line 1230.")
    accounts_payable = indicator("accounts_payable", "Payables, line 1520.")
    short_term_liabilities = indicator("short_term_liabilities", "Short-term liabilities, line 1500.")
    long_term_liabilities = indicator("long_term_liabilities", "Long-term liabilities, line 1400; 0 is a real zero.")
    cash_flow_operations = indicator("cash_flow_operations", "Net cash from operations, line 4100.")
    cash_flow_investing = indicator("cash_flow_investing", "Net cash from investing, line 4200.")
    cash_flow_financing = indicator("cash_flow_financing", "Net cash from financing, line 4300.")
    cash_flow_total = indicator("cash_flow_total", "Net cash flow, line 4400; usually the last two years.")
    cash_balance_end = indicator("cash_balance_end", "Cash at the end of the year, line 4500.")
    cash_from_sales = indicator("cash_from_sales", "Cash from sales, line 4111.")
    cash_inflows_ops = indicator("cash_inflows_ops", "Cash into operations, line 4110.")
    cash_outflows_ops = indicator("cash_outflows_ops", "Cash out of operations, line 4120, as a positive number.")
    cash_pay_suppliers = indicator("cash_pay_suppliers", "Paid to suppliers, line 4121, as a positive number.")
    cash_pay_wages = indicator("cash_pay_wages", "Paid in wages, line 4122.")
    cash_pay_interest = indicator("cash_pay_interest", "Paid in interest, line 4123.")
    cash_pay_tax = indicator("cash_pay_tax", "Paid in taxes, line 4124.")
    cash_inv_inflows = indicator("cash_inv_inflows", "Cash into investing, line 4210.")
    cash_inv_outflows = indicator("cash_inv_outflows", "Cash out of investing, line 4220, as a positive number.")
    cash_loans_received = indicator("cash_loans_received", "Loans received, line 4311.")
    cash_dividends_paid = indicator("cash_dividends_paid", "Dividends paid, line 4322.")
    cash_loan_repayments = indicator("cash_loan_repayments", "Loans repaid, line 4323.")
    cash_fin_inflows = indicator("cash_fin_inflows", "Cash into financing, line 4310.")
    cash_fin_outflows = indicator("cash_fin_outflows", "Cash out of financing, line 4320, as a positive number.")
    capital_authorized = indicator("capital_authorized", "Authorized capital; almost never given.")
    capital_additional = indicator("capital_additional", "Additional capital; almost never given.")
    capital_reserve = indicator("capital_reserve", "Reserve capital; almost never given.")
    retained_earnings = indicator("retained_earnings", "Retained earnings; almost never given.")
    capital_total = indicator("capital_total", "Total capital; almost never given.")
    tax_burden_pct = Map(Burden, "Tax burden, for years with both lines.", window="year")
    okpo = Field(code("okpo", r"\d{8}|\d{10}", "12345678"), "Statistics code of the enterprise; almost never given.")
    employee_count = Field(COUNT, "Headcount; 0 means not obtained.", zero=Zero.UNKNOWN)
    employees_history = List(YearCount, "Headcount by year; almost never given.", window="year")
    balance_lines = lines("balance", "Lines of the balance sheet, last two years.")
    income_lines = lines("income", "Lines of the income statement, last two years.")
    cash_flow_lines = lines("cash_flow", "Lines of the cash-flow statement; about half of the companies file it.")
    capital_lines = lines("capital", "Lines of the statement of changes in capital; practically only code 3600.")
    raw = Ignored("Always empty.")
    error = Mark(TEXT, "Error of the collection; empty if there was none.")

    coverage = CoverageRules(unconfirmed={"no_data": ~is_true("has_data")}, announced=is_true("has_data"))

    news_templates = (
        News(
            "statements",
            ("years", "indicators", "lines", "tax_burden_pct"),
            always=Words("Изменилась отчётность[ за {value} год]", "Statements[ for {value}] changed"),
            heads=(
                addition("Новая отчётность[ за {value} год]", "New statements[ for {value}]"),
                removal(
                    "Источник больше не приводит отчётность[ за {value} год]",
                    "The source no longer gives the statements[ for {value}]",
                ),
                removal(
                    "Источник больше не приводит строки отчётности[ за {year} год]",
                    "The source no longer gives the lines of the statements[ for {year}]",
                    "lines",
                ),
            ),
            lines=(
                addition(
                    "[выручка {amount}][ ({amount:growth})]",
                    "[revenue {amount}][ ({amount:growth})]",
                    "indicators",
                    indicator="revenue",
                ),
                addition(
                    "[чистая прибыль {amount}][ ({amount:growth})]",
                    "[net profit {amount}][ ({amount:growth})]",
                    "indicators",
                    indicator="net_profit",
                    amount=">=0",
                ),
                addition(
                    "[чистый убыток {amount:size}]",
                    "[net loss {amount:size}]",
                    "indicators",
                    indicator="net_profit",
                    amount="<0",
                ),
                cell_change("[выручка {amount.move}]", "[revenue {amount.move}]", "indicators", indicator="revenue"),
                cell_change(
                    "[чистая прибыль {amount.move}]", "[net profit {amount.move}]", "indicators", indicator="net_profit"
                ),
                cell_change(
                    "[строка {line_code}: {amount.move}]", "[line {line_code}: {amount.move}]", "lines", instead=True
                ),
                addition(
                    "[активы {amount}]", "[assets {amount}]", "indicators", instead=True, indicator="total_assets"
                ),
                addition("[строка {line_code}: {amount}]", "[line {line_code}: {amount}]", "lines", instead=True),
            ),
            by="year|value",
        ),
        News(
            "headcount",
            ("employee_count", "employees_history"),
            always=Words("Численность работников по отчётности", "Headcount in the statements"),
            lines=(
                cell_change("[{employee_count.move}]", "[{employee_count.move}]"),
                addition("[за {year} год: {count}]", "[for {year}: {count}]", "employees_history", first="year"),
                cell_change(
                    "[за {year} год: {count.move}]", "[for {year}: {count.move}]", "employees_history", first="year"
                ),
            ),
            other=DETAILS,
        ),
        News(
            "availability",
            ("has_data",),
            always=Words("Отчётности в источнике больше нет", "The source no longer has statements"),
            heads=(cell_change("Появилась отчётность", "Statements appeared", has_data="true"),),
        ),
        of_column("okpo", "Код ОКПО", "Statistics code (OKPO)"),
    )
