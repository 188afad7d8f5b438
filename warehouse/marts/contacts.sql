-- Contacts: one row per INN, kind and value. The fields of the block contacts are not documented; they are read where their names and places are regular.
-- question it answers: How can a counterparty be reached?
-- depends on: inn
-- moves with requests: checked_at, collected_at, source_date by version_id
-- {inn_comments}
-- kind: phone, email, website, address or social page.
-- value: Phone, address and so on as received.
-- source: Source of the value in the service's words; NULL if only the card has it.
-- first_confirmed_on: Day of the first confirmation by the source; NULL if not given.
-- last_confirmed_on: Day of the last confirmation by the source; NULL if not given.
-- block: Block of the row: contacts or company; of both, contacts.
-- {evidence_comments}
WITH {evidence},
known AS (FROM evidence WHERE block IN ('contacts', 'company')),
leaves AS (
    SELECT version_id, {leaf_element} AS element, lower({leaf_key}) AS key, value
    FROM core.contacts__leaves WHERE value <> '' AND type IN ('string', 'number')
),
book AS (
    SELECT version_id, concat_ws(' ', element, min(value) FILTER (key IN ('type', 'kind'))) AS place,
           min_by(value, key) FILTER (key = '' OR regexp_full_match(key, 'value|phone|number|e_?mail|site|website|url|address'))
               AS value,
           min_by(value, key) FILTER (regexp_matches(key, 'source')) AS source,
           min({leaf_day}) FILTER (regexp_matches(key, 'first')) AS first_confirmed_on,
           max({leaf_day}) FILTER (regexp_matches(key, 'last')) AS last_confirmed_on
    FROM leaves WHERE element IS NOT NULL GROUP BY version_id, element
),
facts AS (
    SELECT version_id, 'contacts__leaves' AS list, NULL::BIGINT AS row_no,
           CASE WHEN regexp_matches(place, '(?i)social|telegram|\bvk') THEN 'social page'
                WHEN regexp_matches(place, '(?i)phone') THEN 'phone' WHEN regexp_matches(place, '(?i)mail') THEN 'email'
                WHEN regexp_matches(place, '(?i)site|url') THEN 'website'
                WHEN regexp_matches(place, '(?i)address') THEN 'address' END AS kind,
           value, source, first_confirmed_on, last_confirmed_on
    FROM book WHERE value IS NOT NULL
    UNION ALL BY NAME
    SELECT version_id, 'company' AS list, unnest([
               {'kind': 'phone', 'value': phone}, {'kind': 'email', 'value': email}, {'kind': 'website', 'value': website},
               {'kind': 'social page', 'value': vk_url}, {'kind': 'social page', 'value': ok_url},
               {'kind': 'social page', 'value': tg_url}, {'kind': 'social page', 'value': ig_url},
               {'kind': 'address', 'value': address}], recursive := true)
    FROM core.company
    UNION ALL BY NAME
    SELECT version_id, 'company__phones' AS list, phones_no AS row_no, 'phone' AS kind, value FROM core.company__phones
    UNION ALL BY NAME
    SELECT version_id, 'company__emails' AS list, emails_no AS row_no, 'email' AS kind, value FROM core.company__emails
    UNION ALL BY NAME
    SELECT version_id, 'company__websites' AS list, websites_no AS row_no, 'website' AS kind, value
    FROM core.company__websites
    UNION ALL BY NAME
    SELECT version_id, 'company__social_profiles' AS list, 'social page' AS kind, url AS value
    FROM core.company__social_profiles
),
listed AS (
    SELECT {inn_columns}, f.kind, f.value, f.source, f.first_confirmed_on, f.last_confirmed_on, k.block, {evidence_columns},
           CASE f.kind WHEN 'phone' THEN right(regexp_replace(f.value, '[^0-9]', '', 'g'), 10)
                       ELSE rtrim(lower(trim(f.value)), '/') END AS key
    {from_facts}
    WHERE f.kind IS NOT NULL AND f.value IS NOT NULL
)
SELECT * EXCLUDE (key) REPLACE (bool_or(confirmed) OVER same AS confirmed) FROM listed
WINDOW same AS (PARTITION BY inn, kind, key)
QUALIFY row_number() OVER (same ORDER BY block = 'contacts' DESC, confirmed DESC, last_confirmed_on DESC NULLS LAST, value) = 1
