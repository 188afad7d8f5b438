"""Rules over enforcement, taxes, courts, statements and size."""

from innspect.schemas.change_severity import ALERT, INFO, NOTICE
from innspect.warehouse.risk.rule import COMPANY, Rule, money

ARBITRATION = "arbitration.cases"
COURTS = "general_courts.cases.role"
STATEMENTS = "financial.indicators"

MONEY: tuple[Rule, ...] = (
    Rule(
        "enforcement_no_assets", "Enforcement ended without assets", "Взыскание окончено: нет имущества", ALERT, 25,
        "fssp", "A proceeding ended because neither debtor nor assets were found.",
        "fssp.completed_no_assets, proceedings.completion_reason",
        "t.completed_no_assets > 0 OR coalesce(a.no_assets, 0) > 0", "a.no_assets_since",
        "'proceedings: ' || greatest(t.completed_no_assets, a.no_assets)",
    ),
    Rule(
        "enforcement_active", "Active enforcement", "Действующие исполнительные производства", NOTICE, 10, "fssp",
        "A proceeding is active.", "fssp.active_proceedings, proceedings.is_active",
        "t.active_proceedings > 0 OR coalesce(a.active, 0) > 0", "a.active_since",
        "'proceedings: ' || greatest(t.active_proceedings, a.active) || ', ' || " + money("t.active_debt_rub"),
    ),
    Rule(
        "enforcement_large", "Large debt under enforcement", "Крупный долг у приставов", ALERT, 20, "fssp",
        "Active proceedings amount to 1 000 000 RUB or more; not known if they amount to less and some have no amount.",
        "fssp.active_debt_rub, proceedings.sum",
        "CASE WHEN t.active_debt_rub >= 1000000 THEN true WHEN coalesce(a.active_unpriced, 0) > 0 THEN NULL "
        "WHEN t.active_debt_rub IS NOT NULL THEN false END", "a.active_since", money("t.active_debt_rub"),
    ),
    Rule(
        "tax_debt", "Tax debt", "Налоговая задолженность", NOTICE, 10, "tax_debts",
        "The tax authority's data set has a debt.", "tax_debts.total_sum",
        "t.total_sum > 0", "a.since", money("t.total_sum"), digits=COMPANY,
    ),
    Rule(
        "tax_debt_large", "Large tax debt", "Крупная налоговая задолженность", ALERT, 20, "tax_debts",
        "The debt is 500 000 RUB or more.", "tax_debts.total_sum", "t.total_sum >= 500000", "a.since",
        money("t.total_sum"), digits=COMPANY,
    ),
    Rule(
        "tax_fines", "Fines for tax offences", "Штрафы за налоговые правонарушения", INFO, 5, "tax_offences",
        "The tax authority's data set has a fine.", "tax_offences.total_sum", "t.total_sum > 0",
        evidence=money("t.total_sum"), digits=COMPANY,
    ),
    Rule(
        "arbitration_respondent", "Respondent in arbitration", "Ответчик в арбитраже", INFO, 3, "arbitration",
        "It is the respondent of an arbitration case.", "arbitration.as_respondent", "t.as_respondent > 0",
        "a.since", "'cases: ' || t.as_respondent || ' of ' || t.total_cases",
    ),
    Rule(
        "arbitration_often_respondent", "Often respondent in arbitration", "Часто ответчик в арбитраже", NOTICE, 10,
        "arbitration", "It is the respondent of five cases or more, and of half of all or more.",
        "arbitration.as_respondent, total_cases", "t.as_respondent >= 5 AND 2 * t.as_respondent >= t.total_cases",
        "a.since", "'cases: ' || t.as_respondent || ' of ' || t.total_cases",
    ),
    Rule(
        "arbitration_claims", "Large claims in arbitration", "Крупные иски в арбитраже", NOTICE, 15, "arbitration",
        "Cases of the last three years against it without an outcome claim 1 000 000 RUB or more in total; not known "
        "if they claim less and some have no amount.", f"{ARBITRATION}.claim_sum, result, date",
        "CASE WHEN coalesce(a.claims, 0) >= 1000000 THEN true WHEN coalesce(a.unpriced, 0) > 0 THEN NULL "
        "ELSE false END",
        "a.claims_since", "'cases: ' || a.claimed || ', ' || " + money("a.claims"),
    ),
    Rule(
        "arbitration_lost", "Lost cases in arbitration", "Проигранные дела в арбитраже", INFO, 5, "arbitration",
        "It lost a case as respondent.", "arbitration.lost", "t.lost > 0", evidence="'cases lost: ' || t.lost",
    ),
    Rule(
        "arbitration_bankruptcy", "Bankruptcy case in arbitration", "Дело о банкротстве в арбитраже", ALERT, 30,
        "arbitration", "It is the respondent (debtor) of a bankruptcy case without an outcome.",
        f"{ARBITRATION}.type, role, result", "coalesce(a.bankruptcy, 0) > 0", "a.bankruptcy_since",
        "'case ' || a.bankruptcy_case",
    ),
    Rule(
        "court_respondent", "Respondent in a general court", "Ответчик в суде общей юрисдикции", INFO, 3,
        "general_courts", "It is the respondent or debtor of a case; not known if a role is not recognised.", COURTS,
        "CASE WHEN coalesce(a.respondent, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL "
        "ELSE false END", "a.respondent_since", "'cases: ' || a.respondent", digits=COMPANY,
    ),
    Rule(
        "court_accused", "Accused in a general court", "Подсудимый в суде общей юрисдикции", NOTICE, 15,
        "general_courts", "It is accused in a criminal case; not known if a role is not recognised.", COURTS,
        "CASE WHEN coalesce(a.accused, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL ELSE false END",
        "a.accused_since", "'cases: ' || a.accused", digits=COMPANY,
    ),
    Rule(
        "court_administrative", "Administrative case in a general court", "Административное дело в суде", INFO, 3,
        "general_courts",
        "It is charged in an administrative case; not known if a role is not recognised.",
        COURTS,
        "CASE WHEN coalesce(a.called, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL ELSE false END",
        "a.called_since", "'cases: ' || a.called", digits=COMPANY,
    ),
    Rule(
        "loss", "Loss in the last year", "Убыток за последний год", NOTICE, 10, "financial",
        "The net profit of the latest year is negative.", f"{STATEMENTS}: net_profit", "a.profit < 0",
        "make_date(a.year, 1, 1)", "a.year || ': ' || " + money("a.profit"), digits=COMPANY,
    ),
    Rule(
        "loss_repeated", "Losses in two consecutive years", "Убытки два года подряд", NOTICE, 5, "financial",
        "The net profit of the latest year and of the year before is negative.", f"{STATEMENTS}: net_profit",
        "a.profit < 0 AND a.profit_before < 0", "make_date(a.year - 1, 1, 1)",
        "a.year || ': ' || " + money("a.profit") + " || ', before: ' || " + money("a.profit_before"), digits=COMPANY,
    ),
    Rule(
        "negative_equity", "Negative equity", "Отрицательный собственный капитал", ALERT, 20, "financial",
        "The equity at the end of the latest year is negative: liabilities exceed assets.", f"{STATEMENTS}: equity",
        "a.equity < 0", "make_date(a.year, 12, 31)", "a.year || ': ' || " + money("a.equity"), digits=COMPANY,
    ),
    Rule(
        "revenue_fall", "Revenue fell by 30 %", "Выручка упала на 30 %", NOTICE, 10, "financial",
        "The revenue of the latest year is 70 % of that of the year before, or less.", f"{STATEMENTS}: revenue",
        "CASE WHEN a.revenue_before > 0 THEN a.revenue <= 0.7 * a.revenue_before WHEN a.revenue_before = 0 THEN false "
        "END", "make_date(a.year, 1, 1)",
        "a.year || ': ' || " + money("a.revenue") + " || ', before: ' || " + money("a.revenue_before"), digits=COMPANY,
    ),
    Rule(
        "no_revenue", "No revenue in the last year", "Нет выручки за последний год", NOTICE, 10, "financial",
        "The revenue of the latest year is 0.", f"{STATEMENTS}: revenue", "a.revenue = 0", "make_date(a.year, 1, 1)",
        "a.year::VARCHAR", digits=COMPANY,
    ),
    Rule(
        "illiquid", "Current assets below short-term debts", "Оборотных активов меньше краткосрочных долгов", INFO, 5,
        "financial", "At the end of the latest year current assets are less than short-term liabilities.",
        f"{STATEMENTS}: current_assets, short_term_liabilities", "a.current_assets < a.short_term_liabilities",
        "make_date(a.year, 12, 31)", "a.year::VARCHAR", digits=COMPANY,
    ),
    Rule(
        "expense_over_income", "Expense above income", "Расходы больше доходов", INFO, 3, "revexp",
        "By the tax authority's data set the expense of the period exceeds its income.", "revexp.revenue, expense",
        "t.expense > t.revenue", "t.period",
        money("t.revenue") + " || ' against ' || " + money("t.expense"), digits=COMPANY,
    ),
    Rule(
        "no_employees", "At most one employee", "Не больше одного работника", INFO, 3, "employees",
        "The average headcount of the tax authority's data set is 0 or 1.", "employees.headcount", "t.headcount <= 1",
        "t.publish_date", "'headcount ' || t.headcount", digits=COMPANY,
    ),
)  # fmt: skip
