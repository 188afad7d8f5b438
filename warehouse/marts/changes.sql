-- What re-checks found changed, in words: one row per added or removed row and per changed cell.
-- seen_at: When the answer that showed it was asked, UTC.
-- severity: info, notice or alert.
-- inn: INN that was checked.
-- name: Name of the company or person, else the one that a portfolio gives.
-- portfolios: Portfolios that have it as a member.
-- block: Block.
-- table_name: Table.
-- row_key: Key of the row within the company; empty for the block's own row.
-- change: added, removed or changed.
-- column_name: Column that changed; NULL for a whole row.
-- old_value: What was known before.
-- new_value: What is known now.
-- meaning: What the change means, in a sentence.
-- known_until: When what was known before had last been confirmed, UTC.
-- run_id: Run that found it.
-- snapshot_id: Snapshot that showed it.
WITH members AS (
    SELECT inn, list(DISTINCT portfolio ORDER BY portfolio) AS portfolios, max_by(name, last_seen_at) AS name
    FROM lineage.portfolio_members GROUP BY inn
),
evidence AS (SELECT DISTINCT inn, block, asked_at FROM lineage.snapshots WHERE version_id IS NOT NULL)
SELECT c.seen_at, c.severity, c.inn, coalesce(n.short_name, n.name, m.name) AS name,
       coalesce(m.portfolios, []) AS portfolios, c.block, c.table_name, c.row_key, c.change, c.column_name,
       c.old_value, c.new_value, {change_meaning} AS meaning, e.asked_at AS known_until, c.run_id, c.snapshot_id
FROM lineage.changes c
LEFT JOIN current.company n ON n.inn = c.inn
LEFT JOIN members m ON m.inn = c.inn
ASOF LEFT JOIN evidence e ON e.inn = c.inn AND e.block = c.block AND c.seen_at > e.asked_at
