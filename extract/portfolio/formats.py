"""Formats of portfolio files: bytes of any of them become a sheet of text cells with line numbers."""

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice
from typing import Any, cast

import polars as pl

from innspect.extract.portfolio.headers import INN, find_columns, is_inn_header
from innspect.extract.portfolio.inn import MIN_INN_SHARE, has_mistyped_inn, inn_share, read_inns

MAX_TITLE_ROWS = 30
"""Rows above the header, such as the title of a report, in which the header is looked for."""
DELIMITERS = ";\t,"
SNIFFED_RECORDS = 50
"""Records from which the delimiter is detected."""
MAX_RECORD_LINES = 50
"""A quoted record with more lines is taken as a stray quote."""

_ZIP_MAGIC, _XLS_MAGIC, _PARQUET_MAGIC = b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"PAR1"
_POLARS_ERRORS = (pl.exceptions.PolarsError, pl.exceptions.PanicException)
_TEXT_SUFFIXES = frozenset({".csv", ".tsv", ".txt"})


class UnknownSheet(ValueError):
    """A file has no sheet of the wanted name."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Rows of a file: `cells` as text under the column names of the file, `lines` with the first line of each row.

    `others(names)` returns these columns as one JSON object per row, with the types of the file. `unread` are the lines
    that are not rows: line, value, reason. `name` is that of the sheet of a workbook.
    """

    cells: pl.DataFrame
    lines: pl.Series
    others: Callable[[Sequence[str]], pl.Series]
    unread: tuple[tuple[int, str, str], ...] = ()
    name: str | None = None


def read_sheet(data: bytes, suffix: str, sheet: str | None = None) -> Sheet:
    """The sheet in these bytes; `suffix` (lower case, or empty) is used only if the content is ambiguous.

    `sheet` names one of a workbook; without it the first with INNs is read. Raises ValueError with the problem of the
    file.
    """
    if data.startswith((_ZIP_MAGIC, _XLS_MAGIC)):
        return _read_workbook(data, sheet)
    if sheet is not None:
        raise UnknownSheet(f"is not a workbook, so it has no sheet {sheet}")
    if data.startswith(_PARQUET_MAGIC):
        return _read_parquet(data)
    if suffix in {".xlsx", ".xls", ".parquet"}:
        raise ValueError(f"is named as {suffix[1:].upper()} and has another content")
    text = _decode(data)
    first = text.lstrip()[:1]
    if suffix in _TEXT_SUFFIXES:
        return _read_text(text)
    if first == "[":
        return _read_json_array(text)
    return _read_json_lines(text) if first == "{" or suffix in {".ndjson", ".jsonl", ".json"} else _read_text(text)


def _decode(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("windows-1251")


def _read_workbook(data: bytes, wanted: str | None) -> Sheet:
    import fastexcel  # noqa: PLC0415 - only workbooks need it

    try:
        workbook = fastexcel.read_excel(data)
        names = workbook.sheet_names
    except (fastexcel.FastExcelError, *_POLARS_ERRORS) as fault:
        raise ValueError("is a damaged workbook") from fault
    if wanted is not None and wanted not in names:
        raise UnknownSheet(f"has no sheet {wanted}, only {', '.join(names)}")
    first: Sheet | None = None
    for name in [wanted] if wanted is not None else names:
        try:
            rows = workbook.load_sheet(name, header_row=None, skip_rows=0, dtypes="string").to_polars()
        except (fastexcel.FastExcelError, *_POLARS_ERRORS) as fault:
            raise ValueError(f"is a damaged workbook (sheet {name})") from fault
        if _filled_rows(rows).len():
            sheet = replace(_grid_sheet(rows, pl.int_range(1, rows.height + 1, eager=True)), name=name)
            if _has_inns(sheet.cells):
                return sheet
            first = first or sheet
    if first is None:
        raise ValueError("is empty")
    return first


def _has_inns(cells: pl.DataFrame) -> bool:
    return INN in find_columns(cells.columns) or any(inn_share(column) > MIN_INN_SHARE for column in cells)


def _read_parquet(data: bytes) -> Sheet:
    try:
        rows = pl.read_parquet(io.BytesIO(data))
    except _POLARS_ERRORS as fault:
        raise ValueError("is damaged Parquet") from fault
    return _object_sheet(enumerate(rows.iter_rows(named=True), 1))


def _read_text(text: str) -> Sheet:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")
    delimiter = _detect_delimiter(lines)
    if delimiter and '"' in text:
        quoted = _read_quoted(lines, delimiter)
        if quoted is not None:
            return _grid_sheet(*quoted)
    rows = pl.DataFrame({"line": lines}, schema={"line": pl.String})
    if delimiter:
        width = _table_width(line.split(delimiter) for line in lines)
        split = pl.col("line").str.split(delimiter)
        rows = rows.select(split.list.get(index, null_on_oob=True).alias(str(index)) for index in range(width))
    return _grid_sheet(rows, pl.int_range(1, rows.height + 1, eager=True))


def _detect_delimiter(lines: Sequence[str]) -> str | None:
    """The delimiter with which most records have the same number of cells; None if each line is one cell."""
    best: tuple[float, int, str] | None = None
    for delimiter in DELIMITERS:
        reader = csv.reader((f"{line}\n" for line in lines if line.strip()), delimiter=delimiter)
        try:
            records = list(islice(reader, SNIFFED_RECORDS))
        except csv.Error:
            continue
        widths = [len(record) for record in records]
        if not widths:
            return None
        header = _find_header(records)
        if header is not None and widths[header] > 1:
            return delimiter
        usual = max(set(widths), key=widths.count)
        share = widths.count(usual) / len(widths)
        if usual > 1 and share >= 0.5 and (best is None or (share, usual) > best[:2]):
            best = (share, usual, delimiter)
    return best[2] if best else None


def _read_quoted(lines: Sequence[str], delimiter: str) -> tuple[pl.DataFrame, pl.Series] | None:
    """The records of a file with quotes; None if a stray quote would join lines, so that quotes must be ignored."""
    end = "\x00end"
    reader = csv.reader((f"{line}\n" for line in (*lines, end)), delimiter=delimiter)
    records: list[list[str]] = []
    starts: list[int] = []
    begun = 1
    try:
        for record in reader:
            if reader.line_num - begun >= MAX_RECORD_LINES:
                return None
            records.append(record)
            starts.append(begun)
            begun = reader.line_num + 1
    except csv.Error:
        return None
    if records.pop() != [end]:
        return None
    width = _table_width(records)
    columns = {
        str(index): [record[index] if index < len(record) else None for record in records] for index in range(width)
    }
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String)), pl.Series(starts[: len(records)])


def _grid_sheet(rows: pl.DataFrame, lines: pl.Series) -> Sheet:
    """A sheet of rows that may begin with a header, without blank rows at both ends."""
    filled_rows = _filled_rows(rows)
    if not filled_rows.len():
        raise ValueError("is empty")
    first, last = int(filled_rows[0]), int(filled_rows[-1])
    top = cast("list[tuple[str | None, ...]]", rows.slice(first, MAX_TITLE_ROWS).rows())
    below_title = _find_header(top)
    has_header = below_title is not None or _is_header(top[0])
    header = first + (below_title or 0)
    head = top[header - first]
    begin = header + int(has_header)
    names = _unique_names([(cell or "").strip() if has_header else "" for cell in head])
    cells = rows.slice(begin, last + 1 - begin)
    cells.columns = names

    def others(chosen: Sequence[str]) -> pl.Series:
        return cells.select(pl.struct(chosen).struct.json_encode()).to_series()

    return Sheet(cells, lines.slice(begin, last + 1 - begin), others)


def _filled_rows(rows: pl.DataFrame) -> pl.Series:
    """The numbers of the rows with text."""
    is_filled = pl.any_horizontal(pl.all().str.strip_chars().fill_null("") != "") if rows.width else pl.lit(value=False)
    return rows.select(is_filled).to_series().arg_true()


def _table_width(records: Iterable[Sequence[str]]) -> int:
    """The number of cells of the header, or of the first record with text."""
    filled = list(islice((record for record in records if any(map(str.strip, record))), MAX_TITLE_ROWS))
    return len(filled[_find_header(filled) or 0]) if filled else 1


def _find_header(records: Sequence[Sequence[str | None]]) -> int | None:
    """The number of the first row with the header of the INNs, at the top or below title rows; None without one.

    A row with that header and an INN is text about the sheet, such as whose report it is.
    """
    for number, record in enumerate(records[:MAX_TITLE_ROWS]):
        cells = [cell or "" for cell in record]
        is_named = any(map(is_inn_header, cells))
        if is_named and number == 0:
            return number
        has_inn = bool(read_inns(pl.Series(cells, dtype=pl.String))["inn"].is_not_null().any())
        if is_named != has_inn:
            return number if is_named else None
    return None


def _is_header(cells: Sequence[str | None]) -> bool:
    """Whether a first row without the header of the INNs is a header."""
    texts = [cell or "" for cell in cells]
    inns = read_inns(pl.Series(texts, dtype=pl.String))
    # A value that only fails its check digits is a mistyped INN, not a column name.
    mistyped = inns["reason"].is_in(["check_digits", "placeholder", "scientific_notation"])
    has_inn = bool((inns["inn"].is_not_null() | mistyped.fill_null(value=False)).any())
    return not has_inn and not any(map(has_mistyped_inn, texts))


def _unique_names(names: Sequence[str]) -> list[str]:
    names_so_far: dict[str, None] = {}
    for number, name in enumerate(names, 1):
        unique = name or f"column_{number}"
        while unique in names_so_far:
            unique = f"{unique}_{number}"
        names_so_far[unique] = None
    return list(names_so_far)


def _read_json_array(text: str) -> Sheet:
    try:
        values: list[Any] = _JSON.decode(text.strip())
    except (ValueError, RecursionError) as fault:
        raise ValueError(f"is not a JSON array ({fault})") from fault
    return _object_sheet(enumerate(values, 1))


def _read_json_lines(text: str) -> Sheet:
    unread: list[tuple[int, str, str]] = []

    def values() -> Iterator[tuple[int, Any]]:
        for number, line in enumerate(text.rstrip().replace("\r\n", "\n").split("\n"), 1):
            try:
                value = _JSON.decode(line.strip()) if line.strip() else None
            except (ValueError, RecursionError):
                unread.append((number, line, "not_json"))
            else:
                yield number, value

    return _object_sheet(values(), unread)


def _object_sheet(values: Iterable[tuple[int, Any]], unread: Sequence[tuple[int, str, str]] = ()) -> Sheet:
    """A sheet of JSON-like values: an object is a row, any other value a row with only an INN.

    The INN column has the spelling of the first row that has one; other spellings in later rows are renamed to it.
    """
    lines: list[int] = []
    rows: list[Mapping[str, Any]] = []
    names: dict[str, None] = {}
    inn = ""
    for line, value in values:
        row = cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {inn or INN: value}
        spelled = next((name for name in row if is_inn_header(name)), "")
        inn = inn or spelled
        if spelled and inn not in row:
            row = {inn if name == spelled else name: cell for name, cell in row.items()}
        lines.append(line)
        rows.append(row)
        names.update(dict.fromkeys(row))
    if not rows:
        raise ValueError("is not JSON: neither an array nor one object per line" if unread else "is empty")
    if not names:
        raise ValueError("has no values")
    cells = pl.DataFrame({name: pl.Series([_text(row.get(name)) for row in rows], dtype=pl.String) for name in names})

    def others(chosen: Sequence[str]) -> pl.Series:
        kept = ({name: row[name] for name in chosen if name in row} for row in rows)
        return pl.Series([_to_json(row) for row in kept], dtype=pl.String)

    return Sheet(cells, pl.Series(lines, dtype=pl.Int64), others, tuple(unread))


_JSON = json.JSONDecoder(parse_float=Decimal, parse_constant=lambda _: None)


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return None if value is None else _replace_surrogates(value)
    if isinstance(value, list):
        parts = cast("list[Any]", value)
        if all(isinstance(part, str | int) for part in parts):
            return _replace_surrogates(",".join(str(part) for part in parts))
    if isinstance(value, bool | list | Mapping):
        return _to_json(cast("Any", value))
    return str(_to_json_value(value)) if isinstance(value, bytes) else str(value)


def _to_json(value: Any) -> str:
    return _replace_surrogates(json.dumps(_to_json_value(value), ensure_ascii=False, allow_nan=False))


def _to_json_value(value: Any) -> Any:
    """The value in JSON types: other types become text, NaN and infinities null."""
    if isinstance(value, Mapping):
        return {str(key): _to_json_value(part) for key, part in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, list):
        return [_to_json_value(part) for part in cast("list[Any]", value)]
    if isinstance(value, float | Decimal):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if value is None or isinstance(value, str | int) else str(value)


def _replace_surrogates(text: str) -> str:
    """The text without lone surrogates, which JSON allows and columns cannot hold."""
    return text.encode("utf-8", "replace").decode("utf-8")
