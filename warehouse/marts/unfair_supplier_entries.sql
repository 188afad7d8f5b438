-- Entries in the register of unfair suppliers under laws 44 and 223 and decree 615: one row per INN and entry.
-- question it answers: Who is or was in the register of unfair suppliers, and why?
-- depends on: inn
-- moves with requests: checked_at, collected_at, source_date by version_id
-- {inn_comments}
-- reg_number: Number of the entry; begins with a Cyrillic Р, except under law 44.
-- law: Legal ground: FZ44, FZ223 or PP615.
-- active: Whether the entry is in force; false: excluded.
-- status: Status in the register's words.
-- included_on: Date of inclusion.
-- exclusion_planned_on: Date for which exclusion is planned; usually not given.
-- reason: Reason of the inclusion, up to 300 characters.
-- authority: Authority that included it.
-- decision_number: Number of the decision; not always given.
-- decided_on: Date of the decision; not always given.
-- supplier_name: Supplier as in the register.
-- supplier_inn: INN on the card of the entry; not given under law 223, though the search is by INN.
-- url: Link to the card of the entry.
-- {evidence_comments}
WITH {evidence},
known AS (FROM evidence WHERE block = 'rnp'),
facts AS (SELECT *, 'rnp__records' AS list, records_no AS row_no FROM core.rnp__records)
SELECT {inn_columns}, f.reg_number, f.law, NOT contains(lower(coalesce(f.status, '')), 'исключ') AS active, f.status,
       f.inclusion_date AS included_on, f.exclusion_date AS exclusion_planned_on, f.reason, f.fas_authority AS authority,
       f.decision_number, f.decision_date AS decided_on, f.supplier_name, f.supplier_inn, f.detail_url AS url,
       {evidence_columns}
{from_facts}
