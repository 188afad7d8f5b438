"""Replace the warehouse by one that is built from nothing: completely, or the old one is kept."""

from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from typing import TypeVar

import duckdb

from innspect.warehouse.database import Warehouse
from innspect.warehouse.latest import memory_for_inns

Result = TypeVar("Result")
FailpointHook = Callable[[str], None]
"""Called with the name of each step; tests kill the process there."""
BUILD_MEGABYTES = 128
"""Memory of the long transaction before it spills to disk; the rest of the machine is for the transforms."""

ASSESSMENT_MEGABYTES = 360
"""The same after the last transform, while records are loaded, runs are assessed and links are stored."""

CHECKPOINT_AT_COMMIT = "SET checkpoint_threshold = '1KB'"
"""Write everything into the tables at the commit, without a log file."""


@contextmanager
def replace_warehouse(path: Path, archive: Path | str, failpoint: FailpointHook) -> Generator[Warehouse]:
    """An empty warehouse inside a transaction; on a normal exit it replaces the file at `path`.

    Raises the store's errors; the old warehouse is kept then.
    """
    new = path.with_name(f".{path.name}.rebuild")
    with build_warehouse(new, archive) as warehouse:
        yield warehouse
    try:
        failpoint("before rebuild replace")
        # Remove the old log before the rename: DuckDB would apply it to the new file.
        path.with_name(path.name + ".wal").unlink(missing_ok=True)
        new.replace(path)
        failpoint("after rebuild replace")
    finally:
        remove_warehouse(new)


@contextmanager
def build_warehouse(path: Path, archive: Path | str) -> Generator[Warehouse]:
    """An empty warehouse at `path` inside a transaction; on a normal exit it is complete and closed, else removed."""
    remove_warehouse(path)
    try:
        with Warehouse(path) as warehouse:
            warehouse.set_memory_limit(f"{BUILD_MEGABYTES}MB")
            # Few transactions: a half-built file is useless, and every commit rewrites the ends of the tables.
            with warehouse.transaction():
                yield warehouse
                warehouse.connection.execute(CHECKPOINT_AT_COMMIT)
            # The view reads the archive's files when it is created: only now is each of them known to be readable.
            warehouse.set_archive(archive)
            warehouse.connection.execute("CHECKPOINT")
    except BaseException:
        remove_warehouse(path)
        raise


def remove_warehouse(path: Path) -> None:
    """Remove a file that is not open, with its log and temporary files. Raises OSError."""
    path.unlink(missing_ok=True)
    path.with_name(path.name + ".wal").unlink(missing_ok=True)
    rmtree(path.with_name(path.name + ".tmp"), ignore_errors=True)


def assessment_limit(warehouse: Warehouse) -> str:
    """The limit of memory for assessing runs and storing links."""
    return memory_for_inns(warehouse.connection, ASSESSMENT_MEGABYTES)


def assess_in_bounds(
    warehouse: Warehouse, assess: Callable[[], Result], commit: Callable[[], None] | None = None
) -> Result:
    """Call `assess` with one thread and the limit of memory for assessing; once more without it if that is too low.

    What `assess` commits itself must be right when it is repeated. With `commit`, which ends a transaction of the
    caller, the caller limits the memory, and repeats.
    """

    def assess_on_one_thread() -> Result:
        with warehouse.single_thread():
            return assess()

    if commit is not None:
        return assess_on_one_thread()
    return warehouse.run_in_bounds(assess_on_one_thread, assessment_limit(warehouse), is_threaded=True)


def begin_rechecks(warehouse: Warehouse) -> None:
    """Commit what was loaded into the open warehouse of `build_warehouse`, before responses of known INNs.

    They are compared with what is stored. What is not committed is not compressed: with the memory of a long
    transaction it is read slowly, and not at all after some re-checks of many INNs.
    """
    warehouse.connection.execute(CHECKPOINT_AT_COMMIT)
    commit_part(warehouse)
    # The blocks of all tables are written when the log is large, not after each load.
    warehouse.connection.execute("RESET checkpoint_threshold")


def build_limit(warehouse: Warehouse) -> str:
    """The limit of memory for loads into the open warehouse of `build_warehouse`."""
    return memory_for_inns(warehouse.connection, BUILD_MEGABYTES)


def write_part(warehouse: Warehouse, write: Callable[[], Result], limit: str) -> Result:
    """Write a part of the open warehouse of `build_warehouse`, and commit it, within a limit of memory.

    If its statements cannot keep to that, it is rolled back and written once more without a limit: a rebuild must not
    fail by a limit of our own. What `write` commits itself must be right when it is repeated.
    """

    def write_and_commit() -> Result:
        try:
            result = write()
            commit_part(warehouse)
        except duckdb.Error:
            # A failed commit has already ended the transaction.
            with suppress(duckdb.Error):
                warehouse.connection.execute("ROLLBACK")
            warehouse.connection.execute("BEGIN")
            raise
        return result

    # The second attempt has the limit outside of `run_in_bounds`.
    with warehouse.limited_memory(None):
        return warehouse.run_in_bounds(write_and_commit, limit, is_threaded=True)


def read_during_load(warehouse: Warehouse, read: Callable[[], Result], finish_loading: Callable[[], object]) -> Result:
    """Read while a load takes most of the memory; if that is not enough, after it and without a limit."""
    try:
        return read()
    except duckdb.OutOfMemoryException:
        finish_loading()
        with warehouse.limited_memory(None):
            return read()


def end_loading(warehouse: Warehouse) -> None:
    """Commit the responses that were loaded into the open warehouse of `build_warehouse`: only it needs memory now.

    Each assessment of some INNs reads all tables, quickly where they are compressed in the file.
    """
    warehouse.set_memory_limit(assessment_limit(warehouse))
    warehouse.connection.execute(CHECKPOINT_AT_COMMIT)
    commit_part(warehouse)


def commit_part(warehouse: Warehouse) -> None:
    """Begin another transaction, in a warehouse that nobody else reads or writes meanwhile."""
    warehouse.connection.execute("COMMIT; BEGIN")
