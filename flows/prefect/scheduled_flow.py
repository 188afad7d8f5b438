"""The flow that every deployment of a schedule runs: what `innspect run` does, with the schedule's settings.

Its parameters are names and paths only: Prefect stores them. Whoever executes it (`innspect serve`, or the worker of a
pool) has the API key in its own environment, or in the file that the settings name.
"""

import io
import os
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

# The log of a scheduled run is read in Prefect: there it says more than on the screen of `run`.
os.environ.setdefault("PREFECT_LOGGING_LEVEL", "INFO")

from innspect.flows.prefect.run_flow import check_in_flow  # noqa: I001 (sets what Prefect reads when it is imported)

from prefect import flow, get_run_logger
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run
from prefect.states import Cancelled, Completed, Failed
from rich.console import Console

from innspect.extract.portfolio.reader import Portfolio, read_portfolio
from innspect.cli._options import Given
from innspect.cli.run import Ended, carry_out, end_gently, shortfall, with_sandbox
from innspect.reports.format import shown
from innspect.flows.sandbox_process import sandbox as embedded
from innspect.schemas.errors import BudgetEnded, Exit, InnspectError, SettingsError, StoresHeld
from innspect.schemas.settings.sections import Schedule
from innspect.schemas.settings import Settings

FLOW = "scheduled-run"
NAMES = {
    Exit.OK: "Completed",
    Exit.FAULT: "Failed",
    Exit.USAGE: "WrongSettings",
    Exit.BUDGET: "BudgetEnded",
    Exit.REFUSED: "Refused",
    Exit.HELD: "Skipped",
    Exit.INCOMPLETE: "Incomplete",
    Exit.INTERRUPTED: "Interrupted",
}
"""What the state of a flow run is called for each exit code that `run` would have had."""


def _run_name() -> str:
    """`nightly 2026-11-21 03:00`, for the list of runs; the time is UTC."""
    when = flow_run.scheduled_start_time
    return f"{flow_run.parameters['schedule']} {when:%Y-%m-%d %H:%M}"


@flow(name=FLOW, flow_run_name=_run_name, retries=0, persist_result=False)
def scheduled_run(schedule: str, config: str = "", home: str = "", sandbox: bool = False) -> State[Any]:
    """One run of `schedules.<schedule>`, as `innspect run` would make it; the state tells how it ended.

    It never waits for stores that another run holds: it skips, and the next one asks what has become stale till then.
    """
    with suppress(PermissionError):
        # Ctrl-C is for `serve`, which ends its runs by one SIGTERM: a second signal would break off calls under way.
        os.setsid()
    end_gently()
    log = get_run_logger()
    try:
        given = Given(Path(config) if config else None, Path(home) if home else None, sandbox=sandbox)
        ended = _carried_out(given, schedule, Console(file=_Lines(log), highlight=False, markup=False, width=160))
    except StoresHeld as error:
        message = f"Skipped, nothing was asked or spent: {error.message}"
        log.warning(message)
        return Cancelled(name=NAMES[Exit.HELD], message=message)
    except KeyboardInterrupt:
        message = "Interrupted; what was received is kept, the next run goes on."
        log.warning(message)
        return Cancelled(name=NAMES[Exit.INTERRUPTED], message=message)
    except InnspectError as error:
        log.error(error.message)  # noqa: TRY400 (a sentence says what to do; where it was raised says nothing more)
        return Failed(name=NAMES.get(error.exit_code, "Failed"), message=error.message)
    return state_of(ended)


def _carried_out(given: Given, name: str, screen: Console) -> Ended:
    settings = given.settings()
    schedule = settings.schedules.get(name)
    if schedule is None:
        raise SettingsError(
            f"There is no schedule {name} in the settings; pause its deployment or write schedules.{name}.",
            key=f"schedules.{name}",
        )
    settings = scheduled(settings, schedule)
    members = members_of(schedule, name)
    with ExitStack() as stack:
        if given.sandbox:
            settings = with_sandbox(settings, stack.enter_context(embedded()))
        ended = carry_out(settings, members, screen, check_in_flow, refresh=False, repair=True, events=True)
    ended.result.show(screen)
    return ended


def members_of(schedule: Schedule, name: str) -> Portfolio:
    """The portfolio of a schedule. Raises SettingsError and PortfolioError."""
    if schedule.portfolio == "-":
        raise SettingsError(
            f"schedules.{name}.portfolio is standard input, which a scheduled run has not; name a file.",
            key=f"schedules.{name}.portfolio",
        )
    return read_portfolio(schedule.portfolio, None)


def scheduled(settings: Settings, schedule: Schedule) -> Settings:
    """The settings with the profile and the budget of a schedule."""
    budget = settings.budget
    if schedule.budget_rub is not None:
        budget = budget.model_copy(update={"run_rub": schedule.budget_rub})
    profile = schedule.profile or settings.default_profile
    return settings.model_copy(update={"default_profile": profile, "budget": budget})


def state_of(ended: Ended) -> State[Any]:
    """The state that a flow run ends in: green where all that was paid for is loaded, red where someone has to act."""
    result, code = ended.result, ended.exit_code
    says = f"{result.calls} of {result.planned_calls} calls, {shown(result.charged)} charged, {result.changes} changes."
    if ended.stop is not None:
        says += f" {ended.stop.message}"
    elif code in (Exit.BUDGET, Exit.INCOMPLETE):
        says += f" {shortfall(result)}"
    elif not ended.is_published:
        says += " The published copy was not made; see the log, and run `innspect publish`."
    is_stopped = ended.stop is not None and not isinstance(ended.stop, BudgetEnded)
    made = Failed if is_stopped or code not in (Exit.OK, Exit.BUDGET, Exit.INCOMPLETE) else Completed
    return made(name=NAMES.get(code, "Failed"), message=says)


class _Lines(io.StringIO):
    """A stream whose lines become lines of the flow run's log."""

    def __init__(self, log: Any) -> None:
        super().__init__()
        self._log = log
        self._begun = ""

    def write(self, text: str, /) -> int:
        *whole, self._begun = (self._begun + text).split("\n")
        for line in whole:
            if line.strip():
                self._log.info("%s", line.rstrip())
        return len(text)
