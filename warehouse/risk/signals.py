"""Signals and scores as common table expressions, so that a mart that needs both finds what is known only once."""

from innspect.warehouse.ddl import text
from innspect.warehouse.risk.policy_sql import BLOCK_NUMBERS, risk_found, risk_rules

SIGNALS = """
partly AS (
    SELECT s.inn, s.block, arg_max(s.version_id, (s.asked_at, s.snapshot_id)) AS earlier_version_id
    FROM lineage.snapshots s JOIN knowledge k ON k.inn = s.inn AND k.block = s.block
    WHERE k.state = 'partial' AND s.version_id IS NOT NULL AND s.snapshot_id <> k.last_snapshot_id
    GROUP BY s.inn, s.block
),
judging AS MATERIALIZED (
    SELECT coalesce(k.inn, v.inn) AS inn, b.block, b.block_no, k.state, k.reason, k.last_snapshot_id,
           coalesce(k.version_id, v.version_id) AS version_id, k.snapshot_id, k.checked_at, v.first_seen_at,
           v.last_seen_at AS ended_at, k.inn IS NOT NULL AS latest, k.state = 'partial' AS partial,
           CASE WHEN k.inn IS NULL THEN v.version_id END AS old_version_id
    FROM knowledge k FULL JOIN lineage.versions v ON v.version_id = k.version_id
    JOIN (VALUES {judged}) b (block, block_no) ON b.block = coalesce(k.block, v.block)
),
found AS MATERIALIZED ({risk_found}),
past AS (
    SELECT inn, number, old_version_id AS version_id, present, first_seen_at, ended_at
    FROM found WHERE NOT latest
),
gone AS (SELECT inn, number, max(ended_at) AS gone_at FROM past WHERE NOT coalesce(present, false) GROUP BY ALL),
ran AS (
    SELECT p.inn, p.number, min(p.first_seen_at) AS first_seen_at
    FROM past p LEFT JOIN gone g ON g.inn = p.inn AND g.number = p.number
    WHERE p.present AND (g.gone_at IS NULL OR p.first_seen_at > g.gone_at) GROUP BY p.inn, p.number
),
dated AS (
    SELECT f.* EXCLUDE (shown), f.shown.evidence AS evidence,
           coalesce(f.shown.began,
                    least(CASE WHEN g.gone_at IS NULL OR f.first_seen_at > g.gone_at THEN f.first_seen_at END,
                          n.first_seen_at), g.gone_at) AS since,
           f.partial AND w.earlier_version_id IS NOT NULL
           AND (w.earlier_version_id = f.version_id OR coalesce(e.present, false)) AS carried
    FROM found f
    LEFT JOIN gone g ON g.inn = f.inn AND g.number = f.number
    LEFT JOIN ran n ON n.inn = f.inn AND n.number = f.number
    LEFT JOIN partly w ON w.inn = f.inn AND w.block = f.block
    LEFT JOIN past e ON e.inn = f.inn AND e.number = f.number AND e.version_id = w.earlier_version_id
    WHERE f.latest AND f.present AND (f.shown.began IS NULL OR f.partial)
    UNION ALL BY NAME
    SELECT * EXCLUDE (shown), shown.evidence AS evidence, shown.began AS since, false AS carried
    FROM found WHERE latest AND NOT (coalesce(present, false) AND (shown.began IS NULL OR partial))
),
stated AS (
    SELECT d.* EXCLUDE (block, number), r.* EXCLUDE (number),
           CASE WHEN d.present THEN 'present'
                WHEN d.state = 'never asked' THEN 'never asked'
                WHEN NOT d.present AND d.state IN ('found', 'clean') THEN 'absent'
                ELSE 'not confirmed' END AS word,
           d.state IN ('found', 'clean')
           OR (d.state = 'partial' AND (r.partial_shows OR NOT d.carried)
               AND NOT coalesce(contains(d.reason, nullif(r.unseen, '')), false)) AS heard
    FROM dated d
    JOIN {risk_rules} ON r.number = d.number
    WHERE list_contains(r.digits, CASE WHEN length(d.inn) = 10 THEN 10 ELSE 12 END)
),
signals AS (
    SELECT inn, signal, title, title_ru, severity, weight, word AS state,
           word = 'absent' OR (word = 'present' AND heard) AS confirmed,
           CASE WHEN present THEN since END AS since, CASE WHEN present THEN evidence END AS evidence, block,
           CASE WHEN word = 'never asked' OR word = 'absent' OR (word = 'present' AND heard) THEN NULL
                WHEN state IN ('found', 'clean') THEN 'the answer does not tell'
                ELSE concat_ws(': ', state, reason) END AS reason,
           checked_at,
           CASE WHEN word IN ('present', 'absent') THEN version_id END AS version_id,
           CASE WHEN word IN ('present', 'absent') THEN snapshot_id ELSE last_snapshot_id END AS snapshot_id
    FROM stated
)
"""

SCORES = """
weighed AS (
    SELECT inn,
           coalesce(sum(weight) FILTER (state = 'present'), 0)::INTEGER AS score,
           coalesce(sum(weight) FILTER (state = 'present' AND confirmed), 0)::INTEGER AS score_confirmed,
           coalesce(sum(weight) FILTER (state IN ('not confirmed', 'never asked')), 0)::INTEGER AS score_unknown,
           coalesce(sum(weight) FILTER (confirmed), 0)::DOUBLE AS confirmed_weight,
           sum(weight)::DOUBLE AS weight,
           count(*) FILTER (state = 'present') AS present,
           count(*) FILTER (state = 'absent') AS absent,
           count(*) FILTER (state = 'not confirmed') AS not_confirmed,
           count(*) FILTER (state = 'never asked') AS never_asked,
           coalesce(list(title ORDER BY weight DESC, signal) FILTER (state = 'present'), []) AS reasons,
           coalesce(list(title_ru ORDER BY weight DESC, signal) FILTER (state = 'present'), []) AS reasons_ru,
           coalesce(list(signal ORDER BY weight DESC, signal) FILTER (state IN ('not confirmed', 'never asked')), [])
               AS unknown_signals,
           min(checked_at) AS checked_at
    FROM signals GROUP BY inn
),
scores AS (
    SELECT inn, score, score_confirmed, score_unknown, score + score_unknown AS score_most,
           confirmed_weight / weight AS confirmed_share,
           CASE WHEN score >= 60 THEN 'critical' WHEN score >= 30 THEN 'high' WHEN score >= 10 THEN 'medium'
                WHEN 2 * confirmed_weight < weight THEN 'unknown' ELSE 'low' END AS level,
           present, absent, not_confirmed, never_asked, reasons, reasons_ru, unknown_signals, checked_at
    FROM weighed
)
"""


def signals() -> str:
    """Common table expressions over `knowledge` that end with `signals`: the columns of `mart.risk_signals`, no age."""
    judged = ", ".join(f"({text(block)}, {number})" for block, number in BLOCK_NUMBERS.items())
    filled = SIGNALS.strip().replace("{judged}", judged)
    return filled.replace("{risk_rules}", risk_rules()).replace("{risk_found}", risk_found())


def scores() -> str:
    """Common table expressions over `signals` that end with `scores`: the columns of `mart.risk_score`."""
    return SCORES.strip()
