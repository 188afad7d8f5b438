-- News: what changed, as one row per fact with a sentence in Russian and English. Its changes: mart.changes, by news_id.
-- question it answers: What changed, in words?
-- depends on: inn
-- moves with requests: nothing
-- news_id: News; derived from the snapshot and the fact, the same after a rebuild.
-- seen_at: Time of the request that showed it, UTC.
-- severity: info, notice or alert: the most severe of its changes.
-- inn: INN that was checked.
-- name: Name of the company or person, otherwise the portfolio's name.
-- portfolios: Portfolios with this member.
-- block: Block.
-- topic: What it is about: the block and the name of the news in its declaration.
-- fact_key: Key of the fact within the topic: the number of a case, a year; empty if the topic has only one.
-- sentence_ru: What happened, in Russian.
-- sentence_en: What happened, in English.
-- changes: Number of changes that show it: added and removed rows and changed cells.
-- known_until: When what was before was last confirmed, UTC.
-- run_id: Run that found it.
-- snapshot_id: Snapshot that showed it; lineage.snapshots leads from there to the version and to the response.
WITH {news},
{members}
SELECT n.news_id, n.seen_at, n.severity, n.inn, coalesce(c.short_name, c.name, m.name) AS name,
       coalesce(m.portfolios, []) AS portfolios, n.block, n.topic, n.fact_key, n.sentence_ru, n.sentence_en, n.changes,
       n.known_until, n.run_id, n.snapshot_id
FROM news n
LEFT JOIN current.company c ON c.inn = n.inn
LEFT JOIN members m ON m.inn = n.inn
