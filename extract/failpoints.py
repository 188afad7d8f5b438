"""Named points at which a test may kill the process: around every commit, fsync, rename, send and receive."""

import os
import signal
from collections import Counter
from itertools import count

VARIABLE = "INNSPECT_FAULT_POINT"
_numbers = count(1)
_count_by_name: Counter[str] = Counter()


def failpoint(name: str) -> None:
    """Kill this process with SIGKILL if the environment variable selects this point; otherwise do nothing.

    The variable holds a name (its first pass), a name and a number (`before send 3`, its third pass), or a number
    alone: all points are numbered from 1 in the order in which they are passed.
    """
    selected = os.environ.get(VARIABLE)
    if not selected:
        return
    _count_by_name[name] += 1
    if selected in (name, f"{name} {_count_by_name[name]}", str(next(_numbers))):
        os.write(2, f"killed at {name}\n".encode())
        os.kill(os.getpid(), signal.SIGKILL)
