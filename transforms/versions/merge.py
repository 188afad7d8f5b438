"""Merge of a snapshot with what was known before.

Rows and values of the snapshot replace or add, by the keys of the tables; those that it lacks stay; counters and sums
are computed again from the merged rows. So a source that did not respond never removes a row, and a row that leaves a
list at its cap is not removed.

A list that is not merged, of a block whose rows have optional lists, is filled: its rows are those of the snapshot,
with the known values of optional fields and the known rows of optional lists that they lack. A list inside a row that
has reached its cap keeps the known rows of the same list. A list with a window keeps the known rows before it.
"""

import polars as pl

from innspect.schemas.column_names import (
    FILLS,
    IN_KNOWN,
    IN_RESPONSE,
    IS_SILENT,
    KNOWN,
    NEWEST,
    OLDEST,
    PARENT_KEY,
    POSITION,
    ROW_KEY,
    presence_column,
)
from innspect.schemas.frames import KEPT_ROWS, SNAP
from innspect.schemas.tables import Column, Origin, Table
from innspect.schemas.tables import tables as all_tables
from innspect.transforms.flatten.leaves import leaf_part
from innspect.transforms.versions.leaf_alignment import align_leaves
from innspect.transforms.versions.list_figures import Frames, recompute_figures
from innspect.transforms.versions.row_matching import match_rows


def merge(
    tables: tuple[Table, ...], new: dict[str, pl.DataFrame], known: dict[str, pl.DataFrame], merges: pl.DataFrame
) -> tuple[dict[str, pl.DataFrame], pl.DataFrame]:
    """The merged frames of one block, new rows first, and the rows that the snapshots lack (`KEPT_ROWS`).

    `known` has the rows known before under the same `snap`. `merges`: `snap`, `lists`, `withheld` and
    `is_narrow`, see `Batch.merges`.
    """
    has_optional = any(table.optional_lists for table in tables)
    is_filled = has_optional or any(table.max_rows_each for table in tables)
    known = _with_windows(tables, new, known)
    known = {table.name: _mark_filling(table, known[table.name], merges, is_filled=is_filled) for table in tables}
    aligned = align_leaves(tables, known, new, match_changed=False)
    matched: dict[str, tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]] = {}
    merged: dict[str, pl.DataFrame] = {}
    for table in tables:
        parent = matched.get(table.parent)
        new_rows, known_rows = match_rows(tables, table, new, aligned, parent[:2] if parent else None)
        joined = _join(table, new_rows, known_rows, fills_cells=has_optional)
        if is_filled:
            joined = _drop_filling(table, joined, new_rows, parent)
        rows = _renumber(table, joined, parent[2] if parent else None)
        matched[table.name] = (new_rows, known_rows, rows)
        columns = [SNAP, *table.ordinals, *(column.name for column in table.columns), IN_RESPONSE, IN_KNOWN]
        merged[table.name] = rows.select(columns)
    lists = [table for table in tables if table.own_list == table.name or table.origin is Origin.LEAVES]
    kept = [_kept_rows(table, merged[table.name]) for table in lists]
    known = {name: rows.filter(~pl.col(FILLS)).drop(FILLS) for name, rows in known.items()}
    merged = recompute_figures(tables, merged, new, known, merges)
    return {name: rows.drop(IN_RESPONSE, IN_KNOWN) for name, rows in merged.items()}, pl.concat(
        [pl.DataFrame(schema=KEPT_ROWS), *kept]
    )


def _with_windows(tables: tuple[Table, ...], new: Frames, known: Frames) -> dict[str, pl.DataFrame]:
    """The known frames; rows of lists with a window have the first value of it that the snapshot lists (`oldest#`).

    A list without rows begins with the last value that the snapshot lists in any of the block's windows.
    """
    windowed = [table for table in tables if table.window]
    if not windowed:
        return dict(known)
    listed = [new[table.name].select(SNAP, pl.col(table.window).alias(NEWEST)) for table in windowed]
    newest = pl.concat(listed).group_by(SNAP).agg(pl.col(NEWEST).max())
    found = dict(known)
    for table in windowed:
        on = [SNAP, *table.windows]
        oldest = new[table.name].group_by(on).agg(pl.col(table.window).min().alias(OLDEST))
        rows = known[table.name].join(oldest, on=on, how="left", maintain_order="left")
        rows = rows.join(newest, on=SNAP, how="left", maintain_order="left")
        found[table.name] = rows.with_columns(pl.coalesce(OLDEST, NEWEST).alias(OLDEST)).drop(NEWEST)
    return found


def _mark_filling(table: Table, known: pl.DataFrame, merges: pl.DataFrame, *, is_filled: bool) -> pl.DataFrame:
    """The known rows that are merged, and those of other lists if these are filled (`fills#`).

    Merged are those of the lists that are, those that the service may have withheld, and those before a window; of the
    block's own row the fields that the method does not carry.
    """
    own_list = pl.lit(table.merged_list)
    if table.origin is Origin.LEAVES:
        own_list = pl.concat_str(pl.lit(f"{table.block}__"), leaf_part())
    lists = merges.select(SNAP, "lists", "withheld", "is_narrow").filter(pl.col("lists").is_not_null())
    rows = known.join(lists, on=SNAP, how="left", maintain_order="left")
    is_merged = pl.col("lists").is_null() | pl.col("lists").list.contains(own_list)
    if table.withheld is not None:
        is_merged |= pl.col("withheld").list.contains(table.name) & table.withheld.rows
    if table.window:
        is_merged |= pl.col(table.window) < pl.col(OLDEST)
    if table.origin is Origin.ROOT:
        is_merged |= pl.col("is_narrow")
        carried = [column.name for column in table.columns if column.field.full_check]
        rows = rows.with_columns(pl.when(~pl.col("is_narrow").fill_null(value=False)).then(pl.col(carried)))
    is_filling = is_merged.fill_null(value=False).not_().alias(FILLS)
    rows = rows.with_columns(is_filling).drop("lists", "withheld", "is_narrow", OLDEST, strict=False)
    return rows if is_filled and table.own_ordinal else rows.filter(~pl.col(FILLS))


def _drop_filling(
    table: Table,
    rows: pl.DataFrame,
    new: pl.DataFrame,
    parent: tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame] | None,
) -> pl.DataFrame:
    """The joined rows without known ones that only fill, except those of lists that their parents lack or have full."""
    is_extra = ~pl.col(IN_RESPONSE) & pl.col(FILLS)
    if not rows[FILLS].any():
        return rows
    if parent is None or not table.own_ordinal:
        return rows.filter(~is_extra)
    parents, _, merged = parent
    key = [SNAP, pl.col(ROW_KEY).alias(PARENT_KEY)]
    silent = [merged.filter(~pl.col(IN_RESPONSE)).select(key)]
    above = all_tables()[table.parent]
    if (presence := presence_column(table.attribute)) in parents.columns:
        silent.append(parents.filter(pl.col(presence).is_null()).select(key))
    if above.sparse_flag:
        sparse = parents.filter(pl.col(above.sparse_flag).fill_null(value=False)).select(key)
        silent.append(sparse.join(new, on=[SNAP, PARENT_KEY], how="anti"))
    if table.max_rows_each:
        silent.append(new.filter(pl.col(table.own_ordinal) >= table.max_rows_each).select(SNAP, PARENT_KEY))
    kept = pl.concat(silent).unique().with_columns(pl.lit(value=True).alias(IS_SILENT))
    rows = rows.join(kept, on=[SNAP, PARENT_KEY], how="left", maintain_order="left")
    return rows.filter(~is_extra | pl.col(IS_SILENT).fill_null(value=False)).drop(IS_SILENT)


def _kept_rows(table: Table, merged: pl.DataFrame) -> pl.DataFrame:
    """The rows of a list that are known from earlier evidence only; leaves have no number, so all of them are one."""
    number = pl.col(table.own_ordinal) if table.own_ordinal else pl.lit(None)
    rows = merged.filter(~pl.col(IN_RESPONSE))
    return rows.select(SNAP, pl.lit(table.name).alias("table_name"), number.cast(pl.Int64).alias("row_no")).unique(
        maintain_order=True
    )


def _join(table: Table, new: pl.DataFrame, known: pl.DataFrame, *, fills_cells: bool) -> pl.DataFrame:
    names = [column.name for column in table.columns]
    new = new.with_row_index(POSITION).select(SNAP, ROW_KEY, PARENT_KEY, POSITION, *names)
    known = known.with_row_index(POSITION).select(SNAP, ROW_KEY, PARENT_KEY, POSITION, FILLS, *names)
    rows = new.join(known, on=[SNAP, ROW_KEY], how="full", coalesce=True, suffix=KNOWN)
    values = [_value(table, column, fills_cells=fills_cells) for column in table.columns]
    parent = pl.coalesce(PARENT_KEY, PARENT_KEY + KNOWN).alias(PARENT_KEY)
    order = [pl.col(POSITION).is_null(), pl.col(POSITION), pl.col(POSITION + KNOWN)]
    sides = [
        pl.col(POSITION).is_not_null().alias(IN_RESPONSE),
        pl.col(POSITION + KNOWN).is_not_null().alias(IN_KNOWN),
        pl.col(FILLS).fill_null(value=False),
    ]
    flags = [
        pl.when(pl.col(column.name) & pl.any_horizontal(pl.col(column.field.false_with).is_not_null()))
        .then(pl.lit(value=False))
        .otherwise(column.name)
        .alias(column.name)
        for column in table.columns
        if column.field.false_with
    ]
    merged = rows.sort(SNAP, *order, maintain_order=True).select(SNAP, ROW_KEY, parent, *values, *sides)
    return merged.with_columns(flags)


def _value(table: Table, column: Column, *, fills_cells: bool) -> pl.Expr:
    """The value of the snapshot, or else the known one; of a row that is only filled, if the snapshot may lack it.

    `fills_cells`: whether the snapshot may lack optional values of such a row.
    """
    value = pl.col(column.name)
    if not column.field.content:
        return value
    merged = pl.coalesce(value, column.name + KNOWN)
    if (column.field.optional and fills_cells) or not table.own_ordinal:
        return merged
    is_sparse = pl.col(table.sparse_flag).fill_null(value=False) if table.sparse_flag else pl.lit(value=False)
    is_only_filled = pl.col(FILLS) & pl.col(POSITION).is_not_null() & ~is_sparse
    return pl.when(is_only_filled).then(value).otherwise(merged).alias(column.name)


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
