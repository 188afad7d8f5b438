-- Companies that an INN founded or manages, and companies linked to it through its people: one row per INN, related company, role and block. mart.links has the same as edges between INNs.
-- question it answers: Which companies belong to a counterparty or to its people?
-- depends on: inn
-- moves with requests: checked_at, collected_at, source_date by version_id
-- {inn_comments}
-- related_inn: INN of the related company.
-- related_ogrn: Registration number of the related company.
-- related_name: Name of the related company.
-- relation: founded (by the INN, or managed by it) or linked (through a person).
-- role: Role in the source's words: of the INN in the founded company, of the person in the linked one.
-- status: Status of the related company in the source's words.
-- historic: Whether the linked company is liquidated or inactive; NULL of a founded one.
-- via_name: Person or company through whom it is linked.
-- via_inn: INN of that person or company.
-- link_facts: Number of separate facts that link them; NULL of a founded one.
-- link_roles: Roles of these facts.
-- source: Source of the relation.
-- block: Block of the row: founded_companies or risk_flags.
-- {evidence_comments}
WITH {evidence},
known AS (FROM evidence WHERE block IN ('founded_companies', 'risk_flags')),
link_facts AS (
    SELECT version_id, linked_companies_no, count(*) AS link_facts,
           array_to_string(list_sort(list_distinct(list(role))), '; ') AS roles
    FROM core.risk_flags__linked_companies__connections SEMI JOIN known USING (version_id)
    GROUP BY version_id, linked_companies_no
),
facts AS (
    SELECT version_id, 'founded_companies__items' AS list, items_no AS row_no, item_inn AS related_inn, ogrn, name,
           'founded' AS relation, role, status, NULL::BOOLEAN AS historic, NULL AS via_name, NULL AS via_inn,
           NULL::BIGINT AS link_facts, NULL AS link_roles, source
    FROM core.founded_companies__items
    UNION ALL BY NAME
    SELECT c.version_id, 'risk_flags__linked_companies' AS list, c.linked_companies_no AS row_no, c.item_inn AS related_inn,
           c.ogrn, c.name, 'linked' AS relation, c.role, c.status, c.historic, c.via_name, c.via_inn,
           coalesce(l.link_facts, 0) AS link_facts, l.roles AS link_roles, c.source
    FROM core.risk_flags__linked_companies c
    LEFT JOIN link_facts l ON l.version_id = c.version_id AND l.linked_companies_no = c.linked_companies_no
)
SELECT {inn_columns}, f.related_inn, f.ogrn AS related_ogrn, f.name AS related_name, f.relation, f.role, f.status, f.historic,
       f.via_name, f.via_inn, f.link_facts, f.link_roles, f.source, k.block, {evidence_columns}
{from_facts}
