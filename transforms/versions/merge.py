"""Merge of a snapshot with what was known before.

Rows and values of the snapshot replace or add, by the keys of the tables; those that it lacks stay; counters and sums
are computed again from the merged rows. So a source that did not respond never removes a row, and a row that leaves a
list at its cap is not removed.
"""

import polars as pl

from innspect.schemas.column_names import IN_KNOWN, IN_RESPONSE, KNOWN, PARENT_KEY, POSITION, ROW_KEY
from innspect.schemas.frames import KEPT_ROWS, SNAP
from innspect.schemas.tables import Origin, Table
from innspect.transforms.flatten.leaves import leaf_part
from innspect.transforms.versions.leaf_alignment import align_leaves
from innspect.transforms.versions.list_figures import recompute_figures
from innspect.transforms.versions.row_matching import match_rows


def merge(
    tables: tuple[Table, ...], new: dict[str, pl.DataFrame], known: dict[str, pl.DataFrame], merges: pl.DataFrame
) -> tuple[dict[str, pl.DataFrame], pl.DataFrame]:
    """The merged frames of one block, new rows first, and the rows that the snapshots lack (`KEPT_ROWS`).

    `known` has the rows known before under the same `snap`. `merges`: `snap`, `lists` and `withheld`, see
    `Batch.merges`.
    """
    known = {table.name: _merged_part(table, known[table.name], merges) for table in tables}
    aligned = align_leaves(tables, known, new, match_changed=False)
    matched: dict[str, tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]] = {}
    merged: dict[str, pl.DataFrame] = {}
    for table in tables:
        parent = matched.get(table.parent)
        new_rows, known_rows = match_rows(tables, table, new, aligned, parent[:2] if parent else None)
        rows = _renumber(table, _join(table, new_rows, known_rows), parent[2] if parent else None)
        matched[table.name] = (new_rows, known_rows, rows)
        columns = [SNAP, *table.ordinals, *(column.name for column in table.columns), IN_RESPONSE, IN_KNOWN]
        merged[table.name] = rows.select(columns)
    lists = [table for table in tables if table.own_list == table.name or table.origin is Origin.LEAVES]
    kept = [_kept_rows(table, merged[table.name]) for table in lists]
    merged = recompute_figures(tables, merged, new, known, merges)
    return {name: rows.drop(IN_RESPONSE, IN_KNOWN) for name, rows in merged.items()}, pl.concat(
        [pl.DataFrame(schema=KEPT_ROWS), *kept]
    )


def _merged_part(table: Table, known: pl.DataFrame, merges: pl.DataFrame) -> pl.DataFrame:
    """The known rows that are merged: those of the lists that are, or that the service may withhold."""
    own_list = pl.lit(table.own_list)
    if table.origin is Origin.LEAVES:
        own_list = pl.concat_str(pl.lit(f"{table.block}__"), leaf_part())
    lists = merges.select(SNAP, "lists", "withheld").filter(pl.col("lists").is_not_null())
    if lists.is_empty():
        return known
    rows = known.join(lists, on=SNAP, how="left", maintain_order="left")
    is_merged = pl.col("lists").is_null() | pl.col("lists").list.contains(own_list)
    if table.withheld is not None:
        is_merged |= pl.col("withheld").list.contains(table.name) & table.withheld.rows
    return rows.filter(is_merged.fill_null(value=False)).drop("lists", "withheld")


def _kept_rows(table: Table, merged: pl.DataFrame) -> pl.DataFrame:
    """The rows of a list that are known from earlier evidence only; leaves have no number, so all of them are one."""
    number = pl.col(table.own_ordinal) if table.own_ordinal else pl.lit(None)
    rows = merged.filter(~pl.col(IN_RESPONSE))
    return rows.select(SNAP, pl.lit(table.name).alias("table_name"), number.cast(pl.Int64).alias("row_no")).unique(
        maintain_order=True
    )


def _join(table: Table, new: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    names = [column.name for column in table.columns]
    new = new.with_row_index(POSITION).select(SNAP, ROW_KEY, PARENT_KEY, POSITION, *names)
    known = known.with_row_index(POSITION).select(SNAP, ROW_KEY, PARENT_KEY, POSITION, *names)
    rows = new.join(known, on=[SNAP, ROW_KEY], how="full", coalesce=True, suffix=KNOWN)
    values = [
        pl.coalesce(column.name, column.name + KNOWN) if column.field.content else pl.col(column.name)
        for column in table.columns
    ]
    parent = pl.coalesce(PARENT_KEY, PARENT_KEY + KNOWN).alias(PARENT_KEY)
    order = [pl.col(POSITION).is_null(), pl.col(POSITION), pl.col(POSITION + KNOWN)]
    sides = [
        pl.col(POSITION).is_not_null().alias(IN_RESPONSE),
        pl.col(POSITION + KNOWN).is_not_null().alias(IN_KNOWN),
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
