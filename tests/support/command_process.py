"""Commands and sandboxes in processes that already have the modules of the command line and of the sandbox.

To import them takes longer than what most commands do. One server process imports them once; each command or sandbox is a fork of it,
with its own environment, streams and exit code.
"""

import atexit
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, tzinfo
from multiprocessing.connection import Connection
from pathlib import Path
from types import ModuleType

from innspect.cli import main
from innspect.flows import open_home
from innspect.sandbox import __main__ as sandbox

MODULES = (
    "innspect.cli.main",
    *(
        f"innspect.cli.{name}"
        for name in (
            "changes", "check", "company", "coverage", "doctor", "dossier", "evidence", "forget", "notify", "plan",
            "policy", "portfolio", "probe", "publish", "rebuild", "report", "run", "sql", "status",
        )
    ),
    "innspect.extract.service.client",
    "innspect.sandbox.__main__",
    "innspect.warehouse.export.xlsx",
    "pandas",
    "pyarrow.dataset",
)  # fmt: skip
STARTS = multiprocessing.get_context("forkserver")
STARTS.set_forkserver_preload([__name__, *MODULES])
if not hasattr(sys.modules["__main__"], "__file__"):
    # The server's main module has no file; DuckDB would take it for an interactive session and draw progress bars.
    sys.modules["__main__"].__file__ = main.__file__


class CommandTimeout(Exception):
    """The command did not end in time; it was killed."""


def run_command(
    arguments: Sequence[str],
    environ: dict[str, str],
    folder: Path,
    stdin: str,
    timeout_seconds: float,
    started_at: datetime | None = None,
) -> tuple[int, str, str]:
    """Run a command of the command line; its exit code (negative: of the signal), standard output and standard error.

    `started_at`: the time in UTC at which the command's clock starts; default now.
    """
    with tempfile.TemporaryDirectory() as name:
        streams = [Path(name) / stream for stream in ("in", "out", "err")]
        streams[0].write_text(stdin)
        process = STARTS.Process(target=_execute, args=(list(arguments), environ, folder, streams, started_at))
        with _no_main_module():
            process.start()
        process.join(timeout_seconds)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise CommandTimeout(f"{' '.join(arguments)} after {timeout_seconds} s: {streams[2].read_text()}")
        return process.exitcode, streams[1].read_text(), streams[2].read_text()


@contextmanager
def serve_sandbox(arguments: Sequence[str]) -> Generator[str]:
    """Serve a sandbox with these options on a free port; its address, which it prints when it listens."""
    read, write = os.pipe()
    with os.fdopen(read) as printed:
        with _no_main_module(), Connection(write, readable=False) as output:
            process = STARTS.Process(target=_serve, args=(list(arguments), output), daemon=True)
            process.start()
        try:
            yield printed.readline().removeprefix("listening on ").strip()
        finally:
            process.terminate()
            process.join()


@contextmanager
def _no_main_module() -> Generator[None]:
    """Hide the main module, which a child would run first."""
    shown = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = shown


def _execute(
    arguments: list[str], environ: dict[str, str], folder: Path, streams: list[Path], started_at: datetime | None
) -> None:
    """Be the command: in the child process."""
    if started_at is not None:
        _set_clock(started_at)
    os.environ.clear()
    os.environ.update(environ)
    time.tzset()
    os.chdir(folder)
    for number, (stream, flags) in enumerate(zip(streams, (os.O_RDONLY, *[os.O_WRONLY | os.O_CREAT] * 2), strict=True)):
        os.dup2(os.open(stream, flags), number)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode, encoding="utf-8", closefd=False) for number, mode in enumerate("rww")
    )
    sys.argv = [str(main.__file__), *arguments]
    # A fork ends without what is registered for the end of a process; Prefect's temporary server would go on for ever.
    atexit._clear()
    try:
        main.main()
    finally:
        atexit._run_exitfuncs()


def _set_clock(started_at: datetime) -> None:
    """Let the clock of the command start at a time in UTC; DuckDB's clock stays that of the machine."""
    ahead = started_at.replace(tzinfo=UTC) - datetime.now(UTC)

    class MovedDatetime(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:
            return datetime.now(tz) + ahead

    open_home.datetime = MovedDatetime


def _serve(arguments: list[str], output: Connection) -> None:
    """Be the sandbox: in the child process."""
    os.dup2(output.fileno(), 1)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.exit(sandbox.main(["--port", "0", *arguments]))
