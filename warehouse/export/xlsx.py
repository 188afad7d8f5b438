"""Query results as XLSX: typed cells, written row by row; text is never a formula."""

import math
import re
from collections.abc import Generator
from contextlib import contextmanager
from datetime import date, datetime, time
from decimal import Decimal
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import duckdb
import xlsxwriter
from xlsxwriter.exceptions import FileCreateError
from xlsxwriter.format import Format
from xlsxwriter.workbook import Workbook
from xlsxwriter.worksheet import Worksheet

from innspect.warehouse.ddl import identifier
from innspect.warehouse.export.csv_json import (
    FORMULA_START,
    SIGN_START,
    ResultColumn,
    iterate_rows,
    result_columns,
    select_expressions,
)

MAX_SHEET_ROWS = 1_048_575
"""Rows of a sheet below its header."""
MAX_CELL_CHARS = 32_767
MAX_SHEET_NAME_CHARS = 31
MAX_EXACT_DIGITS = 15
"""Spreadsheets use floating point: a number with more digits is written as text to stay exact."""
FIRST_DATE = date(1900, 3, 1)
"""Excel treats 1900 as a leap year and would show earlier dates one day off: they are written as text."""
SAMPLE_ROWS, MIN_WIDTH, MAX_WIDTH = 200, 8, 60
"""Column widths in characters are chosen from the first rows."""
NATIVE_TYPES = ("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
    "HUGEINT", "UHUGEINT", "FLOAT", "DOUBLE", "DATE", "TIME", "TIMESTAMP")  # fmt: skip
FORMULA = re.compile(f"{FORMULA_START}|{SIGN_START}")
FORBIDDEN_IN_SHEET_NAME = re.compile(r"[\[\]:*?/\\]")


class WorkbookWriter:
    """Writes results to the sheets of one workbook."""

    def __init__(self, book: Workbook, sheet_rows: int = MAX_SHEET_ROWS) -> None:
        self.book = book
        self.sheet_rows = sheet_rows
        self.truncated_texts = 0
        """Number of texts that were too long for a cell."""
        self.header_format = book.add_format({"bold": True, "bottom": 1})
        self.text_format = book.add_format({"num_format": "@"})
        # With a quote prefix such text stays text even after the cell was edited.
        self.formula_text_format = book.add_format({"num_format": "@", "quote_prefix": True})
        self.date_format = book.add_format({"num_format": "yyyy-mm-dd"})
        self.timestamp_format = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        self.time_format = book.add_format({"num_format": "hh:mm:ss"})
        self._decimal_formats: dict[int, Format] = {}
        self._names = set[str]()

    def add_sheets(self, connection: duckdb.DuckDBPyConnection, query: str, name: str) -> int:
        """Write a result to a sheet, and to further ones if it is too long; returns the number of rows."""
        columns = result_columns(connection, query)
        expressions = [_cell_expression(column) for column in columns]
        rows = iterate_rows(connection, select_expressions(query, columns, expressions))
        formats = [self._decimal_format(column.sql) for column in columns]
        written = 0
        for number in range(1, 10_000):
            first = list(islice(rows, min(SAMPLE_ROWS, self.sheet_rows)))
            if not first and number > 1:
                break
            sheet = self.book.add_worksheet(self._sheet_name(name, number))
            self._write_header(sheet, columns, first)
            row_number = 0
            for row_number, row in enumerate(chain(first, islice(rows, self.sheet_rows - len(first))), 1):
                for column_number, value in enumerate(row):
                    if value is not None:
                        self._write_cell(sheet, row_number, column_number, value, formats[column_number])
            if columns:
                sheet.autofilter(0, 0, row_number, len(columns) - 1)
            written += row_number
        return written

    def _sheet_name(self, name: str, number: int) -> str:
        tail = f" {number}" if number > 1 else ""
        clean = FORBIDDEN_IN_SHEET_NAME.sub(" ", name).strip("'") or "result"
        unique = clean[: MAX_SHEET_NAME_CHARS - len(tail)] + tail
        while unique.lower() in self._names:
            number += 1
            unique = clean[: MAX_SHEET_NAME_CHARS - 1 - len(str(number))] + f" {number}"
        self._names.add(unique.lower())
        return unique

    def _write_header(self, sheet: Worksheet, columns: list[ResultColumn], first: list[tuple[Any, ...]]) -> None:
        sheet.freeze_panes(1, 0)
        for number, column in enumerate(columns):
            longest = max((len(str(row[number])) for row in first if row[number] is not None), default=0)
            sheet.set_column(number, number, min(MAX_WIDTH, max(MIN_WIDTH, longest + 2, len(column.name) + 4)))
            sheet.write_string(0, number, column.name, self.header_format)

    def _decimal_format(self, sql: str) -> Format | None:
        if not sql.startswith("DECIMAL"):
            return None
        scale = int(sql.rpartition(",")[2].rstrip(")"))
        if scale not in self._decimal_formats:
            pattern = "#,##0" + ("." + "0" * scale if scale else "")
            self._decimal_formats[scale] = self.book.add_format({"num_format": pattern})
        return self._decimal_formats[scale]

    def _write_cell(self, sheet: Worksheet, row: int, column: int, value: Any, decimal_format: Format | None) -> None:
        match value:
            case bool():
                sheet.write_boolean(row, column, value)
            case int() | float() | Decimal() if is_exact(value):
                sheet.write_number(row, column, float(value), decimal_format)
            case datetime() if value.date() >= FIRST_DATE:
                sheet.write_datetime(row, column, value, self.timestamp_format)
            case date() if not isinstance(value, datetime) and value >= FIRST_DATE:
                sheet.write_datetime(row, column, cast("datetime", value), self.date_format)
            case time():
                sheet.write_datetime(row, column, cast("datetime", value), self.time_format)
            case _:
                self._write_text(sheet, row, column, str(value))

    def _write_text(self, sheet: Worksheet, row: int, column: int, value: str) -> None:
        """Write text; if it is too long for a cell, truncate it with an ellipsis and count it."""
        if len(value) > MAX_CELL_CHARS:
            self.truncated_texts += 1
            value = value[: MAX_CELL_CHARS - 1] + "…"
        sheet.write_string(row, column, value, self.formula_text_format if FORMULA.match(value) else self.text_format)


def is_exact(value: float | Decimal) -> bool:
    """Whether a spreadsheet can hold the number without loss; a float is as exact as the spreadsheet's own."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, Decimal):
        return len(value.as_tuple().digits) <= MAX_EXACT_DIGITS
    return abs(value) < 10**MAX_EXACT_DIGITS


def _cell_expression(column: ResultColumn) -> str:
    """The SQL expression of the value as a type that a sheet supports, otherwise as text."""
    name = identifier(column.alias)
    if column.sql.startswith("DECIMAL") or column.sql in NATIVE_TYPES:
        return name
    if column.sql in ("TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"):
        return f"{name}::TIMESTAMP"
    if column.sql == "TIMESTAMP WITH TIME ZONE":
        return f"timezone('UTC', {name})"
    return column.text_expression()


@contextmanager
def open_workbook(path: Path, sheet_rows: int = MAX_SHEET_ROWS) -> Generator[WorkbookWriter]:
    """Open a workbook; rows are spilled to temporary files next to `path`. Raises OSError.

    Nothing is written if the body raises.
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
        yield WorkbookWriter(book, sheet_rows)
        try:
            book.close()
        except FileCreateError as error:
            cause = error.args[0] if error.args else error
            raise cause if isinstance(cause, OSError) else OSError(str(error)) from error
