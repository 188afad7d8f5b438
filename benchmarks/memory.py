"""Peak memory of this process and all below it at the same moment: pages of files, which they share, count once."""

import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

EVERY_SECONDS = 0.2
PAGE = os.sysconf("SC_PAGE_SIZE")


def processes(pid: int) -> Iterator[int]:
    """A process and its descendants."""
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            below = task.read_text().split()
        except OSError:
            continue
        for child in below:
            yield from processes(int(child))


def pages(pid: int) -> tuple[int, int]:
    """Resident pages of its own, and those that belong to files and may be others' too; none once it has ended."""
    try:
        resident, shared = map(int, Path(f"/proc/{pid}/statm").read_text().split()[1:3])
    except OSError:
        return 0, 0
    return resident - shared, shared


def resident_mb() -> float:
    """What this process and those below it hold now."""
    each = [pages(pid) for pid in processes(os.getpid())]
    return (sum(own for own, _ in each) + max(shared for _, shared in each)) * PAGE / 2**20


@contextmanager
def peak() -> Generator[list[float]]:
    """A list whose one number is the peak in MB; known when this ends. Needs /proc."""
    found, done = [0.0], Event()

    def watch() -> None:
        while not done.wait(EVERY_SECONDS):
            found[0] = max(found[0], resident_mb())

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield found
    finally:
        done.set()
        watcher.join()
