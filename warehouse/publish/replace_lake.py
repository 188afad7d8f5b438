"""Replace the rows of a lake by a rebuild: built as a file, then copied into the lake in one transaction.

A rebuild inside of a transaction of the lake would keep in memory what it has written. The file is this home's mirror
afterwards.
"""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import ASSESSED_RUNS, RECORD_FILES, STORED_LIMITS, identifier, literal, stored_tables
from innspect.warehouse.lake import ConcurrentWriteError, LakeLocation, LakeWarehouse
from innspect.warehouse.load.replace import FailpointHook, build_warehouse, remove_warehouse
from innspect.warehouse.publish.lake_mirror import mark_as_mirror

BUILT = "built"
"""The file, attached to the connection of the lake."""
COPIED_TABLES = (*stored_tables(), *(("lineage", name) for name in (RECORD_FILES, ASSESSED_RUNS, STORED_LIMITS)))
"""Schema and name of what a lake stores. It has a number of loads of its own; all else is computed when it is read."""


@contextmanager
def replace_lake(
    location: LakeLocation, archive: Path | str, mirror: Path, failpoint: FailpointHook
) -> Generator[Warehouse]:
    """An empty warehouse in a file inside a transaction; on a normal exit its rows replace those of the lake.

    The file becomes the mirror at `mirror`. Other writers wait, and readers see the old rows until the commit. Raises
    the store's errors, and ConcurrentWriteError if the lock was lost; the old rows are kept then.
    """
    location.check_overlap(archive)
    # What a killed process leaves under this name is removed by the next publication.
    new = mirror.with_name(f"{mirror.name}.part")
    with LakeWarehouse(location, replace=True) as lake, lake.write_lock():
        snapshot = lake.newest_snapshot()
        with build_warehouse(new, archive) as built:
            yield built
        try:
            if lake.newest_snapshot() != snapshot:
                raise ConcurrentWriteError(
                    f"Other processes wrote the warehouse {lake.name} during the rebuild; run `innspect rebuild` "
                    "again.",
                    path=lake.name,
                )
            _replace_rows(lake, new, failpoint)
            # The old files contain erased data, so they are deleted at once, also under current readers.
            lake.compact(keep_replaced=False)
            mark_as_mirror(lake, new)
            remove_warehouse(mirror)
            new.replace(mirror)
        finally:
            remove_warehouse(new)


def _replace_rows(lake: LakeWarehouse, file: Path, failpoint: FailpointHook) -> None:
    execute = lake.connection.execute
    execute(f"ATTACH {literal(str(file))} AS {BUILT} (READ_ONLY)")
    try:
        # The order of rows is the order of row ids, by which a mirror follows; several threads need more memory.
        with lake.single_thread(), lake.transaction():
            lake.recreate()
            for schema, name in COPIED_TABLES:
                table = f"{schema}.{identifier(name)}"
                execute(f"INSERT INTO {table} BY NAME SELECT * FROM {BUILT}.{table}")
            failpoint("before rebuild replace")
        failpoint("after rebuild replace")
    finally:
        execute(f"DETACH DATABASE IF EXISTS {BUILT}")
