"""Build the read-only copy for BI from an open warehouse; the copy needs neither warehouse nor archive."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Self

import duckdb

from innspect.schemas.errors import DiskFull, StoreError, first_line
from innspect.schemas.tables import tables
from innspect.warehouse.assessments.store_risk import refresh_risk
from innspect.warehouse.database import CHECKPOINT_LOG_SIZE, Warehouse, exceeds_memory, log_lifted_limit, rising_limits
from innspect.warehouse.ddl import (
    ASSESSED_RUNS,
    BLOCK_DIGESTS,
    LINK_TYPES,
    LOADS,
    MIRROR_MARK,
    NEWS_TYPES,
    RECORD_FILES,
    RISK_CHECKS,
    RISK_NEWS,
    RISK_SCORES,
    RISK_SIGNALS,
    STORED_LIMITS,
    UNPUBLISHED,
    create_views,
    identifier,
    literal,
    published_tables,
)
from innspect.warehouse.interrupts import interruptible
from innspect.warehouse.latest import memory_for_inns
from innspect.warehouse.links.refresh_links import refresh_links
from innspect.warehouse.marts.fingerprints import mart_fingerprints
from innspect.warehouse.marts.portfolio_views import SCHEMA as PORTFOLIO_VIEWS
from innspect.warehouse.marts.portfolio_views import refresh_portfolio_views
from innspect.warehouse.migration import FINGERPRINT_TABLE
from innspect.warehouse.news.refresh_news import refresh_news
from innspect.warehouse.publish.delta import ASSESSED_INNS, NEW_SNAPSHOTS, copy_latest, copy_new_rows
from innspect.warehouse.publish.exclude import Exclusion
from innspect.warehouse.publish.file_clone import FileClone
from innspect.warehouse.publish.inn_marts import (
    ALL_INNS,
    JUDGED_INNS,
    TOUCHED_INNS,
    choose_chunk_inns,
    copy_few_rows,
    find_inns,
    find_judged_inns,
    remember_rows_before,
)
from innspect.warehouse.publish.marts import STAGING, StoredRisk, StoredRows, attach_staging, write_marts
from innspect.warehouse.publish.watermark import (
    PreviousCopy,
    TableMark,
    Watermark,
    copy_software,
    last_load,
    other_marts,
)

COPY = "published_copy"
MEMORY_MEGABYTES = 400
"""For queries over stored risk: a process of some 400 MB stays below 1 GiB. Judging all INNs at once needs more.

DuckDB keeps up to 8 bytes of it for each row of the marts, once rows were deleted among them.
"""
NO_LOG = "'1KB'"
"""A size of DuckDB's log, so that everything is written into the tables at each commit."""
MERGED_AFTER = 16
"""Publications after which blocks of rows that each of them added or deleted from are merged.

Sooner if they computed rows of as many INNs as there are. At each commit DuckDB would merge what one publication added
with up to three complete blocks of a table, which took half of the time of a publication of few INNs.
"""
WRITING_MEGABYTES = 420
"""While rows are written into the tables, and no query runs: DuckDB reads which rows of all tables were deleted."""
FEW_INNS_THREADS = 2
"""While rows of few INNs are computed, most of the time finding them among all; each thread needs memory of its own."""
COPY_STORAGE_VERSION = "v1.0.0"
"""The oldest storage format that supports all of it: DuckDB 1.0 and later can read the copy."""
INTERNAL_TABLES = (
    FINGERPRINT_TABLE, RECORD_FILES, BLOCK_DIGESTS, ASSESSED_RUNS, LOADS, STORED_LIMITS, RISK_SIGNALS,
    RISK_SCORES, RISK_NEWS, RISK_CHECKS, *LINK_TYPES, *NEWS_TYPES,
    MIRROR_MARK, *(name for _, name in UNPUBLISHED),
)  # fmt: skip
INFO_TABLE = "published"
INFO_COLUMNS = (
    ("published_at", "TIMESTAMP", "When this copy was made, UTC."),
    ("run_id", "VARCHAR", "The latest run in this copy; NULL if there was none."),
    ("software_version", "VARCHAR", "Version of the program and of its declarations."),
    ("exclude", "VARCHAR[]", "The patterns of publish.exclude."),
)


@dataclass(frozen=True, slots=True)
class CopyInfo:
    """The content of `lineage.published`."""

    published_at: datetime
    software_version: str
    exclude: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class BuiltCopy:
    """A finished copy.

    `left_out`: sentences about marts that had to be left out. `watermark`: what the copy contains, without the state of
    its file. `is_delta`: whether it continues the previous copy. `new_blocks`: the blocks of the snapshots that were
    added.
    """

    left_out: list[str]
    watermark: Watermark
    is_delta: bool
    new_blocks: frozenset[str]


def build_copy(
    warehouse: Warehouse,
    path: Path,
    exclusion: Exclusion,
    info: CopyInfo,
    previous: PreviousCopy | None = None,
    chunk_inns: int | None = None,
    lower_limit: str | None = None,
) -> BuiltCopy:
    """Write the copy to a new file and close it.

    Core, lineage and marts are tables, `current` views, `as_of` macros. The file begins as the `previous` copy if the
    warehouse has grown from that, otherwise with empty tables; rows above its watermark are added, and marts that this
    software computes in another way are computed again. If `previous` is at `path`, that file itself is continued.
    `chunk_inns`: INNs whose marts are computed at once, if not as many as memory allows. A mart that exceeds the limit
    of DuckDB's memory is written again with a higher one, then without. If something else does, the copy is built again
    with a higher limit, then without. With a `lower_limit`, which is for a process that needs memory meanwhile, a mart
    is written again once, and the copy is not built again. Raises DiskFull and StoreError; the file is unusable then.
    """
    with translate_publish_errors(path):
        limits = rising_limits(memory_for_inns(warehouse.connection, MEMORY_MEGABYTES))
        for limit in (lower_limit,) if lower_limit else limits:
            try:
                return _build_within(
                    limit, warehouse, path, exclusion, info, previous, chunk_inns, is_lower=lower_limit is not None
                )
            except duckdb.Error as error:
                is_lost = previous is not None and previous.path == path
                if not exceeds_memory(error) or lower_limit or is_lost:
                    # What it continued is lost, or the caller can do without the copy.
                    raise
                # Not every query can use the disk for all that it needs, and publishing must not fail by our own limit.
                log_lifted_limit(limit, error)
                for file in (path, path.with_name(f"{path.name}.wal")):
                    file.unlink(missing_ok=True)
        return _build_within(None, warehouse, path, exclusion, info, previous, chunk_inns)


def _build_within(
    limit: str | None,
    warehouse: Warehouse,
    path: Path,
    exclusion: Exclusion,
    info: CopyInfo,
    previous: PreviousCopy | None,
    chunk_inns: int | None,
    *,
    is_lower: bool = False,
) -> BuiltCopy:
    """Build the copy with a limit of DuckDB's memory while marts are computed; without stored risk it has none."""
    connection = warehouse.cursor()
    clone: FileClone | None = None
    try:
        source = str(connection.execute("SELECT current_database()").fetchall()[0][0])
        base = previous
        if base is not None and not base.is_continued_by(connection, info.exclude):
            base = None
        if base is not None and base.path != path:
            clone = FileClone(base.path, path)
        moment = refresh_risk(warehouse)
        has_links = refresh_links(warehouse)
        if has_links:
            refresh_news(warehouse)
        if moment is not None:
            # What was written since the log was last written into the tables takes memory that the marts need.
            warehouse.release_memory()
        if base is None:
            path.unlink(missing_ok=True)
        elif clone is not None:
            clone.finish()
        _attach(connection, path)
        path.chmod(0o600)
        try:
            if base is None:
                _create_tables(connection, source, exclusion)
            connection.execute(f"USE {COPY}")
            rows = attach_staging(connection, source, COPY, exclusion)
            copied = 0 if base is None else base.watermark.load_no
            risk = None if moment is None else StoredRisk(moment, copied)
            stored = StoredRows(copied) if has_links else None
            limits = None if risk is None or limit is None else _Limits.of(warehouse, limit, is_lower=is_lower)
            filler = _Filler(
                warehouse, connection, source, path, limits, exclusion, info, chunk_inns, rows, risk, stored
            )
            watermark = None if base is None else base.watermark
            if risk is None:
                return filler.fill(watermark)
            # Each thread needs memory of its own; `FEW_INNS_THREADS` where little is needed.
            with warehouse.limited_memory(limit), warehouse.single_thread():
                return filler.fill(watermark)
        finally:
            # After a full disk the cursor accepts no statement: detach by the warehouse's own connection.
            connection.close()
            with warehouse.hold_interruptions():
                warehouse.connection.execute("RESET disabled_optimizers")
                for database in STAGING:
                    warehouse.connection.execute(f"DETACH DATABASE IF EXISTS {database}")
                # The log of a finished copy is written; that of an interrupted one would take a second.
                warehouse.connection.execute("PRAGMA disable_checkpoint_on_shutdown")
                warehouse.connection.execute(f"DETACH DATABASE IF EXISTS {COPY}")
                warehouse.connection.execute("PRAGMA enable_checkpoint_on_shutdown")
    finally:
        if clone is not None:
            clone.cancel()
        connection.close()


def _create_tables(connection: duckdb.DuckDBPyConnection, source: str, exclusion: Exclusion) -> None:
    """Create the published tables, views and macros in the empty copy."""
    connection.execute(f"COPY FROM DATABASE {identifier(source)} TO {COPY} (SCHEMA)")
    connection.execute(f"USE {COPY}")
    _drop_excluded(connection, exclusion)


def _attach(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    connection.execute(f"ATTACH {literal(str(path))} AS {COPY} (STORAGE_VERSION '{COPY_STORAGE_VERSION}')")


@contextmanager
def _transaction(connection: duckdb.DuckDBPyConnection, commit: Callable[[], None]) -> Generator[None]:
    connection.execute("BEGIN")
    try:
        yield
        commit()
    except BaseException:
        # A failed commit has already ended the transaction.
        with suppress(duckdb.Error):
            connection.execute("ROLLBACK")
        raise


@contextmanager
def translate_publish_errors(path: Path) -> Generator[None]:
    """Raise errors of DuckDB and the operating system as DiskFull and StoreError."""
    try:
        with interruptible():
            yield
    except (duckdb.Error, OSError) as error:
        reason = str(error)
        if "No space left" in reason or "not enough disk space" in reason.lower() or "Disk quota" in reason:
            raise DiskFull(
                f"No space is left to publish at {path.parent}; free some and run `innspect publish`.", path=str(path)
            ) from error
        raise StoreError(
            f"Publishing at {path.parent} failed ({first_line(error)}); correct that and run `innspect publish`.",
            path=str(path),
        ) from error


@dataclass(frozen=True, slots=True)
class _Limits:
    """Of DuckDB's memory.

    `marts`: while they are computed. `between_marts`: what DuckDB may have in use when the next one begins. `raised`:
    for a mart that does not keep to `marts`, one after the other; None is no limit. `writing`: at least this while rows
    are written into the tables. `is_lower`: whether they are lower than usual, because the process needs memory
    meanwhile.
    """

    marts: str
    between_marts: str
    raised: tuple[str | None, ...]
    writing: str
    is_lower: bool

    @classmethod
    def of(cls, warehouse: Warehouse, limit: str, *, is_lower: bool) -> Self:
        """The limits of a copy whose marts have this one."""
        writing = memory_for_inns(warehouse.connection, WRITING_MEGABYTES)
        raised = (writing,) if is_lower else (*rising_limits(limit)[1:], None)
        return cls(limit, f"{int(limit.removesuffix('MB')) // 2}MB", raised, writing, is_lower)


@dataclass(frozen=True, slots=True)
class _Filler:
    """Fills the attached copy; `rows`: the database with what is published, with all tables and columns."""

    warehouse: Warehouse
    connection: duckdb.DuckDBPyConnection
    source: str
    path: Path
    limits: _Limits | None
    exclusion: Exclusion
    info: CopyInfo
    chunk_inns: int | None
    rows: str
    risk: StoredRisk | None
    stored: StoredRows | None

    def fill(self, previous: Watermark | None) -> BuiltCopy:
        """Add the rows above a watermark (None: all rows) and bring the marts up to date."""
        unmerged = 0.0 if previous is None else previous.unmerged
        try:
            if previous is None:
                self.connection.execute(f"SET checkpoint_threshold = {NO_LOG}")
            if unmerged < 1:
                self.connection.execute("SET max_vacuum_tasks = 0")
            with _transaction(self.connection, self._commit):
                built = self._fill_tables(previous, unmerged)
            self._write(f"CHECKPOINT {COPY}")
            return built
        finally:
            self.connection.execute(f"SET checkpoint_threshold = '{CHECKPOINT_LOG_SIZE}'; RESET max_vacuum_tasks")

    def _commit_part(self) -> None:
        """Begin another transaction: the copy is not in place yet, so nobody sees what is committed.

        Before that the copy is opened again if DuckDB has so much in use that the next mart may exceed its limit.
        """
        self._commit()
        if self.limits is not None and not self.warehouse.fits_into(self.limits.between_marts):
            self._write(f"CHECKPOINT {COPY}")
            self._reopen()
        self.connection.execute("BEGIN")

    def _commit(self) -> None:
        self._write("COMMIT")

    def _write(self, statement: str) -> None:
        """Execute a statement that may write into the tables, with the memory that it needs."""
        with nullcontext() if self.limits is None else self.warehouse.least_memory(self.limits.writing):
            self.connection.execute(statement)

    def _reopen(self) -> None:
        """Between two transactions detach the copy and attach it again.

        That returns the memory that DuckDB has for rows which are only in the log, and of which rows were deleted: 8
        bytes for each row of most tables.
        """
        (used,) = self.connection.execute("SELECT current_database()").fetchall()[0]
        self.connection.execute(f"USE {identifier(self.source)}")
        self.connection.execute(f"DETACH {COPY}")
        _attach(self.connection, self.path)
        self.connection.execute(f"USE {identifier(str(used))}")

    def _write_mart(self, write: Callable[[], bool]) -> bool:
        """Write a mart, at the beginning of a transaction; as long as it exceeds the limit, again with higher ones."""
        return write() if self.limits is None else self._write_within((self.limits.marts, *self.limits.raised), write)

    def _write_within(self, limits: Sequence[str | None], write: Callable[[], bool]) -> bool:
        limit, *higher = limits
        try:
            with self.warehouse.limited_memory(limit):
                return write()
        except duckdb.Error as error:
            if limit is None or not higher or not exceeds_memory(error):
                raise
            log_lifted_limit(limit, error)
        with self.warehouse.limited_memory(higher[0]):
            self._recover()
        return self._write_within(higher, write)

    def _recover(self) -> None:
        """Begin a transaction after one that exceeded the limit of memory: its rows may be committed, or not."""
        # A failed commit has already ended the transaction. If only writing its rows into the tables failed, DuckDB
        # refuses to use the copy until it is attached again.
        for statement in ("ROLLBACK", f"CHECKPOINT {COPY}"):
            with suppress(duckdb.Error):
                self._write(statement)
        self.connection.execute("RESET disabled_optimizers; SET threads = 1")
        self._reopen()
        self.connection.execute("BEGIN")

    def _fill_tables(self, previous: Watermark | None, unmerged: float) -> BuiltCopy:
        connection, is_first = self.connection, previous is None
        marks: Mapping[str, TableMark] = {} if previous is None else previous.tables
        new_marts = other_marts({} if previous is None else previous.marts)
        load_no, token = last_load(connection, f"{identifier(self.source)}.")
        connection.execute(f"USE {self.rows}")
        remember_rows_before(connection)
        new_marks = copy_new_rows(
            connection, self.source, COPY, self.exclusion, marks, self._commit_part, rows_before=self.rows
        )
        copy_latest(connection, self.source, COPY, self.exclusion, is_first=is_first)
        _write_info(connection, self.info)
        chunk_inns = self.chunk_inns or choose_chunk_inns(connection)
        find_inns(connection, chunk_inns, is_first=is_first)
        changed = [TOUCHED_INNS, ASSESSED_INNS]
        if self.risk is not None:
            find_judged_inns(connection, self.source, self.risk.load_no, chunk_inns)
            changed.append(JUDGED_INNS)
        are_few = not is_first and copy_few_rows(connection, self.rows, changed, chunk_inns)
        if not are_few or new_marts:
            # The rows of many INNs would take too much memory while they are written from the log into the tables.
            connection.execute(f"SET checkpoint_threshold = {NO_LOG}")
        elif self.limits is not None and not self.limits.is_lower:
            connection.execute(f"SET threads = {FEW_INNS_THREADS}")
        sentences = write_marts(
            connection,
            self.source,
            COPY,
            self.exclusion,
            self.risk,
            self.stored,
            self._commit_part,
            self._write_mart,
            new_marts,
            chunk_inns=chunk_inns,
            are_few=are_few,
        )
        connection.execute(f"USE {COPY}")
        refresh_portfolio_views(connection, recreate=bool(new_marts))
        blocks = connection.execute(f"SELECT DISTINCT block FROM {NEW_SNAPSHOTS}").fetchall()
        unmerged = unmerged + self._count_unmerged() if unmerged < 1 and not is_first else 0.0
        marts = dict(mart_fingerprints())
        return BuiltCopy(
            sentences,
            Watermark(copy_software(), marts, self.info.exclude, load_no, token, new_marks, unmerged),
            not is_first,
            frozenset(str(block) for (block,) in blocks),
        )

    def _count_unmerged(self) -> float:
        """What this publication adds to `Watermark.unmerged`."""
        query = f"SELECT (SELECT count(*) FROM {TOUCHED_INNS}) / greatest(1, (SELECT count(*) FROM {ALL_INNS}))"
        return 1 / MERGED_AFTER + float(self.connection.execute(query).fetchall()[0][0])


def _drop_excluded(connection: duckdb.DuckDBPyConnection, exclusion: Exclusion) -> None:
    """Drop what is not published while the tables are empty; views before the columns that they use."""
    connection.execute("DROP SCHEMA IF EXISTS raw CASCADE")
    connection.execute("DROP SCHEMA mart CASCADE")
    connection.execute("CREATE SCHEMA mart")
    connection.execute(f"DROP SCHEMA IF EXISTS {PORTFOLIO_VIEWS} CASCADE")
    connection.execute(f"CREATE SCHEMA {PORTFOLIO_VIEWS}")
    for name in INTERNAL_TABLES:
        connection.execute(f"DROP TABLE IF EXISTS lineage.{identifier(name)}")
    for schema, name in published_tables():
        excluded = exclusion.excluded_columns(schema, name)
        excludes_table = exclusion.excludes_table(schema, name)
        if schema == "core" and (excluded or excludes_table):
            connection.execute(f"DROP VIEW current.{identifier(name)}")
        if excludes_table:
            if schema == "core":
                connection.execute(f"DROP MACRO TABLE as_of.{identifier(name)}")
            connection.execute(f"DROP TABLE {schema}.{identifier(name)}")
            continue
        for column in excluded:
            connection.execute(f"ALTER TABLE {schema}.{identifier(name)} DROP COLUMN {identifier(column)}")
        if schema == "core" and excluded:
            table = tables()[name]
            published = tuple(column for column in table.columns if column.name not in excluded)
            for statement in create_views(replace(table, columns=published)):
                connection.execute(statement)


def _write_info(connection: duckdb.DuckDBPyConnection, info: CopyInfo) -> None:
    """Create `lineage.published` with its one row; the runs are already copied."""
    table = f"{COPY}.lineage.{INFO_TABLE}"
    connection.execute(
        f"CREATE OR REPLACE TABLE {table} ({', '.join(f'{name} {sql}' for name, sql, _ in INFO_COLUMNS)})"
    )
    connection.execute(f"COMMENT ON TABLE {table} IS 'When and from what this copy was made: one row.'")
    for name, _, comment in INFO_COLUMNS:
        connection.execute(f"COMMENT ON COLUMN {table}.{name} IS {literal(comment)}")
    connection.execute(
        f"INSERT INTO {table} "
        f"SELECT $at, (SELECT arg_max(run_id, (started_at, run_id)) FROM {COPY}.lineage.runs), $version, $exclude",
        {"at": info.published_at, "version": info.software_version, "exclude": list(info.exclude)},
    )
