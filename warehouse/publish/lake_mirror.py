"""A DuckDB file of this home with the rows of a lake, from which the published copy is built.

A lake stores neither risk nor links nor news: each of its writers would have to update the same rows. The mirror has
the same tables as a warehouse in a file and stores them, so that publishing judges what changed, in bounded memory. It
follows the lake: rows above its marks are appended, as in a published copy. As long as it has all that the lake has,
commands that read use it too.
"""

from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import duckdb
import msgspec
import polars as pl

from innspect.schemas.errors import StoresHeld, WarehouseError
from innspect.schemas.lineage import FINDINGS
from innspect.warehouse.database import Warehouse, exceeds_memory, log_lifted_limit, rising_limits
from innspect.warehouse.ddl import MIRROR_MARK, STORED_LIMITS, identifier
from innspect.warehouse.lake import DATABASE, LakeWarehouse
from innspect.warehouse.latest import UNANSWERED_TABLE, fill_unanswered
from innspect.warehouse.load.latest_responses import latest_rows, update_latest
from innspect.warehouse.load.replace import remove_warehouse
from innspect.warehouse.marts.fingerprints import software_fingerprints
from innspect.warehouse.marts.portfolio_views import refresh_portfolio_views
from innspect.warehouse.news.refresh_news import note_other_names
from innspect.warehouse.publish.copy_builder import translate_publish_errors
from innspect.warehouse.publish.delta import SNAPSHOTS_KEY, VERSIONS_KEY, copy_new_rows, mark_all_rows
from innspect.warehouse.publish.exclude import Exclusion
from innspect.warehouse.publish.file_clone import clone_file
from innspect.warehouse.publish.watermark import TableMark, copy_software, has_load, last_load
from innspect.warehouse.risk.policy_sql import POLICIES_TABLE
from innspect.warehouse.risk.stored_risk import CHECKS_TABLE

MIRROR = ".innspect.duckdb.lake"
"""Name of the file, next to the published copy."""
MIRROR_TABLE = f"lineage.{identifier(MIRROR_MARK)}"
"""Table of the mirror with one row, its `MirrorMark` as JSON; without it the mirror is not complete."""
MEMORY_LIMIT = "400MB"
"""Of DuckDB while rows are copied; what does not fit goes to temporary files."""
FINDINGS_TABLE, LIMITS_TABLE = f"lineage.{FINDINGS.name}", f"lineage.{identifier(STORED_LIMITS)}"
FINDINGS_KEY = "lineage.findings"
SNAPSHOTS_AT_ONCE = 25_000
"""New snapshots of which the latest responses are found at once."""


class MirrorMark(msgspec.Struct, frozen=True):
    """What a mirror has of its lake; `load_no` and `token`: the last load. `tables` has the key `schema.table`."""

    software: str
    load_no: int
    token: str
    tables: dict[str, TableMark]


def _software() -> str:
    """Everything of this software that a mirror depends on; one of another software is built from nothing."""
    return " ".join((*software_fingerprints().values(), copy_software()))


@contextmanager
def open_mirror(lake: LakeWarehouse, path: Path) -> Generator[Warehouse]:
    """The mirror at `path` with all that the lake has now.

    It is built from nothing if there is none, or if it is of another history of the lake: after a rebuild, which
    `forget` makes too, it may have rows that the lake no longer has. Raises DiskFull, StoreError and WarehouseError.
    """
    with translate_publish_errors(path):
        mirror = _open_followed(lake, path)
    with mirror:
        yield mirror


def find_current_mirror(lake: LakeWarehouse, path: Path) -> Warehouse | None:
    """The mirror at `path`, read-only, if it has all that the lake has now, else None; the caller closes it.

    Marts that are read in it show stored risk, in bounded memory, where the lake's would judge all INNs.
    """
    # What cannot be read is the lake's to report, or a mirror that is being written.
    with suppress(WarehouseError, StoresHeld, duckdb.Error, msgspec.MsgspecError), ExitStack() as stack:
        if path.exists():
            mirror = stack.enter_context(Warehouse(path, lake.archive, read_only=True))
            mark = _read_mark(mirror)
            now = (_software(), *last_load(lake.connection, ""))
            if mark is not None and (mark.software, mark.load_no, mark.token) == now:
                stack.pop_all()
                return mirror
    return None


def _open_followed(lake: LakeWarehouse, path: Path) -> Warehouse:
    """The mirror with all that the lake has now: the one at `path`, or one that is built from nothing."""
    mirror = _open_complete(lake, path)
    if mirror is not None and _follow(lake, mirror, MEMORY_LIMIT):
        return mirror
    for limit in (*rising_limits(MEMORY_LIMIT), None):
        mirror = _create(lake, path)
        if _follow(lake, mirror, limit):
            return mirror
    raise AssertionError  # a new mirror without a limit of memory follows the lake, or an exception says why not


def _open_complete(lake: LakeWarehouse, path: Path) -> Warehouse | None:
    """The mirror at `path`, if it is complete and of this software."""
    if not path.exists():
        return None
    mirror: Warehouse | None = None
    with suppress(WarehouseError, duckdb.Error, msgspec.MsgspecError):
        mirror = _open_writable(path, lake)
        mark = _read_mark(mirror)
        if mark is not None and mark.software == _software():
            return mirror
    if mirror is not None:
        mirror.close()
    return None


def _open_writable(path: Path, lake: LakeWarehouse) -> Warehouse:
    try:
        return Warehouse(path, lake.archive)
    except StoresHeld:
        # A reader has it open, and keeps its file.
        clone = path.with_name(f"{path.name}.part")
        clone_file(path, clone)
        clone.replace(path)
        return Warehouse(path, lake.archive)


def _create(lake: LakeWarehouse, path: Path) -> Warehouse:
    remove_warehouse(path)
    mirror = Warehouse(path, lake.archive)
    _create_mark(mirror)
    # A new warehouse has the built-in policies.
    mirror.connection.execute(f"DELETE FROM {POLICIES_TABLE}")
    return mirror


def _create_mark(mirror: Warehouse) -> None:
    mirror.connection.execute(f"CREATE TABLE {MIRROR_TABLE} (mark VARCHAR)")


def mark_as_mirror(lake: LakeWarehouse, path: Path) -> None:
    """Make a file that has the rows of the lake its mirror. The caller holds the lake's write lock."""
    with Warehouse(path) as mirror, lake.attach_to(mirror.connection), mirror.transaction():
        load_no, token = last_load(mirror.connection, f"{DATABASE}.")
        marks = mark_all_rows(mirror.connection, DATABASE)
        marks[FINDINGS_KEY] = TableMark(_next_finding(mirror, 0))
        _create_mark(mirror)
        _write_mark(mirror, MirrorMark(_software(), load_no, token, marks))


def _read_mark(mirror: Warehouse) -> MirrorMark | None:
    rows = mirror.connection.execute(f"SELECT mark FROM {MIRROR_TABLE}").fetchall()
    return msgspec.json.decode(rows[0][0], type=MirrorMark) if rows else None


def _follow(lake: LakeWarehouse, mirror: Warehouse, limit: str | None) -> bool:
    """Append what the lake has above the mark.

    False, and the mirror is closed, if it is of another history of the lake, or the limit of memory is too low.
    """
    with ExitStack() as stack:
        stack.callback(mirror.close)
        try:
            with mirror.limited_memory(limit), lake.attach_to(mirror.connection):
                mark = _read_mark(mirror)
                if mark is None or has_load(mirror.connection, mark.token, mark.load_no, f"{DATABASE}."):
                    _append_rows(mirror)
                    stack.pop_all()
                    return True
        except (duckdb.Error, WarehouseError) as error:
            if limit is None or not exceeds_memory(error.__cause__ or error):
                raise
            log_lifted_limit(limit, error)
    return False


def _append_rows(mirror: Warehouse) -> None:
    """Append what the attached lake has above the mark.

    The first time in several transactions: an incomplete mirror has no mark, and is built again.
    """
    before = _read_mark(mirror)
    load_no, token = last_load(mirror.connection, f"{DATABASE}.")
    if before is not None and (before.load_no, before.token) == (load_no, token):
        return

    def commit() -> None:
        if before is None:
            mirror.connection.execute("COMMIT; BEGIN")

    with mirror.single_thread(), mirror.transaction():
        marks = dict(before.tables) if before else {}
        own = str(mirror.connection.execute("SELECT current_database()").fetchall()[0][0])
        new_marks = copy_new_rows(mirror.connection, DATABASE, identifier(own), Exclusion(), marks, commit)
        new_marks[FINDINGS_KEY] = _copy_findings(mirror, marks.get(FINDINGS_KEY, TableMark()))
        for snapshots in _read_new_snapshots(mirror, marks.get(SNAPSHOTS_KEY, TableMark())):
            update_latest(mirror, snapshots, latest_rows(mirror, snapshots))
            commit()
        mirror.connection.execute(f"DELETE FROM {UNANSWERED_TABLE}; {fill_unanswered()}")
        # Nobody noted which members and calls changed: all stored risk is compared with what it rests on.
        mirror.connection.execute(f"DELETE FROM {CHECKS_TABLE}")
        if before is not None:
            note_other_names(mirror, _read_new_versions(mirror, marks[VERSIONS_KEY]))
        refresh_portfolio_views(mirror.connection)
        _write_mark(mirror, MirrorMark(_software(), load_no, token, new_marks))


def _write_mark(mirror: Warehouse, mark: MirrorMark) -> None:
    mirror.connection.execute(f"DELETE FROM {MIRROR_TABLE}")
    mirror.connection.execute(f"INSERT INTO {MIRROR_TABLE} VALUES (?)", [msgspec.json.encode(mark).decode()])


def _copy_findings(mirror: Warehouse, mark: TableMark) -> TableMark:
    """Append the new findings, or replace all where the lake has them for other limits."""
    execute = mirror.connection.execute
    theirs = f"{DATABASE}.{LIMITS_TABLE}"
    differing = f"((FROM {theirs} EXCEPT FROM {LIMITS_TABLE}) UNION ALL (FROM {LIMITS_TABLE} EXCEPT FROM {theirs}))"
    if execute(f"SELECT 1 FROM {differing} LIMIT 1").fetchone():
        mark = TableMark()
        execute(f"DELETE FROM {LIMITS_TABLE}; INSERT INTO {LIMITS_TABLE} FROM {theirs}; DELETE FROM {FINDINGS_TABLE}")
    columns = ", ".join(FINDINGS.schema())
    execute(
        f"INSERT INTO {FINDINGS_TABLE} ({columns}) SELECT {columns} FROM {DATABASE}.{FINDINGS_TABLE} "
        f"WHERE rowid >= {mark.next_row}"
    )
    return TableMark(_next_finding(mirror, mark.next_row))


def _next_finding(mirror: Warehouse, first: int) -> int:
    query = f"SELECT coalesce(max(rowid) + 1, {first}) FROM {DATABASE}.{FINDINGS_TABLE}"
    return int(mirror.connection.execute(query).fetchall()[0][0])


def _read_new_snapshots(mirror: Warehouse, mark: TableMark) -> Iterator[pl.DataFrame]:
    """The new snapshots in the order in which they were loaded."""
    table, first = f"{DATABASE}.{SNAPSHOTS_KEY}", mark.next_row
    ((last,),) = mirror.connection.execute(f"SELECT max(rowid) FROM {table}").fetchall()
    for start in range(first, -1 if last is None else last + 1, SNAPSHOTS_AT_ONCE):
        rows = f"rowid >= {start} AND rowid < {start + SNAPSHOTS_AT_ONCE}"
        yield mirror.query(f"SELECT * FROM {table} WHERE {rows} ORDER BY rowid")


def _read_new_versions(mirror: Warehouse, mark: TableMark) -> pl.DataFrame:
    query = f"SELECT version_id, inn, block FROM {DATABASE}.lineage.versions WHERE rowid >= {mark.next_row}"
    return mirror.query(query)
