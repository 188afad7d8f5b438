-- Published court acts: one row per INN, case and act. General courts publish a part of the text, arbitration a link to the file.
-- question it answers: What did the courts decide, and where is the text?
-- depends on: inn
-- moves with requests: checked_at, collected_at, source_date by version_id
-- {inn_comments}
-- court_kind: arbitration or general.
-- case_number: Number of the case, unique within its court.
-- court: Court.
-- filed_on: Date of filing of the case.
-- role: Role of the INN in the case, as in mart.litigation.
-- act_number: Number among the acts of the case; NULL for arbitration.
-- title: Title of the act.
-- text: Part of the text.
-- text_length: Length of the full text in characters.
-- url: Link to the file of the act (arbitration) or to the case card.
-- {evidence_comments: case}
WITH {evidence},
known AS (FROM evidence WHERE block IN ('arbitration', 'general_courts')),
facts AS (
    SELECT c.version_id, 'general_courts__cases' AS list, c.cases_no AS row_no, 'general' AS court_kind, c.case_number,
           c.court, c.date AS filed_on, {general_role}, a.n AS act_number, a.title,
           a.text_snippet AS text, a.text_len AS text_length, c.url
    FROM core.general_courts__cases__acts a
    JOIN core.general_courts__cases c ON c.version_id = a.version_id AND c.cases_no = a.cases_no
    UNION ALL BY NAME
    SELECT version_id, 'arbitration__cases' AS list, cases_no AS row_no, 'arbitration' AS court_kind, case_number,
           regexp_replace(court, '\s+', ' ', 'g') AS court, date AS filed_on, role, file_url AS url
    FROM core.arbitration__cases WHERE file_url IS NOT NULL
)
SELECT {inn_columns}, f.court_kind, f.case_number, f.court, f.filed_on, f.role, f.act_number, f.title, f.text,
       f.text_length, f.url, {evidence_columns}
{from_facts}
