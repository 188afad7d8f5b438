"""What an answer is worth: the state of each snapshot and the words that say why."""

from functools import cache
from typing import Final

import polars as pl

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.declaration import Block, Field, Inline, Leaves, List, Map, Rules
from innspect.schemas.kinds import Form
from innspect.schemas.tables import tables_of
from innspect.transforms.flatten.columns import SNAP

VERSIONED = ("found", "clean", "partial")
_SHAPE: Final = "shape#"
JUDGED = {SNAP: pl.UInt32(), "state": pl.String(), "reason": pl.String()}


def content(block: type[Block]) -> pl.Expr:
    """Whether an answer brings something: a row, a record, a true flag, or what the block names."""
    evidence = block.evidence
    signs: list[pl.Expr] = [] if evidence.content is None else [evidence.content]
    if not evidence.content_only:
        for name, part in block.row_parts.items():
            if isinstance(part, List | Map | Leaves) or (isinstance(part, Inline) and part.record):
                signs.append(pl.col(f"{name}#") > 0)
            elif isinstance(part, Field) and part.kind.form is Form.FLAG and part.content:
                signs.append(_checked(part, pl.col(name)).fill_null(value=False))
        if block.undocumented:
            signs.append(pl.col("leaves#") > 0)
    return pl.any_horizontal(signs)


def _checked(field: Field, flag: pl.Expr) -> pl.Expr:
    """A flag that was not checked is no content, whatever it says."""
    return pl.when(~pl.col(field.null_while).fill_null(value=False)).then(flag) if field.null_while else flag


def _any(rules: Rules) -> pl.Expr:
    return pl.any_horizontal(rules.values()) if rules else pl.lit(value=False)


def _words(*groups: Rules) -> list[pl.Expr]:
    return [pl.when(condition).then(pl.lit(word)) for group in groups for word, condition in group.items()]


def judge(block_name: str, root: pl.DataFrame, misshapen: set[int]) -> pl.DataFrame:
    """State and reason of each row of the block's raw root frame (columns of `JUDGED`).

    `misshapen` are snapshots in which something stood in the place of something else; they are incomplete. So is an
    answer that counts what it does not list: its zero rows are no evidence.
    """
    if misshapen:
        root = root.with_columns(pl.col(SNAP).is_in(list(misshapen)).alias(_SHAPE))
    return root.select(_verdict(block_name, has_error="error" in root.columns, has_shape=bool(misshapen)))


@cache
def _verdict(block_name: str, *, has_error: bool, has_shape: bool) -> list[pl.Expr]:
    """The columns of `JUDGED`, worked out of a block's raw root frame: made once a process."""
    block, root = BLOCKS[block_name], tables_of(block_name)[0]
    evidence = block.evidence
    error = pl.col("error").fill_null("") if has_error else pl.lit("")
    shape = pl.col(_SHAPE) if has_shape else pl.lit(value=False)
    incomplete = _any(evidence.incomplete) | (error != "") | shape
    counted = pl.any_horizontal(
        [pl.col(c.name).fill_null(0) > 0 for c in root.columns if c.total and c.field.content] or [pl.lit(value=False)]
    )
    has_content = content(block)
    state = (
        pl.when(_any(evidence.unavailable))
        .then(pl.lit("unavailable"))
        .when(_any(evidence.unconfirmed))
        .then(pl.lit("unconfirmed"))
        .when((incomplete | counted) & ~has_content)
        .then(pl.lit("unconfirmed"))
        .when(incomplete | _any(evidence.partial))
        .then(pl.lit("partial"))
        .when(has_content)
        .then(pl.lit("found"))
        .otherwise(pl.lit("clean"))
    )
    words = [
        *_words(evidence.unavailable, evidence.unconfirmed, evidence.incomplete, evidence.partial),
        pl.when(shape).then(pl.lit("shape")),
        pl.when(counted & ~has_content).then(pl.lit("counted_not_listed")),
        pl.when(error != "").then(error),
    ]
    reason = pl.concat_str(words, separator=",", ignore_nulls=True)
    return [
        pl.col(SNAP),
        state.cast(pl.String).alias("state"),
        pl.when(reason != "").then(reason).cast(pl.String).alias("reason"),
    ]
