"""The warehouse file: opened, brought up to the declarations, and closed again."""

from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from shutil import rmtree
from typing import Any, ClassVar, Self, TypeVar

import duckdb
import polars as pl

from innspect.schemas.errors import DiskFull, InnspectError, WarehouseError
from innspect.warehouse.ddl import base_tables, fingerprint, quoted, statements, text
from innspect.warehouse.extensions import is_object_store, reach_object_store
from innspect.warehouse.latest import fill
from innspect.warehouse.marts.registry import mart_fingerprint, mart_statements

STATE = "_declarations"
"""A table beside the lineage that remembers which declarations the file was made for."""
STORAGE_VERSION = "v1.4.0"
"""The format of a new file: its checkpoints take half the time of those of the format that DuckDB takes by itself."""
LOG_SIZE = "256MB"
"""A checkpoint writes the end of every table anew: seldom is cheap, and what is committed is in the log."""
TURN = "_turn"
"""A table beside the lineage of a lake with one number, which every transaction moves on."""
RAW = "Every answer of the archive, with its exact bytes."


Written = TypeVar("Written")


class Warehouse:
    """A DuckDB file with the schemas of the contract; `innspect.warehouse.lake` has the same on DuckLake.

    `raw.responses` reads `archive`, a folder or an `s3://` URL.
    """

    is_shared: ClassVar[bool] = False
    """Whether other processes may write between two transactions of ours."""
    dropping: ClassVar[str] = " CASCADE"
    """What a view is dropped with, so that those that rest on it go too."""

    def __init__(self, path: Path, archive: Path | str | None = None, *, read_only: bool = False) -> None:
        self.path = path
        self._open(str(path), archive, read_only=read_only)

    def _open(self, name: str, archive: Path | str | None, *, read_only: bool) -> None:
        self.name = name
        """Where it is, in words: no password is in them."""
        self.archive = archive
        self.added: list[str] = []
        """Columns that this opening added: older rows have NULL there until a rebuild."""
        try:
            self.connection = self._connected(read_only=read_only)
        except duckdb.Error as error:
            raise self._unusable(error) from error
        try:
            if is_object_store(archive):
                reach_object_store(self.connection)
            self._set_up(read_only=read_only)
        except BaseException as error:
            # Whoever rebuilds opens the file anew, also while this error is still being told.
            self.close()
            if isinstance(error, duckdb.Error):
                raise self._unusable(error) from error
            raise

    def _connected(self, *, read_only: bool) -> duckdb.DuckDBPyConnection:
        if not read_only:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        options: dict[str, str | bool | int | float | list[str]] = {"storage_compatibility_version": STORAGE_VERSION}
        connection = duckdb.connect(str(self.path), read_only=read_only, config=options)
        if not read_only:
            # Nobody else has the file open now: what lies here was put aside for want of memory by who was killed.
            rmtree(self.path.with_name(f"{self.path.name}.tmp"), ignore_errors=True)
        return connection

    def _set_up(self, *, read_only: bool) -> None:
        if read_only:
            return
        self.path.chmod(0o600)
        self.connection.execute(f"SET checkpoint_threshold = '{LOG_SIZE}'")
        self._prepare()
        self.point_at_archive()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; what was committed is in it."""
        self.connection.close()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """One more connection, with the same database in use."""
        return self.connection.cursor()

    def _prepare(self) -> None:
        """Bring the tables and views up to the declarations, where they are not."""
        if self._made_for() == made_by():
            return
        with self.turn():
            # Somebody else may have done it while we waited.
            if self._made_for() != made_by():
                self._migrate(self._tables())

    def _made_for(self) -> str | None:
        there = self.connection.execute(
            f"SELECT 1 FROM duckdb_tables() WHERE schema_name = 'lineage' AND table_name = {text(STATE)} "
            "AND database_name = current_database()"
        ).fetchone()
        row = there and self.connection.execute(f"SELECT fingerprint FROM lineage.{quoted(STATE)}").fetchone()
        return row[0] if row else None

    def turn(self) -> AbstractContextManager[None]:
        """Nobody else writes while this lasts; a file is held by its one process anyway."""
        return nullcontext()

    def layout(self) -> Iterator[str]:
        """The statements that make all tables, views and marts.

        The latest is worked out again: other software may have loaded since, which does not keep it.
        """
        yield from statements()
        yield from mart_statements()
        yield fill()

    def _tables(self) -> dict[tuple[str, str], dict[str, str]]:
        rows = self.connection.execute(
            "SELECT schema_name, table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal "
            "AND schema_name IN ('core', 'lineage') AND database_name = current_database()"
        ).fetchall()
        found: dict[tuple[str, str], dict[str, str]] = {}
        for schema, table, column, kind in rows:
            found.setdefault((schema, table), {})[column] = kind
        return found

    def _migrate(self, known: dict[tuple[str, str], dict[str, str]]) -> None:
        """Add what the declarations have and the file has not; refuse to guess about the rest."""
        add: list[str] = []
        for (schema, name), (_, columns) in base_tables().items():
            if (schema, name) not in known:
                continue
            have = known[schema, name]
            wanted = {column.name: column.sql for column in columns}
            other = [c for c in have if c not in wanted or wanted[c] != have[c]]
            if other:
                raise WarehouseError(
                    f"The table {schema}.{name} of {self.name} has a column {other[0]} that the declarations do not "
                    "have in this form; run `innspect rebuild`.",
                    path=self.name,
                    table=name,
                    columns=other,
                )
            for column, sql in wanted.items():
                if column not in have:
                    add.append(f"ALTER TABLE {schema}.{quoted(name)} ADD COLUMN {quoted(column)} {sql}")
                    self.added.append(f"{schema}.{name}.{column}")
        with self.transaction():
            # Views hold on to the columns that they were made with: they go first and come back with the DDL.
            if add:
                views = (
                    "SELECT schema_name, view_name FROM duckdb_views() "
                    "WHERE NOT internal AND schema_name IN ('current', 'mart') AND database_name = current_database()"
                )
                for schema, name in self.connection.execute(views).fetchall():
                    self.connection.execute(f"DROP VIEW IF EXISTS {schema}.{quoted(name)}{self.dropping}")
            # Two and a half thousand statements, most of them comments: one call is a third cheaper than as many.
            self.connection.execute(";\n".join((*add, *self.layout())))
            self.connection.execute(
                f"CREATE OR REPLACE TABLE lineage.{quoted(STATE)} AS SELECT {text(made_by())} AS fingerprint"
            )

    def read_from(self, archive: Path | str) -> None:
        """Let `raw.responses` read this archive from now on."""
        if is_object_store(archive):
            reach_object_store(self.connection)
        self.archive = archive
        self.point_at_archive()

    def point_at_archive(self) -> None:
        """Make `raw.responses` read the sealed files that are there now."""
        if self.archive is None:
            return
        self.connection.execute(f"CREATE OR REPLACE VIEW raw.responses AS {self._sealed()}")
        self.connection.execute(f"COMMENT ON VIEW raw.responses IS {text(RAW)}")

    def _sealed(self) -> str:
        """The query of the sealed answers that are there now."""
        pattern = f"{str(self.archive).rstrip('/')}/answers/*.parquet"
        if self._matches(pattern):
            return f"SELECT * FROM read_parquet({text(pattern)}, union_by_name = true)"
        return (
            "SELECT * EXCLUDE (archive_file), NULL::BOOLEAN AS masked, NULL::BLOB AS body "
            "FROM lineage.responses WHERE false"
        )

    def _matches(self, pattern: str) -> bool:
        if isinstance(self.archive, Path):
            return any(self.archive.glob("answers/*.parquet"))
        return self.connection.execute(f"SELECT 1 FROM glob({text(pattern)}) LIMIT 1").fetchone() is not None

    def write(self, work: Callable[[], Written]) -> Written:
        """Do the work in one transaction. It may be done again, on what is there by then, where others write too."""
        with self.transaction():
            return work()

    @contextmanager
    def transaction(self) -> Generator[duckdb.DuckDBPyConnection]:
        """One transaction: all of it or nothing. Raises `DiskFull` and `WarehouseError`."""
        self.connection.execute("BEGIN")
        try:
            yield self.connection
            self.connection.execute("COMMIT")
        except duckdb.Error as error:
            self._rollback()
            raise self._refusal(error) from error
        except BaseException:
            self._rollback()
            raise

    def _refusal(self, error: duckdb.Error) -> InnspectError:
        """What is said of a transaction that did not come about."""
        if "No space left" in str(error) or "not enough disk space" in str(error).lower():
            return DiskFull(
                f"No space is left for {self.name}; free some and run again, what was paid for is in the archive.",
                path=self.name,
            )
        return WarehouseError(f"The warehouse {self.name} refused a load: {error}", path=self.name)

    def tidy(self) -> None:
        """Put together what was written in small pieces; a file does so by itself."""

    def _rollback(self) -> None:
        try:
            self.connection.execute("ROLLBACK")
        except duckdb.Error:
            return  # the fault has ended the transaction already

    @contextmanager
    def frames(self, **frames: pl.DataFrame) -> Generator[None]:
        """Let queries read polars frames by these names."""
        for name, frame in frames.items():
            self.connection.register(name, frame.to_arrow())
        try:
            yield
        finally:
            for name in frames:
                self.connection.unregister(name)

    def frame(self, query: str, parameters: dict[str, Any] | None = None) -> pl.DataFrame:
        """The rows of a query."""
        return self.connection.sql(query, params=parameters).pl()

    def insert(self, table: str, frame: pl.DataFrame) -> int:
        """Append a frame to a table (its SQL name), by the names of its columns; how many rows.

        The query finds `_incoming` by its name in this function. Registered, it would be kept until the transaction
        ends, and with it all that is loaded.
        """
        _incoming = frame.to_arrow(compat_level=pl.CompatLevel.newest())
        listed = ", ".join(map(quoted, frame.columns))
        query = f"INSERT INTO {table} ({listed}) SELECT {listed} FROM _incoming"
        done = self.connection.execute(query).fetchone()
        return 0 if done is None else int(done[0])

    def _unusable(self, error: duckdb.Error) -> InnspectError:
        """What is said of a warehouse that does not open."""
        reason = str(error)
        if "lock" in reason.lower():
            return WarehouseError(
                f"The warehouse {self.name} is being written by another process; wait for it, or read the published "
                "copy.",
                path=self.name,
            )
        if "not a valid DuckDB" in reason or "Serialization" in reason or "magic bytes" in reason:
            return WarehouseError(
                f"{self.name} is not a DuckDB database; move it away and run `innspect rebuild` to make one from the "
                "archive.",
                path=self.name,
            )
        return WarehouseError(
            f"The warehouse {self.name} cannot be opened ({reason.splitlines()[0]}); `innspect rebuild` makes a new "
            "one.",
            path=self.name,
        )


def made_by() -> str:
    """What a file is made by: the declarations and the marts; another one has its views made anew."""
    return f"{fingerprint()}-{mart_fingerprint()}"
