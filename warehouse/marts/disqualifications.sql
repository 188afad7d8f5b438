-- Disqualified managers and founders: one row per INN and entry of the register of disqualified persons.
-- question it answers: Which managers and founders are disqualified, and until when?
-- depends on: inn
-- moves with requests: checked_at, collected_at, source_date by version_id
-- {inn_comments}
-- person_name: Name in the register; the name searched for if the register gives none.
-- searched_name: Name searched for.
-- birth_date: Day of birth.
-- employer: Company in which the offence was committed.
-- position: Position held there.
-- offence: Offence.
-- started_on: First day of the disqualification.
-- ends_on: Last day of the disqualification.
-- term: Term in words.
-- {evidence_comments}
WITH {evidence},
known AS (FROM evidence WHERE block = 'risk_flags'),
facts AS (
    SELECT *, 'risk_flags__disqualified_records' AS list, disqualified_records_no AS row_no
    FROM core.risk_flags__disqualified_records
)
SELECT {inn_columns}, coalesce(f.matched_name, f.queried_name) AS person_name, f.queried_name AS searched_name,
       f.birth_date, f.company AS employer, f.position, f.offence, f.start_date AS started_on, f.end_date AS ends_on, f.term,
       {evidence_columns}
{from_facts}
