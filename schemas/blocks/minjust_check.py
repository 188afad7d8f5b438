"""The register of foreign agents; only the full check brings it."""

from innspect.schemas.declaration import Block, Echo, Field, Leaves, Mark
from innspect.schemas.kinds import TEXT


class MinjustCheck(
    Block,
    name="minjust_check",
    order=24,
    title_en="Foreign agents",
    title_ru="Реестр иноагентов",
    full_check="minjust_check",
):
    """Check against the register of foreign agents: one row per company; any leaf of a hit means that it is listed."""

    inn = Echo()
    name = Field(TEXT, "Name that was looked for.")
    hits = Leaves("Matches in the register; no fields documented.")
    sources_checked = Mark(TEXT, "Sources that were asked.", many=True)
    error = Mark(TEXT, "Error of the look-up; empty when it went well.")
