"""Pandera schemas of the normalised frames, derived from the declarations.

A wrong dtype or a missing column is a fault of ours and raises; a cell out of its domain is reported, never dropped.
"""

from functools import cache

import pandera.polars as pa
import polars as pl
from pandera.errors import SchemaErrors

from schemas.kinds import Form, Kind
from schemas.tables import Table, tables

RULES = {"str_matches": "pattern", "isin": "one_of", "in_range": "bounds"}
FAILURES = {"index": pl.Int32(), "column_name": pl.String(), "rule": pl.String(), "value": pl.String()}


def _checks(kind: Kind) -> list[pa.Check]:
    checks: list[pa.Check] = []
    if kind.values:
        checks.append(pa.Check.isin(list(kind.values)))
    if kind.pattern:
        checks.append(pa.Check.str_matches(kind.pattern))
    if kind.bounds and kind.form in (Form.INTEGER, Form.YEAR, Form.NUMBER):
        checks.append(pa.Check.in_range(*kind.bounds))
    return checks


@cache
def schema(table_name: str) -> pa.DataFrameSchema:
    """The schema of one table's normalised rows; the snapshot's number and the ordinals stand beside its columns."""
    table = tables()[table_name]
    columns = {
        column.name: pa.Column(column.kind.frame, _checks(column.kind), nullable=True) for column in table.columns
    }
    return pa.DataFrameSchema(columns, strict=False)


def failures(table: Table, frame: pl.DataFrame) -> pl.DataFrame:
    """Cells out of their domain: row index of the frame, column, rule, value as text.

    Raises `pandera.errors.SchemaErrors` where the frame itself is wrong, which is a fault of the program's.
    """
    if frame.is_empty():
        return pl.DataFrame(schema=FAILURES)
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
