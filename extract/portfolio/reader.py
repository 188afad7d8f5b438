"""Read a portfolio: the INNs to check, from a file in any supported format."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from innspect.extract.portfolio.formats import Sheet, UnknownSheet, read_sheet
from innspect.extract.portfolio.headers import INN, find_columns
from innspect.extract.portfolio.inn import MIN_INN_SHARE, inn_share, read_inns, require_inns
from innspect.schemas.errors import PortfolioError

STDIN = "-"
OPTIONAL_COLUMNS = ("name", "priority", "tags")
MAX_VALUE_CHARACTERS = 200
"""Longer rejected values are cut."""

MEMBERS = {
    "inn": pl.String(),
    "name": pl.String(),
    "priority": pl.Float64(),
    "tags": pl.String(),
    "extra": pl.String(),
    "line": pl.Int64(),
}
ATTRIBUTES = ("name", "priority", "tags", "extra")
REJECTED = {"line": pl.Int64(), "value": pl.String(), "reason": pl.String()}


@dataclass(frozen=True, slots=True)
class Portfolio:
    """A portfolio as read from its file.

    `members`: one row per INN in the order of the file, with `extra` the other columns as a JSON object. `rejected`:
    one row per line without an INN or with a repeated one (empty, scientific_notation, not_digits, wrong_length,
    check_digits, placeholder, duplicate, not_json). `restored` counts the INNs whose missing leading zero was restored.
    `columns`: the header of the file that each column of a member was read from; `own_columns`: the headers of the
    other columns. `sheet`: the sheet of a workbook.
    """

    name: str
    members: pl.DataFrame
    rejected: pl.DataFrame
    restored: int
    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    own_columns: tuple[str, ...] = ()
    sheet: str | None = None
    is_addition: bool = False
    """Whether it adds to the members: nobody leaves, and known members keep the attributes that it does not give."""
    new: int | None = None
    """Members that the latest file before did not list; None if that is not known."""
    left: tuple[str, ...] = ()
    """INNs that the latest file before listed, and this one does not."""

    def with_attributes(self, known: pl.DataFrame) -> "Portfolio":
        """The portfolio with attributes of members that have none: `inn`, `name`, `priority`, `tags`, `extra`."""
        known = known.select("inn", *(pl.col(name).cast(MEMBERS[name]) for name in ATTRIBUTES))
        members = self.members.join(known, on="inn", how="left", suffix="_known", maintain_order="left")
        filled = (pl.coalesce(name, f"{name}_known").alias(name) for name in ATTRIBUTES)
        return replace(self, members=members.with_columns(filled).select(MEMBERS.keys()))


def portfolio_of_inns(name: str, values: Sequence[str]) -> Portfolio:
    """The portfolio of INNs that somebody typed; its lines are their positions, counted from 1.

    A repeated INN is rejected as in a file. Raises UsageError for a value that is no INN: nobody looks for a typing
    error in the rejected lines of a check.
    """
    typed = pl.Series("value", list(values), dtype=pl.String)
    read = require_inns(values).with_columns(typed, line=pl.int_range(1, typed.len() + 1, dtype=pl.Int64, eager=True))
    is_first = pl.col("inn").is_first_distinct()
    others = (pl.lit(None, dtype=kind).alias(name) for name, kind in MEMBERS.items() if name not in ("inn", "line"))
    return Portfolio(
        name,
        members=read.filter(is_first).select("inn", "line", *others).select(MEMBERS.keys()),
        rejected=read.filter(~is_first).select("line", "value", reason=pl.lit("duplicate")),
        restored=int(read.filter(is_first)["restored"].sum()),
        is_addition=True,
    )


def read_portfolio(
    source: str | Path, stdin: bytes | None = None, *, name: str | None = None, sheet: str | None = None
) -> Portfolio:
    """The portfolio in a file, or in `stdin` if `source` is `-`.

    It is named `name`, else as the file. `sheet` names the sheet of a workbook, else the first with INNs is read.
    Raises PortfolioError if the file cannot be read, no column holds INNs, or none of them is valid.
    """
    if str(source) == STDIN:
        return _build_portfolio(name or "stdin", stdin or b"", "", "standard input", sheet)
    path = Path(source)
    try:
        data = path.read_bytes()
    except OSError as fault:
        problem = fault.strerror or str(fault)
        raise PortfolioError(
            f"The portfolio {path} cannot be read ({problem}); name an existing file.", file=str(path)
        ) from fault
    return _build_portfolio(name or path.stem, data, path.suffix.lower(), str(path), sheet)


def _build_portfolio(name: str, data: bytes, suffix: str, shown: str, wanted_sheet: str | None) -> Portfolio:
    try:
        sheet = read_sheet(data, suffix, wanted_sheet)
    except ValueError as fault:
        if isinstance(fault, UnknownSheet):
            raise PortfolioError(f"The portfolio {shown} {fault}; correct --sheet.", file=shown) from fault
        raise PortfolioError(
            f"The portfolio {shown} {_problem(fault)}; give CSV, TSV, TXT, XLSX, Parquet, JSON or NDJSON with INNs.",
            file=shown,
        ) from fault
    if sheet.cells.is_empty():
        raise PortfolioError(
            f"The portfolio {shown} has a header and no rows below it; add lines with INNs.", file=shown
        )
    inn = _find_inn_column(sheet.cells, shown)
    found = find_columns(column for column in sheet.cells.columns if column != inn)
    known = {name: found[name] for name in OPTIONAL_COLUMNS if name in found}
    others = [column for column in sheet.cells.columns if column != inn and column not in known.values()]
    rows = _rows(sheet, inn, known, others)
    rejected = _rejected_lines(rows, sheet)
    members = rows.filter("is_member").select(MEMBERS.keys())
    if not members.height:
        reasons = ", ".join(f"{count} {reason}" for reason, count in rejected["reason"].value_counts(sort=True).rows())
        raise PortfolioError(
            f"The portfolio {shown} has no valid INN in {inn} ({reasons}); correct the file.", file=shown, column=inn
        )
    restored = int(rows.filter("is_member")["restored"].sum())
    return Portfolio(name, members, rejected, restored, {INN: inn, **known}, tuple(others), sheet.name)


def _rows(sheet: Sheet, inn: str, known: Mapping[str, str], others: Sequence[str]) -> pl.DataFrame:
    text = {name: sheet.cells[known[name]] if name in known else None for name in OPTIONAL_COLUMNS}
    rows = pl.DataFrame({"value": sheet.cells[inn], "line": sheet.lines.cast(pl.Int64)}).with_columns(
        *(pl.Series(name, column, dtype=pl.String) for name, column in text.items() if column is not None),
        *(pl.lit(None, dtype=pl.String).alias(name) for name, column in text.items() if column is None),
        sheet.others(others).alias("extra") if others else pl.lit(None, dtype=pl.String).alias("extra"),
        *read_inns(sheet.cells[inn]),
    )
    valid = pl.col("inn").is_not_null()
    first = pl.col("inn").is_first_distinct()
    return rows.with_columns(
        is_member=valid & first,
        reason=pl.when(valid & ~first).then(pl.lit("duplicate")).otherwise("reason"),
        name=_text_column("name"),
        tags=_text_column("tags"),
        priority=_number_column("priority"),
    )


def _rejected_lines(rows: pl.DataFrame, sheet: Sheet) -> pl.DataFrame:
    unread = pl.DataFrame(sheet.unread, schema=REJECTED, orient="row")
    lines = rows.filter(~pl.col("is_member")).select("line", pl.col("value").fill_null(""), "reason")
    return pl.concat([lines, unread]).with_columns(pl.col("value").str.slice(0, MAX_VALUE_CHARACTERS)).sort("line")


def _find_inn_column(cells: pl.DataFrame, shown: str) -> str:
    columns = cells.columns
    if (named := find_columns(columns).get(INN)) is not None:
        return named
    if len(columns) == 1:
        return columns[0]
    share, best = max(((inn_share(cells[column]), column) for column in columns), default=(0.0, ""))
    if share <= MIN_INN_SHARE:
        raise PortfolioError(
            f"No column of the portfolio {shown} is named inn and none holds mostly INNs; rename one of its columns to "
            f"inn ({', '.join(columns)}).",
            file=shown,
            columns=columns,
        )
    return best


def _text_column(column: str) -> pl.Expr:
    text = pl.col(column).str.strip_chars()
    return pl.when(text != "").then(text)


def _number_column(column: str) -> pl.Expr:
    text = pl.col(column).str.replace_all(r"[\s\u{00A0}\u{202F}]", "").str.replace(",", ".", literal=True)
    number = text.cast(pl.Float64, strict=False)
    return pl.when(number.is_finite()).then(number)


def _problem(fault: ValueError) -> str:
    if isinstance(fault, UnicodeDecodeError):
        return "is neither UTF-8 nor Windows-1251"
    return str(fault)
