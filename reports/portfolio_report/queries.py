"""The queries of the report. The page shows each one complete and numbered, so that a reader can run it again."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from textwrap import dedent
from typing import Any, TypeVar

from innspect.reports.coverage_text import NO_FRESH_ANSWER, SHOWN_STATE
from innspect.reports.format import age_band_sql
from innspect.reports.level_history import MOVEMENT_ORDER, MOVEMENTS, count_movements, level_movements, requested_inns
from innspect.reports.portfolio_report.member_table.member_query import members_table, present_signals
from innspect.reports.style import NOT_CONFIRMED
from innspect.schemas.change_severity import ALERT, INFO, NOTICE
from innspect.schemas.declaration import COMPANY_DIGITS, PERSON_DIGITS
from innspect.schemas.states import EVIDENCE, NEVER_ASKED, NO_EVIDENCE, STALE, Level, SignalState, sql_list
from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import literal
from innspect.warehouse.marts.registry import news_query
from innspect.warehouse.publish.reader import PublishedCopy

LEVEL_COLUMNS = (
    "level_known, level_at_most, known_part, unknown_blocks, unknown_since, never_requested_blocks, stale_blocks"
)
"""The columns that `level_text` needs of a level."""
EVER = "TIMESTAMP '-infinity'"
EXPENSIVE_MARTS = {
    "risk_score": f"inn, level, {LEVEL_COLUMNS}, score, score_confirmed, score_at_most, present, absent, unknown, "
    "never_requested",
    "company_profile": f"inn, kind, name, short_name, level, {LEVEL_COLUMNS}, revenue_rub, revenue_period, "
    "revenue_source, active_debt_rub, proceedings_without_amount, fssp_complete",
}
"""Marts that are computed once from a warehouse, and the columns of them that the report reads: the others, and what is
joined for them, take most of the memory."""
MART_IN_PARTS, MEMBERS_OF_PART = "company_profile", 100_000
"""The one whose memory grows most, and the members whose rows of it are computed at once."""
GAP_BLOCKS = ("company", "arbitration", "general_courts", "fssp")
"""Blocks behind the sections on links, courts and enforcement."""

Row = dict[str, Any]
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The rows of a query, and its number on the page."""

    number: int
    rows: list[Row]

    @property
    def row(self) -> Row:
        """The only row. Raises ValueError where there is not exactly one."""
        (only,) = self.rows
        return only


@dataclass(slots=True)
class NumberedQueries:
    """Runs queries on a warehouse or its published copy and records them in order; the first has the number 1."""

    source: Warehouse | PublishedCopy
    queries: list[str] = field(default_factory=list[str])
    materialized: tuple[str, ...] = ()
    """Marts of which `temp.report_<mart>` holds the rows of the portfolio."""
    stored: dict[str, str] = field(default_factory=dict[str, str])
    """Parts of queries, and the temporary tables that hold their rows."""

    def run(self, sql: str) -> QueryResult:
        """Run and record a query."""
        number = self.record(sql)
        executed = self._sql_to_run(sql)
        rows = _run_in_bounds(self.source, lambda: self.source.query(executed).to_dicts())
        return QueryResult(number, rows)

    def record(self, sql: str) -> int:
        """Record a query that only readers run: the page does not need its rows. Its number."""
        self.queries.append(dedent(sql).strip())
        return len(self.queries)

    def store(self, table: str, part: str) -> None:
        """Compute a part of later queries once, into a temporary table: they show it whole and read the table."""
        _create_table(self.source, table, [self._sql_to_run(part)])
        self.stored[part] = table

    def _sql_to_run(self, sql: str) -> str:
        """The query that reads temporary tables, the largest parts first."""
        for part in sorted(self.stored, key=len, reverse=True):
            sql = sql.replace(part, f"FROM temp.{self.stored[part]}")
        for mart in self.materialized:
            sql = sql.replace(f"mart.{mart}", f"temp.report_{mart}")
        return sql

    def drop_stored(self, *tables: str) -> None:
        """Drop these tables of `store`."""
        for part, table in list(self.stored.items()):
            if table in tables:
                self.source.connection.execute(f"DROP TABLE IF EXISTS temp.{table}")
                del self.stored[part]


@contextmanager
def numbered_queries(source: Warehouse | PublishedCopy, portfolio: "PortfolioQueries") -> Generator[NumberedQueries]:
    """Queries about one portfolio. In a warehouse, expensive marts are computed once, into temporary tables."""
    if isinstance(source, PublishedCopy):
        # Its marts are tables.
        yield NumberedQueries(source)
        return
    try:
        for mart, columns in EXPENSIVE_MARTS.items():
            of_members = f"SELECT {columns} FROM mart.{mart} WHERE inn IN ({portfolio.members})"
            conditions = _divide_members(source, portfolio) if mart == MART_IN_PARTS else [""]
            _create_table(source, f"report_{mart}", [of_members + condition for condition in conditions])
        _create_table(source, "report_news", [news_query(f"inn IN ({portfolio.members})", is_shared=source.is_shared)])
        yield NumberedQueries(source, materialized=(*EXPENSIVE_MARTS, "news"))
    finally:
        for mart in (*EXPENSIVE_MARTS, "news"):
            source.connection.execute(f"DROP TABLE IF EXISTS temp.report_{mart}")


def _divide_members(warehouse: Warehouse, portfolio: "PortfolioQueries") -> list[str]:
    """SQL conditions, each to follow another one, that divide the members by INN; one that is empty for one part.

    They are ranges because only comparisons with constants reach the tables below a mart.
    """
    parts = warehouse.query(
        f"SELECT min(inn) AS first, max(inn) AS last FROM (SELECT inn, row_number() OVER (ORDER BY inn) AS place "
        f"FROM ({portfolio.members})) GROUP BY (place - 1) // {MEMBERS_OF_PART} ORDER BY first"
    ).rows()
    if len(parts) <= 1:
        return [""]
    return [f" AND inn BETWEEN {literal(first)} AND {literal(last)}" for first, last in parts]


def _run_in_bounds(source: Warehouse | PublishedCopy, work: Callable[[], Result]) -> Result:
    """Call `work`, which runs one statement, with a limit of memory: only a statement that exceeds it is repeated.

    A published copy is open with a limit.
    """
    return source.run_in_bounds(work) if isinstance(source, Warehouse) else work()


def _create_table(source: Warehouse | PublishedCopy, table: str, queries: Sequence[str]) -> None:
    """Create a temporary table with the rows of all queries."""
    first, *others = queries
    _run_in_bounds(source, lambda: source.create_temp_table(table, first))
    for query in others:
        _run_in_bounds(source, partial(source.connection.execute, f"INSERT INTO temp.{table} {query}"))


@dataclass(frozen=True, slots=True)
class PortfolioQueries:
    """SQL about one portfolio."""

    name: str

    @property
    def _condition(self) -> str:
        return f"portfolio = {literal(self.name)}"

    @property
    def members(self) -> str:
        """The INNs of its members."""
        return f"SELECT inn FROM lineage.portfolio_members WHERE {self._condition} AND left_at IS NULL"

    @property
    def counted_coverage(self) -> str:
        """Items of mart.coverage (members and their blocks), counted by what the report says of them.

        `age`: the age band of what is confirmed, or why there is none.
        """
        return f"""FROM (
                SELECT block, length(inn) AS digits, state, stale, complete,
                       CASE WHEN age_days IS NULL AND state = '{NEVER_ASKED}' THEN '{NEVER_ASKED}'
                            WHEN stale AND age_days IS NULL THEN '{STALE}'
                            WHEN age_days IS NULL THEN '{NOT_CONFIRMED}'
                            ELSE {age_band_sql("age_days")} END AS age,
                       count(*) AS items, max(age_days) AS oldest_days
                FROM mart.coverage WHERE {self._condition} GROUP BY ALL
            )"""

    def coverage_figures(self) -> str:
        """One row: members, and the blocks that can be requested for them by the state of the latest response."""
        return f"""
            SELECT (SELECT count(*) FROM ({self.members})) AS members,
                   (SELECT count(*) FROM ({self.members}) WHERE length(inn) = {COMPANY_DIGITS}) AS companies,
                   (SELECT count(*) FROM ({self.members}) WHERE length(inn) = {PERSON_DIGITS}) AS people,
                   {_items()} AS askable,
                   {_items(f"state IN {sql_list(EVIDENCE)} AND NOT stale")} AS confirmed,
                   {_items(f"state IN {sql_list(EVIDENCE)} AND stale")} AS stale,
                   {_items(f"state IN {sql_list(NO_EVIDENCE)}")} AS unconfirmed,
                   {_items(f"state = '{NEVER_ASKED}'")} AS never_asked,
                   {_items("stale")} AS items_stale, max(oldest_days) AS oldest_days
            {self.counted_coverage}
        """

    def latest_run(self) -> str:
        """The latest run: one row, or none."""
        return f"""
            SELECT run_id, started_at, finished_at, profile, budget_rub, charged_rub, unknown_rub, exit_code
            FROM lineage.runs WHERE {self._condition} ORDER BY started_at DESC, run_id DESC LIMIT 1
        """

    def latest_checks(self) -> str:
        """The latest two runs with responses, latest first."""
        return f"""
            SELECT run_id, started_at, coalesce(finished_at, started_at) AS ended_at
            FROM lineage.runs WHERE {self._condition} AND run_id IN (SELECT run_id FROM lineage.responses)
            ORDER BY started_at DESC, run_id DESC LIMIT 2
        """

    def _changes_condition(self, since: datetime | None) -> str:
        later = "" if since is None else f" AND seen_at >= {_moment(since)}"
        return f"list_contains(portfolios, {literal(self.name)}){later}"

    def change_figures(self, since: datetime | None) -> str:
        """One row: news and members with news, by severity."""
        return f"""
            SELECT count(*) AS changes, count(DISTINCT inn) AS members,
                   count(*) FILTER (severity = '{ALERT}') AS alerts,
                   count(*) FILTER (severity = '{NOTICE}') AS notices,
                   count(*) FILTER (severity = '{INFO}') AS infos,
                   count(DISTINCT inn) FILTER (severity = '{ALERT}') AS alert_members,
                   count(DISTINCT inn) FILTER (severity = '{NOTICE}') AS notice_members
            FROM mart.news WHERE {self._changes_condition(since)}
        """

    def changes(self, since: datetime | None, severity: str, members: int, lines: int) -> str:
        """News of a severity, latest first: at most `lines` each of at most `members`."""
        return f"""
            SELECT news_id, inn, name, seen_at, sentence_ru, sentence_en, changes AS cells, known_until,
                   count(*) OVER (PARTITION BY inn) AS member_changes,
                   max(seen_at) OVER (PARTITION BY inn) AS latest
            FROM mart.news WHERE {self._changes_condition(since)} AND severity = {literal(severity)}
            QUALIFY row_number() OVER (PARTITION BY inn ORDER BY seen_at DESC, topic, fact_key DESC, news_id) <= {lines}
            ORDER BY latest DESC, inn, seen_at DESC, topic, fact_key DESC, news_id LIMIT {members * lines}
        """

    def other_changes(self, since: datetime | None) -> str:
        """Number of news of the lowest severity by block."""
        return f"""
            SELECT block, count(*) AS changes FROM mart.news
            WHERE {self._changes_condition(since)} AND severity = '{INFO}' GROUP BY block ORDER BY changes DESC, block
        """

    def all_movements(self, since: datetime) -> str:
        """The movement of the level of every member that was assessed since a moment."""
        return level_movements(f"list_contains(portfolios, {literal(self.name)})", _moment(since))

    def movement_figures(self, since: datetime) -> str:
        """One row: members by the movement of their level since a moment, and members requested since then."""
        return count_movements(self.all_movements(since), self.members, _moment(since))

    def answer_figures(self, since: datetime) -> str:
        """One row: members requested since a moment of whom no block, or not every block, was answered."""
        return f"""
            SELECT count(*) FILTER (coalesce(silent = asked, true)) AS silent,
                   count(*) FILTER (silent > 0 AND silent < asked) AS part_silent
            FROM ({requested_inns(_moment(since))}) LEFT JOIN (
                SELECT inn, count(*) AS asked, count(*) FILTER ({NO_FRESH_ANSWER}) AS silent
                FROM (SELECT inn, block, arg_max(state, (asked_at, snapshot_id)) AS state FROM lineage.snapshots
                      WHERE asked_at >= {_moment(since)} AND inn IN ({self.members}) GROUP BY inn, block)
                LEFT JOIN mart.risk_score s USING (inn)
                GROUP BY inn) USING (inn)
            WHERE inn IN ({self.members})
        """

    def table(self, since: datetime | None, rows: int, columns: Sequence[str]) -> str:
        """The table of members with their change since a moment; without one, what was requested ever."""
        if since is None:
            return members_table(self.name, self.present, level_movements("false", EVER), EVER, rows, columns)
        return members_table(self.name, self.present, self.all_movements(since), _moment(since), rows, columns)

    @property
    def present(self) -> str:
        """The signals that are present for its members."""
        return present_signals(self.members)

    def movements(self, since: datetime, limit: int) -> str:
        """Members whose level moved since a moment, at most `limit` of each movement."""
        return f"""SELECT * FROM ({self.all_movements(since)}
            )
            WHERE movement IN {sql_list(MOVEMENTS)} AND place <= {limit} ORDER BY {MOVEMENT_ORDER}"""

    def level_figures(self) -> str:
        """One row: members by level of risk; `signalled` are those of a known level with a score."""
        levels = ",\n                   ".join(
            f"count(*) FILTER (coalesce(level, '{Level.UNKNOWN}') = '{level}') AS {level}" for level in Level
        )
        return f"""
            SELECT {levels},
                   count(*) FILTER (level IN {sql_list((Level.CRITICAL, Level.HIGH))}) AS grave,
                   count(*) FILTER (level = '{Level.UNKNOWN}' AND level_at_most = '{Level.CRITICAL}')
                       AS perhaps_critical,
                   count(*) FILTER (level <> '{Level.UNKNOWN}' AND score > 0) AS signalled
            FROM lineage.portfolio_members m LEFT JOIN mart.risk_score s USING (inn)
            WHERE {self._condition} AND left_at IS NULL
        """

    def worst(self, limit: int) -> str:
        """Members of a known level with a score, worst level and highest score first."""
        condition = f"s.level <> '{Level.UNKNOWN}' AND s.score > 0"
        return self._scores(condition, "s.level", "s.score DESC, s.score_confirmed DESC", limit)

    def unknown_levels(self, limit: int) -> str:
        """Members whose level is unknown, whatever their score: by what is known of them, then by what may be."""
        return self._scores(
            f"s.level = '{Level.UNKNOWN}'", "s.level_known", "s.score DESC, s.score_at_most DESC", limit
        )

    def _scores(self, condition: str, level: str, order: str, limit: int) -> str:
        return f"""
            SELECT s.inn, coalesce(p.short_name, p.name) AS name, s.level, s.level_known, s.level_at_most,
                   s.known_part, s.score, s.score_at_most, s.present, s.unknown, s.never_requested,
                   s.unknown_blocks, s.unknown_since,
                   s.never_requested_blocks, s.stale_blocks, (s.present + s.absent)
                   / nullif(s.present + s.absent + s.unknown + s.never_requested, 0) AS confirmed_share
            FROM mart.risk_score s LEFT JOIN mart.company_profile p USING (inn)
            WHERE {condition} AND s.inn IN ({self.members})
            ORDER BY list_position({list(map(str, Level))}, {level}), {order}, s.inn LIMIT {limit}
        """

    def signals(self, inns: Sequence[str]) -> str:
        """Signals present for these INNs, highest weight first."""
        return f"""
            SELECT inn, title, title_ru, severity, weight, confirmed, reason, since, evidence, collected_at, source_date
            FROM mart.risk_signals
            WHERE state = '{SignalState.PRESENT}' AND inn IN ({_list(inns)}) ORDER BY inn, weight DESC, signal
        """

    def coverage(self) -> str:
        """Members by block and state of the latest response; stale evidence is a state of its own."""
        return f"""
            SELECT block, {SHOWN_STATE} AS shown_state, {_items()} AS members
            {self.counted_coverage}
            GROUP BY block, shown_state ORDER BY block, shown_state
        """

    def ages(self) -> str:
        """Confirmed items by age band; items without evidence by whether they were asked."""
        return f"""
            SELECT age, {_items()} AS items
            {self.counted_coverage}
            GROUP BY age
        """

    def spend_figures(self) -> str:
        """One row: spent on the portfolio in all runs, and amounts with an unknown outcome."""
        return f"""
            SELECT coalesce(sum(charged_rub), 0) AS charged_rub, coalesce(sum(unknown_rub), 0) AS unknown_rub
            FROM mart.spend WHERE {self._condition}
        """

    def spend_by_method(self) -> str:
        """Spend of all runs by method."""
        return f"""
            SELECT method, sum(charged_rub) AS charged_rub, sum(unknown_rub) AS unknown_rub
            FROM mart.spend WHERE {self._condition} GROUP BY method
            HAVING sum(charged_rub) > 0 OR sum(unknown_rub) > 0 ORDER BY sum(charged_rub) DESC, method
        """

    def runs(self, limit: int) -> str:
        """The latest runs."""
        return f"""
            SELECT started_at, profile, charged_rub, unknown_rub, exit_code
            FROM lineage.runs WHERE {self._condition} ORDER BY started_at DESC, run_id DESC LIMIT {limit}
        """

    def gaps(self) -> str:
        """One row: for each of `GAP_BLOCKS`, members by whether the latest response confirms the block.

        `incomplete`: members of whom only a part of the list is known; `stale`: the latest response confirmed it, and
        it is too old.
        """
        conditions = {
            "unconfirmed": f" AND state IN {sql_list(NO_EVIDENCE)}",
            "stale": f" AND state IN {sql_list(EVIDENCE)} AND stale",
            "never": f" AND state = '{NEVER_ASKED}'",
            "incomplete": " AND complete = false",
            "askable": "",
        }
        columns = ",\n                   ".join(
            _items(f"block = '{block}'{condition}") + f" AS {block}_{name}"
            for block in GAP_BLOCKS
            for name, condition in conditions.items()
        )
        return f"""
            SELECT {columns}
            {self.counted_coverage}
        """

    def person_blocks(self) -> str:
        """The blocks that can be requested, or were requested, for the persons of the portfolio."""
        return f"""
            SELECT DISTINCT block
            {self.counted_coverage}
            WHERE digits = {PERSON_DIGITS} ORDER BY block
        """

    def courts(self) -> str:
        """Court cases by year of filing (NULL without a date) and role."""
        return f"""
            SELECT year(filed_on) AS year,
                   CASE WHEN role IN ('respondent', 'plaintiff') THEN role ELSE 'other' END AS role, count(*) AS cases
            FROM mart.litigation WHERE inn IN ({self.members}) GROUP BY ALL ORDER BY ALL
        """

    def enforcement(self) -> str:
        """Enforcement proceedings by year of opening (NULL without a date) and whether they are active."""
        return f"""
            SELECT year(opened_on) AS year,
                   CASE active WHEN true THEN 'open' WHEN false THEN 'ended' ELSE 'undetermined' END AS proceeding,
                   count(*) AS proceedings
            FROM mart.enforcement WHERE inn IN ({self.members}) GROUP BY ALL ORDER BY ALL
        """

    def debt_figures(self) -> str:
        """One row: companies by whether revenue and debt are known and positive.

        No debt in a list that is incomplete counts as not known.
        """
        return f"""
            SELECT count(*) FILTER (revenue_rub > 0 AND active_debt_rub > 0) AS shown,
                   count(*) FILTER (active_debt_rub = 0 AND fssp_complete) AS no_debt,
                   count(*) FILTER (revenue_rub <= 0) AS no_revenue,
                   count(*) FILTER (active_debt_rub IS NULL OR active_debt_rub = 0 AND NOT fssp_complete)
                       AS debt_unknown,
                   count(*) FILTER (revenue_rub IS NULL) AS revenue_unknown
            FROM mart.company_profile WHERE kind = 'company' AND inn IN ({self.members})
        """

    def debts(self) -> str:
        """Companies with revenue and debt, highest ratio of debt to revenue first."""
        return f"""
            SELECT inn, coalesce(short_name, name) AS name, revenue_rub, revenue_period, active_debt_rub,
                   proceedings_without_amount, fssp_complete, active_debt_rub / revenue_rub AS ratio,
                   coalesce(level, '{Level.UNKNOWN}') AS level,
                   {LEVEL_COLUMNS}, list_has_any(stale_blocks, ['fssp', revenue_source]) AS is_stale
            FROM mart.company_profile
            WHERE kind = 'company' AND revenue_rub > 0 AND active_debt_rub > 0 AND inn IN ({self.members})
            ORDER BY ratio DESC, inn
        """

    def names(self, inns: Sequence[str]) -> str:
        """Names and levels of these INNs."""
        return f"""
            SELECT inn, coalesce(short_name, name) AS name, coalesce(level, '{Level.UNKNOWN}') AS level,
                   {LEVEL_COLUMNS}
            FROM mart.company_profile WHERE inn IN ({_list(inns)}) ORDER BY inn
        """


def _items(condition: str = "") -> str:
    """Number of the items of `counted_coverage`, of those that fulfil a condition if there is one."""
    return f"coalesce(sum(items){f' FILTER ({condition})' if condition else ''}, 0)::BIGINT"


def _moment(moment: datetime) -> str:
    return f"TIMESTAMP {literal(f'{moment:%Y-%m-%d %H:%M:%S.%f}')}"


def _list(inns: Sequence[str]) -> str:
    return ", ".join(literal(inn) for inn in inns)
