"""Matching of rows across versions: a row's key is its declared key under the keys of its parents, in any order."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import polars as pl

from innspect.schemas.column_names import (
    IS_LACKING,
    KEY_NUMBER,
    KEY_OF_PAIR,
    NTH_EQUAL,
    OLD,
    ON_BOTH_SIDES,
    PARENT_KEY,
    POSITION,
    REST_OF_KEY,
    ROW_KEY,
    ROW_TEXT,
    SIDE,
)
from innspect.schemas.frames import SNAP
from innspect.schemas.tables import Origin, Table
from innspect.transforms.versions.content_hash import canonical_text

PART_SEPARATOR: Final = "\x1f"
LEVEL_SEPARATOR: Final = "\x1e"
LOOK_ALIKES: Final = dict(zip("ЁABCEHKMOPTXY", "ЕАВСЕНКМОРТХУ", strict=True))


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
    number in any order; the rest are numbered after them. A row whose key is spelled in another way, or lacks a part
    that it may lack, and its only possible counterpart have one key.
    """
    left_rows = _with_keys(table, left[table.name], parent[0] if parent else None)
    right_rows = _with_keys(table, right[table.name], parent[1] if parent else None)
    if table.origin is Origin.ROOT:
        return left_rows, right_rows
    if any(map(_has_equal_keys, (left_rows, right_rows))):
        left_rows, right_rows = _number_equal_keys(tables, table, (left_rows, left), (right_rows, right))
    return _match_lacking(table, *_match_spelling(left_rows, right_rows))


def _number_equal_keys(
    tables: tuple[Table, ...], table: Table, *both: tuple[pl.DataFrame, Mapping[str, pl.DataFrame]]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Both sides with numbers after keys that several rows have; each side with the frames of the block."""
    sides = [
        frame.with_columns(pl.lit(number, dtype=pl.UInt8).alias(SIDE), _subtree_text(tables, table, frames))
        for number, (frame, frames) in enumerate(both)
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
    return both[0][0].with_columns(of_left), both[1][0].with_columns(of_right)


def _match_spelling(left: pl.DataFrame, right: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Both sides, with the left one's key for the two rows of a pair whose keys differ in spelling only (`_fold`).

    Such rows have no counterpart by their keys, and on each side there is only one with that key.
    """
    sides = (left, right)
    within = [SNAP, REST_OF_KEY]
    unmatched = [
        frame.join(other, on=[SNAP, ROW_KEY], how="anti").select(SNAP, ROW_KEY) for frame, other in (sides, sides[::-1])
    ]
    if any(frame.is_empty() for frame in unmatched):
        return sides
    unmatched = [frame.with_columns(_fold(pl.col(ROW_KEY))).filter(pl.len().over(within) == 1) for frame in unmatched]
    pairs = unmatched[0].join(unmatched[1], on=within, how="inner", suffix=OLD)
    if pairs.is_empty():
        return sides
    keys = pairs.select(SNAP, pl.col(ROW_KEY + OLD).alias(ROW_KEY), pl.col(ROW_KEY).alias(KEY_OF_PAIR))
    return left, _with_keys_of_pairs(right, keys)


def _match_lacking(table: Table, left: pl.DataFrame, right: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Both sides, with one key for the two rows of a pair of which one lacks the column `Table.lacked`.

    Such rows have no counterpart by their keys, and on each side there is only one with the rest of the key.
    """
    sides = (left, right)
    if not table.lacked or all(frame[table.lacked].null_count() == 0 for frame in sides):
        return sides
    entries = (tuple(name for name in entry if name != table.lacked) for entry in table.key)
    rest = own_key(replace(table, key=tuple(filter(None, entries))))
    within = [SNAP, PARENT_KEY, REST_OF_KEY]
    unmatched = [
        frame.join(other, on=[SNAP, ROW_KEY], how="anti")
        .select(SNAP, PARENT_KEY, ROW_KEY, pl.col(table.lacked).is_null().alias(IS_LACKING), _fold(rest))
        .filter((pl.col(REST_OF_KEY).str.strip_chars(PART_SEPARATOR) != "") & (pl.len().over(within) == 1))
        for frame, other in (sides, sides[::-1])
    ]
    pairs = unmatched[0].join(unmatched[1], on=within, how="inner", suffix=OLD)
    pairs = pairs.filter(pl.col(IS_LACKING) != pl.col(IS_LACKING + OLD))
    key = pl.when(IS_LACKING).then(ROW_KEY + OLD).otherwise(ROW_KEY).alias(KEY_OF_PAIR)
    return (
        _with_keys_of_pairs(left, pairs.select(SNAP, ROW_KEY, key)),
        _with_keys_of_pairs(right, pairs.select(SNAP, pl.col(ROW_KEY + OLD).alias(ROW_KEY), key)),
    )


def _fold(key: pl.Expr) -> pl.Expr:
    """The key without differences of case, white space, Ё, and Latin letters that look like Cyrillic ones."""
    text = key.str.to_uppercase().str.replace_many(LOOK_ALIKES).str.replace_all(r"[ \t\n\r]+", " ")
    return text.str.strip_chars(" ").alias(REST_OF_KEY)


def _with_keys_of_pairs(frame: pl.DataFrame, keys: pl.DataFrame) -> pl.DataFrame:
    rows = frame.join(keys, on=[SNAP, ROW_KEY], how="left", maintain_order="left")
    return rows.with_columns(pl.coalesce(KEY_OF_PAIR, ROW_KEY).alias(ROW_KEY)).drop(KEY_OF_PAIR)


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
