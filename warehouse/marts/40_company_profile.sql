-- One counterparty in one row: identity, size, risks, and how much of it is known. A figure is NULL if its block is not known, never 0.
-- question it answers: What is known of a counterparty at a glance?
-- depends on: inn, day
-- moves with requests: newest_checked_at, oldest_checked_at, collected_at by inn
-- inn: INN that is a member of a portfolio or was ever requested.
-- kind: company (10 digits) or person (12 digits).
-- name: Full name by the card, otherwise the portfolio's name.
-- short_name: Short name by the card.
-- portfolio_name: Name in the portfolio that listed it last.
-- portfolios: Portfolios whose latest file lists it; empty if it has left all.
-- tags: Tags in these portfolios, a list: WHERE list_contains(tags, 'supplier').
-- tags_text: The same as text, separated by commas: WHERE tags_text LIKE '%supplier%'.
-- extra: Extra columns of the portfolio file that listed it last.
-- region: Region: the first two digits of the INN.
-- status: Status by the card.
-- status_description: Status in the source's words.
-- registration_date: Date of registration.
-- liquidation_date: Date of termination.
-- age_years: Years from registration to today, or to the termination.
-- director: Person who acts without power of attorney.
-- address: Registered address.
-- okved_main: Code of the main activity.
-- okved_name: Name of the main activity, from the list of activities if the card does not give it.
-- authorized_capital_rub: Authorized capital.
-- sme_category: Category in the register of small business, otherwise by the card.
-- sme_category_source: Block of the category: msp or company; msp also if its register has no entry.
-- headcount: Average headcount of the tax authority's data set, otherwise by the card.
-- headcount_source: Block of the headcount: employees or company.
-- headcount_date: Date of the headcount.
-- revenue_rub: Revenue by the tax authority's data set or by the statements, whichever is later.
-- expense_rub: Expense by the tax authority's data set, if the revenue is from there.
-- revenue_period: Last day of the period of the revenue.
-- revenue_source: Block of the revenue: revexp or financial.
-- net_profit_rub: Net profit of the latest year of the statements.
-- statements_year: Latest year of the statements.
-- active_debt_rub: Debt of the active enforcement proceedings; one without an amount adds nothing (see mart.enforcement). NULL if there are active proceedings but no known amount.
-- active_proceedings: Active enforcement proceedings.
-- proceedings_without_amount: Active enforcement proceedings without an amount; if there are any, active_debt_rub is at least this.
-- fssp_complete: Whether the list of enforcement proceedings is complete; false: the list is partial or capped, and the figures are at least these; NULL without evidence.
-- tax_debt_rub: Tax debt by the tax service's data set, block tax_debts; the debts by the card are in mart.taxes.
-- tax_debts_complete: Whether the list of tax debts is complete; false: the list is partial or capped, and the figures are at least these; NULL without evidence.
-- tax_fines_rub: Fines for tax offences.
-- tax_offences_complete: Whether the list of tax offences is complete; false: the list is partial or capped, and the figures are at least these; NULL without evidence.
-- cases: Arbitration cases.
-- cases_as_respondent: Arbitration cases as respondent.
-- claims_rub: Sum of the known claims of arbitration cases as respondent; NULL if there are such cases but no known claim.
-- claims_without_amount: Arbitration cases as respondent without a known claim; if there are any, claims_rub is at least this.
-- arbitration_complete: Whether the list of arbitration cases is complete; false: the list is partial or capped, and the figures are at least these; NULL without evidence.
-- general_court_cases: Cases in general courts.
-- general_courts_complete: Whether the list of cases in general courts is complete; false: the list is partial or capped, and the figures are at least these; NULL without evidence.
-- freezes: Decisions in force to suspend accounts; 30 is the cap.
-- freezes_complete: Whether the list of decisions is complete; false: the list is partial or capped, and the figures are at least these; NULL without evidence.
-- sanction_hits: Matches in sanctions lists, without those of low confidence.
-- sanctions_complete: Whether the list of matches is complete; false: the list is partial or capped, and the figures are at least these; NULL without evidence.
-- rnp_active: Whether the register of unfair suppliers has an entry in force; NULL if none is listed and the list is not complete.
-- rnp_complete: Whether the list of entries is complete; false: the list is partial or capped, and the figures are at least these; NULL without evidence.
-- bankruptcy_stage: Most severe bankruptcy stage; NULL if there is none or it is not known (see bankruptcy_known).
-- bankruptcy_known: Whether it is known which stage there is, or that there is none.
-- bankruptcy_intention: Whether a notice of intention to file for bankruptcy is published.
-- contracts: State contracts in both roles; 5000 is the cap.
-- contracts_rub: Sum of the prices of the state contracts in both roles: what it sold and what it bought together.
-- contracts_as_supplier_rub: Part of it as supplier: what it sold.
-- contracts_as_customer_rub: Part of it as customer: what it bought.
-- contracts_complete: Whether the list of contracts is complete; false: the list is partial or capped, and the figures are at least these; NULL without evidence.
-- pledges: Notices of pledge and leasing.
-- pledges_complete: Whether the list of notices is complete; false: the list is partial or capped, and the figures are at least these; NULL without evidence.
-- inspections_with_violations: Inspections with violations.
-- inspections_complete: Whether the list of inspections is complete; false: the list is partial or capped, and the figures are at least these; NULL without evidence.
-- licenses: Licences.
-- licenses_complete: Whether the list of licences is complete; false: the list is partial or capped, and the figures are at least these; NULL without evidence.
-- trademarks: Trademarks, found by name.
-- trademarks_complete: Whether the list of trademarks is complete; false: the list is partial or capped, and the figures are at least these; NULL without evidence.
-- score: Score of mart.risk_score.
-- score_at_most: The score if every unknown or never requested signal were present.
-- level: Level of mart.risk_score; unknown if a required block has no fresh answer.
-- level_known: Level of the signals that are present.
-- level_at_most: Level if every unknown or never requested signal were present.
-- unknown_blocks: Required blocks without a fresh answer, or whose answer leaves open what alone is critical.
-- unknown_since: When the service collected the last evidence of each of them, UTC; NULL if there is none, if it is not known, or if an answer that is not stale leaves a severe rule open.
-- never_requested_blocks: Those of unknown_blocks that were never requested.
-- stale_blocks: Blocks whose evidence is older than the policy allows; their figures are shown, and count as unknown.
-- known_part: How much is known of what is not in unknown_blocks: all; some (other signals are unknown too); none (no answer of now shows or denies a signal, so level_known says nothing of now).
-- blocks_askable: Number of blocks that can be requested.
-- blocks_confirmed: Number of blocks whose latest response is {evidence_words}.
-- blocks_stale: Number of blocks_confirmed whose evidence is older than the policy allows, so that it counts as unknown.
-- blocks_unconfirmed: Number of blocks that were requested and whose latest response is no evidence.
-- blocks_never_asked: Number of blocks that were never requested.
-- newest_checked_at: Newest of the confirmation times of the blocks with evidence, UTC; NULL if there is none.
-- oldest_checked_at: Oldest of the confirmation times of the blocks with evidence, UTC; in mart.risk_score of those that rules read.
-- collected_at: When the service collected the oldest of this data, UTC.
WITH {block_states},
{requested_states},
{askable_inns},
{scores},
risk AS MATERIALIZED (
    SELECT inn, score, score_at_most, level, level_known, level_at_most, unknown_blocks, unknown_since,
           never_requested_blocks, stale_blocks, known_part
    FROM scores
),
members AS (
    SELECT inn, coalesce(list(DISTINCT portfolio ORDER BY portfolio) FILTER (left_at IS NULL), []) AS portfolios,
           arg_max(name, last_seen_at) AS name, arg_max(extra, last_seen_at) AS extra,
           list_sort(list_distinct(flatten(list(
               list_filter(list_transform(string_split_regex(coalesce(tags, ''), '[,;]'), lambda t: trim(t)), lambda t: t <> '')
           ) FILTER (left_at IS NULL)))) AS tags
    FROM lineage.portfolio_members GROUP BY inn
),
requested AS (
    SELECT s.inn, count(*) AS requested, count(*) FILTER (NOT s.is_always_askable) AS added,
           count(*) FILTER (s.state IN {evidence_states}) AS confirmed,
           count(o.block) FILTER (s.state IN {evidence_states}) AS stale,
           max(s.checked_at) AS newest_checked_at, min(s.checked_at) AS oldest_checked_at,
           min(s.collected_at) AS collected_at
    FROM requested_states s
    LEFT JOIN (SELECT inn, unnest(stale_blocks) AS block FROM risk) o ON o.inn = s.inn AND o.block = s.block
    GROUP BY s.inn
),
blocks AS (
    SELECT i.inn, i.blocks + coalesce(r.added, 0) AS askable, coalesce(r.confirmed, 0) AS confirmed,
           coalesce(r.requested - r.confirmed, 0) AS unconfirmed,
           i.blocks + coalesce(r.added - r.requested, 0) AS never_asked,
           coalesce(r.stale, 0) AS stale, r.newest_checked_at, r.oldest_checked_at, r.collected_at
    FROM askable_inns i LEFT JOIN requested r ON r.inn = i.inn
),
versions AS MATERIALIZED (SELECT inn, block, version_id, complete FROM requested_states WHERE version_id IS NOT NULL),
activities AS (
    SELECT version_id, any_value(name) AS okved_name FROM core.company__okved_list WHERE is_main GROUP BY version_id
),
headcounts AS (
    SELECT version_id, arg_max(count, year) AS card_headcount, max(year) AS card_headcount_year
    FROM core.company__employees_history GROUP BY version_id
),
years AS (
    SELECT version_id, max(year) AS year,
           arg_max(amount, year) FILTER (indicator = 'revenue') AS revenue,
           max(year) FILTER (indicator = 'revenue' AND amount IS NOT NULL) AS revenue_year,
           arg_max(amount, year) FILTER (indicator = 'net_profit') AS net_profit,
           max(year) FILTER (indicator = 'net_profit' AND amount IS NOT NULL) AS net_profit_year
    FROM core.financial__indicators GROUP BY version_id
),
claims AS (
    SELECT version_id, sum(claim_sum) AS claims, count(*) AS cases, count(*) - count(claim_sum) AS without_amount
    FROM core.arbitration__cases WHERE role = 'respondent' GROUP BY version_id
),
proceedings AS (
    SELECT version_id, count(*) AS without_amount FROM core.fssp__proceedings WHERE is_active AND sum IS NULL
    GROUP BY version_id
),
hits AS (
    SELECT version_id, count(*) AS hits FROM core.sanctions__hits
    WHERE coalesce(match_confidence, '') <> 'low' GROUP BY version_id
),
-- Groups of joins, one after the other: all of them together would need the memory of thirty hash tables.
identities AS MATERIALIZED (
    SELECT k.inn, c.name, c.short_name, c.status, c.status_description, c.registration_date, c.liquidation_date,
           {age_years} AS age_years, c.director, c.address, c.okved_main,
           coalesce(c.okved_name, o.okved_name) AS okved_name, c.authorized_capital AS authorized_capital_rub,
           CASE WHEN small.inn IS NULL THEN c.sme_category ELSE small.category END AS sme_category,
           CASE WHEN small.inn IS NOT NULL THEN 'msp' WHEN c.sme_category IS NOT NULL THEN 'company'
           END AS sme_category_source,
           coalesce(e.headcount, c.employee_count) AS headcount,
           CASE WHEN e.headcount IS NOT NULL THEN 'employees' WHEN c.employee_count IS NOT NULL THEN 'company'
           END AS headcount_source,
           CASE WHEN e.headcount IS NOT NULL THEN e.publish_date
                WHEN c.employee_count = h.card_headcount THEN make_date(h.card_headcount_year, 12, 31)
           END AS headcount_date,
           s.revenue AS statements_revenue, s.revenue_year, i.revenue, i.expense, i.period,
           s.revenue_year IS NOT NULL AND (i.revenue IS NULL OR s.revenue_year > year(i.period)) AS by_statements,
           CASE WHEN s.net_profit_year = s.year THEN s.net_profit END AS net_profit_rub, s.year AS statements_year
    FROM askable_inns k
    LEFT JOIN versions cards ON cards.inn = k.inn AND cards.block = 'company'
    LEFT JOIN core.company c ON c.version_id = cards.version_id
    LEFT JOIN activities o ON o.version_id = cards.version_id
    LEFT JOIN headcounts h ON h.version_id = cards.version_id
    LEFT JOIN (SELECT v.inn, t.category FROM versions v JOIN core.msp t USING (version_id)
               WHERE v.block = 'msp') small ON small.inn = k.inn
    LEFT JOIN (SELECT v.inn, t.headcount, t.publish_date FROM versions v JOIN core.employees t USING (version_id)
               WHERE v.block = 'employees') e ON e.inn = k.inn
    LEFT JOIN (SELECT v.inn, t.revenue, t.expense, t.period FROM versions v JOIN core.revexp t USING (version_id)
               WHERE v.block = 'revexp') i ON i.inn = k.inn
    LEFT JOIN (SELECT v.inn, y.* FROM versions v JOIN years y USING (version_id)
               WHERE v.block = 'financial') s ON s.inn = k.inn
),
debts AS MATERIALIZED (
    SELECT k.inn, f.active_debt_rub, f.active_proceedings,
           CASE WHEN f.active_proceedings IS NOT NULL THEN coalesce(w.without_amount, 0) END AS proceedings_without_amount,
           f.complete AS fssp_complete, d.total_sum AS tax_debt_rub,
           d.complete AS tax_debts_complete, o.total_sum AS tax_fines_rub, o.complete AS tax_offences_complete,
           p.total_pledges AS pledges, p.complete AS pledges_complete, z.count AS freezes, z.complete AS freezes_complete
    FROM askable_inns k
    LEFT JOIN (SELECT v.*, t.active_debt_rub, t.active_proceedings FROM versions v
               LEFT JOIN core.fssp t USING (version_id) WHERE v.block = 'fssp') f ON f.inn = k.inn
    LEFT JOIN proceedings w ON w.version_id = f.version_id
    LEFT JOIN (SELECT v.*, t.total_sum FROM versions v
               LEFT JOIN core.tax_debts t USING (version_id) WHERE v.block = 'tax_debts') d ON d.inn = k.inn
    LEFT JOIN (SELECT v.*, t.total_sum FROM versions v
               LEFT JOIN core.tax_offences t USING (version_id) WHERE v.block = 'tax_offences') o ON o.inn = k.inn
    LEFT JOIN (SELECT v.*, t.total_pledges FROM versions v
               LEFT JOIN core.pledges t USING (version_id) WHERE v.block = 'pledges') p ON p.inn = k.inn
    LEFT JOIN (SELECT v.*, t.count FROM versions v
               LEFT JOIN core.freezes t USING (version_id) WHERE v.block = 'freezes') z ON z.inn = k.inn
),
disputes AS MATERIALIZED (
    SELECT k.inn, a.total_cases AS cases, a.as_respondent AS cases_as_respondent, a.complete AS arbitration_complete,
           (CASE WHEN claims.cases IS NULL AND a.as_respondent = 0 THEN 0 ELSE claims.claims END)::DECIMAL(18, 2)
               AS claims_rub,
           CASE WHEN a.as_respondent IS NOT NULL THEN coalesce(claims.without_amount, 0) END AS claims_without_amount,
           g.total_cases AS general_court_cases, g.complete AS general_courts_complete,
           b.status AS bankruptcy_stage, coalesce(b.status IS NOT NULL OR NOT b.has_bankruptcy, false) AS bankruptcy_known,
           b.has_intention AS bankruptcy_intention,
           CASE WHEN s.inn IS NOT NULL THEN coalesce(hits.hits, 0) END AS sanction_hits,
           s.complete AS sanctions_complete
    FROM askable_inns k
    LEFT JOIN (SELECT v.*, t.total_cases, t.as_respondent FROM versions v
               LEFT JOIN core.arbitration t USING (version_id) WHERE v.block = 'arbitration') a ON a.inn = k.inn
    LEFT JOIN claims ON claims.version_id = a.version_id
    LEFT JOIN (SELECT v.*, t.total_cases FROM versions v
               LEFT JOIN core.general_courts t USING (version_id) WHERE v.block = 'general_courts') g ON g.inn = k.inn
    LEFT JOIN (SELECT v.*, t.status, t.has_intention, t.has_bankruptcy FROM versions v
               LEFT JOIN core.bankruptcy t USING (version_id) WHERE v.block = 'bankruptcy') b ON b.inn = k.inn
    LEFT JOIN versions s ON s.inn = k.inn AND s.block = 'sanctions'
    LEFT JOIN hits ON hits.version_id = s.version_id
),
activity AS MATERIALIZED (
    SELECT k.inn, CASE WHEN u.active > 0 OR u.complete THEN u.active > 0 END AS rnp_active,
           u.complete AS rnp_complete, c.total_contracts AS contracts,
           c.total_amount AS contracts_rub, c.supplier_amount AS contracts_as_supplier_rub,
           c.customer_amount AS contracts_as_customer_rub, c.complete AS contracts_complete,
           i.with_violations AS inspections_with_violations, i.complete AS inspections_complete,
           l.total AS licenses, l.complete AS licenses_complete, m.total AS trademarks, m.complete AS trademarks_complete
    FROM askable_inns k
    LEFT JOIN (SELECT v.*, t.active FROM versions v
               LEFT JOIN core.rnp t USING (version_id) WHERE v.block = 'rnp') u ON u.inn = k.inn
    LEFT JOIN (SELECT v.*, t.total_contracts, t.total_amount, t.supplier_amount, t.customer_amount FROM versions v
               LEFT JOIN core.contracts t USING (version_id) WHERE v.block = 'contracts') c ON c.inn = k.inn
    LEFT JOIN (SELECT v.*, t.with_violations FROM versions v
               LEFT JOIN core.inspections t USING (version_id) WHERE v.block = 'inspections') i ON i.inn = k.inn
    LEFT JOIN (SELECT v.*, t.total FROM versions v
               LEFT JOIN core.licenses t USING (version_id) WHERE v.block = 'licenses') l ON l.inn = k.inn
    LEFT JOIN (SELECT v.*, t.total FROM versions v
               LEFT JOIN core.trademarks t USING (version_id) WHERE v.block = 'trademarks') m ON m.inn = k.inn
)
SELECT b.inn, CASE length(b.inn) WHEN 10 THEN 'company' ELSE 'person' END AS kind,
       coalesce(i.name, m.name) AS name, i.short_name, m.name AS portfolio_name,
       coalesce(m.portfolios, []) AS portfolios, coalesce(m.tags, []) AS tags,
       array_to_string(coalesce(m.tags, []), ', ') AS tags_text, m.extra, left(b.inn, 2) AS region,
       i.status, i.status_description, i.registration_date, i.liquidation_date, i.age_years, i.director, i.address,
       i.okved_main, i.okved_name, i.authorized_capital_rub, i.sme_category, i.sme_category_source,
       i.headcount, i.headcount_source, i.headcount_date,
       CASE WHEN i.by_statements THEN i.statements_revenue ELSE i.revenue END AS revenue_rub,
       CASE WHEN NOT i.by_statements THEN i.expense END AS expense_rub,
       CASE WHEN i.by_statements THEN make_date(i.revenue_year, 12, 31)
            WHEN i.revenue IS NOT NULL THEN i.period END AS revenue_period,
       CASE WHEN i.by_statements THEN 'financial' WHEN i.revenue IS NOT NULL THEN 'revexp' END AS revenue_source,
       i.net_profit_rub, i.statements_year,
       d.active_debt_rub, d.active_proceedings, d.proceedings_without_amount, d.fssp_complete,
       d.tax_debt_rub, d.tax_debts_complete, d.tax_fines_rub, d.tax_offences_complete, c.cases, c.cases_as_respondent, c.claims_rub, c.claims_without_amount,
       c.arbitration_complete,
       c.general_court_cases, c.general_courts_complete, d.freezes, d.freezes_complete, c.sanction_hits,
       c.sanctions_complete, a.rnp_active, a.rnp_complete, c.bankruptcy_stage, c.bankruptcy_known,
       c.bankruptcy_intention, a.contracts, a.contracts_rub, a.contracts_as_supplier_rub, a.contracts_as_customer_rub,
       a.contracts_complete, d.pledges, d.pledges_complete, a.inspections_with_violations, a.inspections_complete,
       a.licenses, a.licenses_complete, a.trademarks, a.trademarks_complete,
       r.score, r.score_at_most, r.level, r.level_known, r.level_at_most, r.unknown_blocks, r.unknown_since,
       r.never_requested_blocks, r.stale_blocks, r.known_part, b.askable AS blocks_askable, b.confirmed AS blocks_confirmed,
       CASE WHEN r.inn IS NOT NULL THEN b.stale END AS blocks_stale, b.unconfirmed AS blocks_unconfirmed,
       b.never_asked AS blocks_never_asked, b.newest_checked_at, b.oldest_checked_at, b.collected_at
FROM blocks b
JOIN identities i ON i.inn = b.inn
JOIN debts d ON d.inn = b.inn
JOIN disputes c ON c.inn = b.inn
JOIN activity a ON a.inn = b.inn
LEFT JOIN risk r ON r.inn = b.inn
LEFT JOIN members m ON m.inn = b.inn
