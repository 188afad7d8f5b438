"""Freshness: which blocks of each INN have evidence that is recent enough, as a bit mask."""

from collections.abc import Sequence
from datetime import datetime

import polars as pl

from innspect.extract.clock import to_utc
from innspect.schemas.declaration import has_passing_reason
from innspect.schemas.frames import LATEST_SNAPSHOTS
from innspect.schemas.settings.profiles import Profile
from innspect.schemas.states import EVIDENCE, SnapshotState

RETRIED_STATES = (SnapshotState.UNCONFIRMED, SnapshotState.MISSING)
"""States that are requested again after the profile's retry interval."""
REUSABLE_STATES = (*EVIDENCE, *RETRIED_STATES)
"""States that may be fresh; blocks in every other state are requested again at once."""


def find_needs(
    members: pl.DataFrame, known: pl.DataFrame, profile: Profile, now: datetime, *, refresh: bool
) -> pl.DataFrame:
    """The members with the fresh blocks of each, in the order and grain of `members`.

    Added columns: `fresh` (bit n is set if the n-th block of the profile is fresh), `never` (the INN was never
    requested) and `oldest` (the oldest request of its stale blocks).
    """
    schema = pl.Schema(LATEST_SNAPSHOTS)
    latest = known.select(schema.names()).cast(schema) if known.height else schema.to_frame()
    latest = latest.join(members, on="inn", how="semi")
    blocks = latest.join(_block_terms(profile), on="block").with_columns(
        fresh=pl.lit(value=False) if refresh else _is_fresh(to_utc(now))
    )
    by_inn = blocks.group_by("inn").agg(
        fresh=pl.col("bit").filter("fresh").sum(), oldest=pl.col("asked_at").filter(~pl.col("fresh")).min()
    )
    requested = latest.select("inn", never=pl.lit(value=False)).unique("inn")
    return (
        members.join(by_inn, on="inn", how="left", maintain_order="left")
        .join(requested, on="inn", how="left", maintain_order="left")
        .with_columns(pl.col("fresh").fill_null(0), pl.col("never").fill_null(value=True))
    )


def block_mask(blocks: Sequence[str], profile: Profile) -> int:
    """These blocks of the profile as a bit mask."""
    return sum(1 << bit for bit, block in enumerate(profile.block_names) if block in blocks)


def blocks_in_mask(mask: int, profile: Profile) -> tuple[str, ...]:
    """The blocks in a bit mask, in the order of the catalogue."""
    return tuple(block for bit, block in enumerate(profile.block_names) if mask >> bit & 1)


def _block_terms(profile: Profile) -> pl.DataFrame:
    blocks = profile.block_names
    return pl.DataFrame(
        {
            "block": blocks,
            "bit": [1 << bit for bit in range(len(blocks))],
            "max_age": [profile.max_age(block) for block in blocks],
            "retry": [profile.retry_unconfirmed(block) for block in blocks],
        },
        schema={"block": pl.String, "bit": pl.Int64, "max_age": pl.Duration("us"), "retry": pl.Duration("us")},
    )


def _is_fresh(now: datetime) -> pl.Expr:
    age = pl.lit(now, dtype=pl.Datetime("us")) - pl.col("asked_at")
    is_old = (age > pl.col("max_age")) | (pl.col("max_age") == pl.duration())
    is_retried = pl.col("state").is_in(RETRIED_STATES) | (
        (pl.col("state") == SnapshotState.PARTIAL) & has_passing_reason("reason")
    )
    is_due = is_retried & (age >= pl.col("retry"))
    return (pl.col("state").is_in(REUSABLE_STATES) & ~is_old & ~is_due).fill_null(value=False)
