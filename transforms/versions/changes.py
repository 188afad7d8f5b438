"""Differences between two consecutive versions: rows matched by their keys, compared cell by cell."""

from types import MappingProxyType
from typing import Final

import polars as pl

from innspect.schemas.change_severity import severity
from innspect.schemas.column_names import OLD, PARENT_KEY, POSITION, ROW_KEY
from innspect.schemas.frames import SNAP, Schema
from innspect.schemas.kinds import Form
from innspect.schemas.lineage import CHANGES
from innspect.schemas.tables import Origin, Table
from innspect.transforms.normalise import row_path
from innspect.transforms.versions.leaf_alignment import align_leaves
from innspect.transforms.versions.list_figures import groups_of
from innspect.transforms.versions.row_matching import LEVEL_SEPARATOR, PART_SEPARATOR, match_rows
from innspect.transforms.versions.unreadable_cells import UnreadableCells, cells_of_column, restore_readable

DIFFERENCES: Final[Schema] = MappingProxyType(
    {
        SNAP: pl.UInt32(),
        "table_name": pl.String(),
        "row_key": pl.String(),
        "change": pl.String(),
        "column_name": pl.String(),
        "old_value": pl.String(),
        "new_value": pl.String(),
    }
)


def _printed_key() -> pl.Expr:
    """The key for people: keys of the parents first, parts separated by bars."""
    return (
        pl.col(ROW_KEY)
        .str.strip_chars_start(LEVEL_SEPARATOR)
        .str.replace_all(LEVEL_SEPARATOR, " / ", literal=True)
        .str.replace_all(PART_SEPARATOR + "#", " #", literal=True)
        .str.replace_all(PART_SEPARATOR, " | ", literal=True)
    )


def differences(
    tables: tuple[Table, ...],
    old: dict[str, pl.DataFrame],
    new: dict[str, pl.DataFrame],
    after_partial: pl.DataFrame | None = None,
    unreadable: UnreadableCells | None = None,
) -> pl.DataFrame:
    """Changes of one block (`DIFFERENCES`); both sides carry the same snapshots.

    A row inside an added or removed row is part of that change. What was only unknown before is no change: a flag that
    had not been checked, a cell that could not be read, and the part of a block that only its standalone method has.
    The snapshots (`snap`, `is_complete`) in `after_partial` follow partial ones only: a flag that these did not state
    is no change, and neither are added rows and sums of a complete one.
    """
    unreadable = unreadable or UnreadableCells()
    found: list[pl.DataFrame] = [pl.DataFrame(schema=DIFFERENCES)]
    old, unknown = restore_readable(tables, old, unreadable)
    old = align_leaves(tables, old, new, match_changed=True)
    matched: dict[str, tuple[pl.DataFrame, pl.DataFrame]] = {}
    for table in tables:
        parent = matched.get(table.parent)
        before, after = match_rows(tables, table, old, new, parent)
        matched[table.name] = (before, after)
        if table.origin is not Origin.ROOT:
            found += _row_changes(table, before, after, parent)
        found += _cell_changes(table, before, after, unreadable.new, unknown)
    return _drop_first_observations(tables, old, pl.concat(found), after_partial)


def _drop_first_observations(
    tables: tuple[Table, ...],
    old: dict[str, pl.DataFrame],
    found: pl.DataFrame,
    after_partial: pl.DataFrame | None,
) -> pl.DataFrame:
    """Drop changes that only show that more is known than before."""
    root = tables[0]
    was_null = (pl.col("change") == "changed") & pl.col("old_value").is_null()
    of_root = pl.col("table_name") == root.name
    checked_flags = [column.name for column in root.columns if column.field.null_while]
    is_first = of_root & was_null & pl.col("column_name").is_in(checked_flags)
    narrow = _after_full_checks_only(tables, old)
    if narrow is not None:
        columns = [column.name for column in root.columns if not column.field.full_check]
        lists = [table.name for table in tables if not table.in_full_check]
        is_standalone = (of_root & was_null & pl.col("column_name").is_in(columns)) | pl.col("table_name").is_in(lists)
        is_first |= pl.col(SNAP).is_in(narrow.implode()) & is_standalone
    if after_partial is not None and after_partial.height:
        flags = [column.name for column in root.columns if column.kind.form is Form.FLAG]
        is_flag = of_root & was_null & pl.col("column_name").is_in(flags)
        is_first |= pl.col(SNAP).is_in(after_partial[SNAP].implode()) & is_flag
        first_complete = after_partial.filter("is_complete")
        totals = [column.name for column in root.columns if column.is_total]
        is_figure = (of_root & pl.col("column_name").is_in(totals)) | pl.col("table_name").is_in(_grouped_maps(tables))
        is_more = (pl.col("change") == "added") | is_figure | was_null
        is_first |= pl.col(SNAP).is_in(first_complete[SNAP].implode()) & is_more
    return found.filter(is_first.fill_null(value=False).not_())


def _grouped_maps(tables: tuple[Table, ...]) -> list[str]:
    """The tables of maps that count or sum the rows of a list."""
    return [table.name for table in tables if groups_of(table)]


def _after_full_checks_only(tables: tuple[Table, ...], old: dict[str, pl.DataFrame]) -> pl.Series | None:
    """The snapshots before which a block is known from full checks only; None if these carry the whole block."""
    root = tables[0]
    columns = [column.name for column in root.columns if not column.field.full_check]
    lists = [table.name for table in tables if not table.in_full_check]
    if not root.in_full_check or not (columns or lists):
        return None
    standalone = [old[root.name].filter(pl.any_horizontal(pl.col(name).is_not_null() for name in columns))[SNAP]]
    standalone += [old[name][SNAP] for name in lists]
    snaps = old[root.name][SNAP]
    return snaps.filter(snaps.is_in(pl.concat(standalone).implode()).not_())


def _row_changes(
    table: Table, before: pl.DataFrame, after: pl.DataFrame, parent: tuple[pl.DataFrame, pl.DataFrame] | None
) -> list[pl.DataFrame]:
    on = [SNAP, ROW_KEY]
    added = _drop_repeated(table, after.join(before, on=on, how="anti"), before)
    removed = _drop_repeated(table, before.join(after, on=on, how="anti"), after)
    if parent and table.own_ordinal:
        # Only rows whose parent is on both sides: the change of an added or removed parent includes its children.
        parents = [frame.select(SNAP, pl.col(ROW_KEY).alias(PARENT_KEY)).unique() for frame in parent]
        added = added.join(parents[0], on=[SNAP, PARENT_KEY], how="semi")
        removed = removed.join(parents[1], on=[SNAP, PARENT_KEY], how="semi")
    return [_describe_rows(table, added, "added"), _describe_rows(table, removed, "removed")]


def _drop_repeated(table: Table, rows: pl.DataFrame, other: pl.DataFrame) -> pl.DataFrame:
    """The rows without those that repeat an equal row, children aside, which the other side has too.

    An entry that one response lists twice and another once is neither added nor removed.
    """
    repeated = rows.filter(pl.col(ROW_KEY).str.contains(PART_SEPARATOR + "#", literal=True))
    if repeated.is_empty():
        return rows
    in_key = [name for entry in table.key for name in entry]
    names = [column.name for column in table.columns if column.name in in_key or column.field.content]
    equal = repeated.join(other, on=[SNAP, PARENT_KEY, *names], how="semi", nulls_equal=True)
    return rows.join(equal, on=[SNAP, ROW_KEY], how="anti", maintain_order="left")


def _describe_rows(table: Table, rows: pl.DataFrame, change: str) -> pl.DataFrame:
    row = pl.struct(column.name for column in table.columns if not column.is_presence).struct.json_encode()
    null = pl.lit(None, dtype=pl.String)
    return rows.select(
        SNAP,
        pl.lit(table.name).alias("table_name"),
        _printed_key().alias("row_key"),
        pl.lit(change).alias("change"),
        null.alias("column_name"),
        (row if change == "removed" else null).alias("old_value"),
        (row if change == "added" else null).alias("new_value"),
    )


def _cell_changes(
    table: Table, before: pl.DataFrame, after: pl.DataFrame, unreadable: pl.DataFrame, unknown: pl.DataFrame
) -> list[pl.DataFrame]:
    names = [column.name for column in table.columns if column.field.content and not column.is_presence]
    position = row_path(table).alias(POSITION)
    both = after.select(SNAP, ROW_KEY, position, *names).join(
        before.select(SNAP, ROW_KEY, position, *names),
        on=[SNAP, ROW_KEY],
        how="inner",
        suffix=OLD,
        maintain_order="left",
    )
    if both.is_empty() or not names:
        return []
    counts = both.select(pl.col(name).ne_missing(pl.col(name + OLD)).sum() for name in names).row(0, named=True)
    found: list[pl.DataFrame] = []
    for name, count in counts.items():
        if not count:
            continue
        rows = both.filter(pl.col(name).ne_missing(pl.col(name + OLD)))
        lost = rows.filter(pl.col(name).is_null()).join(
            cells_of_column(unreadable, table, name), on=[SNAP, POSITION], how="semi"
        )
        rows = rows.join(lost, on=[SNAP, ROW_KEY], how="anti", maintain_order="left").join(
            cells_of_column(unknown, table, name),
            left_on=[SNAP, POSITION + OLD],
            right_on=[SNAP, POSITION],
            how="anti",
            maintain_order="left",
        )
        found.append(
            rows.select(
                SNAP,
                pl.lit(table.name).alias("table_name"),
                _printed_key().alias("row_key"),
                pl.lit("changed").alias("change"),
                pl.lit(name).alias("column_name"),
                pl.col(name + OLD).cast(pl.String).alias("old_value"),
                pl.col(name).cast(pl.String).alias("new_value"),
            )
        )
    return found


def change_rows(found: pl.DataFrame, snapshots: pl.DataFrame) -> pl.DataFrame:
    """The differences as rows of `lineage.changes`, with their severity."""
    fields = snapshots.select(SNAP, "run_id", "snapshot_id", "inn", "block", pl.col("asked_at").alias("seen_at"))
    joined = found.join(fields, on=SNAP, how="inner", maintain_order="left").with_columns(severity().alias("severity"))
    return joined.sort("seen_at", "inn", "block", "table_name", "row_key", "column_name", maintain_order=True).select(
        list(CHANGES.schema())
    )
