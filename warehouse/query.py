"""Reading: one SELECT over a warehouse that is opened read-only, shown or written to a file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from schemas.errors import StoreError, UsageError
from warehouse.ddl import text
from warehouse.store import Warehouse

COPY_OPTIONS = {
    "csv": "(FORMAT csv, HEADER)",
    "parquet": "(FORMAT parquet, COMPRESSION zstd)",
    "json": "(FORMAT json, ARRAY true)",
}
FORMATS = (*COPY_OPTIONS, "xlsx")
EXCEL_ROWS = 1_048_575
CHUNK = 10_000


class Query:
    """A query on an open warehouse. Raises `UsageError` where it is not one SELECT, or is wrong."""

    def __init__(self, warehouse: Warehouse, sql: str) -> None:
        self.connection = warehouse.connection
        self.sql = sql.strip().rstrip(";")
        try:
            statements = self.connection.extract_statements(self.sql)
        except duckdb.Error as error:
            raise _wrong(error) from error
        reading = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)
        if len(statements) != 1 or statements[0].type not in reading:
            raise UsageError("Only one reading statement is run here; write one SELECT.", sql=self.sql)

    def rows(self) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """Column names, and the rows one after another, never all in memory."""
        try:
            cursor = self.connection.execute(self.sql)
        except duckdb.Error as error:
            raise _wrong(error) from error
        names = [column[0] for column in cursor.description or []]

        def each() -> Iterator[tuple[Any, ...]]:
            while chunk := cursor.fetchmany(CHUNK):
                yield from chunk

        return names, each()

    def write(self, path: Path, layout: str) -> int:
        """Write the result to a file; how many rows. The file appears only when it is whole."""
        beside = path.with_name(f".{path.name}.part")
        try:
            written = self._excel(beside) if layout == "xlsx" else self._copy(beside, layout)
            beside.replace(path)
        except OSError as error:
            message = f"{path} cannot be written ({error.strerror}); name another file."
            raise StoreError(message, path=str(path)) from error
        finally:
            beside.unlink(missing_ok=True)
        return written

    def _copy(self, path: Path, layout: str) -> int:
        try:
            done = self.connection.execute(f"COPY ({self.sql}) TO {text(str(path))} {COPY_OPTIONS[layout]}").fetchone()
        except duckdb.IOException as error:
            raise StoreError(f"The result cannot be written ({error}); name another file.", path=str(path)) from error
        except duckdb.Error as error:
            raise _wrong(error) from error
        return int(done[0]) if done else 0

    def _excel(self, path: Path) -> int:
        """Typed cells; text stays text, whatever it begins with."""
        try:
            frame: pl.DataFrame = self.connection.sql(self.sql).pl()
        except duckdb.Error as error:
            raise _wrong(error) from error
        if frame.height > EXCEL_ROWS:
            raise UsageError(f"A sheet holds {EXCEL_ROWS} rows, this result has {frame.height}; write csv or parquet.")
        import xlsxwriter  # noqa: PLC0415 (only this layout needs it)

        options = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
        with xlsxwriter.Workbook(str(path), options) as book:
            frame.write_excel(book, worksheet="result")
        return frame.height


def _wrong(error: duckdb.Error) -> UsageError:
    first = str(error).split("\n\n")[0].replace("\n", " ")
    return UsageError(f"The query is wrong: {first} Correct it; docs/data-dictionary.md lists tables and columns.")
