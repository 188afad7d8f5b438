"""Reading: one SELECT over a warehouse that is opened read-only, shown or written to a file."""

import errno
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import duckdb

from innspect.schemas.errors import DiskFull, StoreError, UsageError
from innspect.warehouse.database import Warehouse
from innspect.warehouse.export.csv_json import CHUNK, write_csv, write_json, write_parquet
from innspect.warehouse.interrupts import interruptible

FORMATS = ("csv", "json", "parquet", "xlsx")
SHEET = "result"


class Query:
    """A query on an open warehouse. Raises `UsageError` where it is not one SELECT, or is wrong.

    `raw_text`: text goes to CSV as it is, also where a spreadsheet would take it for a formula.
    """

    def __init__(self, warehouse: Warehouse, sql: str, *, raw_text: bool = False) -> None:
        self.connection = warehouse.connection
        self.raw_text = raw_text
        self.cut = 0
        """Texts that a sheet could not hold whole."""
        try:
            statements = self.connection.extract_statements(sql)
        except duckdb.Error as error:
            raise _wrong(error) from error
        reading = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)
        if len(statements) != 1 or statements[0].type not in reading:
            raise UsageError("Only one reading statement is run here; write one SELECT.", sql=sql)
        self.explains = statements[0].type == duckdb.StatementType.EXPLAIN
        self.sql = _without_end(statements[0].query)

    def rows(self) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
        """Column names, and the rows one after another, never all in memory."""
        with self._read():
            cursor = self.connection.execute(self.sql)
        names = [column[0] for column in cursor.description or []]

        def each() -> Iterator[tuple[Any, ...]]:
            with self._read():
                while chunk := cursor.fetchmany(CHUNK):
                    yield from chunk

        return names, each()

    @contextmanager
    def _read(self) -> Generator[None]:
        try:
            with interruptible():
                yield
        except duckdb.Error as error:
            raise _wrong(error) from error

    def stream(self, out: IO[bytes], layout: str) -> int:
        """Write the result as CSV or JSON to a stream; how many rows."""
        with self._read():
            if layout == "csv":
                return write_csv(self.connection, self.sql, out, raw_text=self.raw_text)
            return write_json(self.connection, self.sql, out)

    def write(self, path: Path, layout: str) -> int:
        """Write the result to a file; how many rows. The file appears only when it is whole.

        Raises DiskFull and StoreError.
        """
        writers: dict[str, Callable[[Path], int]] = {
            "parquet": lambda beside: write_parquet(self.connection, self.sql, beside),
            "xlsx": self._excel,
        }
        beside = path.with_name(f".{path.name}.part")
        try:
            with interruptible():
                written = writers.get(layout, lambda beside: self._streamed(beside, layout))(beside)
            beside.replace(path)
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            raise _unwritten(path, error.strerror or str(error), full=full) from error
        except duckdb.IOException as error:
            raise _unwritten(path, str(error), full="No space left" in str(error)) from error
        except duckdb.Error as error:
            raise _wrong(error) from error
        finally:
            beside.unlink(missing_ok=True)
        return written

    def _streamed(self, path: Path, layout: str) -> int:
        with path.open("wb") as out:
            return self.stream(out, layout)

    def _excel(self, path: Path) -> int:
        from innspect.warehouse.export.xlsx import workbook  # noqa: PLC0415 (only who wants a workbook pays for what writes it)

        with workbook(path) as book:
            written = book.add(self.connection, self.sql, SHEET)
        self.cut = book.cut
        return written


def _without_end(sql: str) -> str:
    """One statement without its semicolon, which may have a comment after it."""
    for place, _ in reversed(duckdb.tokenize(sql)):
        if sql.encode()[place : place + 1] == b";":
            return sql.encode()[:place].decode()
    return sql


def _unwritten(path: Path, reason: str, *, full: bool) -> StoreError:
    if full:
        return DiskFull(f"No space is left for {path}; free some, or name a file on another disk.", path=str(path))
    return StoreError(f"{path} cannot be written ({reason.splitlines()[0]}); name another file.", path=str(path))


def _wrong(error: duckdb.Error) -> UsageError:
    first = str(error).split("\n\n")[0].replace("\n", " ")
    return UsageError(f"The query is wrong: {first} Correct it; docs/data-dictionary.md lists tables and columns.")
