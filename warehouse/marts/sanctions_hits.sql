-- Matches in sanctions lists: one row per INN and entry of a list. A match of low confidence is by single words and has to be checked by a person.
-- question it answers: Who may be on a sanctions list, and how sure is the match?
-- depends on: inn
-- moves with requests: checked_at, collected_at, source_date by version_id
-- {inn_comments}
-- list_code: Code of the list.
-- list_label: Name of the list.
-- list_entry_id: Identifier of the entry in its list.
-- listed_name: Name as in the list, mostly in Latin letters.
-- listed_name_ru: Name in Cyrillic, if the list has it.
-- listed_inn: INN in the list; rarely given.
-- listed_birth_date: Birth date of a person as in the list; may be a year or approximate.
-- listed_address: Address in the list, up to 300 characters.
-- program: Code of the sanctions programme, up to 200 characters.
-- designated_on: Date of the listing; often not given.
-- confidence: high: by INN; medium: by the full name; low: by words. The service gives matches of low confidence only without an exact one: next to one they are from an earlier response, and complete is false.
-- of_manager: Whether the entry is that of a manager or founder of the checked company, because it has a birth date or another INN. An entry without them may be theirs too.
-- {evidence_comments}
WITH {evidence},
known AS (FROM evidence WHERE block = 'sanctions'),
facts AS (
    SELECT *, 'sanctions__hits' AS list, hits_no AS row_no, {of_manager} AS of_manager,
           coalesce(match_confidence = 'low', false)
               AND bool_or(match_confidence IS DISTINCT FROM 'low') OVER (PARTITION BY version_id) AS is_withheld
    FROM core.sanctions__hits
),
hits AS (
    SELECT {inn_columns}, f.source AS list_code, f.list_label, f.raw_id AS list_entry_id, f.name AS listed_name,
           f.name_ru AS listed_name_ru, f.item_inn AS listed_inn, f.dob AS listed_birth_date, f.address AS listed_address,
           f.program, f.designated_at AS designated_on, f.match_confidence AS confidence, f.of_manager, f.is_withheld,
           {evidence_columns}
    {from_facts}
)
SELECT * EXCLUDE (is_withheld) REPLACE (complete AND NOT is_withheld AS complete) FROM hits
