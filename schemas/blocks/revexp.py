"""Income and expense, from the tax authority's yearly open data: a check on the statements."""

from innspect.schemas.blocks.open_data import INDEX_READY, SNAPSHOT_DATE, STATUS
from innspect.schemas.declaration import Block, CoverageRules, Echo, Field, Inline, Mark, Reserved, Row, company_method
from innspect.schemas.kinds import DMY, RUB, TEXT, YEAR_END, day
from innspect.schemas.news.news_template import DETAILS, News, Words, cell_change


class IncomeExpense(Row):
    """The company's entry in the data set."""

    inn = Echo()
    ogrn = Reserved("", "The current data set does not have it.")
    name = Field(TEXT, "Name as in the data set.")
    revenue = Field(RUB, "Income of the period, rounded to thousands at the source.", full_check_unit=1000)
    expense = Field(RUB, "Expense of the period, rounded to thousands at the source.", full_check_unit=1000)
    period = Field(day(DMY, YEAR_END), "Last day of the period; a year alone means 31 December.")


class Revexp(
    Block,
    name="revexp",
    order=19,
    title_en="Income and expense",
    title_ru="Доходы и расходы",
    full_check="revexp_bulk",
    methods=(company_method("revexp", 4),),
):
    """Income and expense of the latest period: one row per company."""

    inn = Echo()
    record = Inline(IncomeExpense, "The entry, or null if the company is not in the data set.", record=True)
    snapshot_date = SNAPSHOT_DATE
    status = STATUS
    error = Mark(TEXT, "Error of the lookup; empty if there was none.")

    coverage = CoverageRules(unconfirmed=INDEX_READY)

    news_templates = (
        News(
            "income",
            ("revenue", "expense", "period", "name"),
            always=Words("Доходы и расходы по данным ФНС", "Income and expense as published by the tax service"),
            lines=(
                cell_change("[период до {period}]", "[period to {period}]"),
                cell_change("[доходы: {revenue.move}]", "[income: {revenue.move}]"),
                cell_change("[расходы: {expense.move}]", "[expense: {expense.move}]"),
                cell_change("[наименование: {name.move}]", "[name: {name.move}]", instead=True),
            ),
            other=DETAILS,
        ),
    )
