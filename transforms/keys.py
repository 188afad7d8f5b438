"""What a row is called across versions: its key under the keys of its parents, whatever order lists come in."""

from typing import Final

import polars as pl

from schemas.tables import Origin, Table
from transforms.flatten import SNAP

KEY: Final = "key#"
PARENT_KEY: Final = "parent#"
PART, LEVEL = "\x1f", "\x1e"


def own_key(table: Table) -> pl.Expr:
    """The row's own key as text; alternatives that are not given make way for the next."""
    parts = [pl.coalesce([pl.col(name).cast(pl.String) for name in entry]).fill_null("") for entry in table.key]
    return pl.concat_str(parts, separator=PART) if parts else pl.lit("")


def with_keys(table: Table, frame: pl.DataFrame, parent: pl.DataFrame | None) -> pl.DataFrame:
    """The frame with `key#` (unique within a snapshot) and `parent#`; `parent` is the keyed frame of its parent.

    Rows of one list that share a key are told apart by their order.
    """
    if table.origin is Origin.ROOT:
        return frame.with_columns(pl.lit("").alias(KEY), pl.lit("").alias(PARENT_KEY))
    above = table.ordinals[:-1] if table.own_ordinal else ()
    if above and parent is not None:
        on = [SNAP, *above]
        keyed = frame.join(parent.select(*on, pl.col(KEY).alias(PARENT_KEY)), on=on, how="left", maintain_order="left")
    else:
        keyed = frame.with_columns(pl.lit("").alias(PARENT_KEY))
    keyed = keyed.with_columns(pl.concat_str(PARENT_KEY, own_key(table), separator=LEVEL).alias(KEY))
    again = pl.int_range(pl.len()).over(SNAP, KEY)
    suffix = pl.when(again > 0).then(pl.concat_str(pl.lit(PART + "#"), again.cast(pl.String))).otherwise(pl.lit(""))
    return keyed.with_columns(pl.concat_str(KEY, suffix).alias(KEY))
