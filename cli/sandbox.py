"""The command `sandbox`: serve the sandbox on a port."""

import os
import sys
from collections.abc import Sequence


def sandbox(arguments: Sequence[str]) -> int:
    """Replace this process by the server: a signal to the command reaches it, and no child can remain."""
    sys.stdout.flush()
    command = [sys.executable, "-m", "innspect.sandbox", *arguments]
    os.execv(command[0], command)  # noqa: S606 (no shell: the program itself)
