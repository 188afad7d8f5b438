-- Cost and yield of calls: one row per run, method and block.
-- question it answers: What was the money spent on, and what did it yield?
-- depends on: runs
-- run_id: Run.
-- started_at: When the run started, UTC.
-- portfolio: Portfolio of the run.
-- profile: Profile of the run.
-- method: Method that was called.
-- block: Block in the response; NULL if the call returned none.
-- calls: Calls that returned the block, including free ones.
-- charged_rub: Amount charged. The price of a call is split evenly over the blocks of its response, to the kopeck, so that the blocks of a run add up to its charge.
-- unknown_rub: Amount that calls of unknown outcome may have been charged, split in the same way.
-- snapshots: Snapshots of the block.
-- new_versions: Snapshots that created a new version.
-- changes: Changes found by these snapshots.
-- rub_per_change: charged_rub divided by changes; NULL without changes.
WITH block_responses AS (
    SELECT r.call_id, s.block, s.snapshot_id, s.state, s.version_id, s.inn, s.asked_at
    FROM lineage.snapshots s JOIN lineage.responses r USING (response_id)
),
pieces AS (
    SELECT call_id, block, count(*) AS snapshots,
           count(*) FILTER (first_seen_at = asked_at) AS new_versions,
           sum(coalesce(n, 0)) AS changes
    FROM block_responses
    LEFT JOIN (SELECT version_id, first_seen_at FROM lineage.versions) USING (version_id)
    LEFT JOIN (SELECT snapshot_id, count(*) AS n FROM lineage.changes GROUP BY snapshot_id) USING (snapshot_id)
    WHERE state NOT IN ({snapshot.missing}, {snapshot.failed})
    GROUP BY call_id, block
),
shares AS (
    SELECT c.run_id, c.method, p.block, p.snapshots, p.new_versions, p.changes,
           (coalesce(c.charged_rub, 0) * 100)::BIGINT AS charged,
           CASE WHEN c.state = {call.unknown} THEN (coalesce(c.expected_rub, 0) * 100)::BIGINT ELSE 0 END AS unknown,
           count(*) OVER (PARTITION BY c.call_id) AS parts,
           row_number() OVER (PARTITION BY c.call_id ORDER BY p.block) AS part
    FROM lineage.calls c LEFT JOIN pieces p USING (call_id)
    WHERE c.state <> {call.released}
),
sums AS (
    SELECT run_id, method, block, count(*) AS calls,
           (sum(charged // parts + (part <= charged % parts)::INTEGER)::DECIMAL(18, 0) * 0.01)::DECIMAL(18, 2)
               AS charged_rub,
           (sum(unknown // parts + (part <= unknown % parts)::INTEGER)::DECIMAL(18, 0) * 0.01)::DECIMAL(18, 2)
               AS unknown_rub,
           coalesce(sum(snapshots), 0)::BIGINT AS snapshots, coalesce(sum(new_versions), 0)::BIGINT AS new_versions,
           coalesce(sum(changes), 0)::BIGINT AS changes
    FROM shares GROUP BY run_id, method, block
)
SELECT s.run_id, r.started_at, r.portfolio, r.profile, s.method, s.block, s.calls, s.charged_rub, s.unknown_rub,
       s.snapshots, s.new_versions, s.changes,
       (s.charged_rub / nullif(s.changes, 0))::DECIMAL(18, 2) AS rub_per_change
FROM sums s LEFT JOIN lineage.runs r USING (run_id)
