"""How much a change matters: one table of rules, the first that fits decides."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import polars as pl

INFO, NOTICE, ALERT = "info", "notice", "alert"
LEVELS: Mapping[str, int] = {INFO: 0, NOTICE: 1, ALERT: 2}


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of change and its severity.

    `table` and `column` name where; `*` is any. `change` is added, removed, changed or `*`. `old` and `new` are values
    that the cell had or has (text as in `lineage.changes`); empty: any, `GIVEN`: any but NULL. `rises`: the number
    went up. `holds`: a cell of the row that was added.
    """

    table: str
    column: str
    change: str
    severity: str
    meaning: str
    old: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    rises: bool = False
    holds: tuple[str, str] = ("", "")

    def fits(self) -> pl.Expr:
        """The condition over a frame of changes."""
        terms: list[pl.Expr] = [pl.lit(value=True)]
        if self.table != "*":
            terms.append(pl.col("table_name") == self.table)
        if self.column != "*":
            terms.append(pl.col("column_name").fill_null("") == self.column)
        if self.change != "*":
            terms.append(pl.col("change") == self.change)
        for name, values in (("old_value", self.old), ("new_value", self.new)):
            if values == GIVEN:
                terms.append(pl.col(name).is_not_null())
            elif values:
                terms.append(pl.col(name).is_in(values))
        if self.rises:
            number = [pl.col(name).cast(pl.Float64, strict=False).fill_null(0) for name in ("old_value", "new_value")]
            terms.append(number[1] > number[0])
        if all(self.holds):
            terms.append(pl.col("new_value").str.contains('"{}":"{}"'.format(*self.holds), literal=True))
        return pl.all_horizontal(terms).fill_null(value=False)


TRUE = ("true",)
GIVEN = ("*",)
NO_ASSETS = ("completion_reason", "no_assets")
RULES: tuple[Rule, ...] = (
    Rule("company", "status", "changed", ALERT, "The company is no longer active.", old=("active",), new=GIVEN),
    Rule("company", "status", "changed", NOTICE, "The status changed."),
    Rule("company", "liquidation_date", "changed", ALERT, "A date of termination was entered.", new=GIVEN),
    Rule("company", "liquidation_date", "changed", NOTICE, "The date of termination was taken back."),
    Rule("company", "disqualified_persons", "changed", ALERT, "A disqualified person is in charge.", new=TRUE),
    Rule("company", "sanctions", "changed", ALERT, "The company is on a sanctions list.", new=TRUE),
    Rule("company", "sanctions_founders", "changed", ALERT, "A founder is on a sanctions list.", new=TRUE),
    Rule("company", "unfair_supplier", "changed", ALERT, "The company is an unfair supplier.", new=TRUE),
    Rule("company", "invalid_data", "changed", NOTICE, "The register calls its data unreliable.", new=TRUE),
    Rule("company", "invalid_address", "changed", NOTICE, "The register calls the address unreliable.", new=TRUE),
    Rule("company", "illegal_finance", "changed", NOTICE, "A flag under the anti-money-laundering law.", new=TRUE),
    Rule("bankruptcy", "has_bankruptcy", "changed", ALERT, "A bankruptcy stage was recognised.", new=TRUE),
    Rule(
        "bankruptcy", "has_intention", "changed", ALERT, "An intention to file for bankruptcy was published.", new=TRUE
    ),
    Rule("bankruptcy", "status", "changed", ALERT, "The bankruptcy stage changed.", new=GIVEN),
    Rule("bankruptcy", "*", "changed", NOTICE, "The bankruptcy card changed."),
    Rule("bankruptcy__cases", "*", "added", NOTICE, "A debtor card; it alone is no bankruptcy."),
    Rule("freezes", "found", "changed", ALERT, "Accounts were suspended.", new=TRUE),
    Rule("freezes", "found", "changed", NOTICE, "Suspensions were lifted."),
    Rule("freezes__items", "*", "added", ALERT, "A decision to suspend accounts."),
    Rule("freezes__items", "*", "removed", NOTICE, "A suspension was lifted."),
    Rule("sanctions__hits", "*", "added", ALERT, "A match in a sanctions list."),
    Rule("sanctions__hits", "*", "*", NOTICE, "A match in a sanctions list changed."),
    Rule("minjust_check__leaves", "*", "added", ALERT, "A match in the register of foreign agents."),
    Rule("rnp__records", "*", "added", ALERT, "An entry in the unfair-supplier register."),
    Rule("rnp__records", "*", "*", NOTICE, "An entry in the unfair-supplier register changed."),
    Rule("fssp", "completed_no_assets", "changed", ALERT, "An enforcement ended for want of assets.", rises=True),
    Rule("fssp__proceedings", "completion_reason", "changed", ALERT, "Ended for want of assets.", new=("no_assets",)),
    Rule("fssp__proceedings", "*", "added", ALERT, "An enforcement ended for want of assets.", holds=NO_ASSETS),
    Rule("fssp__proceedings", "*", "added", NOTICE, "A new enforcement proceeding."),
    Rule("fssp__proceedings", "is_active", "changed", NOTICE, "An enforcement proceeding ended or came back."),
    Rule("risk_flags", "disqualified_persons", "changed", ALERT, "A disqualified person is in charge.", new=TRUE),
    Rule("risk_flags__disqualified_records", "*", "added", ALERT, "A disqualified person."),
    Rule("risk_flags", "*", "changed", NOTICE, "A risk flag changed.", new=TRUE),
    Rule("company", "director", "changed", NOTICE, "The director changed."),
    Rule("company__directors", "*", "*", NOTICE, "The managers changed."),
    Rule("company", "address", "changed", NOTICE, "The address changed."),
    Rule("company", "name", "changed", NOTICE, "The name changed."),
    Rule("company__founders", "*", "*", NOTICE, "The founders changed."),
    Rule("company__founder_shares", "*", "*", NOTICE, "The shares changed."),
    Rule("company", "authorized_capital", "changed", NOTICE, "The authorized capital changed."),
    Rule("company__ip_records", "*", "*", NOTICE, "A registration as sole proprietor changed."),
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
    return _decided(lambda rule: rule.severity)


def meaning() -> pl.Expr:
    """What each row of a frame of changes means, in a sentence."""
    return _decided(lambda rule: rule.meaning)


def _decided(said: Callable[[Rule], str]) -> pl.Expr:
    *special, last = RULES
    chosen: pl.Expr = pl.lit(said(last))
    for rule in reversed(special):
        chosen = pl.when(rule.fits()).then(pl.lit(said(rule))).otherwise(chosen)
    return chosen
