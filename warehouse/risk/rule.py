"""What a rule of risk is: the form of every row of the table in `innspect.warehouse.risk.policy_sql`."""

from dataclasses import dataclass

from innspect.schemas.change_severity import ALERT, INFO, NOTICE

__all__ = ["ALERT", "COMPANY", "INFO", "NOTICE", "Rule", "money"]

COMPANY = (10,)


@dataclass(frozen=True, slots=True)
class Rule:
    """A signal: what it is called, how grave it is, and the condition in words and in SQL.

    `present` is true, false, or NULL where the answer does not tell; it reads `t`, the block's row in `core`, `a`, what
    `warehouse.risk_facts` counts of its lists, and `today`. `since` (a date or NULL) and `evidence` (short words) are
    read where it is present. `digits` are the lengths of the INNs that it is asked of. `weight` adds to the score:
    60 alone is critical, 30 high, 10 medium. `unseen` is the reason of a partial answer that did not look at this;
    `partial_shows` says that a partial answer of the block always shows it.
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
    """SQL that words an amount of roubles: `1 234 567.89 RUB`."""
    return f"replace(format('{{:,.2f}}', ({amount})::DOUBLE), ',', ' ') || ' RUB'"
