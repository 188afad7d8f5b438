-- Financial statements in columns, with ratios: one row per INN and year. A ratio is NULL if a part is not known or the divisor is 0.
-- question it answers: How do revenue, profit and ratios develop by year?
-- depends on: inn
-- moves with requests: checked_at, collected_at by version_id
-- inn: INN that was checked.
-- year: Year of the statements.
-- revenue_rub: Revenue, line 2110.
-- cost_rub: Cost of sales, line 2120, with the sign of the statements.
-- gross_profit_rub: Gross profit, line 2100.
-- operating_profit_rub: Profit from sales, line 2200.
-- profit_before_tax_rub: Profit before tax, line 2300.
-- net_profit_rub: Net profit, line 2400; negative is a loss.
-- assets_rub: Total assets, line 1600.
-- current_assets_rub: Current assets, line 1200.
-- non_current_assets_rub: Non-current assets, line 1100.
-- inventories_rub: Inventories, line 1210.
-- receivables_rub: Receivables, line 1230.
-- cash_rub: Cash at the end of the year: line 1250 of the balance, otherwise line 4500 of the cash-flow report.
-- equity_rub: Equity, line 1300; negative where liabilities exceed assets.
-- long_term_liabilities_rub: Long-term liabilities, line 1400.
-- short_term_liabilities_rub: Short-term liabilities, line 1500.
-- payables_rub: Payables, line 1520.
-- operating_cash_flow_rub: Net cash from operations, line 4100.
-- taxes_paid_rub: Taxes paid, line 4124.
-- wages_paid_rub: Wages paid, line 4122.
-- net_margin: Net profit divided by revenue.
-- operating_margin: Profit from sales divided by revenue.
-- return_on_assets: Net profit divided by total assets.
-- return_on_equity: Net profit divided by equity; NULL if equity is not positive.
-- current_ratio: Current assets divided by short-term liabilities.
-- autonomy: Equity divided by total assets.
-- debt_to_equity: Long-term and short-term liabilities divided by equity; NULL if equity is not positive.
-- revenue_growth: Revenue divided by that of the year before, minus 1; NULL if one of them is not known.
-- tax_burden_pct: Taxes paid as a share of revenue, percent, as the service computes it.
-- source: Source of the figures: statements.
-- version_id: Version that contains them.
-- checked_at: Time of the latest request that confirmed them, UTC.
-- collected_at: When the service collected the data of that response, UTC.
-- confirmed: Whether the latest response of the block is evidence and lists the year; false if only an earlier one does. Lines of a year that is no longer one of the latest two may be known from an earlier one.
-- complete: Whether that response was read completely; false if part of it had another structure.
WITH {requested_states},
known AS (
    SELECT inn, version_id, snapshot_id, checked_at, collected_at, state IN {evidence_states} AS confirmed, complete
    FROM requested_states WHERE block = 'financial' AND version_id IS NOT NULL
),
indicators AS (
    SELECT i.version_id, i.year,
           max(i.amount) FILTER (i.indicator = 'accounts_payable') AS accounts_payable,
           max(i.amount) FILTER (i.indicator = 'accounts_receivable') AS accounts_receivable,
           max(i.amount) FILTER (i.indicator = 'cash_balance_end') AS cash_balance_end,
           max(i.amount) FILTER (i.indicator = 'cash_flow_operations') AS cash_flow_operations,
           max(i.amount) FILTER (i.indicator = 'cash_pay_tax') AS cash_pay_tax,
           max(i.amount) FILTER (i.indicator = 'cash_pay_wages') AS cash_pay_wages,
           max(i.amount) FILTER (i.indicator = 'current_assets') AS current_assets,
           max(i.amount) FILTER (i.indicator = 'equity') AS equity,
           max(i.amount) FILTER (i.indicator = 'gross_profit') AS gross_profit,
           max(i.amount) FILTER (i.indicator = 'long_term_liabilities') AS long_term_liabilities,
           max(i.amount) FILTER (i.indicator = 'net_profit') AS net_profit,
           max(i.amount) FILTER (i.indicator = 'non_current_assets') AS non_current_assets,
           max(i.amount) FILTER (i.indicator = 'operating_profit') AS operating_profit,
           max(i.amount) FILTER (i.indicator = 'profit_before_tax') AS profit_before_tax,
           max(i.amount) FILTER (i.indicator = 'revenue') AS revenue,
           max(i.amount) FILTER (i.indicator = 'short_term_liabilities') AS short_term_liabilities,
           max(i.amount) FILTER (i.indicator = 'total_assets') AS total_assets
    FROM core.financial__indicators i SEMI JOIN known USING (version_id) GROUP BY i.version_id, i.year
),
lines AS (
    SELECT l.version_id, l.year,
           max(l.amount) FILTER (l.form = 'income' AND l.line_code = '2120') AS cost_rub,
           max(l.amount) FILTER (l.form = 'balance' AND l.line_code = '1210') AS inventories_rub,
           max(l.amount) FILTER (l.form = 'balance' AND l.line_code = '1250') AS cash_rub
    FROM core.financial__lines l SEMI JOIN known USING (version_id) GROUP BY l.version_id, l.year
),
years AS (SELECT version_id, year FROM indicators UNION SELECT version_id, year FROM lines),
kept_years AS (
    SELECT DISTINCT k.inn, y.value AS year
    FROM known k
    JOIN lineage.kept_rows r ON r.snapshot_id = k.snapshot_id AND r.table_name = 'financial__years'
    JOIN core.financial__years y ON y.version_id = k.version_id AND y.years_no = r.row_no
),
figures AS (
    SELECT k.inn, y.year,
           i.revenue AS revenue_rub, l.cost_rub, i.gross_profit AS gross_profit_rub,
           i.operating_profit AS operating_profit_rub, i.profit_before_tax AS profit_before_tax_rub,
           i.net_profit AS net_profit_rub, i.total_assets AS assets_rub,
           i.current_assets AS current_assets_rub, i.non_current_assets AS non_current_assets_rub,
           l.inventories_rub, i.accounts_receivable AS receivables_rub,
           coalesce(l.cash_rub, i.cash_balance_end) AS cash_rub, i.equity AS equity_rub,
           i.long_term_liabilities AS long_term_liabilities_rub,
           i.short_term_liabilities AS short_term_liabilities_rub, i.accounts_payable AS payables_rub,
           i.cash_flow_operations AS operating_cash_flow_rub, i.cash_pay_tax AS taxes_paid_rub,
           i.cash_pay_wages AS wages_paid_rub, b.value AS tax_burden_pct,
           k.version_id, k.checked_at, k.collected_at, k.confirmed AND e.inn IS NULL AS confirmed, k.complete
    FROM years y JOIN known k USING (version_id)
    LEFT JOIN indicators i USING (version_id, year)
    LEFT JOIN lines l USING (version_id, year)
    LEFT JOIN core.financial__tax_burden_pct b USING (version_id, year)
    LEFT JOIN kept_years e ON e.inn = k.inn AND e.year = y.year
)
SELECT f.inn, f.year, f.revenue_rub, f.cost_rub, f.gross_profit_rub, f.operating_profit_rub, f.profit_before_tax_rub,
       f.net_profit_rub, f.assets_rub, f.current_assets_rub, f.non_current_assets_rub, f.inventories_rub,
       f.receivables_rub, f.cash_rub, f.equity_rub, f.long_term_liabilities_rub, f.short_term_liabilities_rub,
       f.payables_rub, f.operating_cash_flow_rub, f.taxes_paid_rub, f.wages_paid_rub,
       f.net_profit_rub::DOUBLE / nullif(f.revenue_rub, 0)::DOUBLE AS net_margin,
       f.operating_profit_rub::DOUBLE / nullif(f.revenue_rub, 0)::DOUBLE AS operating_margin,
       f.net_profit_rub::DOUBLE / nullif(f.assets_rub, 0)::DOUBLE AS return_on_assets,
       CASE WHEN f.equity_rub > 0 THEN f.net_profit_rub::DOUBLE / f.equity_rub::DOUBLE END AS return_on_equity,
       f.current_assets_rub::DOUBLE / nullif(f.short_term_liabilities_rub, 0)::DOUBLE AS current_ratio,
       f.equity_rub::DOUBLE / nullif(f.assets_rub, 0)::DOUBLE AS autonomy,
       CASE WHEN f.equity_rub > 0 THEN (f.long_term_liabilities_rub + f.short_term_liabilities_rub)::DOUBLE
            / f.equity_rub::DOUBLE END AS debt_to_equity,
       f.revenue_rub::DOUBLE / nullif(p.revenue_rub, 0)::DOUBLE - 1 AS revenue_growth,
       f.tax_burden_pct, 'statements' AS source, f.version_id, f.checked_at, f.collected_at, f.confirmed, f.complete
FROM figures f LEFT JOIN figures p ON p.inn = f.inn AND p.year = f.year - 1
