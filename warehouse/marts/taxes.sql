-- Taxes: one row per INN and debt, fine, payment or regime, by year where the source gives one. A debt of the data set and of the card are two rows.
-- question it answers: Which taxes are owed, fined and paid?
-- depends on: inn
-- moves with requests: checked_at, collected_at, source_date by version_id
-- {inn_comments}
-- kind: debt, fine, payment or regime.
-- year: Year of the debt, payment or regime; of a debt of the data set the year of as_of; NULL if none is given, as of a fine.
-- period: Period within the year, as received.
-- tax: Tax, fee, contribution or penalty; of a regime its name.
-- kbk: Budget classification code of a payment by the card.
-- regime_code: Code of the regime.
-- amount_rub: Debt with penalty and fines, fine, or amount paid; NULL of a regime.
-- arrears_rub: Part of the debt: arrears, by the card.
-- penalty_rub: Part of the debt: penalty interest, by the card.
-- fines_rub: Part of the debt: fines, by the card.
-- as_of: Day of the debt in the tax authority's data set; NULL by the card, and of a fine, which has the day of its data set in source_date.
-- block: Block of the row: tax_debts, tax_offences or company.
-- {evidence_comments}
WITH {evidence},
known AS (FROM evidence WHERE block IN ('tax_debts', 'tax_offences', 'company')),
facts AS (
    SELECT version_id, 'tax_debts__records' AS list, records_no AS row_no, 'debt' AS kind, year(record_date) AS year,
           NULL AS period, debt_type AS tax, NULL AS kbk, NULL AS regime_code, sum AS amount_rub,
           NULL::DECIMAL(18, 2) AS arrears_rub, NULL::DECIMAL(18, 2) AS penalty_rub, NULL::DECIMAL(18, 2) AS fines_rub,
           record_date AS as_of
    FROM core.tax_debts__records
    UNION ALL BY NAME
    SELECT version_id, 'tax_offences__records' AS list, records_no AS row_no, 'fine' AS kind, sum AS amount_rub
    FROM core.tax_offences__records
    UNION ALL BY NAME
    SELECT version_id, 'company__tax_debts' AS list, tax_debts_no AS row_no, 'debt' AS kind, year, period, kbkname AS tax,
           totalsum AS amount_rub, arrearsum AS arrears_rub, penaltysum AS penalty_rub, finesum AS fines_rub
    FROM core.company__tax_debts
    UNION ALL BY NAME
    SELECT version_id, 'company__tax_payments' AS list, tax_payments_no AS row_no, 'payment' AS kind, year, kbkname AS tax,
           kbk, taxsum AS amount_rub
    FROM core.company__tax_payments
    UNION ALL BY NAME
    -- The same payments again; only of a year of which the list has none. The list has many rows of each year.
    SELECT y.version_id, 'company__tax_payments_by_year' AS list, 'payment' AS kind, y.year, y.tax_name AS tax,
           y.amount AS amount_rub
    FROM core.company__tax_payments_by_year y
    ANTI JOIN (SELECT DISTINCT version_id, year FROM core.company__tax_payments) p
         ON p.version_id = y.version_id AND p.year = y.year
    UNION ALL BY NAME
    SELECT version_id, 'company__tax_regimes' AS list, tax_regimes_no AS row_no, 'regime' AS kind, year, period,
           "taxName" AS tax, "taxCode" AS regime_code
    FROM core.company__tax_regimes
    UNION ALL BY NAME
    SELECT version_id, 'company' AS list, 'regime' AS kind, tax_regime AS tax FROM core.company WHERE tax_regime IS NOT NULL
)
SELECT {inn_columns}, f.kind, f.year, f.period, f.tax, f.kbk, f.regime_code, f.amount_rub, f.arrears_rub, f.penalty_rub,
       f.fines_rub, f.as_of, k.block, {evidence_columns}
{from_facts}
