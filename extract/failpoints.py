"""Points at which a test may kill the process: around every commit, fsync, rename, send and receive."""

import os
import signal
from collections import Counter
from itertools import count

VARIABLE = "INNSPECT_FAULT_POINT"
_reached = count(1)
_of_name: Counter[str] = Counter()


def reach(name: str) -> None:
    """Kill this process without warning if the environment names this point, or its number; else nothing.

    Points are numbered from 1 as they are reached; by name it is the first of that name, or with a number behind the
    name (`before send 3`) so many of that name.
    """
    wanted = os.environ.get(VARIABLE)
    if not wanted:
        return
    _of_name[name] += 1
    if wanted in (name, f"{name} {_of_name[name]}", str(next(_reached))):
        os.write(2, f"killed at {name}\n".encode())
        os.kill(os.getpid(), signal.SIGKILL)
