"""Unreadable cells are no changes, neither when they appear nor when they can be read again.

Such a cell is NULL with a violation. Its real value is unknown, so it is compared with nothing; the next readable value
is compared with the last readable one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

import polars as pl

from innspect.schemas.column_names import IS_LOST, IS_READABLE, POSITION, READABLE, ROW_KEY
from innspect.schemas.frames import SNAP, Schema
from innspect.schemas.tables import Table
from innspect.transforms.normalise import row_path
from innspect.transforms.versions.row_matching import match_rows

CELLS: Final[Schema] = MappingProxyType(
    {
        SNAP: pl.UInt32(),
        "table_name": pl.String(),
        "row_path": pl.String(),
        "column_name": pl.String(),
    }
)


def _no_cells() -> pl.DataFrame:
    return pl.DataFrame(schema=CELLS)


@dataclass(frozen=True, slots=True)
class UnreadableCells:
    """Unreadable cells of two consecutive versions of one block, by the number of the later snapshot (`CELLS`).

    `readable_rows`: by table, the rows of the last version without an unreadable cell, under the same numbers.
    """

    new: pl.DataFrame = field(default_factory=_no_cells)
    old: pl.DataFrame = field(default_factory=_no_cells)
    readable_rows: Mapping[str, pl.DataFrame] = field(default_factory=dict[str, pl.DataFrame])


def cells_of_column(cells: pl.DataFrame, table: Table, column: str) -> pl.DataFrame:
    """The cells (`snap`, `place#`) of one column."""
    is_here = (pl.col("table_name") == table.name) & (pl.col("column_name") == column)
    return cells.filter(is_here).select(SNAP, pl.col("row_path").alias(POSITION))


def restore_readable(
    tables: tuple[Table, ...], old: dict[str, pl.DataFrame], unreadable: UnreadableCells
) -> tuple[dict[str, pl.DataFrame], pl.DataFrame]:
    """The old frames with the last readable value in unreadable cells; and the cells that have none (`CELLS`)."""
    if unreadable.old.is_empty() or not unreadable.readable_rows:
        return old, unreadable.old
    restored = dict(old)
    unknown = [_no_cells()]
    matched: dict[str, tuple[pl.DataFrame, pl.DataFrame]] = {}
    for table in tables:
        old_rows, readable = match_rows(tables, table, old, unreadable.readable_rows, matched.get(table.parent))
        matched[table.name] = old_rows, readable
        rows = old_rows.with_columns(row_path(table).alias(POSITION))
        names = {column.name for column in table.columns if column.field.content}
        for name in unreadable.old.filter(pl.col("table_name") == table.name)["column_name"].unique().drop_nulls():
            if name not in names:
                continue
            value = name + READABLE
            lost = cells_of_column(unreadable.old, table, name).unique().with_columns(pl.lit(value=True).alias(IS_LOST))
            last = readable.select(SNAP, ROW_KEY, pl.col(name).alias(value), pl.lit(value=True).alias(IS_READABLE))
            rows = rows.join(lost, on=[SNAP, POSITION], how="left", maintain_order="left").join(
                last, on=[SNAP, ROW_KEY], how="left", maintain_order="left"
            )
            never_read = rows.filter(pl.col(IS_LOST) & pl.col(IS_READABLE).is_null())
            unknown.append(
                never_read.select(
                    SNAP,
                    pl.lit(table.name).alias("table_name"),
                    pl.col(POSITION).alias("row_path"),
                    pl.lit(name).alias("column_name"),
                )
            )
            cell = pl.when(IS_LOST).then(pl.coalesce(name, value)).otherwise(name)
            rows = rows.with_columns(cell.alias(name)).drop(IS_LOST, IS_READABLE, value)
        restored[table.name] = rows.select(old[table.name].columns)
    return restored, pl.concat(unknown)
