"""Payloads whose bytes were received before: they are not transformed again.

The result of a payload is a function of its bytes, of the method, and of the declarations. If the warehouse has the
version that the same bytes made, and that version is still the latest of its INN and block, the new snapshot refers to
it. This holds for a partial payload too, because its rows are part of that version. Bytes that were no evidence are no
evidence again. Everything else is transformed, also a payload with issues, which are reported for each response.
"""

from collections.abc import Callable

import polars as pl

from innspect.schemas.frames import KNOWN_PAYLOADS, SNAP
from innspect.transforms.coverage import COVERAGE_STATES
from innspect.transforms.snapshot_metadata import SNAPSHOT_METADATA


def reusable_payloads(digests: pl.DataFrame, known: pl.DataFrame | None) -> pl.DataFrame:
    """The payloads that need not be transformed (`KNOWN_PAYLOADS`), given their digests and those that are known.

    If an INN and block occurs several times, either all of its payloads are known or none is used: the version of one
    that is transformed would have to be compared with rows that are not in the batch.
    """
    if known is None or known.is_empty():
        return pl.DataFrame(schema=KNOWN_PAYLOADS)
    unknown = digests.join(known, on=SNAP, how="anti").select("inn", "block")
    reusable = digests.join(unknown, on=["inn", "block"], how="anti").select(SNAP)
    return known.cast(pl.Schema(KNOWN_PAYLOADS)).join(reusable, on=SNAP, how="semi", maintain_order="left").sort(SNAP)


def known_states(known: pl.DataFrame) -> pl.DataFrame:
    """The coverage states of known payloads (`COVERAGE_STATES`)."""
    return known.select(list(COVERAGE_STATES))


def known_metadata(known: pl.DataFrame) -> pl.DataFrame:
    """The metadata of known payloads (`SNAPSHOT_METADATA`)."""
    collected_at = pl.when("from_local").then("collected_at").alias("fetched_at")
    return known.with_columns(collected_at).select(list(SNAPSHOT_METADATA))


def digests_to_store(
    snapshots: pl.DataFrame, digests: pl.DataFrame, known: pl.DataFrame, snaps_with_issues: Callable[[], pl.DataFrame]
) -> pl.DataFrame:
    """The digests of payloads that are not `known` yet and have no issues (`snap`).

    A payload from the local store without a collection time is left out: its time is that of the response.
    """
    if digests.is_empty():
        return digests
    is_undated = pl.col("from_local") & pl.col("fetched_at").is_null()
    undated = snapshots.filter(is_undated).select(SNAP)
    excluded = pl.concat([known.select(SNAP), undated, snaps_with_issues()])
    return digests.join(excluded, on=SNAP, how="anti", maintain_order="left")
