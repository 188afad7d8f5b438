"""Common table expressions of signals and scores; a mart that needs both computes `block_states` once."""

from innspect.warehouse.ddl import literal
from innspect.warehouse.risk.policy_sql import BLOCK_NUMBERS, findings_query, risk_rules

SIGNALS = """
earlier_evidence AS (
    SELECT s.inn, s.block, arg_max(s.version_id, (s.asked_at, s.snapshot_id)) AS earlier_version_id
    FROM lineage.snapshots s JOIN block_states k ON k.inn = s.inn AND k.block = s.block
    WHERE k.state = {snapshot.partial} AND s.version_id IS NOT NULL AND s.snapshot_id <> k.last_snapshot_id
    GROUP BY s.inn, s.block
),
evaluated AS MATERIALIZED (
    SELECT coalesce(k.inn, v.inn) AS inn, b.block, b.block_no, k.state, k.reason, k.last_snapshot_id,
           coalesce(k.version_id, v.version_id) AS version_id, k.snapshot_id, k.checked_at, v.first_seen_at,
           v.last_seen_at AS ended_at, k.inn IS NOT NULL AS latest, k.state = {snapshot.partial} AS partial,
           CASE WHEN k.inn IS NULL THEN v.version_id END AS old_version_id
    FROM block_states k FULL JOIN lineage.versions v ON v.version_id = k.version_id
    JOIN (VALUES {rule_blocks}) b (block, block_no) ON b.block = coalesce(k.block, v.block)
),
findings AS MATERIALIZED ({findings}),
past_findings AS (
    SELECT inn, number, old_version_id AS version_id, present, first_seen_at, ended_at
    FROM findings WHERE NOT latest
),
last_absence AS (
    SELECT inn, number, max(ended_at) AS last_absent_at
    FROM past_findings WHERE NOT coalesce(present, false) GROUP BY ALL
),
first_presence AS (
    SELECT p.inn, p.number, min(p.first_seen_at) AS first_seen_at
    FROM past_findings p LEFT JOIN last_absence g ON g.inn = p.inn AND g.number = p.number
    WHERE p.present AND (g.last_absent_at IS NULL OR p.first_seen_at > g.last_absent_at) GROUP BY p.inn, p.number
),
dated AS (
    SELECT f.* EXCLUDE (shown), f.shown.evidence AS evidence,
           coalesce(f.shown.began,
                    least(CASE WHEN g.last_absent_at IS NULL OR f.first_seen_at > g.last_absent_at
                               THEN f.first_seen_at END, n.first_seen_at), g.last_absent_at) AS since,
           f.partial AND w.earlier_version_id IS NOT NULL
           AND (w.earlier_version_id = f.version_id OR coalesce(e.present, false)) AS carried
    FROM findings f
    LEFT JOIN last_absence g ON g.inn = f.inn AND g.number = f.number
    LEFT JOIN first_presence n ON n.inn = f.inn AND n.number = f.number
    LEFT JOIN earlier_evidence w ON w.inn = f.inn AND w.block = f.block
    LEFT JOIN past_findings e ON e.inn = f.inn AND e.number = f.number AND e.version_id = w.earlier_version_id
    WHERE f.latest AND f.present AND (f.shown.began IS NULL OR f.partial)
    UNION ALL BY NAME
    SELECT * EXCLUDE (shown), shown.evidence AS evidence, shown.began AS since, false AS carried
    FROM findings WHERE latest AND NOT (coalesce(present, false) AND (shown.began IS NULL OR partial))
),
evaluated_signals AS (
    SELECT d.* EXCLUDE (block, number), r.* EXCLUDE (number),
           CASE WHEN d.present THEN {signal.present}
                WHEN d.state = {never_asked} THEN {signal.never_asked}
                WHEN NOT d.present AND d.state IN {complete_states} THEN {signal.absent}
                ELSE {signal.not_confirmed} END AS signal_state,
           d.state IN {complete_states}
           OR (d.state = {snapshot.partial} AND (r.partial_shows OR NOT d.carried)
               AND NOT coalesce(contains(d.reason, nullif(r.unseen, '')), false)) AS supported
    FROM dated d
    JOIN {risk_rules} ON r.number = d.number
    WHERE list_contains(r.digits, CASE WHEN length(d.inn) = 10 THEN 10 ELSE 12 END)
),
signals AS (
    SELECT inn, signal, title, title_ru, severity, weight, signal_state AS state,
           signal_state = {signal.absent} OR (signal_state = {signal.present} AND supported) AS confirmed,
           CASE WHEN present THEN since END AS since, CASE WHEN present THEN evidence END AS evidence, block,
           CASE WHEN signal_state IN ({signal.never_asked}, {signal.absent})
                     OR (signal_state = {signal.present} AND supported) THEN NULL
                WHEN state IN {complete_states} THEN 'not stated in the response'
                ELSE concat_ws(': ', state, reason) END AS reason,
           checked_at,
           CASE WHEN signal_state IN ({signal.present}, {signal.absent}) THEN version_id END AS version_id,
           CASE WHEN signal_state IN ({signal.present}, {signal.absent}) THEN snapshot_id
                ELSE last_snapshot_id END AS snapshot_id
    FROM evaluated_signals
)
"""

SCORES = """
weighed AS (
    SELECT inn,
           coalesce(sum(weight) FILTER (state = {signal.present}), 0)::INTEGER AS score,
           coalesce(sum(weight) FILTER (state = {signal.present} AND confirmed), 0)::INTEGER AS score_confirmed,
           coalesce(sum(weight) FILTER (state IN {not_confirmed_signals}), 0)::INTEGER AS score_unknown,
           coalesce(sum(weight) FILTER (confirmed), 0)::DOUBLE AS confirmed_weight,
           sum(weight)::DOUBLE AS weight,
           count(*) FILTER (state = {signal.present}) AS present,
           count(*) FILTER (state = {signal.absent}) AS absent,
           count(*) FILTER (state = {signal.not_confirmed}) AS not_confirmed,
           count(*) FILTER (state = {signal.never_asked}) AS never_asked,
           coalesce(list(title ORDER BY weight DESC, signal) FILTER (state = {signal.present}), []) AS reasons,
           coalesce(list(title_ru ORDER BY weight DESC, signal) FILTER (state = {signal.present}), []) AS reasons_ru,
           coalesce(list(signal ORDER BY weight DESC, signal) FILTER (state IN {not_confirmed_signals}), [])
               AS unknown_signals,
           min(checked_at) AS checked_at
    FROM signals GROUP BY inn
),
scores AS (
    SELECT inn, score, score_confirmed, score_unknown, score + score_unknown AS score_most,
           confirmed_weight / weight AS confirmed_share,
           CASE WHEN score >= 60 THEN {level.critical} WHEN score >= 30 THEN {level.high}
                WHEN score >= 10 THEN {level.medium}
                WHEN 2 * confirmed_weight < weight THEN {level.unknown} ELSE {level.low} END AS level,
           present, absent, not_confirmed, never_asked, reasons, reasons_ru, unknown_signals, checked_at
    FROM weighed
)
"""


def signal_ctes() -> str:
    """CTEs over `block_states`, the last is `signals`: the columns of `mart.risk_signals` without the age.

    State placeholders are left to the mart registry.
    """
    blocks = ", ".join(f"({literal(block)}, {number})" for block, number in BLOCK_NUMBERS.items())
    sql = SIGNALS.strip().replace("{rule_blocks}", blocks)
    return sql.replace("{risk_rules}", risk_rules()).replace("{findings}", findings_query())


def score_ctes() -> str:
    """CTEs over `signals`, the last is `scores`: the columns of `mart.risk_score`."""
    return SCORES.strip()
