"""Sheets of a workbook for people: heads in words, typed cells, days as the language writes them."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from textwrap import shorten
from typing import Any

from xlsxwriter import Workbook
from xlsxwriter.worksheet import Worksheet

from innspect.reports.i18n.catalog import Translations
from innspect.warehouse.export.xlsx import (
    FIRST_DATE,
    FORBIDDEN_IN_SHEET_NAME,
    MAX_CELL_CHARS,
    MAX_SHEET_NAME_CHARS,
    is_exact,
)

MIN_WIDTH, MAX_WIDTH = 9, 60
WORKBOOK_OPTIONS = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
"""Options of a workbook in which text is never a formula."""


class WorkbookSheets:
    """The sheets of a workbook; names are made valid and unique.

    Instants are written as they are given, without a zone. A spreadsheet shows the separators of its own language.
    """

    def __init__(self, book: Workbook, t: Translations) -> None:
        self.book = book
        day = t.date_pattern.lower()
        self.head = book.add_format({"bold": True, "bottom": 1, "text_wrap": True, "valign": "top"})
        self.day = book.add_format({"num_format": day})
        self.moment = book.add_format({"num_format": f"{day} hh:mm:ss"})
        self.money = book.add_format({"num_format": "#,##0.00"})
        self.names = set[str]()

    def add(self, title: str, heads: Sequence[str] | None, rows: Iterable[Sequence[Any]]) -> None:
        """Add a sheet; with heads its first row stays in sight and filters the others."""
        sheet: Worksheet = self.book.add_worksheet(self._name(title))
        widths: dict[int, int] = {}
        start = last = 0
        if heads is not None:
            for column, head in enumerate(heads):
                sheet.write_string(0, column, head, self.head)
                widths[column] = len(head)
            sheet.freeze_panes(1, 0)
            start = 1
        for last, row in enumerate(rows, start):
            for column, value in enumerate(row):
                widths[column] = max(widths.get(column, 0), self._write(sheet, last, column, value))
        if heads:
            sheet.autofilter(0, 0, last, len(heads) - 1)
        for column, width in widths.items():
            sheet.set_column(column, column, min(MAX_WIDTH, max(MIN_WIDTH, width + 2)))

    def _name(self, title: str) -> str:
        valid = FORBIDDEN_IN_SHEET_NAME.sub(" ", title)
        if len(valid) > MAX_SHEET_NAME_CHARS:
            # A remark in parentheses goes first, then whole words.
            valid = valid.partition(" (")[0]
        clean = shorten(valid, MAX_SHEET_NAME_CHARS, placeholder="") or valid[:MAX_SHEET_NAME_CHARS]
        name, number = clean, 2
        while name.lower() in self.names:
            name, number = f"{clean[: MAX_SHEET_NAME_CHARS - 3]} {number}", number + 1
        self.names.add(name.lower())
        return name

    def _write(self, sheet: Worksheet, row: int, column: int, value: Any) -> int:
        """Write a value and return the width of its text."""
        match value:
            case None:
                return 0
            case bool():
                sheet.write_boolean(row, column, value)
                return 6
            case int() | float() if is_exact(value):
                sheet.write_number(row, column, value)
            case Decimal() if is_exact(value):
                sheet.write_number(row, column, float(value), self.money)
            case datetime() if value.date() >= FIRST_DATE:
                sheet.write_datetime(row, column, value, self.moment)
            case date() if not isinstance(value, datetime) and value >= FIRST_DATE:
                sheet.write_datetime(row, column, datetime.combine(value, time()), self.day)
            case list():
                return self._write(sheet, row, column, ", ".join(map(str, value)))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
            case _:
                sheet.write_string(row, column, str(value)[:MAX_CELL_CHARS])
        return len(str(value))
