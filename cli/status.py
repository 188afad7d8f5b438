"""The command `status`: runs, money, and what waits; reads the ledger only, so it works while a run goes on."""

import json as json_text
from pathlib import Path
from typing import Any

import typer

from innspect.cli._console import console, table
from innspect.cli._options import Given
from innspect.extract.home.lock import holder
from innspect.extract.ledger.ledger import Ledger
from innspect.extract.ledger.queries import Figures
from innspect.flows.open_home import utc_now
from innspect.reports.format import as_text, shown
from innspect.schemas.errors import UsageError

SHOWN_RUNS = 10


def status(given: Given) -> int:
    """Show the ledger's figures. Raises UsageError where there is no ledger yet."""
    settings = given.settings()
    where = settings.ledger
    if isinstance(where, Path) and not where.exists():
        raise UsageError(f"There is no ledger at {where}; `innspect run` makes one, or name its home with --home.")
    ledger = Ledger.open(where, utc_now, settings.source_timezone)
    try:
        figures = ledger.figures()
        runs = ledger.run_rows().tail(SHOWN_RUNS).reverse()
    finally:
        ledger.close()
    running = holder(settings.lock) is not None
    if given.json:
        typer.echo(json_text.dumps(_json(figures, running=running), ensure_ascii=False, default=str))
        return 0
    screen = console()
    screen.print(f"Settled  {shown(figures.settled)}")
    screen.print(f"Unknown  {shown(figures.unknown)} in {figures.unknown_calls} calls")
    screen.print(f"Reserved {shown(figures.reserved)}")
    told = f", told {figures.balance_at:%Y-%m-%d %H:%M} UTC" if figures.balance_at else ""
    screen.print(f"Balance  {shown(figures.balance)} by the service's own word{told}")
    screen.print(f"Outbox   {figures.outbox} answers wait to be sealed" if figures.outbox else "Outbox   empty")
    screen.print("A run is going on." if running else "No run is going on.")
    columns = ["run_id", "portfolio", "profile", "budget_rub", "charged_rub", "unknown_rub", "exit_code"]
    screen.print(table(columns, runs.select(columns).rows(), title="\nThe latest runs"))
    return 0


def _json(figures: Figures, *, running: bool) -> dict[str, Any]:
    return {
        "settled_rub": as_text(figures.settled),
        "unknown_rub": as_text(figures.unknown),
        "reserved_rub": as_text(figures.reserved),
        "balance_rub": as_text(figures.balance),
        "unknown_calls": figures.unknown_calls,
        "outbox": figures.outbox,
        "running": running,
        "last_run": None if figures.last_run is None else dict(figures.last_run),
    }
