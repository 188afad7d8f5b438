"""Cells that could not be read are no news: neither when they come nor when they can be read again.

Such a cell is NULL beside a violation. What it really says is not known, so it is compared with nothing; the next value
that can be read is compared with the last one that could.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import polars as pl

from innspect.schemas.tables import Table
from innspect.transforms.flatten.columns import SNAP
from innspect.transforms.normalise import row_path
from innspect.transforms.versions.row_matching import KEY, paired

PLACE: Final = "place#"
SOUND: Final = "__sound"
CELL: Final[dict[str, pl.DataType]] = {
    SNAP: pl.UInt32(),
    "table_name": pl.String(),
    "row_path": pl.String(),
    "column_name": pl.String(),
}


def _no_cells() -> pl.DataFrame:
    return pl.DataFrame(schema=CELL)


@dataclass(frozen=True, slots=True)
class Unread:
    """Unreadable cells of two consecutive versions of one block, under the number of the later snapshot (`CELL`).

    `sound`: the rows of the last version before in which every cell could be read, by table, under the same numbers.
    """

    new: pl.DataFrame = field(default_factory=_no_cells)
    old: pl.DataFrame = field(default_factory=_no_cells)
    sound: Mapping[str, pl.DataFrame] = field(default_factory=dict[str, pl.DataFrame])


def cells_of(found: pl.DataFrame, table: Table, column: str) -> pl.DataFrame:
    """The cells (`snap`, `place#`) of one column among those of `found`."""
    here = (pl.col("table_name") == table.name) & (pl.col("column_name") == column)
    return found.filter(here).select(SNAP, pl.col("row_path").alias(PLACE))


def read_before(
    tables: tuple[Table, ...], old: dict[str, pl.DataFrame], unread: Unread
) -> tuple[dict[str, pl.DataFrame], pl.DataFrame]:
    """The old frames with unreadable cells as they were last read; and the cells of rows that never were (`CELL`)."""
    if unread.old.is_empty() or not unread.sound:
        return old, unread.old
    filled = dict(old)
    unknown = [_no_cells()]
    keyed: dict[str, tuple[pl.DataFrame, pl.DataFrame]] = {}
    for table in tables:
        ours, theirs = paired(tables, table, old, unread.sound, keyed.get(table.parent))
        keyed[table.name] = ours, theirs
        rows = ours.with_columns(row_path(table).alias(PLACE))
        names = {column.name for column in table.columns if column.field.content}
        for name in unread.old.filter(pl.col("table_name") == table.name)["column_name"].unique().drop_nulls():
            if name not in names:
                continue
            lost = cells_of(unread.old, table, name).unique().with_columns(pl.lit(value=True).alias("lost#"))
            last = theirs.select(SNAP, KEY, pl.col(name).alias(SOUND), pl.lit(value=True).alias("read#"))
            rows = rows.join(lost, on=[SNAP, PLACE], how="left", maintain_order="left").join(
                last, on=[SNAP, KEY], how="left", maintain_order="left"
            )
            never = rows.filter(pl.col("lost#") & pl.col("read#").is_null())
            unknown.append(
                never.select(SNAP, pl.lit(table.name).alias("table_name"), pl.col(PLACE).alias("row_path"))
                .with_columns(pl.lit(name).alias("column_name"))
                .select(list(CELL))
            )
            cell = pl.when("lost#").then(pl.coalesce(name, SOUND)).otherwise(name)
            rows = rows.with_columns(cell.alias(name)).drop("lost#", "read#", SOUND)
        filled[table.name] = rows.select(old[table.name].columns)
    return filled, pl.concat(unknown)
