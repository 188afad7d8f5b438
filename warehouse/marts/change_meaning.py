"""The sentences of `innspect.schemas.change_severity` as SQL, for `mart.changes`."""

from innspect.schemas.change_severity import GIVEN, RULES, Rule
from innspect.warehouse.ddl import text


def change_meaning(row: str = "c") -> str:
    """What a row of `lineage.changes` means: a CASE over its columns, the first rule that fits decides."""
    *special, last = RULES
    cases = "\n".join(f"WHEN {fits(rule, row)} THEN {text(rule.meaning)}" for rule in special)
    return f"CASE {cases}\nELSE {text(last.meaning)} END"


def fits(rule: Rule, row: str) -> str:
    """The condition of a rule over a row of changes; it means what `Rule.fits` means over a frame."""
    terms: list[str] = []
    if rule.table != "*":
        terms.append(f"{row}.table_name = {text(rule.table)}")
    if rule.column != "*":
        terms.append(f"{row}.column_name = {text(rule.column)}")
    if rule.change != "*":
        terms.append(f"{row}.change = {text(rule.change)}")
    for name, values in (("old_value", rule.old), ("new_value", rule.new)):
        if values == GIVEN:
            terms.append(f"{row}.{name} IS NOT NULL")
        elif values:
            terms.append(f"{row}.{name} IN ({', '.join(map(text, values))})")
    if rule.rises:
        old, new = (f"coalesce(try_cast({row}.{name} AS DOUBLE), 0)" for name in ("old_value", "new_value"))
        terms.append(f"{new} > {old}")
    if all(rule.holds):
        name, value = rule.holds
        cell = text(f'"{name}":"{value}"')
        terms.append(f"contains({row}.new_value, {cell})")
    return " AND ".join(terms) or "true"
