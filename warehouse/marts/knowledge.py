"""What is known of each INN and block, as a query that several marts begin with."""

from functools import cache

from innspect.schemas.catalogue import BLOCKS, askable
from innspect.warehouse.ddl import LATEST, silent_calls, text
from innspect.warehouse.latest import last_asked


@cache
def blocks_values() -> str:
    """Rows (block, digits): which blocks can be asked for INNs of which length."""
    pairs = [(block, digits) for digits in (10, 12) for block in BLOCKS if block in askable(digits)]
    return ", ".join(f"({text(block)}, {digits})" for block, digits in pairs)


@cache
def knowledge() -> str:
    """Common table expressions that end with `knowledge`: one row per INN known to the warehouse and askable block.

    `state` and `reason` of the latest answer ('never asked' without one), `asked_at` and `last_snapshot_id` of it;
    `version_id`, `snapshot_id`, `checked_at` and `collected_at` of the latest answer that is evidence. INNs are the
    members of portfolios and all that were ever asked.

    The INNs are read beside the latest, so that what a mart asks of one block alone reaches the table.
    """
    return f"""
knowledge AS (
    SELECT s.inn, b.block, coalesce(l.state, 'never asked') AS state, l.reason, l.asked_at,
           l.snapshot_id AS last_snapshot_id, l.version_id, l.evidence_id AS snapshot_id, l.checked_at, l.collected_at
    FROM (SELECT inn FROM lineage.portfolio_members UNION SELECT inn FROM lineage.{LATEST}
          UNION SELECT inn FROM ({silent_calls()})) s
    JOIN (VALUES {blocks_values()}) b (block, digits) ON b.digits = length(s.inn)
    LEFT JOIN ({last_asked()}) l ON l.inn = s.inn AND l.block = b.block
)""".strip()
