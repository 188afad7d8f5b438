"""What is known of each INN and block, as a query that several marts begin with."""

from schemas.catalogue import BLOCKS, askable
from warehouse.ddl import silent_calls, text


def blocks_values() -> str:
    """Rows (block, digits): which blocks can be asked for INNs of which length."""
    pairs = [(block, digits) for digits in (10, 12) for block in BLOCKS if block in askable(digits)]
    return ", ".join(f"({text(block)}, {digits})" for block, digits in pairs)


def knowledge() -> str:
    """Common table expressions that end with `knowledge`: one row per INN known to the warehouse and askable block.

    `state` and `reason` of the latest answer ('never asked' without one), `asked_at` and `last_snapshot_id` of it;
    `version_id`, `snapshot_id`, `checked_at` and `collected_at` of the latest answer that is evidence. INNs are the
    members of portfolios and all that were ever asked.

    The greatest of records that begin with the moment and the snapshot is the latest. Each expression is read once by
    the next, so that what a mart asks of one block alone reaches the table; the INNs are read beside it for that.
    """
    return f"""
knowledge_asked AS (
    SELECT inn, block, asked_at, state, reason, snapshot_id, version_id, collected_at FROM lineage.snapshots
    UNION ALL BY NAME
    SELECT * EXCLUDE (method) FROM ({silent_calls()})
),
knowledge_last AS (
    SELECT inn, block,
           max({{'asked_at': asked_at, 'snapshot_id': snapshot_id, 'state': state, 'reason': reason}}) AS answer,
           max({{'asked_at': asked_at, 'snapshot_id': snapshot_id, 'version_id': version_id,
                'collected_at': collected_at}}) FILTER (version_id IS NOT NULL) AS known
    FROM knowledge_asked GROUP BY inn, block
),
knowledge AS (
    SELECT s.inn, b.block, coalesce(l.answer.state, 'never asked') AS state, l.answer.reason AS reason,
           l.answer.asked_at AS asked_at, nullif(l.answer.snapshot_id, '') AS last_snapshot_id,
           l.known.version_id AS version_id, l.known.snapshot_id AS snapshot_id,
           l.known.asked_at AS checked_at, l.known.collected_at AS collected_at
    FROM (SELECT inn FROM lineage.portfolio_members UNION SELECT inn FROM lineage.snapshots
          UNION SELECT inn FROM ({silent_calls()})) s
    JOIN (VALUES {blocks_values()}) b (block, digits) ON b.digits = length(s.inn)
    LEFT JOIN knowledge_last l ON l.inn = s.inn AND l.block = b.block
)""".strip()
