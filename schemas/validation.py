"""Validation of normalised frames: dtypes, and cells within the domain that their kind declares.

A check is written once, as an expression. All expressions of a table run in one pass over a frame; pandera, whose
checks are built from the same expressions, validates the rows that break one and reports each cell.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING

import polars as pl

from innspect.schemas.column_names import KEYLESS_ROWS, ROW_INDEX
from innspect.schemas.kinds import Form, Kind
from innspect.schemas.tables import Table, tables

if TYPE_CHECKING:
    # Imported only where a row breaks a check, because the import takes 0.6 s.
    import pandera.polars as pa

FAILURES = {ROW_INDEX: pl.UInt32(), "column_name": pl.String(), "rule": pl.String(), "value": pl.String()}
Check = Callable[[pl.Expr], pl.Expr]
"""Expression that says of each cell whether it is within its domain; NULL for a NULL cell."""


def domain_checks(kind: Kind) -> Iterator[tuple[str, Check]]:
    """The checks of a kind, each with the name of its rule."""
    values, pattern, bounds = kind.values, kind.pattern, kind.bounds
    if values:
        yield (
            "one_of",
            lambda cell: cell.is_in(values) | (cell.str.contains(pattern) if pattern else pl.lit(value=False)),
        )
    elif pattern:
        yield "pattern", lambda cell: cell.str.contains(pattern)
    if bounds and kind.form in (Form.INTEGER, Form.YEAR, Form.NUMBER):
        yield "bounds", lambda cell: cell.is_between(*bounds)


def _pandera_check(rule: str, check: Check) -> "pa.Check":
    import pandera.polars as pa  # noqa: PLC0415

    def is_within_domain(data: pa.PolarsData) -> pl.LazyFrame:
        return data.lazyframe.select(check(pl.col(data.key)))

    return pa.Check(is_within_domain, name=rule)


@cache
def schema(table_name: str) -> "pa.DataFrameSchema":
    """The pandera schema of a table's normalised rows; `snap` and the ordinals are not part of it."""
    import pandera.polars as pa  # noqa: PLC0415

    columns = {
        column.name: pa.Column(
            column.kind.frame,
            [_pandera_check(rule, check) for rule, check in domain_checks(column.kind)],
            nullable=True,
        )
        for column in tables()[table_name].columns
    }
    return pa.DataFrameSchema(columns, strict=False)


@cache
def _failing(table_name: str) -> dict[str, pl.Expr]:
    """By column, whether a cell breaks one of its checks."""
    checks = {
        column.name: [check(pl.col(column.name)).not_() for _, check in domain_checks(column.kind)]
        for column in tables()[table_name].columns
    }
    return {name: pl.any_horizontal(broken).fill_null(value=False) for name, broken in checks.items() if broken}


@cache
def _counts(table_name: str) -> list[pl.Expr]:
    """Numbers of failing cells by column, and of rows without a key."""
    counts = [failing.sum().alias(name) for name, failing in _failing(table_name).items()]
    keyless = is_keyless(tables()[table_name])
    return counts if keyless is None else [*counts, keyless.sum().alias(KEYLESS_ROWS)]


@cache
def _dtypes(table_name: str) -> pl.Schema:
    return pl.Schema({column.name: column.kind.frame for column in tables()[table_name].columns})


def _has_dtypes(table: Table, frame: pl.DataFrame) -> bool:
    return all(frame.schema.get(name) == dtype for name, dtype in _dtypes(table.name).items())


def is_keyless(table: Table) -> pl.Expr | None:
    """Whether all columns of a row's declared key are NULL; None if the table allows that."""
    if not table.has_declared_key or table.allows_blank_key or not table.key:
        return None
    return pl.all_horizontal(pl.col(name).is_null() for entry in table.key for name in entry)


def is_valid(table: Table, frame: pl.DataFrame) -> bool:
    """Whether the frame has the table's dtypes, no cell breaks a check, and every row has its key."""
    if frame.is_empty():
        return True
    counts = _counts(table.name)
    return _has_dtypes(table, frame) and not (counts and any(frame.select(counts).row(0)))


def find_failures(table: Table, frame: pl.DataFrame) -> pl.DataFrame:
    """Cells out of their domain (`FAILURES`): row number in the frame, column, rule, value as text.

    Raises `pandera.errors.SchemaErrors` if the frame has wrong dtypes or lacks a column, which is a program error.
    """
    failing = _failing(table.name)
    rows = frame.with_row_index(ROW_INDEX)
    if _has_dtypes(table, frame):
        rows = rows.filter(pl.any_horizontal(failing.values())) if failing else rows.clear()
        if rows.is_empty():
            return pl.DataFrame(schema=FAILURES)
    from pandera.errors import SchemaErrors  # noqa: PLC0415

    try:
        schema(table.name).validate(rows, lazy=True)
    except SchemaErrors as errors:
        cases = errors.failure_cases
        if not isinstance(cases, pl.DataFrame) or cases["index"].null_count():
            raise
        return cases.select(
            rows[ROW_INDEX].gather(cases["index"].cast(pl.UInt32)),
            pl.col("column").alias("column_name"),
            pl.col("check").alias("rule"),
            pl.col("failure_case").cast(pl.String).alias("value"),
        )
    return pl.DataFrame(schema=FAILURES)
