-- Comparison of sources that report the same fact: one row per INN and pair of sources of which at least one is known.
-- question it answers: Where do two sources contradict one another?
-- depends on: inn
-- moves with requests: checked_at, collected_at, source_date by left_source, right_source
-- inn: INN that was checked.
-- check_name: What is compared.
-- title: The same as a title, English.
-- title_ru: The same as a title, Russian.
-- period: Period of both values: a year, or a date; NULL for the present state.
-- left_source: First source, as block.field.
-- left_value: Its value; NULL if it is not known.
-- right_source: Second source.
-- right_value: Its value; NULL if it is not known.
-- difference_pct: Difference of two numbers as a percentage of the greater; NULL for text.
-- tolerance_pct: Difference up to which they agree.
-- agrees: Whether they agree; NULL if one of them is not known. The number of rows of an incomplete list is not known, nor that it has none.
-- checked_at: Older of the confirmation times of the two, UTC; this and what follows is of one of them if the other is not known.
-- collected_at: When the service collected the older of the two, UTC.
-- source_date: Older of the dates of the data sets of the two; NULL if neither block has one.
-- confirmed: Whether the latest response of each block is evidence and contains the value; false if one of them, or a row that it is counted from, is known from an earlier response only.
-- complete: Whether the lists of both blocks are complete; false if one is partial or capped.
WITH {evidence},
known AS (
    SELECT inn, block, version_id, snapshot_id, checked_at, collected_at, source_date, confirmed, unmerged, complete
    FROM evidence
    WHERE block IN ('arbitration', 'bankruptcy', 'company', 'employees', 'financial', 'fssp', 'msp', 'revexp',
                    'risk_flags', 'rnp', 'sanctions', 'tax_debts')
),
facts_of_versions (version_id, source, period, amount, flag, word, needs_whole_list, year) AS (
    -- Of all versions: one join with those that are known takes less memory than one for each table.
    SELECT version_id, 'revexp.revenue', year(period)::VARCHAR, revenue, NULL::BOOLEAN, NULL, false, NULL::INTEGER
    FROM core.revexp
    UNION ALL
    SELECT version_id, 'financial.revenue', year::VARCHAR, amount, NULL, NULL, false, year
    FROM core.financial__indicators WHERE indicator = 'revenue'
    UNION ALL
    -- Lines of earlier years stay known. The capital is that of the newest balance, or of the year before.
    SELECT version_id, 'financial.lines.1310', NULL, arg_max(amount, year) FILTER (line_code = '1310'), NULL, NULL, false,
           max(year) FILTER (line_code = '1310')
    FROM core.financial__lines WHERE form = 'balance' AND line_code IN ('1310', '1600') GROUP BY version_id
    HAVING max(year) FILTER (line_code = '1310') >= max(year) - 1
    UNION ALL
    SELECT version_id, unnest(['employees.headcount', 'employees.headcount of the year']),
           unnest([NULL, year(publish_date)::VARCHAR]), headcount, NULL, NULL, false, NULL
    FROM core.employees
    UNION ALL
    SELECT version_id, 'company.employees_history', year::VARCHAR, count, NULL, NULL, false, year
    FROM core.company__employees_history
    UNION ALL
    SELECT version_id, 'company.tax_debts', NULL, sum(totalsum), NULL, NULL, false, NULL
    FROM core.company__tax_debts GROUP BY version_id
    UNION ALL
    SELECT version_id, 'tax_debts.total_sum', NULL, total_sum, NULL, NULL, false, NULL FROM core.tax_debts
    UNION ALL
    SELECT version_id, unnest(['company.employee_count', 'company.authorized_capital']), NULL,
           unnest([employee_count, authorized_capital]), NULL, NULL, false, NULL
    FROM core.company
    UNION ALL
    SELECT version_id,
           unnest(['company.status', 'company.sanctions', 'company.unfair_supplier', 'company.disqualified_persons',
                   'company.mass_director', 'company.mass_founder', 'company.mass_address', 'company.sme_category']),
           NULL, NULL,
           unnest([CASE WHEN status = 'bankruptcy' THEN true
                        WHEN status IN ('active', 'reorganizing', 'liquidating') THEN false END,
                   sanctions, unfair_supplier, disqualified_persons, mass_director, mass_founder, mass_address, NULL]),
           unnest([NULL, NULL, NULL, NULL, NULL, NULL, NULL, sme_category]), false, NULL
    FROM core.company
    UNION ALL
    SELECT version_id,
           unnest(['risk_flags.disqualified_persons', 'risk_flags.mass_director', 'risk_flags.mass_founder',
                   'risk_flags.mass_address']), NULL, NULL,
           unnest([disqualified_persons, mass_director, mass_founder, mass_address]), NULL, false, NULL
    FROM core.risk_flags
    UNION ALL
    SELECT version_id, 'risk_flags.authorized_capital', NULL, authorized_capital, NULL, NULL, false, NULL
    FROM core.risk_flags
    UNION ALL
    SELECT version_id, unnest(['msp.headcount', 'msp.category']), NULL, unnest([headcount, NULL]), NULL,
           unnest([NULL, CASE WHEN coalesce(name, ogrn, category) IS NULL THEN 'not in the register' ELSE category END]), false,
           NULL
    FROM core.msp
    UNION ALL
    SELECT version_id, 'bankruptcy.has_bankruptcy', NULL, NULL, has_bankruptcy, NULL, false, NULL FROM core.bankruptcy
    UNION ALL
    SELECT version_id, 'sanctions.hits', NULL, NULL, coalesce(n, 0) > 0, NULL, coalesce(n, 0) = 0, NULL
    FROM core.sanctions LEFT JOIN (
        -- The flag of the card is about the company alone.
        SELECT version_id, count(*) AS n FROM core.sanctions__hits
        WHERE coalesce(match_confidence, '') <> 'low' AND NOT ({of_manager})
        GROUP BY version_id
    ) USING (version_id)
    UNION ALL
    SELECT version_id, 'rnp.active', NULL, NULL, active > 0, NULL, active = 0, NULL FROM core.rnp
    UNION ALL
    SELECT version_id, unnest(['arbitration.total_cases', 'arbitration.cases']), NULL,
           unnest([total_cases, coalesce(n, 0)]), NULL, NULL, unnest([false, true]), NULL
    FROM core.arbitration
    LEFT JOIN (SELECT version_id, count(*) AS n FROM core.arbitration__cases GROUP BY version_id) USING (version_id)
    UNION ALL
    SELECT version_id, unnest(['fssp.total_proceedings', 'fssp.proceedings']), NULL,
           unnest([total_proceedings, coalesce(n, 0)]), NULL, NULL, unnest([false, true]), NULL
    FROM core.fssp
    LEFT JOIN (SELECT version_id, count(*) AS n FROM core.fssp__proceedings GROUP BY version_id) USING (version_id)
),
checks (number, check_name, title, title_ru, left_source, right_source, tolerance_pct) AS (VALUES
    (1, 'revenue', 'Revenue: open data and statements', 'Выручка: открытые данные и отчётность',
     'revexp.revenue', 'financial.revenue', 5),
    (2, 'headcount', 'Headcount of the year: open data and card', 'Численность за год: открытые данные и карточка',
     'employees.headcount of the year', 'company.employees_history', 0),
    (3, 'headcount now', 'Headcount: open data and card', 'Численность: открытые данные и карточка',
     'employees.headcount', 'company.employee_count', 10),
    (4, 'headcount msp', 'Headcount: open data and register of small business',
     'Численность: открытые данные и реестр МСП', 'employees.headcount', 'msp.headcount', 10),
    (5, 'tax debts', 'Tax debts: open data and card', 'Налоговая задолженность: открытые данные и карточка',
     'tax_debts.total_sum', 'company.tax_debts', 5),
    (6, 'capital', 'Authorized capital: card and balance sheet', 'Уставный капитал: карточка и баланс',
     'company.authorized_capital', 'financial.lines.1310', 1),
    (7, 'capital flags', 'Authorized capital: card and risk flags', 'Уставный капитал: карточка и признаки риска',
     'company.authorized_capital', 'risk_flags.authorized_capital', 0),
    (8, 'status', 'Bankruptcy: status of the card and bankruptcy register', 'Банкротство: статус карточки и реестр',
     'company.status', 'bankruptcy.has_bankruptcy', 0),
    (9, 'sanctions', 'Sanctions: card and lists', 'Санкции: карточка и списки',
     'company.sanctions', 'sanctions.hits', 0),
    (10, 'unfair supplier', 'Unfair supplier: card and register', 'Недобросовестный поставщик: карточка и реестр',
     'company.unfair_supplier', 'rnp.active', 0),
    (11, 'disqualified persons', 'Disqualified persons: card and risk flags',
     'Дисквалифицированные лица: карточка и признаки риска',
     'company.disqualified_persons', 'risk_flags.disqualified_persons', 0),
    (12, 'mass director', 'Mass director: card and risk flags', 'Массовый руководитель: карточка и признаки риска',
     'company.mass_director', 'risk_flags.mass_director', 0),
    (13, 'mass founder', 'Mass founder: card and risk flags', 'Массовый учредитель: карточка и признаки риска',
     'company.mass_founder', 'risk_flags.mass_founder', 0),
    (14, 'mass address', 'Mass address: card and risk flags', 'Массовый адрес: карточка и признаки риска',
     'company.mass_address', 'risk_flags.mass_address', 0),
    (15, 'size', 'Small-business category: card and register', 'Категория МСП: карточка и реестр',
     'company.sme_category', 'msp.category', 0),
    (16, 'case count', 'Arbitration cases: counter and list', 'Арбитражные дела: счётчик и список',
     'arbitration.total_cases', 'arbitration.cases', 0),
    (17, 'proceeding count', 'Enforcement proceedings: counter and list', 'Производства: счётчик и список',
     'fssp.total_proceedings', 'fssp.proceedings', 0)
),
-- The list whose rows a source shows, counts or adds. `needs_unmerged`: the value itself is in a row without an ordinal,
-- which is confirmed only if nothing was kept from an earlier response; so is each source that is not listed.
lists (source, list, needs_unmerged) AS (VALUES
    ('financial.revenue', 'financial__years', true), ('financial.lines.1310', 'financial__years', true),
    ('company.employees_history', 'company__employees_history', false),
    ('company.tax_debts', 'company__tax_debts', false), ('tax_debts.total_sum', 'tax_debts__records', true),
    ('sanctions.hits', 'sanctions__hits', false), ('rnp.active', 'rnp__records', true),
    ('arbitration.total_cases', 'arbitration__cases', true), ('arbitration.cases', 'arbitration__cases', false),
    ('fssp.total_proceedings', 'fssp__proceedings', true), ('fssp.proceedings', 'fssp__proceedings', false)
),
kept AS (
    SELECT snapshot_id, list({'list': list, 'years': years, 'is_whole': is_whole}) AS kept_lists
    FROM (
        SELECT k.snapshot_id, r.table_name AS list, list(coalesce(y.value, h.year)) AS years,
               bool_or(y.value IS NULL AND h.year IS NULL) AS is_whole
        FROM known k
        JOIN lineage.kept_rows r ON r.snapshot_id = k.snapshot_id AND r.table_name IN (SELECT list FROM lists)
        LEFT JOIN core.financial__years y
             ON r.table_name = 'financial__years' AND y.version_id = k.version_id AND y.years_no = r.row_no
        LEFT JOIN core.company__employees_history h
             ON r.table_name = 'company__employees_history' AND h.version_id = k.version_id
             AND h.employees_history_no = r.row_no
        GROUP BY k.snapshot_id, r.table_name
    ) GROUP BY snapshot_id
),
facts AS MATERIALIZED (
    -- A narrow decimal takes half the time of the wide one that sums have.
    SELECT k.inn, f.source, f.period, f.amount, k.checked_at, k.collected_at, k.source_date, k.complete,
           k.confirmed AND (k.unmerged OR NOT coalesce(s.needs_unmerged, true))
           AND NOT coalesce(list_bool_or(list_transform(k.kept_lists, lambda p: p.list = s.list
               AND (p.is_whole OR f.year IS NULL OR list_contains(p.years, f.year)))), false) AS confirmed,
           coalesce(replace(coalesce(try_cast(amount AS DECIMAL(18, 2))::VARCHAR, amount::VARCHAR), '.00', ''),
                    CASE flag WHEN true THEN 'yes' WHEN false THEN 'no' END, word) AS value
    FROM facts_of_versions f
    JOIN (FROM known LEFT JOIN kept USING (snapshot_id)) k USING (version_id)
    LEFT JOIN lists s ON s.source = f.source
    WHERE (amount IS NOT NULL OR flag IS NOT NULL OR word IS NOT NULL) AND (k.complete OR NOT f.needs_whole_list)
),
lefts AS (SELECT c.number, f.* EXCLUDE (source) FROM checks c JOIN facts f ON f.source = c.left_source),
rights AS (SELECT c.number, f.* EXCLUDE (source) FROM checks c JOIN facts f ON f.source = c.right_source),
pairs AS (
    SELECT l.number, l.inn, l.period, l.value AS left_value, r.value AS right_value,
           l.amount AS left_amount, r.amount AS right_amount,
           least(l.checked_at, r.checked_at) AS checked_at, least(l.collected_at, r.collected_at) AS collected_at,
           least(l.source_date, r.source_date) AS source_date,
           l.confirmed AND coalesce(r.confirmed, true) AS confirmed,
           l.complete AND coalesce(r.complete, true) AS complete
    FROM lefts l LEFT JOIN rights r
         ON r.number = l.number AND r.inn = l.inn AND coalesce(r.period, '') = coalesce(l.period, '')
    UNION ALL BY NAME
    -- Of a right source alone the latest period.
    SELECT r.number, r.inn, r.period, r.value AS right_value, r.amount AS right_amount, r.checked_at,
           r.collected_at, r.source_date, r.confirmed, r.complete
    FROM (FROM rights t ANTI JOIN lefts l ON l.number = t.number AND l.inn = t.inn) r
    QUALIFY row_number() OVER (PARTITION BY r.number, r.inn ORDER BY r.period DESC NULLS LAST) = 1
)
SELECT p.inn, c.check_name, c.title, c.title_ru, p.period, c.left_source, p.left_value, c.right_source, p.right_value,
       CASE WHEN left_amount IS NOT NULL AND right_amount IS NOT NULL
            THEN coalesce(round(abs(left_amount - right_amount)::DOUBLE
                 / nullif(greatest(abs(left_amount), abs(right_amount)), 0)::DOUBLE * 100, 2), 0.0) END AS difference_pct,
       c.tolerance_pct,
       CASE WHEN left_value IS NULL OR right_value IS NULL THEN NULL
            WHEN left_amount IS NOT NULL AND right_amount IS NOT NULL
            THEN abs(left_amount - right_amount) * 100
                 <= tolerance_pct * greatest(abs(left_amount), abs(right_amount))
            ELSE lower(left_value) = lower(right_value) END AS agrees,
       p.checked_at, p.collected_at, p.source_date, p.confirmed, p.complete
FROM pairs p JOIN checks c ON c.number = p.number
