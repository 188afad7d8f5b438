"""The register of foreign agents; only in the full check."""

from innspect.schemas.declaration import Block, CoverageRules, Echo, Field, Leaves, Mark, has_items
from innspect.schemas.kinds import TEXT
from innspect.schemas.news.news_template import News, Words, addition, cell_change, removal


class MinjustCheck(
    Block,
    name="minjust_check",
    order=24,
    title_en="Foreign agents",
    title_ru="Реестр иноагентов",
    full_check="minjust_check",
):
    """Check against the register of foreign agents: one row per company; any leaf of a hit means a match."""

    inn = Echo()
    name = Field(TEXT, "Name searched for.", content=False)
    hits = Leaves("Matches in the register; no fields documented.")
    sources_checked = Mark(TEXT, "Sources that were queried.", many=True)
    error = Mark(TEXT, "Error of the lookup; empty if there was none.")

    coverage = CoverageRules(incomplete={"no_source_checked": ~has_items("sources_checked")})

    news_templates = (
        News(
            "matches",
            ("leaves",),
            always=Words(
                "Изменились сведения реестра иностранных агентов", "Data of the register of foreign agents changed"
            ),
            heads=(
                addition("Совпадение в реестре иностранных агентов", "A match in the register of foreign agents"),
                removal(
                    "Совпадения в реестре иностранных агентов больше нет",
                    "The match in the register of foreign agents is gone",
                ),
            ),
            lines=(
                addition("[{value}]", "[{value}]", "leaves", type="string"),
                cell_change("[{value.move}]", "[{value.move}]", "leaves"),
            ),
        ),
    )
