"""The data of the report of one portfolio: query results, not yet in words."""

from dataclasses import dataclass
from datetime import datetime

from innspect.reports.portfolio_report.link_groups import LinkGroup, read_groups
from innspect.reports.portfolio_report.link_queries import LinkQueries
from innspect.reports.portfolio_report.member_table.member_query import SIGNAL_TITLES, own_columns
from innspect.reports.portfolio_report.queries import (
    NumberedQueries,
    PortfolioQueries,
    QueryResult,
    numbered_queries,
)
from innspect.schemas.change_severity import ALERT, NOTICE
from innspect.warehouse.database import Warehouse
from innspect.warehouse.publish.reader import PublishedCopy

MAX_ALERT_MEMBERS, MAX_NOTICE_MEMBERS, MAX_MEMBER_CHANGES = 40, 15, 5
MAX_MOVED_MEMBERS = 20
MAX_TABLE_ROWS, MAX_OWN_COLUMNS = 12_000, 8
MAX_WORST_MEMBERS, MAX_UNKNOWN_MEMBERS, MAX_RUNS, MAX_LISTED_GROUPS = 20, 20, 8, 12
MAX_DRAWN_GROUPS, MAX_DRAWN_MEMBERS, MAX_SHARED_OBJECTS = 6, 12, 4


@dataclass(frozen=True, slots=True)
class ChangeData:
    """Changes since a moment (UTC; None: there is no previous check). `is_given`: the user named the moment."""

    since: datetime | None
    is_given: bool
    figures: QueryResult
    alerts: QueryResult
    notices: QueryResult
    others: QueryResult


@dataclass(frozen=True, slots=True)
class MovementData:
    """Members whose level moved in the period of the changes: how many each way, and the first of each.

    `answers` counts the members requested in the period by whether their sources answered.
    """

    figures: QueryResult
    answers: QueryResult
    rows: QueryResult


@dataclass(frozen=True, slots=True)
class MemberTableData:
    """The rows of the table of members, the titles of signals, and the portfolio's own columns: all, and the shown."""

    rows: QueryResult
    titles: QueryResult
    own_columns: list[str]
    shown_columns: list[str]


@dataclass(frozen=True, slots=True)
class RiskData:
    """Members by level, the worst members, those of an unknown level, and the signals of both."""

    levels: QueryResult
    worst: QueryResult
    unknown: QueryResult
    signals: QueryResult | None


@dataclass(frozen=True, slots=True)
class CoverageData:
    """What is confirmed: in figures, by block and state, by age; the gaps behind single sections; blocks of persons."""

    figures: QueryResult
    blocks: QueryResult
    ages: QueryResult
    gaps: QueryResult
    person_blocks: QueryResult


@dataclass(frozen=True, slots=True)
class SpendData:
    """Spend of all runs, by method and by run."""

    figures: QueryResult
    methods: QueryResult
    runs: QueryResult


@dataclass(frozen=True, slots=True)
class DebtData:
    """Revenue and debt: number of companies by what is known, and the companies with both."""

    figures: QueryResult
    points: QueryResult


@dataclass(frozen=True, slots=True)
class LinkData:
    """Groups of linked members: figures, the listed ones, names of their members; number of the query of all links."""

    figures: QueryResult
    groups: list[LinkGroup]
    members: QueryResult | None
    all_links: int


@dataclass(frozen=True, slots=True)
class ReportData:
    """All of it. `run` has one row or none; `checks` the latest two runs with responses.

    `movements` is None without a period: there is no previous check, and the user named no day.
    """

    portfolio: str
    run: QueryResult
    checks: QueryResult
    changes: ChangeData
    movements: MovementData | None
    table: MemberTableData
    risk: RiskData
    coverage: CoverageData
    spend: SpendData
    courts: QueryResult
    enforcement: QueryResult
    debts: DebtData
    links: LinkData
    queries: list[str]


def read_report_data(source: Warehouse | PublishedCopy, portfolio: str, since: datetime | None) -> ReportData:
    """Run the queries of the report. `since` None: changes since the end of the last check but one."""
    queries = PortfolioQueries(portfolio)
    with numbered_queries(source, queries) as numbered:
        try:
            numbered.store("report_coverage", queries.counted_coverage)
            return _read(numbered, queries, since)
        finally:
            numbered.drop_stored("report_coverage")


def _read(numbered: NumberedQueries, queries: PortfolioQueries, since: datetime | None) -> ReportData:
    run = numbered.run
    figures, latest_run, checks = (
        run(queries.coverage_figures()),
        run(queries.latest_run()),
        run(queries.latest_checks()),
    )
    changes = _read_changes(numbered, queries, since, checks)
    movements, table = _read_members(numbered, queries, changes.since)
    return ReportData(
        portfolio=queries.name,
        run=latest_run,
        checks=checks,
        changes=changes,
        movements=movements,
        table=table,
        risk=_read_risk(numbered, queries),
        coverage=CoverageData(
            figures,
            run(queries.coverage()),
            run(queries.ages()),
            run(queries.gaps()),
            run(queries.person_blocks()),
        ),
        spend=SpendData(run(queries.spend_figures()), run(queries.spend_by_method()), run(queries.runs(MAX_RUNS))),
        courts=run(queries.courts()),
        enforcement=run(queries.enforcement()),
        debts=DebtData(run(queries.debt_figures()), run(queries.debts())),
        links=_read_links(numbered, queries),
        queries=numbered.queries,
    )


def _read_changes(
    numbered: NumberedQueries, queries: PortfolioQueries, since: datetime | None, checks: QueryResult
) -> ChangeData:
    is_given = since is not None
    if since is None and len(checks.rows) > 1:
        # The end, not the start: an interrupted run between the two checks may have found changes as well.
        since = checks.rows[1]["ended_at"]
    figures = None
    if since is not None and len(checks.rows) == 1 and checks.rows[0]["started_at"] >= since:
        # The period begins before the first check: without any news there is nothing to compare, as without a period.
        ever = numbered.run(queries.change_figures(None))
        if not ever.row["changes"]:
            since, figures = None, ever
    return ChangeData(
        since,
        is_given,
        figures or numbered.run(queries.change_figures(since)),
        numbered.run(queries.changes(since, ALERT, MAX_ALERT_MEMBERS, MAX_MEMBER_CHANGES)),
        numbered.run(queries.changes(since, NOTICE, MAX_NOTICE_MEMBERS, MAX_MEMBER_CHANGES)),
        numbered.run(queries.other_changes(since)),
    )


def _read_members(
    numbered: NumberedQueries, queries: PortfolioQueries, since: datetime | None
) -> tuple[MovementData | None, MemberTableData]:
    """The movements of levels since a moment, and the table of all members, which shows them too."""
    try:
        if isinstance(numbered.source, Warehouse):
            # The mart is a view there; with the other parts of the table it needs more memory than both one by one.
            numbered.store("report_present_signals", queries.present)
        if since is not None:
            numbered.store("report_movements", queries.all_movements(since))
        movements = None if since is None else _read_movements(numbered, queries, since)
        names = numbered.run(own_columns(queries.name))
        columns = [row["name"] for row in names.rows]
        shown = columns[:MAX_OWN_COLUMNS]
        rows = numbered.run(queries.table(since, MAX_TABLE_ROWS, shown))
    finally:
        numbered.drop_stored("report_present_signals", "report_movements")
    return movements, MemberTableData(rows, numbered.run(SIGNAL_TITLES), columns, shown)


def _read_movements(numbered: NumberedQueries, queries: PortfolioQueries, since: datetime) -> MovementData:
    return MovementData(
        numbered.run(queries.movement_figures(since)),
        numbered.run(queries.answer_figures(since)),
        numbered.run(queries.movements(since, MAX_MOVED_MEMBERS)),
    )


def _read_risk(numbered: NumberedQueries, queries: PortfolioQueries) -> RiskData:
    levels, worst = numbered.run(queries.level_figures()), numbered.run(queries.worst(MAX_WORST_MEMBERS))
    unknown = numbered.run(queries.unknown_levels(MAX_UNKNOWN_MEMBERS))
    inns = [row["inn"] for row in (*worst.rows, *unknown.rows)]
    return RiskData(levels, worst, unknown, numbered.run(queries.signals(inns)) if inns else None)


def _read_links(numbered: NumberedQueries, queries: PortfolioQueries) -> LinkData:
    links = LinkQueries(queries.members)
    try:
        if isinstance(numbered.source, Warehouse):
            # The mart is a view there.
            numbered.store("report_member_links", links.links)
        numbered.store("report_link_groups", links.groups)
        figures = numbered.run(links.figures())
        members = numbered.run(links.members(MAX_LISTED_GROUPS, MAX_DRAWN_MEMBERS)).rows
        pairs = numbered.run(links.drawn_pairs(MAX_DRAWN_GROUPS, MAX_DRAWN_MEMBERS)).rows
        shared = numbered.run(links.shared_objects(MAX_LISTED_GROUPS, MAX_SHARED_OBJECTS)).rows
    finally:
        numbered.drop_stored("report_member_links", "report_link_groups")
    inns = sorted(row["inn"] for row in members)
    names = numbered.run(queries.names(inns)) if inns else None
    return LinkData(figures, read_groups(members, pairs, shared), names, numbered.record(links.links))
