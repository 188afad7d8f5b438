-- People and companies behind an INN: one row per INN, role and person, current and former. A former one is in an earlier version of the card, not in the latest.
-- question it answers: Who directs, founded and owns a counterparty, now and before?
-- depends on: inn
-- moves with requests: last_seen_at, checked_at, collected_at, source_date by version_id, of all blocks together
-- {inn_comments}
-- role: director, founder or beneficiary.
-- person_name: Name of the person or company.
-- person_inn: INN of the person (12 digits) or company (10 digits); NULL if the register withholds it.
-- person_kind: company or person, by the INN; NULL without one.
-- position: Position of a director.
-- share_pct: Share of the authorized capital, percent; NULL if not disclosed.
-- share_rub: Nominal value of the share; NULL if not disclosed.
-- share_date: Date the share was entered; rarely given.
-- ownership_chain: Chain of ownership of a beneficiary, as received.
-- beneficiary_kind: Kind of beneficiary in the source's words.
-- current: Whether the known version has the person in this role; false: only an earlier version has.
-- first_seen_at: First request whose response had the person in this role, UTC; the role may be older.
-- last_seen_at: Last request whose response had the person in this role, UTC.
-- block: Block of the row: company or risk_flags; of several, one with a share.
-- version_id: Version that contains the row; of a former one the last.
-- checked_at: Time of the latest request that confirmed it, UTC; of a former one last_seen_at.
-- collected_at: When the service collected the data of that response, UTC; NULL for a former one.
-- source_date: Date of the source's data set in that response; NULL if the block has none.
-- confirmed: Whether the latest response of a block is evidence and has the person in this role; false for a former one, and if only an earlier response has.
-- complete: Whether the lists of the block are complete; false if one is partial or capped: there may be more people.
WITH {evidence},
known AS (FROM evidence WHERE block IN ('company', 'risk_flags')),
facts AS NOT MATERIALIZED (
    SELECT version_id, inn, 'company__directors' AS list, directors_no AS row_no, 'director' AS role, name AS person_name,
           item_inn AS person_inn, position, NULL::DOUBLE AS share_pct, NULL::DECIMAL(18, 2) AS share_rub,
           NULL::DATE AS share_date, NULL AS ownership_chain, NULL AS beneficiary_kind
    FROM core.company__directors
    UNION ALL BY NAME
    SELECT version_id, inn, 'company' AS list, 'director' AS role, director AS person_name FROM core.company
    WHERE director IS NOT NULL
    UNION ALL BY NAME
    SELECT version_id, inn, 'company__founders' AS list, founders_no AS row_no, 'founder' AS role, name AS person_name,
           item_inn AS person_inn
    FROM core.company__founders
    UNION ALL BY NAME
    SELECT version_id, inn, 'company__founder_shares' AS list, founder_shares_no AS row_no, 'founder' AS role,
           name AS person_name, item_inn AS person_inn, nullif(share_pct, 0) AS share_pct,
           nullif(share_rub, 0) AS share_rub, date AS share_date
    FROM core.company__founder_shares
    UNION ALL BY NAME
    SELECT version_id, inn, 'risk_flags__founder_shares' AS list, founder_shares_no AS row_no, 'founder' AS role,
           name AS person_name, item_inn AS person_inn, share_pct, share_rub, date AS share_date
    FROM core.risk_flags__founder_shares
    UNION ALL BY NAME
    SELECT version_id, inn, 'company__beneficiaries' AS list, beneficiaries_no AS row_no, 'beneficiary' AS role,
           name AS person_name, item_inn AS person_inn, nullif(share_pct, 0) AS share_pct,
           chain::VARCHAR AS ownership_chain, type AS beneficiary_kind
    FROM core.company__beneficiaries
),
-- Few persons have no INN. Only in their roles the others' names are compared: normalising all takes longer than all else.
without_inn AS (
    SELECT DISTINCT inn, role FROM facts WHERE person_inn IS NULL AND person_name IS NOT NULL
),
namesakes AS (
    SELECT inn, role, name_key, min(person_inn) AS person_inn
    FROM (SELECT f.inn, f.role, f.person_inn, {name_key} AS name_key
          FROM facts f JOIN without_inn w ON w.inn = f.inn AND w.role = f.role WHERE f.person_inn IS NOT NULL)
    GROUP BY inn, role, name_key HAVING min(person_inn) = max(person_inn)
),
-- Versions are narrow and few: joined with what is known of them before the facts, which are many.
versions AS (
    SELECT v.version_id, v.block, v.first_seen_at, v.last_seen_at, k.version_id IS NOT NULL AS current,
           k.snapshot_id, k.confirmed, k.unmerged
    FROM lineage.versions v LEFT JOIN known k ON k.version_id = v.version_id
    WHERE v.block IN ('company', 'risk_flags')
),
seen AS (
    SELECT f.*, k.block, k.first_seen_at, k.last_seen_at, k.current, k.current AND {is_confirmed} AS confirmed
    FROM (SELECT *, CASE WHEN person_inn IS NULL THEN {name_key} END AS name_key FROM facts) f
    JOIN versions k ON k.version_id = f.version_id
    {join_kept_rows}
    WHERE f.person_inn IS NOT NULL OR f.person_name IS NOT NULL
),
-- The same person with and without an INN, in two lists of one company: one person, unless two have that name.
named AS (
    SELECT s.*, coalesce(s.person_inn, n.person_inn, s.name_key) AS person
    FROM seen s LEFT JOIN namesakes n ON n.inn = s.inn AND n.role = s.role AND n.name_key = s.name_key
),
persons AS (
    SELECT inn, role, max(person_inn) AS person_inn, bool_or(current) AS current, bool_or(confirmed) AS confirmed,
           min(first_seen_at) AS first_seen_at, max(last_seen_at) AS last_seen_at,
           max_by({'version_id': version_id, 'block': block, 'person_name': person_name, 'position': position,
                   'share_pct': share_pct, 'share_rub': share_rub, 'share_date': share_date,
                   'ownership_chain': ownership_chain, 'beneficiary_kind': beneficiary_kind},
                  (current, share_pct IS NOT NULL OR share_rub IS NOT NULL, person_inn IS NOT NULL, row_no IS NOT NULL,
                   last_seen_at, list, -row_no))
               AS best
    FROM named GROUP BY inn, role, person
)
SELECT p.inn, n.name, p.role, p.best.person_name, p.person_inn,
       CASE length(p.person_inn) WHEN 10 THEN 'company' WHEN 12 THEN 'person' END AS person_kind, p.best.position,
       p.best.share_pct, p.best.share_rub, p.best.share_date, p.best.ownership_chain, p.best.beneficiary_kind, p.current,
       p.first_seen_at, p.last_seen_at, p.best.block, p.best.version_id,
       CASE WHEN p.current THEN e.checked_at ELSE p.last_seen_at END AS checked_at,
       CASE WHEN p.current THEN e.collected_at END AS collected_at, CASE WHEN p.current THEN e.source_date END AS source_date,
       p.confirmed, e.complete
FROM persons p LEFT JOIN known e ON e.inn = p.inn AND e.block = p.best.block
LEFT JOIN names n ON n.inn = p.inn
