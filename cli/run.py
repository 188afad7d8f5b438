"""The command `run`: check a portfolio and load the responses."""

import json
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack

import typer

from innspect.cli._console import command_name, make_console, show_status
from innspect.cli._options import CliOptions
from innspect.extract.portfolio.reader import read_portfolio
from innspect.flows.notify.alerts import Alert
from innspect.flows.run_portfolio import make_calls, run_portfolio, stop_on_signals
from innspect.flows.run_result import RunResult
from innspect.flows.run_state import PortfolioRun
from innspect.flows.sandbox_process import LazySandbox, sandbox_arguments, use_sandbox
from innspect.schemas.errors import Exit


def run(options: CliOptions, portfolio: str, *, refresh: bool, repair: bool, direct: bool) -> int:
    """Run a portfolio; the exit code of its result."""
    stop_on_signals()
    settings = options.settings()
    settings.profile()
    stdin = sys.stdin.buffer.read() if portfolio == "-" else None
    with show_status("Reading the portfolio"):
        members = read_portfolio(portfolio, stdin)
    screen = make_console(to_stderr=options.json)
    with ExitStack() as stack:
        sandbox = None
        if options.sandbox:
            sandbox = stack.enter_context(LazySandbox(sandbox_arguments(settings)))
            settings = use_sandbox(settings, sandbox.url)

        async def call_maker(run: PortfolioRun) -> RunResult:
            if sandbox is not None and run.has_calls:
                sandbox.start()
            if direct or run.state.plan.calls.is_empty():
                # Without batches Prefect has nothing to run; importing it and starting its server takes seconds.
                return await make_calls(run)
            if "PREFECT_API_URL" not in os.environ:
                run.progress.note("Starting a temporary Prefect server; --direct runs without it.")
            from innspect.flows.prefect.run_flow import make_calls_in_new_flow  # noqa: PLC0415 (takes three seconds)

            return await make_calls_in_new_flow(run)

        result = run_portfolio(
            settings,
            members,
            screen,
            call_maker,
            refresh=refresh,
            repair=repair,
            emit_events=None if direct else _emit_events,
        )
    result.print_summary(screen)
    if options.json:
        typer.echo(json.dumps(result.as_json(), ensure_ascii=False))
    elif result.exit_code is Exit.OK:
        home = "" if str(settings.home) == "data" else f" --home {settings.home}"
        query = "SELECT inn, name, status, checked_at FROM current.company ORDER BY inn"
        screen.print(f'Next: {command_name()} sql "{query}"{home}', soft_wrap=True)
    if result.stop is not None and result.stop.exit_code is result.exit_code:
        raise result.stop
    if result.shortfall:
        typer.echo(f"innspect: {result.shortfall}", err=True)
    return int(result.exit_code)


def _emit_events(alerts: Sequence[Alert]) -> None:
    from innspect.flows.prefect.events import emit_events  # noqa: PLC0415 (takes three seconds)

    emit_events(alerts)
