"""The read-only copy for BI: built beside from an open warehouse; it stands by itself, without the archive."""

from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

import duckdb

from innspect.schemas.errors import DiskFull, StoreError
from innspect.schemas.tables import tables
from innspect.warehouse.database import LOG_SIZE, STATE, TURN, Warehouse
from innspect.warehouse.ddl import BODIES, LATEST, RECORD_FILES, base_tables, create_latest, create_views, quoted, text
from innspect.warehouse.interrupts import interruptible
from innspect.warehouse.latest import fill
from innspect.warehouse.publish.exclude import Exclusion, lineage_cells
from innspect.warehouse.publish.marts import PUBLIC, staging, write_marts

COPY = "published_copy"
STORAGE_VERSION = "v1.0.0"
"""The oldest layout that holds all of it: DuckDB 1.0 and everything newer reads it."""
STAMP = "published"
STAMP_COLUMNS = (
    ("published_at", "TIMESTAMP", "When this copy was made, UTC."),
    ("run_id", "VARCHAR", "The latest run that is in it; NULL where there was none."),
    ("software_version", "VARCHAR", "Version of the program and of its declarations."),
    ("exclude", "VARCHAR[]", "What publish.exclude left out."),
)


@dataclass(frozen=True, slots=True)
class Stamp:
    """When and by what a copy is made."""

    published_at: datetime
    software_version: str
    exclude: tuple[str, ...] = field(default=())


def build_copy(warehouse: Warehouse, path: Path, out: Exclusion, stamp: Stamp) -> list[str]:
    """Write the copy to a new file, complete and closed; sentences about what could not be in it.

    Core, lineage and marts are tables, `current` views, `as_of` macros. Raises DiskFull and StoreError; the file is
    of no use then.
    """
    connection = warehouse.cursor()
    try:
        with told(path):
            source = str(connection.execute("SELECT current_database()").fetchall()[0][0])
            connection.execute(f"ATTACH {text(str(path))} AS {COPY} (STORAGE_VERSION '{STORAGE_VERSION}')")
            path.chmod(0o600)
            try:
                connection.execute(f"COPY FROM DATABASE {quoted(source)} TO {COPY} (SCHEMA)")
                connection.execute(f"USE {COPY}")
                if warehouse.is_shared:
                    # A lake works the latest out, and has no comments on columns of views; the copy has both.
                    views = (one for table in tables().values() for one in create_views(table))
                    drop = f"DROP VIEW lineage.{quoted(LATEST)}"
                    connection.execute(";\n".join((drop, *create_latest(), *views)))
                _leave_out(connection, out)
                with staging(connection, source, COPY, out):
                    sentences = _fill(connection, source, out, stamp, keeps_latest=not warehouse.is_shared)
            finally:
                _detach(warehouse, connection)
    finally:
        connection.close()
    return sentences


def _detach(warehouse: Warehouse, connection: duckdb.DuckDBPyConnection) -> None:
    """Let go of the copy, also of one that no longer lets anything be asked: a full disk leaves such a one behind."""
    connection.close()
    warehouse.connection.execute(f"DETACH {COPY}")


@contextmanager
def _all_or_nothing(connection: duckdb.DuckDBPyConnection) -> Generator[None]:
    """One transaction in the attached copy."""
    connection.execute("BEGIN")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # A commit that fails has ended it already.
        with suppress(duckdb.Error):
            connection.execute("ROLLBACK")
        raise


@contextmanager
def told(path: Path) -> Generator[None]:
    """DuckDB's and the system's errors as ours. Raises DiskFull and StoreError."""
    try:
        with interruptible():
            yield
    except (duckdb.Error, OSError) as error:
        words = str(error)
        if "No space left" in words or "not enough disk space" in words.lower() or "Disk quota" in words:
            raise DiskFull(
                f"No space is left to publish at {path.parent}; free some and run `innspect publish`.", path=str(path)
            ) from error
        raise StoreError(
            f"Nothing could be published at {path.parent} ({words.splitlines()[0]}); mend that and run "
            "`innspect publish`.",
            path=str(path),
        ) from error


def _fill(
    connection: duckdb.DuckDBPyConnection, source: str, out: Exclusion, stamp: Stamp, *, keeps_latest: bool
) -> list[str]:
    """All rows, and the marts that are made of them."""
    try:
        with _all_or_nothing(connection):
            for schema, name in base_tables():
                if not out.whole(schema, name):
                    _copy_rows(connection, source, schema, name, out)
            # Of what is left out the latest must not tell: it is worked out from what the marts may see.
            connection.execute(f"USE {PUBLIC if out else COPY}")
            connection.execute(fill(f"{COPY}.", f"{quoted(source)}." if keeps_latest and not out else ""))
            _stamp(connection, stamp)
            sentences = write_marts(connection, COPY, out)
            # All of it goes into the tables at once, without a log beside them.
            connection.execute("SET checkpoint_threshold = '1KB'")
    finally:
        connection.execute(f"SET checkpoint_threshold = '{LOG_SIZE}'")
    return sentences


def _leave_out(connection: duckdb.DuckDBPyConnection, out: Exclusion) -> None:
    """Take away what is not published, before any row is there. Views go first: they hold on to their columns."""
    connection.execute("DROP SCHEMA IF EXISTS raw CASCADE")
    connection.execute("DROP SCHEMA mart CASCADE")
    connection.execute("CREATE SCHEMA mart")
    for name in (STATE, RECORD_FILES, BODIES, TURN):
        connection.execute(f"DROP TABLE IF EXISTS lineage.{quoted(name)}")
    for schema, name in base_tables():
        columns = out.of(schema, name)
        whole = out.whole(schema, name)
        if schema == "core" and (columns or whole):
            connection.execute(f"DROP VIEW current.{quoted(name)}")
        if whole:
            if schema == "core":
                connection.execute(f"DROP MACRO TABLE as_of.{quoted(name)}")
            connection.execute(f"DROP TABLE {schema}.{quoted(name)}")
            continue
        for column in columns:
            connection.execute(f"ALTER TABLE {schema}.{quoted(name)} DROP COLUMN {quoted(column)}")
        if schema == "core" and columns:
            table = tables()[name]
            kept = tuple(column for column in table.columns if column.name not in columns)
            for statement in create_views(replace(table, columns=kept)):
                connection.execute(statement)


def _copy_rows(connection: duckdb.DuckDBPyConnection, source: str, schema: str, name: str, out: Exclusion) -> None:
    """Add the rows of a stored table to the attached copy, as far as they are published."""
    gone = out.of(schema, name)
    columns = [column.name for column in base_tables()[schema, name][1] if column.name not in gone]
    shown = lineage_cells(name, out) if schema == "lineage" else {}
    listed = ", ".join(map(quoted, columns))
    cells = ", ".join(
        f"{shown[column]} AS {quoted(column)}" if column in shown else quoted(column) for column in columns
    )
    table = f"{schema}.{quoted(name)}"
    connection.execute(f"INSERT INTO {COPY}.{table} ({listed}) SELECT {cells} FROM {quoted(source)}.{table}")


def _stamp(connection: duckdb.DuckDBPyConnection, stamp: Stamp) -> None:
    """The one row that tells of the attached copy, whose runs are there already."""
    full = f"{COPY}.lineage.{STAMP}"
    connection.execute(f"CREATE TABLE {full} ({', '.join(f'{name} {sql}' for name, sql, _ in STAMP_COLUMNS)})")
    connection.execute(f"COMMENT ON TABLE {full} IS 'When and from what this copy was made: one row.'")
    for name, _, comment in STAMP_COLUMNS:
        connection.execute(f"COMMENT ON COLUMN {full}.{name} IS {text(comment)}")
    connection.execute(
        f"INSERT INTO {full} "
        f"SELECT $at, (SELECT arg_max(run_id, (started_at, run_id)) FROM {COPY}.lineage.runs), $version, $exclude",
        {"at": stamp.published_at, "version": stamp.software_version, "exclude": list(stamp.exclude)},
    )
