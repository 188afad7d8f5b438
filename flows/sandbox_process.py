"""The embedded sandbox: a separate process on a free loopback port, reached over HTTP like the real service."""

import os
import socket
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Self

from pydantic import SecretStr

from innspect.extract.clock import Clock
from innspect.extract.home.provenance import SANDBOX, SERVICE
from innspect.extract.service.loopback import is_loopback
from innspect.flows.open_home import utc_now
from innspect.schemas.errors import ServiceUnreachable
from innspect.schemas.settings import Settings

SANDBOX_KEY = "sandbox"
SANDBOX_HOME = Path("data/sandbox")
REQUESTS_PER_SECOND = 1000.0
READY = "listening on "
HOST = "127.0.0.1"


def use_sandbox_home(settings: Settings, *, is_home_given: bool) -> Settings:
    """The settings for data of the sandbox: the default home is `data/sandbox`, and no store is shared."""
    changes: dict[str, Any] = {"stores": type(settings.stores)()}
    if not is_home_given and settings.home == Path("data"):
        changes["home"] = SANDBOX_HOME
    return settings.model_copy(update=changes)


def use_sandbox(settings: Settings, url: str) -> Settings:
    """The settings with the embedded sandbox as the service."""
    service = settings.service.model_copy(update={"base_url": url, "requests_per_second": REQUESTS_PER_SECOND})
    return settings.model_copy(update={"service": service, "api_key": SecretStr(SANDBOX_KEY)})


def service_provenance(settings: Settings) -> str:
    """The provenance of what this service returns; empty for a loopback service with its own key: it may be either."""
    key = settings.api_key
    if not is_loopback(settings.service.base_url):
        return SERVICE
    return SANDBOX if key is not None and key.get_secret_value() == SANDBOX_KEY else ""


def sandbox_arguments(settings: Settings, now: Clock = utc_now) -> tuple[str, ...]:
    """The options of an embedded sandbox that follow from the settings and from the time.

    It serves the day before: with its default day every answer would be stale some weeks later.
    """
    person_methods = tuple(word for name in settings.service.person_methods for word in ("--person-method", name))
    return ("--day", f"{now() - timedelta(days=1):%Y-%m-%d}", *person_methods)


@contextmanager
def run_sandbox(arguments: Sequence[str] = ()) -> Generator[str]:
    """Start a sandbox and yield its base URL; it ends with this process. Raises ServiceUnreachable if it fails."""
    process = _start_process("--port", "0", *arguments, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith(READY):
                yield line.removeprefix(READY).strip()
                return
        raise ServiceUnreachable("The sandbox did not start; run `innspect sandbox` to see why.")
    finally:
        _end_process(process)


class LazySandbox:
    """A sandbox whose address is known before it starts, so that a run without calls does not start it.

    After `start` a request waits until the sandbox responds, however long it takes to start.
    """

    def __init__(self, arguments: Sequence[str] = ()) -> None:
        self._arguments = arguments
        self._socket = socket.create_server((HOST, 0))
        self._process: subprocess.Popen[str] | None = None
        self.url = f"http://{HOST}:{self._socket.getsockname()[1]}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        if self._process is not None:
            _end_process(self._process)

    def start(self) -> None:
        """Start the sandbox, once; it ends with this process."""
        if self._process is None:
            number = self._socket.fileno()
            self._process = _start_process(
                "--listening", str(number), *self._arguments, stdout=subprocess.DEVNULL, pass_fds=(number,)
            )
            # The sandbox owns the socket now: if it dies, requests are refused instead of waiting.
            self._socket.close()


def _start_process(*arguments: str, stdout: int, pass_fds: Sequence[int] = ()) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "innspect.sandbox", "--parent-pid", str(os.getpid()), *arguments]
    # In a session of its own, so that Ctrl-C does not end the service while calls are open.
    return subprocess.Popen(  # noqa: S603
        command, stdout=stdout, stderr=subprocess.DEVNULL, text=True, start_new_session=True, pass_fds=pass_fds
    )


def _end_process(process: subprocess.Popen[str]) -> None:
    process.terminate()
    process.wait(timeout=10)
