"""Run one SELECT on a warehouse that is opened read-only; show the result or write it to a file."""

import errno
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import duckdb

from innspect.schemas.errors import DiskFull, StoreError, UsageError, file_problem, first_line
from innspect.warehouse.database import Warehouse
from innspect.warehouse.export.csv_json import (
    CHUNK_ROWS,
    Start,
    StartedQuery,
    start_at_once,
    start_query,
    write_csv,
    write_json,
    write_parquet,
)
from innspect.warehouse.interrupts import interruptible

FORMATS = ("csv", "json", "parquet", "xlsx")
SHEET = "result"


class Query:
    """A query on an open warehouse. Raises UsageError if it is not one SELECT, or is invalid.

    `raw_text`: do not escape text in CSV that a spreadsheet would run as a formula.
    """

    def __init__(self, warehouse: Warehouse, sql: str, *, raw_text: bool = False) -> None:
        self.warehouse, self.connection = warehouse, warehouse.connection
        self.raw_text = raw_text
        self.truncated_texts = 0
        """Number of texts that were too long for a sheet's cell."""
        try:
            statements = self.connection.extract_statements(sql)
        except duckdb.Error as error:
            raise _invalid_query(error) from error
        allowed = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)
        if not statements:
            raise UsageError("The query is empty; write one SELECT statement.", sql=sql)
        if len(statements) != 1 or statements[0].type not in allowed:
            raise UsageError("Only one SELECT statement is allowed here.", sql=sql)
        self.is_explain = statements[0].type == duckdb.StatementType.EXPLAIN
        self.sql = _without_semicolon(statements[0].query)

    def rows(self) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """Column names, and an iterator over the rows, which are read in chunks."""
        with self._translate_errors():
            cursor, first = self._start(lambda: start_query(self.connection, self.sql))
        names = [column[0] for column in cursor.description or []]

        def iterate() -> Iterator[tuple[Any, ...]]:
            with self._translate_errors():
                chunk = first
                while chunk:
                    yield from chunk
                    chunk = cursor.fetchmany(CHUNK_ROWS)

        return names, iterate()

    def _start(self, start: Callable[[], StartedQuery]) -> StartedQuery:
        """Start a query whose rows leave this process with a limit of memory, which ends with the first of them.

        Afterwards it could not be repeated without one.
        """
        return self.warehouse.run_in_bounds(start, is_threaded=True)

    @contextmanager
    def _translate_errors(self) -> Generator[None]:
        try:
            with interruptible():
                yield
        except duckdb.Error as error:
            raise _invalid_query(error) from error

    def stream(self, out: IO[bytes], file_format: str) -> int:
        """Write the result as CSV or JSON to a stream; returns the number of rows."""
        with self._translate_errors():
            return self._write_to(out, file_format, self._start)

    def _write_to(self, out: IO[bytes], file_format: str, start: Start = start_at_once) -> int:
        if file_format == "csv":
            return write_csv(self.connection, self.sql, out, start, raw_text=self.raw_text)
        return write_json(self.connection, self.sql, out, start)

    def write(self, path: Path, file_format: str) -> int:
        """Write the result to a file, which is created only when complete; returns the number of rows.

        A missing folder is created. Raises UsageError for a file that cannot be written, DiskFull and StoreError.
        """
        writers: dict[str, Callable[[Path], int]] = {
            "parquet": lambda part: write_parquet(self.connection, self.sql, part),
            "xlsx": self._write_workbook,
        }
        part = path.with_name(f".{path.name}.part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            part.touch()
            if file_format in writers:
                with interruptible():
                    written = self.warehouse.run_in_bounds(lambda: writers[file_format](part))
            else:
                with self._translate_errors():
                    written = self.warehouse.run_in_bounds(lambda: self._write_stream(part, file_format))
            part.replace(path)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise _disk_full(path) from error
            message = f"The result {path} cannot be written ({file_problem(error)}); name another file with --out."
            raise UsageError(message, path=str(path)) from error
        except duckdb.IOException as error:
            if "No space left" in str(error):
                raise _disk_full(path) from error
            message = f"The result {path} cannot be written ({first_line(error)}); name another file with --out."
            raise StoreError(message, path=str(path)) from error
        except duckdb.Error as error:
            raise _invalid_query(error) from error
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
        return written

    def _write_stream(self, path: Path, file_format: str) -> int:
        with path.open("wb") as out:
            return self._write_to(out, file_format)

    def _write_workbook(self, path: Path) -> int:
        from innspect.warehouse.export.xlsx import open_workbook  # noqa: PLC0415 (slow import, only for workbooks)

        with open_workbook(path) as book:
            written = book.add_sheets(self.connection, self.sql, SHEET)
        self.truncated_texts = book.truncated_texts
        return written


def _without_semicolon(sql: str) -> str:
    """One statement without its semicolon, which a comment may follow."""
    for offset, _ in reversed(duckdb.tokenize(sql)):
        if sql.encode()[offset : offset + 1] == b";":
            return sql.encode()[:offset].decode()
    return sql


def _disk_full(path: Path) -> DiskFull:
    return DiskFull(f"No space is left for {path}; free some, or name a file on another disk.", path=str(path))


def _invalid_query(error: duckdb.Error) -> UsageError:
    first = str(error).split("\n\n")[0].replace("\n", " ").rstrip(" .!?")
    return UsageError(f"The query is invalid: {first}; correct it, docs/data-dictionary.md lists tables and columns.")
