"""All risk rules, and the SQL that reads the policy: its rules, limits and required blocks, and the findings."""

import re
from collections.abc import Iterable, Mapping

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.declaration import COMPANY_DIGITS, PERSON_DIGITS
from innspect.warehouse.ddl import identifier, literal
from innspect.warehouse.risk.rule import Rule
from innspect.warehouse.risk.rules_card import CARD
from innspect.warehouse.risk.rules_history import HISTORY, LINKED
from innspect.warehouse.risk.rules_money import MONEY
from innspect.warehouse.risk.rules_records import RECORDS
from innspect.warehouse.risk.version_figures import FIGURES, LIMIT, block_figures, figures_query, limit_column

POLICIES_TABLE = "lineage.policies"
RULES: tuple[Rule, ...] = (*CARD, *RECORDS, *MONEY, *HISTORY, LINKED)
"""Every rule, in the order of `mart.risk_rules`."""

NUMBERS: Mapping[str, int] = {rule.signal: number for number, rule in enumerate(RULES, 1)}
VERSION_RULES = tuple(rule for rule in RULES if rule.present)
"""The rules that read one version."""
RULE_BLOCKS = tuple(dict.fromkeys(rule.block for rule in RULES))
"""Blocks that a rule reads."""
BLOCK_NUMBERS: Mapping[str, int] = {block: number for number, block in enumerate(BLOCKS, 1)}
"""Number of each block: a join on numbers is faster than on names."""

OWN_LIMIT = re.compile(r"\{([a-z_]+)\}")
HISTORY_LIMIT = re.compile(r"\bp\.([a-z_]+?)__([a-z_]+)\b")
SIZE_LIMITS = ("amount_rub", "size_share")


def _signal_limits() -> Mapping[str, frozenset[str]]:
    limits: dict[str, set[str]] = {rule.signal: set() for rule in RULES}
    for rule in RULES:
        limits[rule.signal].update(OWN_LIMIT.findall(" ".join(rule.parts)))
        if rule.amount:
            limits[rule.signal].update(SIZE_LIMITS)
    figures = [text for block in FIGURES for columns in block_figures(block).values() for text in columns.values()]
    for signal, name in LIMIT.findall(" ".join(figures)):
        limits[signal].add(name)
    for signal, name in HISTORY_LIMIT.findall(" ".join(rule.query for rule in RULES)):
        limits[signal].add(name)
    return {signal: frozenset(names) for signal, names in limits.items()}


SIGNAL_LIMITS: Mapping[str, frozenset[str]] = _signal_limits()
"""Names of the limits that the SQL of each rule reads; the policy has their values."""


def limit_columns() -> Mapping[str, str]:
    """Column of `policy_limits` and the expression over `policy` of each limit."""
    return {
        limit_column(signal, name): f"(policy->'rules'->{literal(signal)}->'limits'->>{literal(name)})::DOUBLE"
        for signal, names in SIGNAL_LIMITS.items()
        for name in sorted(names)
    }


def inn_policies(table: str = POLICIES_TABLE) -> str:
    """CTE `inn_policies`: `inn` and `position` of the members that a named policy judges, by portfolio or tag.

    Of several policies the first of the file applies. An INN that has left every portfolio is judged as in those that
    it left. Every other INN has the last position, that of the default.
    """
    tags = "list_transform(string_split_regex(lower({}), '[,;]'), lambda tag: trim(tag))"
    return f"""
named_policies AS MATERIALIZED (
    SELECT position, from_json(portfolios, '["VARCHAR"]') AS portfolios,
           list_transform(from_json(tags, '["VARCHAR"]'), lambda tag: lower(trim(tag))) AS tags
    FROM {table} WHERE position IS NOT NULL AND (portfolios::VARCHAR <> '[]' OR tags::VARCHAR <> '[]')
),
inn_policies AS (
    SELECT m.inn, min(p.position) AS position
    FROM lineage.portfolio_members m
    LEFT JOIN (SELECT DISTINCT inn FROM lineage.portfolio_members WHERE left_at IS NULL) c ON c.inn = m.inn
    JOIN named_policies p ON list_contains(p.portfolios, m.portfolio)
         OR list_has_any(p.tags, {tags.format("m.tags")})
    WHERE m.left_at IS NULL OR c.inn IS NULL
    GROUP BY m.inn
)""".strip()


def block_limit_ctes() -> str:
    """CTEs of the current policies and of their age limits.

    `judges`: one row per policy, `is_default` for the one of INNs that no other names. `inn_policies` (inn, position).
    `policy_blocks`: one row per policy and block.
    """
    blocks = ", ".join(f"({literal(block)}, {number})" for block, number in BLOCK_NUMBERS.items())
    return f"""
judges AS MATERIALIZED (
    SELECT policy_version, name AS policy_name, position, policy::JSON AS policy,
           position = max(position) OVER () AS is_default,
           (policy->'thresholds'->>'critical')::INTEGER AS critical, (policy->'thresholds'->>'high')::INTEGER AS high,
           (policy->'thresholds'->>'medium')::INTEGER AS medium
    FROM lineage.policies WHERE position IS NOT NULL
),
{inn_policies()},
policy_blocks AS MATERIALIZED (
    SELECT j.position, b.block, b.block_no,
           coalesce(policy->'age_days'->>b.block, policy->'age_days'->>'default')::DOUBLE AS max_age,
           coalesce(policy->'source_age_days'->>b.block, policy->'source_age_days'->>'default')::DOUBLE
               AS max_source_age,
           list_contains(from_json(policy->'required'->'company', '["VARCHAR"]'), b.block) AS of_companies,
           list_contains(from_json(policy->'required'->'person', '["VARCHAR"]'), b.block) AS of_persons
    FROM judges j CROSS JOIN (VALUES {blocks}) b (block, block_no)
)""".strip()


def exceeds_age_limit(evidence: str, moment: str, limits: str) -> str:
    """An expression: whether evidence is older than its policy allows, by its collection or by its data set.

    `evidence` is a row with `collected_at` and `source_date`, `limits` one of `policy_blocks`. Only data of the
    service's store have no `collected_at`: they may be of any age, so they exceed each limit. A data set without a
    date exceeds nothing.
    """
    age = f"date_diff('second', {evidence}.collected_at, {moment}) / 86400.0"
    source_age = f"date_diff('day', {evidence}.source_date, ({moment})::DATE)"
    return (
        f"(coalesce({age} > {limits}.max_age, {evidence}.collected_at IS NULL) "
        f"OR coalesce({source_age}, 0) > {limits}.max_source_age)"
    )


def policy_ctes(limits_version: str = "") -> str:
    """CTEs of `block_limit_ctes`, and of the rules.

    `policy_rules`: one row per policy and enabled rule. `policy_limits`: one row per version, a column per limit,
    and `limits_version` by that expression over `policy`.
    """
    columns = {**limit_columns(), **({"limits_version": limits_version} if limits_version else {})}
    limits = ", ".join(f"{expression} AS {name}" for name, expression in columns.items())
    rules = ", ".join(
        f"({NUMBERS[rule.signal]}, {literal(rule.signal)}, {literal(rule.block)}, {BLOCK_NUMBERS[rule.block]}, "
        f"{list(rule.digits)}, {COMPANY_DIGITS in rule.digits}, {PERSON_DIGITS in rule.digits}, "
        f"{literal(rule.unseen)}, {rule.partial_shows}, {rule.own_method}, {bool(rule.amount)}, "
        f"{rule.shows_rows})"
        for rule in RULES
    )
    return f"""
{block_limit_ctes()},
policy_rules AS MATERIALIZED (
    SELECT position, r.*, (rule->>'weight')::INTEGER AS weight, rule->>'severity' AS severity,
           coalesce(nullif(rule->>'group', ''), signal) AS group_name,
           coalesce((rule->>'stop')::BOOLEAN, false) AS stop,
           coalesce((rule->>'substitute')::BOOLEAN, false) AS substitute, rule->>'title' AS title,
           rule->>'title_ru' AS title_ru, rule->'limits' AS limits,
           (rule->'limits'->>'amount_rub')::DOUBLE AS amount_rub, (rule->'limits'->>'size_share')::DOUBLE AS size_share
    FROM (SELECT j.position, j.policy->'rules'->r.signal AS rule, r.* FROM judges j
          CROSS JOIN (VALUES {rules})
          r (number, signal, block, block_no, digits, companies, persons, unseen, partial_shows, own_method, by_size,
             shows_rows)) r
    WHERE rule IS NOT NULL AND coalesce((rule->>'enabled')::BOOLEAN, true)
),
policy_limits AS MATERIALIZED (
    SELECT DISTINCT ON (policy_version) policy_version, {limits} FROM judges
)""".strip()


def rule_texts() -> str:
    """The texts of the rules as a table `r` for `FROM`: number, condition, source."""
    rows = (f"({NUMBERS[rule.signal]}, {literal(rule.condition)}, {literal(rule.source)})" for rule in RULES)
    return "(VALUES\n" + ",\n".join(rows) + "\n) w (number, condition, source)"


def _block_findings(block: str, rules: list[Rule]) -> str:
    """The findings of one block's rules: one row per version, day and rule; NULL in `present` is not known."""
    versions = f"(SELECT * FROM evaluated WHERE block_no = {BLOCK_NUMBERS[block]})"
    numbers, present, shown, amounts = list[str](), list[str](), list[str](), list[str]()
    uses_limits = False
    for rule in rules:
        uses_limits = uses_limits or any(OWN_LIMIT.search(part) for part in rule.parts)
        is_present, since, evidence, amount, facts = (
            OWN_LIMIT.sub(lambda match, signal=rule.signal: f"p.{limit_column(signal, match[1])}", part)
            for part in rule.parts
        )
        numbers.append(str(NUMBERS[rule.signal]))
        present.append(f"({is_present})")
        amounts.append(f"({amount or 'NULL'})::DOUBLE")
        may_be_present = f"({is_present}) OR ({amount}) > 0" if amount else is_present
        keys = f"coalesce({facts}, [])" if facts else "NULL"
        shown.append(
            f"CASE WHEN {may_be_present} THEN {{'began': ({since})::TIMESTAMP, 'evidence': ({evidence})::VARCHAR, "
            f"'facts': {keys}::VARCHAR[]}} END"
        )
    names = {name for rule in rules for name in rule.figures}
    figures = figures_query(block, versions, names)
    on = "a.version_id = v.version_id AND a.day = v.day AND a.policy_version = v.policy_version"
    join = f"\nLEFT JOIN ({figures}) a ON {on}" if figures else ""
    policy = "\nJOIN policy_limits p ON p.policy_version = v.policy_version" if uses_limits else ""
    amounts_shown = f"unnest([{', '.join(amounts)}])" if any(rule.amount for rule in rules) else "NULL::DOUBLE"
    # Most signals are absent: date, evidence and facts are computed only for versions with at least one present signal.
    may_show = " OR ".join(
        [*present, *(amount + " > 0" for rule, amount in zip(rules, amounts, strict=True) if rule.amount)]
    )
    return (
        f"SELECT v.version_id, v.day, v.policy_version, unnest([{', '.join(numbers)}]) AS number, "
        f"unnest([{', '.join(present)}]) AS present, "
        f"{amounts_shown} AS amount,\n"
        f"       unnest(CASE WHEN {may_show} THEN [{', '.join(shown)}] END) AS shown\n"
        f"FROM {versions} v JOIN core.{identifier(block)} t ON t.version_id = v.version_id{policy}{join}"
    )


def evaluate_query(rules: Iterable[Rule]) -> str:
    """The findings of rules that read one version: version_id, day, policy_version, number, present, amount, shown.

    It reads the CTEs `evaluated` (version_id, day, policy_version, block_no) and `policy_limits`. `shown` (began,
    evidence, facts) is NULL unless `present` is true or `amount` above 0.
    """
    by_block: dict[str, list[Rule]] = {}
    for rule in rules:
        by_block.setdefault(rule.block, []).append(rule)
    return "\nUNION ALL\n".join(_block_findings(block, rules) for block, rules in by_block.items())


def history_query() -> str:
    """The findings of the rules that read more than one version: inn, moment, number, present, shown, is_seen."""
    parts = (
        f"SELECT inn, moment, {NUMBERS[rule.signal]} AS number, present, {{'began': began::TIMESTAMP, "
        f"'evidence': evidence::VARCHAR, 'facts': {rule.facts or 'NULL'}::VARCHAR[]}} AS shown, {rule.seen} AS is_seen "
        f"FROM ({rule.query.strip()})"
        for rule in RULES
        if rule.query
    )
    return "\nUNION ALL\n".join(parts)
