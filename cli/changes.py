"""The command `changes`: show differences between consecutive versions."""

import json
from datetime import datetime

import polars as pl
import typer
from rich.console import Console

from innspect.cli._console import make_console
from innspect.cli._options import CliOptions
from innspect.extract.clock import Clock
from innspect.flows.open_home import open_existing_warehouse, utc_now
from innspect.reports.change_query import (
    ChangeFilter,
    change_line,
    changes_as_json,
    find_changes,
    parse_since,
    resolve_portfolio,
)
from innspect.reports.format import utc_text
from innspect.schemas.change_severity import SEVERITY_RANKS
from innspect.schemas.errors import UsageError

MAX_LISTED_CHANGES = 100
"""Changes listed on the screen per severity; JSON lists all."""


def changes(options: CliOptions, since: str, severity: str, portfolio: str | None, now: Clock = utc_now) -> int:
    """Show changes. Raises UsageError for an invalid date or an unknown severity or portfolio."""
    if severity not in SEVERITY_RANKS:
        raise UsageError(f"There is no severity {severity}; choose {', '.join(SEVERITY_RANKS)}.", severity=severity)
    settings = options.settings()
    moment = parse_since(since, settings.source_timezone, now())
    with open_existing_warehouse(settings) as warehouse:
        name = None if portfolio is None else resolve_portfolio(warehouse, portfolio)
        rows = find_changes(warehouse, ChangeFilter(moment, severity, name))
    if options.json:
        result = {
            "since": utc_text(moment),
            "severity": severity,
            "portfolio": name,
            "changes": changes_as_json(rows),
        }
        typer.echo(json.dumps(result, ensure_ascii=False))
    else:
        print_changes(rows, moment, make_console(), "" if name is None else f" in the portfolio {name}")
    return 0


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
