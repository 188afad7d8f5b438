"""The flow that sends what is due between runs: `innspect notify` at the times of the settings."""

import os
from pathlib import Path
from typing import Any

# The log of a scheduled flow is read in Prefect, which shows INFO only at this level.
os.environ.setdefault("PREFECT_LOGGING_LEVEL", "INFO")

from prefect import flow, get_run_logger
from prefect.client.schemas.objects import State
from prefect.states import Cancelled, Completed, Failed
from rich.console import Console

from innspect.flows.notify.after_run import send_between_runs
from innspect.flows.notify.notifications import SendLog
from innspect.flows.prefect.scheduled_flow import LogStream
from innspect.flows.sandbox_process import use_sandbox_home
from innspect.reports.i18n.catalog import count_of
from innspect.schemas.errors import InnspectError, StoresHeld
from innspect.schemas.settings import load_settings

FLOW_NAME = "send-messages"
RETRY_CRON = "40 * * * *"
"""Every hour: what a receiver did not accept, and runs whose process was killed."""


@flow(name=FLOW_NAME, retries=0, persist_result=False)
def send_due_messages(config: str = "", home: str = "", sandbox: bool = False) -> State[Any]:
    """Send what is due. A run in progress sends it at its own end, so the flow does not wait for it."""
    log = get_run_logger()
    try:
        settings = load_settings(Path(config) if config else None, os.environ, {"home": Path(home) if home else None})
        if sandbox:
            settings = use_sandbox_home(settings, is_home_given=bool(home))
        sent = SendLog(Console(file=LogStream(log), highlight=False, markup=False, width=160))
        send_between_runs(settings, sent)
    except StoresHeld as error:
        return Cancelled(name="Skipped", message=f"A run sends it at its end: {error.message}")
    except InnspectError as error:
        log.error(error.message)  # noqa: TRY400 (the message says what to do; a traceback adds nothing)
        return Failed(message=error.message)
    message = f"{count_of(sent.sent, 'message')} sent, {sent.failures} not accepted."
    return Failed(name="NotAccepted", message=message) if sent.failures else Completed(message=message)
