"""What an answer is worth: the state of each snapshot and the words that say why."""

import polars as pl

from schemas.catalogue import BLOCKS
from schemas.declaration import Block, Field, Inline, Leaves, List, Map, Rules
from schemas.kinds import Form
from schemas.tables import tables_of
from transforms.flatten import SNAP

VERSIONED = ("found", "clean", "partial")
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
                signs.append(pl.col(name).fill_null(value=False))
        if block.undocumented:
            signs.append(pl.col("leaves#") > 0)
    return pl.any_horizontal(signs)


def _any(rules: Rules) -> pl.Expr:
    return pl.any_horizontal(rules.values()) if rules else pl.lit(value=False)


def _words(*groups: Rules) -> list[pl.Expr]:
    return [pl.when(condition).then(pl.lit(word)) for group in groups for word, condition in group.items()]


def judge(block_name: str, root: pl.DataFrame, misshapen: set[int]) -> pl.DataFrame:
    """State and reason of each row of the block's raw root frame (columns of `JUDGED`).

    `misshapen` are snapshots in which something stood in the place of something else; they are incomplete. So is an
    answer that counts what it does not list: its zero rows are no evidence.
    """
    block = BLOCKS[block_name]
    evidence = block.evidence
    error = pl.col("error").fill_null("") if "error" in root.columns else pl.lit("")
    shape = pl.col(SNAP).is_in(list(misshapen))
    incomplete = _any(evidence.incomplete) | (error != "") | shape
    counted = pl.any_horizontal(
        [pl.col(c.name).fill_null(0) > 0 for c in tables_of(block_name)[0].columns if c.total and c.field.content]
        or [pl.lit(value=False)]
    )
    null_flags = [column.field.null_while for column in tables_of(block_name)[0].columns if column.field.null_while]
    has_content = content(block)
    if null_flags:
        # A flag that was not checked is no content, whatever it says.
        unchecked = pl.col(null_flags[0]).fill_null(value=False)
        flags = [c.name for c in tables_of(block_name)[0].columns if c.field.null_while]
        root = root.with_columns(pl.when(~unchecked).then(pl.col(name)).alias(name) for name in flags)
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
    judged = root.select(SNAP, state.alias("state"), pl.when(reason != "").then(reason).alias("reason"))
    return judged.cast({"state": pl.String, "reason": pl.String})
