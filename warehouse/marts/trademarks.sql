-- Trademarks: one row per INN and trademark. They are found by the company's name, so the owner may be another company.
-- question it answers: Which trademarks are found under a counterparty's name?
-- depends on: inn
-- moves with requests: checked_at, collected_at, source_date by version_id
-- {inn_comments}
-- trademark: Name of the trademark.
-- number: Number of the registration.
-- registered_on: Date of the registration.
-- owner: Owner as in the register.
-- url: Link to the card of the trademark.
-- {evidence_comments}
WITH {evidence},
known AS (FROM evidence WHERE block = 'trademarks'),
facts AS (SELECT *, 'trademarks__trademarks' AS list, trademarks_no AS row_no FROM core.trademarks__trademarks)
SELECT {inn_columns}, f.name AS trademark, f.number, f.date AS registered_on, f.owner, f.url, {evidence_columns}
{from_facts}
