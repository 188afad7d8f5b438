"""What the page tells of one portfolio, asked of the warehouse; nothing is in words yet."""

from dataclasses import dataclass
from datetime import datetime

from innspect.reports.portfolio_report.link_groups import Group, groups
from innspect.reports.portfolio_report.queries import Answer, Asked, Portfolio, asking
from innspect.warehouse.database import Warehouse
from innspect.warehouse.publish.reader import Published

ALERT_MEMBERS, NOTICE_MEMBERS = 40, 15
"""So many counterparties are named with their changes of each severity."""
PICTURED_GROUPS, PICTURED_MEMBERS = 6, 12


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes since a moment (UTC; None: there is nothing to compare with), and how many there are in all."""

    since: datetime | None
    given: bool
    figures: Answer
    alerts: Answer
    notices: Answer
    others: Answer


@dataclass(frozen=True, slots=True)
class Risk:
    """Levels, the worst members and, by INN, the signals that they have."""

    levels: Answer
    worst: Answer
    reasons: Answer | None


@dataclass(frozen=True, slots=True)
class Known:
    """How much is known, by block and by age, and where silence bears on the other figures."""

    figures: Answer
    blocks: Answer
    ages: Answer
    silence: Answer


@dataclass(frozen=True, slots=True)
class Money:
    """What was spent: altogether, by method and run by run."""

    figures: Answer
    methods: Answer
    runs: Answer


@dataclass(frozen=True, slots=True)
class Debts:
    """Revenue and debt: how many have which, and those who have both."""

    figures: Answer
    points: Answer


@dataclass(frozen=True, slots=True)
class Links:
    """Members that something joins: the pairs, the groups that they make, and who is in those that are shown."""

    pairs: Answer
    groups: list[Group]
    members: Answer | None


@dataclass(frozen=True, slots=True)
class Facts:
    """All of it; `run` has one row or none, `checks` the runs that brought answers."""

    portfolio: str
    run: Answer
    checks: Answer
    changes: Changes
    risk: Risk
    known: Known
    money: Money
    courts: Answer
    enforcement: Answer
    debts: Debts
    links: Links
    queries: list[str]


def gather(warehouse: Warehouse | Published, name: str, since: datetime | None, shown_groups: int) -> Facts:
    """Ask all that the page tells of a portfolio. `since` None: the end of its last check but one."""
    portfolio = Portfolio(name)
    with asking(warehouse, portfolio) as asked:
        return _facts(asked, portfolio, since, shown_groups)


def _facts(asked: Asked, portfolio: Portfolio, since: datetime | None, shown_groups: int) -> Facts:
    known = asked(portfolio.coverage_figures())
    run, checks = asked(portfolio.latest_run()), asked(portfolio.latest_checks())
    changes = _changes(asked, portfolio, since, checks)
    levels, worst = asked(portfolio.level_figures()), asked(portfolio.worst())
    inns = [row["inn"] for row in worst.rows]
    reasons = asked(portfolio.reasons(inns)) if inns else None
    return Facts(
        portfolio.name,
        run,
        checks,
        changes,
        Risk(levels, worst, reasons),
        Known(known, asked(portfolio.coverage()), asked(portfolio.ages()), asked(portfolio.silence())),
        Money(asked(portfolio.money_figures()), asked(portfolio.money_by_method()), asked(portfolio.runs())),
        asked(portfolio.courts()),
        asked(portfolio.enforcement()),
        Debts(asked(portfolio.debt_figures()), asked(portfolio.debts())),
        _links(asked, portfolio, shown_groups),
        asked.queries,
    )


def _changes(asked: Asked, portfolio: Portfolio, since: datetime | None, checks: Answer) -> Changes:
    given = since is not None
    if since is None and len(checks.rows) > 1:
        # From the end of the check before: also what a run that was killed in between has brought counts.
        since = checks.rows[1]["ended_at"]
    return Changes(
        since,
        given,
        asked(portfolio.change_figures(since)),
        asked(portfolio.changes(since, "alert", ALERT_MEMBERS)),
        asked(portfolio.changes(since, "notice", NOTICE_MEMBERS)),
        asked(portfolio.other_changes(since)),
    )


def _links(asked: Asked, portfolio: Portfolio, shown: int) -> Links:
    pairs = asked(portfolio.links())
    found = groups(pairs.rows)
    inns = sorted({inn for group in found[:shown] for inn in group.inns})
    return Links(pairs, found, asked(portfolio.linked(inns)) if inns else None)
