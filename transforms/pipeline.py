"""Split responses to a batch: snapshots, rows and issues; its versions are computed by `versions/`."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import polars as pl

from innspect.schemas.declaration import has_passing_reason
from innspect.schemas.frames import SNAP, Batch
from innspect.schemas.states import EVIDENCE, SnapshotState
from innspect.schemas.tables import Origin, Table, tables_of
from innspect.transforms.accumulator import Accumulator, BlockAccumulator
from innspect.transforms.confirmed_empty import add_clean_rows, drop_unconfirmed_absence
from innspect.transforms.coverage import COVERAGE_STATES, coverage_states
from innspect.transforms.flatten.leaves import leaf_part
from innspect.transforms.issues import Drift, Issues
from innspect.transforms.normalise import normalise, report_unreadable_marks
from innspect.transforms.snapshot_metadata import SOURCE_DAY, snapshot_metadata
from innspect.transforms.split import SplitResponses, pause_gc
from innspect.transforms.unchanged_blocks import digests_to_store, known_metadata, known_states
from innspect.transforms.validate import quarantine_keyless, report_unknown_marks, report_violations
from innspect.transforms.versions.content_hash import identifiers
from innspect.transforms.versions.merged_lists import find_merges, mark_full_lists

Mask = npt.NDArray[np.bool_]
"""One boolean per snapshot of the batch, by its number."""


@dataclass(frozen=True, slots=True)
class _Masks:
    """Which snapshots are evidence, which are clean, and which lack something that another request may bring."""

    evidence: Mask
    clean: Mask
    incomplete: Mask


@dataclass(slots=True)
class _Progress:
    """Frames that grow block by block."""

    issues: Issues = field(default_factory=Issues)
    states: list[pl.DataFrame] = field(default_factory=list[pl.DataFrame])
    metadata: list[pl.DataFrame] = field(default_factory=list[pl.DataFrame])
    rows: dict[str, pl.DataFrame] = field(default_factory=dict[str, pl.DataFrame])
    received: dict[str, pl.Series] = field(default_factory=dict[str, pl.Series])
    """By table, the snapshot of each received row."""
    valid: set[str] = field(default_factory=set[str])
    """Tables without any violation and without keyless rows."""
    source_dates: list[pl.DataFrame] = field(default_factory=list[pl.DataFrame])


def transform(
    split: SplitResponses,
    zone: str,
    known: pl.DataFrame | None = None,
    check_interruption: Callable[[], None] = lambda: None,
) -> Batch:
    """Transform split responses into a batch without versions.

    `zone`: time zone of timestamps without one. `known`: payloads whose bytes were received before
    (`KNOWN_PAYLOADS`); they are not transformed. Everything that cannot be loaded is in `violations`, `quarantine` or
    `drift`. `check_interruption` is called for each block and may raise an exception to end this early.
    """
    return transform_portions([(split, known)], zone, check_interruption)


@pause_gc()
def transform_portions(
    portions: Iterable[tuple[SplitResponses, pl.DataFrame | None]],
    zone: str,
    check_interruption: Callable[[], None] = lambda: None,
) -> Batch:
    """Transform portions, each with the payloads that are known, into one batch, as `transform` does.

    Each portion is taken after the payloads of the one before are released. An INN of which payloads are known occurs
    in one portion only.
    """
    progress, accumulator = _Progress(), Accumulator()
    for split, known in portions:
        accumulator.add(split, known, progress.issues, check_interruption)
    for block, columns in accumulator.blocks.items():
        check_interruption()
        _normalise_block(block, columns, zone, progress)
    states = mark_full_lists(_decide_states(accumulator, progress.states), progress.rows)
    is_incomplete = (pl.col("state") == SnapshotState.PARTIAL) & has_passing_reason("reason")
    masks = _Masks(
        evidence=_mask(accumulator, states.filter(pl.col("state").is_in(EVIDENCE))),
        clean=_mask(accumulator, states.filter(pl.col("state") == SnapshotState.CLEAN)),
        incomplete=_mask(accumulator, states.filter(is_incomplete)),
    )
    for block, columns in accumulator.blocks.items():
        check_interruption()
        _finish_block(block, columns, masks, progress)
    return _assemble(accumulator, states, progress)


def _normalise_block(block: str, columns: BlockAccumulator, zone: str, progress: _Progress) -> None:
    """Raw frames to validated, normalised ones, with the coverage states that the content determines."""
    tables, issues = tables_of(block), progress.issues
    responses = {payload.snap: payload.response for payload in columns.payloads}
    parts: dict[str, list[pl.DataFrame]] = {table.name: [] for table in tables}
    doubts = {payload.snap: payload.doubt for payload in columns.payloads if payload.doubt}
    failures = {payload.snap: payload.failure for payload in columns.payloads if payload.failure}
    unavailable = {payload.snap for payload in columns.payloads if payload.state == SnapshotState.UNAVAILABLE}
    for decoded in columns.by_decoder:
        root = decoded.take(block)
        progress.states.append(coverage_states(block, root, issues.wrong_shape, doubts, failures, unavailable))
        progress.metadata.append(snapshot_metadata(tables[0], root, zone))
        report_unreadable_marks(tables[0], root, zone, issues)
        report_unknown_marks(tables[0], root, responses, issues)
        for table in tables:
            raw = root if table.name == block else decoded.take(table.name)
            parts[table.name].append(normalise(table, raw, zone, issues, exact=decoded.exact))
    for table in tables:
        frames = parts[table.name]
        frame = frames[0] if len(frames) == 1 else pl.concat(frames)
        if report_violations(table, frame, responses, issues):
            progress.valid.add(table.name)
        progress.rows[table.name] = frame
    if SOURCE_DAY in progress.rows[block].columns:
        progress.source_dates.append(progress.rows[block].select(SNAP, pl.col(SOURCE_DAY).alias("source_date")))


def _finish_block(block: str, columns: BlockAccumulator, masks: _Masks, progress: _Progress) -> None:
    """Keep the rows of evidence, and of the block's own row what its state confirms; quarantine rows without a key."""
    tables = tables_of(block)
    _report_missing_fields(block, columns, masks.evidence, progress.issues)
    for table in tables:
        frame = progress.rows[table.name]
        is_evidence = masks.evidence[frame[SNAP].to_numpy()]
        if not is_evidence.all():
            frame = frame.filter(pl.Series(is_evidence))
        if table.name != block and frame.height:
            progress.received[table.name] = frame[SNAP]
        progress.rows[table.name] = frame
    listed = _listed_rows(tables, progress.rows)
    stated = drop_unconfirmed_absence(tables[0], progress.rows[block], masks.incomplete, listed)
    progress.rows[block] = add_clean_rows(tables[0], stated, masks.clean, columns.payloads)
    quarantine_keyless(tables, progress.rows, progress.valid, progress.issues)


def _listed_rows(tables: tuple[Table, ...], rows: Mapping[str, pl.DataFrame]) -> dict[str, pl.Series]:
    """The snapshot of each row of the block's own lists, by list."""
    listed: dict[str, pl.Series] = {}
    for table in tables:
        if table.origin is Origin.LEAVES:
            parts = rows[table.name].select(SNAP, leaf_part().alias("part"))
            listed |= {feed.attribute: parts.filter(part=feed.attribute)[SNAP] for feed in table.feeds}
        elif table.own_list == table.name:
            listed[table.attribute] = rows[table.name][SNAP]
    return listed


def _mask(accumulator: Accumulator, snaps: pl.DataFrame) -> Mask:
    mask = np.zeros(len(accumulator.payloads), np.bool_)
    mask[snaps[SNAP].to_numpy()] = True
    return mask


def _report_missing_fields(block: str, columns: BlockAccumulator, evidence: Mask, issues: Issues) -> None:
    """Report absent documented keys as drift; a response without evidence may omit them."""
    responses = {payload.snap: payload.response for payload in columns.payloads}
    for path, snaps in columns.missing:
        counts = Counter(responses[snap] for snap in snaps if evidence[snap])
        issues.drift += [Drift(block, path, "missing_field", None, number, times) for number, times in counts.items()]


def _count_received(received: dict[str, pl.Series]) -> pl.DataFrame:
    """Number of rows received by snapshot and table (`snap`, `table_name`, `rows`)."""
    names = pl.Series("table_name", list(received), dtype=pl.String)
    rows = [
        pl.DataFrame({SNAP: snaps, "table": np.full(len(snaps), number, np.uint16)})
        for number, snaps in enumerate(received.values())
    ]
    empty = pl.DataFrame(schema={SNAP: pl.UInt32, "table": pl.UInt16})
    counted = pl.concat([empty, *rows]).group_by(SNAP, "table", maintain_order=True).len("rows")
    return counted.select(SNAP, names.gather(counted["table"]), pl.col("rows").cast(pl.UInt32))


def _decide_states(accumulator: Accumulator, by_content: list[pl.DataFrame]) -> pl.DataFrame:
    """State and reason of each payload that is not known: as the response determines them, else by content.

    A payload without any field of its block confirms nothing. One whose envelope calls the source unavailable is
    partial by its content.
    """
    payloads = [payload for columns in accumulator.blocks.values() for payload in columns.payloads]
    bare = [payload.snap for payload in payloads if payload.is_bare]
    preset = pl.DataFrame(
        {
            SNAP: [payload.snap for payload in payloads],
            "preset": [payload.state for payload in payloads],
            "preset_reason": [payload.reason or None for payload in payloads],
        },
        schema={SNAP: pl.UInt32, "preset": pl.String, "preset_reason": pl.String},
    )
    is_unproven = pl.col("state").is_in([SnapshotState.CLEAN, SnapshotState.PARTIAL])
    is_bare = is_unproven & pl.col(SNAP).is_in(bare)
    content = pl.concat([pl.DataFrame(schema=COVERAGE_STATES), *by_content]).with_columns(
        pl.when(is_bare).then(pl.lit(SnapshotState.UNCONFIRMED)).otherwise("state").alias("state"),
        pl.when(is_bare).then(pl.lit("no_field")).otherwise("reason").alias("reason"),
    )
    has_rows = (pl.col("preset") == SnapshotState.UNAVAILABLE) & (pl.col("state") == SnapshotState.PARTIAL)
    is_preset = pl.col("preset").is_not_null() & ~has_rows.fill_null(value=False)
    return preset.join(content, on=SNAP, how="left", maintain_order="left").select(
        SNAP,
        pl.coalesce(pl.when(is_preset).then("preset"), "state", pl.lit(SnapshotState.FAILED)).alias("state"),
        pl.when(is_preset).then("preset_reason").otherwise("reason").alias("reason"),
    )


def _assemble(accumulator: Accumulator, states: pl.DataFrame, progress: _Progress) -> Batch:
    responses, known, issues = pl.concat(accumulator.responses), pl.concat(accumulator.known), progress.issues
    payloads = _payload_frame(accumulator)
    fields = responses.select("response_id", "run_id", "inn", "method", "asked_at").with_row_index("response")
    snapshots = payloads.join(fields, on="response", how="left", maintain_order="left")
    for frame in (
        pl.concat([known_states(known), states]),
        pl.concat([known_metadata(known), *progress.metadata]),
        pl.concat([known.select(SNAP, "source_date"), *progress.source_dates]),
        known.select(SNAP, pl.col("snapshot_id", "version_id").name.prefix("known_")),
    ):
        snapshots = snapshots.join(frame, on=SNAP, how="left", maintain_order="left")
    from_local = pl.col("from_local").fill_null(value=False) | pl.col("from_store")
    started_at = pl.from_epoch("collected_at", "s").cast(pl.Datetime("us"))
    snapshots = snapshots.with_columns(
        identifiers(snapshots, "response_id", "block").alias("snapshot_id"),
        # An empty block, or one that is a list, has no place for the date on which it came to the service's store.
        pl.when(from_local).then("fetched_at").otherwise(pl.coalesce(started_at, "asked_at")).alias("collected_at"),
        from_local.alias("from_local"),
    )
    return Batch(
        responses=responses,
        snapshots=snapshots,
        rows=progress.rows,
        violations=issues.violation_frame(),
        quarantine=issues.quarantine_frame(),
        drift=_drift_frame(responses, issues),
        received_rows=_count_received(progress.received),
        merges=find_merges(snapshots, progress.received, progress.rows, issues.quarantine_frame()),
        digests=digests_to_store(
            snapshots, pl.concat(accumulator.digests), known, lambda: _snaps_with_issues(issues, payloads)
        ),
    )


def _payload_frame(accumulator: Accumulator) -> pl.DataFrame:
    payloads = accumulator.payloads
    return pl.DataFrame(
        {
            SNAP: [payload.snap for payload in payloads],
            "response": [payload.response for payload in payloads],
            "block": [payload.block for payload in payloads],
            "in_full_check": [payload.in_full_check for payload in payloads],
            "from_store": [payload.from_store for payload in payloads],
            "collected_at": [payload.collected_at for payload in payloads],
        },
        schema={
            SNAP: pl.UInt32, "response": pl.UInt32, "block": pl.String, "in_full_check": pl.Boolean,
            "from_store": pl.Boolean, "collected_at": pl.Int64,
        },
    )  # fmt: skip


def _snaps_with_issues(issues: Issues, payloads: pl.DataFrame) -> pl.DataFrame:
    """The snapshots (`snap`) with a violation, a quarantined row or drift."""
    drift = [(drift.response, drift.block) for drift in issues.drift]
    pairs = pl.DataFrame(drift, schema={"response": pl.UInt32, "block": pl.String}, orient="row")
    with_drift = payloads.join(pairs, on=["response", "block"], how="semi").select(SNAP)
    frames = (issues.violation_frame(), issues.quarantine_frame())
    return pl.concat([with_drift, *(frame.select(SNAP) for frame in frames)]).unique()


def _drift_frame(responses: pl.DataFrame, issues: Issues) -> pl.DataFrame:
    """Drift in one row per block, path and kind."""
    asked_at = responses["asked_at"].to_list()
    rows = [(d.block, d.path, d.kind, d.sample, d.occurrences, asked_at[d.response]) for d in issues.drift]
    schema = {
        "block": pl.String, "path": pl.String, "kind": pl.String, "sample": pl.String, "occurrences": pl.Int64,
        "first_seen_at": pl.Datetime("us"),
    }  # fmt: skip
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return aggregate_drift(frame.with_columns(pl.col("first_seen_at").alias("last_seen_at")))


def aggregate_drift(frame: pl.DataFrame) -> pl.DataFrame:
    """One row per block, path and kind: the earliest sample, the sum of occurrences, first and last time."""
    return frame.group_by("block", "path", "kind", maintain_order=True).agg(
        pl.col("sample").sort_by("first_seen_at", maintain_order=True).first(),
        pl.col("occurrences").sum(),
        pl.col("first_seen_at").min(),
        pl.col("last_seen_at").max(),
    )
