"""Matching of rows across versions: a row's key is its declared key under the keys of its parents, in any order."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import polars as pl

from innspect.schemas.column_names import (
    KEY_NUMBER,
    NTH_EQUAL,
    ON_BOTH_SIDES,
    PARENT_KEY,
    POSITION,
    ROW_KEY,
    ROW_TEXT,
    SIDE,
)
from innspect.schemas.frames import SNAP
from innspect.schemas.tables import Origin, Table
from innspect.transforms.versions.content_hash import canonical_text

PART_SEPARATOR: Final = "\x1f"
LEVEL_SEPARATOR: Final = "\x1e"


def own_key(table: Table) -> pl.Expr:
    """The row's own key as text; of alternative columns the first that is not NULL."""
    parts = [pl.coalesce([pl.col(name).cast(pl.String) for name in entry]).fill_null("") for entry in table.key]
    return pl.concat_str(parts, separator=PART_SEPARATOR) if parts else pl.lit("")


def match_rows(
    tables: tuple[Table, ...],
    table: Table,
    left: Mapping[str, pl.DataFrame],
    right: Mapping[str, pl.DataFrame],
    parent: tuple[pl.DataFrame, pl.DataFrame] | None,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Both sides of a table with `key#`, unique within a snapshot, and `parent#`; `parent`: both sides of its parent.

    Rows of one list with the same key get a number. Rows that are equal on both sides, children included, get the same
    number in any order; the rest are numbered after them.
    """
    keyed_left = _with_keys(table, left[table.name], parent[0] if parent else None)
    keyed_right = _with_keys(table, right[table.name], parent[1] if parent else None)
    if table.origin is Origin.ROOT or not any(_has_equal_keys(frame) for frame in (keyed_left, keyed_right)):
        return keyed_left, keyed_right
    sides = [
        frame.with_columns(pl.lit(number, dtype=pl.UInt8).alias(SIDE), _subtree_text(tables, table, frames))
        for number, (frame, frames) in enumerate(((keyed_left, left), (keyed_right, right)))
    ]
    within = [SNAP, ROW_KEY, SIDE]
    equal = [SNAP, ROW_KEY, ROW_TEXT, NTH_EQUAL]
    numbered = (
        pl.concat([side.select(*within, ROW_TEXT).with_row_index(POSITION) for side in sides])
        .with_columns(pl.int_range(pl.len()).over(*within, ROW_TEXT).alias(NTH_EQUAL))
        .with_columns((pl.col(SIDE).n_unique().over(equal) == 2).alias(ON_BOTH_SIDES))
        .sort(*within, pl.col(ON_BOTH_SIDES).not_(), ROW_TEXT, NTH_EQUAL)
        .with_columns(pl.int_range(pl.len()).over(within).alias(KEY_NUMBER))
        .sort(SIDE, POSITION)
    )
    number = pl.col(KEY_NUMBER)
    text = pl.concat_str(pl.lit(PART_SEPARATOR + "#"), number.cast(pl.String))
    suffix = pl.when(number > 0).then(text).otherwise(pl.lit(""))
    keys = numbered.with_columns(pl.concat_str(ROW_KEY, suffix).alias(ROW_KEY))
    of_left, of_right = (keys.filter(pl.col(SIDE) == side)[ROW_KEY] for side in (0, 1))
    return keyed_left.with_columns(of_left), keyed_right.with_columns(of_right)


def _with_keys(table: Table, frame: pl.DataFrame, parent: pl.DataFrame | None) -> pl.DataFrame:
    if table.origin is Origin.ROOT:
        return frame.with_columns(pl.lit("").alias(ROW_KEY), pl.lit("").alias(PARENT_KEY))
    above = table.ordinals[:-1] if table.own_ordinal else ()
    if above and parent is not None:
        on = [SNAP, *above]
        keys = parent.select(*on, pl.col(ROW_KEY).alias(PARENT_KEY))
        keyed = frame.join(keys, on=on, how="left", maintain_order="left")
    else:
        keyed = frame.with_columns(pl.lit("").alias(PARENT_KEY))
    return keyed.with_columns(pl.concat_str(PARENT_KEY, own_key(table), separator=LEVEL_SEPARATOR).alias(ROW_KEY))


def _has_equal_keys(frame: pl.DataFrame) -> bool:
    return frame.select(SNAP, ROW_KEY).is_duplicated().any()


def _subtree_text(tables: tuple[Table, ...], table: Table, frames: Mapping[str, pl.DataFrame]) -> pl.Series:
    """The canonical text of each row of the table with its child rows, in the order of its frame."""
    names = {table.name}
    subtree = [replace(table, parent="")]
    for inner in tables:
        if inner.parent in names:
            names.add(inner.name)
            subtree.append(inner)
    return canonical_text(tuple(subtree), {name: frames[name] for name in names})[ROW_TEXT]
