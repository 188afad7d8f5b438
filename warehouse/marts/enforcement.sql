-- Enforcement proceedings: one row per INN and proceeding.
-- question it answers: Who owes by enforcement, how much, and how did it end?
-- depends on: inn
-- moves with requests: checked_at, collected_at by version_id
-- inn: INN that was checked.
-- proceeding: Number of the proceeding with its date of initiation.
-- opened_on: Date of initiation; NULL if the number has none.
-- subject: What is enforced, with its amount.
-- amount_rub: Debt of this proceeding; NULL if none is given, including claims for an act.
-- active: Whether it is active.
-- end_reason: Reason of the end in the source's words.
-- completion_reason: Reason of the end, normalised: paid, no_assets, returned, expired, other.
-- no_assets: Whether it ended because neither debtor nor assets were found.
-- document_type: Kind of the document enforced.
-- case_number: Number of that document or case.
-- court_name: Body that issued it.
-- debtor_name: Debtor as named at initiation.
-- department: Department of bailiffs.
-- bailiff: Bailiff; often not given.
-- bailiff_phone: Phone of the bailiff.
-- version_id: Version that contains it.
-- checked_at: Time of the latest request that confirmed it, UTC.
-- collected_at: When the service collected the data of that response, UTC.
-- confirmed: Whether the latest response of the block is evidence and contains the proceeding; false if it is known from an earlier response only.
-- complete: Whether the list that it is from is complete; false if the list is partial or capped: there may be more proceedings, and counts and sums of this INN are lower bounds.
WITH {requested_states}
SELECT k.inn, p.exe_production AS proceeding, p.process_date AS opened_on,
       coalesce(p.subject_matter, p.subject) AS subject, p.sum AS amount_rub, p.is_active AS active, p.end_reason,
       p.completion_reason,
       CASE WHEN p.completion_reason = 'no_assets' THEN true
            WHEN p.completion_reason IS NOT NULL OR p.is_active THEN false END AS no_assets,
       p.document_type, p.case_number, p.court_name, p.debtor_name, p.department, p.bailiff, p.bailiff_phone,
       k.version_id, k.checked_at, k.collected_at, k.state IN {evidence_states} AND r.snapshot_id IS NULL AS confirmed, k.complete
FROM requested_states k JOIN core.fssp__proceedings p ON p.version_id = k.version_id
LEFT JOIN lineage.kept_rows r ON r.snapshot_id = k.snapshot_id AND r.table_name = 'fssp__proceedings' AND r.row_no = p.proceedings_no
WHERE k.block = 'fssp'
