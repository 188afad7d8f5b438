"""A batch of answers on its way to the warehouse: snapshots, rows, findings, and the versions that they make."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import polars as pl

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.tables import tables_of
from innspect.transforms.accumulator import Gathered, OfBlock, gather
from innspect.transforms.confirmed_empty import with_clean
from innspect.transforms.coverage import JUDGED, VERSIONED, judge
from innspect.transforms.flatten.columns import SNAP
from innspect.transforms.issues import Drift, Findings
from innspect.transforms.normalise import normalise, unread_marks
from innspect.transforms.pause import collector_paused
from innspect.transforms.snapshot_metadata import SOURCE_DAY, facts
from innspect.transforms.unchanged_blocks import Memory, worth_remembering
from innspect.transforms.unchanged_blocks import judged as judged_before
from innspect.transforms.unchanged_blocks import told as told_before
from innspect.transforms.validate import report, report_marks, set_apart
from innspect.transforms.versions.content_hash import identifiers


@dataclass(frozen=True, slots=True)
class Batch:
    """What became of some answers.

    `snapshots`: a row an answer and block (columns of `lineage.snapshots` and `snap`, `content_hash`). `rows`: the
    frames of `core` by table, keyed by `snap`. `came`: how many rows of each table the answers of versions brought.
    `merging`: the snapshots (`snap`, `inn`, `block`) whose versions need what was known before. `bodies`: the numbers
    of bytes (`snap`, `digest`) that are worth remembering. Snapshots that were recalled by them have their `version_id`
    in the column `recalled`, and no rows.
    """

    answers: pl.DataFrame
    snapshots: pl.DataFrame
    rows: dict[str, pl.DataFrame]
    violations: pl.DataFrame
    quarantine: pl.DataFrame
    drift: pl.DataFrame
    came: pl.DataFrame
    merging: pl.DataFrame
    bodies: pl.DataFrame


@dataclass(slots=True)
class _Working:
    """Frames that grow block by block."""

    findings: Findings = field(default_factory=Findings)
    judged: list[pl.DataFrame] = field(default_factory=list[pl.DataFrame])
    facts: list[pl.DataFrame] = field(default_factory=list[pl.DataFrame])
    rows: dict[str, pl.DataFrame] = field(default_factory=dict[str, pl.DataFrame])
    came: dict[str, pl.Series] = field(default_factory=dict[str, pl.Series])
    """By table, the snapshot of every row that came."""
    sound: set[str] = field(default_factory=set[str])
    """Tables of whose rows there is nothing to say."""
    dates: list[pl.DataFrame] = field(default_factory=list[pl.DataFrame])


Marks = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Told:
    """By its number, whether a snapshot is evidence, and whether it is clean."""

    is_versioned: Marks
    is_clean: Marks


def transform(answers: pl.DataFrame, zone: str, memory: Memory | None = None) -> Batch:
    """All that the answers (frame of `ARCHIVE["answers"]`) say, before merging and hashing.

    `zone` is the time zone of stamps without one; what `memory` recalls is not transformed again. Nothing of an answer
    is dropped in silence: what cannot stand in `core` is in `violations`, `quarantine` or `drift`.
    """
    return transform_all([answers], zone, memory)


def transform_all(portions: Iterable[pl.DataFrame], zone: str, memory: Memory | None = None) -> Batch:
    """What the answers of all portions say, as `transform`; a portion is taken when the bodies of the last are let go.

    Only of one portion, or where nothing is recalled, may an INN come twice.
    """
    work = _Working()
    with collector_paused():
        gathered = gather(portions, memory, work.findings)
        for block, of in gathered.blocks.items():
            _read(block, of, zone, work)
        states = _decided(gathered, work.judged)
        told = _Told(
            is_versioned=_marked(gathered, states.filter(pl.col("state").is_in(VERSIONED))),
            is_clean=_marked(gathered, states.filter(pl.col("state") == "clean")),
        )
        for block, of in gathered.blocks.items():
            _keep(block, of, told, work)
        return _assemble(gathered, states, work)


def _read(block: str, of: OfBlock, zone: str, work: _Working) -> None:
    """Raw frames to normalised ones that are validated; what each answer is worth by itself."""
    tables = tables_of(block)
    answers = {piece.snap: piece.answer for piece in of.pieces}
    parts: dict[str, list[pl.DataFrame]] = {table.name: [] for table in tables}
    for lane in of.lanes:
        raw = lane.frame(block)
        work.judged.append(judge(block, raw, work.findings.misshapen))
        work.facts.append(facts(tables[0], raw, zone))
        unread_marks(tables[0], raw, zone, work.findings)
        report_marks(tables[0], raw, answers, work.findings)
        for table in tables:
            raw_of = raw if table.name == block else lane.frame(table.name)
            parts[table.name].append(normalise(table, raw_of, zone, work.findings, exact=lane.exact))
    for table in tables:
        frames = parts[table.name]
        frame = frames[0] if len(frames) == 1 else pl.concat(frames)
        if report(table, frame, answers, work.findings):
            work.sound.add(table.name)
        work.rows[table.name] = frame
    if SOURCE_DAY in work.rows[block].columns:
        work.dates.append(work.rows[block].select(SNAP, pl.col(SOURCE_DAY).alias("source_date")))


def _keep(block: str, of: OfBlock, told: _Told, work: _Working) -> None:
    """Of a block's rows those of answers that are evidence, the clean ones in their one form, keyless ones apart."""
    tables = tables_of(block)
    _missing(block, of, told.is_versioned, work.findings)
    for table in tables:
        frame = work.rows[table.name]
        evident = told.is_versioned[frame[SNAP].to_numpy()]
        if not evident.all():
            frame = frame.filter(pl.Series(evident))
        if table.name != block and frame.height:
            work.came[table.name] = frame[SNAP]
        work.rows[table.name] = frame
    work.rows[block] = with_clean(tables[0], work.rows[block], told.is_clean, of.pieces)
    set_apart(tables, work.rows, work.sound, work.findings)


def _marked(gathered: Gathered, snaps: pl.DataFrame) -> Marks:
    """By its number, whether a snapshot is among these."""
    marks = np.zeros(len(gathered.pieces), np.bool_)
    marks[snaps[SNAP].to_numpy()] = True
    return marks


def _missing(block: str, of: OfBlock, is_versioned: Marks, findings: Findings) -> None:
    """Drift for absent keys; an answer that confirms nothing is allowed to be short."""
    answers = {piece.snap: piece.answer for piece in of.pieces}
    for path, snaps in of.missing:
        hit = Counter(answers[snap] for snap in snaps if is_versioned[snap])
        findings.drift += [Drift(block, path, "missing_field", None, answer, times) for answer, times in hit.items()]


def _came(came: dict[str, pl.Series]) -> pl.DataFrame:
    """How many rows of each table each snapshot brought (`snap`, `table_name`, `rows`)."""
    names = pl.Series("table_name", list(came), dtype=pl.String)
    rows = [
        pl.DataFrame({SNAP: snaps, "table": np.full(len(snaps), at, np.uint16)})
        for at, snaps in enumerate(came.values())
    ]
    none = pl.DataFrame(schema={SNAP: pl.UInt32, "table": pl.UInt16})
    counted = pl.concat([none, *rows]).group_by(SNAP, "table", maintain_order=True).len("rows")
    return counted.select(SNAP, names.gather(counted["table"]), pl.col("rows").cast(pl.UInt32))


def _decided(gathered: Gathered, judged: list[pl.DataFrame]) -> pl.DataFrame:
    """State and reason of every piece: what the answer decided by itself, else what its content says.

    An answer without any field of its block confirms nothing.
    """
    pieces = [piece for of in gathered.blocks.values() for piece in of.pieces]
    silent = [snap for of in gathered.blocks.values() for snap in of.silent]
    given = pl.DataFrame(
        {
            SNAP: [piece.snap for piece in pieces],
            "given": [piece.given or None for piece in pieces],
            "why": [piece.reason or None for piece in pieces],
        },
        schema={SNAP: pl.UInt32, "given": pl.String, "why": pl.String},
    )
    empty = (pl.col("state") == "clean") & pl.col(SNAP).is_in(silent)
    told = pl.concat([pl.DataFrame(schema=JUDGED), *judged]).with_columns(
        pl.when(empty).then(pl.lit("unconfirmed")).otherwise("state").alias("state"),
        pl.when(empty).then(pl.lit("no_field")).otherwise("reason").alias("reason"),
    )
    both = given.join(told, on=SNAP, how="left", maintain_order="left")
    decided = pl.col("given").is_not_null()
    return both.select(
        SNAP,
        pl.coalesce("given", "state", pl.lit("failed")).alias("state"),
        pl.when(decided).then("why").otherwise("reason").alias("reason"),
    )


def _assemble(gathered: Gathered, states: pl.DataFrame, work: _Working) -> Batch:
    pieces, answers = gathered.pieces, pl.concat(gathered.answers)
    bodies, known = pl.concat(gathered.bodies), pl.concat(gathered.known)
    base = pl.DataFrame(
        {
            SNAP: [piece.snap for piece in pieces],
            "answer": [piece.answer for piece in pieces],
            "block": [piece.block for piece in pieces],
            "full": [piece.full for piece in pieces],
            "stored": [piece.stored for piece in pieces],
            "started": [piece.started for piece in pieces],
        },
        schema={
            SNAP: pl.UInt32, "answer": pl.UInt32, "block": pl.String, "full": pl.Boolean, "stored": pl.Boolean,
            "started": pl.Int64,
        },
    )  # fmt: skip
    kept = answers.select("response_id", "run_id", "inn", "method", "asked_at").with_row_index("answer")
    judged = pl.concat([judged_before(known), states])
    told = pl.concat([told_before(known), *work.facts])
    source = pl.concat([known.select(SNAP, "source_date"), *work.dates])
    started = pl.from_epoch("started", "s").cast(pl.Datetime("us"))
    from_local = pl.col("from_local").fill_null(value=False) | pl.col("stored")
    joined = base.join(kept, on="answer", how="left", maintain_order="left")
    for frame in (judged, told, source, known.select(SNAP, pl.col("version_id").alias("recalled"))):
        joined = joined.join(frame, on=SNAP, how="left", maintain_order="left")
    snapshots = joined.with_columns(
        identifiers(joined, "response_id", "block").alias("snapshot_id"),
        pl.coalesce(pl.when(from_local).then(pl.col("fetched_at")), started, "asked_at").alias("collected_at"),
        from_local.alias("from_local"),
    )
    narrow = [name for name, block in BLOCKS.items() if block.narrow_in_full_check()]
    is_narrow = pl.col("full") & pl.col("block").is_in(narrow) & pl.col("state").is_in(VERSIONED)
    merges = ((pl.col("state") == "partial") | is_narrow) & pl.col("recalled").is_null()
    return Batch(
        answers=answers,
        snapshots=snapshots,
        rows=work.rows,
        violations=work.findings.violation_frame(),
        quarantine=work.findings.quarantine_frame(),
        drift=_drift(answers, work.findings),
        came=_came(work.came),
        merging=snapshots.filter(merges).select(SNAP, "inn", "block"),
        bodies=worth_remembering(snapshots, bodies, known, lambda: _noticed(work.findings, base)),
    )


def _noticed(findings: Findings, base: pl.DataFrame) -> pl.DataFrame:
    """The snapshots (`snap`) in which there is something to report."""
    drift = [(one.answer, one.block) for one in findings.drift]
    drifted = pl.DataFrame(drift, schema={"answer": pl.UInt32, "block": pl.String}, orient="row")
    told = (findings.violation_frame(), findings.quarantine_frame())
    of_drift = base.join(drifted, on=["answer", "block"], how="semi").select(SNAP)
    return pl.concat([of_drift, *(frame.select(SNAP) for frame in told)]).unique()


def _drift(answers: pl.DataFrame, findings: Findings) -> pl.DataFrame:
    """Drift once per block, path and kind, with a sample (the first), a count, and when it was seen."""
    asked = answers["asked_at"].to_list()
    rows = [(d.block, d.path, d.kind, d.sample, d.occurrences, asked[d.answer]) for d in findings.drift]
    schema = {
        "block": pl.String, "path": pl.String, "kind": pl.String, "sample": pl.String, "occurrences": pl.Int64,
        "at": pl.Datetime("us"),
    }  # fmt: skip
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return drift_once(frame.with_columns(pl.col("at").alias("first_seen_at"), pl.col("at").alias("last_seen_at")))


def drift_once(frame: pl.DataFrame) -> pl.DataFrame:
    """Drift of one block, path and kind in one row: the earliest sample, all occurrences, first and last sight."""
    return frame.group_by("block", "path", "kind", maintain_order=True).agg(
        pl.col("sample").sort_by("first_seen_at", maintain_order=True).first(),
        pl.col("occurrences").sum(),
        pl.col("first_seen_at").min(),
        pl.col("last_seen_at").max(),
    )
