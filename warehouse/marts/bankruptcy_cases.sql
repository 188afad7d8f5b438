-- Debtor cards of the bankruptcy register: one row per INN and card. A card alone is no bankruptcy: see stage and recognised.
-- question it answers: Who is or was bankrupt, and at which stage?
-- depends on: inn
-- moves with requests: checked_at, collected_at, source_date by version_id
-- {inn_comments}
-- case_number: Number of the arbitration-court case, if a publication has one.
-- stage: Stage of bankruptcy by the card, normalised; NULL if the wording is not recognised or there is no procedure.
-- stage_description: Stage in the source's words.
-- recognised: Whether a bankruptcy stage of the INN was recognised, in any of its cards.
-- intention: Whether a notice of the intention to go to court is published about the INN.
-- debtor_name: Debtor's name on the card.
-- debtor_inn: Debtor's INN on the card.
-- debtor_ogrn: Debtor's registration number on the card.
-- region: Region; usually not given.
-- manager: Arbitration manager; NULL if there is no publication.
-- manager_kind: Person or Company.
-- manager_guid: Identifier of the manager in the bankruptcy register.
-- updated_at: Last change of the card, UTC; NULL if there is no publication.
-- {evidence_comments}
WITH {evidence},
known AS (FROM evidence WHERE block = 'bankruptcy'),
facts AS (
    SELECT c.*, 'bankruptcy__cases' AS list, c.cases_no AS row_no, b.has_bankruptcy, b.has_intention
    FROM core.bankruptcy__cases c JOIN core.bankruptcy b USING (version_id)
)
SELECT {inn_columns}, f.case_number, CASE WHEN f.status IN {bankruptcy_stages} THEN f.status END AS stage,
       coalesce(f.status_raw, f.status) AS stage_description, f.has_bankruptcy AS recognised, f.has_intention AS intention,
       f.name AS debtor_name, f.item_inn AS debtor_inn, f.ogrn AS debtor_ogrn, f.region, f.arbitration_manager_name AS manager,
       f.arbitration_manager_type AS manager_kind, f.arbitration_manager_guid AS manager_guid, f.update_date AS updated_at,
       {evidence_columns}
{from_facts}
