"""Required blocks that have been unknown for longer than the policy allows: each such time is an alert."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from innspect.reports.alert_query import AlertCause, AlertKind
from innspect.schemas.change_severity import ALERT
from innspect.schemas.states import SignalState
from innspect.warehouse.database import Warehouse
from innspect.warehouse.latest import unanswered_calls
from innspect.warehouse.marts.fragments import block_states, fill_states
from innspect.warehouse.risk.policy_sql import policy_ctes
from innspect.warehouse.risk.signals import NOW, STALE, judged_cte

CHECKED_PORTFOLIOS = "SELECT DISTINCT portfolio FROM lineage.portfolio_members WHERE last_seen_at >= $since"
OVERDUE_BLOCKS = """
WITH {block_states},
{policies},
members AS MATERIALIZED (
    SELECT inn, list(portfolio) AS portfolios
    FROM lineage.portfolio_members
    WHERE left_at IS NULL AND portfolio IN (SELECT unnest($portfolios)) GROUP BY inn
),
{judged}
open_blocks AS MATERIALIZED (
    SELECT j.inn, j.block, CASE WHEN j.is_stale THEN '{stale}' ELSE concat_ws(': ', j.state, j.reason) END AS reason,
           j.is_fresh, j.last_snapshot_id, j.policy_version, b.max_age, b.max_source_age,
           (p.policy->'required'->>'unknown_alert_days')::DOUBLE AS alert_days
    FROM judged j
    JOIN policy_blocks b ON b.position = j.position AND b.block_no = j.block_no
    JOIN judges p ON p.position = j.position
    WHERE CASE length(j.inn) WHEN 10 THEN b.of_companies ELSE b.of_persons END AND j.state <> {never_asked}
          AND (NOT j.is_fresh OR j.state = {snapshot.partial})
),
attempts AS MATERIALIZED (
    SELECT o.inn, o.block, s.asked_at, s.collected_at, s.source_date,
           s.version_id IS NOT NULL
           AND (s.state IN {complete_states} OR (s.state = {snapshot.partial} AND NOT o.is_fresh))
           AND coalesce(date_diff('second', s.collected_at, s.asked_at) / 86400.0 <= o.max_age, false)
           AND coalesce(date_diff('day', s.source_date, s.asked_at::DATE), 0) <= o.max_source_age AS is_answer
    FROM open_blocks o JOIN lineage.snapshots s ON s.inn = o.inn AND s.block = o.block
    UNION ALL BY NAME
    SELECT o.inn, o.block, c.asked_at, false AS is_answer
    FROM open_blocks o JOIN ({calls}) c ON c.inn = o.inn AND c.block = o.block
),
answers AS (
    SELECT inn, block, min(asked_at) AS first_at,
           max({'asked_at': asked_at, 'collected_at': collected_at, 'source_date': source_date})
               FILTER (is_answer) AS answer
    FROM attempts GROUP BY inn, block
),
silences AS (
    SELECT t.inn, t.block, min(t.asked_at) AS asked_at
    FROM attempts t JOIN answers a ON a.inn = t.inn AND a.block = t.block AND t.asked_at > a.answer.asked_at
    GROUP BY t.inn, t.block
),
gaps AS (
    SELECT o.*, coalesce(a.answer.asked_at, a.first_at) AS known_at,
           coalesce(a.answer.collected_at, a.answer.asked_at, a.first_at) AS since,
           coalesce(least(s.asked_at, a.answer.collected_at + to_seconds((o.max_age * 86400)::BIGINT),
                          a.answer.source_date + to_days(o.max_source_age::INTEGER + 1)), a.first_at) AS unknown_from
    FROM open_blocks o JOIN answers a ON a.inn = o.inn AND a.block = o.block
    LEFT JOIN silences s ON s.inn = o.inn AND s.block = o.block
)
SELECT g.inn, g.block, g.reason AS evidence, g.since, g.last_snapshot_id AS snapshot_id, g.policy_version,
       m.portfolios, g.known_at,
       greatest(g.since + to_seconds((g.alert_days * 86400)::BIGINT), g.unknown_from) AS due_at
FROM gaps g JOIN members m ON m.inn = g.inn
WHERE greatest(g.since + to_seconds((g.alert_days * 86400)::BIGINT), g.unknown_from) <= $until
ORDER BY due_at, g.inn, g.block
"""


@dataclass(frozen=True, slots=True)
class OverdueBlock:
    """A required block without a fresh answer.

    `known_at`: when the last fresh answer was requested, else the first request (UTC): it identifies this time without
    an answer. `due_at`: from when it had been unknown for too long. `portfolios`: those of the search that have its INN
    as a member.
    """

    cause: AlertCause
    known_at: datetime
    due_at: datetime
    portfolios: tuple[str, ...]


def find_checked_portfolios(warehouse: Warehouse, since: datetime) -> list[str]:
    """The portfolios that a run started since an instant has checked."""
    return sorted(warehouse.query(CHECKED_PORTFOLIOS, {"since": since})["portfolio"].to_list())


def find_overdue_blocks(warehouse: Warehouse, portfolios: Collection[str], until: datetime) -> list[OverdueBlock]:
    """The required blocks of the members of these portfolios that had been unknown for too long at an instant.

    `since` of the cause: when the service collected the last answer, or the first request without one. A block that was
    never requested is none: nobody wanted to know it. A partial answer may be in the result although it hides nothing;
    `describe_causes` leaves it out.
    """
    if not portfolios:
        return []
    rows = warehouse.query(_query(), {"portfolios": sorted(portfolios), "until": until})
    return [
        OverdueBlock(
            AlertCause(
                AlertKind.UNKNOWN,
                row["inn"],
                ALERT,
                str(SignalState.UNKNOWN),
                row["policy_version"],
                until,
                block=row["block"],
                evidence=row["evidence"],
                since=row["since"],
                snapshot_id=row["snapshot_id"],
            ),
            row["known_at"],
            row["due_at"],
            tuple(row["portfolios"]),
        )
        for row in rows.iter_rows(named=True)
    ]


def _query() -> str:
    members = f"(SELECT *, {NOW} AS moment FROM block_states WHERE inn IN (SELECT inn FROM members))"
    sql = OVERDUE_BLOCKS.replace("{judged}", judged_cte(members))
    sql = sql.replace("{block_states}", block_states()).replace("{policies}", policy_ctes())
    return fill_states(sql.replace("{calls}", unanswered_calls()).replace("{stale}", STALE))
