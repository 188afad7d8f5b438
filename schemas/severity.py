"""How much a change matters: one table of rules, the first that fits decides."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

INFO, NOTICE, ALERT = "info", "notice", "alert"
LEVELS: Mapping[str, int] = {INFO: 0, NOTICE: 1, ALERT: 2}


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of change and its severity.

    `table` and `column` name where; `*` is any. `change` is added, removed, changed or `*`. `old` and `new` are values
    that the cell had or has (text as in `lineage.changes`); empty: any.
    """

    table: str
    column: str
    change: str
    severity: str
    meaning: str
    old: tuple[str, ...] = ()
    new: tuple[str, ...] = ()

    def fits(self) -> pl.Expr:
        """The condition over a frame of changes."""
        terms: list[pl.Expr] = [pl.lit(value=True)]
        if self.table != "*":
            terms.append(pl.col("table_name") == self.table)
        if self.column != "*":
            terms.append(pl.col("column_name").fill_null("") == self.column)
        if self.change != "*":
            terms.append(pl.col("change") == self.change)
        if self.old:
            terms.append(pl.col("old_value").is_in(self.old))
        if self.new:
            terms.append(pl.col("new_value").is_in(self.new))
        return pl.all_horizontal(terms).fill_null(value=False)


TRUE = ("true",)
RULES: tuple[Rule, ...] = (
    Rule("company", "status", "changed", ALERT, "The company is no longer active.", old=("active",)),
    Rule("company", "status", "changed", NOTICE, "The status changed."),
    Rule("company", "liquidation_date", "changed", ALERT, "A date of termination was entered."),
    Rule("company", "disqualified_persons", "changed", ALERT, "A disqualified person is in charge.", new=TRUE),
    Rule("company", "sanctions", "changed", ALERT, "The company is on a sanctions list.", new=TRUE),
    Rule("company", "unfair_supplier", "changed", ALERT, "The company is an unfair supplier.", new=TRUE),
    Rule("bankruptcy", "has_bankruptcy", "changed", ALERT, "A bankruptcy stage was recognised.", new=TRUE),
    Rule(
        "bankruptcy", "has_intention", "changed", ALERT, "An intention to file for bankruptcy was published.", new=TRUE
    ),
    Rule("bankruptcy", "status", "changed", ALERT, "The bankruptcy stage changed."),
    Rule("freezes", "found", "changed", ALERT, "Accounts were suspended.", new=TRUE),
    Rule("freezes", "found", "changed", NOTICE, "Suspensions were lifted."),
    Rule("freezes__items", "*", "added", ALERT, "A decision to suspend accounts."),
    Rule("freezes__items", "*", "removed", NOTICE, "A suspension was lifted."),
    Rule("sanctions__hits", "*", "added", ALERT, "A match in a sanctions list."),
    Rule("minjust_check__leaves", "*", "added", ALERT, "A match in the register of foreign agents."),
    Rule("rnp__records", "*", "added", ALERT, "An entry in the unfair-supplier register."),
    Rule("rnp__records", "*", "*", NOTICE, "An entry in the unfair-supplier register changed."),
    Rule("fssp", "completed_no_assets", "changed", ALERT, "An enforcement ended for want of assets."),
    Rule("fssp__proceedings", "completion_reason", "changed", ALERT, "Ended for want of assets.", new=("no_assets",)),
    Rule("fssp__proceedings", "*", "added", NOTICE, "A new enforcement proceeding."),
    Rule("risk_flags", "disqualified_persons", "changed", ALERT, "A disqualified person is in charge.", new=TRUE),
    Rule("risk_flags__disqualified_records", "*", "added", ALERT, "A disqualified person."),
    Rule("risk_flags", "*", "changed", NOTICE, "A risk flag changed.", new=TRUE),
    Rule("company", "director", "changed", NOTICE, "The director changed."),
    Rule("company__directors", "*", "*", NOTICE, "The managers changed."),
    Rule("company", "address", "changed", NOTICE, "The address changed."),
    Rule("company__founders", "*", "*", NOTICE, "The founders changed."),
    Rule("company__founder_shares", "*", "*", NOTICE, "The shares changed."),
    Rule("company", "authorized_capital", "changed", NOTICE, "The authorized capital changed."),
    Rule("arbitration__cases", "*", "added", NOTICE, "A new arbitration case."),
    Rule("arbitration__cases", "result", "changed", NOTICE, "A case has a result."),
    Rule("general_courts__cases", "*", "added", NOTICE, "A new case in a general court."),
    Rule("tax_debts__records", "*", "*", NOTICE, "Tax debts changed."),
    Rule("tax_offences__records", "*", "added", NOTICE, "A tax offence."),
    Rule("pledges__pledges", "*", "added", NOTICE, "A new pledge."),
    Rule("licenses__health", "*", "removed", NOTICE, "A licence is gone."),
    Rule("inspections__inspections", "has_violations", "changed", NOTICE, "An inspection found violations.", new=TRUE),
    Rule("*", "*", "*", INFO, "Any other change."),
)


def severity() -> pl.Expr:
    """The severity of each row of a frame of changes."""
    chosen: pl.Expr = pl.lit(INFO)
    for rule in reversed(RULES):
        chosen = pl.when(rule.fits()).then(pl.lit(rule.severity)).otherwise(chosen)
    return chosen
