-- Average headcount by year and source: one row per INN, block and year or day. mart.cross_checks compares the latest ones.
-- question it answers: How many people work there, by year and source?
-- depends on: inn
-- moves with requests: checked_at, collected_at, source_date by version_id
-- {inn_comments}
-- block: Source: employees (tax authority's data set), msp (register of small business), company, risk_flags or financial.
-- year: Year of the average; of the data set the year of as_of. NULL of msp, which gives none.
-- as_of: Reporting date of the data set; of msp the date of the entry, which may be that of the inclusion. NULL for a year's average.
-- headcount: Number of employees; 0 of company, risk_flags and financial may mean that none is published.
-- {evidence_comments}
WITH {evidence},
known AS (FROM evidence WHERE block IN ('employees', 'msp', 'company', 'risk_flags', 'financial')),
facts AS (
    SELECT version_id, 'employees' AS list, NULL::BIGINT AS row_no, year(publish_date) AS year, publish_date AS as_of, headcount
    FROM core.employees WHERE headcount IS NOT NULL
    UNION ALL BY NAME
    SELECT version_id, 'msp' AS list, as_of, headcount FROM core.msp WHERE headcount IS NOT NULL
    UNION ALL BY NAME
    SELECT version_id, 'company__employees_history' AS list, employees_history_no AS row_no, year, count AS headcount
    FROM core.company__employees_history
    UNION ALL BY NAME
    SELECT version_id, 'risk_flags__employees_history' AS list, employees_history_no AS row_no, year, count AS headcount
    FROM core.risk_flags__employees_history
    UNION ALL BY NAME
    SELECT version_id, 'financial__employees_history' AS list, employees_history_no AS row_no, year, count AS headcount
    FROM core.financial__employees_history
)
SELECT {inn_columns}, k.block, f.year, f.as_of, f.headcount, {evidence_columns}
{from_facts}
