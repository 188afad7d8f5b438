-- Course of the risk of each INN: one row per INN and assessment with another level or score than the one before. Everything is judged by the current policy.
-- question it answers: When did the risk of a counterparty get worse or better, and why?
-- depends on: inn, assessments
-- moves with requests: nothing
-- inn: INN that was judged.
-- name: Name of the company or person, otherwise the portfolio's name.
-- portfolios: Portfolios whose latest file lists it; empty if it has left all.
-- run_id: Run whose responses were judged.
-- assessed_at: Time of the run's latest request, UTC.
-- change: first (no assessment before), worse or better (low, medium, high, critical), unknown (the level is no longer known), known (it is known again) or score (the level is the same).
-- level_before: Level before; NULL for the first assessment.
-- level: Level since then, the headline of mart.risk_score: unknown if a required block had no fresh answer and level_known was below high.
-- level_known_before: Level of the signals that were present before.
-- level_known: Level of the signals that were present.
-- level_at_most_before: Worst possible level before.
-- level_at_most: Level if every unknown or never requested signal had been present.
-- score_before: Score before.
-- score: Score of the signals that were present.
-- appeared: Signals that were present and had not been before, by name; all that were present for the first assessment.
-- disappeared: Signals that were present and that an answer shows to be absent.
-- unknown_blocks: Required blocks without a fresh answer, or whose answer leaves open what alone is critical.
-- policy_version: Version of the policy that judged.
WITH {members},
steps AS (
    SELECT *, lag(level) OVER w AS level_before, lag(level_known) OVER w AS level_known_before,
           lag(level_at_most) OVER w AS level_at_most_before, lag(score) OVER w AS score_before
    FROM lineage.assessments WINDOW w AS (PARTITION BY inn ORDER BY assessed_at, run_id)
),
signals AS (
    SELECT run_id, inn,
           list(signal ORDER BY signal) FILTER (to_state = {signal.present} AND from_state IS DISTINCT FROM {signal.present})
               AS appeared,
           list(signal ORDER BY signal) FILTER (from_state = {signal.present} AND to_state = {signal.absent})
               AS disappeared
    FROM lineage.signal_changes WHERE signal <> {level_signal} GROUP BY run_id, inn
)
SELECT s.inn, coalesce(n.short_name, n.name, m.name) AS name, coalesce(m.portfolios, []) AS portfolios, s.run_id,
       s.assessed_at,
       CASE WHEN s.level_before IS NULL THEN 'first' WHEN s.level = s.level_before THEN 'score'
            WHEN s.level = {level.unknown} THEN 'unknown' WHEN s.level_before = {level.unknown} THEN 'known'
            WHEN list_position({ranked_levels}, s.level) > list_position({ranked_levels}, s.level_before) THEN 'worse'
            ELSE 'better' END AS change,
       s.level_before, s.level, s.level_known_before, s.level_known, s.level_at_most_before, s.level_at_most,
       s.score_before, s.score, coalesce(c.appeared, []) AS appeared, coalesce(c.disappeared, []) AS disappeared,
       s.unknown_blocks::VARCHAR[] AS unknown_blocks, s.policy_version
FROM steps s
LEFT JOIN signals c ON c.run_id = s.run_id AND c.inn = s.inn
LEFT JOIN current.company n ON n.inn = s.inn
LEFT JOIN members m ON m.inn = s.inn
WHERE s.level IS DISTINCT FROM s.level_before OR s.score IS DISTINCT FROM s.score_before
