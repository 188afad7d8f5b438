"""The data of a digest: what moved, what is not known, what was checked and what it cost, in one period."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from innspect.reports.level_history import MOVEMENT_ORDER, Movement, level_movements, requested_inns
from innspect.reports.news_query import NewsFilter, find_news
from innspect.schemas.change_severity import ALERT, SEVERITY_RANKS
from innspect.schemas.states import LEVEL_SIGNAL, SignalState
from innspect.warehouse.database import Warehouse

Row = Mapping[str, Any]
MEMBERS = """SELECT inn FROM lineage.portfolio_members
     WHERE left_at IS NULL AND ($portfolio = '' OR portfolio = $portfolio)
       AND ($tag = '' OR list_contains(
            list_transform(string_split_regex(coalesce(tags, ''), '[,;]'), lambda tag: trim(tag)), $tag))"""
LISTED_MOVEMENTS = f"""
SELECT * EXCLUDE (appeared, disappeared)
FROM ({level_movements(f"inn IN ({MEMBERS})", "$since")})
ORDER BY {MOVEMENT_ORDER}, inn
"""
SIGNALS = f"""
WITH moved AS (
    SELECT inn, signal, arg_min(coalesce(from_state, ''), (assessed_at, run_id)) AS before,
           arg_max(to_state, (assessed_at, run_id)) AS now,
           arg_max(evidence, (assessed_at, run_id)) AS evidence, bool_or(from_state = to_state) AS has_further_fact
    FROM lineage.signal_changes
    WHERE assessed_at >= $since AND signal <> '{LEVEL_SIGNAL}' AND inn IN ({MEMBERS})
      AND inn NOT IN (SELECT inn FROM mart.risk_history WHERE change = 'first' AND assessed_at >= $since)
    GROUP BY inn, signal
),
titles AS (
    SELECT signal, any_value(title) AS title, any_value(title_ru) AS title_ru, max(weight) AS weight,
           arg_max(severity, list_position({list(SEVERITY_RANKS)}, severity)) AS severity
    FROM mart.risk_rules GROUP BY signal
),
names AS (SELECT inn, coalesce(short_name, name) AS name FROM current.company)
SELECT m.inn, coalesce(n.name, p.name) AS name, t.title, t.title_ru, t.severity, m.evidence,
       CASE WHEN m.now = m.before THEN 'further' WHEN m.now = '{SignalState.PRESENT}' THEN 'appeared'
            WHEN m.now = '{SignalState.ABSENT}' THEN 'vanished' ELSE 'unconfirmed' END AS outcome
FROM moved m JOIN titles t USING (signal) LEFT JOIN names n ON n.inn = m.inn
LEFT JOIN (SELECT inn, max_by(name, last_seen_at) AS name FROM lineage.portfolio_members GROUP BY inn) p
       ON p.inn = m.inn
WHERE (m.now = '{SignalState.PRESENT}') <> (m.before = '{SignalState.PRESENT}')
      OR (m.now = '{SignalState.PRESENT}' AND m.has_further_fact)
ORDER BY m.inn, list_position(['appeared', 'further', 'unconfirmed', 'vanished'], outcome), t.weight DESC, m.signal
"""
UNKNOWN = f"""
WITH before AS (
    SELECT inn, arg_max(unknown_blocks::VARCHAR[], (assessed_at, run_id)) AS blocks
    FROM lineage.assessments WHERE assessed_at < $since GROUP BY inn
)
SELECT s.inn, coalesce(n.short_name, n.name, p.name) AS name, s.level, s.level_known, s.level_at_most,
       s.unknown_blocks, s.unknown_since, s.never_requested_blocks, s.stale_blocks,
       b.inn IS NOT NULL AND len(list_filter(s.unknown_blocks, lambda block: NOT list_contains(b.blocks, block))) > 0
           AS is_new
FROM mart.risk_score s LEFT JOIN before b ON b.inn = s.inn LEFT JOIN current.company n ON n.inn = s.inn
LEFT JOIN (SELECT inn, max_by(name, last_seen_at) AS name FROM lineage.portfolio_members GROUP BY inn) p
       ON p.inn = s.inn
WHERE len(s.unknown_blocks) > 0 AND s.inn IN ({MEMBERS})
ORDER BY is_new DESC, list_position(['critical', 'high', 'medium', 'low'], s.level_at_most), s.inn
"""
FIGURES = f"""
SELECT count(DISTINCT m.inn) AS members,
       count(DISTINCT m.inn) FILTER (
           m.inn IN ({requested_inns("$since")})) AS requested,
       count(DISTINCT m.inn) FILTER (
           m.inn NOT IN ({requested_inns("TIMESTAMP '-infinity'")})) AS never_requested,
       (SELECT max(asked_at) FROM lineage.responses WHERE inn IN ({MEMBERS})) AS last_asked_at
FROM ({MEMBERS}) m
"""
RUNS = f"""
SELECT run_id, portfolio, started_at, finished_at, exit_code, charged_rub, unknown_rub
FROM lineage.runs
WHERE started_at >= $since AND CASE WHEN $tag <> '' THEN portfolio IN (
          SELECT portfolio FROM lineage.portfolio_members WHERE inn IN ({MEMBERS}))
      ELSE $portfolio = '' OR portfolio = $portfolio END
ORDER BY started_at, run_id
"""
PORTFOLIOS = f"""
SELECT DISTINCT portfolio FROM lineage.portfolio_members
WHERE inn IN ({MEMBERS}) AND ($portfolio = '' OR portfolio = $portfolio) ORDER BY 1
"""


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose members a message is about: of a portfolio, with a tag; empty means all. `severity` of named signals."""

    portfolio: str = ""
    tag: str = ""
    severity: str = "info"


@dataclass(frozen=True, slots=True)
class AccountView:
    """The account: roubles, days and dates. None means not known, never zero.

    `daily` roubles are spent per day; the balance lasts `days` days, until `until`. On `low_on` it falls below the
    smallest top-up (`top_up`), which lasts `top_up_days` days. `is_low`: it must be topped up soon.
    """

    top_up: Decimal
    balance: Decimal | None = None
    balance_at: datetime | None = None
    daily: Decimal | None = None
    days: int | None = None
    until: date | None = None
    low_on: date | None = None
    top_up_days: int | None = None
    is_low: bool = False


@dataclass(frozen=True, slots=True)
class DigestData:
    """What a digest of `since` to `until` (UTC) says.

    `movements` are rows of `level_movements`; `signals` those that appeared, have a further fact, vanished (known to be
    absent now) or are no longer confirmed; `unknown` the members with required blocks that are not known now; `news`
    the gravest facts, rows of mart.news.
    """

    scope: Scope
    since: datetime
    until: datetime
    movements: list[Row]
    signals: list[Row]
    unknown: list[Row]
    figures: Row
    runs: list[Row]
    news: list[Row]
    portfolios: list[str]
    account: AccountView

    def members_by(self, movement: Movement) -> list[Row]:
        """The members whose level moved in this way."""
        return [row for row in self.movements if row["movement"] == movement]

    @property
    def cost(self) -> Decimal:
        """Roubles charged in the period."""
        return sum((row["charged_rub"] for row in self.runs if row["charged_rub"] is not None), Decimal(0))

    @property
    def uncertain(self) -> Decimal:
        """Price of the calls of the period whose charge is not known."""
        return sum((row["unknown_rub"] for row in self.runs if row["unknown_rub"] is not None), Decimal(0))

    @property
    def failed_runs(self) -> list[Row]:
        """The runs that did not end with code 0."""
        return [row for row in self.runs if row["exit_code"] != 0]


def _find_news(warehouse: Warehouse, scope: Scope, since: datetime, names: Mapping[str, str]) -> list[Row]:
    members = warehouse.query(MEMBERS, dict(names))
    news = find_news(warehouse, NewsFilter(since, severity=ALERT, portfolio=scope.portfolio or None))
    return [*news.join(members, on="inn", how="semi", maintain_order="left").iter_rows(named=True)]


def read_digest(
    warehouse: Warehouse, scope: Scope, since: datetime, until: datetime, account: AccountView
) -> DigestData:
    """Read the data of a digest; instants are UTC. The period begins at `since`, `until` is now."""
    names = {"portfolio": scope.portfolio, "tag": scope.tag}
    period = {**names, "since": since}

    def read(query: str, parameters: Mapping[str, Any] = period) -> list[Row]:
        return [*warehouse.query(query, dict(parameters)).iter_rows(named=True)]

    least = SEVERITY_RANKS[scope.severity]
    return DigestData(
        scope=scope,
        since=since,
        until=until,
        movements=read(LISTED_MOVEMENTS),
        signals=[row for row in read(SIGNALS) if SEVERITY_RANKS[row["severity"]] >= least],
        unknown=read(UNKNOWN),
        figures=read(FIGURES)[0],
        runs=read(RUNS),
        news=_find_news(warehouse, scope, since, names),
        portfolios=[row["portfolio"] for row in read(PORTFOLIOS, names)],
        account=account,
    )
