"""The command `sandbox`: serve the sandbox on a port."""

import os
import subprocess
import sys
from collections.abc import Sequence


def sandbox(arguments: Sequence[str]) -> int:
    """Serve the sandbox in the foreground until interrupted; its exit code."""
    try:
        # The server exits with this process, also on SIGTERM or SIGKILL.
        parent = ("--parent-pid", str(os.getpid()))
        return subprocess.call([sys.executable, "-m", "innspect.sandbox", *parent, *arguments])  # noqa: S603
    except KeyboardInterrupt:
        return 0
