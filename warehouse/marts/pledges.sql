-- Notices of pledge of movable property and of leasing: one row per INN and notice.
-- question it answers: What of a counterparty's property is pledged, to whom?
-- depends on: inn
-- moves with requests: checked_at, collected_at, source_date by version_id
-- {inn_comments}
-- notice_number: Number of the notice.
-- registered_on: Date of registration.
-- register: notary (pledges) or fedresurs (leasing).
-- kind: pledge or leasing, by the register.
-- pledgor_role: Role word of the debtor's side; the register discloses no names. Only of leasing notices.
-- pledgee_role: Role word of the creditor's side. Only of leasing notices.
-- properties: Number of pledged or leased items.
-- property: Descriptions of the items.
-- vins: Vehicle identification numbers in the descriptions; NULL if there is none.
-- {evidence_comments}
WITH {evidence},
known AS (FROM evidence WHERE block = 'pledges'),
items AS (
    -- Lists: an aggregate with an order of its own takes twice as long.
    SELECT version_id, pledges_no, count(*) AS properties,
           array_to_string(list_select(list(description) FILTER (description IS NOT NULL),
                                       list_grade_up(list(properties_no) FILTER (description IS NOT NULL))), '; ') AS property
    FROM core.pledges__pledges__properties SEMI JOIN known USING (version_id) GROUP BY version_id, pledges_no
),
vehicles AS (
    SELECT version_id, pledges_no, properties, property,
           upper(array_to_string(regexp_extract_all(property, '(?i)\b[A-HJ-NPR-Z0-9]{17}\b'), ' ')) AS numbers
    FROM items
),
pledgors AS (
    SELECT version_id, pledges_no, array_to_string(list_sort(list_distinct(list(name))), '; ') AS role
    FROM core.pledges__pledges__pledgors GROUP BY version_id, pledges_no
),
pledgees AS (
    SELECT version_id, pledges_no, array_to_string(list_sort(list_distinct(list(name))), '; ') AS role
    FROM core.pledges__pledges__pledgees GROUP BY version_id, pledges_no
),
facts AS (
    SELECT p.*, 'pledges__pledges' AS list, p.pledges_no AS row_no, r.role AS pledgor_role, e.role AS pledgee_role,
           coalesce(i.properties, 0) AS properties, i.property,
           nullif(array_to_string(list_sort(list_distinct(string_split(i.numbers, ' '))), ' '), '') AS vins
    FROM core.pledges__pledges p
    LEFT JOIN vehicles i ON i.version_id = p.version_id AND i.pledges_no = p.pledges_no
    LEFT JOIN pledgors r ON r.version_id = p.version_id AND r.pledges_no = p.pledges_no
    LEFT JOIN pledgees e ON e.version_id = p.version_id AND e.pledges_no = p.pledges_no
)
SELECT {inn_columns}, f.id AS notice_number, f.reg_date AS registered_on, f.source AS register,
       CASE f.source WHEN 'notary' THEN 'pledge' WHEN 'fedresurs' THEN 'leasing' END AS kind, f.pledgor_role,
       f.pledgee_role, f.properties, f.property, f.vins, {evidence_columns}
{from_facts}
