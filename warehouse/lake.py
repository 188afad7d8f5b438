"""The warehouse on DuckLake: catalogue in PostgreSQL, data in a folder or an object store, many writing processes.

Writers take turns, readers never wait. DuckLake alone would let two concurrent transactions both append rows that
neither of them saw. So each transaction takes a PostgreSQL advisory lock, which is released when its holder dies, and
increments one counter: if the lock is lost (connection pool, restart), the second transaction gets a conflict and runs
again on the data that the first one committed.
"""

import re
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import duckdb
import polars as pl

from innspect.schemas.errors import InnspectError, SettingsError, WarehouseError, first_line
from innspect.warehouse.database import Result, Warehouse
from innspect.warehouse.ddl import SCHEMAS, create_latest, create_unanswered_calls, identifier, literal
from innspect.warehouse.extensions import configure_object_store, is_object_store, load_extension
from innspect.warehouse.latest import create_latest_views
from innspect.warehouse.migration import store_fingerprints

SETTING_PREFIX = "ducklake:postgres:"
DEFAULT_SCHEMA = "public"
PASSWORD = re.compile(r"(password\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&]+)|(://[^:/@\s]*:)[^@\s]*(@)")
CONNECT_TIMEOUT_SECONDS = 10
DATABASE = "lake"
RAW_DATABASE = "raw"
WRITE_COUNTER = "_turn"
"""Lineage table with one number, which every transaction increments."""
VIEW_COLUMN_COMMENTS = ("COMMENT ON COLUMN current.", "COMMENT ON COLUMN mart.")
"""DuckLake does not support comments on columns of views."""
WRITE_LOCK_TIMEOUT = "1h"
"""Long enough for a rebuild by another process."""
TRANSACTION_ATTEMPTS = 6
INLINED_ROWS = 0
"""Small inserts into PostgreSQL would be quicker, but deleted rows have reappeared."""
REPLACED_FILES_KEPT = "1 day"
"""Replaced data files are kept for readers with an open snapshot."""


class ConcurrentWriteError(WarehouseError):
    """Another process wrote during the transaction; it was rolled back and can be run again."""


@dataclass(frozen=True, slots=True)
class LakeLocation:
    """Where a DuckLake is. `str()` and `repr()` show no password.

    `dsn` is the PostgreSQL connection string (key=value pairs or a URI), `data` a folder or an `s3://` URL, `schema`
    the PostgreSQL schema of the catalogue's tables.
    """

    dsn: str = field(repr=False)
    data: str
    schema: str = DEFAULT_SCHEMA

    def __str__(self) -> str:
        schema = "" if self.schema == DEFAULT_SCHEMA else f" metadata_schema={self.schema}"
        return f"{SETTING_PREFIX}{mask_passwords(self.dsn)} data_path={self.data}{schema}"

    def check_overlap(self, archive: Path | str | None) -> None:
        """Raises SettingsError if archive and lake are inside one another: a lake deletes unknown files."""
        if archive is None:
            return
        lake = f"{self.data}/"
        other = f"{archive if is_object_store(archive) else Path(archive).expanduser().resolve()}".rstrip("/") + "/"
        if lake.startswith(other) or other.startswith(lake):
            raise SettingsError(
                f"The data_path {self.data} of stores.warehouse and the archive {archive} are one inside the other; "
                "give each a folder of its own.",
                key="stores.warehouse",
            )

    def exists(self) -> bool:
        """Whether the catalogue contains a warehouse. Raises WarehouseError if PostgreSQL cannot be reached."""
        return self._has_row("ducklake_schema", "schema_name = 'lineage' AND end_snapshot IS NULL")

    def has_catalogue(self) -> bool:
        """Whether DuckLake has created its catalogue tables. Raises WarehouseError if PostgreSQL cannot be reached."""
        return self._has_row("ducklake_metadata", "key = 'version'")

    def _has_row(self, table: str, where: str) -> bool:
        with self.connect() as postgres:
            tables = postgres.execute(
                "SELECT count(*) FROM pg_tables WHERE schemaname = %s AND tablename = %s", (self.schema, table)
            ).fetchone()
            if tables is None or not tables[0]:
                return False
            row = postgres.execute(f'SELECT count(*) FROM "{self.schema}"."{table}" WHERE {where}').fetchone()
            return bool(row and row[0])

    def vacuum(self) -> None:
        """Overwrite deleted catalogue rows, which hold minimum and maximum values of each data file's columns.

        Raises WarehouseError if PostgreSQL cannot be reached.
        """
        with self.connect() as postgres:
            query = "SELECT tablename FROM pg_tables WHERE schemaname = %s AND tablename LIKE 'ducklake%%'"
            for (table,) in postgres.execute(query, (self.schema,)).fetchall():
                postgres.execute(f'VACUUM (ANALYZE) "{self.schema}"."{table}"')

    def connect(self) -> Any:
        """A direct connection to PostgreSQL, separate from DuckDB's. Raises WarehouseError if it cannot be reached."""
        import psycopg  # noqa: PLC0415 (slow import, not needed for a DuckDB file)

        try:
            return psycopg.connect(self.dsn, autocommit=True, connect_timeout=CONNECT_TIMEOUT_SECONDS)
        except psycopg.Error as error:
            reason = mask_passwords(first_line(error))
            raise WarehouseError(
                f"The catalogue of the warehouse {self} cannot be reached ({reason}); start PostgreSQL or correct "
                "stores.warehouse.",
                path=str(self),
            ) from error


class LakeWarehouse(Warehouse):
    """A warehouse on DuckLake. `raw.responses` exists only in this connection and reads its own archive."""

    is_shared: ClassVar[bool] = True

    def __init__(
        self, lake: LakeLocation, archive: Path | str | None = None, *, read_only: bool = False, replace: bool = False
    ) -> None:
        """`replace`: do not migrate the existing tables, because `recreate` is going to replace them."""
        lake.check_overlap(archive)
        self.lake = lake
        self._holds_write_lock = False
        self._replace = replace
        self._open(str(lake), archive, read_only=read_only)

    def _connect(self, *, read_only: bool) -> duckdb.DuckDBPyConnection:
        connection = duckdb.connect(
            ":memory:", config={"autoinstall_known_extensions": False, "autoload_known_extensions": False}
        )
        # By default DuckDB would spill to the current directory.
        self._spill = TemporaryDirectory(prefix="innspect-", ignore_cleanup_errors=True)
        try:
            connection.execute(f"SET temp_directory = {literal(self._spill.name)}")
            connection.execute("SET enable_progress_bar = false")
            _load_extensions(connection, self.lake)
            if not read_only and not is_object_store(self.lake.data):
                Path(self.lake.data).mkdir(parents=True, exist_ok=True, mode=0o700)
            if read_only or self.lake.has_catalogue():
                self._attach(connection, read_only=read_only)
                connection.execute(f"USE {DATABASE}")
            else:
                with self.write_lock():
                    if not self.lake.has_catalogue():
                        self._check_data_path_is_empty(connection)
                    self._attach(connection, read_only=False)
                    connection.execute(f"USE {DATABASE}")
        except BaseException:
            connection.close()
            self._spill.cleanup()
            raise
        return connection

    def close(self, *, keep_log: bool = False) -> None:
        """Close the connection and remove spill files; committed data is kept. A lake has no log."""
        super().close(keep_log=keep_log)
        self._spill.cleanup()

    def _check_data_path_is_empty(self, connection: duckdb.DuckDBPyConnection) -> None:
        """A lake deletes files that its catalogue does not name. Raises SettingsError if there are any."""
        if connection.execute(f"SELECT 1 FROM glob({literal(f'{self.lake.data}/**')}) LIMIT 1").fetchone():
            raise SettingsError(
                f"The data_path {self.lake.data} of stores.warehouse contains files that the catalogue does not know; "
                "name an empty folder, or the catalogue that the files belong to.",
                key="stores.warehouse",
            )

    def _attach(self, connection: duckdb.DuckDBPyConnection, *, read_only: bool, snapshot: int | None = None) -> None:
        options = [
            f"DATA_PATH {literal(self.lake.data)}",
            f"METADATA_SCHEMA {literal(self.lake.schema)}",
            f"DATA_INLINING_ROW_LIMIT {INLINED_ROWS}",
            *(["READ_ONLY"] if read_only else []),
            *([] if snapshot is None else [f"SNAPSHOT_VERSION {snapshot}"]),
        ]
        url = literal(f"{SETTING_PREFIX}{self.lake.dsn}")
        connection.execute(f"ATTACH {url} AS {DATABASE} ({', '.join(options)})")

    def _set_up(self, *, read_only: bool) -> None:
        if not read_only and not self._replace:
            self._migrate()
        self.connection.execute(f"ATTACH ':memory:' AS {RAW_DATABASE}")
        self.refresh_raw_view()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A second connection to the lake."""
        connection = super().cursor()
        connection.execute(f"USE {DATABASE}")
        return connection

    def newest_snapshot(self) -> int:
        """The number of the latest commit to the lake, by whatever process. Raises WarehouseError."""
        return int(self.query(f"SELECT max(snapshot_id) FROM ducklake_snapshots('{DATABASE}')").item())

    @contextmanager
    def attach_to(self, connection: duckdb.DuckDBPyConnection) -> Generator[None]:
        """Let a connection of another database read the lake as it is now, under the name `DATABASE`.

        What others write meanwhile is not seen, in whatever number of transactions it is read.
        """
        _load_extensions(connection, self.lake)
        self._attach(connection, read_only=True, snapshot=self.newest_snapshot())
        try:
            yield
        finally:
            connection.execute(f"DETACH {DATABASE}")

    def schema_statements(self) -> Iterator[str]:
        """The statements that create all tables, views and marts, without those that DuckLake does not support.

        Latest responses and unanswered calls are views: tables would be points of conflict for all writers.
        """
        counter = f"lineage.{identifier(WRITE_COUNTER)}"
        (latest, *latest_comments), (unanswered, *unanswered_comments) = create_latest(), create_unanswered_calls()
        views = dict(zip((latest, unanswered), create_latest_views(), strict=True))
        skipped = {"CREATE SCHEMA IF NOT EXISTS raw", *latest_comments, *unanswered_comments}
        for statement in super().schema_statements():
            if statement in views:
                yield views[statement]
            elif not statement.startswith(VIEW_COLUMN_COMMENTS) and statement not in skipped:
                yield statement
        yield f"CREATE TABLE IF NOT EXISTS {counter} (number BIGINT)"
        yield f"INSERT INTO {counter} SELECT 0 WHERE NOT EXISTS (FROM {counter})"

    def recreate(self) -> None:
        """Drop everything and create all tables empty, without policies, inside the caller's transaction."""
        for schema in reversed(SCHEMAS):
            self.connection.execute(f"DROP SCHEMA IF EXISTS {identifier(schema)} CASCADE")
        self.connection.execute(";\n".join((*self.schema_statements(), store_fingerprints())))

    def refresh_raw_view(self) -> None:
        """Make `raw.responses` read the archive files that exist now; the view is not stored in the lake."""
        if self.archive is not None:
            self._create_raw_view(f"{RAW_DATABASE}.main.responses", f"{DATABASE}.lineage.responses")

    @contextmanager
    def write_lock(self) -> Generator[None]:
        """Exclude other writers. Raises WarehouseError if the lock is not free within `WRITE_LOCK_TIMEOUT`."""
        if self._holds_write_lock:
            yield
            return
        from psycopg import errors  # noqa: PLC0415 (slow import, not needed by readers)

        with self.lake.connect() as postgres:
            # With these keepalives PostgreSQL notices a vanished machine within a minute instead of two hours.
            for name, value in (("idle", 30), ("interval", 10), ("count", 3)):
                postgres.execute(f"SET tcp_keepalives_{name} = {value}")
            postgres.execute(f"SET lock_timeout = '{WRITE_LOCK_TIMEOUT}'")
            try:
                postgres.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", (f"innspect {self.lake.schema}",))
            except errors.LockNotAvailable as error:
                raise WarehouseError(
                    f"Other processes have been writing the warehouse {self.name} for {WRITE_LOCK_TIMEOUT}; run again "
                    "later, paid responses are in the archive.",
                    path=self.name,
                ) from error
            self._holds_write_lock = True
            try:
                yield
            finally:
                self._holds_write_lock = False

    @contextmanager
    def transaction(self) -> Generator[duckdb.DuckDBPyConnection]:
        """One transaction under the write lock. Raises ConcurrentWriteError, DiskFull and WarehouseError."""
        with self.write_lock(), super().transaction() as connection:
            yield connection
            connection.execute(f"UPDATE lineage.{identifier(WRITE_COUNTER)} SET number = number + 1")

    def query(self, query: str, parameters: dict[str, Any] | None = None) -> pl.DataFrame:
        """The rows of a query. Raises WarehouseError: PostgreSQL or the data files may be unreachable."""
        try:
            return super().query(query, parameters)
        except duckdb.Error as error:
            raise self._write_error(error) from error

    def run_in_transaction(self, work: Callable[[], Result]) -> Result:
        """Run `work` in one transaction, and again after a ConcurrentWriteError, up to `TRANSACTION_ATTEMPTS` times."""
        import stamina  # noqa: PLC0415 (slow import, not needed for a DuckDB file)

        for attempt in stamina.retry_context(
            on=ConcurrentWriteError, attempts=TRANSACTION_ATTEMPTS, timeout=None, wait_initial=0.2, wait_max=5
        ):
            with attempt:
                return super().run_in_transaction(work)
        raise AssertionError  # the last attempt raises its exception

    def release_memory(self) -> None:
        """DuckDB keeps no pages of a lake, which has no log either."""

    def compact(self, *, keep_replaced: bool = True) -> None:
        """Merge small data files and delete unreferenced ones, under the write lock.

        Replaced files are kept for `REPLACED_FILES_KEPT`; without `keep_replaced` they are deleted at once, also under
        readers that still use them.
        """
        older = f"now() - INTERVAL '{REPLACED_FILES_KEPT}'" if keep_replaced else "now()"
        files = f"older_than => {older}" if keep_replaced else "cleanup_all => true"
        with self.write_lock():
            try:
                self.connection.execute(f"CALL ducklake_merge_adjacent_files('{DATABASE}')")
                self.connection.execute(f"CALL ducklake_expire_snapshots('{DATABASE}', older_than => {older})")
                for function in ("ducklake_cleanup_old_files", "ducklake_delete_orphaned_files"):
                    self.connection.execute(f"CALL {function}('{DATABASE}', {files})")
                self.lake.vacuum()
            except duckdb.Error as error:
                raise self._write_error(error) from error

    def _write_error(self, error: duckdb.Error) -> InnspectError:
        reason = str(error).lower()
        if isinstance(error, duckdb.TransactionException) and "conflict" in reason:
            return ConcurrentWriteError(
                f"Other processes wrote the warehouse {self.name} at the same time, {TRANSACTION_ATTEMPTS} times in a "
                "row; run again, paid responses are in the archive.",
                path=self.name,
            )
        if "no space left" in reason:
            return super()._write_error(error)
        return WarehouseError(
            f"An operation on the warehouse {self.name} failed ({mask_passwords(first_line(error))}); check that "
            "PostgreSQL and the data files can be reached and run again, paid responses are in the archive.",
            path=self.name,
        )

    def _opening_error(self, error: duckdb.Error) -> InnspectError:
        reason = mask_passwords(first_line(error))
        return WarehouseError(
            f"The warehouse {self.name} cannot be opened ({reason}); correct stores.warehouse, or start the server "
            "that it names.",
            path=self.name,
        )


def _load_extensions(connection: duckdb.DuckDBPyConnection, lake: LakeLocation) -> None:
    for extension in ("postgres_scanner", "ducklake"):
        load_extension(connection, extension)
    if is_object_store(lake.data):
        configure_object_store(connection)


def mask_passwords(message: str) -> str:
    """The message with PostgreSQL passwords replaced by `***`."""
    return PASSWORD.sub(lambda m: f"{m[1]}***" if m[1] else f"{m[3]}***{m[4]}", message)
