"""Raw columns to the values of the warehouse: dates, instants, exact roubles, zeros that mean 'not obtained'.

A cell that cannot be read becomes NULL, with a violation that keeps the value as received.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

import polars as pl

from innspect.schemas.column_names import (
    FROM_FULL_CHECK,
    OF_PERSON,
    confirmed_column,
    is_zero_evidence,
    unreadable_column,
)
from innspect.schemas.declaration import UnknownIfAny, UnknownUnless, Zero, is_unchecked
from innspect.schemas.frames import SNAP
from innspect.schemas.kinds import (
    EARLIEST_YEAR,
    ISO,
    LATEST_YEAR,
    MONEY,
    UNIX_TEXT,
    YEAR_END,
    Form,
    Kind,
)
from innspect.schemas.tables import Column, Origin, Table, tables
from innspect.transforms.issues import Issues

PATTERNS: Final = {
    "%d.%m.%Y": r"^[0-9]{2}\.[0-9]{2}\.[0-9]{4}$",
    "%Y-%m-%d": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    "%Y%m%d": r"^[0-9]{8}$",
    "%d%m%Y": r"^[0-9]{8}$",
    "%Y": r"^[0-9]{4}$",
    UNIX_TEXT: r"^[0-9]{9,10}$",
    "%Y-%m-%d %H:%M:%S": r"^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$",
    ISO: r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:?[0-9]{2})?$",
}
"""Text of each date format. The parser alone would also accept signs, blanks and short numbers."""
MAX_FLOAT_ERROR: Final = 2.0**-51
"""Relative error of an amount that was read as a float and multiplied twice."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """Conversion of a column: its value, whether a cell breaks the rule of the conversion, and the rule's name."""

    value: pl.Expr
    is_broken: pl.Expr | None = None
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


def _matching(text: pl.Expr, layout: str) -> pl.Expr:
    return pl.when(text.str.contains(PATTERNS[layout])).then(text)


def _date(text: pl.Expr, layout: str, zone: str) -> pl.Expr:
    """The day that a text names; of an instant with a zone the day in the source's zone."""
    if layout == ISO:
        naive, zoned = _iso_times(text)
        return _plausible(pl.coalesce(naive.dt.date(), zoned.dt.convert_time_zone(zone).dt.date()))
    matching = _matching(text, layout)
    if layout == UNIX_TEXT:
        instant = pl.from_epoch(matching.str.to_integer(strict=False), "s").dt.replace_time_zone("UTC")
        return _plausible(instant.dt.convert_time_zone(zone).dt.date())
    if layout == YEAR_END:
        return _plausible(pl.date(matching.str.to_integer(strict=False), 12, 31))
    return _plausible(matching.str.to_date(layout, strict=False))


def _instant(text: pl.Expr, layout: str, zone: str) -> pl.Expr:
    if layout != ISO:
        if layout in ("%Y-%m-%d", "%d.%m.%Y"):
            return _utc(_date(text, layout, zone).cast(pl.Datetime("us")), zone)
        stamp = _matching(text, layout)
        return _utc(_plausible(stamp.str.to_datetime(layout, time_unit="us", strict=False)), zone)
    naive, zoned = _iso_times(text)
    return pl.coalesce(_plausible(zoned.dt.replace_time_zone(None)), _utc(_plausible(naive), zone))


def _iso_times(text: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    """The time without a zone that a text in ISO 8601 names, or the instant in UTC; the other one is NULL."""
    stamp = _matching(text, ISO).str.replace(" ", "T", literal=True).str.replace(r"[Zz]$", "+00:00")
    naive = stamp.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", time_unit="us", strict=False)
    zoned = stamp.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f%:z", time_unit="us", time_zone="UTC", strict=False)
    return naive, zoned


def _utc(value: pl.Expr, zone: str) -> pl.Expr:
    """A local time of the source in UTC; an ambiguous time is the earlier instant, a non-existent one NULL."""
    local = value.dt.replace_time_zone(zone, ambiguous="earliest", non_existent="null")
    return local.dt.convert_time_zone("UTC").dt.replace_time_zone(None)


def _text(name: str) -> pl.Expr:
    return pl.when(pl.col(name) != "").then(pl.col(name))


def _money(name: str, unit: int) -> Conversion:
    raw = pl.col(name)
    amount = raw if unit == 1 else pl.when(pl.col(FROM_FULL_CHECK)).then(raw * unit).otherwise(raw)
    hundredths = amount * 100
    off = (hundredths - hundredths.round()).abs() > (hundredths.abs() * MAX_FLOAT_ERROR + 1e-6)
    return Conversion(amount.round(2).cast(MONEY, strict=False), off, "sub_kopeck")


def _convert(kind: Kind, name: str, unit: int, zone: str) -> Conversion:
    text = _text(name)
    match kind.form:
        case Form.TEXT | Form.LABEL:
            return Conversion(text)
        case Form.INTEGER | Form.NUMBER | Form.FLAG | Form.JSON:
            return Conversion(pl.col(name))
        case Form.MONEY:
            return _money(name, unit)
        case Form.YEAR:
            value = text.str.to_integer(strict=False)
            return Conversion(value, text.is_not_null() & value.is_null(), "year")
        case Form.UNIX:
            seconds = pl.col(name)
            value = pl.when(seconds.is_between(-(2**32), 2**33)).then(
                pl.from_epoch(seconds, "s").cast(pl.Datetime("us"))
            )
            value = _plausible(value)
            return Conversion(value, seconds.is_not_null() & value.is_null(), "instant")
        case Form.DATE:
            value = pl.coalesce([_date(text, layout, zone) for layout in (*kind.formats, *kind.tolerated)])
            return Conversion(value, text.is_not_null() & value.is_null(), "date")
        case Form.INSTANT:
            value = pl.coalesce([_instant(text, layout, zone) for layout in kind.formats])
            return Conversion(value, text.is_not_null() & value.is_null(), "instant")


def mark_value(kind: Kind, name: str, zone: str) -> pl.Expr:
    """The value of a mark; NULL if it cannot be read."""
    return _convert(kind, name, 1, zone).value


def report_unreadable_marks(table: Table, raw: pl.DataFrame, zone: str, issues: Issues) -> None:
    """Report marks of the block's raw root frame that cannot be read."""
    for name, mark, _ in table.marks:
        if raw[name].null_count() == raw.height:
            continue
        if not mark.many and (conversion := _convert(mark.kind, name, 1, zone)).is_broken is not None:
            broken = raw.filter(conversion.is_broken)
            if broken.height:
                _report_violations(table, broken, name, conversion, issues)


def _without_unknown_zeros(column: Column, value: pl.Expr) -> pl.Expr:
    """The value, NULL where a 0 means 'not obtained' or the value was not checked."""
    field = column.field
    match field.zero:
        case Zero.REAL:
            known = value
        case Zero.UNKNOWN:
            known = pl.when(value != 0).then(value)
        case Zero.UNKNOWN_OF_PERSON:
            known = pl.when((value != 0) | ~pl.col(OF_PERSON)).then(value)
        case UnknownUnless():
            known = pl.when((value != 0) | pl.col(confirmed_column(column.name))).then(value)
        case UnknownIfAny(count):
            known = pl.when((value != 0) | (pl.col(count) == 0)).then(value)
    if field.null_while:
        return pl.when(~is_unchecked(field)).then(known)
    return known


@dataclass(frozen=True, slots=True)
class _Plan:
    """Expressions that normalise a table."""

    conversions: dict[str, Conversion]
    values: list[pl.Expr]
    """Converted columns, their unreadable columns, and the columns by which zeros are judged."""
    zeros: list[pl.Expr]
    """Columns in which a 0 may mean 'not obtained', computed from `values`."""
    columns: list[str]


@cache
def _plan(table_name: str, evidence: tuple[str, ...], zone: str, *, exact: bool) -> _Plan:
    table = tables()[table_name]
    conversions: dict[str, Conversion] = {}
    for column in table.columns:
        if exact and column.kind.form is Form.MONEY:
            conversions[column.name] = Conversion(pl.col(column.name))
        else:
            conversions[column.name] = _convert(column.kind, column.name, column.field.full_check_unit, zone)
    zeros = [
        _without_unknown_zeros(column, pl.col(column.name)).alias(column.name)
        for column in table.columns
        if column.field.zero is not Zero.REAL or column.field.null_while
    ]
    values = [
        *(pl.col(name) for name in (SNAP, *table.ordinals, *evidence)),
        *(conversion.value.alias(name) for name, conversion in conversions.items()),
        *(
            conversion.is_broken.alias(unreadable_column(name))
            for name, conversion in conversions.items()
            if conversion.is_broken is not None
        ),
    ]
    columns = [SNAP, *table.ordinals, *(column.name for column in table.columns)]
    return _Plan(conversions, values, zeros, columns)


def normalise(table: Table, raw: pl.DataFrame, zone: str, issues: Issues, *, exact: bool) -> pl.DataFrame:
    """The table's rows with the columns of the warehouse, in the order received (`snap`, ordinals, columns).

    `exact`: amounts are exact decimals already.
    """
    if raw.is_empty():
        return _empty_frame(table.name)
    plan = _plan(table.name, _zero_evidence(table, raw), zone, exact=exact)
    values = raw.select(plan.values)
    for name, conversion in plan.conversions.items():
        if conversion.is_broken is not None and (broken := values[unreadable_column(name)]).any():
            _report_violations(table, raw.filter(broken), name, conversion, issues)
    if plan.zeros:
        values = values.with_columns(plan.zeros)
    return values[plan.columns]


@cache
def _empty_frame(table_name: str) -> pl.DataFrame:
    table = tables()[table_name]
    types = pl.Schema({column.name: column.kind.frame for column in table.columns})
    return pl.DataFrame(schema={SNAP: pl.UInt32, **dict.fromkeys(table.ordinals, pl.UInt32), **types})


def _zero_evidence(table: Table, raw: pl.DataFrame) -> tuple[str, ...]:
    """Columns besides the table's own by which zeros are judged."""
    names = {mark for column in table.columns for mark in column.field.check_marks()}
    return tuple(sorted(names.union(filter(is_zero_evidence, raw.columns))))


def _report_violations(table: Table, raw: pl.DataFrame, name: str, conversion: Conversion, issues: Issues) -> None:
    issues.violation_frames.append(
        raw.select(
            SNAP,
            pl.lit(table.name).alias("table_name"),
            row_path(table).alias("row_path"),
            pl.lit(name).alias("column_name"),
            pl.lit(conversion.rule).alias("rule"),
            pl.col(name).cast(pl.String).alias("value"),
        )
    )
