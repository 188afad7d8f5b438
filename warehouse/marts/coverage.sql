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
last_asked AS ({last_asked})
SELECT m.portfolio, m.inn, m.name, a.block, coalesce(l.state, 'never asked') AS state, l.reason, l.asked_at, l.method,
       v.first_seen_at AS known_since, l.checked_at, l.collected_at,
       date_diff('second', l.checked_at, (now() AT TIME ZONE 'UTC')) / 86400.0 AS age_days
FROM lineage.portfolio_members m
JOIN askable a ON a.digits = length(m.inn)
LEFT JOIN last_asked l ON l.inn = m.inn AND l.block = a.block
LEFT JOIN lineage.versions v ON v.version_id = l.version_id
