-- Events of an INN in one line of time: one row per event of the registers, publication of the bankruptcy register, or dated entry of the card. A publication that several blocks have is one row.
-- question it answers: What happened to a counterparty, in order of time?
-- depends on: inn
-- moves with requests: checked_at, collected_at, source_date by version_id
-- {inn_comments}
-- happened_on: Day of the event, of a publication in Moscow; NULL if the source gives none.
-- happened_at: Time of a publication, UTC; NULL if only the day is known.
-- kind: registration, status_change, termination, bankruptcy (a publication), address, former name, share entered or news.
-- event: The event in the source's words: the kind of publication, the status, the address, the former name, the participant, the reason; of a termination without a reason its kind: voluntary, bankruptcy, forced, death or unknown.
-- text: Text of a publication.
-- number: Number of a publication, or the registration number of a sole proprietor.
-- publisher: Who published it.
-- source: efrsb (bankruptcy register), register (of companies and sole proprietors) or media.
-- block: Block of the row.
-- {evidence_comments}
WITH {evidence},
known AS (FROM evidence WHERE block IN ('timeline', 'risk_flags', 'company')),
-- Fields of these leaves are not documented: a day, a title and a number are read where their names say so.
leaves AS (
    SELECT version_id, {leaf_element} AS element, {leaf_key} AS key, value
    FROM core.company__leaves WHERE value <> '' AND type IN ('string', 'number')
),
card_entries AS (
    SELECT version_id, element, min({leaf_day}) FILTER (regexp_matches(key, '(?i)date|published')) AS happened_on,
           min_by(value, key) FILTER (regexp_full_match(key, '(?i)(event|type|title|name)')) AS event,
           min_by(value, key) FILTER (regexp_full_match(key, '(?i)(text|message|description|)')) AS text,
           min_by(value, key) FILTER (regexp_full_match(key, '(?i)(number|id)')) AS number,
           min_by(value, key) FILTER (regexp_matches(key, '(?i)publisher')) AS publisher
    FROM leaves WHERE element IS NOT NULL GROUP BY version_id, element
),
capped_versions AS (
    SELECT version_id FROM core.risk_flags__efrsb_messages GROUP BY version_id HAVING count(*) >= {max_efrsb_messages}
),
facts AS (
    SELECT version_id, 'timeline__events' AS list, events_no AS row_no, date AS happened_on, NULL::TIMESTAMP AS happened_at,
           coalesce(type, 'status_change') AS kind, event, NULL AS text, NULL AS number, NULL AS publisher,
           CASE WHEN type = 'bankruptcy' THEN coalesce(source, 'efrsb') ELSE coalesce(source, 'register') END AS source,
           false AS capped
    FROM core.timeline__events
    UNION ALL BY NAME
    SELECT version_id, 'risk_flags__efrsb_messages' AS list, efrsb_messages_no AS row_no,
           {message_day} AS happened_on, date AS happened_at, 'bankruptcy' AS kind, type AS event, text,
           number, publisher, 'efrsb' AS source, version_id IN (FROM capped_versions) AS capped
    FROM core.risk_flags__efrsb_messages
    UNION ALL BY NAME
    -- Only of publications an empty list proves nothing: they are confirmed by themselves, the rest with the card.
    SELECT version_id, CASE WHEN element LIKE '$.efrsb%' THEN 'company__leaves' ELSE 'company' END AS list, happened_on,
           CASE WHEN element LIKE '$.efrsb%' THEN 'bankruptcy' WHEN element LIKE '$.news%' THEN 'news'
                ELSE 'status_change' END AS kind,
           event, text, number, publisher,
           CASE WHEN element LIKE '$.efrsb%' THEN 'efrsb' WHEN element LIKE '$.news%' THEN 'media' ELSE 'register' END AS source
    FROM card_entries
    UNION ALL BY NAME
    SELECT version_id, 'company' AS list, registration_date AS happened_on, 'registration' AS kind, 'register' AS source
    FROM core.company WHERE registration_date IS NOT NULL
    UNION ALL BY NAME
    SELECT version_id, 'company' AS list, liquidation_date AS happened_on, 'termination' AS kind,
           coalesce(termination_reason, termination_kind) AS event, 'register' AS source
    FROM core.company WHERE liquidation_date IS NOT NULL
    UNION ALL BY NAME
    SELECT version_id, 'company__ip_records' AS list, ip_records_no AS row_no, registration_date AS happened_on,
           'registration' AS kind, name AS event, ogrnip AS number, 'register' AS source
    FROM core.company__ip_records
    UNION ALL BY NAME
    SELECT version_id, 'company__ip_records' AS list, ip_records_no AS row_no, termination_date AS happened_on,
           'termination' AS kind, coalesce(termination_reason, termination_kind) AS event,
           ogrnip AS number, 'register' AS source
    FROM core.company__ip_records WHERE termination_date IS NOT NULL
    UNION ALL BY NAME
    SELECT version_id, 'company__address_history' AS list, address_history_no AS row_no, date AS happened_on,
           'address' AS kind, address AS event, 'register' AS source
    FROM core.company__address_history
    UNION ALL BY NAME
    SELECT version_id, 'company__previous_names' AS list, previous_names_no AS row_no, 'former name' AS kind,
           value AS event, 'register' AS source
    FROM core.company__previous_names
    UNION ALL BY NAME
    SELECT version_id, 'company__founder_shares' AS list, founder_shares_no AS row_no, date AS happened_on,
           'share entered' AS kind, name AS event, 'register' AS source
    FROM core.company__founder_shares WHERE date IS NOT NULL
),
dated AS (
    SELECT {inn_columns}, f.happened_on, f.happened_at, f.kind, f.event, f.text, f.number, f.publisher, f.source, k.block,
           {evidence_columns}, coalesce(f.capped, false) AS capped,
           CASE f.list WHEN 'risk_flags__efrsb_messages' THEN 3 WHEN 'company__leaves' THEN 2 WHEN 'company__ip_records' THEN 2
                       WHEN 'timeline__events' THEN 1 ELSE 0 END AS detail,
           CASE WHEN f.kind IN ('registration', 'termination') THEN '' ELSE lower(trim(coalesce(f.event, ''))) END AS title
    {from_facts}
),
-- An event of several blocks is shown by the one with most detail, and confirmed by any. Few events have more than one row.
repeated AS (
    SELECT inn, kind, happened_on, title, max(detail) AS most_detail, bool_or(confirmed AND detail < 3) AS also_confirmed
    FROM dated GROUP BY inn, kind, happened_on, title HAVING count(*) > 1
)
SELECT d.inn, d.name, d.happened_on, d.happened_at, d.kind, d.event, d.text, d.number, d.publisher, d.source, d.block,
       d.version_id, d.checked_at, d.collected_at, d.source_date,
       d.confirmed OR coalesce(r.also_confirmed, false) AS confirmed, d.complete AND NOT d.capped AS complete
FROM dated d
LEFT JOIN repeated r ON r.inn = d.inn AND r.kind = d.kind AND r.happened_on IS NOT DISTINCT FROM d.happened_on
     AND r.title = d.title
WHERE r.inn IS NULL OR d.detail = r.most_detail OR d.happened_on IS NULL
      OR d.kind NOT IN ('registration', 'termination', 'bankruptcy')
