-- Changes found by re-checks, explained: one row per added or removed row and per changed cell. Texts that differ only in case and white space are in `lineage.changes` alone.
-- question it answers: Which values changed, from what to what?
-- depends on: inn
-- moves with requests: nothing
-- seen_at: Time of the request that showed it, UTC.
-- news_id: News that it belongs to: mart.news.
-- severity: info, notice or alert.
-- inn: INN that was checked.
-- name: Name of the company or person, otherwise the portfolio's name.
-- portfolios: Portfolios whose latest file lists it; empty if it has left all.
-- block: Block.
-- table_name: Table.
-- row_key: Key of the row within the company; empty for the block's own row.
-- change: added, removed or changed.
-- column_name: Changed column; NULL for a whole row.
-- old_value: Value before.
-- new_value: Value after.
-- meaning: What the change means, in a sentence; NULL where no rule of severity applies: its news says it.
-- known_until: When the value before was last confirmed, UTC.
-- run_id: Run that found it.
-- snapshot_id: Snapshot that showed it.
WITH {news_changes},
{members},
-- By response, of which there are far fewer than changes.
shown AS NOT MATERIALIZED (SELECT DISTINCT snapshot_id, inn, block, seen_at FROM lineage.changes),
evidence AS (
    SELECT inn, block, asked_at FROM lineage.snapshots SEMI JOIN shown USING (inn, block) WHERE version_id IS NOT NULL
),
known AS (
    SELECT s.inn, s.snapshot_id, e.asked_at AS until FROM shown s
    ASOF JOIN evidence e ON e.inn = s.inn AND e.block = s.block AND s.seen_at > e.asked_at
)
SELECT c.seen_at, c.news_id, c.severity, c.inn, coalesce(n.short_name, n.name, m.name) AS name,
       coalesce(m.portfolios, []) AS portfolios, c.block, c.table_name, c.row_key, c.change, c.column_name,
       c.old_value, c.new_value, {change_meaning} AS meaning, k.until AS known_until, c.run_id, c.snapshot_id
FROM news_changes c
LEFT JOIN current.company n ON n.inn = c.inn
LEFT JOIN members m ON m.inn = c.inn
LEFT JOIN known k ON k.inn = c.inn AND k.snapshot_id = c.snapshot_id
