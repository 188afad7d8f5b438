-- Entries in the register of foreign agents: one row per INN and entry. Fields of an entry are not documented; the search is by name.
-- question it answers: Who may be in the register of foreign agents?
-- depends on: inn
-- moves with requests: checked_at, collected_at, source_date by version_id
-- {inn_comments}
-- searched_name: Name searched for.
-- listed_name: Name in the entry; NULL if no field is named so.
-- included_on: Date of inclusion; NULL if no field is named so.
-- excluded_on: Date of exclusion; NULL if no field is named so.
-- details: Fields of the entry as received.
-- {evidence_comments}
WITH {evidence},
known AS (FROM evidence WHERE block = 'minjust_check'),
leaves AS (
    SELECT version_id, path, {leaf_element} AS element, lower({leaf_key}) AS key,
           CASE WHEN type IN ('string', 'number', 'boolean') THEN nullif(value, '') END AS value
    FROM core.minjust_check__leaves
),
facts AS (
    SELECT l.version_id, 'minjust_check__leaves' AS list, NULL::BIGINT AS row_no, any_value(m.name) AS searched_name,
           min_by(value, key) FILTER (regexp_matches(key, 'name|^fio$')) AS listed_name,
           min({leaf_day}) FILTER (regexp_matches(key, 'date|inclu') AND NOT regexp_matches(key, 'exclu|end')) AS included_on,
           min({leaf_day}) FILTER (regexp_matches(key, 'exclu|end')) AS excluded_on,
           string_agg(concat_ws(': ', nullif(key, ''), value), '; ' ORDER BY path) FILTER (value <> '') AS details
    FROM leaves l JOIN core.minjust_check m USING (version_id) WHERE element IS NOT NULL GROUP BY l.version_id, element
)
SELECT {inn_columns}, f.searched_name, f.listed_name, f.included_on, f.excluded_on, f.details, {evidence_columns}
{from_facts}
