-- Cases in arbitration and general courts: one row per INN and case.
-- question it answers: Who sues whom, about what, for how much, and how did it end?
-- depends on: inn
-- moves with requests: checked_at, collected_at by version_id
-- inn: INN that was checked.
-- court_kind: arbitration or general.
-- case_number: Number of the case, unique within its court.
-- filed_on: Date of filing.
-- role: Role of the INN: plaintiff, respondent, third, otherwise in the court's words; NULL if not recognised.
-- category: Kind of case in the source's words.
-- court: Court.
-- claim_rub: Amount claimed; NULL if none was found.
-- result: Outcome for the INN (arbitration), or in the court's words (general).
-- result_on: Date of the outcome; not available for arbitration.
-- open: Whether it is open; NULL if the source does not say: an arbitration case without a recognised outcome may have ended.
-- other_parties: Names of the other side, of all sides for a third party; NULL if none is named. A case of arbitration with many parties may have more than are named.
-- url: Link to the case card.
-- version_id: Version that contains it.
-- checked_at: Time of the latest request that confirmed it, UTC.
-- collected_at: When the service collected the data of that response, UTC.
-- confirmed: Whether the latest response of the block is evidence and contains the case; false if it is known from an earlier response only.
-- complete: Whether the list that it is from is complete; false if the list is partial or capped: there may be more cases, and counts and sums of this INN are lower bounds.
WITH {requested_states},
known AS (
    SELECT inn, block, version_id, snapshot_id, checked_at, collected_at, state IN {evidence_states} AS confirmed, complete
    FROM requested_states WHERE block IN ('arbitration', 'general_courts') AND version_id IS NOT NULL
),
parties AS (
    SELECT version_id, cases_no, 'plaintiff' AS side, name FROM core.arbitration__cases__plaintiffs
    UNION ALL SELECT version_id, cases_no, 'respondent', name FROM core.arbitration__cases__respondents
    UNION ALL SELECT version_id, cases_no, 'plaintiff', name FROM core.general_courts__cases__plaintiffs
    UNION ALL SELECT version_id, cases_no, 'respondent', name FROM core.general_courts__cases__respondents
    UNION ALL SELECT version_id, cases_no, 'respondent', name FROM core.general_courts__cases__attracted_parties
),
-- Not from `known`: where a CTE is used twice, DuckDB computes columns that nobody reads, here the names.
known_versions AS (SELECT version_id FROM lineage._latest WHERE block IN ('arbitration', 'general_courts')),
names AS (
    SELECT version_id, cases_no, list(name) FILTER (side = 'plaintiff') AS plaintiffs,
           list(name) FILTER (side = 'respondent') AS respondents
    FROM parties SEMI JOIN known_versions USING (version_id) WHERE name IS NOT NULL GROUP BY version_id, cases_no
),
-- Most cases have one party on each side, whose name needs no list.
sides AS (
    SELECT version_id, cases_no,
           CASE len(plaintiffs) WHEN 1 THEN plaintiffs[1]
                ELSE array_to_string(list_sort(list_distinct(plaintiffs)), '; ') END AS plaintiffs,
           CASE len(respondents) WHEN 1 THEN respondents[1]
                ELSE array_to_string(list_sort(list_distinct(respondents)), '; ') END AS respondents
    FROM names
),
cases AS (
    SELECT 'arbitration' AS court_kind, version_id, cases_no, case_number, date AS filed_on, role, type AS category,
           regexp_replace(court, '\s+', ' ', 'g') AS court, claim_sum AS claim_rub, result, NULL::DATE AS result_on,
           CASE WHEN result IS NOT NULL THEN false END AS open, url
    FROM core.arbitration__cases
    UNION ALL
    SELECT 'general', version_id, cases_no, case_number, date,
           {general_role},
           coalesce(category_detailed, category), court, claim_sum, result, coalesce(result_date, decision_date),
           CASE WHEN coalesce(result_date, decision_date) IS NOT NULL OR result IS NOT NULL THEN false
                WHEN NOT coalesce(_from_store, false) THEN true END, url
    FROM core.general_courts__cases c
),
-- Joined before the INNs, so that the names are the hash table and not the cases, which have more columns.
cases_with_names AS (
    SELECT c.*, s.plaintiffs, s.respondents
    FROM cases c LEFT JOIN sides s ON s.version_id = c.version_id AND s.cases_no = c.cases_no
)
SELECT k.inn, c.court_kind, c.case_number, c.filed_on, c.role, c.category, c.court, c.claim_rub, c.result, c.result_on,
       c.open,
       CASE WHEN c.role = 'plaintiff' THEN c.respondents
            WHEN c.role IN ('respondent', 'должник', 'подсудимый', 'привлекаемое лицо') THEN c.plaintiffs
            ELSE nullif(concat_ws('; ', c.plaintiffs, c.respondents), '') END AS other_parties,
       c.url, k.version_id, k.checked_at, k.collected_at, k.confirmed AND r.snapshot_id IS NULL AS confirmed, k.complete
FROM known k JOIN cases_with_names c ON c.version_id = k.version_id
     AND c.court_kind = CASE k.block WHEN 'arbitration' THEN 'arbitration' ELSE 'general' END
LEFT JOIN lineage.kept_rows r ON r.snapshot_id = k.snapshot_id AND r.table_name = k.block || '__cases' AND r.row_no = c.cases_no
