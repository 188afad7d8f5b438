-- Leasing contracts: one row per INN and contract.
-- question it answers: What does a counterparty lease or let on lease, from and to whom?
-- depends on: inn
-- moves with requests: checked_at, collected_at, source_date by version_id
-- {inn_comments}
-- subject: What is leased.
-- lessor: Who leases it out.
-- signed_on: Date of the contract.
-- amount_rub: Amount of the contract.
-- status: Status in the source's words.
-- {evidence_comments}
WITH {evidence},
known AS (FROM evidence WHERE block = 'leasing'),
facts AS (SELECT *, 'leasing__contracts' AS list, contracts_no AS row_no FROM core.leasing__contracts)
SELECT {inn_columns}, f.subject, f.lessor, f.date AS signed_on, f.amount AS amount_rub, f.status, {evidence_columns}
{from_facts}
