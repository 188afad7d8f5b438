"""Files of portfolios: bytes of any format become one sheet of text cells with the line of each row."""

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import Any, cast

import polars as pl

from innspect.extract.portfolio.inn import read_inns

INN_NAMES = ("inn", "инн")
DELIMITERS = ";\t,"
SNIFFED = 50
"""Records that the delimiter is guessed from."""
LONGEST_RECORD = 50
"""Lines of a quoted record beyond which a stray quote is the better explanation."""

_ZIP, _OLD_EXCEL, _PARQUET = b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"PAR1"
_POLARS = (pl.exceptions.PolarsError, pl.exceptions.PanicException)
_GRID_SUFFIXES = frozenset({".csv", ".tsv", ".txt"})


@dataclass(frozen=True, slots=True)
class Sheet:
    """Rows of a file: `cells` are text under the file's own column names, `lines` the line that each begins on.

    `others(names)` is one JSON object a row of those columns, in the types that the file has. `unread` are lines that
    are no row: line, value, reason.
    """

    cells: pl.DataFrame
    lines: pl.Series
    others: Callable[[Sequence[str]], pl.Series]
    unread: tuple[tuple[int, str, str], ...] = ()


def read_sheet(data: bytes, suffix: str) -> Sheet:
    """The sheet in these bytes; `suffix` (lower case, or empty) decides only where the content does not.

    Raises ValueError saying what is wrong with the file.
    """
    if data.startswith((_ZIP, _OLD_EXCEL)):
        return _workbook(data)
    if data.startswith(_PARQUET):
        return _parquet(data)
    if suffix in {".xlsx", ".xls", ".parquet"}:
        raise ValueError(f"is not the {suffix[1:]} that its name says")
    text = _decoded(data)
    first = text.lstrip()[:1]
    if suffix in _GRID_SUFFIXES:
        return _delimited(text)
    if first == "[":
        return _array(text)
    return _json_lines(text) if first == "{" or suffix in {".ndjson", ".jsonl", ".json"} else _delimited(text)


def _decoded(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("windows-1251")


def _workbook(data: bytes) -> Sheet:
    from fastexcel import FastExcelError  # noqa: PLC0415 - only workbooks need it

    try:
        rows = pl.read_excel(
            io.BytesIO(data),
            has_header=False,
            infer_schema_length=0,
            drop_empty_rows=False,
            drop_empty_cols=False,
            raise_if_empty=False,
            # Rows above the first filled one count, so that lines are the rows of the workbook.
            read_options={"skip_rows": 0},
        )
    except (FastExcelError, *_POLARS) as fault:
        raise ValueError("is a damaged workbook") from fault
    return _grid(rows, pl.int_range(1, rows.height + 1, eager=True))


def _parquet(data: bytes) -> Sheet:
    try:
        rows = pl.read_parquet(io.BytesIO(data))
    except _POLARS as fault:
        raise ValueError("is damaged Parquet") from fault
    return _objects(enumerate(rows.iter_rows(named=True), 1))


def _delimited(text: str) -> Sheet:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")
    delimiter = _delimiter(lines)
    if delimiter and '"' in text:
        quoted = _quoted(lines, delimiter)
        if quoted is not None:
            return _grid(*quoted)
    rows = pl.DataFrame({"line": lines}, schema={"line": pl.String})
    if delimiter:
        width = next((line for line in lines if line.strip(f" {delimiter}")), "").count(delimiter) + 1
        split = pl.col("line").str.split(delimiter)
        rows = rows.select(split.list.get(place, null_on_oob=True).alias(str(place)) for place in range(width))
    return _grid(rows, pl.int_range(1, rows.height + 1, eager=True))


def _delimiter(lines: Sequence[str]) -> str | None:
    """The delimiter under which most records have the same number of cells; None where each line is one cell."""
    best: tuple[float, int, str] | None = None
    for delimiter in DELIMITERS:
        reader = csv.reader((f"{line}\n" for line in lines if line.strip()), delimiter=delimiter)
        try:
            records = list(islice(reader, SNIFFED))
        except csv.Error:
            continue
        widths = [len(record) for record in records]
        if not widths:
            return None
        if widths[0] > 1 and any(_names_inn(cell) for cell in records[0]):
            return delimiter
        usual = max(set(widths), key=widths.count)
        share = widths.count(usual) / len(widths)
        if usual > 1 and share >= 0.5 and (best is None or (share, usual) > best[:2]):
            best = (share, usual, delimiter)
    return best[2] if best else None


def _quoted(lines: Sequence[str], delimiter: str) -> tuple[pl.DataFrame, pl.Series] | None:
    """The records of a file with quotes; None where a stray quote swallows lines, so that quotes mean nothing."""
    end = "\x00end"
    reader = csv.reader((f"{line}\n" for line in (*lines, end)), delimiter=delimiter)
    records: list[list[str]] = []
    starts: list[int] = []
    begun = 1
    try:
        for record in reader:
            if reader.line_num - begun >= LONGEST_RECORD:
                return None
            records.append(record)
            starts.append(begun)
            begun = reader.line_num + 1
    except csv.Error:
        return None
    if records.pop() != [end]:
        return None
    width = len(next((record for record in records if any(map(str.strip, record))), [""]))
    columns = {
        str(place): [record[place] if place < len(record) else None for record in records] for place in range(width)
    }
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String)), pl.Series(starts[: len(records)])


def _grid(rows: pl.DataFrame, lines: pl.Series) -> Sheet:
    """A sheet of rows that may begin with a header; blank rows at either end are none of it."""
    filled = rows.select(
        pl.any_horizontal(pl.all().str.strip_chars().fill_null("") != "") if rows.width else pl.lit(value=False)
    ).to_series()
    places = filled.arg_true()
    if not places.len():
        raise ValueError("is empty")
    first, last = int(places[0]), int(places[-1])
    head = cast("tuple[str | None, ...]", rows.row(first))
    headed = _is_header(head)
    begin = first + int(headed)
    names = _unique([(cell or "").strip() if headed else "" for cell in head])
    cells = rows.slice(begin, last + 1 - begin)
    cells.columns = names

    def others(chosen: Sequence[str]) -> pl.Series:
        return cells.select(pl.struct(chosen).struct.json_encode()).to_series()

    return Sheet(cells, lines.slice(begin, last + 1 - begin), others)


def _is_header(cells: Sequence[str | None]) -> bool:
    if any(_names_inn(cell or "") for cell in cells):
        return True
    said = read_inns(pl.Series([cell or "" for cell in cells]))
    # Something that only fails its check digits is a member mistyped, not the name of a column.
    mistyped = said["reason"].is_in(["check_digits", "placeholder", "scientific_notation"])
    return not bool((said["inn"].is_not_null() | mistyped.fill_null(value=False)).any())


def _unique(names: Sequence[str]) -> list[str]:
    given: dict[str, None] = {}
    for place, name in enumerate(names, 1):
        fresh = name or f"column_{place}"
        while fresh in given:
            fresh = f"{fresh}_{place}"
        given[fresh] = None
    return list(given)


def _array(text: str) -> Sheet:
    try:
        values: list[Any] = _JSON.decode(text.strip())
    except (ValueError, RecursionError) as fault:
        raise ValueError(f"is not a JSON array ({fault})") from fault
    return _objects(enumerate(values, 1))


def _json_lines(text: str) -> Sheet:
    unread: list[tuple[int, str, str]] = []

    def values() -> Iterator[tuple[int, Any]]:
        for number, line in enumerate(text.rstrip().replace("\r\n", "\n").split("\n"), 1):
            try:
                value = _JSON.decode(line.strip()) if line.strip() else None
            except (ValueError, RecursionError):
                unread.append((number, line, "not_json"))
            else:
                yield number, value

    return _objects(values(), unread)


def _objects(values: Iterable[tuple[int, Any]], unread: Sequence[tuple[int, str, str]] = ()) -> Sheet:
    """A sheet of JSON-like values: an object is a row, anything else a row that has only an INN.

    Rows that spell the name of the INN otherwise than the first one that has it hold it under that one's name.
    """
    lines: list[int] = []
    rows: list[Mapping[str, Any]] = []
    names: dict[str, None] = {}
    inn = ""
    for line, value in values:
        row = cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {inn or INN_NAMES[0]: value}
        spelled = next((name for name in row if _names_inn(name)), "")
        inn = inn or spelled
        if spelled and inn not in row:
            row = {inn if name == spelled else name: cell for name, cell in row.items()}
        lines.append(line)
        rows.append(row)
        names.update(dict.fromkeys(row))
    if not rows and not unread:
        raise ValueError("is empty")
    cells = pl.DataFrame({name: pl.Series([_text(row.get(name)) for row in rows], dtype=pl.String) for name in names})

    def others(chosen: Sequence[str]) -> pl.Series:
        kept = ({name: row[name] for name in chosen if name in row} for row in rows)
        return pl.Series([_dumped(row) for row in kept], dtype=pl.String)

    return Sheet(cells, pl.Series(lines, dtype=pl.Int64), others, tuple(unread))


_JSON = json.JSONDecoder(parse_float=Decimal, parse_constant=lambda _: None)


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return None if value is None else _whole(value)
    if isinstance(value, list):
        parts = cast("list[Any]", value)
        if all(isinstance(part, str | int) for part in parts):
            return _whole(",".join(str(part) for part in parts))
    if isinstance(value, bool | list | Mapping):
        return _dumped(cast("Any", value))
    return str(_plain(value)) if isinstance(value, bytes) else str(value)


def _dumped(value: Any) -> str:
    return _whole(json.dumps(_plain(value), ensure_ascii=False, allow_nan=False))


def _plain(value: Any) -> Any:
    """The value as JSON knows it: what no JSON type holds becomes text, and what is no number null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, list):
        return [_plain(part) for part in cast("list[Any]", value)]
    if isinstance(value, float | Decimal):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if value is None or isinstance(value, str | int) else str(value)


def _whole(text: str) -> str:
    """The text without lone surrogates, which JSON allows and no column can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _names_inn(cell: str) -> bool:
    return cell.strip().lower() in INN_NAMES
