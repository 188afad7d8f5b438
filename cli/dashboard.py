"""The command `dashboard`: serve the pages of the published copy with Streamlit, by default on loopback only."""

import importlib.util
import os
import socket
import sys
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import typer

from innspect.cli._options import CliOptions
from innspect.extract.service.loopback import LOOPBACK
from innspect.flows.publish import COPY
from innspect.schemas.errors import UsageError

STREAMLIT_OPTIONS = {
    "server.headless": "true",
    "server.showEmailPrompt": "false",
    "server.fileWatcherType": "none",
    "server.runOnSave": "false",
    "runner.magicEnabled": "false",
    "server.enableStaticServing": "false",
    "browser.gatherUsageStats": "false",
    # Streamlit's download button of a table writes text that a spreadsheet executes; the pages have their own button.
    "client.disableDataExport": "true",
    "client.toolbarMode": "minimal",
    "client.showErrorDetails": "type",
    "client.showErrorLinks": "false",
    "logger.hideWelcomeMessage": "true",
    "logger.level": "warning",
    "theme.primaryColor": "#1971c2",
}


def dashboard(options: CliOptions, host: str, port: int) -> int:
    """Replace this process by Streamlit, which serves until interrupted.

    Raises UsageError if Streamlit is not installed, nothing is published, or the address is in use.
    """
    if importlib.util.find_spec("streamlit") is None:
        raise UsageError(
            "The dashboard needs Streamlit, which is not installed; install and start it with `make dashboard`."
        )
    settings = options.settings()
    copy = settings.published_folder / COPY
    if not copy.exists():
        raise UsageError(
            f"There is no published copy at {copy}; create it with `innspect publish` or `innspect run`.",
            path=str(copy),
        )
    _require_free_address(host, port)
    arguments = [str(copy.absolute()), "--language", settings.report.language]
    arguments += ["--timezone", settings.source_timezone]
    archive = Path(str(settings.archive))
    # Responses contain the columns that the settings exclude from the copy; the pages check the copy for this, too.
    if archive.is_dir() and not settings.publish.exclude:
        arguments += ["--archive", str(archive.absolute())]
    typer.echo(f"Dashboard: http://{f'[{host}]' if ':' in host else host}:{port}; Ctrl-C stops it.")
    if host not in LOOPBACK:
        typer.echo("The dashboard has no password: everyone who can reach this address can read the data.", err=True)
    sys.stdout.flush()
    command = streamlit_command(host, port, arguments)
    os.execve(command[0], command, environment_without_settings(os.environ))  # noqa: S606 (no shell: the program itself)


def streamlit_command(host: str, port: int, arguments: list[str]) -> list[str]:
    """The command that serves the pages."""
    options = STREAMLIT_OPTIONS | {"server.address": host, "server.port": str(port)}
    flags = [f"--{name}={value}" for name, value in options.items()]
    if host in LOOPBACK:
        # Against DNS rebinding: a web page whose host name resolves to this machine.
        flags += [f"--server.allowedHosts={name}" for name in LOOPBACK]
    page = str(files("innspect.reports.dashboard").joinpath("app.py"))
    return [sys.executable, "-m", "streamlit", "run", page, *flags, "--", *arguments]


def environment_without_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without settings of innspect and Streamlit: the pages need neither key nor secret."""
    return {name: value for name, value in environment.items() if not name.startswith(("INNSPECT_", "STREAMLIT_"))}


def _require_free_address(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except (OSError, OverflowError) as fault:
        reason = getattr(fault, "strerror", None) or str(fault)
        raise UsageError(
            f"The address {host}:{port} cannot be used ({reason}); name another with --port or --host.",
            host=host,
            port=port,
        ) from fault
