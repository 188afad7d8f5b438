"""Raw columns to the values of the warehouse: dates, instants, exact roubles, zeros that mean nothing was obtained.

A cell that cannot be read becomes NULL with a violation that keeps what came.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

import polars as pl

from innspect.schemas.declaration import UnknownBeside, UnknownUnless, Zero
from innspect.schemas.kinds import (
    EARLIEST_YEAR,
    ISO,
    LATEST_YEAR,
    MONEY,
    YEAR_END,
    Form,
    Kind,
)
from innspect.schemas.tables import Column, Origin, Table, tables
from innspect.transforms.flatten.columns import SNAP
from innspect.transforms.issues import Findings

SHAPES: Final = {
    "%d.%m.%Y": r"^[0-9]{2}\.[0-9]{2}\.[0-9]{4}$",
    "%Y-%m-%d": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    "%Y%m%d": r"^[0-9]{8}$",
    "%d%m%Y": r"^[0-9]{8}$",
    "%Y": r"^[0-9]{4}$",
    "%Y-%m-%d %H:%M:%S": r"^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$",
    ISO: r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:?[0-9]{2})?$",
}
"""What a text of each layout looks like: the parser alone would take signs, blanks and short numbers as well."""
FLOAT_NOISE: Final = 2.0**-51
"""Error, relative to an amount, that reading it as a float and multiplying it twice may make."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How a column is read: its value, and, where something can go wrong, what is wrong and by which rule."""

    value: pl.Expr
    wrong: pl.Expr | None = None
    rule: str = ""


def row_path(table: Table) -> pl.Expr:
    """The JSONPath of each row within its block."""
    if table.origin is Origin.ROOT:
        return pl.lit("$")
    if table.origin is Origin.LEAVES:
        return pl.col("path")
    if table.origin is Origin.MAP:
        keys = [pl.col(name).cast(pl.String).fill_null("") for entry in table.key for name in entry]
        return pl.concat_str([pl.lit(f"$.{table.attribute}["), pl.concat_str(keys, separator="]["), pl.lit("]")])
    steps = [step for step in table.path.rstrip(".").replace("[]", "").split(".") if step]
    parts: list[pl.Expr] = [pl.lit("$")]
    for step, ordinal in zip(steps, table.ordinals, strict=True):
        parts += [pl.lit(f".{step}["), (pl.col(ordinal) - 1).cast(pl.String), pl.lit("]")]
    return pl.concat_str(parts)


def _plausible(value: pl.Expr) -> pl.Expr:
    return pl.when(value.dt.year().is_between(EARLIEST_YEAR, LATEST_YEAR)).then(value)


def _shaped(text: pl.Expr, layout: str) -> pl.Expr:
    return pl.when(text.str.contains(SHAPES[layout])).then(text)


def _day(text: pl.Expr, layout: str) -> pl.Expr:
    shaped = _shaped(text, layout)
    if layout == YEAR_END:
        return _plausible(pl.date(shaped.str.to_integer(strict=False), 12, 31))
    return _plausible(shaped.str.to_date(layout, strict=False))


def _moment(text: pl.Expr, layout: str, zone: str) -> pl.Expr:
    if layout != ISO:
        if layout in ("%Y-%m-%d", "%d.%m.%Y"):
            return _utc(_day(text, layout).cast(pl.Datetime("us")), zone)
        stamp = _shaped(text, layout)
        return _utc(_plausible(stamp.str.to_datetime(layout, time_unit="us", strict=False)), zone)
    stamp = _shaped(text, layout).str.replace(" ", "T", literal=True).str.replace(r"[Zz]$", "+00:00")
    zoned = stamp.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f%:z", time_unit="us", time_zone="UTC", strict=False)
    naive = stamp.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", time_unit="us", strict=False)
    return pl.coalesce(_plausible(zoned.dt.replace_time_zone(None)), _utc(_plausible(naive), zone))


def _utc(value: pl.Expr, zone: str) -> pl.Expr:
    """A local time of the source in UTC; of an hour that came twice the first, of one that never was none."""
    local = value.dt.replace_time_zone(zone, ambiguous="earliest", non_existent="null")
    return local.dt.convert_time_zone("UTC").dt.replace_time_zone(None)


def _text(name: str) -> pl.Expr:
    return pl.when(pl.col(name) != "").then(pl.col(name))


def _money(name: str, unit: int) -> Reading:
    raw = pl.col(name)
    amount = raw if unit == 1 else pl.when(pl.col("full?")).then(raw * unit).otherwise(raw)
    hundredths = amount * 100
    off = (hundredths - hundredths.round()).abs() > (hundredths.abs() * FLOAT_NOISE + 1e-6)
    return Reading(amount.round(2).cast(MONEY, strict=False), off, "sub_kopeck")


def _read(kind: Kind, name: str, unit: int, zone: str) -> Reading:
    text = _text(name)
    match kind.form:
        case Form.TEXT | Form.LABEL:
            return Reading(text)
        case Form.INTEGER | Form.NUMBER | Form.FLAG | Form.JSON:
            return Reading(pl.col(name))
        case Form.MONEY:
            return _money(name, unit)
        case Form.YEAR:
            value = text.str.to_integer(strict=False)
            return Reading(value, text.is_not_null() & value.is_null(), "year")
        case Form.UNIX:
            seconds = pl.col(name)
            value = pl.when(seconds.is_between(-(2**32), 2**33)).then(
                pl.from_epoch(seconds, "s").cast(pl.Datetime("us"))
            )
            value = _plausible(value)
            return Reading(value, seconds.is_not_null() & value.is_null(), "instant")
        case Form.DATE:
            value = pl.coalesce([_day(text, layout) for layout in kind.formats])
            return Reading(value, text.is_not_null() & value.is_null(), "date")
        case Form.INSTANT:
            value = pl.coalesce([_moment(text, layout, zone) for layout in kind.formats])
            return Reading(value, text.is_not_null() & value.is_null(), "instant")


def read_mark(kind: Kind, name: str, zone: str) -> pl.Expr:
    """A mark's value; one that cannot be read is NULL."""
    return _read(kind, name, 1, zone).value


def unread_marks(table: Table, raw: pl.DataFrame, zone: str, findings: Findings) -> None:
    """Violations for marks of the block's raw root frame that cannot be read."""
    for name, mark, _ in table.marks:
        if raw[name].null_count() == raw.height:
            continue
        if not mark.many and (reading := _read(mark.kind, name, 1, zone)).wrong is not None:
            found = raw.filter(reading.wrong)
            if found.height:
                _violations(table, found, name, reading, findings)


def _zero(column: Column, value: pl.Expr) -> pl.Expr:
    field = column.field
    match field.zero:
        case Zero.REAL:
            known = value
        case Zero.UNKNOWN:
            known = pl.when(value != 0).then(value)
        case UnknownUnless():
            known = pl.when((value != 0) | pl.col(f"{column.name}?")).then(value)
        case UnknownBeside(rows):
            known = pl.when((value != 0) | (pl.col(f"{rows}#") == 0)).then(value)
    if field.null_while:
        return pl.when(~pl.col(field.null_while).fill_null(value=False)).then(known)
    return known


@dataclass(frozen=True, slots=True)
class _Plan:
    """How a table is read: the expressions are made once a process."""

    readings: dict[str, Reading]
    values: list[pl.Expr]
    """The columns, their companions, and for each that can be read wrongly whether it was (its name and `!`)."""
    zeroed: list[pl.Expr]
    """What zeros then are."""
    columns: list[str]


@cache
def _plan(table_name: str, companions: tuple[str, ...], zone: str, *, exact: bool) -> _Plan:
    table = tables()[table_name]
    readings: dict[str, Reading] = {}
    for column in table.columns:
        if exact and column.kind.form is Form.MONEY:
            readings[column.name] = Reading(pl.col(column.name))
        else:
            readings[column.name] = _read(column.kind, column.name, column.field.full_check_unit, zone)
    zeroed = [
        _zero(column, pl.col(column.name)).alias(column.name)
        for column in table.columns
        if column.field.zero is not Zero.REAL or column.field.null_while
    ]
    values = [
        *(pl.col(name) for name in (SNAP, *table.ordinals, *companions)),
        *(reading.value.alias(name) for name, reading in readings.items()),
        *(reading.wrong.alias(f"{name}!") for name, reading in readings.items() if reading.wrong is not None),
    ]
    columns = [SNAP, *table.ordinals, *(column.name for column in table.columns)]
    return _Plan(readings, values, zeroed, columns)


def normalise(table: Table, raw: pl.DataFrame, zone: str, findings: Findings, *, exact: bool) -> pl.DataFrame:
    """The table's rows with the columns of the warehouse, in the order they came (`snap`, ordinals, columns)."""
    if raw.is_empty():
        return _nothing(table.name)
    return _normalised(table, raw, zone, findings, exact=exact)


@cache
def _nothing(table_name: str) -> pl.DataFrame:
    """The frame without rows that no rows make."""
    table = tables()[table_name]
    types = pl.Schema({column.name: column.kind.frame for column in table.columns})
    return pl.DataFrame(schema={SNAP: pl.UInt32, **dict.fromkeys(table.ordinals, pl.UInt32), **types})


def _normalised(table: Table, raw: pl.DataFrame, zone: str, findings: Findings, *, exact: bool) -> pl.DataFrame:
    plan = _plan(table.name, _companions(table, raw), zone, exact=exact)
    read = raw.select(plan.values)
    for name, reading in plan.readings.items():
        if reading.wrong is not None and (wrong := read[f"{name}!"]).any():
            _violations(table, raw.filter(wrong), name, reading, findings)
    zeroed = read.with_columns(plan.zeroed) if plan.zeroed else read
    return zeroed[plan.columns]


def _companions(table: Table, raw: pl.DataFrame) -> tuple[str, ...]:
    """Columns beside the table's own that the zero rules look at."""
    names = {column.field.null_while for column in table.columns if column.field.null_while}
    names |= {name for name in raw.columns if name.endswith(("#", "?")) and name != "full?"}
    return tuple(sorted(names))


def _violations(table: Table, found: pl.DataFrame, name: str, reading: Reading, findings: Findings) -> None:
    found = found.select(
        SNAP,
        pl.lit(table.name).alias("table_name"),
        row_path(table).alias("row_path"),
        pl.lit(name).alias("column_name"),
        pl.lit(reading.rule).alias("rule"),
        pl.col(name).cast(pl.String).alias("value"),
    )
    findings.violation_frames.append(found)
