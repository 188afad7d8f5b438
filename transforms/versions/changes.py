"""What differs between two consecutive versions: rows matched by their keys, cell by cell."""

import polars as pl

from innspect.schemas.change_severity import severity
from innspect.schemas.lineage import CHANGES
from innspect.schemas.tables import Origin, Table
from innspect.transforms.flatten.columns import SNAP
from innspect.transforms.normalise import row_path
from innspect.transforms.versions.leaf_alignment import with_leaves_aligned
from innspect.transforms.versions.row_matching import KEY, LEVEL, PARENT_KEY, PART, paired
from innspect.transforms.versions.unreadable_cells import PLACE, Unread, cells_of, read_before

OLD = "__old"
FOUND: dict[str, pl.DataType] = {
    SNAP: pl.UInt32(),
    "table_name": pl.String(),
    "row_key": pl.String(),
    "change": pl.String(),
    "column_name": pl.String(),
    "old_value": pl.String(),
    "new_value": pl.String(),
}


def _readable() -> pl.Expr:
    """The key as a person reads it: parents before, parts with bars between."""
    return (
        pl.col(KEY)
        .str.strip_chars_start(LEVEL)
        .str.replace_all(LEVEL, " / ", literal=True)
        .str.replace_all(PART + "#", " #", literal=True)
        .str.replace_all(PART, " | ", literal=True)
    )


def differences(
    tables: tuple[Table, ...],
    old: dict[str, pl.DataFrame],
    new: dict[str, pl.DataFrame],
    first_whole: pl.DataFrame | None = None,
    unread: Unread | None = None,
) -> pl.DataFrame:
    """Changes of one block (columns of `FOUND`); both sides carry the same snapshots.

    A row inside an added or removed one is part of that change, not one of its own. What was merely not known before is
    no change: a flag that had not been checked, a cell that could not be read, the part of a block that only its own
    method brings, and, for the snapshots (`snap`) in `first_whole`, whole answers after incomplete ones alone, rows and
    sums that had been missing.
    """
    found: list[pl.DataFrame] = [pl.DataFrame(schema=FOUND)]
    unread = unread or Unread()
    old, unknown = read_before(tables, old, unread)
    old = with_leaves_aligned(tables, old, new, changed=True)
    keyed: dict[str, tuple[pl.DataFrame, pl.DataFrame]] = {}
    for table in tables:
        above = keyed.get(table.parent)
        before, after = paired(tables, table, old, new, above)
        keyed[table.name] = (before, after)
        if table.origin is not Origin.ROOT:
            found += _rows(table, before, after, above)
        found += _cells(table, before, after, unread.new, unknown)
    return _without_news_of_the_known(tables, old, pl.concat(found), first_whole)


def _without_news_of_the_known(
    tables: tuple[Table, ...], old: dict[str, pl.DataFrame], found: pl.DataFrame, first_whole: pl.DataFrame | None
) -> pl.DataFrame:
    """The changes without those that only tell that more is known than before."""
    root = tables[0]
    unset = (pl.col("change") == "changed") & pl.col("old_value").is_null()
    of_root = pl.col("table_name") == root.name
    unchecked = [column.name for column in root.columns if column.field.null_while]
    news = of_root & unset & pl.col("column_name").is_in(unchecked)
    narrow = _narrow(tables, old)
    if narrow is not None:
        columns = [column.name for column in root.columns if not column.field.full_check]
        lists = [table.name for table in tables if not table.full_check]
        wide = (of_root & unset & pl.col("column_name").is_in(columns)) | pl.col("table_name").is_in(lists)
        news |= pl.col(SNAP).is_in(narrow.implode()) & wide
    if first_whole is not None and first_whole.height:
        sums = [column.name for column in root.columns if column.total]
        more = (pl.col("change") == "added") | (of_root & pl.col("column_name").is_in(sums)) | unset
        news |= pl.col(SNAP).is_in(first_whole[SNAP].implode()) & more
    return found.filter(news.fill_null(value=False).not_())


def _narrow(tables: tuple[Table, ...], old: dict[str, pl.DataFrame]) -> pl.Series | None:
    """The snapshots before which only the full check had told of a block that it carries in part; None for others."""
    root = tables[0]
    columns = [column.name for column in root.columns if not column.field.full_check]
    lists = [table.name for table in tables if not table.full_check]
    if not root.full_check or not (columns or lists):
        return None
    told = [old[root.name].filter(pl.any_horizontal(pl.col(name).is_not_null() for name in columns))[SNAP]]
    told += [old[name][SNAP] for name in lists]
    before = old[root.name][SNAP]
    return before.filter(before.is_in(pl.concat(told).implode()).not_())


def _rows(
    table: Table, before: pl.DataFrame, after: pl.DataFrame, above: tuple[pl.DataFrame, pl.DataFrame] | None
) -> list[pl.DataFrame]:
    on = [SNAP, KEY]
    added, removed = after.join(before, on=on, how="anti"), before.join(after, on=on, how="anti")
    if above and table.own_ordinal:
        # Only rows whose parent stands on both sides: a parent that came or went tells for its children.
        parents = [frame.select(SNAP, pl.col(KEY).alias(PARENT_KEY)).unique() for frame in above]
        added = added.join(parents[0], on=[SNAP, PARENT_KEY], how="semi")
        removed = removed.join(parents[1], on=[SNAP, PARENT_KEY], how="semi")
    return [_whole(table, added, "added"), _whole(table, removed, "removed")]


def _whole(table: Table, rows: pl.DataFrame, change: str) -> pl.DataFrame:
    columns = pl.struct(column.name for column in table.columns).struct.json_encode()
    shown = {"old_value": None, "new_value": None, ("new_value" if change == "added" else "old_value"): columns}
    return rows.select(
        SNAP,
        pl.lit(table.name).alias("table_name"),
        _readable().alias("row_key"),
        pl.lit(change).alias("change"),
        pl.lit(None, dtype=pl.String).alias("column_name"),
        *(pl.lit(None, dtype=pl.String).alias(n) if e is None else e.alias(n) for n, e in shown.items()),
    ).select(list(FOUND))


def _cells(
    table: Table, before: pl.DataFrame, after: pl.DataFrame, unread: pl.DataFrame, unknown: pl.DataFrame
) -> list[pl.DataFrame]:
    names = [column.name for column in table.columns if column.field.content]
    place = row_path(table).alias(PLACE)
    both = after.select(SNAP, KEY, place, *names).join(
        before.select(SNAP, KEY, place, *names), on=[SNAP, KEY], how="inner", suffix=OLD, maintain_order="left"
    )
    if both.is_empty() or not names:
        return []
    counts = both.select(pl.col(name).ne_missing(pl.col(name + OLD)).sum() for name in names).row(0, named=True)
    found: list[pl.DataFrame] = []
    for name, count in counts.items():
        if not count:
            continue
        rows = both.filter(pl.col(name).ne_missing(pl.col(name + OLD)))
        lost = rows.filter(pl.col(name).is_null()).join(cells_of(unread, table, name), on=[SNAP, PLACE], how="semi")
        rows = rows.join(lost, on=[SNAP, KEY], how="anti", maintain_order="left").join(
            cells_of(unknown, table, name),
            left_on=[SNAP, PLACE + OLD],
            right_on=[SNAP, PLACE],
            how="anti",
            maintain_order="left",
        )
        found.append(
            rows.select(
                SNAP,
                pl.lit(table.name).alias("table_name"),
                _readable().alias("row_key"),
                pl.lit("changed").alias("change"),
                pl.lit(name).alias("column_name"),
                pl.col(name + OLD).cast(pl.String).alias("old_value"),
                pl.col(name).cast(pl.String).alias("new_value"),
            )
        )
    return found


def change_rows(found: pl.DataFrame, snapshots: pl.DataFrame) -> pl.DataFrame:
    """The differences as rows of `lineage.changes`, with their severity."""
    facts = snapshots.select(SNAP, "run_id", "snapshot_id", "inn", "block", pl.col("asked_at").alias("seen_at"))
    joined = found.join(facts, on=SNAP, how="inner", maintain_order="left").with_columns(severity().alias("severity"))
    return joined.sort("seen_at", "inn", "block", "table_name", "row_key", "column_name", maintain_order=True).select(
        list(CHANGES.schema())
    )
