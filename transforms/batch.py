"""A batch of answers on its way to the warehouse: snapshots, rows, findings, and the versions that they make."""

from collections import Counter
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import polars as pl

from schemas.catalogue import BLOCKS
from schemas.declaration import Field, Inline, Leaves, List, Map, UnknownBeside, Zero
from schemas.kinds import Form
from schemas.tables import Table, tables_of
from schemas.wire import ABSENT
from transforms.answer_marks import SOURCE_DAY, facts
from transforms.content import identifiers
from transforms.decode import decode, reread
from transforms.findings import Drift, Findings
from transforms.flatten import SNAP, Flat, flatten
from transforms.normalise import normalise, unread_marks
from transforms.pause import collector_paused
from transforms.pieces import Piece, take_apart
from transforms.recall import Memory, digests, recalled, worth_remembering
from transforms.recall import judged as judged_before
from transforms.recall import told as told_before
from transforms.state import VERSIONED, judge
from transforms.validate import report, report_marks, set_apart


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
    dates: list[pl.DataFrame] = field(default_factory=list[pl.DataFrame])


def transform(answers: pl.DataFrame, zone: str, memory: Memory | None = None) -> Batch:
    """All that the answers (frame of `ARCHIVE["answers"]`) say, before merging and hashing.

    `zone` is the time zone of stamps without one; what `memory` recalls is not transformed again. Nothing of an answer
    is dropped in silence: what cannot stand in `core` is in `violations`, `quarantine` or `drift`.
    """
    work = _Working()
    with collector_paused():
        pieces = take_apart(answers, work.findings)
        bodies = digests(pieces, memory)
        known = recalled(pieces, bodies, memory)
        is_known = set(known[SNAP].to_list())
        by_block: dict[str, list[Piece]] = {}
        for piece in pieces:
            if piece.snap not in is_known:
                by_block.setdefault(piece.block, []).append(piece)
        # From here on the bodies live in the pieces alone, and each block lets go of its own.
        answers = answers.drop("body")
        for block, of_block in by_block.items():
            _block(block, of_block, zone, work)
            for piece in of_block:
                piece.raw = piece.body = None
        return _assemble(answers, pieces, work, bodies, known)


def _block(block: str, pieces: list[Piece], zone: str, work: _Working) -> None:
    tables = tables_of(block)
    answers = {piece.snap: piece.answer for piece in pieces}
    fast, careful = decode(block, pieces, work.findings)
    lane = flatten(block, fast, exact=False)
    if lane.too_large:
        careful += reread([piece for piece in fast if piece.snap in lane.too_large], work.findings)
        lane = flatten(block, [piece for piece in fast if piece.snap not in lane.too_large], exact=False)
    lanes = [(lane, False)]
    if careful:
        lanes.append((flatten(block, careful, exact=True), True))
    judged: list[pl.DataFrame] = []
    parts: dict[str, list[pl.DataFrame]] = {table.name: [] for table in tables}
    for flat, exact in lanes:
        raw = flat.frames[block]
        work.findings.drift.extend(flat.drift)
        judged.append(judge(block, raw, work.findings.misshapen))
        work.facts.append(facts(tables[0], raw, zone))
        unread_marks(tables[0], raw, zone, work.findings)
        report_marks(tables[0], raw, answers, work.findings)
        for table in tables:
            parts[table.name].append(normalise(table, flat.frames[table.name], zone, work.findings, exact=exact))
    frames = {name: pl.concat(each) for name, each in parts.items()}
    if SOURCE_DAY in frames[block].columns:
        work.dates.append(frames[block].select(SNAP, pl.col(SOURCE_DAY).alias("source_date")))
    states = _decided(pieces, pl.concat(judged))
    work.judged.append(states)
    versioned = states.filter(pl.col("state").is_in(VERSIONED)).select(SNAP, "state")
    _missing(block, [flat for flat, _ in lanes], versioned, answers, work.findings)
    for table in tables:
        report(table, frames[table.name], answers, work.findings)
    if versioned.height < states.height:
        frames = {
            name: frame.join(versioned, on=SNAP, how="semi", maintain_order="left") if frame.height else frame
            for name, frame in frames.items()
        }
    work.came |= {name: frame[SNAP] for name, frame in frames.items() if name != block and frame.height}
    frames[block] = _with_clean(tables[0], frames[block], versioned, pieces)
    set_apart(tables, frames, work.findings)
    work.rows.update(frames)


def _missing(
    block: str, lanes: list[Flat], versioned: pl.DataFrame, answers: dict[int, int], findings: Findings
) -> None:
    """Drift for absent keys; an answer that confirms nothing is allowed to be short."""
    evidence = set(versioned[SNAP].to_list())
    for lane in lanes:
        for path, snaps in lane.missing:
            hit = Counter(answers[snap] for snap in snaps if snap in evidence)
            findings.drift += [
                Drift(block, path, "missing_field", None, answer, times) for answer, times in hit.items()
            ]


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


def _decided(pieces: list[Piece], judged: pl.DataFrame) -> pl.DataFrame:
    """State and reason of every piece: what the answer decided by itself, else what its content says.

    An answer without any field of its block confirms nothing.
    """
    clean = set(judged.filter(pl.col("state") == "clean")[SNAP].to_list())
    silent = [piece.snap for piece in pieces if piece.snap in clean and _is_silent(piece)]
    given = pl.DataFrame(
        {
            SNAP: [piece.snap for piece in pieces],
            "given": [piece.given or None for piece in pieces],
            "why": [piece.reason or None for piece in pieces],
        },
        schema={SNAP: pl.UInt32, "given": pl.String, "why": pl.String},
    )
    empty = (pl.col("state") == "clean") & pl.col(SNAP).is_in(silent)
    judged = judged.with_columns(
        pl.when(empty).then(pl.lit("unconfirmed")).otherwise("state").alias("state"),
        pl.when(empty).then(pl.lit("no_field")).otherwise("reason").alias("reason"),
    )
    both = given.join(judged, on=SNAP, how="left", maintain_order="left")
    decided = pl.col("given").is_not_null()
    return both.select(
        SNAP,
        pl.coalesce("given", "state", pl.lit("failed")).alias("state"),
        pl.when(decided).then("why").otherwise("reason").alias("reason"),
    ).cast({"reason": pl.String})  # fmt: skip


def _is_silent(piece: Piece) -> bool:
    """Whether the body has none of the fields that tell of the company, where that is not the sign of an empty one."""
    telling = _telling(piece.block)
    return bool(telling) and all(getattr(piece.body, name) in (None, ABSENT) for name in telling)


@cache
def _telling(block_name: str) -> tuple[str, ...]:
    """The fields of a block that tell of the company; none where having none of them is the sign of an empty one."""
    block = BLOCKS[block_name]
    record = any(isinstance(part, Inline) and part.record for part in block.row_parts.values())
    if block.undocumented or block.evidence.empty_is_clean or record:
        return ()
    return tuple(
        name for name, part in block.row_parts.items() if isinstance(part, Field | List | Map | Leaves | Inline)
    )


def _with_clean(root: Table, frame: pl.DataFrame, versioned: pl.DataFrame, pieces: list[Piece]) -> pl.DataFrame:
    """The root's rows, those of clean snapshots in their one canonical form.

    A flag that an answer with a body does not bring was not told, so it stays NULL.
    """
    clean = versioned.filter(pl.col("state") == "clean").select(SNAP)
    if clean.is_empty():
        return frame
    narrow = [piece.snap for piece in pieces if piece.full] if BLOCKS[root.block].narrow_in_full_check() else []
    carried = ~pl.col(SNAP).is_in(narrow)
    came = frame.with_columns(pl.lit(value=True).alias("came#"))
    kept = clean.join(came, on=SNAP, how="left", maintain_order="left")
    cells: list[pl.Expr] = []
    for column in root.columns:
        if not column.field.content:
            cells.append(pl.col(column.name))
            continue
        real = column.field.zero is Zero.REAL or isinstance(column.field.zero, UnknownBeside)
        if column.total and real:
            value = pl.lit(0)
        elif column.kind.form is Form.FLAG and len(column.getter) == 1:
            value = pl.when(pl.col("came#").is_null() | pl.col(column.name).is_not_null()).then(pl.lit(value=False))
        else:
            value = pl.lit(None)
        if not column.field.full_check:
            value = pl.when(carried).then(value)
        cells.append(value.cast(column.kind.frame).alias(column.name))
    others = frame.join(clean, on=SNAP, how="anti", maintain_order="left")
    return pl.concat([others, kept.select(SNAP, *cells)]).sort(SNAP)


def _assemble(
    answers: pl.DataFrame, pieces: list[Piece], work: _Working, bodies: pl.DataFrame, known: pl.DataFrame
) -> Batch:
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
    judged = pl.concat([judged_before(known), *work.judged])
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
