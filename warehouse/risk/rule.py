"""The form of a risk rule; `innspect.warehouse.risk.policy_sql` has the table of all rules."""

import re
from dataclasses import dataclass

from innspect.schemas.declaration import COMPANY_DIGITS, PERSON_DIGITS

FIGURE = re.compile(r"\ba\.(\w+)")
COMPANIES, PERSONS = (COMPANY_DIGITS,), (PERSON_DIGITS,)
EVERYONE = (*COMPANIES, *PERSONS)
"""INN lengths of the kinds of INN that a rule makes sense for; whether the service has its block is decided by INN."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A signal and its condition, in words and in SQL; what it weighs is in the policy.

    `present` is an expression: true, false, or NULL if the response does not say. It reads `t`, the block's row in
    `core`; `a`, the row of `FIGURES`; `v`, the version, its day of judgement `v.day`; and limits of the policy by name:
    `{days}`. `since` (a date or NULL), `evidence` (short text) and `facts` are expressions that are read if the signal
    is present. `facts`: the sorted keys of the single facts that make it present, for rules over the rows of a list: a
    new key is a further fact. Rules over a flag, a number of rows or a share have none. `amount`: the sum that is
    judged against the company's size; `present` is then NULL if more may be due, else false. `query`: the rule reads
    other blocks, earlier versions or other members, see `rules_history`; `facts` is then an expression over its rows,
    as `seen` is: whether `began` is a time at which innspect saw it, and not a start by the data.
    `digits`: kinds of INN. `unseen`: reason of a partial response that did not check this. `partial_shows`: a partial
    response of the block always contains this. `own_method`: the full check does not carry what it reads.
    """

    signal: str
    block: str
    condition: str
    source: str
    present: str = ""
    since: str = "NULL"
    evidence: str = "NULL"
    facts: str = ""
    amount: str = ""
    query: str = ""
    seen: str = "false"
    digits: tuple[int, ...] = EVERYONE
    unseen: str = ""
    partial_shows: bool = False
    own_method: bool = False

    @property
    def parts(self) -> tuple[str, str, str, str, str]:
        """The expressions: present, since, evidence, amount, facts."""
        return self.present, self.since, self.evidence, self.amount, self.facts

    @property
    def figures(self) -> frozenset[str]:
        """Names of the figures that the expressions read."""
        return frozenset(FIGURE.findall(" ".join(self.parts)))

    @property
    def shows_rows(self) -> bool:
        """Whether the evidence is about rows of a list: if the list is incomplete, there may be more."""
        return bool(self.facts) or FIGURE.search(self.evidence) is not None


def money(amount: str) -> str:
    """SQL expression of an amount of roubles as text: `1 234 567.89 RUB`."""
    return f"replace(format('{{:,.2f}}', ({amount})::DOUBLE), ',', ' ') || ' RUB'"


def least_money(amount: str, unpriced: str) -> str:
    """SQL expression of a sum as `money`, `at least` if some of what it sums up has no amount."""
    return f"CASE WHEN {unpriced} > 0 THEN 'at least ' ELSE '' END || {money(amount)}"


def any_of(present: str, unknown: str) -> str:
    """SQL expression: true if `present`, NULL if not but `unknown`, else false."""
    return f"CASE WHEN {present} THEN true WHEN {unknown} THEN NULL ELSE false END"


def is_counted_or_listed(counter: str, listed: str, unclear: str) -> str:
    """SQL expression: whether the counter or the figure `listed` is above 0.

    NULL if neither is, but the counter is not known, or rows that cannot be read may be such ones (`unclear`).
    """
    present = f"{counter} > 0 OR coalesce({listed}, 0) > 0"
    return any_of(present, f"{counter} IS NULL OR coalesce({unclear}, 0) > 0")
