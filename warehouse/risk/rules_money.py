"""Rules over enforcement, taxes, courts, statements and size."""

from innspect.warehouse.risk.rule import COMPANIES, PERSONS, Rule, any_of, is_counted_or_listed, least_money, money

ARBITRATION = "arbitration.cases"
COURTS = "general_courts.cases.role"
STATEMENTS = "financial.indicators"
BY_SIZE = "from limits.size_share of its size, or from limits.amount_rub if its size is not known"


def _by_size(what: str, unpriced: str = "") -> str:
    return f"{what}, {BY_SIZE}{f'; not known if they are less and {unpriced}' if unpriced else ''}."


def _court(signal: str, role: str, figure: str, *, digits: tuple[int, ...] = (*COMPANIES, *PERSONS)) -> Rule:
    return Rule(
        signal, "general_courts", f"It is {role}; not known if a role is not recognised.", COURTS,
        any_of(f"coalesce(a.{figure}, 0) > 0", "coalesce(a.unknown_role, 0) > 0"), f"a.{figure}_since",
        f"'cases: ' || a.{figure}", f"a.{figure}_facts", digits=digits,
    )  # fmt: skip


MONEY: tuple[Rule, ...] = (
    Rule(
        "enforcement_no_assets", "fssp",
        "A proceeding ended because neither debtor nor assets were found; not known if the reason of an end is not "
        "recognised.", "fssp.completed_no_assets, proceedings.completion_reason",
        is_counted_or_listed("t.completed_no_assets", "a.no_assets", "a.unclear_ends"),
        evidence="'proceedings: ' || greatest(t.completed_no_assets, a.no_assets)",
        facts="a.no_assets_facts",
    ),
    Rule(
        "enforcement_active", "fssp", "A proceeding is active; not known if one does not say whether.",
        "fssp.active_proceedings, proceedings.is_active, end_reason",
        is_counted_or_listed("t.active_proceedings", "a.active", "a.unclear"), "a.active_since",
        "'proceedings: ' || greatest(t.active_proceedings, a.active) "
        f"|| coalesce(', ' || {money('t.active_debt_rub')}, '') "
        "|| CASE WHEN a.active_unpriced > 0 THEN ', without an amount: ' || a.active_unpriced ELSE '' END",
        "a.active_facts",
    ),
    Rule(
        "enforcement_large", "fssp",
        _by_size("Active proceedings amount to a large sum", "some have no amount, or may be active"),
        "fssp.active_debt_rub, proceedings.sum, is_active",
        "CASE WHEN t.active_debt_rub IS NOT NULL AND coalesce(a.active_unpriced + a.unclear, 0) = 0 THEN false END",
        "a.active_since", least_money("t.active_debt_rub", "a.active_unpriced"), "a.active_facts",
        amount="t.active_debt_rub",
    ),
    Rule(
        "tax_debt", "tax_debts", "The tax authority's data set has a debt.", "tax_debts.total_sum",
        "t.total_sum > 0", "a.since", money("t.total_sum"), "a.facts",
    ),
    Rule(
        "tax_debt_large", "tax_debts", _by_size("The debt is large"), "tax_debts.total_sum",
        "CASE WHEN t.total_sum IS NOT NULL THEN false END", "a.since", money("t.total_sum"), "a.facts",
        amount="t.total_sum",
    ),
    Rule(
        "tax_fines", "tax_offences", "The tax authority's data set has a fine.", "tax_offences.total_sum",
        "t.total_sum > 0", evidence=money("t.total_sum"), facts="a.facts",
    ),
    Rule(
        "low_tax_burden", "financial", "The taxes paid of the latest year are below limits.share of the revenue.",
        "financial.tax_burden_pct",
        "CASE WHEN a.burden_year >= coalesce(a.newest, a.burden_year) THEN a.burden_pct < 100 * {share} END",
        "make_date(a.burden_year, 12, 31)", "a.burden_year || ': ' || a.burden_pct || ' %'", digits=COMPANIES,
    ),
    Rule(
        "arbitration_respondent", "arbitration", "It is the respondent of an arbitration case.",
        "arbitration.as_respondent", "t.as_respondent > 0", "a.since",
        "'cases: ' || t.as_respondent || ' of ' || t.total_cases", "a.against_facts",
    ),
    Rule(
        "arbitration_often_respondent", "arbitration",
        "It is the respondent of limits.cases cases or more, and of limits.share of all or more.",
        "arbitration.as_respondent, total_cases",
        "t.as_respondent >= {cases} AND t.as_respondent >= {share} * t.total_cases", "a.often_since",
        "'cases: ' || t.as_respondent || ' of ' || t.total_cases",
    ),
    Rule(
        "arbitration_claims", "arbitration",
        _by_size(
            "Cases of the last limits.years years against it without an outcome claim a large sum",
            "some have no amount or role",
        ),
        f"{ARBITRATION}.claim_sum, role, result, date",
        "CASE WHEN coalesce(a.unpriced, 0) + coalesce(a.unclear_claims, 0) = 0 THEN false END",
        "a.claims_since", "'cases: ' || a.claimed || ', ' || " + least_money("a.claims", "a.unpriced"),
        "a.claim_facts", amount="coalesce(a.claims, 0)",
    ),
    Rule(
        "arbitration_lost", "arbitration", "It lost a case as respondent.", "arbitration.lost", "t.lost > 0",
        "a.lost_since", "'cases lost: ' || t.lost", "a.lost_facts",
    ),
    Rule(
        "claims_lost_large", "arbitration",
        _by_size(
            "Cases of the last limits.years years that it lost as respondent claimed a large sum",
            "some have no amount",
        ),
        f"{ARBITRATION}.claim_sum, result, date",
        "CASE WHEN coalesce(a.lost_unpriced, 0) = 0 AND coalesce(a.lost_ever, 0) >= coalesce(t.lost, 0) THEN false END",
        "a.lost_lately_since", "'cases lost: ' || a.lost || ', ' || " + least_money("a.lost_claims", "a.lost_unpriced"),
        "a.lost_lately_facts", amount="coalesce(a.lost_claims, 0)",
    ),
    Rule(
        "litigation_growing", "arbitration",
        "Cases as respondent in the last limits.months months are limits.times those of the months before, and at "
        "least limits.cases.", f"{ARBITRATION}.role, date",
        any_of(
            "coalesce(a.recent, 0) >= {cases} AND a.recent >= {times} * coalesce(a.before, 0)",
            "coalesce(a.unclear_growth, 0) > 0",
        ),
        "a.recent_since", "'cases: ' || a.recent || ', earlier: ' || a.before",
    ),
    Rule(
        "bankruptcy_petition", "arbitration",
        "It is the respondent (debtor) of a bankruptcy case without an outcome; not known if the kind or role of a "
        "case is not given.",
        f"{ARBITRATION}.type, role, result",
        any_of("coalesce(a.bankruptcy, 0) > 0", "coalesce(a.unclear_bankruptcy, 0) > 0"), "a.bankruptcy_since",
        "'case ' || a.bankruptcy_case", "a.bankruptcy_facts",
    ),
    _court("court_respondent", "the respondent or debtor of a case", "respondent"),
    _court("court_accused", "accused in a criminal case", "accused", digits=PERSONS),
    _court("court_administrative", "charged in an administrative case", "called"),
    Rule(
        "writs_issued", "general_courts",
        "A general court issued a writ of execution against it within limits.days; not known if a date or role is "
        "not given, or if no response had the writs of a case.", "general_courts.cases.writs.date",
        any_of("coalesce(a.writs, 0) > 0", "coalesce(a.unclear_writs, 0) + coalesce(a.untold_writs, 0) > 0"),
        "a.writs_since",
        "'writs: ' || a.writs", "a.writ_facts",
    ),
    Rule(
        "loss", "financial", "The net profit of the latest year is negative.", f"{STATEMENTS}: net_profit",
        "a.profit < 0", "make_date(a.year, 1, 1)", "a.year || ': ' || " + money("a.profit"), digits=COMPANIES,
    ),
    Rule(
        "loss_repeated", "financial", "The net profit of the latest year and of the year before is negative.",
        f"{STATEMENTS}: net_profit", "a.profit < 0 AND a.profit_before < 0", "make_date(a.year - 1, 1, 1)",
        "a.year || ': ' || " + money("a.profit") + " || ', before: ' || " + money("a.profit_before"), digits=COMPANIES,
    ),
    Rule(
        "negative_equity", "financial",
        "The equity at the end of the latest year is negative: liabilities exceed assets.", f"{STATEMENTS}: equity",
        "a.equity < 0", "make_date(a.year, 12, 31)", "a.year || ': ' || " + money("a.equity"), digits=COMPANIES,
    ),
    Rule(
        "revenue_fall", "financial",
        "The revenue of the latest year is lower than that of the year before by limits.share or more.",
        f"{STATEMENTS}: revenue",
        "CASE WHEN a.revenue_before > 0 THEN a.revenue <= (1 - {share}) * a.revenue_before "
        "WHEN a.revenue_before = 0 THEN false END", "make_date(a.year, 1, 1)",
        "a.year || ': ' || " + money("a.revenue") + " || ', before: ' || " + money("a.revenue_before"),
        digits=COMPANIES,
    ),
    Rule(
        "no_revenue", "financial", "The revenue of the latest year is 0.", f"{STATEMENTS}: revenue", "a.revenue = 0",
        "make_date(a.year, 1, 1)", "a.year::VARCHAR", digits=COMPANIES,
    ),
    Rule(
        "statements_missing", "financial",
        "The newest year of statements is older than last year, or before limits.due_month than the year before last.",
        "financial.years, indicators.year",
        "a.newest < year(v.day) - CASE WHEN month(v.day) >= {due_month} THEN 1 ELSE 2 END",
        "make_date((a.newest + 2)::INTEGER, {due_month}::INTEGER, 1)", "'newest year ' || a.newest", digits=COMPANIES,
    ),
    Rule(
        "illiquid", "financial", "At the end of the latest year current assets are less than short-term liabilities.",
        f"{STATEMENTS}: current_assets, short_term_liabilities", "a.current_assets < a.short_term_liabilities",
        "make_date(a.year, 12, 31)", "a.year::VARCHAR", digits=COMPANIES,
    ),
    Rule(
        "expense_over_income", "revexp",
        "By the tax authority's data set the expense of the period exceeds its income.", "revexp.revenue, expense",
        "t.expense > t.revenue", "t.period",
        "'expense ' || " + money("t.expense") + " || ', income ' || " + money("t.revenue"), digits=COMPANIES,
    ),
    Rule(
        "no_employees", "employees", "The average headcount of the data set is limits.headcount or less.",
        "employees.headcount", "t.headcount <= {headcount}", "t.publish_date", "'headcount ' || t.headcount",
        digits=COMPANIES,
    ),
)  # fmt: skip
