-- State of knowledge about each member of a portfolio: one row per portfolio, INN and block that can be requested; of a person also blocks that were requested because of `service.person_methods`.
-- question it answers: What is known of whom, how old is it, and what is not known?
-- depends on: inn, day
-- moves with requests: asked_at, checked_at, collected_at, source_date by inn, block
-- portfolio: Portfolio.
-- inn: Member.
-- name: Name in the portfolio.
-- block: Block.
-- state: State of the latest response: found, clean (requested, and there is nothing), partial (incomplete evidence), unconfirmed, unavailable or missing (no evidence), failed (no usable response, possibly charged); or 'never asked'.
-- reason: Why the latest response is not found or clean without reservation.
-- asked_at: Time of the latest request, UTC.
-- method: Method of the latest response.
-- version_id: Known version: the rows of the block in core, and by lineage.snapshots the responses; NULL if nothing is known.
-- known_since: When the known version was first found, UTC; NULL if nothing is known.
-- checked_at: When the known version was last confirmed, UTC; NULL if nothing is known.
-- collected_at: When the service collected the known version, UTC; NULL if it is from the service's own store, which does not say.
-- source_date: Date of the source's data set in that response; NULL if the block has none.
-- age_days: Days since collected_at, up to now; NULL if nothing is known, or collected_at is not. Data of the service's own store are older than their request.
-- stale: Whether the known version is older than the policy of the INN allows, counted from collected_at or, for published data sets, from source_date, or of an age that is not known: it confirms nothing any more (mart.risk_score.stale_blocks); NULL if nothing is known.
-- complete: Whether the lists of the known version are complete; false if they are partial or capped, so that its figures are lower bounds; NULL if nothing is known.
WITH {block_limits},
askable (block, digits) AS (VALUES {askable_blocks}),
pairs AS (
    SELECT m.portfolio, m.inn, m.name, a.block FROM lineage.portfolio_members m JOIN askable a ON a.digits = length(m.inn)
    WHERE m.left_at IS NULL
    UNION ALL
    SELECT m.portfolio, m.inn, m.name, r.block FROM lineage.portfolio_members m JOIN ({requested_of_persons}) r USING (inn)
    WHERE m.left_at IS NULL
),
states AS (
    SELECT p.portfolio, p.inn, p.name, p.block, coalesce(l.state, {never_asked}) AS state, l.reason, l.asked_at,
           l.method, l.version_id, l.checked_at, l.collected_at, l.source_date, l.evidence_state, l.evidence_reason
    FROM pairs p LEFT JOIN ({latest_attempts}) l ON l.inn = p.inn AND l.block = p.block
)
SELECT s.portfolio, s.inn, s.name, s.block, s.state, s.reason, s.asked_at, s.method, s.version_id,
       v.first_seen_at AS known_since, s.checked_at, s.collected_at, s.source_date,
       date_diff('second', s.collected_at, {assessed_at}) / 86400.0 AS age_days,
       CASE WHEN s.version_id IS NOT NULL THEN {exceeds_age_limit} END AS stale,
       {list_complete} AS complete
FROM states s
LEFT JOIN lineage.versions v ON v.version_id = s.version_id
LEFT JOIN inn_policies i ON i.inn = s.inn
LEFT JOIN judges j ON CASE WHEN i.position IS NULL THEN j.is_default ELSE j.position = i.position END
LEFT JOIN policy_blocks b ON b.position = j.position AND b.block = s.block
