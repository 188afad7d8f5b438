-- Connections between INNs: one row per unordered pair, kind of connection and what connects them.
-- question it answers: Which counterparties are connected with one another, and by what?
-- depends on: inns
-- inn: One end: a known INN; the smaller one if both are known.
-- other_inn: The other end: a known INN, or one named in a response about the first.
-- kind: director, founder, beneficiary, linked company, founded company, address, phone or email.
-- via: What they share, or how one is related to the other, in words.
-- via_inn: INN of the person or company that connects them; NULL if there is none.
-- name: Name of the first end.
-- other_name: Name of the other end.
-- other_is_member: Whether the other end is a member of a portfolio.
-- shared: true if both share a third thing, false if one names the other.
-- matched_by: Basis of the match: inn, name (a full name, if the register withholds an INN: possibly a namesake) or value.
-- block: Block that contains it.
-- version_id: Version of the first end that contains it; if the other end names the first, the version of the other.
-- other_version_id: Version of the other end; NULL if only one end contains it.
-- checked_at: Older of the confirmation times of the two, UTC.
-- collected_at: When the service collected the older of the two, UTC.
-- confirmed: Whether the latest response of each block that it rests on is evidence and contains it; false if an earlier one does.
-- complete: Whether the lists of these blocks are complete; false if one is partial or capped: there may be more links.
WITH {requested_states},
{askable_inns},
known AS (
    SELECT inn, block, version_id, snapshot_id, checked_at, collected_at, complete, state IN {evidence_states} AS confirmed
    FROM requested_states WHERE version_id IS NOT NULL
),
names AS (
    SELECT s.inn, coalesce(c.short_name, c.name, m.name) AS name, coalesce(m.is_member, false) AS is_member
    FROM askable_inns s
    LEFT JOIN (SELECT k.inn, t.short_name, t.name FROM known k JOIN core.company t USING (version_id)
               WHERE k.block = 'company') c USING (inn)
    LEFT JOIN (SELECT inn, max_by(name, last_seen_at) AS name, bool_or(left_at IS NULL) AS is_member
               FROM lineage.portfolio_members GROUP BY inn) m USING (inn)
),
named AS (
    SELECT version_id, 'director' AS kind, item_inn, name, 'company__directors' AS list, directors_no AS row_no
    FROM core.company__directors
    UNION ALL SELECT version_id, 'founder', item_inn, name, 'company__founders', founders_no FROM core.company__founders
    UNION ALL SELECT version_id, 'founder', item_inn, name, 'company__founder_shares', founder_shares_no
    FROM core.company__founder_shares
    UNION ALL SELECT version_id, 'founder', item_inn, name, 'risk_flags__founder_shares', founder_shares_no
    FROM core.risk_flags__founder_shares
    UNION ALL SELECT version_id, 'beneficiary', item_inn, name, 'company__beneficiaries', beneficiaries_no
    FROM core.company__beneficiaries
),
kept AS (SELECT DISTINCT snapshot_id, table_name, coalesce(row_no, 0) AS row_no FROM lineage.kept_rows),
persons AS (
    SELECT k.inn, k.block, k.version_id, k.checked_at, k.collected_at, k.complete, n.item_inn,
           any_value(n.name) AS name,
           list_filter([CASE WHEN bool_or(n.kind = 'beneficiary') THEN 'beneficiary' END,
                        CASE WHEN bool_or(n.kind = 'director') THEN 'director' END,
                        CASE WHEN bool_or(n.kind = 'founder') THEN 'founder' END], lambda kind: kind IS NOT NULL) AS kinds,
           bool_or(k.confirmed AND r.snapshot_id IS NULL AND w.snapshot_id IS NULL) AS confirmed,
           CASE WHEN regexp_full_match(upper(trim(n.name)), '[А-ЯЁ-]+( +[А-ЯЁ-]+){2,3}')
                THEN regexp_replace(replace(upper(trim(n.name)), 'Ё', 'Е'), ' +', ' ', 'g') END AS name_key
    FROM known k JOIN named n USING (version_id)
    LEFT JOIN kept r ON r.snapshot_id = k.snapshot_id AND r.table_name = n.list AND r.row_no = n.row_no
    LEFT JOIN kept w ON w.snapshot_id = k.snapshot_id AND w.table_name = n.list AND w.row_no = 0
    WHERE n.item_inn IS NOT NULL OR n.name IS NOT NULL
    GROUP BY k.inn, k.block, k.version_id, k.checked_at, k.collected_at, k.complete, n.item_inn, name_key
),
written AS (
    SELECT version_id, 'address' AS kind, address AS value FROM core.company
    UNION ALL SELECT version_id, 'phone', phone FROM core.company
    UNION ALL SELECT version_id, 'phone', value FROM core.company__phones
    UNION ALL SELECT version_id, 'email', email FROM core.company
    UNION ALL SELECT version_id, 'email', value FROM core.company__emails
    UNION ALL SELECT version_id, 'phone', value FROM core.contacts__leaves
              WHERE type = 'string' AND regexp_matches(path, '(?i)phone') AND NOT regexp_matches(path, '(?i)source|seen')
    UNION ALL SELECT version_id, 'email', value FROM core.contacts__leaves
              WHERE type = 'string' AND contains(value, '@')
),
keyed AS (
    SELECT k.inn, k.block, k.version_id, k.checked_at, k.collected_at, k.confirmed, k.complete, w.kind, w.value,
           CASE w.kind
               WHEN 'phone' THEN regexp_extract(regexp_replace(w.value, '[^0-9]', '', 'g'), '^(?:7|8)?(\d{10})$', 1)
               WHEN 'email' THEN lower(trim(w.value))
               ELSE {address_key}
           END AS key
    FROM known k JOIN written w USING (version_id) WHERE w.value IS NOT NULL
),
values_found AS (
    SELECT inn, kind, key, any_value(value) AS value, arg_max(block, checked_at) AS block,
           arg_max(version_id, checked_at) AS version_id, max(checked_at) AS checked_at,
           max(collected_at) AS collected_at, bool_or(confirmed) AS confirmed, bool_and(complete) AS complete
    FROM keyed
    WHERE CASE kind WHEN 'phone' THEN length(key) = 10 AND NOT regexp_matches(key, '^(\d)?(0{9}|1{9}|9{9})$')
                    WHEN 'email' THEN regexp_full_match(key, '[^@\s]+@[^@\s]+\.[^@\s]+')
                    ELSE length(key) >= 10 AND regexp_matches(key, '\d') END
    GROUP BY inn, kind, key
),
telling AS (
    SELECT kind, key FROM values_found GROUP BY kind, key HAVING count(*) BETWEEN 2 AND {max_sharing_inns}
),
namesakes AS (
    SELECT name_key FROM persons WHERE name_key IS NOT NULL
    GROUP BY name_key HAVING count(DISTINCT inn) BETWEEN 2 AND {max_sharing_inns} AND count(*) FILTER (item_inn IS NULL) > 0
),
well_connected AS (
    SELECT item_inn FROM persons WHERE item_inn IS NOT NULL GROUP BY item_inn HAVING count(DISTINCT inn) >= 2
),
met AS (
    SELECT p.inn, q.inn AS other_inn, p.item_inn AS via_inn, p.name AS via, p.kinds, q.kinds AS other_kinds,
           'inn' AS matched_by, p.block, p.version_id, q.version_id AS other_version_id,
           least(p.checked_at, q.checked_at) AS checked_at, least(p.collected_at, q.collected_at) AS collected_at,
           p.confirmed AND q.confirmed AS confirmed, p.complete AND q.complete AS complete
    FROM persons p JOIN persons q ON q.item_inn = p.item_inn AND p.inn < q.inn
    SEMI JOIN well_connected w ON w.item_inn = p.item_inn
    UNION ALL
    SELECT p.inn, q.inn, coalesce(p.item_inn, q.item_inn), p.name, p.kinds, q.kinds, 'name', p.block, p.version_id,
           q.version_id, least(p.checked_at, q.checked_at), least(p.collected_at, q.collected_at),
           p.confirmed AND q.confirmed, p.complete AND q.complete
    FROM persons p JOIN persons q ON q.name_key = p.name_key AND p.inn < q.inn
    SEMI JOIN namesakes n ON n.name_key = p.name_key
    WHERE p.item_inn IS NULL OR q.item_inn IS NULL
),
edges AS (
    SELECT inn, other_inn, unnest(CASE
               WHEN list_has_any(kinds, other_kinds) THEN list_intersect(kinds, other_kinds)
               WHEN list_contains(kinds || other_kinds, 'director') THEN ['director']
               ELSE ['founder'] END) AS kind,
           concat(via, ': ', array_to_string(list_sort(kinds), ' and '), ' of ', inn, ', ',
                  array_to_string(list_sort(other_kinds), ' and '), ' of ', other_inn) AS via,
           via_inn, NULL AS other_name, true AS shared, matched_by, block, version_id, other_version_id,
           checked_at, collected_at, confirmed, complete
    FROM met
    UNION ALL
    SELECT p.inn, q.inn, p.kind, p.value, NULL, NULL, true, 'value', p.block, p.version_id, q.version_id,
           least(p.checked_at, q.checked_at), least(p.collected_at, q.collected_at), p.confirmed AND q.confirmed,
           p.complete AND q.complete
    FROM values_found p JOIN values_found q ON q.kind = p.kind AND q.key = p.key AND p.inn < q.inn
    SEMI JOIN telling t ON t.kind = p.kind AND t.key = p.key
    UNION ALL
    SELECT inn, item_inn, unnest(kinds), concat(name, ' is ', array_to_string(list_sort(kinds), ' and '), ' of ', inn),
           NULL, name, false, 'inn', block, version_id, NULL, checked_at, collected_at, confirmed, complete
    FROM persons WHERE item_inn <> inn
    UNION ALL
    SELECT k.inn, l.item_inn, 'linked company', concat_ws(': ', l.via_name, l.role), l.via_inn, l.name, false, 'inn',
           k.block, k.version_id, NULL, k.checked_at, k.collected_at,
           k.confirmed AND r.snapshot_id IS NULL AND w.snapshot_id IS NULL, k.complete
    FROM known k JOIN core.risk_flags__linked_companies l USING (version_id)
    LEFT JOIN kept r ON r.snapshot_id = k.snapshot_id AND r.table_name = 'risk_flags__linked_companies'
         AND r.row_no = l.linked_companies_no
    LEFT JOIN kept w ON w.snapshot_id = k.snapshot_id AND w.table_name = 'risk_flags__linked_companies' AND w.row_no = 0
    WHERE k.block = 'risk_flags' AND l.item_inn <> k.inn
    UNION ALL
    SELECT k.inn, f.item_inn, 'founded company', concat(k.inn, ': ', f.role), NULL, f.name, false, 'inn', k.block,
           k.version_id, NULL, k.checked_at, k.collected_at, k.confirmed AND r.snapshot_id IS NULL, k.complete
    FROM known k JOIN core.founded_companies__items f USING (version_id)
    LEFT JOIN kept r ON r.snapshot_id = k.snapshot_id AND r.table_name = 'founded_companies__items'
         AND r.row_no = f.items_no
    WHERE k.block = 'founded_companies' AND f.item_inn <> k.inn
),
turned AS (
    SELECT CASE WHEN swapped THEN e.other_inn ELSE e.inn END AS inn,
           CASE WHEN swapped THEN e.inn ELSE e.other_inn END AS other_inn,
           e.kind, e.via, e.via_inn, e.shared, e.matched_by, e.block, e.checked_at, e.collected_at, e.confirmed, e.complete,
           CASE WHEN swapped THEN NULL ELSE e.other_name END AS other_name,
           CASE WHEN swapped THEN e.other_version_id ELSE e.version_id END AS version_id,
           CASE WHEN swapped THEN e.version_id ELSE e.other_version_id END AS other_version_id
    FROM (SELECT e.*, o.inn IS NOT NULL AND e.other_inn < e.inn AS swapped
          FROM edges e LEFT JOIN names o ON o.inn = e.other_inn) e
),
worded AS MATERIALIZED (
    SELECT inn, other_inn, kind, via, via_inn, any_value(other_name) AS other_name, shared, matched_by,
           min(block) AS block, max(version_id) AS version_id, max(other_version_id) AS other_version_id,
           min(checked_at) AS checked_at, min(collected_at) AS collected_at, bool_or(confirmed) AS confirmed,
           bool_and(complete) AS complete
    FROM turned GROUP BY inn, other_inn, kind, via, via_inn, shared, matched_by
),
repeated AS (
    SELECT inn, other_inn, kind, via_inn, shared, matched_by FROM worded WHERE via_inn IS NOT NULL
    GROUP BY inn, other_inn, kind, via_inn, shared, matched_by HAVING count(*) > 1
),
-- Lists take much memory, so they are made only where a link is worded in several ways.
merged AS (
    FROM worded ANTI JOIN repeated USING (inn, other_inn, kind, via_inn, shared, matched_by)
    UNION ALL BY NAME
    SELECT inn, other_inn, kind, array_to_string(list_sort(list(via)), '; ') AS via, via_inn,
           any_value(other_name) AS other_name, shared, matched_by, min(block) AS block, max(version_id) AS version_id,
           max(other_version_id) AS other_version_id, min(checked_at) AS checked_at, min(collected_at) AS collected_at,
           bool_or(confirmed) AS confirmed, bool_and(complete) AS complete
    FROM worded SEMI JOIN repeated USING (inn, other_inn, kind, via_inn, shared, matched_by)
    GROUP BY inn, other_inn, kind, via_inn, shared, matched_by
)
SELECT m.inn, m.other_inn, m.kind, m.via, m.via_inn, a.name, coalesce(b.name, m.other_name) AS other_name,
       coalesce(b.is_member, false) AS other_is_member, m.shared, m.matched_by, m.block, m.version_id, m.other_version_id,
       m.checked_at, m.collected_at, m.confirmed, m.complete
FROM merged m LEFT JOIN names a ON a.inn = m.inn LEFT JOIN names b ON b.inn = m.other_inn
