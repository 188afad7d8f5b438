"""Answers that the service collected before what is known, as its own store may return them."""

from dataclasses import replace

import polars as pl

from innspect.schemas.frames import SNAP, Batch
from innspect.schemas.states import OLDER_ANSWER, SnapshotState

PAIR = ["inn", "block"]


def withhold_older_answers(batch: Batch, latest: pl.DataFrame) -> Batch:
    """The versioned batch, in which an answer that differs from a later collected one confirms nothing.

    `latest`: what was known before (columns of the table of latest responses) of the (inn, block) pairs. An answer is
    older by the time of its collection or the day of its data set, and if it is of the service's own store and does not
    say when it was collected. With the known content it confirms that.
    """
    if latest.is_empty():
        return batch
    known = latest.filter(pl.col("version_id").is_not_null()).select(
        *PAIR,
        pl.col("version_id").alias("known_id"),
        pl.col("checked_at").alias("known_checked_at"),
        pl.col("collected_at").alias("known_collected_at"),
        pl.col("source_date").alias("known_source_date"),
    )
    is_undated = pl.col("collected_at").is_null() & pl.col("from_local") & pl.col("known_collected_at").is_not_null()
    is_older = pl.any_horizontal(
        pl.col("collected_at") < pl.col("known_collected_at"),
        pl.col("source_date") < pl.col("known_source_date"),
        is_undated,
    )
    # A response that was requested before what is known, and is loaded late, is a part of its history.
    is_next = pl.col("asked_at") > pl.col("known_checked_at")
    older = (
        batch.snapshots.filter(pl.col("version_id").is_not_null())
        .join(known, on=PAIR)
        .filter((pl.col("version_id") != pl.col("known_id")) & is_next & is_older)
        .select(SNAP)
    )
    return batch if older.is_empty() else _without_evidence(batch, older)


def _without_evidence(batch: Batch, older: pl.DataFrame) -> Batch:
    def keep(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.join(older, on=SNAP, how="anti", maintain_order="left")

    is_older = pl.col(SNAP).is_in(older[SNAP].implode())
    changed = {"state": pl.lit(str(SnapshotState.UNCONFIRMED)), "reason": pl.lit(OLDER_ANSWER)}
    emptied = ("version_id", "content_hash", "known_version_id", "base_version_id")
    snapshots = batch.snapshots.with_columns(
        *(pl.when(is_older).then(value).otherwise(pl.col(name)).alias(name) for name, value in changed.items()),
        *(pl.when(~is_older).then(pl.col(name)).alias(name) for name in emptied),
    )
    return replace(
        batch,
        snapshots=snapshots,
        rows={name: keep(frame) for name, frame in batch.rows.items()},
        received_rows=keep(batch.received_rows),
        merges=keep(batch.merges),
        digests=keep(batch.digests),
        kept_rows=keep(batch.kept_rows),
    )
