"""Peak memory of this process and its descendants at one moment; pages of files, which they share, count once."""

import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

SAMPLE_SECONDS = 0.2
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def processes(pid: int) -> Iterator[int]:
    """A process and its descendants."""
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = task.read_text().split()
        except OSError:
            continue
        for child in children:
            yield from processes(int(child))


def pages(pid: int) -> tuple[int, int]:
    """Resident private pages and resident pages of files; (0, 0) for a process that has ended."""
    try:
        resident, shared = map(int, Path(f"/proc/{pid}/statm").read_text().split()[1:3])
    except OSError:
        return 0, 0
    return resident - shared, shared


def resident_mb() -> float:
    """Resident memory of this process and its descendants, in MB."""
    each = [pages(pid) for pid in processes(os.getpid())]
    return (sum(own for own, _ in each) + max(shared for _, shared in each)) * PAGE_BYTES / 2**20


@contextmanager
def peak_memory() -> Generator[list[float]]:
    """A list with one number: the peak in MB, final when the context ends. Requires /proc."""
    found, done = [0.0], Event()

    def watch() -> None:
        while not done.wait(SAMPLE_SECONDS):
            found[0] = max(found[0], resident_mb())

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield found
    finally:
        done.set()
        watcher.join()
