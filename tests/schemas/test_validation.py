"""Contract: the expressions that find invalid rows report the same cells as the pandera schema of each table."""

import random

import polars as pl
import pytest
from pandera.errors import SchemaErrors

from innspect.schemas import validation
from innspect.schemas.column_names import ROW_INDEX
from innspect.schemas.kinds import Form, Kind
from innspect.schemas.tables import Table, tables

ROWS = 60


def candidates(kind: Kind) -> list[object]:
    """Values inside and outside of the domain, and none."""
    if kind.values:
        return [None, *kind.values, "", "другое"]
    if kind.pattern:
        return [None, "7707083893", "1027700132195", "1234567890123", "x", "", "02.03.2024"]
    if kind.bounds and kind.form in (Form.INTEGER, Form.YEAR, Form.NUMBER):
        low, high = kind.bounds
        return [None, low, high, low - 1, high + 1, 0]
    return [None]


def noisy(table: Table, seed: int) -> pl.DataFrame:
    dice = random.Random(seed)
    cells = {
        column.name: pl.Series(
            [dice.choice(candidates(column.kind)) for _ in range(ROWS)], dtype=column.kind.frame, strict=False
        )
        for column in table.columns
    }
    return pl.DataFrame({"snap": pl.Series(range(ROWS), dtype=pl.UInt32), **cells})


def by_pandera(table: Table, frame: pl.DataFrame) -> list[tuple[int, str, str]]:
    """Row number, column and value of each failure that pandera reports for the whole frame."""
    try:
        validation.schema(table.name).validate(frame, lazy=True)
    except SchemaErrors as errors:
        cases = errors.failure_cases
        return sorted(
            (int(i), str(c), str(v)) for i, c, v in cases.select("index", "column", "failure_case").iter_rows()
        )
    return []


@pytest.mark.parametrize("name", [name for name, table in tables().items() if table.columns])
def test_polars_checks_agree_with_pandera(name):
    table = tables()[name]
    checked = any(len(candidates(column.kind)) > 1 for column in table.columns)
    for seed in range(2):
        frame = noisy(table, seed)
        found = validation.find_failures(table, frame)
        ours = sorted(
            (int(i), str(c), str(v)) for i, c, v in found.select(ROW_INDEX, "column_name", "value").iter_rows()
        )
        assert ours == by_pandera(table, frame)
        assert bool(ours) == checked


def test_frame_with_other_columns_is_rejected():
    table = tables()["company"]
    frame = noisy(table, 0)
    with pytest.raises(SchemaErrors):
        validation.find_failures(table, frame.drop(table.columns[0].name))
    with pytest.raises(SchemaErrors):
        validation.find_failures(table, frame.with_columns(pl.lit(1).alias("name")))
