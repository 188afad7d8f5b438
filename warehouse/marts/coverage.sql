-- What is known of each member of a portfolio, block by block: one row per portfolio, INN and block that can be asked.
-- portfolio: Portfolio.
-- inn: Member.
-- name: Name that the portfolio gives.
-- block: Block.
-- state: State of the latest answer: found, clean (asked, and there is nothing), partial (evidence, not all of it), unconfirmed, unavailable or missing (no evidence), failed (a call may have been charged but brought none); or 'never asked'.
-- reason: Why the latest answer is not plainly found or clean.
-- asked_at: When it was last asked, UTC.
-- method: Method that brought the latest answer.
-- known_since: When the version that is known was first found, UTC; NULL where nothing is known.
-- checked_at: When what is known was last confirmed, UTC; NULL where nothing is known.
-- collected_at: When the service had collected what is known, UTC.
-- age_days: Days since what is known was last confirmed, up to now; NULL where nothing is known.
WITH askable (block, digits) AS (VALUES {blocks}),
asked AS (
    SELECT inn, block, asked_at, state, reason, method, snapshot_id FROM lineage.snapshots
    UNION ALL BY NAME
    {silent_calls}
),
last_answer AS (
    SELECT inn, block, max(asked_at) AS asked_at,
           arg_max(state, (asked_at, snapshot_id)) AS state,
           arg_max(coalesce(reason, ''), (asked_at, snapshot_id)) AS reason,
           arg_max(method, (asked_at, snapshot_id)) AS method
    FROM asked GROUP BY inn, block
),
last_known AS (
    SELECT inn, block, max(asked_at) AS checked_at,
           arg_max(version_id, (asked_at, snapshot_id)) AS version_id,
           arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at
    FROM lineage.snapshots WHERE version_id IS NOT NULL GROUP BY inn, block
)
SELECT m.portfolio, m.inn, m.name, a.block,
       coalesce(s.state, 'never asked') AS state,
       nullif(s.reason, '') AS reason,
       s.asked_at, s.method,
       v.first_seen_at AS known_since,
       k.checked_at, k.collected_at,
       date_diff('second', k.checked_at, (now() AT TIME ZONE 'UTC')) / 86400.0 AS age_days
FROM lineage.portfolio_members m
JOIN askable a ON a.digits = length(m.inn)
LEFT JOIN last_answer s ON s.inn = m.inn AND s.block = a.block
LEFT JOIN last_known k ON k.inn = m.inn AND k.block = a.block
LEFT JOIN lineage.versions v ON v.version_id = k.version_id
