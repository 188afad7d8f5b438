"""The register of foreign agents; only in the full check."""

from innspect.schemas.declaration import Block, CoverageRules, Echo, Field, Leaves, Mark, has_items, row_count
from innspect.schemas.kinds import TEXT


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

    coverage = CoverageRules(
        unconfirmed={"no_source_checked": ~has_items("sources_checked") & (row_count("hits") == 0)}
    )
