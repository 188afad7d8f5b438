-- Enforcement proceedings: one row per INN and proceeding.
-- inn: INN that was checked.
-- proceeding: Number of the proceeding with its day of initiation.
-- opened_on: Day of initiation; NULL where the number has no date.
-- subject: What is enforced, with its amount.
-- amount_rub: Debt of this proceeding; NULL where none is told, claims for an act included.
-- active: Whether it goes on.
-- end_reason: Reason of the end as the source words it.
-- completion_reason: Reason of the end, normalised: paid, no_assets, returned, expired, other.
-- no_assets: Whether it ended because neither debtor nor assets were found.
-- document_type: Kind of document that is enforced.
-- case_number: Number of that document or case.
-- court_name: Body that issued it.
-- debtor_name: Debtor as named at initiation.
-- department: Department of bailiffs.
-- bailiff: Bailiff; often not given.
-- bailiff_phone: Phone of the bailiff.
-- version_id: Version that holds it.
-- checked_at: When it was last asked and found so, UTC.
-- confirmed: Whether the latest answer of the block supports it: false where only an earlier one does.
WITH {knowledge}
SELECT k.inn, p.exe_production AS proceeding, p.process_date AS opened_on,
       coalesce(p.subject_matter, p.subject) AS subject, p.sum AS amount_rub, p.is_active AS active, p.end_reason,
       p.completion_reason,
       CASE WHEN p.completion_reason = 'no_assets' THEN true
            WHEN p.completion_reason IS NOT NULL OR p.is_active THEN false END AS no_assets,
       p.document_type, p.case_number, p.court_name, p.debtor_name, p.department, p.bailiff, p.bailiff_phone,
       k.version_id, k.checked_at, k.state IN ('found', 'clean', 'partial') AS confirmed
FROM knowledge k JOIN core.fssp__proceedings p ON p.version_id = k.version_id
WHERE k.block = 'fssp'
