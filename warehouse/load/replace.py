"""A warehouse made anew in place of the one that is there: all of it at once, or the old one stays."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree

from innspect.warehouse.database import Warehouse
from innspect.warehouse.location import Lake

Reached = Callable[[str], None]
"""Is told the name of each step; tests stop there."""
MOST_MEMORY = "128MB"


@contextmanager
def renewed(where: Path | Lake, archive: Path | str, reached: Reached) -> Generator[Warehouse]:
    """An empty warehouse inside one transaction; what is loaded meanwhile takes the old one's place at the end.

    A file is built beside the old one and swapped. A lake is emptied and filled in one transaction of its own: until
    then readers see the old rows, and other writers wait. Raises the store's errors; the old warehouse stays then.
    """
    if isinstance(where, Path):
        with _file(where, archive, reached) as warehouse:
            yield warehouse
    else:
        where.refuse_inside(archive)
        with _lake(where, reached) as warehouse:
            yield warehouse


@contextmanager
def _file(path: Path, archive: Path | str, reached: Reached) -> Generator[Warehouse]:
    beside = path.with_name(f".{path.name}.rebuild")
    _remove(beside)
    try:
        with Warehouse(beside) as warehouse:
            # What a long transaction holds goes to the disk beyond this; workers need the rest of the machine.
            warehouse.connection.execute(f"SET memory_limit = '{MOST_MEMORY}'")
            # One transaction: a half-built file is of no use to anyone, and every commit writes the tables' ends anew.
            with warehouse.transaction():
                yield warehouse
                # All of it goes into the tables at once, without a log beside them.
                warehouse.connection.execute("SET checkpoint_threshold = '1KB'")
            # Only now is every file of it known to be readable.
            warehouse.read_from(archive)
            warehouse.connection.execute("CHECKPOINT")
        reached("before rebuild replace")
        # The old log first: beside the new file it would be another file's. Without it the next start loads anew.
        path.with_name(path.name + ".wal").unlink(missing_ok=True)
        beside.replace(path)
        reached("after rebuild replace")
    finally:
        _remove(beside)


@contextmanager
def _lake(lake: Lake, reached: Reached) -> Generator[Warehouse]:
    from innspect.warehouse.lake import LakeWarehouse  # noqa: PLC0415 (a warehouse in a file never pays for it)

    with LakeWarehouse(lake, anew=True) as warehouse, warehouse.turn():
        with warehouse.transaction():
            warehouse.empty()
            yield warehouse
            reached("before rebuild replace")
        reached("after rebuild replace")
        # What was forgotten is in the old files, and they are in nobody's way but that of who reads them just now.
        warehouse.tidy(everything=True)


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.with_name(path.name + ".wal").unlink(missing_ok=True)
    rmtree(path.with_name(path.name + ".tmp"), ignore_errors=True)
