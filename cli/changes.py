"""The command `changes`: show whose level moved, and differences between consecutive versions."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import polars as pl
import typer
from rich.console import Console

from innspect.cli._console import make_console
from innspect.cli._options import CliOptions
from innspect.cli._reading import open_source
from innspect.extract.clock import Clock
from innspect.flows.open_home import utc_now
from innspect.reports.change_query import (
    ChangeFilter,
    change_line,
    changes_as_json,
    find_changes,
    parse_since,
    resolve_portfolio,
)
from innspect.reports.format import utc_text
from innspect.reports.level_history import MOVEMENTS, Movement, find_movements, level_line
from innspect.schemas.change_severity import SEVERITY_RANKS
from innspect.schemas.errors import UsageError

MAX_LISTED_CHANGES = 100
"""Changes listed on the screen per severity; JSON lists all."""

MOVEMENT_TITLES = {
    Movement.WORSE: "WORSE",
    Movement.BETTER: "BETTER",
    Movement.UNKNOWN: "LEVEL NO LONGER KNOWN",
    Movement.KNOWN: "LEVEL KNOWN AGAIN",
}


def changes(options: CliOptions, since: str, severity: str, portfolio: str | None, now: Clock = utc_now) -> int:
    """Show changes. Raises UsageError for an invalid date or an unknown severity or portfolio."""
    if severity not in SEVERITY_RANKS:
        raise UsageError(f"There is no severity {severity}; choose {', '.join(SEVERITY_RANKS)}.", severity=severity)
    settings = options.settings()
    moment = parse_since(since, settings.source_timezone, now())
    with open_source(settings) as source:
        warehouse = source.warehouse
        name = None if portfolio is None else resolve_portfolio(warehouse, portfolio)
        rows = find_changes(warehouse, ChangeFilter(moment, severity, name))
        counts, movements = find_movements(warehouse, moment, name)
    if options.json:
        result = {
            "since": utc_text(moment),
            "severity": severity,
            "portfolio": name,
            "published_at": source.published_at_text,
            "changes": changes_as_json(rows),
            "levels": {**counts, "members": [_movement_as_json(row) for row in movements]},
        }
        typer.echo(json.dumps(result, ensure_ascii=False))
    else:
        screen, scope = make_console(), "" if name is None else f" in the portfolio {name}"
        print_movements(counts, movements, screen)
        print_changes(rows, moment, screen, scope)
    return 0


def _movement_as_json(row: Mapping[str, Any]) -> dict[str, Any]:
    titles = {name: [signal["title"] for signal in row[name]] for name in ("appeared", "disappeared")}
    return {name: row[name] for name in row if name != "place"} | titles | {"assessed_at": utc_text(row["assessed_at"])}


def print_movements(counts: Mapping[str, int], movements: Sequence[Mapping[str, Any]], screen: Console) -> None:
    """Print whose level moved, worse first, or that nobody was checked again."""
    if not counts["requested"] and not movements:
        screen.print("Levels: nobody was checked again in this time; whether a level changed is not known.")
        return
    screen.print(
        f"Levels of {counts['requested']} counterparties checked: {counts['worse']} worse, {counts['better']} better, "
        f"{counts['unknown']} no longer known, {counts['known']} known again, {counts['first']} assessed for the first "
        "time.",
        soft_wrap=True,
    )
    for movement in MOVEMENTS:
        rows = [row for row in movements if row["movement"] == movement]
        if rows:
            screen.print(f"\n{MOVEMENT_TITLES[movement]} ({len(rows)})", style="bold")
        for row in rows[:MAX_LISTED_CHANGES]:
            screen.print(f"{row['inn']} {row['name'] or 'name not known'}", markup=False, soft_wrap=True)
            screen.print(f"  {level_line(row)}", markup=False, soft_wrap=True)
        if len(rows) > MAX_LISTED_CHANGES:
            screen.print(f"  … and {len(rows) - MAX_LISTED_CHANGES} more; --json lists all.")
    screen.print()


def print_changes(changes: pl.DataFrame, since: datetime, screen: Console, scope: str = "") -> None:
    """Print changes grouped by severity and counterparty."""
    if changes.is_empty():
        screen.print(f"No changes since {since:%Y-%m-%d %H:%M} UTC{scope}.")
        return
    screen.print(
        f"Changes since {since:%Y-%m-%d %H:%M} UTC{scope}: {changes.height}; counterparties: "
        f"{changes['inn'].n_unique()}.",
        soft_wrap=True,
    )
    for (severity,), of_severity in changes.group_by("severity", maintain_order=True):
        screen.print(f"\n{str(severity).upper()} ({of_severity.height})", style="bold")
        for (inn,), of_company in of_severity.head(MAX_LISTED_CHANGES).group_by("inn", maintain_order=True):
            screen.print(f"{inn} {of_company['name'][0] or 'name not known'}", markup=False, soft_wrap=True)
            for row in of_company.iter_rows(named=True):
                screen.print(f"  {change_line(row)}", markup=False, soft_wrap=True)
        if of_severity.height > MAX_LISTED_CHANGES:
            screen.print(f"  … and {of_severity.height - MAX_LISTED_CHANGES} more; --json lists all.")
