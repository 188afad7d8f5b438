"""Average headcount, from the tax authority's yearly open data."""

from innspect.schemas.blocks.open_data import INDEX_READY, SNAPSHOT_DATE, STATUS
from innspect.schemas.declaration import Block, CoverageRules, Echo, Field, Inline, Mark, Reserved, Row, company_method
from innspect.schemas.kinds import COUNT, DMY, TEXT, day
from innspect.schemas.news.news_template import DETAILS, News, Words, cell_change


class Headcount(Row):
    """The company's entry in the data set."""

    inn = Echo()
    ogrn = Reserved("", "The current data set does not have it.")
    name = Field(TEXT, "Name as in the data set.")
    headcount = Field(COUNT, "Average number of employees; 0 is a real zero.")
    publish_date = Field(day(DMY), "Reporting date.")


class Employees(
    Block,
    name="employees",
    order=18,
    title_en="Headcount",
    title_ru="Численность",
    full_check="employees_bulk",
    methods=(company_method("employees", 4),),
):
    """Average headcount of the latest period: one row per company."""

    inn = Echo()
    record = Inline(Headcount, "The entry, or null if the company is not in the data set.", record=True)
    snapshot_date = SNAPSHOT_DATE
    status = STATUS
    error = Mark(TEXT, "Error of the lookup; empty if there was none.")

    coverage = CoverageRules(unconfirmed=INDEX_READY)

    news_templates = (
        News(
            "headcount",
            ("headcount", "publish_date", "name"),
            always=Words(
                "Среднесписочная численность по данным ФНС", "Average headcount as published by the tax service"
            ),
            lines=(
                cell_change("[{headcount.move}]", "[{headcount.move}]"),
                cell_change("[на {publish_date}]", "[as of {publish_date}]"),
                cell_change("[наименование: {name.move}]", "[name: {name.move}]", instead=True),
            ),
            other=DETAILS,
        ),
    )
