"""Schedules of the settings as Prefect deployments, and the process that starts their runs."""

import asyncio  # noqa: I001 (ours first: it sets what Prefect reads when it is imported)
import os
import re
import shutil
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from innspect.flows.prefect.scheduled_flow import read_schedule_portfolio, scheduled_run
from innspect.flows.prefect.message_flow import RETRY_CRON, send_due_messages

from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import DeploymentFilter, DeploymentFilterTags
from prefect.deployments.runner import RunnerDeployment
from prefect.exceptions import ObjectNotFound
from prefect.runner import Runner
from prefect.schedules import Cron
from prefect.settings import PREFECT_API_URL
from prefect.types.entrypoint import EntrypointType

from innspect.schemas.errors import SettingsError
from innspect.schemas.settings import Settings
from innspect.schemas.settings.sections import Schedule
from innspect.transforms.versions.content_hash import identifier

TAG = "innspect"
HOME_TAG = "home:"
MESSAGES = "messages"
EXAMPLE_API_URL = "http://127.0.0.1:4200/api"


@dataclass(frozen=True, slots=True)
class Served:
    """The deployments to serve, the address of the server, and the schedules paused because the settings lack them."""

    deployments: Sequence[RunnerDeployment]
    address: str
    paused: Sequence[str]


def prepare_deployments(settings: Settings, config: Path | None, *, sandbox: bool) -> Served:
    """Build the deployments of all schedules and pause those that were removed from the settings.

    Raises SettingsError if no Prefect server responds, and for settings with which every scheduled run would fail.
    """
    address = check_server()
    deployments = build_deployments(settings, config, sandbox=sandbox)
    home = _home(settings)
    _refuse_foreign_names(deployments, home)
    return Served(deployments, address, _pause_removed([str(deployment.name) for deployment in deployments], home))


def serve_deployments(deployments: Sequence[RunnerDeployment]) -> None:
    """Start the runs that are due until interrupted; an open run gets SIGTERM and has half a minute to stop."""
    asyncio.run(_serve(deployments))


async def _serve(deployments: Sequence[RunnerDeployment]) -> None:
    runner = Runner(name=f"{TAG}-{os.getpid()}", pause_on_shutdown=True)
    for deployment in deployments:
        await runner.aadd_deployment(deployment)
    loop, stopping = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGINT, stopping.set)

    def stop(*_: Any) -> None:
        loop.call_soon_threadsafe(stopping.set)

    # Prefect's handler of SIGTERM, and cancelling its runner, would kill the open runs.
    runner.handle_sigterm = stop
    serving, waiting = asyncio.create_task(runner.start()), asyncio.create_task(stopping.wait())
    await asyncio.wait({serving, waiting}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    if stopping.is_set() and runner.started:
        await runner.astop()
    elif stopping.is_set():
        serving.cancel()
    with suppress(asyncio.CancelledError):
        await serving


def check_server() -> str:
    """The address of the Prefect server, without secrets.

    Raises SettingsError, which says how to start a server, if none is set or none responds.
    """
    address = PREFECT_API_URL.value()
    start = f"start one with `PREFECT_SERVER_ANALYTICS_ENABLED=false {_prefect_command()} server start`"
    if not address:
        raise SettingsError(
            f"No Prefect server is set; {start} and set PREFECT_API_URL={EXAMPLE_API_URL}.", key="PREFECT_API_URL"
        )
    with get_client(sync_client=True) as client:
        fault = client.api_healthcheck()
    if fault is not None:
        raise SettingsError(
            f"No Prefect server responds at {_without_secrets(address)} ({type(fault).__name__}); {start}, or correct "
            "PREFECT_API_URL.",
            key="PREFECT_API_URL",
        )
    return _without_secrets(address)


def build_deployments(settings: Settings, config: Path | None, *, sandbox: bool) -> list[RunnerDeployment]:
    """A deployment for each schedule, validated as its runs will be, and one for messages if there are receivers.

    Raises SettingsError and PortfolioError.
    """
    if not sandbox and not settings.service.base_url:
        raise SettingsError("The service has no address; set service.base_url.", key="service.base_url")
    if not sandbox and settings.api_key is None:
        raise SettingsError("There is no API key; set INNSPECT_API_KEY or service.api_key_file.", key="api_key")
    parameters = {
        "config": "" if config is None else str(config.absolute()),
        "home": _home(settings),
        "sandbox": sandbox,
    }
    runs = [_build_deployment(name, schedule, settings, parameters) for name, schedule in settings.schedules.items()]
    return [*runs, *([_build_message_deployment(settings, parameters)] if settings.notify else [])]


def _build_deployment(
    name: str, schedule: Schedule, settings: Settings, parameters: dict[str, Any]
) -> RunnerDeployment:
    read_schedule_portfolio(schedule, name)
    if not re.fullmatch(r"[\w -]+", name):
        raise SettingsError(
            f"Prefect does not accept the name schedules.{name}; use letters, digits and hyphens.",
            key=f"schedules.{name}",
        )
    try:
        return RunnerDeployment.from_flow(
            scheduled_run,
            name=name,
            schedule=Cron(schedule.cron, timezone=schedule.timezone or settings.source_timezone),
            parameters={"schedule": name, **parameters},
            description=f"`innspect run {schedule.portfolio}` on a schedule.",
            tags=[TAG, HOME_TAG + _home(settings)],
            paused=False,
            entrypoint_type=EntrypointType.MODULE_PATH,
        )
    except ValueError as fault:
        raise SettingsError(
            f"Prefect does not accept the cron of schedules.{name} ({schedule.cron}); correct the cron.",
            key=f"schedules.{name}.cron",
        ) from fault


def _build_message_deployment(settings: Settings, parameters: dict[str, Any]) -> RunnerDeployment:
    """The deployment that sends messages at their times, and every hour what was not accepted."""
    times = {
        (receiver.due_time.cron, receiver.timezone or settings.source_timezone): None
        for receiver in settings.notify.values()
        if receiver.due_time is not None
    }
    crons = [Cron(cron, timezone=zone) for cron, zone in times]
    return RunnerDeployment.from_flow(
        send_due_messages,
        # Homes that share a server have one each.
        name=f"{MESSAGES}-{identifier(_home(settings))[:8]}",
        schedules=[*crons, Cron(RETRY_CRON, timezone=settings.source_timezone)],
        parameters=parameters,
        description="`innspect notify` when messages are due, and every hour.",
        tags=[TAG, HOME_TAG + _home(settings)],
        paused=False,
        entrypoint_type=EntrypointType.MODULE_PATH,
    )


def _refuse_foreign_names(deployments: Sequence[RunnerDeployment], home: str) -> None:
    """Raise SettingsError if another home on the same server has a schedule of that name, which would be replaced."""
    with get_client(sync_client=True) as client:
        for deployment in deployments:
            name = f"{deployment.flow_name}/{deployment.name}"
            try:
                tags = client.read_deployment_by_name(name).tags
            except ObjectNotFound:
                continue
            others = [tag for tag in tags if tag.startswith(HOME_TAG) and tag != HOME_TAG + home]
            if others:
                other = others[0].removeprefix(HOME_TAG)
                raise SettingsError(
                    f"The Prefect server has a schedule {deployment.name} of the home {other}; rename "
                    f"schedules.{deployment.name}, or delete the other with `prefect deployment delete {name}`.",
                    key=f"schedules.{deployment.name}",
                )


def _pause_removed(names: Sequence[str], home: str) -> list[str]:
    """Pause the deployments of this home that its settings no longer have; their names."""
    of_this_home = DeploymentFilter(tags=DeploymentFilterTags(all_=[TAG, HOME_TAG + home]))
    with get_client(sync_client=True) as client:
        removed = [
            deployment
            for deployment in client.read_deployments(deployment_filter=of_this_home)
            if deployment.name not in names and not deployment.paused and deployment.work_pool_name is None
        ]
        for deployment in removed:
            client.pause_deployment(deployment.id)
    return [deployment.name for deployment in removed]


def _home(settings: Settings) -> str:
    return str(settings.home.absolute())


def _prefect_command() -> str:
    """The command `prefect` as this user can type it."""
    path = Path(sys.executable).with_name("prefect")
    return "prefect" if shutil.which("prefect") or not path.exists() else os.path.relpath(path)


def _without_secrets(address: str) -> str:
    parts = urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()
