"""Coverage states: whether a response is evidence for a block, and why not."""

from collections.abc import Collection, Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

import polars as pl

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.column_names import DOUBT, ENVELOPE_UNAVAILABLE, WRONG_SHAPE, count_column
from innspect.schemas.declaration import Block, Field, Inline, Leaves, List, Map, Rules, has_text, is_unchecked
from innspect.schemas.decoders import LEAVES
from innspect.schemas.frames import SNAP, Schema
from innspect.schemas.kinds import Form
from innspect.schemas.states import SnapshotState
from innspect.schemas.tables import tables_of

COVERAGE_STATES: Final[Schema] = MappingProxyType({SNAP: pl.UInt32(), "state": pl.String(), "reason": pl.String()})


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


def _has_rows(block: type[Block]) -> pl.Expr:
    """Whether the payload has the rows that its counters count: list, map or leaves, or its record."""
    counted = [
        name
        for name, part in block.row_parts.items()
        if isinstance(part, List | Leaves)
        or (isinstance(part, Map) and part.groups is None)
        or (isinstance(part, Inline) and part.record)
    ]
    return pl.any_horizontal([pl.col(count_column(name)) > 0 for name in counted] or [pl.lit(value=False)])


def _is_shorter_than_counted(block: type[Block]) -> pl.Expr:
    """Whether a field that counts all rows of the block's lists is greater than the number of rows."""
    figures = {
        name: part.figure.lists
        for name, part in block.row_parts.items()
        if isinstance(part, Field) and part.figure is not None and not part.figure.column and part.figure.where is None
    }
    rows = {name: pl.sum_horizontal(pl.col(count_column(part)) for part in lists) for name, lists in figures.items()}
    return _any({name: pl.col(name).fill_null(0) > rows[name] for name in figures})


def _checked_flag(field: Field, flag: pl.Expr) -> pl.Expr:
    """The flag, NULL while it was not checked."""
    return pl.when(~is_unchecked(field)).then(flag)


def _any(rules: Rules) -> pl.Expr:
    return pl.any_horizontal(rules.values()) if rules else pl.lit(value=False)


def _reasons(*groups: Rules) -> list[pl.Expr]:
    return [pl.when(condition).then(pl.lit(reason)) for group in groups for reason, condition in group.items()]


def coverage_states(
    block_name: str,
    root: pl.DataFrame,
    wrong_shape: set[int],
    doubts: Mapping[int, str],
    failures: Mapping[int, str],
    unavailable: Collection[int] = (),
) -> pl.DataFrame:
    """State and reason of each row of the block's raw root frame (`COVERAGE_STATES`).

    A snapshot in `wrong_shape` is incomplete. So is a payload with fewer rows than its counter says. A snapshot in
    `doubts`, with the reason, confirms nothing without content. `failures`: errors that the block's own marks lack.
    `unavailable`: snapshots whose envelope calls the source unavailable.
    """
    if failures:
        own = pl.when(has_text("error")).then("error") if "error" in root.columns else pl.lit(None, pl.String)
        found = pl.Series("failure", list(map(failures.get, root[SNAP])), dtype=pl.String)
        root = root.with_columns(pl.coalesce(own, pl.lit(found)).alias("error"))
    if doubts:
        root = root.with_columns(pl.Series(DOUBT, list(map(doubts.get, root[SNAP])), dtype=pl.String))
    if wrong_shape:
        root = root.with_columns(pl.col(SNAP).is_in(list(wrong_shape)).alias(WRONG_SHAPE))
    if unavailable:
        root = root.with_columns(pl.col(SNAP).is_in(list(unavailable)).alias(ENVELOPE_UNAVAILABLE))
    marks = frozenset({"error", DOUBT, WRONG_SHAPE, ENVELOPE_UNAVAILABLE}) & frozenset(root.columns)
    return root.select(_state_columns(block_name, marks))


@cache
def _state_columns(block_name: str, marks: frozenset[str]) -> list[pl.Expr]:
    """The columns of `COVERAGE_STATES`, computed from a block's raw root frame that has these `marks`."""
    block, root = BLOCKS[block_name], tables_of(block_name)[0]
    rules = block.coverage
    error = pl.col("error").fill_null("") if "error" in marks else pl.lit("")
    shape = pl.col(WRONG_SHAPE) if WRONG_SHAPE in marks else pl.lit(value=False)
    by_envelope = pl.col(ENVELOPE_UNAVAILABLE) if ENVELOPE_UNAVAILABLE in marks else pl.lit(value=False)
    is_unavailable = _any(rules.unavailable) | by_envelope
    is_incomplete = _any(rules.incomplete) | (error != "") | shape
    counters = [pl.col(c.name).fill_null(0) > 0 for c in root.columns if c.is_total and c.field.content]
    counters += [] if rules.announced is None else [rules.announced]
    is_unlisted = pl.any_horizontal(counters or [pl.lit(value=False)]) & ~_has_rows(block)
    # Documented lists that may be shorter than their counter have a rule of their own.
    is_short = _is_shorter_than_counted(block) & ~is_unlisted & ~_any(rules.incomplete)
    is_filled = has_content(block)
    is_in_doubt = (pl.col(DOUBT).is_not_null() if DOUBT in marks else pl.lit(value=False)) & ~is_filled
    decisions: Mapping[SnapshotState, pl.Expr] = {
        SnapshotState.UNAVAILABLE: is_unavailable & ~is_filled,
        SnapshotState.UNCONFIRMED: is_in_doubt | _any(rules.unconfirmed) | ((is_incomplete | is_unlisted) & ~is_filled),
        SnapshotState.PARTIAL: is_unavailable | is_incomplete | is_unlisted | is_short | _any(rules.partial),
        SnapshotState.FOUND: is_filled,
    }
    state = pl.coalesce(
        *(pl.when(condition).then(pl.lit(state)) for state, condition in decisions.items()),
        pl.lit(SnapshotState.CLEAN),
    )
    is_only_in_envelope = by_envelope & ~_any(rules.unavailable) & (error != SnapshotState.UNAVAILABLE)
    reasons = [
        pl.when(is_only_in_envelope).then(pl.lit(SnapshotState.UNAVAILABLE)),
        *_reasons(rules.unavailable, rules.unconfirmed, rules.incomplete, rules.partial),
        pl.when(shape).then(pl.lit("shape")),
        pl.when(is_unlisted).then(pl.lit("counted_not_listed")),
        pl.when(is_short).then(pl.lit("not_all_listed")),
        pl.when(error != "").then(error),
    ]
    reason = pl.concat_str(reasons, separator=",", ignore_nulls=True)
    if DOUBT in marks:
        reason = pl.when(is_in_doubt & ~is_unavailable).then(DOUBT).otherwise(reason)
    return [
        pl.col(SNAP),
        state.cast(pl.String).alias("state"),
        pl.when(reason != "").then(reason).cast(pl.String).alias("reason"),
    ]
