"""What has to be asked: per INN the blocks that are not fresh, as a set of bits."""

from collections.abc import Sequence
from datetime import UTC, datetime

import polars as pl

from innspect.schemas.declaration import LASTING_REASONS
from innspect.schemas.frames import LATEST_SNAPSHOTS
from innspect.schemas.settings.profiles import Profile

ANSWERED = ("found", "clean", "partial", "unconfirmed", "missing")
"""States that stand for a while; every other state is asked again at once."""
SILENT = ("unconfirmed", "missing")


def utc(moment: datetime) -> datetime:
    """The moment in UTC without a zone, as frames hold it; one without a zone is UTC already."""
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)


def find_needs(
    members: pl.DataFrame, known: pl.DataFrame, profile: Profile, now: datetime, *, refresh: bool
) -> pl.DataFrame:
    """The members with what is fresh of each.

    Grain: a row of `members`, in its order. Added: `fresh` (bit n set: the n-th block of `profile.wanted` is fresh),
    `never` (nothing was ever asked of the INN) and `oldest` (when the longest unasked of its stale blocks was asked).
    """
    answers = (
        known.select(pl.col(name).cast(kind) for name, kind in LATEST_SNAPSHOTS.items()) if known.height else _nothing()
    )
    answers = answers.join(members, on="inn", how="semi")
    judged = answers.join(_terms(profile), on="block").with_columns(
        fresh=pl.lit(value=False) if refresh else _is_fresh(utc(now))
    )
    standing = judged.group_by("inn").agg(
        fresh=pl.col("bit").filter("fresh").sum(), oldest=pl.col("asked_at").filter(~pl.col("fresh")).min()
    )
    asked = answers.select("inn", never=pl.lit(value=False)).unique("inn")
    return (
        members.join(standing, on="inn", how="left", maintain_order="left")
        .join(asked, on="inn", how="left", maintain_order="left")
        .with_columns(pl.col("fresh").fill_null(0), pl.col("never").fill_null(value=True))
    )


def bits(blocks: Sequence[str], profile: Profile) -> int:
    """The set of those blocks of the profile, as bits."""
    return sum(1 << place for place, block in enumerate(profile.block_names) if block in blocks)


def blocks_of(mask: int, profile: Profile) -> tuple[str, ...]:
    """The blocks of a set of bits, in the order of the catalogue."""
    return tuple(block for place, block in enumerate(profile.block_names) if mask >> place & 1)


def _terms(profile: Profile) -> pl.DataFrame:
    blocks = profile.block_names
    return pl.DataFrame(
        {
            "block": blocks,
            "bit": [1 << place for place in range(len(blocks))],
            "max_age": [profile.max_age(block) for block in blocks],
            "retry": [profile.retry_unconfirmed(block) for block in blocks],
        },
        schema={"block": pl.String, "bit": pl.Int64, "max_age": pl.Duration("us"), "retry": pl.Duration("us")},
    )


def _is_fresh(now: datetime) -> pl.Expr:
    age = pl.lit(now, dtype=pl.Datetime("us")) - pl.col("asked_at")
    old = (age > pl.col("max_age")) | (pl.col("max_age") == pl.duration())
    # Every word between two commas of its own, so that words standing side by side are all struck out.
    words = pl.lit(",") + pl.col("reason").fill_null("").str.replace_all(",", ",,", literal=True) + pl.lit(",")
    passing = words.str.replace_all(rf",\s*(?:{'|'.join(LASTING_REASONS)})?\s*,", "") != ""
    silent = pl.col("state").is_in(SILENT) | ((pl.col("state") == "partial") & passing)
    due = silent & (age >= pl.col("retry"))
    return (pl.col("state").is_in(ANSWERED) & ~old & ~due).fill_null(value=False)


def _nothing() -> pl.DataFrame:
    return pl.DataFrame(schema=LATEST_SNAPSHOTS)
