"""Figures that rules read from a block's lists: SQL of one row per version and day of judgement."""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache

from innspect.schemas.blocks.rnp import EXCLUDED_STEM
from innspect.schemas.declaration import COMPANY_DIGITS
from innspect.schemas.tables import tables
from innspect.warehouse.ddl import identifier, literal, moscow_day


def fact_keys(table: str, condition: str) -> str:
    """An aggregate over rows `i` of a list: the sorted keys of those that meet the condition, VARCHAR[].

    A key is that of the declaration, by which rows of consecutive versions are matched. Rows without one are numbered:
    their order does not matter, and a further one is a further fact.
    """
    key = _declared_key(table)
    known = f"list_distinct(coalesce(list({key}) FILTER ({condition}), []))"
    unknown = f"range(count(*) FILTER (({condition}) AND {key} IS NULL))"
    return f"list_sort({known} || list_transform({unknown}, lambda n: 'without a key ' || (n + 1)))"


def _declared_key(table: str) -> str:
    parts = (
        f"coalesce({', '.join(f'i.{identifier(name)}::VARCHAR' for name in names)})" for names in tables()[table].key
    )
    return f"nullif(concat_ws(', ', {', '.join(parts)}), '')"


def _words(table: str, column: str) -> str:
    """The words that the declaration names for a column, separated by commas."""
    kinds = {column.name: column.kind for column in tables()[table].columns}
    return ", ".join(map(literal, kinds[column].values))


def _in_known_words(table: str, *columns: str) -> str:
    """A list in which words that the declaration does not name are NULL: what they mean is not known."""
    cells = ", ".join(f"CASE WHEN {name} IN ({_words(table, name)}) THEN {name} END AS {name}" for name in columns)
    return f"(SELECT * REPLACE ({cells}) FROM core.{table})"


OF_MANAGER = f"length(inn) = {COMPANY_DIGITS} AND (dob IS NOT NULL OR coalesce(item_inn <> inn, false))"
"""Over a row of `core.sanctions__hits`: whether the match is that of a manager or founder of the checked company."""
FIGURES: Mapping[str, Mapping[str, str]] = {
    "company": {
        # The end of the card's own registration is the status of the card.
        "(SELECT r.*, NOT coalesce(r.active, false) AND r.ogrnip IS DISTINCT FROM c.ogrn AS earlier "
        f"FROM {_in_known_words('company__ip_records', 'termination_kind')} r "
        "JOIN core.company c USING (version_id))": """
count(*) FILTER (i.earlier AND i.termination_kind = 'forced') AS forced,
min(i.termination_date) FILTER (i.earlier AND i.termination_kind = 'forced') AS forced_since,
count(*) FILTER (i.earlier AND (i.termination_date IS NOT NULL OR NOT i.active)
                 AND coalesce(i.termination_kind, 'unknown') = 'unknown') AS unclear,
{facts:company__ip_records:i.earlier AND i.termination_kind = 'forced'} AS forced_facts""",
    },
    "bankruptcy": {
        "core.bankruptcy__cases": """
count(*) AS cards, max(i.case_number) AS case_number, {facts:bankruptcy__cases} AS card_facts""",
    },
    "timeline": {
        _in_known_words("timeline__events", "type"): """
count(*) FILTER (i.source = 'efrsb' OR i.type = 'bankruptcy') AS events,
count(*) FILTER (i.source IS DISTINCT FROM 'efrsb' AND i.type IS NULL) AS unclear,
min(i.date) FILTER (i.source = 'efrsb' OR i.type = 'bankruptcy') AS since,
max_by(i.event, (coalesce(i.date, DATE '1900-01-01'), -i.events_no))
    FILTER (i.source = 'efrsb' OR i.type = 'bankruptcy') AS event,
{facts:timeline__events:i.source = 'efrsb' OR i.type = 'bankruptcy'} AS facts""",
    },
    "freezes": {
        "core.freezes__items": """
count(*) AS items, min(i.decision_date) AS since, max(i.decision_date) AS latest,
max_by(i.decision_num, (coalesce(i.decision_date, DATE '1900-01-01'), -i.items_no)) AS number,
max_by(i.bank, (coalesce(i.decision_date, DATE '1900-01-01'), -i.items_no)) AS bank,
{facts:freezes__items} AS facts""",
    },
    "sanctions": {
        "(SELECT *, coalesce(match_confidence, '') = 'high' OR coalesce(item_inn = inn, false) AS sure, "
        "coalesce(match_confidence, '') = 'low' AND NOT coalesce(item_inn = inn, false) AS unsure, "
        f"{OF_MANAGER} AS of_manager FROM {_in_known_words('sanctions__hits', 'match_confidence')})": """
count(*) FILTER (i.sure) AS sure, count(*) FILTER (i.unsure) AS unsure,
count(*) FILTER (NOT i.sure AND i.match_confidence IS NULL) AS unclear,
count(*) FILTER (NOT i.sure AND NOT i.unsure) AS by_name,
min(i.designated_at) FILTER (i.sure) AS since,
min(i.designated_at) FILTER (NOT i.sure AND NOT i.unsure) AS by_name_since,
min_by(coalesce(i.list_label, i.source), (i.of_manager, i.hits_no)) FILTER (i.sure) AS list,
min_by(coalesce(i.name, i.name_ru), (i.of_manager, i.hits_no)) FILTER (i.sure) AS name,
min_by(coalesce(i.list_label, i.source), (i.of_manager, i.hits_no))
    FILTER (NOT i.sure AND NOT i.unsure) AS by_name_list,
min_by(coalesce(i.name, i.name_ru), (i.of_manager, i.hits_no)) FILTER (NOT i.sure AND NOT i.unsure) AS by_name_name,
bool_and(i.of_manager) FILTER (i.sure) AS of_manager,
bool_and(i.of_manager) FILTER (NOT i.sure AND NOT i.unsure) AS by_name_of_manager,
{facts:sanctions__hits:i.sure} AS sure_facts, {facts:sanctions__hits:i.unsure} AS unsure_facts,
{facts:sanctions__hits:NOT i.sure AND NOT i.unsure} AS by_name_facts""",
    },
    "minjust_check": {
        "(SELECT *, regexp_extract(path, '^\\$\\.hits\\[\\d+\\]') AS hit FROM core.minjust_check__leaves "
        "WHERE path LIKE '$.hits[%')": ("count(DISTINCT i.hit) AS hits, list_sort(list(DISTINCT i.hit)) AS facts"),
    },
    "rnp": {
        f"(SELECT * FROM core.rnp__records WHERE NOT coalesce(contains(lower(status), '{EXCLUDED_STEM}'), false))": """
count(*) AS active, min(i.inclusion_date) AS since, min_by(i.reg_number, i.records_no) AS number,
min_by(i.reason, i.records_no) AS reason, {facts:rnp__records} AS facts""",
        f"(SELECT * FROM core.rnp__records WHERE contains(lower(status), '{EXCLUDED_STEM}'))": (
            "{facts:rnp__records} AS past_facts"
        ),
    },
    "risk_flags": {
        "core.risk_flags__disqualified_records": """
count(*) FILTER (coalesce(i.end_date >= v.day, true)) AS in_force,
min(i.start_date) FILTER (coalesce(i.end_date >= v.day, true)) AS in_force_since,
max(i.end_date) FILTER (i.end_date >= v.day) AS until,
min_by(coalesce(i.matched_name, i.queried_name), i.disqualified_records_no)
    FILTER (coalesce(i.end_date >= v.day, true)) AS name,
count(*) FILTER (i.end_date < v.day) AS expired, max(i.end_date) FILTER (i.end_date < v.day) AS expired_until,
max(i.end_date) FILTER (i.end_date < v.day) AS expired_since,
min_by(coalesce(i.matched_name, i.queried_name), i.disqualified_records_no)
    FILTER (i.end_date < v.day) AS expired_name,
{facts:risk_flags__disqualified_records:coalesce(i.end_date >= v.day, true)} AS in_force_facts,
{facts:risk_flags__disqualified_records:i.end_date < v.day} AS expired_facts""",
        "core.risk_flags__linked_companies": """
count(*) AS linked, count(*) FILTER (i.historic) AS closed, count(*) FILTER (i.historic IS NULL) AS unknown_status,
count(DISTINCT coalesce(i.via_inn, i.via_name)) AS persons""",
        "core.risk_flags__linked_companies__connections": """
count(*) AS links, count(DISTINCT coalesce(i.via_inn, i.via_name)) AS persons_of_links""",
        "core.risk_flags__efrsb_messages": """
count(*) AS messages, min({message_day}) AS message_since,
max_by(i.type, (coalesce(i.date, TIMESTAMP '1900-01-01'), -i.efrsb_messages_no)) AS message_type,
{facts:risk_flags__efrsb_messages} AS message_facts""",
    },
    "inspections": {
        "core.inspections__inspections": """
count(*) AS inspections, count(*) FILTER (i.has_violations) AS violations,
count(*) FILTER (i.has_violations IS NULL) AS unclear,
min(i.start_date) FILTER (i.has_violations) AS since,
{facts:inspections__inspections:i.has_violations} AS facts""",
    },
    "pledges": {
        "core.pledges__pledges": """
count(*) FILTER (i.source IS DISTINCT FROM 'fedresurs') AS pledged,
count(*) FILTER (i.source = 'fedresurs') AS leased,
min(i.reg_date) FILTER (i.source IS DISTINCT FROM 'fedresurs') AS since,
{facts:pledges__pledges:i.source IS DISTINCT FROM 'fedresurs'} AS facts""",
    },
    "leasing": {
        "core.leasing__contracts": "{facts:leasing__contracts} AS facts",
    },
    "fssp": {
        "(SELECT *, is_active IS NULL AND end_reason IS NULL AND completion_reason IS NULL AS is_unclear, "
        f"completion_reason IN ({_words('fssp__proceedings', 'completion_reason')}) AS has_known_end "
        "FROM core.fssp__proceedings)": """
count(*) FILTER (i.completion_reason = 'no_assets') AS no_assets,
count(*) FILTER (i.is_unclear) AS unclear,
count(*) FILTER (NOT coalesce(i.is_active, false) AND NOT coalesce(i.has_known_end, false)) AS unclear_ends,
count(*) FILTER (i.is_active) AS active, min(i.process_date) FILTER (i.is_active) AS active_since,
count(*) FILTER (i.is_active AND i.sum IS NULL) AS active_unpriced,
{facts:fssp__proceedings:i.completion_reason = 'no_assets'} AS no_assets_facts,
{facts:fssp__proceedings:i.is_active} AS active_facts""",
    },
    "tax_debts": {
        "core.tax_debts__records": "min(i.record_date) AS since, {facts:tax_debts__records} AS facts",
    },
    "tax_offences": {
        "core.tax_offences__records": "{facts:tax_offences__records} AS facts",
    },
    "arbitration": {
        "(SELECT *, role = 'respondent' AS against, role = 'respondent' AND result = 'lost' AS is_lost, "
        "role IS NULL AND result IS NULL AS is_unclear, "
        "role = 'respondent' AND result IS NULL AND type = 'Банкротство' AS insolvent, "
        "coalesce(role, 'respondent') = 'respondent' AND result IS NULL "
        "AND coalesce(type, 'Банкротство') = 'Банкротство' AS may_be_insolvent, "
        "role = 'respondent' AND result IS NULL AND type IS DISTINCT FROM 'Банкротство' AS pending "
        f"FROM {_in_known_words('arbitration__cases', 'role', 'type')})": """
min(i.date) FILTER (i.against) AS since,
list_extract(list(i.date ORDER BY i.date) FILTER (i.against AND i.date IS NOT NULL),
             any_value({arbitration_often_respondent.cases})::INTEGER) AS often_since,
sum(i.claim_sum) FILTER (i.pending AND {in_claim_years}) AS claims,
count(*) FILTER (i.pending AND {in_claim_years}) AS claimed,
count(*) FILTER (i.pending AND {in_claim_years} AND i.claim_sum IS NULL) AS unpriced,
count(*) FILTER (i.is_unclear AND {in_claim_years}) AS unclear_claims,
min(i.date) FILTER (i.pending AND {in_claim_years}) AS claims_since,
count(*) FILTER (i.may_be_insolvent) AS unclear_bankruptcy,
count(*) FILTER (i.insolvent) AS bankruptcy, min(i.date) FILTER (i.insolvent) AS bankruptcy_since,
max_by(i.case_number, (coalesce(i.date, DATE '1900-01-01'), -i.cases_no)) FILTER (i.insolvent) AS bankruptcy_case,
count(*) FILTER (i.is_lost) AS lost_ever, min(i.date) FILTER (i.is_lost) AS lost_since,
count(*) FILTER (i.is_lost AND {in_lost_years}) AS lost,
sum(i.claim_sum) FILTER (i.is_lost AND {in_lost_years}) AS lost_claims,
count(*) FILTER (i.is_lost AND {in_lost_years} AND i.claim_sum IS NULL) AS lost_unpriced,
min(i.date) FILTER (i.is_lost AND {in_lost_years}) AS lost_lately_since,
count(*) FILTER (i.against AND i.date > v.day - {growing_months}) AS recent,
min(i.date) FILTER (i.against AND i.date > v.day - {growing_months}) AS recent_since,
count(*) FILTER (i.against AND i.date <= v.day - {growing_months}
                 AND i.date > v.day - {growing_months} - {growing_months}) AS before,
count(*) FILTER (i.against AND i.date IS NULL OR i.role IS NULL) AS unclear_growth,
{facts:arbitration__cases:i.against} AS against_facts, {facts:arbitration__cases:i.is_lost} AS lost_facts,
{facts:arbitration__cases:i.is_lost AND {in_lost_years}} AS lost_lately_facts,
{facts:arbitration__cases:i.pending AND {in_claim_years}} AS claim_facts,
{facts:arbitration__cases:i.insolvent} AS bankruptcy_facts""",
    },
    "general_courts": {
        _in_known_words("general_courts__cases", "role"): """
count(*) FILTER (i.role IN ('ответчик', 'должник')) AS respondent,
min(i.date) FILTER (i.role IN ('ответчик', 'должник')) AS respondent_since,
count(*) FILTER (i.role = 'подсудимый') AS accused, min(i.date) FILTER (i.role = 'подсудимый') AS accused_since,
count(*) FILTER (i.role = 'привлекаемое лицо') AS called,
min(i.date) FILTER (i.role = 'привлекаемое лицо') AS called_since,
count(*) FILTER (i.role IS NULL) AS unknown_role,
count(*) FILTER (coalesce(i.role IN ('ответчик', 'должник'), true) AND i.writs_known IS NULL) AS untold_writs,
{facts:general_courts__cases:i.role IN ('ответчик', 'должник')} AS respondent_facts,
{facts:general_courts__cases:i.role = 'подсудимый'} AS accused_facts,
{facts:general_courts__cases:i.role = 'привлекаемое лицо'} AS called_facts""",
        "(SELECT w.*, c.role, c.role IN ('ответчик', 'должник') AS against FROM core.general_courts__cases__writs w "
        f"JOIN {_in_known_words('general_courts__cases', 'role')} c "
        "ON c.version_id = w.version_id AND c.cases_no = w.cases_no)": """
count(*) FILTER (i.against AND i.date > v.day - {writs_issued.days}::INTEGER) AS writs,
min(i.date) FILTER (i.against AND i.date > v.day - {writs_issued.days}::INTEGER) AS writs_since,
count(*) FILTER (coalesce(i.against, true)
                 AND coalesce(i.date > v.day - {writs_issued.days}::INTEGER, true)) AS unclear_writs,
{facts:general_courts__cases__writs:i.against AND i.date > v.day - {writs_issued.days}::INTEGER} AS writ_facts""",
    },
    "financial": {
        "(SELECT version_id, year, max(year) OVER w AS newest_year, indicator, amount FROM core.financial__indicators "
        "WINDOW w AS (PARTITION BY version_id))": """
max(i.newest_year) AS year,
max(i.amount) FILTER (i.indicator = 'net_profit' AND i.year = i.newest_year) AS profit,
max(i.amount) FILTER (i.indicator = 'net_profit' AND i.year = i.newest_year - 1) AS profit_before,
max(i.amount) FILTER (i.indicator = 'equity' AND i.year = i.newest_year) AS equity,
max(i.amount) FILTER (i.indicator = 'revenue' AND i.year = i.newest_year) AS revenue,
max(i.amount) FILTER (i.indicator = 'revenue' AND i.year = i.newest_year - 1) AS revenue_before,
max(i.amount) FILTER (i.indicator = 'current_assets' AND i.year = i.newest_year) AS current_assets,
max(i.amount) FILTER (i.indicator = 'short_term_liabilities' AND i.year = i.newest_year) AS short_term_liabilities""",
        "core.financial__tax_burden_pct": "max(i.year) AS burden_year, max_by(i.value, i.year) AS burden_pct",
        "(SELECT version_id, value AS year FROM core.financial__years UNION ALL "
        "SELECT version_id, year FROM core.financial__indicators)": "max(i.year) AS newest",
    },
}
"""For each block the lists (alias `i`) and the columns that are aggregated from them; the rules read them as `a`."""

SHORTHANDS: Mapping[str, str] = {
    "{message_day}": moscow_day("i.date"),
    "{in_claim_years}": "coalesce(i.date > v.day - to_years({arbitration_claims.years}::INTEGER), true)",
    "{in_lost_years}": "coalesce(i.date > v.day - to_years({claims_lost_large.years}::INTEGER), true)",
    "{growing_months}": "to_months({litigation_growing.months}::INTEGER)",
}
LIMIT = re.compile(r"\{(\w+)\.(\w+)\}")
FACTS = re.compile(r"\{facts:(?P<table>\w+)(?::(?P<condition>[^{}]*(?:\{[\w.]+\}[^{}]*)*))?\}")
KEYS = "v.version_id, v.day, v.policy_version"


@cache
def block_figures(block: str) -> Mapping[str, Mapping[str, str]]:
    """The aggregate of each figure by its name, for each list of the block; limits are placeholders `{signal.name}`."""
    return {source: dict(_split_columns(_fill(text))) for source, text in FIGURES.get(block, {}).items()}


def _fill(figures: str) -> str:
    """Replace placeholders of fact keys and shorthands."""
    figures = FACTS.sub(lambda match: fact_keys(match["table"], match["condition"] or "true"), figures)
    for name, shorthand in SHORTHANDS.items():
        figures = figures.replace(name, shorthand)
    return figures


def _split_columns(figures: str) -> Iterator[tuple[str, str]]:
    """Name and expression of each column of a SELECT list."""
    depth = start = 0
    for place, sign in enumerate(figures + ","):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and not depth:
            expression, name = figures[start:place].strip().rsplit(" AS ", 1)
            yield name, expression
            start = place + 1


def figures_query(block: str, versions: str, names: Collection[str]) -> str:
    """The figures `names` of a block over `versions` (version_id, day, policy_version); empty if there are none.

    One row per row of `versions`. Limits are read from `p`, a row of `policy_limits`.
    """
    joins, columns = list[str](), list[str]()
    for number, (source, figures) in enumerate(block_figures(block).items()):
        cells = ",\n".join(f"{expression} AS {name}" for name, expression in figures.items() if name in names)
        if not cells:
            continue
        limits = LIMIT.findall(cells)
        cells = LIMIT.sub(lambda match: f"p.{limit_column(match[1], match[2])}", cells)
        policy = "JOIN policy_limits p ON p.policy_version = v.policy_version " if limits else ""
        joins.append(
            f"LEFT JOIN (SELECT {KEYS}, {cells}\nFROM {versions} v {policy}"
            f"JOIN {source} i ON i.version_id = v.version_id GROUP BY {KEYS}) f{number} "
            f"ON f{number}.version_id = v.version_id AND f{number}.day = v.day "
            f"AND f{number}.policy_version = v.policy_version"
        )
        columns.append(f"f{number}.* EXCLUDE (version_id, day, policy_version)")
    return f"SELECT {KEYS}, {', '.join(columns)} FROM {versions} v\n" + "\n".join(joins) if joins else ""


def limit_column(signal: str, name: str) -> str:
    """Column of `policy_limits` that has this limit."""
    return f"{signal}__{name}"
