"""The portfolio: whom to check, read from whatever file the user has."""

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from innspect.extract.portfolio.formats import INN_NAMES, Sheet, read_sheet
from innspect.extract.portfolio.inn import read_inns
from innspect.schemas.errors import PortfolioError

STDIN = "-"
KNOWN_COLUMNS = ("name", "priority", "tags")
LONGEST_VALUE = 200
"""Characters of a rejected value that are kept."""

MEMBERS = {
    "inn": pl.String(),
    "name": pl.String(),
    "priority": pl.Float64(),
    "tags": pl.String(),
    "extra": pl.String(),
    "line": pl.Int64(),
}
REJECTED = {"line": pl.Int64(), "value": pl.String(), "reason": pl.String()}


@dataclass(frozen=True, slots=True)
class Portfolio:
    """A portfolio as it was read.

    `members`: one row per INN in the order of the file, with `extra` the other columns as a JSON object. `rejected`:
    one row per line that names no INN or repeats one (empty, scientific_notation, not_digits, wrong_length,
    check_digits, placeholder, duplicate, not_json). `restored` counts the INNs that got their leading zero back.
    """

    name: str
    members: pl.DataFrame
    rejected: pl.DataFrame
    restored: int


def read_portfolio(source: str | Path, stdin: bytes | None = None) -> Portfolio:
    """The portfolio in a file, or in `stdin` where `source` is `-`.

    Raises PortfolioError where the file cannot be read, no column holds INNs, or none of them is valid.
    """
    if str(source) == STDIN:
        return _portfolio("stdin", stdin or b"", "", "standard input")
    path = Path(source)
    try:
        data = path.read_bytes()
    except OSError as fault:
        said = fault.strerror or str(fault)
        raise PortfolioError(
            f"The portfolio {path} cannot be read ({said}); name a file that is there.", file=str(path)
        ) from fault
    return _portfolio(path.stem, data, path.suffix.lower(), str(path))


def _portfolio(name: str, data: bytes, suffix: str, shown: str) -> Portfolio:
    try:
        sheet = read_sheet(data, suffix)
    except ValueError as fault:
        raise PortfolioError(
            f"The portfolio {shown} {_problem(fault)}; give CSV, TXT, XLSX, Parquet, JSON or NDJSON with INNs.",
            file=shown,
        ) from fault
    inn = _inn_column(sheet.cells, shown)
    rows = _rows(sheet, inn)
    rejected = _rejected(rows, sheet)
    members = rows.filter("taken").select(MEMBERS.keys())
    if not members.height:
        reasons = ", ".join(f"{count} {reason}" for reason, count in rejected["reason"].value_counts(sort=True).rows())
        raise PortfolioError(
            f"The portfolio {shown} has no valid INN in {inn} ({reasons}); correct the file.", file=shown, column=inn
        )
    return Portfolio(name, members, rejected, int(rows.filter("taken")["restored"].sum()))


def _rows(sheet: Sheet, inn: str) -> pl.DataFrame:
    given = {_folded(column): column for column in reversed(sheet.cells.columns) if column != inn}
    known = {name: given[name] for name in KNOWN_COLUMNS if name in given}
    others = [column for column in sheet.cells.columns if column != inn and column not in known.values()]
    text = {name: sheet.cells[known[name]] if name in known else None for name in KNOWN_COLUMNS}
    rows = pl.DataFrame({"value": sheet.cells[inn], "line": sheet.lines.cast(pl.Int64)}).with_columns(
        *(pl.Series(name, column, dtype=pl.String) for name, column in text.items() if column is not None),
        *(pl.lit(None, dtype=pl.String).alias(name) for name, column in text.items() if column is None),
        sheet.others(others).alias("extra") if others else pl.lit(None, dtype=pl.String).alias("extra"),
        *read_inns(sheet.cells[inn]),
    )
    valid = pl.col("inn").is_not_null()
    first = pl.col("inn").is_first_distinct()
    return rows.with_columns(
        taken=valid & first,
        reason=pl.when(valid & ~first).then(pl.lit("duplicate")).otherwise("reason"),
        name=_filled("name"),
        tags=_filled("tags"),
        priority=_number("priority"),
    )


def _rejected(rows: pl.DataFrame, sheet: Sheet) -> pl.DataFrame:
    unread = pl.DataFrame(sheet.unread, schema=REJECTED, orient="row")
    lines = rows.filter(~pl.col("taken")).select("line", pl.col("value").fill_null(""), "reason")
    return pl.concat([lines, unread]).with_columns(pl.col("value").str.slice(0, LONGEST_VALUE)).sort("line")


def _inn_column(cells: pl.DataFrame, shown: str) -> str:
    columns = cells.columns
    named = next((column for column in columns if _folded(column) in INN_NAMES), None)
    if named is not None:
        return named
    if len(columns) == 1:
        return columns[0]
    share, best = max(((_share_of_inns(cells[column]), column) for column in columns), default=(0.0, ""))
    if share <= 0.5:
        raise PortfolioError(
            f"No column of the portfolio {shown} is named inn and none holds mostly INNs; name one of its columns inn "
            f"({', '.join(columns)}).",
            file=shown,
            columns=columns,
        )
    return best


def _share_of_inns(column: pl.Series) -> float:
    """The share of valid INNs among the cells that hold anything; 0 for a column that holds nothing."""
    said = read_inns(column)
    filled = said.height - int((said["reason"] == "empty").sum())
    return (said.height - said["inn"].null_count()) / filled if filled else 0.0


def _folded(column: str) -> str:
    return column.strip().lower()


def _filled(column: str) -> pl.Expr:
    text = pl.col(column).str.strip_chars()
    return pl.when(text != "").then(text)


def _number(column: str) -> pl.Expr:
    text = pl.col(column).str.replace_all(r"[\s\u{00A0}\u{202F}]", "").str.replace(",", ".", literal=True)
    number = text.cast(pl.Float64, strict=False)
    return pl.when(number.is_finite()).then(number)


def _problem(fault: ValueError) -> str:
    if isinstance(fault, UnicodeDecodeError):
        return "is neither UTF-8 nor Windows-1251"
    return str(fault)
