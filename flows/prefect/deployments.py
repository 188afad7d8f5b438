"""The command `serve`: the schedules of the settings as Prefect deployments, started at their times."""

import asyncio  # noqa: I001 (ours first: it sets what Prefect reads when it is imported)
import os
import re
import shutil
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from innspect.flows.prefect.scheduled_flow import FLOW, members_of, scheduled, scheduled_run

from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import DeploymentFilter, DeploymentFilterTags
from prefect.deployments.runner import RunnerDeployment
from prefect.exceptions import ObjectNotFound
from prefect.runner import Runner
from prefect.schedules import Cron
from prefect.settings import PREFECT_API_URL
from prefect.types.entrypoint import EntrypointType

from innspect.cli._options import Given
from innspect.reports.format import shown
from innspect.cli._console import console, table
from innspect.schemas.errors import Exit, SettingsError
from innspect.schemas.settings.sections import Schedule
from innspect.schemas.settings import Settings

TAG = "innspect"
LOCAL = "http://127.0.0.1:4200/api"


def serve(given: Given) -> int:
    """Serve the schedules until interrupted.

    Raises SettingsError where no Prefect server answers, and for what would make every scheduled run fail.
    """
    settings = given.settings()
    if not settings.schedules:
        raise SettingsError(
            "The settings have no schedules; write one into configs/innspect.toml, where an example stands.",
            key="schedules",
        )
    check_server(PREFECT_API_URL.value())
    deployments = deployments_of(settings, given)
    home, screen = _home(settings), console()
    _refuse_names_of_others([str(made.name) for made in deployments], home)
    for name in _pause_removed([str(made.name) for made in deployments], home):
        screen.print(f"The schedule {name} is no longer in the settings; it was paused.")
    screen.print(table(["schedule", "cron", "time zone", "portfolio", "profile", "budget"], rows_of(settings)))
    screen.print(f"Serving on {_without_secrets(str(PREFECT_API_URL.value()))}; Ctrl-C ends it and pauses them.")
    asyncio.run(_serve(deployments))
    return int(Exit.OK)


async def _serve(deployments: Sequence[RunnerDeployment]) -> None:
    """Start what is due until interrupted; a run under way is then told to end, and has half a minute for it."""
    runner = Runner(name=f"{TAG}-{os.getpid()}", pause_on_shutdown=True)
    for one in deployments:
        await runner.aadd_deployment(one)
    loop, ending = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGINT, ending.set)

    def end(*_: Any) -> None:
        loop.call_soon_threadsafe(ending.set)

    # Prefect's own handler of SIGTERM, and its way of being cancelled, kill the runs that are under way.
    runner.handle_sigterm = end
    serving, waiting = asyncio.create_task(runner.start()), asyncio.create_task(ending.wait())
    await asyncio.wait({serving, waiting}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    if ending.is_set() and runner.started:
        await runner.astop()
    elif ending.is_set():
        serving.cancel()
    with suppress(asyncio.CancelledError):
        await serving


def rows_of(settings: Settings) -> list[tuple[str, ...]]:
    """What is served, a row a schedule."""
    return [
        (
            name,
            one.cron,
            one.timezone or settings.source_timezone,
            one.portfolio,
            one.profile or settings.default_profile,
            shown(scheduled(settings, one).budget.run_kopecks),
        )
        for name, one in settings.schedules.items()
    ]


def check_server(address: str | None) -> None:
    """Raises SettingsError, which says how to start one, where no Prefect server answers."""
    start = f"start one with `PREFECT_SERVER_ANALYTICS_ENABLED=false {_prefect()} server start`"
    if not address:
        raise SettingsError(
            f"No Prefect server is named; {start} and set PREFECT_API_URL={LOCAL}.", key="PREFECT_API_URL"
        )
    with get_client(sync_client=True) as client:
        fault = client.api_healthcheck()
    if fault is not None:
        raise SettingsError(
            f"No Prefect server answers at {_without_secrets(address)} ({type(fault).__name__}); {start}, or correct "
            "PREFECT_API_URL.",
            key="PREFECT_API_URL",
        )


def deployments_of(settings: Settings, given: Given) -> list[RunnerDeployment]:
    """A deployment for each schedule, checked as its runs will be. Raises SettingsError and PortfolioError."""
    if not given.sandbox and not settings.service.base_url:
        raise SettingsError("The service has no address; set service.base_url.", key="service.base_url")
    if not given.sandbox and settings.api_key is None:
        raise SettingsError("There is no API key; set INNSPECT_API_KEY or service.api_key_file.", key="api_key")
    return [_deployment(name, schedule, settings, given) for name, schedule in settings.schedules.items()]


def _deployment(name: str, schedule: Schedule, settings: Settings, given: Given) -> RunnerDeployment:
    members_of(schedule, name)
    if not re.fullmatch(r"[\w -]+", name):
        raise SettingsError(
            f"Prefect does not take the name schedules.{name}; write letters, digits and hyphens.",
            key=f"schedules.{name}",
        )
    parameters = {
        "schedule": name,
        "config": "" if given.config is None else str(given.config.absolute()),
        "home": _home(settings),
        "sandbox": given.sandbox,
    }
    try:
        return RunnerDeployment.from_flow(
            scheduled_run,
            name=name,
            schedule=Cron(schedule.cron, timezone=schedule.timezone or settings.source_timezone),
            parameters=parameters,
            description=f"`innspect run {schedule.portfolio}` by itself.",
            tags=[TAG, _tag(_home(settings))],
            paused=False,
            entrypoint_type=EntrypointType.MODULE_PATH,
        )
    except ValueError as fault:
        raise SettingsError(
            f"Prefect does not take the cron of schedules.{name} ({schedule.cron}); correct the cron.",
            key=f"schedules.{name}.cron",
        ) from fault


def _refuse_names_of_others(names: Sequence[str], home: str) -> None:
    """Two homes may share a Prefect server, but there a name is one deployment: the later would replace the earlier."""
    with get_client(sync_client=True) as client:
        for name in names:
            try:
                tags = client.read_deployment_by_name(f"{FLOW}/{name}").tags
            except ObjectNotFound:
                continue
            others = [tag for tag in tags if tag.startswith(_tag("")) and tag != _tag(home)]
            if others:
                raise SettingsError(
                    f"The Prefect server has a schedule {name} of the home {others[0].removeprefix(_tag(''))}; rename "
                    f"schedules.{name}, or delete that one with `prefect deployment delete {FLOW}/{name}`.",
                    key=f"schedules.{name}",
                )


def _pause_removed(names: Sequence[str], home: str) -> list[str]:
    """Pause what this home once served and its settings no longer have; their names."""
    ours = DeploymentFilter(tags=DeploymentFilterTags(all_=[TAG, _tag(home)]))
    with get_client(sync_client=True) as client:
        removed = [
            one
            for one in client.read_deployments(deployment_filter=ours)
            if one.name not in names and not one.paused and one.work_pool_name is None
        ]
        for one in removed:
            client.pause_deployment(one.id)
    return [one.name for one in removed]


def _tag(home: str) -> str:
    return f"home:{home}"


def _home(settings: Settings) -> str:
    return str(settings.home.absolute())


def _prefect() -> str:
    """The command `prefect` as this user can type it."""
    beside = Path(sys.executable).with_name("prefect")
    return "prefect" if shutil.which("prefect") or not beside.exists() else os.path.relpath(beside)


def _without_secrets(address: str) -> str:
    parts = urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl()
