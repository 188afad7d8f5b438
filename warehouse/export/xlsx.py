"""Results as XLSX: typed cells, written row by row; text is text, whatever it begins with."""

import math
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from datetime import date, datetime, time
from decimal import Decimal
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import duckdb
import xlsxwriter
from xlsxwriter.exceptions import FileCreateError
from xlsxwriter.format import Format
from xlsxwriter.workbook import Workbook
from xlsxwriter.worksheet import Worksheet

from innspect.warehouse.ddl import quoted
from innspect.warehouse.export.csv_json import SIGN, TRIGGER, Cell, cells, each, projected

SHEET_ROWS = 1_048_575
"""Rows of a sheet below its header."""
LONGEST_TEXT = 32_767
LONGEST_NAME = 31
EXACT_DIGITS = 15
"""A spreadsheet counts in floating point: what has more digits than this stays exact only as text."""
FIRST_DAY = date(1900, 3, 1)
"""Excel takes 1900 for a leap year, so earlier days would be shown a day off: they are text."""
WIDTH_ROWS, NARROWEST, WIDEST = 200, 8, 60
PLAIN = ("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
    "HUGEINT", "UHUGEINT", "FLOAT", "DOUBLE", "DATE", "TIME", "TIMESTAMP")  # fmt: skip
FORMULA = re.compile(f"{TRIGGER}|{SIGN}")
FORBIDDEN = re.compile(r"[\[\]:*?/\\]")


class Book:
    """A workbook under way: formats, and what had to be cut."""

    def __init__(self, book: Workbook, sheet_rows: int = SHEET_ROWS) -> None:
        self.book = book
        self.sheet_rows = sheet_rows
        self.cut = 0
        """Texts that were longer than a cell can be."""
        self.head = book.add_format({"bold": True, "bottom": 1})
        self.word = book.add_format({"num_format": "@"})
        # What looks like a formula stays text also after somebody has edited the cell.
        self.like_formula = book.add_format({"num_format": "@", "quote_prefix": True})
        self.day = book.add_format({"num_format": "yyyy-mm-dd"})
        self.instant = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        self.hour = book.add_format({"num_format": "hh:mm:ss"})
        self._decimals: dict[int, Format] = {}
        self._names = set[str]()

    def add(self, connection: duckdb.DuckDBPyConnection, query: str, name: str) -> int:
        """Write a result to a sheet, and to further ones where it is longer than one can be; how many rows."""
        columns = cells(connection, query)
        rows = each(connection, projected(query, columns, [_plain(cell) for cell in columns]))
        formats = [self._decimal(cell.sql) for cell in columns]
        written = 0
        for number in range(1, 10_000):
            first = list(islice(rows, min(WIDTH_ROWS, self.sheet_rows)))
            if not first and number > 1:
                break
            sheet = self.book.add_worksheet(self._sheet_name(name, number))
            self._head(sheet, columns, first)
            place = 0
            for place, row in enumerate(_both(first, islice(rows, self.sheet_rows - len(first))), 1):
                for column, value in enumerate(row):
                    if value is not None:
                        self._write(sheet, place, column, value, formats[column])
            if columns:
                sheet.autofilter(0, 0, place, len(columns) - 1)
            written += place
        return written

    def _sheet_name(self, name: str, number: int) -> str:
        tail = f" {number}" if number > 1 else ""
        clean = FORBIDDEN.sub(" ", name).strip("'") or "result"
        found = clean[: LONGEST_NAME - len(tail)] + tail
        while found.lower() in self._names:
            number += 1
            found = clean[: LONGEST_NAME - 1 - len(str(number))] + f" {number}"
        self._names.add(found.lower())
        return found

    def _head(self, sheet: Worksheet, columns: list[Cell], first: list[tuple[Any, ...]]) -> None:
        sheet.freeze_panes(1, 0)
        for place, cell in enumerate(columns):
            longest = max((len(str(row[place])) for row in first if row[place] is not None), default=0)
            sheet.set_column(place, place, min(WIDEST, max(NARROWEST, longest + 2, len(cell.name) + 4)))
            sheet.write_string(0, place, cell.name, self.head)

    def _decimal(self, sql: str) -> Format | None:
        if not sql.startswith("DECIMAL"):
            return None
        scale = int(sql.rpartition(",")[2].rstrip(")"))
        if scale not in self._decimals:
            pattern = "#,##0" + ("." + "0" * scale if scale else "")
            self._decimals[scale] = self.book.add_format({"num_format": pattern})
        return self._decimals[scale]

    def _write(self, sheet: Worksheet, row: int, column: int, value: Any, number: Format | None) -> None:
        write = WRITERS.get(type(value))
        if write is None or not write(self, sheet, row, column, value, number):
            self.text(sheet, row, column, str(value))

    def text(self, sheet: Worksheet, row: int, column: int, value: str) -> None:
        """A cell of text; one that is too long is cut, ends with an ellipsis and is counted."""
        if len(value) > LONGEST_TEXT:
            self.cut += 1
            value = value[: LONGEST_TEXT - 1] + "…"
        sheet.write_string(row, column, value, self.like_formula if FORMULA.match(value) else self.word)


Writer = Callable[[Book, Worksheet, int, int, Any, Format | None], bool]


def _flag(_: Book, sheet: Worksheet, row: int, column: int, value: bool, number: Format | None) -> bool:
    del number
    sheet.write_boolean(row, column, value)
    return True


def _number(_: Book, sheet: Worksheet, row: int, column: int, value: Any, number: Format | None) -> bool:
    if isinstance(value, float):
        exact = math.isfinite(value)
    elif isinstance(value, Decimal):
        exact = len(value.as_tuple().digits) <= EXACT_DIGITS
    else:
        exact = abs(value) < 10**EXACT_DIGITS
    if exact:
        sheet.write_number(row, column, float(value), number)
    return exact


def _moment(book: Book, sheet: Worksheet, row: int, column: int, value: date, number: Format | None) -> bool:
    del number
    instant = isinstance(value, datetime)
    if (value.date() if isinstance(value, datetime) else value) < FIRST_DAY:
        return False
    sheet.write_datetime(row, column, cast("datetime", value), book.instant if instant else book.day)
    return True


def _hour(book: Book, sheet: Worksheet, row: int, column: int, value: time, number: Format | None) -> bool:
    del number
    sheet.write_datetime(row, column, cast("datetime", value), book.hour)
    return True


WRITERS: dict[type, Writer] = {
    bool: _flag,
    int: _number,
    float: _number,
    Decimal: _number,
    date: _moment,
    datetime: _moment,
    time: _hour,
}


def _both(first: list[tuple[Any, ...]], rest: Iterator[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    yield from first
    yield from rest


def _plain(cell: Cell) -> str:
    """The cell as a type that a sheet has, else as text."""
    name = quoted(cell.alias)
    if cell.sql.startswith("DECIMAL") or cell.sql in PLAIN:
        return name
    if cell.sql in ("TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"):
        return f"{name}::TIMESTAMP"
    if cell.sql == "TIMESTAMP WITH TIME ZONE":
        return f"timezone('UTC', {name})"
    return cell.text()


@contextmanager
def workbook(path: Path, sheet_rows: int = SHEET_ROWS) -> Generator[Book]:
    """A workbook that is written row by row, beside the target on the same disk. Raises OSError.

    Where the work inside ends early, nothing is written.
    """
    with TemporaryDirectory(dir=path.parent, prefix=f".{path.name}-") as folder:
        options = {
            "constant_memory": True,
            "tmpdir": folder,
            "strings_to_formulas": False,
            "strings_to_urls": False,
            "strings_to_numbers": False,
        }
        book = xlsxwriter.Workbook(str(path), options)
        book.use_zip64()
        yield Book(book, sheet_rows)
        try:
            book.close()
        except FileCreateError as error:
            cause = error.args[0] if error.args else error
            raise cause if isinstance(cause, OSError) else OSError(str(error)) from error
