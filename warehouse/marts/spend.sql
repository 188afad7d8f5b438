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
WITH block_responses AS NOT MATERIALIZED (
    SELECT response_id, snapshot_id, run_id, method, block, version_id, asked_at
    FROM lineage.snapshots WHERE state NOT IN ({snapshot.missing}, {snapshot.failed})
),
blocks AS (
    SELECT block, 1::BIGINT << (row_number() OVER (ORDER BY block) - 1)::INTEGER AS flag
    FROM (SELECT DISTINCT block FROM block_responses)
),
pieces AS (
    -- The blocks of a call as one number, which takes less memory than a list of their names.
    SELECT r.call_id, bit_or(f.flag) AS flags
    FROM block_responses b JOIN lineage.responses r USING (response_id) JOIN blocks f ON f.block = b.block
    GROUP BY r.call_id
),
-- Calls of one charge that returned the same blocks are split together: there are few kinds of them.
kinds AS (
    SELECT c.run_id, c.method, (coalesce(c.charged_rub, 0) * 100)::BIGINT AS charged,
           CASE WHEN c.state = {call.unknown} THEN (coalesce(c.expected_rub, 0) * 100)::BIGINT ELSE 0 END AS unknown,
           coalesce(p.flags, 0) AS flags, count(*) AS calls
    FROM lineage.calls c LEFT JOIN pieces p USING (call_id)
    WHERE c.state <> {call.released} GROUP BY ALL
),
shares AS (
    SELECT k.*, greatest(bit_count(flags), 1) AS parts, b.block, coalesce(bit_count(flags & (b.flag - 1)), 0) + 1 AS part
    FROM kinds k LEFT JOIN blocks b ON k.flags & b.flag <> 0
),
sums AS (
    SELECT run_id, method, block, sum(calls)::BIGINT AS calls,
           (sum(calls * (charged // parts + (part <= charged % parts)::INTEGER))::DECIMAL(18, 0) * 0.01)::DECIMAL(18, 2)
               AS charged_rub,
           (sum(calls * (unknown // parts + (part <= unknown % parts)::INTEGER))::DECIMAL(18, 0) * 0.01)::DECIMAL(18, 2)
               AS unknown_rub
    FROM shares GROUP BY run_id, method, block
),
yields AS (
    SELECT run_id, method, block, count(*) AS snapshots,
           count(*) FILTER (v.first_seen_at = b.asked_at) AS new_versions, coalesce(sum(c.n), 0)::BIGINT AS changes
    FROM block_responses b
    LEFT JOIN (SELECT version_id, first_seen_at FROM lineage.versions) v USING (version_id)
    LEFT JOIN (SELECT snapshot_id, count(*) AS n FROM lineage.changes GROUP BY snapshot_id) c USING (snapshot_id)
    GROUP BY run_id, method, block
)
SELECT s.run_id, r.started_at, r.portfolio, r.profile, s.method, s.block, s.calls, s.charged_rub, s.unknown_rub,
       coalesce(y.snapshots, 0) AS snapshots, coalesce(y.new_versions, 0) AS new_versions,
       coalesce(y.changes, 0) AS changes, (s.charged_rub / nullif(y.changes, 0))::DECIMAL(18, 2) AS rub_per_change
FROM sums s
LEFT JOIN yields y ON y.run_id = s.run_id AND y.method = s.method AND y.block = s.block
LEFT JOIN lineage.runs r ON r.run_id = s.run_id
