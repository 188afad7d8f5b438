"""The queries of the page: each stands in its footnotes as it was run, complete, so that a reader can run it again."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from textwrap import dedent
from typing import Any

from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import text
from innspect.warehouse.publish.reader import Published

WORST = 20
LINES_OF_MEMBER = 5
RUNS_SHOWN = 8
COSTLY = ("risk_score", "company_profile")
AGES = (0, 1, 7, 30, 90)
"""Days from which the age groups count; each ends where the next begins."""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """The rows of a query, and its number on the page."""

    number: int
    rows: list[Row]

    @property
    def row(self) -> Row:
        """The only row of a query that has one."""
        (only,) = self.rows
        return only


@dataclass(slots=True)
class Asked:
    """A warehouse or the published copy, and every query that was run on it, in order; the first has the number 1."""

    warehouse: Warehouse | Published
    queries: list[str] = field(default_factory=list[str])
    kept: tuple[str, ...] = ()
    """Marts whose rows of the portfolio are kept aside: they are worked out once, and not once for every query."""

    def __call__(self, sql: str) -> Answer:
        """Run a query and note it."""
        query = dedent(sql).strip()
        self.queries.append(query)
        run = query
        for mart in self.kept:
            run = run.replace(f"mart.{mart}", f"temp.report_{mart}")
        return Answer(len(self.queries), self.warehouse.frame(run).to_dicts())


@contextmanager
def asking(warehouse: Warehouse | Published, portfolio: "Portfolio") -> Generator[Asked]:
    """Ask about one portfolio; what is kept aside for it goes when it is done."""
    if isinstance(warehouse, Published):
        # Its marts are tables.
        yield Asked(warehouse)
        return
    connection = warehouse.connection
    try:
        for mart in COSTLY:
            connection.execute(
                f"CREATE OR REPLACE TEMP TABLE report_{mart} AS SELECT * FROM mart.{mart} "
                f"WHERE inn IN ({portfolio.members})"
            )
        yield Asked(warehouse, kept=COSTLY)
    finally:
        for mart in COSTLY:
            connection.execute(f"DROP TABLE IF EXISTS temp.report_{mart}")


@dataclass(frozen=True, slots=True)
class Portfolio:
    """The queries about one portfolio."""

    name: str

    @property
    def _is(self) -> str:
        return f"portfolio = {text(self.name)}"

    @property
    def members(self) -> str:
        """The query of its members."""
        return f"SELECT inn FROM lineage.portfolio_members WHERE {self._is}"

    def coverage_figures(self) -> str:
        """One row: members and what can be asked of them, by how sure the latest answer is."""
        return f"""
            SELECT count(DISTINCT inn) AS members,
                   count(DISTINCT inn) FILTER (length(inn) = 10) AS companies,
                   count(DISTINCT inn) FILTER (length(inn) = 12) AS people,
                   count(*) AS askable,
                   count(*) FILTER (state IN ('found', 'clean', 'partial')) AS confirmed,
                   count(*) FILTER (state IN ('unconfirmed', 'unavailable', 'missing', 'failed')) AS unconfirmed,
                   count(*) FILTER (state = 'never asked') AS never_asked,
                   max(age_days) AS oldest_days
            FROM mart.coverage WHERE {self._is}
        """

    def latest_run(self) -> str:
        """At most one row: the portfolio's latest run."""
        return f"""
            SELECT run_id, started_at, finished_at, profile, budget_rub, charged_rub, unknown_rub, exit_code
            FROM lineage.runs WHERE {self._is} ORDER BY started_at DESC, run_id DESC LIMIT 1
        """

    def latest_checks(self) -> str:
        """At most two rows: the latest runs that brought answers, the latest first."""
        return f"""
            SELECT run_id, started_at, coalesce(finished_at, started_at) AS ended_at
            FROM lineage.runs WHERE {self._is} AND run_id IN (SELECT run_id FROM lineage.responses)
            ORDER BY started_at DESC, run_id DESC LIMIT 2
        """

    def _changes(self, since: datetime | None) -> str:
        later = "" if since is None else f" AND seen_at >= TIMESTAMP {text(f'{since:%Y-%m-%d %H:%M:%S.%f}')}"
        return f"list_contains(portfolios, {text(self.name)}){later}"

    def change_figures(self, since: datetime | None) -> str:
        """One row: changes and whom they concern, by severity."""
        return f"""
            SELECT count(*) AS changes, count(DISTINCT inn) AS members,
                   count(*) FILTER (severity = 'alert') AS alerts,
                   count(*) FILTER (severity = 'notice') AS notices,
                   count(*) FILTER (severity = 'info') AS infos,
                   count(DISTINCT inn) FILTER (severity = 'alert') AS alert_members,
                   count(DISTINCT inn) FILTER (severity = 'notice') AS notice_members
            FROM mart.changes WHERE {self._changes(since)}
        """

    def changes(self, since: datetime | None, severity: str, members: int) -> str:
        """Changes of a severity: a few of each of so many members, the latest first."""
        return f"""
            SELECT inn, name, seen_at, block, table_name, row_key, change, column_name, old_value, new_value, meaning,
                   known_until, count(*) OVER (PARTITION BY inn) AS of_member,
                   max(seen_at) OVER (PARTITION BY inn) AS latest
            FROM mart.changes WHERE {self._changes(since)} AND severity = {text(severity)}
            QUALIFY row_number() OVER (PARTITION BY inn ORDER BY seen_at DESC, table_name, row_key, column_name)
                    <= {LINES_OF_MEMBER}
            ORDER BY latest DESC, inn, seen_at DESC, table_name, row_key, column_name LIMIT {members * LINES_OF_MEMBER}
        """

    def other_changes(self, since: datetime | None) -> str:
        """Changes of the least severity by block."""
        return f"""
            SELECT block, count(*) AS changes FROM mart.changes
            WHERE {self._changes(since)} AND severity = 'info' GROUP BY block ORDER BY changes DESC, block
        """

    def level_figures(self) -> str:
        """One row: members by level of risk."""
        return f"""
            SELECT count(*) FILTER (level = 'critical') AS critical, count(*) FILTER (level = 'high') AS high,
                   count(*) FILTER (level = 'medium') AS medium, count(*) FILTER (level = 'low') AS low,
                   count(*) FILTER (coalesce(level, 'unknown') = 'unknown') AS unknown,
                   count(*) FILTER (level IN ('critical', 'high')) AS grave, count(*) FILTER (score > 0) AS signalled
            FROM lineage.portfolio_members m LEFT JOIN mart.risk_score s USING (inn) WHERE {self._is}
        """

    def worst(self) -> str:
        """The members with the highest scores."""
        return f"""
            SELECT s.inn, coalesce(p.short_name, p.name) AS name, s.level, s.score, s.score_most, s.confirmed_share,
                   s.present, s.not_confirmed, s.never_asked
            FROM mart.risk_score s LEFT JOIN mart.company_profile p USING (inn)
            WHERE s.score > 0 AND s.inn IN ({self.members})
            ORDER BY s.score DESC, s.score_confirmed DESC, s.inn LIMIT {WORST}
        """

    def reasons(self, inns: Sequence[str]) -> str:
        """The signals that these INNs have, the heaviest first."""
        named = ", ".join(text(inn) for inn in inns)
        return f"""
            SELECT inn, title, title_ru, severity, weight, confirmed, since, evidence FROM mart.risk_signals
            WHERE state = 'present' AND inn IN ({named}) ORDER BY inn, weight DESC, signal
        """

    def coverage(self) -> str:
        """Members by block and state of the latest answer."""
        return f"""
            SELECT block, state, count(*) AS members FROM mart.coverage
            WHERE {self._is} GROUP BY block, state ORDER BY block, state
        """

    def ages(self) -> str:
        """What is known by its age in days; what is not, by whether it was asked."""
        bounds = " ".join(f"WHEN age_days >= {age} THEN '{age}'" for age in reversed(AGES[1:]))
        return f"""
            SELECT CASE WHEN age_days IS NULL AND state = 'never asked' THEN 'never'
                        WHEN age_days IS NULL THEN 'silent' {bounds} ELSE '0' END AS age,
                   count(*) AS answers
            FROM mart.coverage WHERE {self._is} GROUP BY age
        """

    def money_figures(self) -> str:
        """One row: all that was spent on the portfolio, and what may have been."""
        return f"""
            SELECT coalesce(sum(charged_rub), 0) AS charged_rub, coalesce(sum(unknown_rub), 0) AS unknown_rub
            FROM mart.spend WHERE {self._is}
        """

    def money_by_method(self) -> str:
        """What was spent, by method."""
        return f"""
            SELECT method, sum(charged_rub) AS charged_rub, sum(unknown_rub) AS unknown_rub
            FROM mart.spend WHERE {self._is} GROUP BY method
            HAVING sum(charged_rub) > 0 OR sum(unknown_rub) > 0 ORDER BY sum(charged_rub) DESC, method
        """

    def runs(self) -> str:
        """The portfolio's latest runs."""
        return f"""
            SELECT started_at, profile, charged_rub, unknown_rub, exit_code
            FROM lineage.runs WHERE {self._is} ORDER BY started_at DESC, run_id DESC LIMIT {RUNS_SHOWN}
        """

    def silence(self) -> str:
        """One row: how many members the blocks behind courts, enforcement and links are silent about, or unasked."""
        silent = "state IN ('unconfirmed', 'unavailable', 'missing', 'failed')"
        columns = ",\n                   ".join(
            f"count(*) FILTER (block = '{block}' AND {silent}) AS {block}_silent, "
            f"count(*) FILTER (block = '{block}' AND state = 'never asked') AS {block}_never, "
            f"count(*) FILTER (block = '{block}') AS {block}_askable"
            for block in ("company", "arbitration", "general_courts", "fssp")
        )
        return f"""
            SELECT {columns}
            FROM mart.coverage WHERE {self._is}
        """

    def courts(self) -> str:
        """Court cases by year of filing (NULL where no date is known) and role."""
        return f"""
            SELECT year(filed_on) AS year,
                   CASE WHEN role IN ('respondent', 'plaintiff') THEN role ELSE 'other' END AS role, count(*) AS cases
            FROM mart.litigation WHERE inn IN ({self.members}) GROUP BY ALL ORDER BY ALL
        """

    def enforcement(self) -> str:
        """Enforcement proceedings by the year of their opening (NULL where no date is known) and whether they go on."""
        return f"""
            SELECT year(opened_on) AS year,
                   CASE active WHEN true THEN 'open' WHEN false THEN 'ended' ELSE 'unknown' END AS active,
                   count(*) AS proceedings
            FROM mart.enforcement WHERE inn IN ({self.members}) GROUP BY ALL ORDER BY ALL
        """

    def debt_figures(self) -> str:
        """One row: companies by what is known of their revenue and debt."""
        return f"""
            SELECT count(*) FILTER (revenue_rub > 0 AND active_debt_rub > 0) AS shown,
                   count(*) FILTER (active_debt_rub = 0) AS no_debt,
                   count(*) FILTER (revenue_rub <= 0) AS no_revenue,
                   count(*) FILTER (active_debt_rub IS NULL) AS debt_unknown,
                   count(*) FILTER (revenue_rub IS NULL) AS revenue_unknown
            FROM mart.company_profile WHERE kind = 'company' AND inn IN ({self.members})
        """

    def debts(self) -> str:
        """Companies with revenue and debt, the heaviest debt first."""
        return f"""
            SELECT inn, coalesce(short_name, name) AS name, revenue_rub, revenue_period, active_debt_rub,
                   active_debt_rub / revenue_rub AS ratio, coalesce(level, 'unknown') AS level
            FROM mart.company_profile
            WHERE kind = 'company' AND revenue_rub > 0 AND active_debt_rub > 0 AND inn IN ({self.members})
            ORDER BY ratio DESC, inn
        """

    def links(self) -> str:
        """What joins two members, one row per pair, kind and thing shared."""
        return f"""
            SELECT inn, other_inn, kind, via, matched_by FROM mart.links
            WHERE inn IN ({self.members}) AND other_inn IN ({self.members}) AND inn <> other_inn
            ORDER BY ALL
        """

    def linked(self, inns: Sequence[str]) -> str:
        """Names and levels of these INNs."""
        named = ", ".join(text(inn) for inn in inns)
        return f"""
            SELECT inn, coalesce(short_name, name) AS name, coalesce(level, 'unknown') AS level
            FROM mart.company_profile WHERE inn IN ({named}) ORDER BY inn
        """
