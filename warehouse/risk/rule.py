"""The form of a risk rule; `innspect.warehouse.risk.policy_sql` has the table of all rules."""

from dataclasses import dataclass

COMPANY = (10,)
"""INN lengths of companies."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A signal: title, severity, weight, and its condition in words and in SQL.

    `present` is an expression: true, false, or NULL if the response does not say. It reads `t`, the block's row in
    `core`; `a`, the row of `LIST_FIGURES`; and `today`. `since` (a date or NULL) and `evidence` (short text) are
    expressions that are read if the signal is present. `digits`: INN lengths that the rule applies to. `weight` adds to
    the score: 60 alone is critical, 30 high, 10 medium. `unseen`: reason of a partial response that did not check this.
    `partial_shows`: a partial response of the block always contains this.
    """

    signal: str
    title: str
    title_ru: str
    severity: str
    weight: int
    block: str
    condition: str
    source: str
    present: str
    since: str = "NULL"
    evidence: str = "NULL"
    digits: tuple[int, ...] = (10, 12)
    unseen: str = ""
    partial_shows: bool = False


def money(amount: str) -> str:
    """SQL expression of an amount of roubles as text: `1 234 567.89 RUB`."""
    return f"replace(format('{{:,.2f}}', ({amount})::DOUBLE), ',', ' ') || ' RUB'"
