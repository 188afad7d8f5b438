-- Decisions to suspend operations on bank accounts that are in force: one row per INN, decision and bank.
-- question it answers: Whose bank accounts are suspended, where and since when?
-- depends on: inn
-- moves with requests: checked_at, collected_at, source_date by version_id
-- {inn_comments}
-- decision_number: Number of the decision.
-- decided_on: Date of the decision.
-- authority: Tax authority that decided.
-- bank: Bank whose accounts are suspended.
-- bik: BIK of the bank.
-- decision_code: Kind of decision, a code of the source.
-- kbk: Budget classification code; not always given.
-- {evidence_comments}
WITH {evidence},
known AS (FROM evidence WHERE block = 'freezes'),
facts AS (SELECT *, 'freezes__items' AS list, items_no AS row_no FROM core.freezes__items)
SELECT {inn_columns}, f.decision_num AS decision_number, f.decision_date AS decided_on, f.authority, f.bank, f.bik,
       f.code AS decision_code, f.kbk, {evidence_columns}
{from_facts}
