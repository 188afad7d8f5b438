"""The embedded sandbox: a process of its own on a free loopback port, reached over HTTP like the real service."""

import os
import socket
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Self

from innspect.schemas.errors import ServiceUnreachable

KEY = "sandbox"
READY = "listening on "
HOST = "127.0.0.1"


@contextmanager
def sandbox(arguments: Sequence[str] = ()) -> Generator[str]:
    """Start a sandbox and give its base URL; it ends with this process.

    Raises ServiceUnreachable where it does not come up.
    """
    process = _started("--port", "0", *arguments, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith(READY):
                yield line.removeprefix(READY).strip()
                return
        raise ServiceUnreachable("The sandbox did not start; run `innspect sandbox` to see why.")
    finally:
        _end(process)


class Standby:
    """A sandbox that has its address before it runs: who has nothing to ask need not wait until it does.

    Once it is started, a request waits until it is answered, however long it takes to come up.
    """

    def __init__(self) -> None:
        self._listening = socket.create_server((HOST, 0))
        self._process: subprocess.Popen[str] | None = None
        self.url = f"http://{HOST}:{self._listening.getsockname()[1]}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.close()
        if self._process is not None:
            _end(self._process)

    def start(self) -> None:
        """Let it come up; it ends with this process."""
        if self._process is None:
            number = self._listening.fileno()
            self._process = _started("--listening", str(number), stdout=subprocess.DEVNULL, pass_fds=(number,))
            # Its own now: where it dies, who asks is refused and does not wait.
            self._listening.close()


def _started(*arguments: str, stdout: int, pass_fds: Sequence[int] = ()) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "innspect.sandbox", "--parent-pid", str(os.getpid()), *arguments]
    # In a session of its own: Ctrl-C must not take the service away from calls that are under way.
    return subprocess.Popen(  # noqa: S603
        command, stdout=stdout, stderr=subprocess.DEVNULL, text=True, start_new_session=True, pass_fds=pass_fds
    )


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    process.wait(timeout=10)


def serve(arguments: Sequence[str]) -> int:
    """The command `sandbox`: serve in the foreground until interrupted."""
    try:
        return subprocess.call([sys.executable, "-m", "innspect.sandbox", *arguments])  # noqa: S603
    except KeyboardInterrupt:
        return 0
