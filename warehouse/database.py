"""The warehouse in a DuckDB file: open, migrate, read and write."""

import logging
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from copy import copy
from glob import escape
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, ClassVar, Self, TypeVar
from uuid import uuid4
from weakref import WeakSet

import duckdb
import polars as pl

from innspect.schemas.errors import DiskFull, InnspectError, StoresHeld, WarehouseError, first_line
from innspect.schemas.risk_policy.policy_file import load_policies
from innspect.warehouse.ddl import LOADS_TABLE, ddl_statements, identifier, literal
from innspect.warehouse.extensions import configure_object_store, is_object_store
from innspect.warehouse.interrupts import interruptible
from innspect.warehouse.latest import fill_latest, fill_unanswered
from innspect.warehouse.layout_cache import copy_layout
from innspect.warehouse.marts.fingerprints import LATEST_ROWS, RISK, software_fingerprints
from innspect.warehouse.marts.portfolio_views import refresh_portfolio_views
from innspect.warehouse.marts.registry import mart_statements
from innspect.warehouse.migration import migrate, outdated_parts
from innspect.warehouse.risk.policy_store import store_policies
from innspect.warehouse.risk.stored_risk import WANTED_INN
from innspect.warehouse.risk.version_findings import refresh_findings

STORAGE_VERSION = "v1.4.0"
"""Storage format of a new file: checkpoints take half the time that DuckDB's default format takes."""
CHECKPOINT_LOG_SIZE = "256MB"
"""A checkpoint rewrites the end of every table, so it is made rarely; committed data is safe in the log."""
UNUSED_MEMORY_LIMIT = "64MB"
"""For a warehouse that is open while something else is read: what DuckDB keeps of it in memory is not needed."""
LOG_MEMORY_LIMIT = "400MB"
"""While the log is written into the tables: without a limit DuckDB would keep all that it reads there."""
MERGED_AFTER = 16
"""Times that the log was written into the tables, after which their blocks of rows are merged too."""
LARGE_LOG_BYTES = 32 * 2**20
"""From this size on, writing the log into the tables is worth its time: what it contains is in memory until then."""
REFRESH_MEMORY_LIMIT = "320MB"
"""For storing latest responses or findings of all INNs again, in one transaction that needs as much memory besides."""
READING_MEMORY_LIMIT = "450MB"
"""For `run_in_bounds` where the warehouse is written too: a process that has made a run has some 450 MB besides."""
RAISED_MEMORY_LIMIT = "550MB"
"""For readers, and for work that does not keep to a lower limit: such a process just stays below 1 GiB."""
RAISED_MEMORY_LIMITS = (RAISED_MEMORY_LIMIT, "1100MB")
"""The limits that such work gets one after the other, before it has none."""
MEMORY_REFUSED = re.compile(r"(failed to pin|could not allocate|failed to allocate) [a-z ]*of size")
"""In DuckDB's messages of commits that the limit of memory ended, and of those that are durable but only in the log."""
SPILL_SUFFIX = ".tmp"
"""End of the name of the folder of temporary files, next to the file; a reader's has a random name after it."""
LOCK_HOLDER = re.compile(r"\(PID (\d+)\)")
"""The process that holds the lock of the file, in DuckDB's message."""
RAW_COMMENT = "Every response of the archive, with its exact bytes."

Result = TypeVar("Result")
_LOG = logging.getLogger("innspect.warehouse")


def log_lifted_limit(limit: str, error: Exception) -> None:
    """Log that work which did not keep to a limit of memory is repeated with a higher one, or without.

    An event with fields, as `extract.log_events` writes them, which the warehouse does not import.
    """
    fields = {"limit": limit, "error": first_line(error.__cause__ or error)}
    _LOG.warning("memory_limit.lifted", extra={"fields": fields})


def exceeds_memory(error: BaseException | None) -> bool:
    """Whether a statement failed by the limit of memory; of a commit, errors of two other classes say so."""
    if isinstance(error, duckdb.TransactionException | duckdb.IOException):
        return MEMORY_REFUSED.search(str(error)) is not None
    return isinstance(error, duckdb.OutOfMemoryException)


def rising_limits(limit: str) -> tuple[str, ...]:
    """A limit of memory in MB or GB, and those of `RAISED_MEMORY_LIMITS` that are higher."""
    return (limit, *(raised for raised in RAISED_MEMORY_LIMITS if _megabytes(limit) < _megabytes(raised)))


def _megabytes(limit: str) -> int:
    """A limit of memory in MB or GB as a number."""
    return int(limit[:-2]) * (1000 if limit.endswith("GB") else 1)


class Warehouse:
    """A DuckDB file with the schemas of `innspect.warehouse.ddl`; `innspect.warehouse.lake` has the same on DuckLake.

    `raw.responses` reads `archive`, a folder or an `s3://` URL.
    """

    is_shared: ClassVar[bool] = False
    """Whether other processes may write between two of our transactions."""

    def __init__(self, path: Path, archive: Path | str | None = None, *, read_only: bool = False) -> None:
        self.path = path
        self._open(str(path), archive, read_only=read_only)

    def _open(self, name: str, archive: Path | str | None, *, read_only: bool) -> None:
        self.name = name
        """Location for messages, without a password."""
        self.archive = archive
        self._reading_limit = RAISED_MEMORY_LIMIT if read_only else READING_MEMORY_LIMIT
        self._interrupt_lock = Lock()
        self._cursors = WeakSet[duckdb.DuckDBPyConnection]()
        self._limit: str | None = None
        """The limit of memory that is set; None: DuckDB's own. DuckDB shows a rounded one."""
        self.added_columns: list[str] = []
        """Columns that this opening added: older rows have NULL there until a rebuild."""
        try:
            self.connection = self._connect(read_only=read_only)
        except duckdb.Error as error:
            raise self._opening_error(error) from error
        try:
            if is_object_store(archive):
                configure_object_store(self.connection)
            self._set_up(read_only=read_only)
        except BaseException as error:
            # A rebuild opens the file again while this exception is still being handled.
            self.close()
            if isinstance(error, duckdb.Error):
                raise self._opening_error(error) from error
            raise

    def _connect(self, *, read_only: bool) -> duckdb.DuckDBPyConnection:
        if not read_only:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            key = "-".join((*software_fingerprints().values(), duckdb.__version__, STORAGE_VERSION))
            copy_layout(self.path, key, self._create_layout)
        connection = _connect_file(self.path, read_only=read_only)
        if not read_only:
            # No other process has the file open now: remove spill files left by killed processes.
            for folder in self.path.parent.glob(f"{escape(self.path.name)}{SPILL_SUFFIX}*"):
                rmtree(folder, ignore_errors=True)
        else:
            # Readers of one file must not write into each other's temporary files; those of this process share some.
            folder = self.path.with_name(f"{self.path.name}{SPILL_SUFFIX}-{uuid4().hex}")
            with suppress(duckdb.NotImplementedException):
                connection.execute(f"SET temp_directory = {literal(str(folder))}")
        return connection

    def _create_layout(self, path: Path) -> None:
        """Create a file with all tables, without rows. Raises OSError."""
        try:
            with _connect_file(path, read_only=False) as connection:
                # The commit is the checkpoint: nothing is written into a log first.
                connection.execute("SET checkpoint_threshold = '1KB'")
                connection.execute("BEGIN")
                migrate(connection, self.name, self.schema_statements(), (), is_shared=False)
                connection.execute("COMMIT")
        except duckdb.Error as error:
            raise OSError(str(error)) from error

    def _set_up(self, *, read_only: bool) -> None:
        if read_only:
            return
        self.path.chmod(0o600)
        self.connection.execute(f"SET checkpoint_threshold = '{CHECKPOINT_LOG_SIZE}'")
        self._migrate()
        self.refresh_raw_view()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        is_interrupted = kind is not None and not issubclass(kind, Exception)
        self.close(keep_log=is_interrupted)

    def close(self, *, keep_log: bool = False) -> None:
        """Close the connection; committed data is kept.

        DuckDB then writes its log into the tables. If the memory is not enough, the log stays for the next opening, as
        it does with `keep_log`: after Ctrl-C nobody waits for that.
        """
        if not self.is_shared:
            with suppress(duckdb.Error):
                if keep_log:
                    self.connection.execute("PRAGMA disable_checkpoint_on_shutdown")
                else:
                    self.set_memory_limit(LOG_MEMORY_LIMIT)
        self.connection.close()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A second connection to the same database."""
        cursor = self.connection.cursor()
        with self._interrupt_lock:
            self._cursors.add(cursor)
        return cursor

    def second_connection(self) -> Self:
        """The same warehouse for another thread, which reads what is committed; close its `connection` before this."""
        other = copy(self)
        other.connection = self.cursor()
        return other

    def write_lock(self) -> AbstractContextManager[None]:
        """Exclude other writing processes; a file is always held by one process."""
        return nullcontext()

    def compact(self) -> None:
        """Merge small data files; a DuckDB file needs nothing of the kind."""

    def schema_statements(self) -> Iterator[str]:
        """The statements that create all tables, views and marts; latest responses and unanswered calls empty."""
        yield from ddl_statements()
        yield from mart_statements(is_shared=self.is_shared)

    def _migrate(self) -> None:
        if self.is_migrated():
            return
        with self.write_lock():
            # Another process may have migrated while this one waited for the lock.
            if not self.is_migrated():
                self.run_in_bounds(self._bring_up_to_date, REFRESH_MEMORY_LIMIT)

    def _bring_up_to_date(self) -> None:
        """Migrate in one transaction, and compute what another version of this software may not have maintained."""
        connection = self.connection
        with self.transaction():
            outdated = outdated_parts(connection)
            if outdated:
                self.added_columns = migrate(
                    connection, self.name, self.schema_statements(), outdated, is_shared=self.is_shared
                )
                if not self.is_shared:
                    if LATEST_ROWS in outdated:
                        fill_latest(connection)
                        connection.execute(fill_unanswered())
                    refresh_portfolio_views(connection, recreate=True)
            self._store_built_in_policies()
            refresh_findings(connection, recompute=RISK in outdated)

    def has_tables(self) -> bool:
        """Whether this file has our tables; false if its creation was interrupted before the first commit."""
        query = "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'lineage'"
        return self.query(query).item() > 0

    def is_migrated(self) -> bool:
        """Whether tables, views and marts are those of this version of the software."""
        return not outdated_parts(self.connection) and self._has_policies()

    def _store_built_in_policies(self) -> None:
        """Judge by the built-in policies until others are stored; without a policy there would be no signals."""
        if not self._has_policies():
            store_policies(self.connection, load_policies(None))

    def _has_policies(self) -> bool:
        return self.connection.execute("SELECT 1 FROM lineage.policies LIMIT 1").fetchone() is not None

    def set_archive(self, archive: Path | str) -> None:
        """Make `raw.responses` read this archive."""
        if is_object_store(archive):
            configure_object_store(self.connection)
        self.archive = archive
        self.refresh_raw_view()

    def refresh_raw_view(self) -> None:
        """Make `raw.responses` read the archive files that exist now."""
        if self.archive is not None:
            self._create_raw_view("raw.responses", "lineage.responses")

    def _create_raw_view(self, view: str, responses: str) -> None:
        pattern = self._archive_pattern()
        query = f"SELECT * FROM read_parquet({literal(pattern)}, union_by_name = true)"
        if not self._matches_files(pattern):
            columns = "* EXCLUDE (archive_file), NULL::BOOLEAN AS masked, NULL::BLOB AS body"
            query = f"SELECT {columns} FROM {responses} WHERE false"
        elif not self.is_shared and self._has_raw_view(pattern):
            return
        self.connection.execute(f"CREATE OR REPLACE VIEW {view} AS {query}")
        self.connection.execute(f"COMMENT ON VIEW {view} IS {literal(RAW_COMMENT)}")

    def reads_archive(self) -> bool:
        """Whether `raw.responses` reads this archive: not after a move of the home, or a run that was killed."""
        pattern = "" if self.archive is None else self._archive_pattern()
        return not pattern or not self._matches_files(pattern) or self._has_raw_view(pattern)

    def _archive_pattern(self) -> str:
        """The files of responses, as every process finds them, whatever folder it works in."""
        where = self.archive.resolve() if isinstance(self.archive, Path) else str(self.archive).rstrip("/")
        return f"{where}/answers/*.parquet"

    def _has_raw_view(self, pattern: str) -> bool:
        """Whether there is the view of these files; to create it again, DuckDB would open each of them."""
        # Literals: for parameters DuckDB imports pandas where it is installed, which takes a third of a second.
        query = (
            f"SELECT 1 FROM duckdb_views() WHERE view_name = 'responses' AND comment = {literal(RAW_COMMENT)} "
            f"AND contains(sql, {literal(literal(pattern))})"
        )
        return self.connection.execute(query).fetchone() is not None

    def _matches_files(self, pattern: str) -> bool:
        if isinstance(self.archive, Path):
            return any(self.archive.glob("answers/*.parquet"))
        return self.connection.execute(f"SELECT 1 FROM glob({literal(pattern)}) LIMIT 1").fetchone() is not None

    def run_in_transaction(self, work: Callable[[], Result]) -> Result:
        """Run `work` in one transaction. A shared warehouse runs it again if another process wrote meanwhile."""
        with self.transaction():
            return work()

    @contextmanager
    def transaction(self) -> Generator[duckdb.DuckDBPyConnection]:
        """One transaction: commit, or roll back on any exception.

        It is numbered in `LOADS_TABLE`: by the random token of a number the published copy recognises the history that
        it continues. Raises DiskFull, WarehouseError, and `duckdb.InterruptException` after `interrupt`.
        """
        self.connection.execute("BEGIN")
        try:
            yield self.connection
            self.connection.execute(
                f"INSERT INTO {LOADS_TABLE} SELECT {next_load()}, $token",
                {"token": uuid4().hex},
            )
            self.connection.execute("COMMIT")
        except duckdb.InterruptException:
            self._rollback()
            raise
        except duckdb.Error as error:
            self._rollback()
            raise self._write_error(error) from error
        except BaseException:
            self._rollback()
            raise

    def _rollback(self) -> None:
        with self._interrupt_lock:
            try:
                self.connection.execute("ROLLBACK")
            except duckdb.Error:
                return  # the error has already ended the transaction

    def interrupt(self) -> None:
        """End the statement that another thread executes, also by a cursor, with `duckdb.InterruptException`.

        Not a rollback, nor what restores a setting or a name: after an interruption the connection is used again.
        """
        with self._interrupt_lock:
            for connection in (self.connection, *self._cursors):
                # A cursor may have been closed.
                with suppress(duckdb.ConnectionException):
                    connection.interrupt()

    def hold_interruptions(self) -> AbstractContextManager[object]:
        """Let `interrupt` wait meanwhile."""
        return self._interrupt_lock

    @contextmanager
    def single_thread(self) -> Generator[None]:
        """Use one DuckDB thread.

        Rows inserted in order by several threads take twice as long, and statements with many joins need memory for
        each thread.
        """
        self.connection.execute("SET threads = 1")
        try:
            yield
        finally:
            # In a failed transaction no statement is accepted; the connection is closed then.
            with self._interrupt_lock, suppress(duckdb.Error):
                self.connection.execute("RESET threads")

    @contextmanager
    def limited_memory(self, limit: str | None) -> Generator[None]:
        """Limit the memory of DuckDB, for all connections; what does not fit goes to temporary files.

        None: DuckDB's own limit, 80 % of the machine's memory.
        """
        before = self._limit
        self.set_memory_limit(limit)
        try:
            yield
        finally:
            self.set_memory_limit(before)

    @contextmanager
    def least_memory(self, limit: str) -> Generator[None]:
        """`limited_memory`, unless the limit in effect is higher."""
        is_lower = self._limit is not None and _megabytes(self._limit) < _megabytes(limit)
        with self.limited_memory(limit) if is_lower else nullcontext():
            yield

    def release_memory(self) -> None:
        """Return the memory that DuckDB can do without, between two transactions.

        That is pages of the file, and, if much was written, what is only in the log. An error is not reported: if it
        lasts, the next transaction has it too.
        """
        self.drop_pages()
        log = self.path.with_name(f"{self.path.name}.wal")
        if log.exists() and log.stat().st_size >= LARGE_LOG_BYTES:
            with suppress(duckdb.Error), interruptible(), self.limited_memory(LOG_MEMORY_LIMIT):
                # It reads the tables that were updated.
                self._write_log()
            self.drop_pages()

    def _write_log(self) -> None:
        """Write the log into the tables, in most cases without merging blocks of rows, which takes twice as long.

        Each load adds a row to `LOADS_TABLE`, so the blocks of this small table show how often they were not merged.
        """
        execute = self.connection.execute
        query = f"SELECT count(DISTINCT row_group_id) FROM pragma_storage_info({literal(LOADS_TABLE)})"
        if execute(query).fetchall()[0][0] >= MERGED_AFTER:
            execute("CHECKPOINT")
            return
        execute("SET max_vacuum_tasks = 0")
        try:
            execute("CHECKPOINT")
        finally:
            execute("RESET max_vacuum_tasks")

    def drop_pages(self) -> None:
        """Return the memory of what DuckDB can read again from the file; errors as for `release_memory`."""
        with suppress(duckdb.Error), interruptible(), self.limited_memory(UNUSED_MEMORY_LIMIT):
            pass

    def run_in_bounds(
        self, work: Callable[[], Result], limit: str | None = None, *, is_threaded: bool = False
    ) -> Result:
        """Call `work` with a limit of memory; if its statements cannot keep to it, with a higher one, then without.

        `limit`: None is the limit for reading. One thread unless `is_threaded`: each thread needs memory of its own, so
        the same queries would fit or not depending on the machine. Not every statement can use temporary files for all
        that it needs, and a read-only folder has none. A lake has no limit: its marts judge all INNs at once.
        """
        for bound in () if self.is_shared else rising_limits(limit or self._reading_limit):
            try:
                with self.limited_memory(bound), nullcontext() if is_threaded else self.single_thread():
                    return work()
            except (duckdb.OutOfMemoryException, duckdb.IOException) as error:
                log_lifted_limit(bound, error)
            except WarehouseError as error:
                if not exceeds_memory(error.__cause__):
                    raise
                log_lifted_limit(bound, error)
        return work()

    def set_memory_limit(self, limit: str | None) -> None:
        """Limit the memory of DuckDB, unless more is in use now and cannot be moved to temporary files.

        None: DuckDB's own limit. On a connection of its own: the refusal would end the transaction in progress.
        """
        with suppress(duckdb.OutOfMemoryException), self.connection.cursor() as connection:
            if limit is None:
                # The setting shows it afterwards, but it has no effect until it is set.
                connection.execute("RESET memory_limit")
                (limit,) = connection.execute("SELECT current_setting('memory_limit')").fetchall()[0]
                self._limit = None
            else:
                self._limit = limit
            connection.execute(f"SET memory_limit = {literal(str(limit))}")

    def fits_into(self, limit: str) -> bool:
        """Whether DuckDB can keep to this limit of memory now; it drops pages and uses temporary files to reach it."""
        try:
            with self.connection.cursor() as connection:
                connection.execute(f"SET memory_limit = {literal(limit)}")
        except duckdb.OutOfMemoryException:
            return False
        finally:
            # A refused limit has no effect, but the setting shows it.
            self.set_memory_limit(self._limit)
        return True

    @contextmanager
    def judge_only(self, inn: str) -> Generator[None]:
        """Judge no other INN while its risk is read: of others, marts have only the risk that is stored and valid."""
        self.connection.execute(f"SET VARIABLE {WANTED_INN} = {literal(inn)}")
        try:
            yield
        finally:
            self.connection.execute(f"RESET VARIABLE {WANTED_INN}")

    def query(self, query: str, parameters: dict[str, Any] | None = None) -> pl.DataFrame:
        """The rows of a query."""
        return self.connection.sql(query, params=parameters).pl()

    def create_temp_table(self, name: str, query: str) -> None:
        """Store the rows of a query as a temporary table for later queries."""
        self.connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {query}")

    @contextmanager
    def register(self, **frames: pl.DataFrame) -> Generator[None]:
        """Let queries read polars frames under these names.

        `interrupt` waits for both ends: DuckDB cannot register a name again whose removal was interrupted.
        """
        try:
            with self._interrupt_lock:
                for name, frame in frames.items():
                    self.connection.register(name, frame.to_arrow())
            yield
        finally:
            with self._interrupt_lock:
                for name in frames:
                    self.connection.unregister(name)

    def insert(self, table: str, frame: pl.DataFrame) -> int:
        """Append a frame to a table (its SQL name), by column names; returns the number of rows.

        DuckDB finds `_incoming` as a local variable of this function: a registered frame, and with it the whole load,
        would stay in memory until the transaction ends.
        """
        _incoming = frame.to_arrow(compat_level=pl.CompatLevel.newest())
        columns = ", ".join(map(identifier, frame.columns))
        query = f"INSERT INTO {table} ({columns}) SELECT {columns} FROM _incoming"
        inserted = self.connection.execute(query).fetchone()
        return 0 if inserted is None else int(inserted[0])

    def _write_error(self, error: duckdb.Error) -> InnspectError:
        """The exception for a failed transaction."""
        if "No space left" in str(error) or "not enough disk space" in str(error).lower():
            return DiskFull(
                f"No space is left for {self.name}; free some and run again, paid responses are in the archive.",
                path=self.name,
            )
        return WarehouseError(f"Writing to the warehouse {self.name} failed: {error}", path=self.name)

    def _opening_error(self, error: duckdb.Error) -> InnspectError:
        """The exception for a warehouse that cannot be opened."""
        reason = str(error)
        if "lock" in reason.lower():
            holder = LOCK_HOLDER.search(reason)
            pid = None if holder is None else int(holder[1])
            return StoresHeld(
                f"Process {pid or 'unknown'} has the warehouse {self.name} open; wait until it ends, or read the "
                "published copy.",
                pid=pid,
                path=self.name,
            )
        if "not a valid DuckDB" in reason or "Serialization" in reason or "magic bytes" in reason:
            return WarehouseError(
                f"{self.name} is not a DuckDB database; move it away and run `innspect rebuild` to create one from the "
                "archive.",
                path=self.name,
            )
        return WarehouseError(
            f"The warehouse {self.name} cannot be opened ({first_line(error)}); `innspect rebuild` creates a new one.",
            path=self.name,
        )


def next_load() -> str:
    """SQL of the number that the transaction in progress gets in `LOADS_TABLE`."""
    return f"(SELECT coalesce(max(load_no), 0) + 1 FROM {LOADS_TABLE})"


def cache_layout() -> None:
    """Fill the cache of layouts, so that the first warehouse is a copy too; the installation calls this."""
    with TemporaryDirectory() as folder:
        Warehouse(Path(folder) / "warehouse.duckdb").close()


def _connect_file(path: Path, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    options: dict[str, str | bool | int | float | list[str]] = {"storage_compatibility_version": STORAGE_VERSION}
    connection = duckdb.connect(str(path), read_only=read_only, config=options)
    # DuckDB draws it on standard output, among what a command prints, in a process whose main module has no file.
    connection.execute("SET enable_progress_bar = false")
    return connection
