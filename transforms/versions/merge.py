"""What is known after an answer that does not tell all: its rows over those that were known.

What the answer brings replaces or adds, by the tables' keys; rows and values that it does not bring stay; counts and
sums never go down. So a silent source never removes a row.
"""

import polars as pl

from innspect.schemas.tables import Origin, Table
from innspect.transforms.flatten.columns import SNAP
from innspect.transforms.versions.leaf_alignment import with_leaves_aligned
from innspect.transforms.versions.row_matching import KEY, PARENT_KEY, paired

KNOWN = "__known"


def merge(
    tables: tuple[Table, ...], new: dict[str, pl.DataFrame], known: dict[str, pl.DataFrame]
) -> dict[str, pl.DataFrame]:
    """The merged frames of one block, new rows first; both sides carry `snap`, and known rows are of the same snaps."""
    merged: dict[str, pl.DataFrame] = {}
    known = with_leaves_aligned(tables, known, new, changed=False)
    keyed: dict[str, tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]] = {}
    for table in tables:
        above = keyed.get(table.parent)
        ours, theirs = paired(tables, table, new, known, above[:2] if above else None)
        rows = _joined(table, ours, theirs)
        rows = _numbered(table, rows, above[2] if above else None)
        keyed[table.name] = (ours, theirs, rows)
        merged[table.name] = rows.select(SNAP, *table.ordinals, *(column.name for column in table.columns))
    return merged


def _joined(table: Table, ours: pl.DataFrame, theirs: pl.DataFrame) -> pl.DataFrame:
    names = [column.name for column in table.columns]
    number = "place#"
    ours = ours.with_row_index(number).select(SNAP, KEY, PARENT_KEY, number, *names)
    theirs = theirs.with_row_index(number).select(SNAP, KEY, PARENT_KEY, number, *names)
    rows = ours.join(theirs, on=[SNAP, KEY], how="full", coalesce=True, suffix=KNOWN)
    values: list[pl.Expr] = []
    for column in table.columns:
        fresh, old = pl.col(column.name), pl.col(column.name + KNOWN)
        if not column.field.content:
            values.append(fresh)
        elif column.total and table.origin is Origin.ROOT:
            values.append(pl.max_horizontal(fresh, old).alias(column.name))
        else:
            values.append(pl.coalesce(fresh, old).alias(column.name))
    parent = pl.coalesce(PARENT_KEY, PARENT_KEY + KNOWN).alias(PARENT_KEY)
    order = [pl.col(number).is_null(), pl.col(number), pl.col(number + KNOWN)]
    return rows.sort(SNAP, *order, maintain_order=True).select(SNAP, KEY, parent, *values)


def _numbered(table: Table, rows: pl.DataFrame, parent: pl.DataFrame | None) -> pl.DataFrame:
    """Ordinals anew: the parent's by its key, its own by the order in which rows stand now."""
    above = table.ordinals[:-1] if table.own_ordinal else ()
    if above and parent is not None:
        keys = parent.select(SNAP, pl.col(KEY).alias(PARENT_KEY), *above)
        rows = rows.join(keys, on=[SNAP, PARENT_KEY], how="left", maintain_order="left")
    if table.own_ordinal:
        own = (pl.int_range(pl.len()).over(SNAP, PARENT_KEY) + 1).cast(pl.UInt32)
        rows = rows.with_columns(own.alias(table.own_ordinal))
    return rows
