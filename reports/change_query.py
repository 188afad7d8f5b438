"""The command `changes`: what re-checks found changed, as a person reads it."""

import json as json_text
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
import typer
from rich.console import Console

from innspect.cli._console import console
from innspect.cli._options import Given
from innspect.cli.sql import opened
from innspect.flows.open_home import Clock, utc_now
from innspect.schemas.change_severity import LEVELS, RULES, meaning
from innspect.schemas.errors import UsageError
from innspect.schemas.tables import tables
from innspect.warehouse.database import Warehouse

SHOWN = 100
"""So many changes of one severity are shown on the screen; JSON has all."""
CELLS = 4
LONGEST = 60
NAMED = """
SELECT inn, any_value(name) AS name FROM (
    SELECT inn, coalesce(short_name, name) AS name FROM current.company
    UNION ALL
    SELECT m.inn, max_by(m.name, m.last_seen_at) FROM lineage.portfolio_members m
    ANTI JOIN (SELECT inn FROM current.company WHERE coalesce(short_name, name) IS NOT NULL) c USING (inn)
    GROUP BY m.inn
) GROUP BY inn
"""
FOUND = f"""
WITH named AS ({NAMED}),
evidence AS (SELECT DISTINCT inn, block, asked_at FROM lineage.snapshots WHERE version_id IS NOT NULL)
SELECT c.*, n.name, e.asked_at AS known_until
FROM lineage.changes c
LEFT JOIN named n USING (inn)
ASOF LEFT JOIN evidence e ON e.inn = c.inn AND e.block = c.block AND c.seen_at > e.asked_at
WHERE c.seen_at >= $since AND ($inn IS NULL OR c.inn = $inn) AND ($portfolio IS NULL OR c.inn IN
    (SELECT inn FROM lineage.portfolio_members WHERE portfolio = $portfolio))
ORDER BY c.seen_at DESC, n.name, c.inn, c.block, c.table_name, c.row_key, c.column_name
"""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which changes: seen since a moment in UTC, of at least a severity, of one portfolio or INN, or of all."""

    since: datetime
    severity: str = "info"
    portfolio: str | None = None
    inn: str | None = None


def changes(given: Given, since: str, severity: str, portfolio: str | None, now: Clock = utc_now) -> int:
    """Show what changed. Raises UsageError for a day, severity or portfolio that is none."""
    if severity not in LEVELS:
        raise UsageError(f"There is no severity {severity}; choose {', '.join(LEVELS)}.", severity=severity)
    moment = read_since(since, given.settings().source_timezone, now())
    with opened(given) as warehouse:
        name = None if portfolio is None else known_portfolio(warehouse, portfolio)
        found = find(warehouse, Wanted(moment, severity, name))
    if given.json:
        facts = {"since": instant(moment), "severity": severity, "portfolio": name, "changes": as_json(found)}
        typer.echo(json_text.dumps(facts, ensure_ascii=False))
    else:
        show(found, moment, console(), "" if name is None else f" in the portfolio {name}")
    return 0


def read_since(text: str, zone: str, now: datetime) -> datetime:
    """The moment that a day (`2026-11-01`, its start in the zone) or a number of days back means, in UTC.

    Raises UsageError for anything else.
    """
    try:
        if re.fullmatch(r"\d{1,5}", text.strip()):
            return now - timedelta(days=int(text))
        day = datetime.fromisoformat(text.strip()).replace(hour=0, minute=0, second=0, microsecond=0)
        return day.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        raise UsageError(
            f"{text} is neither a day nor a number of days; write --since 2026-11-01 or --since 7.", since=text
        ) from None


def known_portfolio(warehouse: Warehouse, portfolio: str) -> str:
    """The portfolio's name, of which the file's may be given. Raises UsageError, which names those that there are."""
    known = warehouse.frame("SELECT DISTINCT portfolio FROM lineage.portfolio_members ORDER BY 1")[
        "portfolio"
    ].to_list()
    for name in (portfolio, Path(portfolio).stem):
        if name in known:
            return name
    raise UsageError(
        f"There is no portfolio {portfolio} in this warehouse; known are: {', '.join(known) or 'none yet'}.",
        portfolio=portfolio,
    )


def find(warehouse: Warehouse, wanted: Wanted) -> pl.DataFrame:
    """The changes wanted, the gravest and the latest first: `lineage.changes` with three columns more.

    `name` of the company; `meaning` in words; `known_until`, when what was known before had last been confirmed.
    """
    parameters = {"since": wanted.since, "portfolio": wanted.portfolio, "inn": wanted.inn}
    found = warehouse.frame(FOUND, parameters).with_columns(meaning().alias("meaning"))
    level = pl.col("severity").replace_strict(LEVELS, return_dtype=pl.Int64)
    return found.filter(level >= LEVELS[wanted.severity]).sort(level, descending=True, maintain_order=True)


def as_json(found: pl.DataFrame) -> list[dict[str, Any]]:
    """Changes as JSON has them: instants in UTC, whole rows as objects."""
    return [
        {
            "severity": row["severity"],
            "inn": row["inn"],
            "name": row["name"],
            "meaning": row["meaning"],
            "block": row["block"],
            "table": row["table_name"],
            "row": row["row_key"] or None,
            "change": row["change"],
            "field": row["column_name"],
            "old": _value(row, "old_value"),
            "new": _value(row, "new_value"),
            "seen_at": instant(row["seen_at"]),
            "known_until": instant(row["known_until"]),
            "run_id": row["run_id"],
            "snapshot_id": row["snapshot_id"],
        }
        for row in found.iter_rows(named=True)
    ]


def show(found: pl.DataFrame, since: datetime, screen: Console, where: str = "") -> None:
    """Changes on the screen, by severity and then by company."""
    if found.is_empty():
        screen.print(f"No changes since {since:%Y-%m-%d %H:%M} UTC{where}.")
        return
    companies = found["inn"].n_unique()
    screen.print(
        f"{found.height} changes of {companies} companies since {since:%Y-%m-%d %H:%M} UTC{where}.", soft_wrap=True
    )
    for (severity,), of_level in found.group_by("severity", maintain_order=True):
        screen.print(f"\n{str(severity).upper()} ({of_level.height})", style="bold")
        for (inn,), of_company in of_level.head(SHOWN).group_by("inn", maintain_order=True):
            screen.print(f"{inn} {of_company['name'][0] or 'name not known'}", markup=False, soft_wrap=True)
            for row in of_company.iter_rows(named=True):
                screen.print(f"  {line(row)}", markup=False, soft_wrap=True)
        if of_level.height > SHOWN:
            screen.print(f"  … and {of_level.height - SHOWN} more; --json has all of them.")


def line(row: Mapping[str, Any]) -> str:
    """One change in one line: when, what it means, where, from what to what."""
    told = row["meaning"].rstrip(".")
    where = described(row["table_name"], row["column_name"])
    told = where if row["meaning"] == RULES[-1].meaning else f"{told} ({where})"
    which = f" [{row['row_key']}]" if row["row_key"] and row["change"] == "changed" else ""
    if row["change"] == "changed":
        what = f"{shortened(row['old_value'])} → {shortened(row['new_value'])}"
    else:
        what = f"{row['change']} {in_short(row['table_name'], row['new_value'] or row['old_value'])}"
    until = row["known_until"]
    since = "" if until is None or until.date() == row["seen_at"].date() else f", as before until {until:%Y-%m-%d}"
    return f"{row['seen_at']:%Y-%m-%d} {told}{which}: {what}{since}"


def described(table_name: str, column_name: str | None) -> str:
    """Where a change is, in the words of the tables: `fssp proceedings`, `company.director`."""
    words = table_name.replace("__", " ")
    return words if column_name is None else f"{words}.{column_name}"


def shortened(value: str | None) -> str:
    """A cell on the screen."""
    if value is None:
        return "not given"
    text = " ".join(value.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def in_short(table_name: str, row: str | None) -> str:
    """The first cells of a row that has come or gone; those of its key go first."""
    cells: dict[str, Any] = json_text.loads(row) if row else {}
    table = tables().get(table_name)
    key = [name for entry in table.key for name in entry] if table else []
    order = [*key, *(name for name in cells if name not in key)]
    given = [f"{name} {shortened(str(cells[name]))}" for name in order if cells.get(name) is not None]
    return ", ".join(given[:CELLS])


def _value(row: Mapping[str, Any], name: str) -> Any:
    """A cell as text, a whole row as an object."""
    text = row[name]
    return json_text.loads(text) if text is not None and row["column_name"] is None else text


def instant(moment: datetime | None) -> str | None:
    """An instant in UTC as JSON has it."""
    return None if moment is None else moment.isoformat(timespec="seconds") + "Z"
