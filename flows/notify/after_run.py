"""Send what is due at the end of a run, or between runs (`innspect notify`, `innspect serve`)."""

from datetime import datetime
from pathlib import Path

from rich.console import Console

from innspect.extract.ledger.ledger import Ledger
from innspect.flows.account_summary import summarize_account
from innspect.flows.notify.alerts import send_alerts
from innspect.flows.notify.failures import record_killed_runs
from innspect.flows.notify.notifications import Facts, SendLog, send_messages
from innspect.flows.open_home import Stores, hold_home, ledger_home_id, open_existing_warehouse, utc_now
from innspect.schemas.errors import Exit, InnspectError, UsageError
from innspect.schemas.settings import Settings

COMPLETE_CODES = (Exit.OK, Exit.BUDGET, Exit.REFUSED, Exit.INCOMPLETE)
"""A run with one of these codes has loaded everything that it received."""


def send_after_run(settings: Settings, stores: Stores, started_at: datetime, screen: Console) -> None:
    """Send what is due after a run that has loaded everything; a failure is a line on the screen."""
    if not settings.notify:
        return
    now = utc_now()
    try:
        account = summarize_account(stores.ledger.account_figures(), settings, now)
        facts = Facts(stores.warehouse, account, now, now, started_at)
        send_messages(settings, facts, SendLog(screen))
    except (InnspectError, OSError) as error:
        reason = error.message if isinstance(error, InnspectError) else type(error).__name__
        screen.print(f"Messages are pending: {reason}", soft_wrap=True)


def send_between_runs(settings: Settings, log: SendLog) -> None:
    """Send what is due or pending, without a run. Raises StoresHeld during a run, which sends it at its end."""
    if isinstance(settings.ledger, Path) and not settings.ledger.exists():
        raise UsageError(
            f"There is no ledger at {settings.ledger}; create it with `innspect run`, or name its home with --home."
        )
    with hold_home(settings), open_existing_warehouse(settings) as warehouse:
        ledger = Ledger.open(settings.ledger, utc_now, settings.source_timezone)
        try:
            home_id = ledger_home_id(settings)
            if log.preview is None:
                record_killed_runs(settings, ledger, home_id, log.screen)
            now = utc_now()
            account = summarize_account(ledger.account_figures(), settings, now)
            known_until = find_known_until(ledger, now)
        finally:
            ledger.close()
        if log.preview is None and not send_alerts(settings, warehouse, None, log.screen):
            log.failures += 1
        send_messages(settings, Facts(warehouse, account, now, known_until), log)


def find_known_until(ledger: Ledger, now: datetime) -> datetime:
    """Up to when everything received is loaded: the start of the oldest of the last runs that were cut short, or now.

    Their responses are loaded by the next run and keep the time of their request.
    """
    known_until = now
    for row in ledger.run_rows().reverse().iter_rows(named=True):
        if row["exit_code"] in COMPLETE_CODES:
            break
        known_until = min(known_until, row["started_at"].replace(tzinfo=None))
    return known_until
