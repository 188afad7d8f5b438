"""Pandera schemas of the normalised frames, derived from the declarations.

A wrong dtype or a missing column is a fault of ours and raises; a cell out of its domain is reported, never dropped.
"""

from functools import cache
from typing import TYPE_CHECKING

import polars as pl

from innspect.schemas.kinds import Form, Kind
from innspect.schemas.tables import Table, tables

if TYPE_CHECKING:
    # It takes a quarter of a command's start, and is needed where something is wrong.
    import pandera.polars as pa

RULES = {"str_matches": "pattern", "isin": "one_of", "in_range": "bounds"}
FAILURES = {"index": pl.Int32(), "column_name": pl.String(), "rule": pl.String(), "value": pl.String()}
_AT = "index#"
_KEYLESS = "keyless#"


def _checks(kind: Kind) -> "list[pa.Check]":
    import pandera.polars as pa  # noqa: PLC0415

    checks: list[pa.Check] = []
    if kind.values:
        checks.append(pa.Check.isin(list(kind.values)))
    if kind.pattern:
        checks.append(pa.Check.str_matches(kind.pattern))
    if kind.bounds and kind.form in (Form.INTEGER, Form.YEAR, Form.NUMBER):
        checks.append(pa.Check.in_range(*kind.bounds))
    return checks


@cache
def schema(table_name: str) -> "pa.DataFrameSchema":
    """The schema of one table's normalised rows; the snapshot's number and the ordinals stand beside its columns."""
    import pandera.polars as pa  # noqa: PLC0415

    table = tables()[table_name]
    columns = {
        column.name: pa.Column(column.kind.frame, _checks(column.kind), nullable=True) for column in table.columns
    }
    return pa.DataFrameSchema(columns, strict=False)


@cache
def _plan(table_name: str) -> tuple[pl.Schema, dict[str, pl.Expr]]:
    """The dtypes of a table, and by column whether a cell is out of its domain: the checks of `schema`, in one pass."""
    table = tables()[table_name]
    wrong: dict[str, pl.Expr] = {}
    for column in table.columns:
        kind, cell = column.kind, pl.col(column.name)
        broken: list[pl.Expr] = []
        if kind.values:
            broken.append(cell.is_in(kind.values).not_())
        if kind.pattern:
            broken.append(cell.str.contains(kind.pattern).not_())
        if kind.bounds and kind.form in (Form.INTEGER, Form.YEAR, Form.NUMBER):
            broken.append(cell.is_between(*kind.bounds).not_())
        if broken:
            wrong[column.name] = pl.any_horizontal(broken).fill_null(value=False)
    return pl.Schema({column.name: column.kind.frame for column in table.columns}), wrong


def keyless(table: Table) -> pl.Expr | None:
    """Whether a row has nothing of the key that is declared for it; None where it need not have."""
    if not table.declared_key or table.blank or not table.key:
        return None
    return pl.all_horizontal(pl.col(name).is_null() for entry in table.key for name in entry)


@cache
def _sums(table_name: str) -> list[pl.Expr]:
    wrong, missing = _plan(table_name)[1], keyless(tables()[table_name])
    sums = [expr.sum().alias(name) for name, expr in wrong.items()]
    return sums if missing is None else [missing.sum().alias(_KEYLESS), *sums]


def is_sound(table: Table, frame: pl.DataFrame) -> bool:
    """Whether neither pandera nor the key has anything to say about any row, in one pass."""
    if frame.is_empty():
        return True
    if any(frame.schema.get(name) != dtype for name, dtype in _plan(table.name)[0].items()):
        return False
    sums = _sums(table.name)
    return not sums or not any(frame.select(sums).row(0))


def failures(table: Table, frame: pl.DataFrame) -> pl.DataFrame:
    """Cells out of their domain: row index of the frame, column, rule, value as text.

    Pandera is given the rows that it has anything to say about; mostly there are none. Raises
    `pandera.errors.SchemaErrors` where the frame itself is wrong, which is a fault of the program's.
    """
    dtypes, wrong = _plan(table.name)
    if any(frame.schema.get(name) != dtype for name, dtype in dtypes.items()):
        return _failures(table, frame)
    if is_sound(table, frame) or not wrong:
        return pl.DataFrame(schema=FAILURES)
    rows = frame.with_row_index(_AT).filter(pl.any_horizontal(wrong.values()))
    found = _failures(table, rows)
    return found.with_columns(rows[_AT].gather(found["index"]).cast(pl.Int32).alias("index"))


def _failures(table: Table, frame: pl.DataFrame) -> pl.DataFrame:
    from pandera.errors import SchemaErrors  # noqa: PLC0415

    try:
        schema(table.name).validate(frame, lazy=True)
    except SchemaErrors as errors:
        cases = errors.failure_cases
        if not isinstance(cases, pl.DataFrame) or cases["index"].null_count():
            raise
        rule = pl.col("check").str.extract(r"^(\w+)").replace_strict(RULES, return_dtype=pl.String())
        return cases.select(
            pl.col("index").cast(pl.Int32),
            pl.col("column").alias("column_name"),
            rule.alias("rule"),
            pl.col("failure_case").cast(pl.String).alias("value"),
        )
    return pl.DataFrame(schema=FAILURES)
