"""Which lists may lack rows, and which snapshots are merged with what was known before.

A list that is full by its cap (`max_rows`) makes a response partial where the coverage rules say so. One with another
limit too (`followed`, `withheld`) leaves its state, because the rest of it was answered: `list_full` is then the reason
of a snapshot that was found.
"""

from collections.abc import Callable, Mapping

import polars as pl

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.declaration import LIST_FULL, Followed, Leaves, Withheld
from innspect.schemas.frames import SNAP
from innspect.schemas.states import COMPLETE, SnapshotState
from innspect.schemas.tables import tables, tables_of
from innspect.transforms.flatten.leaves import leaf_part

Frames = Mapping[str, pl.DataFrame]
LISTS = pl.DataFrame(schema={SNAP: pl.UInt32, "lists": pl.String})
"""A list (its table, for leaves `<block>__<part>`) of a snapshot."""


def mark_full_lists(states: pl.DataFrame, rows: Frames) -> pl.DataFrame:
    """The states (`snap`, `state`, `reason`), with the reason `list_full` where a list with another limit is full."""
    followed = {table.own_list for table in tables().values() if table.followed}
    listed = {name: frame[SNAP] for name, frame in rows.items() if tables()[name].own_list in followed}
    at_limit = [*_followed_lists(rows), *_withheld_lists(rows, Withheld.is_full)]
    full = pl.concat([LISTS, *_full_lists(listed), *at_limit])
    has_rows = pl.col("state").is_in([SnapshotState.FOUND, SnapshotState.PARTIAL])
    is_full = has_rows & pl.col(SNAP).is_in(full[SNAP].implode())
    is_named = pl.col("reason").str.split(",").list.contains(LIST_FULL).fill_null(value=False)
    with_reason = pl.concat_str(["reason", pl.lit(LIST_FULL)], separator=",", ignore_nulls=True)
    return states.with_columns(pl.when(is_full & ~is_named).then(with_reason).otherwise("reason").alias("reason"))


def find_merges(
    snapshots: pl.DataFrame, received: Mapping[str, pl.Series], rows: Frames, quarantine: pl.DataFrame
) -> pl.DataFrame:
    """The snapshots to merge with what was known before (`Batch.merges`).

    A partial one is merged as a whole; of another one only the lists that its method does not carry, those that are at
    their cap or at the limit of persons, those of which rows are in quarantine (such a row may be any of the known
    ones), empty ones that confirm no absence, and the rows that may have been withheld. One of a block whose rows have
    optional lists, or whose lists have a window, is merged for what they lack, also without any list, and so is one
    with a full list inside a row.
    """
    marked = snapshots.with_columns(
        (pl.col("state") == SnapshotState.PARTIAL).alias("merges_all"), _is_narrow().alias("is_narrow")
    )
    found = [
        LISTS,
        *_absent_lists(marked),
        *_full_lists(received),
        *_followed_lists(rows),
        _quarantined_lists(quarantine),
        *_silent_lists(marked, rows),
    ]
    lists = pl.concat(found).unique().group_by(SNAP).agg(pl.col("lists").sort())
    may_lack = _withheld_lists(rows, Withheld.may_lack)
    withheld = pl.concat([LISTS, *may_lack]).rename({"lists": "withheld"}).group_by(SNAP).agg(pl.col("withheld").sort())
    for parts in (lists, withheld):
        marked = marked.join(parts, on=SNAP, how="left", maintain_order="left")
    with_gaps = {table.block for table in tables().values() if table.optional_lists or table.window}
    has_gaps = pl.col("block").is_in(with_gaps) | pl.col(SNAP).is_in(_full_inside(rows).implode())
    is_filled = (pl.col("state") == SnapshotState.FOUND) & has_gaps
    is_merged = pl.any_horizontal(
        "merges_all", "is_narrow", is_filled, pl.col("lists").is_not_null(), pl.col("withheld").is_not_null()
    )
    none = pl.lit([], dtype=pl.List(pl.String))
    lists_of_part = pl.when(~pl.col("merges_all")).then(pl.coalesce("lists", none)).alias("lists")
    merged = marked.filter(is_merged & pl.col("known_version_id").is_null())
    return merged.select(SNAP, "inn", "block", "is_narrow", lists_of_part, "withheld")


def _is_narrow() -> pl.Expr:
    """Whether the snapshot is complete, but of a method that carries a part of the block only: the full check."""
    names = [name for name, block in BLOCKS.items() if block.is_narrow_in_full_check()]
    return pl.col("in_full_check") & pl.col("block").is_in(names) & pl.col("state").is_in(COMPLETE)


def _absent_lists(snapshots: pl.DataFrame) -> list[pl.DataFrame]:
    """The lists that the method of narrow snapshots does not carry."""
    narrow = snapshots.filter("is_narrow")
    return [
        narrow.filter(pl.col("block") == block).select(SNAP, pl.lit(table.merged_list).alias("lists"))
        for block in narrow["block"].unique(maintain_order=True).to_list()
        for table in tables_of(block)
        if not table.in_full_check
    ]


def _full_lists(received: Mapping[str, pl.Series]) -> list[pl.DataFrame]:
    """The lists that have reached their cap."""
    return [
        snaps.value_counts(name="rows")
        .filter(pl.col("rows") >= tables()[name].max_rows)
        .select(SNAP, pl.lit(tables()[name].own_list).alias("lists"))
        for name, snaps in received.items()
        if tables()[name].max_rows
    ]


def _full_inside(rows: Frames) -> pl.Series:
    """The snapshots with a row whose inner list is at its cap."""
    found = [pl.Series(dtype=pl.UInt32)]
    for name, table in tables().items():
        if table.max_rows_each and name in rows:
            found.append(rows[name].filter(pl.col(table.own_ordinal) >= table.max_rows_each)[SNAP])
    return pl.concat(found).unique()


def _quarantined_lists(quarantine: pl.DataFrame) -> pl.DataFrame:
    own_lists = {name: table.own_list for name, table in tables().items()}
    lists = pl.col("table_name").replace_strict(own_lists, default="").alias("lists")
    return quarantine.select(SNAP, lists).filter(pl.col("lists") != "")


def _silent_lists(snapshots: pl.DataFrame, rows: Frames) -> list[pl.DataFrame]:
    """The empty lists that confirm no absence."""
    found = snapshots.filter(pl.col("state") == SnapshotState.FOUND)
    silent: list[pl.DataFrame] = []
    for name, table in tables().items():
        for feed in table.feeds:
            if name in rows and isinstance(feed.part, Leaves) and not feed.part.confirms_absence:
                given = rows[name].filter(leaf_part() == feed.attribute)
                without = found.filter(pl.col("block") == table.block).join(given, on=SNAP, how="anti")
                silent.append(without.select(SNAP, pl.lit(f"{table.block}__{feed.attribute}").alias("lists")))
    return silent


def _followed_lists(rows: Frames) -> list[pl.DataFrame]:
    """The lists with as many persons as the service follows."""
    found: list[pl.DataFrame] = []
    for name, table in tables().items():
        if table.followed and name in rows:
            for each in (name, f"{name}__{table.followed.inside}"):
                persons = rows[each].group_by(SNAP).agg(_number_of_persons(table.followed).alias("persons"))
                full = persons.filter(pl.col("persons") >= table.followed.limit)
                found.append(full.select(SNAP, pl.lit(table.own_list).alias("lists")))
    return found


def _number_of_persons(followed: Followed) -> pl.Expr:
    return pl.coalesce(pl.col(name).cast(pl.String) for name in followed.names).drop_nulls().n_unique()


def _withheld_lists(rows: Frames, condition: Callable[[Withheld], pl.Expr]) -> list[pl.DataFrame]:
    """The lists of which the service may withhold rows, where a condition over their rows holds."""
    return [
        rows[name]
        .group_by(SNAP)
        .agg(condition(table.withheld).alias("holds"))
        .filter("holds")
        .select(SNAP, pl.lit(name).alias("lists"))
        for name, table in tables().items()
        if table.withheld and name in rows
    ]
