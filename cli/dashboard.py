"""The command `dashboard`: starts Streamlit over the published copy, on loopback unless told otherwise."""

import importlib.util
import os
import socket
import sys
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import typer

from innspect.cli._options import Given
from innspect.extract.home.provenance import LOOPBACK
from innspect.schemas.errors import UsageError

OPTIONS = {
    "server.headless": "true",
    "server.showEmailPrompt": "false",
    "server.fileWatcherType": "none",
    "server.runOnSave": "false",
    "runner.magicEnabled": "false",
    "server.enableStaticServing": "false",
    "browser.gatherUsageStats": "false",
    # A table's own button saves text that a spreadsheet runs as a formula; the pages have one that does not.
    "client.disableDataExport": "true",
    "client.toolbarMode": "viewer",
    "client.showErrorDetails": "type",
    "client.showErrorLinks": "false",
    "logger.hideWelcomeMessage": "true",
    "logger.level": "warning",
    "theme.primaryColor": "#1971c2",
}


def dashboard(given: Given, host: str, port: int) -> int:
    """Become Streamlit, which serves until it is interrupted.

    Raises UsageError where Streamlit is not installed, nothing is published yet, or the address cannot be had.
    """
    if importlib.util.find_spec("streamlit") is None:
        raise UsageError(
            "The dashboard needs Streamlit, which is not installed; `make dashboard` installs and starts it."
        )
    settings = given.settings()
    copy = settings.published / "innspect.duckdb"
    if not copy.exists():
        raise UsageError(
            f"There is no published copy at {copy}; `innspect publish` makes one, and so does the end of each run.",
            path=str(copy),
        )
    _refuse_taken(host, port)
    archive = Path(str(settings.archive))
    # What the settings keep out of the copy stands in the answers; the pages ask the copy itself, too.
    shown = archive.is_dir() and not settings.publish.exclude
    words = [str(copy.absolute()), "--language", settings.report.language]
    words += ["--archive", str(archive.absolute())] if shown else []
    named = f"[{host}]" if ":" in host else host
    typer.echo(f"The dashboard comes up at http://{named}:{port}; Ctrl-C ends it.")
    if host not in LOOPBACK:
        typer.echo("It asks for no password: whoever reaches this address reads the data.", err=True)
    sys.stdout.flush()
    command = streamlit(host, port, words)
    os.execve(command[0], command, environment(os.environ))  # noqa: S606 (no shell: the program itself)


def streamlit(host: str, port: int, words: list[str]) -> list[str]:
    """The command that serves the pages."""
    options = OPTIONS | {"server.address": host, "server.port": str(port)}
    flags = [f"--{name}={value}" for name, value in options.items()]
    if host in LOOPBACK:
        # Against a web page that gives its own name this machine's address.
        flags += [f"--server.allowedHosts={name}" for name in LOOPBACK]
    page = str(files("innspect.reports.dashboard").joinpath("app.py"))
    return [sys.executable, "-m", "streamlit", "run", page, *flags, "--", *words]


def environment(given: Mapping[str, str]) -> dict[str, str]:
    """The environment without our settings: the pages need neither key nor secret."""
    return {name: value for name, value in given.items() if not name.startswith(("INNSPECT_", "STREAMLIT_"))}


def _refuse_taken(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as door:
            door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            door.bind((host, port))
    except (OSError, OverflowError) as fault:
        reason = getattr(fault, "strerror", None) or str(fault)
        raise UsageError(
            f"The address {host}:{port} cannot be had ({reason}); name another with --port or --host.",
            host=host,
            port=port,
        ) from fault
