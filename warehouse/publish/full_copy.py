"""Build the read-only copy for BI from an open warehouse; the copy needs neither warehouse nor archive."""

from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

import duckdb

from innspect.schemas.errors import DiskFull, StoreError
from innspect.schemas.tables import tables
from innspect.warehouse.database import CHECKPOINT_LOG_SIZE, Warehouse
from innspect.warehouse.ddl import (
    ASSESSED_RUNS,
    BLOCK_DIGESTS,
    LATEST,
    RECORD_FILES,
    STORED_LIMITS,
    UNPUBLISHED,
    create_latest,
    create_views,
    identifier,
    literal,
    published_tables,
)
from innspect.warehouse.interrupts import interruptible
from innspect.warehouse.lake import WRITE_COUNTER
from innspect.warehouse.latest import fill_latest
from innspect.warehouse.migration import FINGERPRINT_TABLE
from innspect.warehouse.publish.exclude import Exclusion, lineage_expressions
from innspect.warehouse.publish.marts import REDUCED, attach_staging, write_marts

COPY = "published_copy"
COPY_STORAGE_VERSION = "v1.0.0"
"""The oldest storage format that supports all of it: DuckDB 1.0 and later can read the copy."""
INTERNAL_TABLES = (
    FINGERPRINT_TABLE, RECORD_FILES, BLOCK_DIGESTS, ASSESSED_RUNS, WRITE_COUNTER, STORED_LIMITS,
    *(name for _, name in UNPUBLISHED),
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


def build_copy(warehouse: Warehouse, path: Path, exclusion: Exclusion, info: CopyInfo) -> list[str]:
    """Write the copy to a new file and close it; returns sentences about marts that had to be left out.

    Core, lineage and marts are tables, `current` views, `as_of` macros. Raises DiskFull and StoreError; the file is
    unusable then.
    """
    connection = warehouse.cursor()
    try:
        with translate_publish_errors(path):
            source = str(connection.execute("SELECT current_database()").fetchall()[0][0])
            connection.execute(f"ATTACH {literal(str(path))} AS {COPY} (STORAGE_VERSION '{COPY_STORAGE_VERSION}')")
            path.chmod(0o600)
            try:
                connection.execute(f"COPY FROM DATABASE {identifier(source)} TO {COPY} (SCHEMA)")
                connection.execute(f"USE {COPY}")
                if warehouse.is_shared:
                    # In a lake the latest responses are a view, and columns of views have no comments.
                    views = (statement for table in tables().values() for statement in create_views(table))
                    drop = f"DROP VIEW lineage.{identifier(LATEST)}"
                    connection.execute(";\n".join((drop, *create_latest(), *views)))
                _drop_excluded(connection, exclusion)
                with attach_staging(connection, source, COPY, exclusion):
                    return _fill(connection, source, exclusion, info, has_latest_table=not warehouse.is_shared)
            finally:
                # After a full disk the cursor accepts no statement: detach by the warehouse's own connection.
                connection.close()
                warehouse.connection.execute(f"DETACH {COPY}")
    finally:
        connection.close()


@contextmanager
def _transaction(connection: duckdb.DuckDBPyConnection) -> Generator[None]:
    connection.execute("BEGIN")
    try:
        yield
        connection.execute("COMMIT")
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
            f"Publishing at {path.parent} failed ({reason.splitlines()[0]}); correct that and run `innspect publish`.",
            path=str(path),
        ) from error


def _fill(
    connection: duckdb.DuckDBPyConnection, source: str, exclusion: Exclusion, info: CopyInfo, *, has_latest_table: bool
) -> list[str]:
    """Copy all rows and create the marts from them."""
    try:
        with _transaction(connection):
            for schema, name in published_tables():
                if not exclusion.excludes_table(schema, name):
                    _copy_rows(connection, source, schema, name, exclusion)
            # With an exclusion the latest responses are computed from the reduced tables, to disclose nothing else.
            connection.execute(f"USE {REDUCED if exclusion else COPY}")
            latest = f"{identifier(source)}." if has_latest_table and not exclusion else None
            connection.execute(fill_latest(f"{COPY}.", latest))
            _write_info(connection, info)
            sentences = write_marts(connection, source, COPY, exclusion)
            # Write everything into the tables at the commit, without a log file.
            connection.execute("SET checkpoint_threshold = '1KB'")
    finally:
        connection.execute(f"SET checkpoint_threshold = '{CHECKPOINT_LOG_SIZE}'")
    return sentences


def _drop_excluded(connection: duckdb.DuckDBPyConnection, exclusion: Exclusion) -> None:
    """Drop what is not published while the tables are empty; views before the columns that they use."""
    connection.execute("DROP SCHEMA IF EXISTS raw CASCADE")
    connection.execute("DROP SCHEMA mart CASCADE")
    connection.execute("CREATE SCHEMA mart")
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


def _copy_rows(
    connection: duckdb.DuckDBPyConnection, source: str, schema: str, name: str, exclusion: Exclusion
) -> None:
    """Copy the published columns of a stored table."""
    excluded = exclusion.excluded_columns(schema, name)
    columns = [column.name for column in published_tables()[schema, name][1] if column.name not in excluded]
    expressions = lineage_expressions(name, exclusion) if schema == "lineage" else {}
    names = ", ".join(map(identifier, columns))
    cells = ", ".join(f"{expressions.get(column, identifier(column))} AS {identifier(column)}" for column in columns)
    table = f"{schema}.{identifier(name)}"
    connection.execute(f"INSERT INTO {COPY}.{table} ({names}) SELECT {cells} FROM {identifier(source)}.{table}")


def _write_info(connection: duckdb.DuckDBPyConnection, info: CopyInfo) -> None:
    """Create `lineage.published` with its one row; the runs are already copied."""
    table = f"{COPY}.lineage.{INFO_TABLE}"
    connection.execute(f"CREATE TABLE {table} ({', '.join(f'{name} {sql}' for name, sql, _ in INFO_COLUMNS)})")
    connection.execute(f"COMMENT ON TABLE {table} IS 'When and from what this copy was made: one row.'")
    for name, _, comment in INFO_COLUMNS:
        connection.execute(f"COMMENT ON COLUMN {table}.{name} IS {literal(comment)}")
    connection.execute(
        f"INSERT INTO {table} "
        f"SELECT $at, (SELECT arg_max(run_id, (started_at, run_id)) FROM {COPY}.lineage.runs), $version, $exclude",
        {"at": info.published_at, "version": info.software_version, "exclude": list(info.exclude)},
    )
