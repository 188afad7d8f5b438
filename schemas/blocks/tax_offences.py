"""Fines for tax offences, from the tax authority's open data."""

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
from innspect.schemas.news.news_template import News, Words, addition, removal

NOT_IN_SET = "The current data set does not have it."


class TaxOffence(Row):
    """One fine, the largest first."""

    inn = Echo()
    ogrn = Reserved("", NOT_IN_SET)
    name = Field(TEXT, "Name as in the data set.")
    offence_type = Reserved("", NOT_IN_SET)
    article = Reserved("", NOT_IN_SET)
    sum = Field(RUB, "Fine, with kopecks.")
    # The same day for all rows: as content it would make every fine new in each data set.
    decision_date = Field(day(DMY), "Day of the data set, not of the decision; not always given.", content=False)


class TaxOffences(
    Block,
    name="tax_offences",
    order=17,
    title_en="Tax fines",
    title_ru="Налоговые штрафы",
    full_check="tax_offences_bulk",
    methods=(company_method("tax-offences", 5),),
):
    """Fines for tax offences on the day of the data set: one row per company."""

    inn = Echo()
    total = count_of("records", "Fines; 0 means none in the data set.")
    total_sum = sum_of("records", "sum", "Sum of the fines, with kopecks.")
    records = List(TaxOffence, "Fines.")
    snapshot_date = SNAPSHOT_DATE
    status = STATUS
    error = Mark(TEXT, "Error of the lookup; empty if there was none.")

    coverage = CoverageRules(unconfirmed=INDEX_READY)

    news_templates = (
        News(
            "fines",
            ("records",),
            always=Words(
                "Изменились сведения о штрафах за налоговые правонарушения", "Data on fines for tax offences changed"
            ),
            heads=(
                addition("Штраф за налоговое правонарушение", "A fine for a tax offence"),
                removal(
                    "Сведения о штрафе за налоговое правонарушение больше не опубликованы",
                    "A fine for a tax offence is no longer published",
                ),
            ),
            lines=(
                addition("[{sum}]", "[{sum}]", "records", first="sum"),
                removal("[был {sum}]", "[was {sum}]", "records", first="sum"),
            ),
            figures=Words(
                "Изменилась сумма штрафов за налоговые правонарушения[: {total_sum.move}]",
                "The sum of fines for tax offences changed[: {total_sum.move}]",
            ),
        ),
    )
