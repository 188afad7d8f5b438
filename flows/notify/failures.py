"""Runs that do not end with code 0: recorded for the receivers that ask for them, however the run ends."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console

from innspect.extract.ledger.ledger import Ledger
from innspect.flows.notify.notice_state import Notice
from innspect.flows.notify.notifications import SendLog, send_failures
from innspect.flows.open_home import utc_now
from innspect.flows.run_result import RunResult
from innspect.schemas.errors import Exit, InnspectError
from innspect.schemas.settings import Settings
from innspect.schemas.settings.notify import MessageKind


@dataclass(slots=True)
class RunWatch:
    """The run that is being watched: its portfolio, and its result when there is one."""

    portfolio: str
    result: RunResult | None = None


@contextmanager
def watch_run(settings: Settings, portfolio: str, screen: Console) -> Generator[RunWatch]:
    """Send `run_failed` if the run in the context raises, or has a result with another code than 0.

    An interrupted run only records it: nobody who presses Ctrl-C waits for a mail server; the next run or
    `innspect notify` sends it.
    """
    watch, code = RunWatch(portfolio), Exit.FAULT
    try:
        yield watch
        code = Exit.OK if watch.result is None else watch.result.exit_code
    except InnspectError as error:
        code = error.exit_code
        raise
    except KeyboardInterrupt:
        code = Exit.INTERRUPTED
        raise
    finally:
        if code is not Exit.OK:
            run_id = "" if watch.result is None else watch.result.run_id
            _report(settings, _make_notice(watch.portfolio, run_id, code), screen, now=code is not Exit.INTERRUPTED)


def record_killed_runs(settings: Settings, ledger: Ledger, home_id: str, screen: Console) -> None:
    """Record the runs whose process was killed; the caller holds the lock of the home, so none of them is running."""
    if not any(MessageKind.RUN_FAILED in receiver.what for receiver in settings.notify.values()):
        return
    killed = {*ledger.figures().unfinished} & {*ledger.run_ids(home_id)}
    for run_id in sorted(killed):
        portfolio = str(ledger.run_rows(run_id)["portfolio"][0])
        _report(settings, _make_notice(portfolio, run_id, None), screen, now=False)


def _make_notice(portfolio: str, run_id: str, code: int | None) -> Notice:
    exit_code = None if code is None else int(code)
    return Notice("", MessageKind.RUN_FAILED, utc_now(), portfolio=portfolio, run_id=run_id, exit_code=exit_code)


def _report(settings: Settings, notice: Notice, screen: Console, *, now: bool) -> None:
    """Record and send; a failure is a line on the screen, the run's own outcome stays."""
    try:
        send_failures(settings, notice, SendLog(screen), now=now)
    except (InnspectError, OSError) as error:
        reason = error.message if isinstance(error, InnspectError) else type(error).__name__
        screen.print(f"The failed run could not be reported: {reason}", soft_wrap=True)
