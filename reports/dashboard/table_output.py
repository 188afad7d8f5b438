"""A table outside of Streamlit's grid: HTML for a phone and for paper, and a workbook."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from html import escape
from io import BytesIO
from typing import Any
from urllib.parse import urlencode

import polars as pl
from xlsxwriter import Workbook

from innspect.reports.dashboard import url_state
from innspect.reports.dashboard.badges import html_table
from innspect.reports.i18n.catalog import DASH, Translations
from innspect.reports.workbook_sheets import WORKBOOK_OPTIONS, WorkbookSheets

MAX_PAPER_ROWS = 200
"""Rows on a phone and on paper; the others are in the workbook."""
XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
DECIMALS = {"%.1f": 1, "%.2f": 2}


def column_title(name: str, config: Any) -> str:
    """The title of a column by its Streamlit configuration."""
    return str((config or {}).get("label") or name)


def company_address(inn: str) -> str:
    """The address of a company's page relative to any page, with the filter of this one."""
    return "company?" + urlencode([*url_state.shared_parameters(), ("inn", inn)])


def company_link(inn: str, text: str) -> str:
    """A link to a company's page as HTML."""
    return f'<a href="{escape(company_address(inn))}" target="_self">{escape(text)}</a>'


def paper_table(
    frame: pl.DataFrame, columns: Mapping[str, Any], t: Translations, total: int, *, link: str | None = None
) -> str:
    """The first of `total` rows (instants in UTC) as HTML; cells of the column `link` lead to the company."""
    heads = [column_title(name, config) for name, config in columns.items()]
    rows = [
        [_paper_cell(row, name, config, t, link) for name, config in columns.items()]
        for row in frame.head(MAX_PAPER_ROWS).iter_rows(named=True)
    ]
    numeric = [number for number, config in enumerate(columns.values()) if _column_type(config).get("type") == "number"]
    rest = ""
    if total > MAX_PAPER_ROWS:
        words = t("paper_rows", shown=t.number(MAX_PAPER_ROWS), total=t.number(total))
        rest = f'<p class="sub">{escape(words)}</p>'
    return f'<div class="paper">{html_table(heads, rows, numeric=numeric)}{rest}</div>'


def _paper_cell(row: Mapping[str, Any], name: str, config: Any, t: Translations, link: str | None) -> str:
    text = cell_text(row[name], config, t)
    return company_link(str(row["inn"]), text) if name == link else escape(text)


def _column_type(config: Any) -> dict[str, Any]:
    """The type and format of a column by its Streamlit configuration."""
    return (config or {}).get("type_config") or {}


def cell_text(value: Any, config: Any, t: Translations) -> str:
    """A value as Streamlit's grid would show it, in the notation of the language; a dash for none."""
    column_type = _column_type(config)
    pattern = str(column_type.get("format") or "")
    match value:
        case None | "":
            return DASH
        case bool():
            return t("true" if value else "false")
        case datetime() if column_type.get("type") == "date":
            return t.date(value)
        case int() | float() if pattern == "%d":
            return str(int(value))
        case int() | float() if pattern.endswith("%%"):
            return f"{t.number(value)} %"
        case float() if pattern in DECIMALS:
            return t.number(value, DECIMALS[pattern])
        case _:
            return format_value(value, t)


def format_value(value: Any, t: Translations) -> str:
    """A value that is not NULL as text."""
    if isinstance(value, bool):
        return t("true" if value else "false")
    if isinstance(value, Decimal):
        return t.number(value, 2)
    if isinstance(value, int | float):
        return t.number(value, 0 if float(value).is_integer() else 1)
    if isinstance(value, datetime):
        return t.date_time(value)
    if isinstance(value, date):
        return t.date(value)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def table_workbook(title: str, heads: Sequence[str], rows: pl.DataFrame, t: Translations) -> bytes:
    """A workbook of one sheet with a head for each column of the frame; instants as they are given."""
    out = BytesIO()
    with Workbook(out, WORKBOOK_OPTIONS) as book:
        WorkbookSheets(book, t).add(title, heads, rows.iter_rows())
    return out.getvalue()
