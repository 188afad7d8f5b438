"""From a batch to versions: what depends on what was known before, and what changed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

import polars as pl

from innspect.schemas.lineage import CHANGES
from innspect.schemas.tables import Table, tables_of
from innspect.transforms.coverage import VERSIONED
from innspect.transforms.flatten.columns import SNAP
from innspect.transforms.issues import UNREADABLE
from innspect.transforms.pipeline import Batch, drift_once
from innspect.transforms.versions.changes import change_rows, differences
from innspect.transforms.versions.content_hash import canonical, hashes, identifiers
from innspect.transforms.versions.merge import merge
from innspect.transforms.versions.unreadable_cells import CELL, Unread


def rounds(batch: Batch) -> list[Batch]:
    """The batch in parts in which no version depends on another of the same part, in the order of asking."""
    order = batch.snapshots.filter(pl.col("state").is_in(VERSIONED)).sort("asked_at", SNAP)
    turn = order.select(SNAP, pl.int_range(pl.len()).over("inn", "block").alias("turn"))
    if turn.is_empty() or turn["turn"].max() == 0:
        return [batch]
    turns = batch.snapshots.select(SNAP).join(turn, on=SNAP, how="left").with_columns(pl.col("turn").fill_null(0))
    return [
        _part(batch, turns.filter(pl.col("turn") == number).select(SNAP), first=number == 0)
        for number in range(int(str(turns["turn"].max())) + 1)
    ]


def together(batches: Sequence[Batch]) -> Batch:
    """Several batches as one, in their order: what is done once a batch is done once for all of them."""
    if len(batches) == 1:
        return batches[0]
    starts = list(accumulate((one.snapshots.height for one in batches[:-1]), initial=0))

    def all_of(frames: Iterable[pl.DataFrame]) -> pl.DataFrame:
        moved = [
            frame.with_columns((pl.col(SNAP) + start).cast(pl.UInt32))
            for frame, start in zip(frames, starts, strict=True)
        ]
        return pl.concat(moved)

    names = dict.fromkeys(name for one in batches for name in one.rows)
    empty = {name: frame.clear() for one in batches for name, frame in one.rows.items()}
    return Batch(
        answers=pl.concat([one.answers for one in batches]),
        snapshots=all_of(one.snapshots.drop("answer") for one in batches),
        rows={name: all_of(one.rows.get(name, empty[name]) for one in batches) for name in names},
        violations=all_of(one.violations for one in batches),
        quarantine=all_of(one.quarantine for one in batches),
        drift=drift_once(pl.concat([one.drift for one in batches])),
        came=all_of(one.came for one in batches),
        bodies=all_of(one.bodies for one in batches),
        merging=all_of(one.merging for one in batches),
    )


def _part(batch: Batch, snaps: pl.DataFrame, *, first: bool) -> Batch:
    def of(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.join(snaps, on=SNAP, how="semi", maintain_order="left")

    return replace(
        batch,
        answers=batch.answers if first else batch.answers.clear(),
        snapshots=of(batch.snapshots),
        rows={name: of(frame) for name, frame in batch.rows.items()},
        violations=of(batch.violations),
        quarantine=of(batch.quarantine),
        drift=batch.drift if first else batch.drift.clear(),
        came=of(batch.came),
        bodies=of(batch.bodies),
        merging=of(batch.merging),
    )


def hashed(batch: Batch) -> Batch:
    """The batch with the versions that its answers make by themselves: `content_hash`, `version_id` of snapshots."""
    found: list[pl.DataFrame] = [pl.DataFrame(schema={SNAP: pl.UInt32, "content_hash": pl.String})]
    for block in batch.snapshots["block"].unique(maintain_order=True).to_list():
        tables = tables_of(block)
        if block not in batch.rows:
            continue
        found.append(hashes(canonical(tables, {table.name: batch.rows[table.name] for table in tables})))
    snapshots = batch.snapshots.join(pl.concat(found), on=SNAP, how="left", maintain_order="left")
    return replace(batch, snapshots=_identified(snapshots))


def _identified(snapshots: pl.DataFrame) -> pl.DataFrame:
    made = identifiers(snapshots, "inn", "block", "content_hash")
    return snapshots.with_columns(pl.coalesce(made, "recalled").alias("version_id"))


def with_versions(batch: Batch, known: Mapping[str, pl.DataFrame]) -> Batch:
    """The batch with its versions: partial answers merged over `known`, every content hashed.

    `known` holds, by table, the rows of the latest versions of (inn, block) pairs in `batch.merging`, with `inn` in
    place of `snap`; blocks of which nothing is known may be left out. Adds `content_hash` and `version_id` to the
    snapshots, where `hashed` has not done so, and keeps as merging those that were merged.
    """
    batch = batch if "version_id" in batch.snapshots.columns else hashed(batch)
    rows = dict(batch.rows)
    merged: list[pl.DataFrame] = [batch.merging.clear()]
    contents: list[pl.DataFrame] = [pl.DataFrame(schema={SNAP: pl.UInt32, "content_hash": pl.String})]
    for block in batch.merging["block"].unique(maintain_order=True).to_list():
        tables = tables_of(block)
        if block not in known:
            continue
        of_block = batch.merging.filter(pl.col("block") == block)
        merging = of_block.join(known[block].select("inn").unique(), on="inn", how="semi", maintain_order="left")
        if merging.is_empty():
            continue
        merged.append(merging)
        own = _merged(tables, rows, merging, known)
        contents.append(hashes(canonical(tables, own)))
        for table in tables:
            others = rows[table.name].join(merging, on=SNAP, how="anti", maintain_order="left")
            rows[table.name] = pl.concat([others, own[table.name]]).sort(SNAP, maintain_order=True)
    if len(contents) == 1:
        return replace(batch, merging=merged[0])
    snapshots = (
        batch.snapshots.drop("version_id")
        .join(pl.concat(contents), on=SNAP, how="left", maintain_order="left", suffix="#")
        .with_columns(pl.coalesce("content_hash#", "content_hash").alias("content_hash"))
        .drop("content_hash#")
    )
    return replace(batch, rows=rows, snapshots=_identified(snapshots), merging=pl.concat(merged))


def _merged(
    tables: tuple[Table, ...], rows: dict[str, pl.DataFrame], merging: pl.DataFrame, known: Mapping[str, pl.DataFrame]
) -> dict[str, pl.DataFrame]:
    """The rows of these snapshots over what is known."""
    own = {t.name: rows[t.name].join(merging, on=SNAP, how="semi", maintain_order="left") for t in tables}
    return merge(tables, own, _by_snap(tables, rows, merging, known))


def changed(batch: Batch, previous: pl.DataFrame) -> pl.DataFrame:
    """The snapshots (`snap`, `inn`, `block`, `first_whole`) whose version differs from the one that was known.

    `previous`: `inn`, `block`, `version_id` of the latest versions before this batch, and `whole`, whether any answer
    before was found or clean (taken for true where there is no such column). First versions are not among the
    snapshots: they change nothing.
    """
    whole = pl.col("whole") if "whole" in previous.columns else pl.lit(value=True)
    before = previous.select("inn", "block", pl.col("version_id").alias("before"), whole.alias("whole"))
    joined = batch.snapshots.filter(pl.col("version_id").is_not_null()).join(before, on=["inn", "block"], how="inner")
    first = pl.col("whole").not_() & (pl.col("state") != "partial")
    moved = joined.filter(pl.col("version_id") != pl.col("before"))
    return moved.select(SNAP, "inn", "block", first.alias("first_whole"))


def changes(
    batch: Batch, of: pl.DataFrame, known: Mapping[str, pl.DataFrame], unread: Unread | None = None
) -> pl.DataFrame:
    """Rows of `lineage.changes` for the snapshots of `changed`; `known` holds rows of their former versions by INN.

    `unread`: what could not be read in those versions (`inn` and `block` in place of `snap`), and the rows of the last
    versions of these INNs in which all could.
    """
    found: list[pl.DataFrame] = []
    for block in of["block"].unique(maintain_order=True).to_list():
        tables = tables_of(block)
        snaps = of.filter(pl.col("block") == block)
        new = {t.name: batch.rows[t.name].join(snaps, on=SNAP, how="semi", maintain_order="left") for t in tables}
        first_whole = snaps.filter("first_whole")
        old = _by_snap(tables, batch.rows, snaps, known)
        found.append(differences(tables, old, new, first_whole, _unread(batch, tables, snaps, unread)))
    return change_rows(pl.concat(found), batch.snapshots) if found else pl.DataFrame(schema=CHANGES.schema())


def _unread(batch: Batch, tables: tuple[Table, ...], snaps: pl.DataFrame, before: Unread | None) -> Unread:
    """The unreadable cells of one block's snapshots and of the versions before them."""
    lost = batch.violations.filter(pl.col("rule").is_in(UNREADABLE)).join(snaps, on=SNAP, how="semi")
    new = lost.select(list(CELL))
    if before is None or before.old.is_empty():
        return Unread(new)
    old = before.old.join(snaps.select(SNAP, "inn", "block"), on=["inn", "block"], how="inner").select(list(CELL))
    sound = _by_snap(tables, batch.rows, snaps, before.sound) if tables[0].name in before.sound else {}
    return Unread(new, old, sound)


def _by_snap(
    tables: tuple[Table, ...], rows: dict[str, pl.DataFrame], snaps: pl.DataFrame, known: Mapping[str, pl.DataFrame]
) -> dict[str, pl.DataFrame]:
    """Known rows under the numbers of the snapshots that follow them."""
    return {
        table.name: known[table.name]
        .join(snaps.select("inn", SNAP), on="inn", how="inner", maintain_order="left")
        .select(rows[table.name].columns)
        for table in tables
    }
