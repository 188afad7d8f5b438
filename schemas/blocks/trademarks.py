"""Trademarks of the company, found by its name."""

from innspect.schemas.declaration import Block, CoverageRules, Field, List, Mark, Row, company_method, count_of
from innspect.schemas.kinds import DMY, TEXT, URL, YMD, day


class Trademark(Row, key=("number|name",)):
    """One trademark."""

    name = Field(TEXT, "Name of the trademark.")
    number = Field(TEXT, "Number of the registration.")
    date = Field(day(YMD, DMY), "Day of the registration; its format is not documented.")
    owner = Field(TEXT, "Owner; found by name, so it may be another company.")
    url = Field(URL, "Link to the trademark's card.")


class Trademarks(
    Block,
    name="trademarks",
    order=22,
    title_en="Trademarks",
    title_ru="Товарные знаки",
    full_check="trademarks",
    methods=(company_method("trademarks", 5),),
):
    """Trademarks of the company: one row, with their number."""

    total = count_of("trademarks", "Trademarks.", optional=True)
    trademarks = List(Trademark, "Trademarks.", optional=True)
    error = Mark(TEXT, "Error of the collection; empty if there was none.")

    coverage = CoverageRules(empty_is_clean=True)
