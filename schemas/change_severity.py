"""Severity of changes: one table of rules; the first rule that applies decides."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import polars as pl

INFO, NOTICE, ALERT = "info", "notice", "alert"
SEVERITY_RANKS: Mapping[str, int] = {INFO: 0, NOTICE: 1, ALERT: 2}


@dataclass(frozen=True, slots=True)
class SeverityRule:
    """A kind of change and its severity.

    `table`, `column` and `change` (added, removed or changed) may be `*`: any. `old`, `new`: values of the cell before
    and after, as text in `lineage.changes`; empty: any, `NOT_NULL`: any but NULL. `increases`: the number increased.
    `added_cell`: column and value of a cell in the added row.
    """

    table: str
    column: str
    change: str
    severity: str
    meaning: str
    old: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    increases: bool = False
    added_cell: tuple[str, str] = ("", "")

    def condition(self) -> str:
        """The condition as SQL over the columns of `lineage.changes`, for DuckDB and polars alike."""
        terms: list[str] = []
        for name, value in (("table_name", self.table), ("column_name", self.column), ("change", self.change)):
            if value != "*":
                terms.append(f"{name} = {_literal(value)}")
        for name, values in (("old_value", self.old), ("new_value", self.new)):
            if values == NOT_NULL:
                terms.append(f"{name} IS NOT NULL")
            elif values:
                terms.append(f"{name} IN ({', '.join(map(_literal, values))})")
        if self.increases:
            old, new = (f"coalesce(try_cast({name} AS DOUBLE), 0)" for name in ("old_value", "new_value"))
            terms.append(f"{new} > {old}")
        if all(self.added_cell):
            cell = _literal('"{}":"{}"'.format(*self.added_cell))
            terms.append(f"strpos(new_value, {cell}) > 0")
        return " AND ".join(terms)


TRUE = ("true",)
NOT_NULL = ("*",)
NO_ASSETS = ("completion_reason", "no_assets")
SEVERITY_RULES: tuple[SeverityRule, ...] = (
    SeverityRule(
        "company", "status", "changed", ALERT, "The company is no longer active.", old=("active",), new=NOT_NULL
    ),
    SeverityRule("company", "status", "changed", NOTICE, "The status changed."),
    SeverityRule("company", "liquidation_date", "changed", ALERT, "A date of termination was entered.", new=NOT_NULL),
    SeverityRule("company", "liquidation_date", "changed", NOTICE, "The date of termination was removed."),
    SeverityRule("company", "disqualified_persons", "changed", ALERT, "A disqualified person is in charge.", new=TRUE),
    SeverityRule("company", "sanctions", "changed", ALERT, "The company is on a sanctions list.", new=TRUE),
    SeverityRule("company", "sanctions_founders", "changed", ALERT, "A founder is on a sanctions list.", new=TRUE),
    SeverityRule("company", "unfair_supplier", "changed", ALERT, "The company is an unfair supplier.", new=TRUE),
    SeverityRule("company", "invalid_data", "changed", NOTICE, "The register calls its data unreliable.", new=TRUE),
    SeverityRule(
        "company", "invalid_address", "changed", NOTICE, "The register calls the address unreliable.", new=TRUE
    ),
    SeverityRule(
        "company", "illegal_finance", "changed", NOTICE, "A flag under the anti-money-laundering law.", new=TRUE
    ),
    SeverityRule("bankruptcy", "has_bankruptcy", "changed", ALERT, "A bankruptcy stage was recognised.", new=TRUE),
    SeverityRule(
        "bankruptcy", "has_intention", "changed", ALERT, "An intention to file for bankruptcy was published.", new=TRUE
    ),
    SeverityRule("bankruptcy", "status", "changed", ALERT, "The bankruptcy stage changed.", new=NOT_NULL),
    SeverityRule("bankruptcy", "*", "changed", NOTICE, "The bankruptcy card changed."),
    SeverityRule("bankruptcy__cases", "*", "added", NOTICE, "A debtor card; a card alone is not a bankruptcy."),
    SeverityRule("freezes", "found", "changed", ALERT, "Accounts were suspended.", new=TRUE),
    SeverityRule("freezes", "found", "changed", NOTICE, "Suspensions were lifted."),
    SeverityRule("freezes__items", "*", "added", ALERT, "A decision to suspend accounts."),
    SeverityRule("freezes__items", "*", "removed", NOTICE, "A suspension was lifted."),
    SeverityRule("sanctions__hits", "*", "added", ALERT, "A match in a sanctions list."),
    SeverityRule("sanctions__hits", "*", "*", NOTICE, "A match in a sanctions list changed."),
    SeverityRule("minjust_check__leaves", "*", "added", ALERT, "A match in the register of foreign agents."),
    SeverityRule("rnp__records", "*", "added", ALERT, "An entry in the unfair-supplier register."),
    SeverityRule("rnp__records", "*", "*", NOTICE, "An entry in the unfair-supplier register changed."),
    SeverityRule(
        "fssp",
        "completed_no_assets",
        "changed",
        ALERT,
        "An enforcement proceeding ended: no assets were found.",
        increases=True,
    ),
    SeverityRule(
        "fssp__proceedings",
        "completion_reason",
        "changed",
        ALERT,
        "An enforcement proceeding ended: no assets were found.",
        new=("no_assets",),
    ),
    SeverityRule(
        "fssp__proceedings",
        "*",
        "added",
        ALERT,
        "An enforcement proceeding ended: no assets were found.",
        added_cell=NO_ASSETS,
    ),
    SeverityRule("fssp__proceedings", "*", "added", NOTICE, "A new enforcement proceeding."),
    SeverityRule(
        "fssp__proceedings", "is_active", "changed", NOTICE, "An enforcement proceeding ended or was resumed."
    ),
    SeverityRule(
        "risk_flags", "disqualified_persons", "changed", ALERT, "A disqualified person is in charge.", new=TRUE
    ),
    SeverityRule("risk_flags__disqualified_records", "*", "added", ALERT, "A disqualified person."),
    SeverityRule("risk_flags", "*", "changed", NOTICE, "A risk flag changed.", new=TRUE),
    SeverityRule("company", "director", "changed", NOTICE, "The director changed."),
    *(
        SeverityRule(table, "item_inn", "changed", INFO, "The register discloses an INN, or withholds it.")
        for table in ("company__directors", "company__founders", "company__founder_shares")
    ),
    SeverityRule("company__directors", "*", "*", NOTICE, "The managers changed."),
    SeverityRule("company", "address", "changed", NOTICE, "The address changed."),
    SeverityRule("company", "name", "changed", NOTICE, "The name changed."),
    SeverityRule("company__founders", "*", "*", NOTICE, "The founders changed."),
    SeverityRule("company__founder_shares", "*", "*", NOTICE, "The shares changed."),
    SeverityRule("company", "authorized_capital", "changed", NOTICE, "The authorized capital changed."),
    SeverityRule("company__ip_records", "*", "*", NOTICE, "A registration as sole proprietor changed."),
    SeverityRule("arbitration__cases", "*", "added", NOTICE, "A new arbitration case."),
    SeverityRule("arbitration__cases", "result", "changed", NOTICE, "A case has a result."),
    SeverityRule("general_courts__cases", "*", "added", NOTICE, "A new case in a general court."),
    SeverityRule("tax_debts__records", "*", "*", NOTICE, "Tax debts changed."),
    SeverityRule("tax_offences__records", "*", "added", NOTICE, "A tax offence."),
    SeverityRule("pledges__pledges", "*", "added", NOTICE, "A new pledge."),
    SeverityRule("licenses__health", "*", "removed", NOTICE, "A licence was removed."),
    SeverityRule(
        "inspections__inspections", "has_violations", "changed", NOTICE, "An inspection found violations.", new=TRUE
    ),
)
"""The first rule that applies decides; a change that none applies to is `INFO`."""


def severity() -> pl.Expr:
    """Severity of each row of a frame of changes."""
    return pl.sql_expr(_case(lambda rule: rule.severity, INFO))


def meaning() -> pl.Expr:
    """Meaning of each row of a frame of changes, as a sentence; NULL where no rule applies: the news says it."""
    return pl.sql_expr(meaning_sql())


def meaning_sql() -> str:
    """The same as SQL over the columns of `lineage.changes`."""
    return _case(lambda rule: rule.meaning, None)


def _case(value: Callable[[SeverityRule], str], default: str | None) -> str:
    cases = "\n".join(f"WHEN {rule.condition()} THEN {_literal(value(rule))}" for rule in SEVERITY_RULES)
    return f"CASE {cases}\nELSE {'NULL' if default is None else _literal(default)} END"


def _literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
