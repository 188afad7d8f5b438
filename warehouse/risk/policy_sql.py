"""All risk rules, and the SQL of `mart.risk_rules` and `mart.risk_signals` that is derived from them."""

from collections.abc import Mapping

from innspect.schemas.catalogue import BLOCKS
from innspect.warehouse.ddl import identifier, literal
from innspect.warehouse.risk.rule import Rule
from innspect.warehouse.risk.rules_card import CARD
from innspect.warehouse.risk.rules_money import MONEY
from innspect.warehouse.risk.rules_records import RECORDS

RULES: tuple[Rule, ...] = (*CARD, *RECORDS, *MONEY)
"""Every rule, in the order of `mart.risk_rules`."""

BLOCK_NUMBERS: Mapping[str, int] = {
    block: number for number, block in enumerate(BLOCKS, 1) if any(rule.block == block for rule in RULES)
}
"""Number of each block that has rules: a join on numbers is faster than on names."""

LIST_FIGURES: Mapping[str, str] = {
    "bankruptcy": "SELECT version_id, max(case_number) AS case_number FROM core.bankruptcy__cases GROUP BY version_id",
    "freezes": """
SELECT version_id, count(*) AS items, min(decision_date) AS since, max(decision_date) AS latest,
       max_by(decision_num, coalesce(decision_date, DATE '1900-01-01')) AS number,
       max_by(bank, coalesce(decision_date, DATE '1900-01-01')) AS bank
FROM core.freezes__items GROUP BY version_id""",
    "sanctions": """
SELECT version_id, count(*) FILTER (sure) AS sure, count(*) FILTER (NOT sure) AS unsure,
       min(designated_at) FILTER (sure) AS since,
       min_by(coalesce(list_label, source), hits_no) FILTER (sure) AS list,
       min_by(coalesce(name, name_ru), hits_no) FILTER (sure) AS name
FROM (SELECT *, coalesce(match_confidence, '') <> 'low' AS sure FROM core.sanctions__hits) GROUP BY version_id""",
    "minjust_check": """
SELECT version_id, count(DISTINCT regexp_extract(path, '^\\$\\.hits\\[\\d+\\]')) AS hits
FROM core.minjust_check__leaves WHERE path LIKE '$.hits[%' GROUP BY version_id""",
    "rnp": """
SELECT version_id, count(*) AS active, min(inclusion_date) AS since, min_by(reg_number, records_no) AS number,
       min_by(reason, records_no) AS reason
FROM core.rnp__records WHERE status IS DISTINCT FROM 'Исключено' GROUP BY version_id""",
    "risk_flags": """
SELECT v.version_id, d.since, d.until, d.name, l.linked, l.closed, l.unknown_status
FROM (SELECT version_id FROM core.risk_flags) v
LEFT JOIN (SELECT version_id, min(start_date) AS since, max(end_date) AS until,
                  min_by(coalesce(matched_name, queried_name), disqualified_records_no) AS name
           FROM core.risk_flags__disqualified_records GROUP BY version_id) d USING (version_id)
LEFT JOIN (SELECT version_id, count(*) AS linked, count(*) FILTER (historic) AS closed,
                  count(*) FILTER (historic IS NULL) AS unknown_status
           FROM core.risk_flags__linked_companies GROUP BY version_id) l USING (version_id)""",
    "inspections": """
SELECT version_id, count(*) AS violations, max(start_date) AS since
FROM core.inspections__inspections WHERE has_violations GROUP BY version_id""",
    "pledges": """
SELECT version_id, count(*) FILTER (source IS DISTINCT FROM 'fedresurs') AS pledged,
       count(*) FILTER (source = 'fedresurs') AS leased,
       min(reg_date) FILTER (source IS DISTINCT FROM 'fedresurs') AS since
FROM core.pledges__pledges GROUP BY version_id""",
    "fssp": """
SELECT version_id, count(*) FILTER (completion_reason = 'no_assets') AS no_assets,
       min(process_date) FILTER (completion_reason = 'no_assets') AS no_assets_since,
       count(*) FILTER (is_active) AS active, min(process_date) FILTER (is_active) AS active_since,
       count(*) FILTER (is_active AND sum IS NULL) AS active_unpriced
FROM core.fssp__proceedings GROUP BY version_id""",
    "tax_debts": """
SELECT version_id, min(record_date) AS since FROM core.tax_debts__records GROUP BY version_id""",
    "arbitration": """
SELECT version_id, min(date) FILTER (against) AS since, sum(claim_sum) FILTER (lately) AS claims,
       count(*) FILTER (lately) AS claimed, count(*) FILTER (lately AND claim_sum IS NULL) AS unpriced,
       min(date) FILTER (lately) AS claims_since,
       count(*) FILTER (insolvent) AS bankruptcy, min(date) FILTER (insolvent) AS bankruptcy_since,
       max_by(case_number, coalesce(date, DATE '1900-01-01')) FILTER (insolvent) AS bankruptcy_case
FROM (SELECT *, role = 'respondent' AS against,
             role = 'respondent' AND result IS NULL AND type = 'Банкротство' AS insolvent,
             role = 'respondent' AND result IS NULL AND type IS DISTINCT FROM 'Банкротство'
             AND coalesce(date > {today} - INTERVAL 3 YEAR, true) AS lately
      FROM core.arbitration__cases) GROUP BY version_id""",
    "general_courts": """
SELECT version_id, count(*) FILTER (role IN ('ответчик', 'должник')) AS respondent,
       min(date) FILTER (role IN ('ответчик', 'должник')) AS respondent_since,
       count(*) FILTER (role = 'подсудимый') AS accused, min(date) FILTER (role = 'подсудимый') AS accused_since,
       count(*) FILTER (role = 'привлекаемое лицо') AS called,
       min(date) FILTER (role = 'привлекаемое лицо') AS called_since,
       count(*) FILTER (role IS NULL) AS unknown_role
FROM core.general_courts__cases GROUP BY version_id""",
    "financial": """
SELECT l.version_id, l.year,
       max(i.amount) FILTER (i.indicator = 'net_profit' AND i.year = l.year) AS profit,
       max(i.amount) FILTER (i.indicator = 'net_profit' AND i.year < l.year) AS profit_before,
       max(i.amount) FILTER (i.indicator = 'equity' AND i.year = l.year) AS equity,
       max(i.amount) FILTER (i.indicator = 'revenue' AND i.year = l.year) AS revenue,
       max(i.amount) FILTER (i.indicator = 'revenue' AND i.year < l.year) AS revenue_before,
       max(i.amount) FILTER (i.indicator = 'current_assets' AND i.year = l.year) AS current_assets,
       max(i.amount) FILTER (i.indicator = 'short_term_liabilities' AND i.year = l.year) AS short_term_liabilities
FROM (SELECT version_id, max(year) AS year FROM core.financial__indicators GROUP BY version_id) l
JOIN core.financial__indicators i ON i.version_id = l.version_id AND i.year >= l.year - 1
WHERE i.indicator IN ('net_profit', 'equity', 'revenue', 'current_assets', 'short_term_liabilities')
GROUP BY l.version_id, l.year""",
}
"""Figures that rules read from a block's lists, one row per version; alias `a`."""

TODAY = "(now() AT TIME ZONE 'UTC')::DATE"


def risk_rules() -> str:
    """The rules as a table `r` for `FROM`, one row each."""
    rows: list[str] = []
    for number, rule in enumerate(RULES, 1):
        names = (rule.signal, rule.title, rule.title_ru, rule.severity)
        texts = (rule.condition, rule.source, rule.unseen)
        digits = "[" + ", ".join(map(str, rule.digits)) + "]"
        cells = [str(number), *map(literal, names), str(rule.weight), literal(rule.block), digits, *map(literal, texts)]
        rows.append(f"({', '.join((*cells, str(rule.partial_shows)))})")
    columns = (
        "number, signal, title, title_ru, severity, weight, block, digits, condition, source, unseen, partial_shows"
    )
    return "(VALUES\n" + ",\n".join(rows) + f"\n) r ({columns})"


def _block_findings(block: str) -> str:
    """The findings of one block's rules: one row per row of `evaluated` and rule; NULL in `present` is not known.

    Most signals are absent: date and evidence are computed only for rows with at least one present signal.
    """
    numbers, present, shown = list[str](), list[str](), list[str]()
    for number, rule in enumerate(RULES, 1):
        if rule.block == block:
            numbers.append(str(number))
            present.append(f"CASE WHEN t.version_id IS NOT NULL THEN ({rule.present}) END".replace("today", TODAY))
            shown.append(f"{{'began': ({rule.since})::TIMESTAMP, 'evidence': ({rule.evidence})::VARCHAR}}")
    figures = LIST_FIGURES.get(block, "").replace("{today}", TODAY)
    join = f"\nLEFT JOIN ({figures}) a ON a.version_id = k.version_id" if figures else ""
    any_present = " OR ".join(present)
    return (
        "SELECT k.*,\n"
        f"       unnest([{', '.join(numbers)}]) AS number, unnest([{', '.join(present)}]) AS present,\n"
        f"       unnest(CASE WHEN {any_present} THEN [{', '.join(shown)}] END) AS shown\n"
        f"FROM evaluated k LEFT JOIN core.{identifier(block)} t ON t.version_id = k.version_id{join}\n"
        f"WHERE k.block_no = {BLOCK_NUMBERS[block]}"
    )


def findings_query() -> str:
    """The findings of all rules: the columns of `evaluated`, `number`, `present` and `shown` (began, evidence).

    `shown` is meaningful only where `present` is true.
    """
    return "\nUNION ALL\n".join(_block_findings(block) for block in BLOCK_NUMBERS)
