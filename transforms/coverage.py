"""Coverage states: whether a response is evidence for a block, and why not."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

import polars as pl

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.column_names import STATUS_WORD, WRONG_SHAPE, count_column
from innspect.schemas.declaration import Block, Field, Inline, Leaves, List, Map, Rules, is_unchecked
from innspect.schemas.decoders import LEAVES
from innspect.schemas.frames import SNAP, Schema
from innspect.schemas.kinds import Form
from innspect.schemas.states import SnapshotState
from innspect.schemas.tables import tables_of

COVERAGE_STATES: Final[Schema] = MappingProxyType({SNAP: pl.UInt32(), "state": pl.String(), "reason": pl.String()})

STATUS_REASON: Final = "status:"
"""Start of the reason of a snapshot without content, before the status word that is not declared."""


def has_content(block: type[Block]) -> pl.Expr:
    """Whether a payload has content: a row, a record, a flag that is true, or what the block declares as content."""
    rules = block.coverage
    signs: list[pl.Expr] = [] if rules.content is None else [rules.content]
    if not rules.content_only:
        for name, part in block.row_parts.items():
            if isinstance(part, List | Map | Leaves) or (isinstance(part, Inline) and part.record):
                signs.append(pl.col(count_column(name)) > 0)
            elif isinstance(part, Field) and part.kind.form is Form.FLAG and part.content:
                signs.append(_checked_flag(part, pl.col(name)).fill_null(value=False))
        if block.undocumented:
            signs.append(pl.col(count_column(LEAVES)) > 0)
    return pl.any_horizontal(signs)


def _checked_flag(field: Field, flag: pl.Expr) -> pl.Expr:
    """The flag, NULL while it was not checked."""
    return pl.when(~is_unchecked(field)).then(flag)


def _any(rules: Rules) -> pl.Expr:
    return pl.any_horizontal(rules.values()) if rules else pl.lit(value=False)


def _reasons(*groups: Rules) -> list[pl.Expr]:
    return [pl.when(condition).then(pl.lit(reason)) for group in groups for reason, condition in group.items()]


def coverage_states(
    block_name: str, root: pl.DataFrame, wrong_shape: set[int], status_words: Mapping[int, str]
) -> pl.DataFrame:
    """State and reason of each row of the block's raw root frame (`COVERAGE_STATES`).

    A snapshot in `wrong_shape` is incomplete. So is a payload with a counter above 0 and no rows. A snapshot in
    `status_words`, by the word that is no declared status, confirms nothing without content.
    """
    if status_words:
        words = pl.Series(STATUS_WORD, list(map(status_words.get, root[SNAP])), dtype=pl.String)
        root = root.with_columns(words)
    if wrong_shape:
        root = root.with_columns(pl.col(SNAP).is_in(list(wrong_shape)).alias(WRONG_SHAPE))
    has_error, has_word = "error" in root.columns, bool(status_words)
    return root.select(_state_columns(block_name, has_error=has_error, has_shape=bool(wrong_shape), has_word=has_word))


@cache
def _state_columns(block_name: str, *, has_error: bool, has_shape: bool, has_word: bool) -> list[pl.Expr]:
    """The columns of `COVERAGE_STATES`, computed from a block's raw root frame."""
    block, root = BLOCKS[block_name], tables_of(block_name)[0]
    rules = block.coverage
    error = pl.col("error").fill_null("") if has_error else pl.lit("")
    shape = pl.col(WRONG_SHAPE) if has_shape else pl.lit(value=False)
    is_incomplete = _any(rules.incomplete) | (error != "") | shape
    counters = [pl.col(c.name).fill_null(0) > 0 for c in root.columns if c.is_total and c.field.content]
    is_counted = pl.any_horizontal(counters or [pl.lit(value=False)])
    is_filled = has_content(block)
    is_only_word = (pl.col(STATUS_WORD).is_not_null() if has_word else pl.lit(value=False)) & ~is_filled
    decisions: Mapping[SnapshotState, pl.Expr] = {
        SnapshotState.UNAVAILABLE: _any(rules.unavailable),
        SnapshotState.UNCONFIRMED: is_only_word | _any(rules.unconfirmed) | ((is_incomplete | is_counted) & ~is_filled),
        SnapshotState.PARTIAL: is_incomplete | _any(rules.partial),
        SnapshotState.FOUND: is_filled,
    }
    state = pl.coalesce(
        *(pl.when(condition).then(pl.lit(state)) for state, condition in decisions.items()),
        pl.lit(SnapshotState.CLEAN),
    )
    reasons = [
        *_reasons(rules.unavailable, rules.unconfirmed, rules.incomplete, rules.partial),
        pl.when(shape).then(pl.lit("shape")),
        pl.when(is_counted & ~is_filled).then(pl.lit("counted_not_listed")),
        pl.when(error != "").then(error),
    ]
    reason = pl.concat_str(reasons, separator=",", ignore_nulls=True)
    if has_word:
        word = pl.lit(STATUS_REASON) + pl.col(STATUS_WORD)
        reason = pl.when(is_only_word & ~_any(rules.unavailable)).then(word).otherwise(reason)
    return [
        pl.col(SNAP),
        state.cast(pl.String).alias("state"),
        pl.when(reason != "").then(reason).cast(pl.String).alias("reason"),
    ]
