"""What differs between two consecutive versions: rows matched by their keys, cell by cell."""

import polars as pl

from schemas.lineage import CHANGES
from schemas.severity import severity
from schemas.tables import Origin, Table
from transforms.flatten import SNAP
from transforms.keys import KEY, LEVEL, PARENT_KEY, PART, with_keys

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


def differences(tables: tuple[Table, ...], old: dict[str, pl.DataFrame], new: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Changes of one block (columns of `FOUND`); both sides carry the same snapshots.

    A row inside an added or removed one is part of that change, not one of its own.
    """
    found: list[pl.DataFrame] = [pl.DataFrame(schema=FOUND)]
    keyed: dict[str, tuple[pl.DataFrame, pl.DataFrame]] = {}
    for table in tables:
        above = keyed.get(table.parent)
        before = with_keys(table, old[table.name], above[0] if above else None)
        after = with_keys(table, new[table.name], above[1] if above else None)
        keyed[table.name] = (before, after)
        if table.origin is not Origin.ROOT:
            found += _rows(table, before, after, above)
        found += _cells(table, before, after)
    return pl.concat(found)


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


def _cells(table: Table, before: pl.DataFrame, after: pl.DataFrame) -> list[pl.DataFrame]:
    names = [column.name for column in table.columns if column.field.content]
    both = after.select(SNAP, KEY, *names).join(
        before.select(SNAP, KEY, *names), on=[SNAP, KEY], how="inner", suffix=OLD, maintain_order="left"
    )
    if both.is_empty() or not names:
        return []
    counts = both.select(pl.col(name).ne_missing(pl.col(name + OLD)).sum() for name in names).row(0, named=True)
    return [
        both.filter(pl.col(name).ne_missing(pl.col(name + OLD))).select(
            SNAP,
            pl.lit(table.name).alias("table_name"),
            _readable().alias("row_key"),
            pl.lit("changed").alias("change"),
            pl.lit(name).alias("column_name"),
            pl.col(name + OLD).cast(pl.String).alias("old_value"),
            pl.col(name).cast(pl.String).alias("new_value"),
        )
        for name, count in counts.items()
        if count
    ]


def change_rows(found: pl.DataFrame, snapshots: pl.DataFrame) -> pl.DataFrame:
    """The differences as rows of `lineage.changes`, with their severity."""
    facts = snapshots.select(SNAP, "run_id", "snapshot_id", "inn", "block", pl.col("asked_at").alias("seen_at"))
    joined = found.join(facts, on=SNAP, how="inner", maintain_order="left").with_columns(severity().alias("severity"))
    return joined.sort("seen_at", "inn", "block", "table_name", "row_key", "column_name", maintain_order=True).select(
        list(CHANGES.schema())
    )
