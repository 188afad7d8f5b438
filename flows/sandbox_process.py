"""The embedded sandbox: a process of its own on a free loopback port, reached over HTTP like the real service."""

import os
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from schemas.errors import ServiceUnreachable

KEY = "sandbox"
READY = "listening on "


@contextmanager
def sandbox(arguments: Sequence[str] = ()) -> Generator[str]:
    """Start a sandbox and give its base URL; it ends with this process.

    Raises ServiceUnreachable where it does not come up.
    """
    command = [sys.executable, "-m", "sandbox", "--port", "0", "--parent-pid", str(os.getpid()), *arguments]
    # In a session of its own: Ctrl-C must not take the service away from calls that are under way.
    process = subprocess.Popen(  # noqa: S603
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    )
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith(READY):
                yield line.removeprefix(READY).strip()
                return
        raise ServiceUnreachable("The sandbox did not start; run `innspect sandbox` to see why.")
    finally:
        process.terminate()
        process.wait(timeout=10)


def serve(arguments: Sequence[str]) -> int:
    """The command `sandbox`: serve in the foreground until interrupted."""
    try:
        return subprocess.call([sys.executable, "-m", "sandbox", *arguments])  # noqa: S603
    except KeyboardInterrupt:
        return 0
