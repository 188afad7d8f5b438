"""The command `sandbox`: serve the sandbox on a port."""

import subprocess
import sys
from collections.abc import Sequence


def sandbox(arguments: Sequence[str]) -> int:
    """Serve the sandbox in the foreground until interrupted; its exit code."""
    try:
        return subprocess.call([sys.executable, "-m", "innspect.sandbox", *arguments])  # noqa: S603
    except KeyboardInterrupt:
        return 0
