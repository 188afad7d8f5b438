"""The command `status`: show runs, money and the outbox; it reads the ledger only, so it works during a run."""

import json
from pathlib import Path
from typing import Any

import typer

from innspect.cli._console import make_console, make_table
from innspect.cli._options import CliOptions
from innspect.extract.home.lock import find_holder
from innspect.extract.ledger.ledger import Ledger
from innspect.extract.ledger.queries import Figures
from innspect.flows.open_home import utc_now
from innspect.reports.format import format_roubles, roubles_text
from innspect.schemas.errors import UsageError

MAX_LISTED_RUNS = 10
RUN_COLUMNS = ("run_id", "portfolio", "profile", "budget_rub", "charged_rub", "unknown_rub", "exit_code")


def status(options: CliOptions) -> int:
    """Show the figures of the ledger. Raises UsageError if there is no ledger."""
    settings = options.settings()
    where = settings.ledger
    if isinstance(where, Path) and not where.exists():
        raise UsageError(f"There is no ledger at {where}; create it with `innspect run`, or name its home with --home.")
    ledger = Ledger.open(where, utc_now, settings.source_timezone)
    try:
        figures = ledger.figures()
        runs = ledger.run_rows().tail(MAX_LISTED_RUNS).reverse()
    finally:
        ledger.close()
    is_running = find_holder(settings.lock) is not None
    if options.json:
        typer.echo(json.dumps(_figures_as_json(figures, is_running=is_running), ensure_ascii=False, default=str))
        return 0
    screen = make_console()
    screen.print(f"Settled  {format_roubles(figures.settled)}")
    screen.print(f"Unknown  {format_roubles(figures.unknown)} in {figures.unknown_calls} calls")
    screen.print(f"Reserved {format_roubles(figures.reserved)}")
    reported = f" (reported by the service at {figures.balance_at:%Y-%m-%d %H:%M} UTC)" if figures.balance_at else ""
    screen.print(f"Balance  {format_roubles(figures.balance)}{reported}")
    screen.print(f"Outbox   {figures.outbox} responses to be sealed" if figures.outbox else "Outbox   empty")
    screen.print("A run is in progress." if is_running else "No run is in progress.")
    screen.print(make_table(RUN_COLUMNS, runs.select(RUN_COLUMNS).rows(), title="\nLatest runs"))
    return 0


def _figures_as_json(figures: Figures, *, is_running: bool) -> dict[str, Any]:
    return {
        "settled_rub": roubles_text(figures.settled),
        "unknown_rub": roubles_text(figures.unknown),
        "reserved_rub": roubles_text(figures.reserved),
        "balance_rub": roubles_text(figures.balance),
        "unknown_calls": figures.unknown_calls,
        "outbox": figures.outbox,
        "running": is_running,
        "last_run": None if figures.last_run is None else dict(figures.last_run),
    }
