"""What a row is called across versions: its key under the keys of its parents, whatever order lists come in."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import polars as pl

from innspect.schemas.tables import Origin, Table
from innspect.transforms.flatten.columns import SNAP
from innspect.transforms.versions.content_hash import TEXT, canonical

KEY: Final = "key#"
PARENT_KEY: Final = "parent#"
PART, LEVEL = "\x1f", "\x1e"
SIDE: Final = "side#"


def own_key(table: Table) -> pl.Expr:
    """The row's own key as text; alternatives that are not given make way for the next."""
    parts = [pl.coalesce([pl.col(name).cast(pl.String) for name in entry]).fill_null("") for entry in table.key]
    return pl.concat_str(parts, separator=PART) if parts else pl.lit("")


def paired(
    tables: tuple[Table, ...],
    table: Table,
    one: Mapping[str, pl.DataFrame],
    other: Mapping[str, pl.DataFrame],
    above: tuple[pl.DataFrame, pl.DataFrame] | None,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Both sides of a table with `key#`, unique within a snapshot, and `parent#`; `above` are those of its parent.

    Rows of one list that share a key are told apart by a number: those that are alike on both sides, children
    included, get the same one whatever order they came in; the rest are numbered after them.
    """
    left = _keyed(table, one[table.name], above[0] if above else None)
    right = _keyed(table, other[table.name], above[1] if above else None)
    if table.origin is Origin.ROOT or not any(_repeats(frame) for frame in (left, right)):
        return left, right
    sides = [
        frame.with_columns(pl.lit(number, dtype=pl.UInt8).alias(SIDE), _texts(tables, table, frames))
        for number, (frame, frames) in enumerate(((left, one), (right, other)))
    ]
    within = [SNAP, KEY, SIDE]
    alike = [SNAP, KEY, TEXT, "nth#"]
    numbered = (
        pl.concat([side.select(*within, TEXT).with_row_index("place#") for side in sides])
        .with_columns(pl.int_range(pl.len()).over(*within, TEXT).alias("nth#"))
        .with_columns((pl.col(SIDE).n_unique().over(alike) == 2).alias("both#"))
        .sort(*within, pl.col("both#").not_(), TEXT, "nth#")
        .with_columns(pl.int_range(pl.len()).over(within).alias("number#"))
        .sort(SIDE, "place#")
    )
    number = pl.col("number#")
    suffix = pl.when(number > 0).then(pl.concat_str(pl.lit(PART + "#"), number.cast(pl.String))).otherwise(pl.lit(""))
    keys = numbered.with_columns(pl.concat_str(KEY, suffix).alias(KEY))
    here = keys.filter(pl.col(SIDE) == 0)[KEY], keys.filter(pl.col(SIDE) == 1)[KEY]
    return left.with_columns(here[0]), right.with_columns(here[1])


def _keyed(table: Table, frame: pl.DataFrame, parent: pl.DataFrame | None) -> pl.DataFrame:
    if table.origin is Origin.ROOT:
        return frame.with_columns(pl.lit("").alias(KEY), pl.lit("").alias(PARENT_KEY))
    above = table.ordinals[:-1] if table.own_ordinal else ()
    if above and parent is not None:
        on = [SNAP, *above]
        keyed = frame.join(parent.select(*on, pl.col(KEY).alias(PARENT_KEY)), on=on, how="left", maintain_order="left")
    else:
        keyed = frame.with_columns(pl.lit("").alias(PARENT_KEY))
    return keyed.with_columns(pl.concat_str(PARENT_KEY, own_key(table), separator=LEVEL).alias(KEY))


def _repeats(frame: pl.DataFrame) -> bool:
    return frame.select(SNAP, KEY).is_duplicated().any()


def _texts(tables: tuple[Table, ...], table: Table, frames: Mapping[str, pl.DataFrame]) -> pl.Series:
    """The content of each row of the table with all that is below it, in the order of its frame."""
    below = {table.name}
    subtree = [replace(table, parent="")]
    for inner in tables:
        if inner.parent in below:
            below.add(inner.name)
            subtree.append(inner)
    return canonical(tuple(subtree), {name: frames[name] for name in below})[TEXT]
