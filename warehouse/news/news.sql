-- News of the INNs whose changes are read, without what a name or a portfolio decides.
WITH {news_changes},
{news_templates},
events AS (
    SELECT inn, seen_at, news_id, any_value(run_id) AS run_id, any_value(snapshot_id) AS snapshot_id,
           any_value(block) AS block, any_value(topic) AS topic, any_value(fact_key) AS fact_key,
           count(*) AS changes, arg_max(severity, {severity_rank}) AS severity, bool_and(is_figure) AS only_figures,
           bool_and(change = 'removed' OR change = 'changed' AND new_value IS NULL) FILTER (NOT is_figure) AS is_less,
           string_split(regexp_replace(any_value(fact_key), ' #\d+$', ''), '{key_separator}') AS fact_parts
    FROM news_changes GROUP BY inn, seen_at, news_id
),
evidence AS (
    SELECT DISTINCT inn, block, asked_at FROM lineage.snapshots SEMI JOIN events USING (inn) WHERE version_id IS NOT NULL
),
-- One row per added or removed row, or row with changed cells; its values as JSON.
changed_rows AS (
    SELECT inn, seen_at, news_id, snapshot_id, topic, table_name, row_key, change,
           CASE change WHEN 'added' THEN any_value(new_value) WHEN 'removed' THEN any_value(old_value)
                ELSE {new_cells} END AS now_row,
           CASE change WHEN 'changed' THEN {old_cells} END AS old_row,
           string_split(regexp_replace(CASE WHEN any_value(levels) > 1 THEN string_split(row_key, '{level_separator}')[-1]
                                            ELSE row_key END, ' #\d+$', ''), '{key_separator}') AS key_parts
    FROM news_changes GROUP BY inn, seen_at, news_id, snapshot_id, topic, table_name, row_key, change
),
matches AS (
    SELECT u.*, e.fact_parts, t.* EXCLUDE (topic, table_name, change, conditions)
    FROM changed_rows u
    JOIN events e ON e.inn = u.inn AND e.seen_at = u.seen_at AND e.news_id = u.news_id
    JOIN news_templates t ON t.topic = u.topic AND t.table_name IN ('', u.table_name)
        AND t.change IN ('', CASE WHEN e.only_figures AND t.is_head THEN '{figures}' ELSE u.change END)
        AND NOT (e.only_figures AND NOT t.is_head) AND {conditions_hold}
),
used AS (
    SELECT * FROM matches WHERE NOT is_head
    UNION ALL
    SELECT * FROM matches WHERE is_head
    QUALIFY row_number() OVER (PARTITION BY news_id ORDER BY priority, table_name, row_key) = 1
),
people AS (
    SELECT inn, item_inn, max(name) AS name FROM ({person_names}) SEMI JOIN events USING (inn) GROUP BY inn, item_inn
),
earlier_amounts AS (
    SELECT s.snapshot_id, i.year + 1 AS year, i.indicator, i.amount
    FROM core.financial__indicators i JOIN lineage.snapshots s ON s.version_id = i.version_id AND s.inn = i.inn
    SEMI JOIN events e ON e.snapshot_id = s.snapshot_id
    WHERE i.indicator IN ('revenue', 'net_profit') AND i.amount > 0
),
cells AS (
    SELECT u.inn, u.seen_at, u.news_id, u.table_name, u.row_key, u.change, u.template, p.language, p.phrase, p.position,
           p.before, p.after, p.missing, p.side, p.style,
           CASE WHEN p.side LIKE 'moved%' THEN json_exists(u.now_row, {path}) ELSE true END AS has_moved,
           CASE p.side WHEN 'text' THEN '' WHEN 'fact' THEN nullif(u.fact_parts[p.part], '')
                WHEN 'moved' THEN nullif(json_extract_string(u.old_row, {path}), '')
                WHEN 'moved_to' THEN nullif(json_extract_string(u.now_row, {path}), '')
                WHEN 'old' THEN nullif(json_extract_string(CASE u.change WHEN 'changed' THEN u.old_row ELSE u.now_row END, {path}), '')
                ELSE {now_cell} END AS raw,
           p.words,
           CASE p.style WHEN 'growth' THEN json_extract_string(u.now_row, '$.amount') END AS amount,
           CASE p.style WHEN 'growth' THEN u.key_parts[1] END AS year,
           CASE p.style WHEN 'growth' THEN u.key_parts[2] END AS indicator,
           u.snapshot_id
    FROM used u JOIN news_pieces p ON p.template = u.template
),
texts AS (
    SELECT c.*, CASE WHEN w.value IS NOT NULL THEN CASE c.language WHEN 'ru' THEN w.ru ELSE w.en END
                     WHEN c.side = 'text' THEN ''
                     WHEN c.style = 'person' THEN coalesce(n.name, c.raw)
                     ELSE {notation} END AS text
    FROM (
        SELECT c.* REPLACE (CASE WHEN c.style = 'growth' THEN ((c.amount::DOUBLE - a.amount) / a.amount)::VARCHAR
                                 ELSE c.raw END AS raw)
        FROM cells c
        LEFT JOIN earlier_amounts a ON c.style = 'growth' AND a.snapshot_id = c.snapshot_id
            AND a.year::VARCHAR = c.year AND a.indicator = c.indicator
    ) c
    LEFT JOIN news_words w ON w.words = c.words AND w.value = c.raw
    LEFT JOIN people n ON n.inn = c.inn AND n.item_inn = CASE c.style WHEN 'person' THEN c.raw END
),
phrases AS (
    SELECT inn, seen_at, news_id, table_name, row_key, change, template, language, phrase,
           CASE WHEN bool_and(has_moved) AND bool_and(text IS NOT NULL OR missing IS NOT NULL)
                     AND bool_or(text IS NOT NULL)
                THEN array_to_string(list_transform(
                    -- Sorting lists takes a third of the time that an aggregate in order takes.
                    list_sort(list({'position': position, 'piece': coalesce(before || text || after, missing)})),
                    lambda p: p.piece), '') END AS phrase_text
    FROM texts GROUP BY inn, seen_at, news_id, table_name, row_key, change, template, language, phrase
),
sentences AS (
    SELECT inn, seen_at, news_id, table_name, row_key, change, template, language,
           nullif(trim(array_to_string(list_transform(
               list_sort(list({'phrase': phrase, 'text': phrase_text})), lambda p: p.text), '')), '') AS text
    FROM phrases GROUP BY inn, seen_at, news_id, table_name, row_key, change, template, language
),
placed AS (
    SELECT s.*, u.is_head, u.priority, u.instead, u.other_ru, u.other_en, u.fewer_ru, u.fewer_en,
           json_extract_string(u.now_row, {first_path}) AS first_value
    FROM sentences s JOIN used u ON u.news_id = s.news_id AND u.table_name = s.table_name AND u.row_key = s.row_key
        AND u.change = s.change AND u.template = s.template
    WHERE s.text IS NOT NULL
),
lines AS (
    SELECT inn, seen_at, news_id, language, regexp_replace(text, '^, ', '') AS text, bool_and(instead) AS instead,
           min(priority) AS priority, max(try_cast(first_value AS DOUBLE)) AS first_number, max(first_value) AS first_text
    FROM placed WHERE NOT is_head GROUP BY inn, seen_at, news_id, language, text
),
numbered_lines AS (
    SELECT *, row_number() OVER (PARTITION BY news_id, language
                                 ORDER BY priority, first_number DESC NULLS LAST, first_text DESC NULLS LAST, text) AS number
    FROM (FROM lines QUALIFY instead = bool_and(instead) OVER (PARTITION BY news_id, language))
),
details AS (
    SELECT inn, seen_at, news_id, language,
           string_agg(text, '; ' ORDER BY number) FILTER (number <= {max_lines})
               || CASE WHEN count(*) > {max_lines} THEN CASE language WHEN 'ru' THEN ' и ещё ' ELSE '; more: ' END
                            || (count(*) - {max_lines}) ELSE '' END AS details
    FROM numbered_lines GROUP BY inn, seen_at, news_id, language
),
whole AS (
    SELECT h.inn, h.seen_at, h.news_id, h.language, h.text || coalesce(
               CASE WHEN contains(h.text, ': ') THEN '; ' ELSE ': ' END || coalesce(d.details,
                   CASE WHEN e.is_less THEN CASE h.language WHEN 'ru' THEN h.fewer_ru ELSE h.fewer_en END
                        ELSE CASE h.language WHEN 'ru' THEN h.other_ru ELSE h.other_en END END), '') AS sentence
    FROM placed h
    JOIN events e ON e.inn = h.inn AND e.seen_at = h.seen_at AND e.news_id = h.news_id
    LEFT JOIN details d ON d.inn = h.inn AND d.seen_at = h.seen_at AND d.news_id = h.news_id AND d.language = h.language
    WHERE h.is_head
),
by_language AS (
    SELECT inn, seen_at, news_id, any_value(sentence) FILTER (language = 'ru') AS ru,
           any_value(sentence) FILTER (language = 'en') AS en
    FROM whole GROUP BY inn, seen_at, news_id
)
SELECT e.news_id, e.seen_at, e.severity, e.inn, e.block, e.topic, e.fact_key,
       coalesce(upper(s.ru[1]) || s.ru[2:], {title_ru} || ': изменились сведения') AS sentence_ru,
       coalesce(upper(s.en[1]) || s.en[2:], {title_en} || ': data changed') AS sentence_en,
       e.changes, v.asked_at AS known_until, e.run_id, e.snapshot_id
FROM events e
LEFT JOIN by_language s ON s.inn = e.inn AND s.seen_at = e.seen_at AND s.news_id = e.news_id
ASOF LEFT JOIN evidence v ON v.inn = e.inn AND v.block = e.block AND e.seen_at > v.asked_at
