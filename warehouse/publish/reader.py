"""Read the published copy: readers do not block a run, and queries reach no other file."""

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import datetime
from io import BytesIO
from pathlib import Path
from threading import Timer
from typing import Any, Self, TypeVar
from uuid import uuid4

import duckdb
import polars as pl

from innspect.schemas.errors import StoresHeld, UsageError, WarehouseError, first_line
from innspect.warehouse.database import Warehouse, log_lifted_limit, rising_limits
from innspect.warehouse.ddl import literal
from innspect.warehouse.export.csv_json import write_csv

QUERY_TIMEOUT_SECONDS = 30.0
DATABASE = "published"
MEMORY_LIMIT = "200MB"
"""For `read_copy_in_bounds`: the process that reads it has just made the calls of a run and this copy."""
Result = TypeVar("Result")


class PublishedCopy:
    """The copy at the time of opening; a copy that replaces it later needs another opening.

    Queries can read only this file and change nothing. Raises UsageError if there is no copy, and WarehouseError if the
    file is not a database.
    """

    def __init__(self, path: Path, memory_limit: str | None = None) -> None:
        """`memory_limit`: for DuckDB, which puts temporary files next to the copy then; None: its own."""
        status = require_copy(path)
        # Read before opening: if the copy is replaced in between, cached results belong to the older version.
        self.version = (str(path), status.st_mtime_ns, status.st_ino)
        """Identifies this copy: its successor at the same path has another version."""
        # Attached to an in-memory instance: direct connections to one path share the file that the first of them
        # opened, and would show the old copy as long as any of them is open.
        config: dict[str, str | bool | int | float | list[str]] = {
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        if memory_limit is not None:
            # With this name the next publishing removes what a killed process leaves.
            folder = path.with_name(f".{path.name}.part-{uuid4().hex}")
            config |= {"memory_limit": memory_limit, "temp_directory": str(folder)}
        self.connection = duckdb.connect(":memory:", config=config)
        try:
            self.connection.execute(f"ATTACH {literal(str(path))} AS {DATABASE} (READ_ONLY)")
            self.connection.execute(f"USE {DATABASE}")
            self.connection.execute("SET enable_external_access = false")
            self.connection.execute("SET enable_progress_bar = false")
            self.connection.execute("SET lock_configuration = true")
        except duckdb.Error as error:
            self.connection.close()
            raise WarehouseError(
                f"The published copy {path} cannot be read ({first_line(error)}); `innspect publish` creates it again.",
                path=str(path),
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def query(self, query: str, parameters: dict[str, Any] | None = None) -> pl.DataFrame:
        """The rows of a query. Raises WarehouseError if the copy lacks a table or column."""
        with _translate_missing_data(query):
            return self.connection.sql(query, params=parameters).pl()

    def create_temp_table(self, name: str, query: str, parameters: dict[str, Any] | None = None) -> None:
        """Store the rows of a query in memory as a table for later queries. Raises WarehouseError as `query` does."""
        with _translate_missing_data(query):
            self.connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {query}", parameters)

    def select_limited(self, query: str, limit: int, seconds: float = QUERY_TIMEOUT_SECONDS) -> pl.DataFrame:
        """At most `limit` rows of a user's query, interrupted after `seconds`.

        Raises UsageError if it is not one SELECT, is invalid, or takes too long or too much memory.
        """
        timer = Timer(seconds, self.connection.interrupt)
        try:
            statements = self.connection.extract_statements(query.strip().rstrip(";"))
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise UsageError("Only one SELECT statement is allowed here.", sql=query)
            timer.start()
            return self.connection.sql(statements[0].query).limit(limit).pl()
        except duckdb.InterruptException as error:
            raise UsageError(
                f"The query took more than {seconds:g} seconds and was interrupted; select fewer rows.", sql=query
            ) from error
        except (duckdb.Error, pl.exceptions.PolarsError) as error:
            first = str(error).split("\n\n")[0].replace("\n", " ").rstrip(" .!?")
            raise UsageError(
                f"The query is invalid: {first}; correct it, docs/data-dictionary.md lists tables and columns.",
                sql=query,
            ) from error
        finally:
            timer.cancel()


@contextmanager
def _translate_missing_data(query: str) -> Generator[None]:
    try:
        yield
    except (duckdb.CatalogException, duckdb.BinderException) as error:
        raise WarehouseError(
            f"The published copy lacks data for this page ({first_line(error)}); unless publish.exclude "
            "excludes it, run `innspect publish`.",
            query=query,
        ) from error


def require_copy(path: Path) -> os.stat_result:
    """The status of the file of a copy. Raises UsageError if there is none."""
    try:
        return path.stat()
    except OSError:
        raise UsageError(
            f"There is no published copy at {path}; `innspect publish` creates one, and so does each run.",
            path=str(path),
        ) from None


def find_publication_time(copy: Warehouse | PublishedCopy) -> datetime:
    """When an open copy was made, UTC."""
    return copy.query("SELECT published_at FROM lineage.published").item()


@contextmanager
def translate_missing_tables(path: Path) -> Generator[None]:
    """Raise StoresHeld if the copy at `path`, which is read in place of the warehouse, lacks a table or column."""
    try:
        yield
    except (duckdb.CatalogException, duckdb.BinderException) as error:
        raise StoresHeld(
            f"Another process writes to the warehouse, and the published copy {path} lacks what this command reads "
            f"({first_line(error)}); wait until that process ends.",
            path=str(path),
        ) from error


def as_csv(frame: pl.DataFrame) -> bytes:
    """A frame as CSV in UTF-8 with a byte order mark; text that a spreadsheet would run as a formula is escaped."""
    out = BytesIO(b"\xef\xbb\xbf")
    out.seek(0, 2)
    with duckdb.connect(":memory:") as connection:
        connection.register("frame", frame.to_arrow())
        write_csv(connection, "SELECT * FROM frame", out)
    return out.getvalue()


def read_copy_in_bounds(path: Path, read: Callable[[PublishedCopy], Result], limit: str = MEMORY_LIMIT) -> Result:
    """Call `read` with the copy and a limit of memory; if that is too low, with a higher one, then without."""
    for bound in rising_limits(limit):
        try:
            with PublishedCopy(path, bound) as copy:
                return read(copy)
        except duckdb.OutOfMemoryException as error:
            log_lifted_limit(bound, error)
    with PublishedCopy(path) as copy:
        return read(copy)
