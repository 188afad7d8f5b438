"""Trademarks of the company, found by its name."""

from innspect.schemas.declaration import Block, CoverageRules, Field, List, Mark, Row, company_method, count_of
from innspect.schemas.kinds import ANY_DAY, TEXT, URL
from innspect.schemas.news.news_template import BY_ROW, DETAILS, News, Words, addition, cell_change, removal


class Trademark(Row, key=("number|name",)):
    """One trademark."""

    name = Field(TEXT, "Name of the trademark.")
    number = Field(TEXT, "Number of the registration.")
    date = Field(ANY_DAY, "Day of the registration; its format is not documented.")
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

    news_templates = (
        News(
            "trademarks",
            ("trademarks",),
            always=Words("Товарный знак[ № {number}]", "Trademark[ No. {number}]"),
            heads=(
                addition(
                    "Новый товарный знак[ № {number}][ от {date}][: {name}][, правообладатель {owner}]",
                    "New trademark[ No. {number}][ of {date}][: {name}][, owner {owner}]",
                ),
                removal(
                    "Товарного знака[ № {number}] больше нет среди найденных в реестре[: {name}]",
                    "The register no longer lists trademark[ No. {number}][: {name}]",
                ),
            ),
            lines=(
                cell_change("[правообладатель: {owner.move}]", "[owner: {owner.move}]", "trademarks"),
                cell_change("[обозначение: {name.move}]", "[name: {name.move}]", "trademarks", name="*"),
            ),
            figures=Words("Число товарных знаков[: {total.move}]", "Number of trademarks[: {total.move}]"),
            by=BY_ROW,
            other=DETAILS,
        ),
    )
