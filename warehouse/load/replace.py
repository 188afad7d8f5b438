"""Replace the warehouse by one that is built from nothing: completely, or the old one is kept."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree

from innspect.warehouse.database import Warehouse
from innspect.warehouse.lake import LakeLocation, LakeWarehouse
from innspect.warehouse.latest import memory_for_inns

FailpointHook = Callable[[str], None]
"""Called with the name of each step; tests kill the process there."""
BUILD_MEMORY_LIMIT = "128MB"
"""Memory of the long transaction before it spills to disk; the rest of the machine is for the transforms."""

ASSESSMENT_MEGABYTES = 400
"""The same after the last transform, while runs are assessed and links are stored."""

CHECKPOINT_AT_COMMIT = "SET checkpoint_threshold = '1KB'"
"""Write everything into the tables at the commit, without a log file."""


@contextmanager
def replace_warehouse(
    location: Path | LakeLocation, archive: Path | str, failpoint: FailpointHook
) -> Generator[Warehouse]:
    """An empty warehouse inside a transaction; on a normal exit it replaces the one at `location`.

    A file is built under another name and renamed. A lake is emptied and filled in one transaction: until it commits,
    readers see the old rows and other writers wait. Raises the store's errors; the old warehouse is kept then.
    """
    if isinstance(location, Path):
        with _replace_file(location, archive, failpoint) as warehouse:
            yield warehouse
    else:
        location.check_overlap(archive)
        with _replace_lake(location, failpoint) as warehouse:
            yield warehouse


def assessment_limit(warehouse: Warehouse) -> str:
    """The limit of memory for assessing runs and storing links."""
    return memory_for_inns(warehouse.connection, ASSESSMENT_MEGABYTES)


def begin_assessment(warehouse: Warehouse) -> None:
    """Commit what was loaded into the open warehouse of `replace_warehouse`, and allow the memory of assessments.

    Each assessment of some INNs reads all tables, quickly where they are compressed in the file. Nobody sees the file
    before it is complete; a lake is filled in one transaction.
    """
    if not warehouse.is_shared:
        warehouse.connection.execute(CHECKPOINT_AT_COMMIT)
        commit_part(warehouse)
        warehouse.set_memory_limit(assessment_limit(warehouse))


def commit_part(warehouse: Warehouse) -> None:
    """Begin another transaction in the open warehouse of `replace_warehouse`, unless it is a lake."""
    if not warehouse.is_shared:
        warehouse.connection.execute("COMMIT; BEGIN")


@contextmanager
def _replace_file(path: Path, archive: Path | str, failpoint: FailpointHook) -> Generator[Warehouse]:
    new = path.with_name(f".{path.name}.rebuild")
    _remove(new)
    try:
        with Warehouse(new) as warehouse:
            warehouse.set_memory_limit(BUILD_MEMORY_LIMIT)
            # Few transactions: a half-built file is useless, and every commit rewrites the ends of the tables.
            with warehouse.transaction():
                yield warehouse
                warehouse.set_memory_limit(BUILD_MEMORY_LIMIT)
                warehouse.connection.execute(CHECKPOINT_AT_COMMIT)
            # The view reads the archive's files when it is created: only now is each of them known to be readable.
            warehouse.set_archive(archive)
            warehouse.connection.execute("CHECKPOINT")
        failpoint("before rebuild replace")
        # Remove the old log before the rename: DuckDB would apply it to the new file.
        path.with_name(path.name + ".wal").unlink(missing_ok=True)
        new.replace(path)
        failpoint("after rebuild replace")
    finally:
        _remove(new)


@contextmanager
def _replace_lake(lake: LakeLocation, failpoint: FailpointHook) -> Generator[Warehouse]:
    with LakeWarehouse(lake, replace=True) as warehouse, warehouse.write_lock():
        with warehouse.transaction():
            warehouse.recreate()
            yield warehouse
            failpoint("before rebuild replace")
        failpoint("after rebuild replace")
        # The old files contain erased data, so they are deleted at once, also under current readers.
        warehouse.compact(keep_replaced=False)


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.with_name(path.name + ".wal").unlink(missing_ok=True)
    rmtree(path.with_name(path.name + ".tmp"), ignore_errors=True)
