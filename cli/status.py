"""The command `status`: show runs, money and the outbox; it reads the ledger only, so it works during a run."""

import json
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from innspect.cli._console import make_console, make_table
from innspect.cli._options import CliOptions
from innspect.extract.home.lock import find_holder
from innspect.extract.ledger.ledger import Ledger
from innspect.extract.ledger.queries import Figures
from innspect.flows.account_summary import AccountSummary, summarize_account
from innspect.flows.open_home import utc_now
from innspect.reports.format import format_roubles, roubles_text
from innspect.reports.i18n.catalog import count_of
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
        account = summarize_account(ledger.account_figures(), settings, utc_now())
        runs = ledger.run_rows().tail(MAX_LISTED_RUNS).reverse()
    finally:
        ledger.close()
    is_running = find_holder(settings.lock) is not None
    if options.json:
        typer.echo(
            json.dumps(_figures_as_json(figures, account, is_running=is_running), ensure_ascii=False, default=str)
        )
        return 0
    screen = make_console()
    screen.print(f"Settled  {format_roubles(figures.settled)}")
    screen.print(f"Unknown  {format_roubles(figures.unknown)} in {count_of(figures.unknown_calls, 'call')}")
    screen.print(f"Reserved {format_roubles(figures.reserved)}")
    reported = f" (reported by the service at {figures.balance_at:%Y-%m-%d %H:%M} UTC)" if figures.balance_at else ""
    screen.print(f"Balance  {format_roubles(figures.balance)}{reported}")
    _print_account(screen, account)
    screen.print(
        f"Outbox   {count_of(figures.outbox, 'response')} to be sealed" if figures.outbox else "Outbox   empty"
    )
    screen.print("A run is in progress." if is_running else "No run is in progress.")
    screen.print(make_table(RUN_COLUMNS, runs.select(RUN_COLUMNS).rows(), title="\nLatest runs"))
    for warning in account.warnings:
        screen.print(f"\nWarning: {warning}", soft_wrap=True)
    return 0


def _print_account(screen: Console, account: AccountSummary) -> None:
    response = account.figures.response
    reported = "" if response is None else f" (reported by the service at {response.received_at:%Y-%m-%d %H:%M} UTC)"
    screen.print(f"Access   {account.access_text}{reported}", soft_wrap=True)
    screen.print(f"Spend    {account.spend_text}", soft_wrap=True)
    screen.print(f"Forecast {account.forecast_text}", soft_wrap=True)
    if account.unrecognised_text:
        screen.print(f"Account  not recognised in full: {account.unrecognised_text}", soft_wrap=True)


def _figures_as_json(figures: Figures, account: AccountSummary, *, is_running: bool) -> dict[str, Any]:
    return {
        "settled_rub": roubles_text(figures.settled),
        "unknown_rub": roubles_text(figures.unknown),
        "reserved_rub": roubles_text(figures.reserved),
        "balance_rub": roubles_text(figures.balance),
        "unknown_calls": figures.unknown_calls,
        "outbox": figures.outbox,
        "running": is_running,
        "account": account.as_json(),
        "last_run": None if figures.last_run is None else dict(figures.last_run),
    }
