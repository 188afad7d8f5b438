-- Licences and memberships in self-regulatory organisations: one row per INN and licence. A licence of the card that a register has too is one row.
-- question it answers: Which licences does a counterparty hold, and until when?
-- depends on: inn
-- moves with requests: checked_at, collected_at, source_date by version_id
-- {inn_comments}
-- kind: licence or membership (in a self-regulatory organisation).
-- register: ROSZ_LS, ROSZ_NARK or ROSZ_MD (health regulator), MCHS (fire-safety regulator), or card.
-- number: Number of the licence.
-- issued_on: Date of issue, or of joining.
-- authority: Licensing authority, or the organisation joined.
-- authority_inn: INN of the organisation joined.
-- activity: Licensed activity.
-- status: Status in the register's words.
-- licensee_name: Licensee as in the register.
-- licensee_ogrn: Registration number of the licensee.
-- address: Address of the licensee.
-- work_address: Place of work.
-- order_number: Number of the order.
-- order_date: Date of the order as received.
-- details: Fields of the fire-safety register as received; they are not documented.
-- block: Block of the row: licenses or company.
-- {evidence_comments}
WITH {evidence},
known AS (FROM evidence WHERE block IN ('licenses', 'company')),
leaves AS (
    SELECT version_id, path, {leaf_element} AS element, {leaf_key} AS key,
           CASE WHEN type IN ('string', 'number', 'boolean') THEN nullif(value, '') END AS value
    FROM core.licenses__leaves
),
facts AS (
    SELECT version_id, 'licenses__health' AS list, health_no AS row_no, 'licence' AS kind, source AS register,
           license_number AS number, license_date AS issued_on, NULL AS authority, NULL AS authority_inn,
           activity_type AS activity, status, licensee_name, licensee_ogrn, address, work_address, order_number,
           order_date, NULL AS details
    FROM core.licenses__health
    UNION ALL BY NAME
    SELECT version_id, 'licenses__leaves' AS list, 'licence' AS kind, 'MCHS' AS register,
           min(value) FILTER (regexp_full_match(key, '(?i)(license_?)?number')) AS number,
           min({leaf_day}) FILTER (regexp_full_match(key, '(?i)(license_?|issue_?)?date')) AS issued_on,
           min(value) FILTER (regexp_full_match(key, '(?i)activity(_type)?')) AS activity,
           min(value) FILTER (regexp_full_match(key, '(?i)status')) AS status,
           string_agg(concat_ws(': ', nullif(key, ''), value), '; ' ORDER BY path) FILTER (value <> '') AS details
    FROM leaves WHERE element IS NOT NULL GROUP BY version_id, element
    UNION ALL BY NAME
    SELECT version_id, 'company__licenses' AS list, licenses_no AS row_no, 'licence' AS kind, 'card' AS register,
           number, date AS issued_on, authority, activity
    FROM core.company__licenses
    UNION ALL BY NAME
    SELECT version_id, 'company__sro' AS list, sro_no AS row_no, 'membership' AS kind, 'card' AS register,
           date AS issued_on, name AS authority, item_inn AS authority_inn
    FROM core.company__sro
),
listed AS (
    SELECT {inn_columns}, f.kind, f.register, f.number, f.issued_on, f.authority, f.authority_inn, f.activity, f.status,
           f.licensee_name, f.licensee_ogrn, f.address, f.work_address, f.order_number, f.order_date, f.details, k.block,
           {evidence_columns}
    {from_facts}
),
matched AS (
    SELECT *, bool_or(confirmed AND register = 'card') OVER same AS on_card, bool_and(register = 'card') OVER same AS only_on_card
    FROM listed WINDOW same AS (PARTITION BY inn, kind, number)
)
SELECT * EXCLUDE (on_card, only_on_card) REPLACE (confirmed OR number IS NOT NULL AND on_card AS confirmed) FROM matched
WHERE register <> 'card' OR number IS NULL OR only_on_card
