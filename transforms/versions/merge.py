"""Merge of a partial snapshot with what was known before.

Rows and values of the snapshot replace or add, by the keys of the tables; those that it lacks stay; counters and sums
never decrease. So a source that did not respond never removes a row.
"""

import polars as pl

from innspect.schemas.column_names import KNOWN, PARENT_KEY, POSITION, ROW_KEY
from innspect.schemas.frames import SNAP
from innspect.schemas.tables import Origin, Table
from innspect.transforms.versions.leaf_alignment import align_leaves
from innspect.transforms.versions.row_matching import match_rows


def merge(
    tables: tuple[Table, ...], new: dict[str, pl.DataFrame], known: dict[str, pl.DataFrame]
) -> dict[str, pl.DataFrame]:
    """The merged frames of one block, new rows first; `known` has the rows known before under the same `snap`."""
    merged: dict[str, pl.DataFrame] = {}
    known = align_leaves(tables, known, new, match_changed=False)
    matched: dict[str, tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]] = {}
    for table in tables:
        parent = matched.get(table.parent)
        new_rows, known_rows = match_rows(tables, table, new, known, parent[:2] if parent else None)
        rows = _join(table, new_rows, known_rows)
        rows = _renumber(table, rows, parent[2] if parent else None)
        matched[table.name] = (new_rows, known_rows, rows)
        merged[table.name] = rows.select(SNAP, *table.ordinals, *(column.name for column in table.columns))
    return merged


def _join(table: Table, new: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    names = [column.name for column in table.columns]
    new = new.with_row_index(POSITION).select(SNAP, ROW_KEY, PARENT_KEY, POSITION, *names)
    known = known.with_row_index(POSITION).select(SNAP, ROW_KEY, PARENT_KEY, POSITION, *names)
    rows = new.join(known, on=[SNAP, ROW_KEY], how="full", coalesce=True, suffix=KNOWN)
    values: list[pl.Expr] = []
    for column in table.columns:
        fresh, old = pl.col(column.name), pl.col(column.name + KNOWN)
        if not column.field.content:
            values.append(fresh)
        elif column.is_total and table.origin is Origin.ROOT:
            values.append(pl.max_horizontal(fresh, old).alias(column.name))
        else:
            values.append(pl.coalesce(fresh, old).alias(column.name))
    parent = pl.coalesce(PARENT_KEY, PARENT_KEY + KNOWN).alias(PARENT_KEY)
    order = [pl.col(POSITION).is_null(), pl.col(POSITION), pl.col(POSITION + KNOWN)]
    return rows.sort(SNAP, *order, maintain_order=True).select(SNAP, ROW_KEY, parent, *values)


def _renumber(table: Table, rows: pl.DataFrame, parent: pl.DataFrame | None) -> pl.DataFrame:
    """Rows with ordinals of the merged order; those of the parents are joined by their keys."""
    above = table.ordinals[:-1] if table.own_ordinal else ()
    if above and parent is not None:
        keys = parent.select(SNAP, pl.col(ROW_KEY).alias(PARENT_KEY), *above)
        rows = rows.join(keys, on=[SNAP, PARENT_KEY], how="left", maintain_order="left")
    if table.own_ordinal:
        own = (pl.int_range(pl.len()).over(SNAP, PARENT_KEY) + 1).cast(pl.UInt32)
        rows = rows.with_columns(own.alias(table.own_ordinal))
    return rows
