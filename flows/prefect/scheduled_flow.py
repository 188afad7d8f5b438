"""The flow of every scheduled deployment: `innspect run` with the settings of the schedule.

Its parameters are names and paths only, since Prefect stores them. The process that runs it (of `innspect serve`, or a
worker of a work pool) has the API key in its environment, or in the file that the settings name.
"""

import io
import os
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

# The log of a scheduled run is read in Prefect, which shows INFO only at this level.
os.environ.setdefault("PREFECT_LOGGING_LEVEL", "INFO")

from prefect import flow, get_run_logger
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run
from prefect.states import Cancelled, Completed, Failed
from rich.console import Console

from innspect.extract.portfolio.reader import Portfolio, read_portfolio
from innspect.flows.notify.failures import watch_run
from innspect.flows.prefect.events import emit_events
from innspect.flows.prefect.run_flow import make_calls_in_flow
from innspect.flows.run_portfolio import run_portfolio, stop_on_signals
from innspect.flows.run_result import RunResult
from innspect.flows.sandbox_process import run_sandbox, sandbox_arguments, use_sandbox, use_sandbox_home
from innspect.reports.format import format_count, format_roubles
from innspect.reports.i18n.catalog import count_of
from innspect.schemas.errors import BudgetEnded, Exit, InnspectError, SettingsError, StoresHeld
from innspect.schemas.settings import Settings, load_settings
from innspect.schemas.settings.sections import Schedule

FLOW_NAME = "scheduled-run"
STATE_NAMES = {
    Exit.OK: "Completed",
    Exit.FAULT: "Failed",
    Exit.USAGE: "WrongSettings",
    Exit.BUDGET: "BudgetEnded",
    Exit.REFUSED: "Refused",
    Exit.HELD: "Skipped",
    Exit.INCOMPLETE: "Incomplete",
    Exit.INTERRUPTED: "Interrupted",
}
"""Name of the flow run's state by the exit code of `innspect run`."""


def _flow_run_name() -> str:
    """Schedule and start in UTC, as in `nightly 2026-11-21 03:00`."""
    start = flow_run.scheduled_start_time
    return f"{flow_run.parameters['schedule']} {start:%Y-%m-%d %H:%M}"


@flow(name=FLOW_NAME, flow_run_name=_flow_run_name, retries=0, persist_result=False)
def scheduled_run(schedule: str, config: str = "", home: str = "", sandbox: bool = False) -> State[Any]:
    """Run `schedules.<schedule>` as `innspect run` would; the state of the flow run is the result.

    It does not wait for a home that another run holds: it is skipped, and the next run requests what is stale then.
    """
    with suppress(PermissionError):
        # `serve` ends its runs by SIGTERM on Ctrl-C; in a session of its own the run does not get Ctrl-C as well.
        os.setsid()
    stop_on_signals()
    log = get_run_logger()
    try:
        settings = load_settings(Path(config) if config else None, os.environ, {"home": Path(home) if home else None})
        if sandbox:
            settings = use_sandbox_home(settings, is_home_given=bool(home))
        screen = Console(file=LogStream(log), highlight=False, markup=False, width=160)
        named = settings.schedules.get(schedule)
        with watch_run(settings, schedule if named is None else Path(named.portfolio).stem, screen) as watch:
            watch.result = _run_schedule(settings, schedule, screen, sandbox=sandbox)
        return flow_run_state(watch.result)
    except StoresHeld as error:
        message = f"Skipped without any call: {error.message}"
        log.warning(message)
        return Cancelled(name=STATE_NAMES[Exit.HELD], message=message)
    except KeyboardInterrupt:
        message = "Interrupted. Received responses are saved; the next run resumes."
        log.warning(message)
        return Cancelled(name=STATE_NAMES[Exit.INTERRUPTED], message=message)
    except InnspectError as error:
        log.error(error.message)  # noqa: TRY400 (the message says what to do; a traceback adds nothing)
        return Failed(name=STATE_NAMES.get(error.exit_code, "Failed"), message=error.message)


def _run_schedule(settings: Settings, name: str, screen: Console, *, sandbox: bool) -> RunResult:
    schedule = settings.schedules.get(name)
    if schedule is None:
        raise SettingsError(
            f"There is no schedule {name} in the settings; pause its deployment or write schedules.{name}.",
            key=f"schedules.{name}",
        )
    settings = settings_of_schedule(settings, schedule)
    portfolio = read_schedule_portfolio(schedule, name)
    with ExitStack() as stack:
        if sandbox:
            settings = use_sandbox(settings, stack.enter_context(run_sandbox(sandbox_arguments(settings))))
        result = run_portfolio(settings, portfolio, screen, make_calls_in_flow, emit_events=emit_events)
    result.print_summary(screen)
    return result


def read_schedule_portfolio(schedule: Schedule, name: str) -> Portfolio:
    """The portfolio of a schedule. Raises SettingsError and PortfolioError."""
    if schedule.portfolio == "-":
        raise SettingsError(
            f"schedules.{name}.portfolio is standard input, which a scheduled run does not have; name a file.",
            key=f"schedules.{name}.portfolio",
        )
    return read_portfolio(schedule.portfolio, None, name=schedule.portfolio_name or None, sheet=schedule.sheet or None)


def settings_of_schedule(settings: Settings, schedule: Schedule) -> Settings:
    """The settings with the profile and the budget of a schedule."""
    budget = settings.budget
    if schedule.budget_rub is not None:
        budget = budget.model_copy(update={"run_rub": schedule.budget_rub})
    profile = schedule.profile or settings.default_profile
    return settings.model_copy(update={"default_profile": profile, "budget": budget})


def flow_run_state(result: RunResult) -> State[Any]:
    """The final state of the flow run: Completed if all paid responses are loaded, Failed if somebody has to act."""
    code, stop = result.exit_code, result.stop
    message = (
        f"{format_count(result.calls)} of {count_of(result.planned_calls, 'call')}, "
        f"{format_roubles(result.charged)} charged, {count_of(result.changes, 'change')}."
    )
    if stop is not None:
        message += f" {stop.message}"
    elif result.shortfall:
        message += f" {result.shortfall}"
    elif not result.is_published:
        message += " The published copy was not written; see the log, and run `innspect publish`."
    message += "".join(f" {warning}" for warning in result.warnings)
    is_stopped = stop is not None and not isinstance(stop, BudgetEnded)
    is_failed = is_stopped or code not in (Exit.OK, Exit.BUDGET, Exit.INCOMPLETE)
    return (Failed if is_failed else Completed)(name=STATE_NAMES.get(code, "Failed"), message=message)


class LogStream(io.StringIO):
    """A stream whose lines become lines of the flow run's log."""

    def __init__(self, log: Any) -> None:
        super().__init__()
        self._log = log
        self._incomplete_line = ""

    def write(self, text: str, /) -> int:
        """Log every complete line."""
        *lines, self._incomplete_line = (self._incomplete_line + text).split("\n")
        for line in lines:
            if line.strip():
                self._log.info("%s", line.rstrip())
        return len(text)
