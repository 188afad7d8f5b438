"""The query of the table of members: level, what is unknown, signals, and what the period brought."""

from collections.abc import Sequence

from innspect.reports.coverage_text import NO_FRESH_ANSWER
from innspect.reports.level_history import requested_inns
from innspect.reports.style import LEVEL_ORDER
from innspect.schemas.change_severity import ALERT
from innspect.schemas.states import STALE, Level, SignalState
from innspect.warehouse.ddl import literal

SIGNAL_TITLES = "SELECT DISTINCT signal, title, title_ru FROM mart.risk_rules ORDER BY signal"


def present_signals(members: str) -> str:
    """The signals that are present for the INNs of a query."""
    return (
        f"SELECT inn, signal, weight, confirmed, reason FROM mart.risk_signals "
        f"WHERE state = '{SignalState.PRESENT}' AND inn IN ({members})"
    )


def own_columns(portfolio: str) -> str:
    """The names of the portfolio's own columns that have a value, in the order of the file."""
    return f"""
            SELECT name FROM (
                SELECT unnest(map_keys(cells)) AS name, unnest(map_values(cells)) AS text,
                       generate_subscripts(map_keys(cells), 1) AS place
                FROM (SELECT extra::MAP(VARCHAR, VARCHAR) AS cells FROM lineage.portfolio_members
                      WHERE portfolio = {literal(portfolio)} AND left_at IS NULL))
            WHERE text <> '' GROUP BY name ORDER BY min(place), name
        """


def members_table(portfolio: str, present: str, movements: str, since: str, rows: int, columns: Sequence[str]) -> str:
    """One row per member, those that ask for attention first, at most `rows`.

    `present` is the SQL of `present_signals`, `movements` that of `level_movements` in the period since `since` (SQL of
    a moment); `own` has the values of `columns`. `asked` counts the blocks that were requested in the period, `silent`
    those of them whose latest response is no evidence; both are NULL if no response came, `is_requested` says whether
    anybody asked.
    """
    values = ", ".join(f"(m.extra::MAP(VARCHAR, VARCHAR))[{literal(column)}]" for column in columns)
    return f"""
            WITH chosen AS (
                SELECT m.inn, m.name AS own_name,
                       regexp_replace(m.tags, ' *[,;] *', ', ', 'g') AS tags, [{values}]::VARCHAR[] AS own,
                       coalesce(s.level, '{Level.UNKNOWN}') AS level, s.level_known, s.level_at_most,
                       s.known_part, s.score,
                       coalesce(s.unknown, 0) AS unknown, coalesce(s.never_requested, 0) AS never_requested,
                       s.unknown_blocks, s.unknown_since, s.never_requested_blocks, s.stale_blocks
                FROM lineage.portfolio_members m LEFT JOIN mart.risk_score s ON s.inn = m.inn
                WHERE m.portfolio = {literal(portfolio)} AND m.left_at IS NULL
                ORDER BY list_position({LEVEL_ORDER}, coalesce(s.level, '{Level.UNKNOWN}')), s.score DESC NULLS LAST,
                         m.inn
                LIMIT {rows}
            ),
            signals AS (
                SELECT inn, list(signal ORDER BY weight DESC, signal) AS signals,
                       list(CASE WHEN confirmed THEN '' WHEN reason = '{STALE}' THEN '{STALE}' ELSE 'unconfirmed' END
                            ORDER BY weight DESC, signal) AS doubts
                FROM ({present}) WHERE inn IN (SELECT inn FROM chosen) GROUP BY inn
            ),
            requests AS (
                SELECT inn, count(*) AS asked, count(*) FILTER ({NO_FRESH_ANSWER}) AS silent
                FROM (SELECT inn, block, arg_max(state, (asked_at, snapshot_id)) AS state FROM lineage.snapshots
                      WHERE asked_at >= {since} AND inn IN (SELECT inn FROM chosen) GROUP BY inn, block)
                LEFT JOIN chosen s USING (inn)
                GROUP BY inn
            ),
            news AS (
                SELECT inn, count(*) AS changes, count(*) FILTER (severity = '{ALERT}') AS alerts FROM mart.news
                WHERE seen_at >= {since} AND inn IN (SELECT inn FROM chosen) GROUP BY inn
            )
            SELECT c.*, coalesce(p.short_name, p.name) AS name, coalesce(g.signals, []) AS signals,
                   coalesce(g.doubts, []) AS doubts, v.movement, v.level_before, v.level AS level_after, v.assessed_at,
                   r.asked, r.silent, c.inn IN ({requested_inns(since)}) AS is_requested,
                   coalesce(n.changes, 0) AS changes, coalesce(n.alerts, 0) AS alerts
            FROM chosen c
            LEFT JOIN mart.company_profile p ON p.inn = c.inn
            LEFT JOIN signals g ON g.inn = c.inn
            LEFT JOIN requests r ON r.inn = c.inn
            LEFT JOIN news n ON n.inn = c.inn
            LEFT JOIN ({movements}
            ) v ON v.inn = c.inn
            ORDER BY list_position({LEVEL_ORDER}, c.level), c.score DESC NULLS LAST, c.inn
        """
