"""The command `run`: check a portfolio and load the responses."""

import sys
from pathlib import Path

from innspect.cli._calls import exit_with, open_caller
from innspect.cli._console import command_name, make_console, print_json, show_status
from innspect.cli._options import CliOptions
from innspect.extract.portfolio.reader import read_portfolio
from innspect.flows.notify.failures import watch_run
from innspect.flows.run_portfolio import run_portfolio, stop_on_signals
from innspect.schemas.errors import Exit


def run(
    options: CliOptions,
    portfolio: str,
    *,
    refresh: bool,
    repair: bool,
    prefect: bool | None,
    name: str | None = None,
    sheet: str | None = None,
) -> int:
    """Run a portfolio; the exit code of its result."""
    stop_on_signals()
    settings = options.settings()
    settings.profile()
    stdin = sys.stdin.buffer.read() if portfolio == "-" else None
    screen = make_console(to_stderr=options.json)
    with (
        watch_run(settings, name or Path(portfolio).stem, screen) as watch,
        open_caller(settings, sandbox=options.sandbox, prefect=prefect) as caller,
    ):
        with show_status("Reading the portfolio"):
            members = read_portfolio(portfolio, stdin, name=name, sheet=sheet)
        watch.portfolio = members.name
        result = watch.result = run_portfolio(
            caller.settings,
            members,
            screen,
            caller.call_maker,
            refresh=refresh,
            repair=repair,
            emit_events=caller.emit_events,
        )
    result.print_summary(screen)
    if options.json:
        print_json(result.as_json())
    elif result.exit_code is Exit.OK:
        home = "" if str(settings.home) == "data" else f" --home {settings.home}"
        query = "SELECT inn, name, status, checked_at FROM current.company ORDER BY inn"
        screen.print(f'Next: {command_name()} sql "{query}"{home}', soft_wrap=True)
    return exit_with(result)
