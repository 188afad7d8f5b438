"""Peak memory of a process and its descendants at one moment, and CPU time; shared pages of files count once."""

import os
import subprocess
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from threading import Event, Thread
from time import perf_counter

SAMPLE_SECONDS = 0.1
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


def resident_mib(pid: int) -> float:
    """Resident memory of a process and its descendants, in MiB."""
    each = [pages(one) for one in processes(pid)]
    return (sum(own for own, _ in each) + max(shared for _, shared in each)) * PAGE_BYTES / 2**20


@contextmanager
def peak_memory(pid: int | None = None) -> Generator[list[float]]:
    """A list with one number: the peak of a process (this one) in MiB, final when the context ends. Requires /proc."""
    found, done, root = [0.0], Event(), os.getpid() if pid is None else pid

    def watch() -> None:
        while not done.wait(SAMPLE_SECONDS):
            found[0] = max(found[0], resident_mib(root))

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield found
    finally:
        done.set()
        watcher.join()


def measure_process(command: list[str], environ: dict[str, str], folder: Path) -> tuple[float, float]:
    """Run a command in a folder; its seconds and its peak in MiB. Raises RuntimeError with its output if it fails."""
    start = perf_counter()
    with subprocess.Popen(
        command, env=environ, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        with peak_memory(process.pid) as peak:
            _, errors = process.communicate()
        if process.returncode:
            raise RuntimeError(f"{' '.join(command)} failed: {errors}")
    return perf_counter() - start, peak[0]


def children_cpu_seconds() -> float:
    """CPU seconds of all child processes that have ended."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
