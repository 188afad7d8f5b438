-- Inspections by state bodies: one row per INN and inspection.
-- question it answers: Who was inspected by whom, and with which result?
-- depends on: inn
-- moves with requests: checked_at, collected_at, source_date by version_id
-- {inn_comments}
-- number: Number in the register; its first two digits are the region.
-- kind: Planned or not, in the register's words.
-- planned: Whether it is planned; NULL if the kind is not given.
-- form: On site, by documents or both, in the register's words.
-- started_on: First day.
-- ended_on: Last day; almost never given.
-- authority: Inspecting body; almost never given.
-- status: Status in the register's words.
-- has_violations: Whether violations were found; NULL if the register does not say, or if the inspection is not completed.
-- violations: Violations found; almost never given.
-- purpose: Subject and purpose, with the legal acts.
-- {evidence_comments}
WITH {evidence},
known AS (FROM evidence WHERE block = 'inspections'),
facts AS (SELECT *, 'inspections__inspections' AS list, inspections_no AS row_no FROM core.inspections__inspections)
SELECT {inn_columns}, f.number, f.type AS kind, CASE f.type WHEN 'Плановая проверка' THEN true WHEN 'Внеплановая проверка'
       THEN false END AS planned, f.method AS form, f.start_date AS started_on, f.end_date AS ended_on, f.authority,
       f.status,
       CASE WHEN f.has_violations OR f.status IN ('Завершена', 'Обжалована') THEN f.has_violations END AS has_violations,
       f.violations_text AS violations, f.purpose, {evidence_columns}
{from_facts}
