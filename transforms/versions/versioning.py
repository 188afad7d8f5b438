"""Versions and changes of a batch: what depends on the content that was known before."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

import polars as pl

from innspect.schemas.catalogue import FULL_CHECK
from innspect.schemas.column_names import ROW_KEY
from innspect.schemas.frames import SNAP, Batch
from innspect.schemas.lineage import CHANGES
from innspect.schemas.states import EVIDENCE, SnapshotState
from innspect.schemas.tables import Table, tables_of
from innspect.schemas.tables import tables as all_tables
from innspect.transforms.issues import UNREADABLE
from innspect.transforms.pipeline import aggregate_drift
from innspect.transforms.versions.changes import change_rows, differences
from innspect.transforms.versions.content_hash import canonical_text, content_hashes, identifiers
from innspect.transforms.versions.merge import merge
from innspect.transforms.versions.row_matching import match_rows
from innspect.transforms.versions.unreadable_cells import CELLS, UnreadableCells


def split_rounds(batch: Batch) -> list[Batch]:
    """Split the batch into parts, in order of `asked_at`, with at most one version of each INN and block per part."""
    evidence = batch.snapshots.filter(pl.col("state").is_in(EVIDENCE))
    if not evidence.select("inn", "block").is_duplicated().any():
        return [batch]
    order = evidence.sort("asked_at", SNAP)
    number = order.select(SNAP, pl.int_range(pl.len()).over("inn", "block").alias("round"))
    rounds = batch.snapshots.select(SNAP).join(number, on=SNAP, how="left").with_columns(pl.col("round").fill_null(0))
    return [
        _part(batch, rounds.filter(pl.col("round") == number).select(SNAP), is_first=number == 0)
        for number in range(int(str(rounds["round"].max())) + 1)
    ]


def concat_batches(batches: Sequence[Batch]) -> Batch:
    """Several batches as one, in their order."""
    if len(batches) == 1:
        return batches[0]
    starts = list(accumulate((batch.snapshots.height for batch in batches[:-1]), initial=0))

    def concat(frames: Iterable[pl.DataFrame]) -> pl.DataFrame:
        renumbered = [
            frame.with_columns((pl.col(SNAP) + start).cast(pl.UInt32))
            for frame, start in zip(frames, starts, strict=True)
        ]
        return pl.concat(renumbered)

    empty = {name: frame.clear() for batch in batches for name, frame in batch.rows.items()}
    return Batch(
        responses=pl.concat([batch.responses for batch in batches]),
        snapshots=concat(batch.snapshots.drop("response") for batch in batches),
        rows={name: concat(batch.rows.get(name, none) for batch in batches) for name, none in empty.items()},
        violations=concat(batch.violations for batch in batches),
        quarantine=concat(batch.quarantine for batch in batches),
        drift=aggregate_drift(pl.concat([batch.drift for batch in batches])),
        received_rows=concat(batch.received_rows for batch in batches),
        merges=concat(batch.merges for batch in batches),
        digests=concat(batch.digests for batch in batches),
    )


def _part(batch: Batch, snaps: pl.DataFrame, *, is_first: bool) -> Batch:
    def select(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.join(snaps, on=SNAP, how="semi", maintain_order="left")

    return replace(
        batch,
        responses=batch.responses if is_first else batch.responses.clear(),
        snapshots=select(batch.snapshots),
        rows={name: select(frame) for name, frame in batch.rows.items()},
        violations=select(batch.violations),
        quarantine=select(batch.quarantine),
        drift=batch.drift if is_first else batch.drift.clear(),
        received_rows=select(batch.received_rows),
        merges=select(batch.merges),
        digests=select(batch.digests),
    )


def hash_contents(batch: Batch) -> Batch:
    """Add `content_hash` and `version_id` to the snapshots, without merging."""
    hashes: list[pl.DataFrame] = [pl.DataFrame(schema={SNAP: pl.UInt32, "content_hash": pl.String})]
    for block in batch.snapshots["block"].unique(maintain_order=True).to_list():
        if block in batch.rows:
            tables = tables_of(block)
            hashes.append(content_hashes(canonical_text(tables, {t.name: batch.rows[t.name] for t in tables})))
    snapshots = batch.snapshots.join(pl.concat(hashes), on=SNAP, how="left", maintain_order="left")
    snapshots = snapshots.with_columns(pl.lit(None, dtype=pl.String).alias("base_version_id"))
    return replace(batch, snapshots=_with_version_ids(snapshots))


def add_base_versions(batch: Batch, previous: pl.DataFrame) -> Batch:
    """Add to merged snapshots the version that they were merged with, so that what it kept has evidence too.

    `previous`: `inn`, `block`, `version_id` of the latest versions before this batch. None if the version is the same:
    it has the evidence of its other snapshots.
    """
    bases = batch.merges.join(previous, on=["inn", "block"], how="inner").select(
        SNAP, pl.col("version_id").alias("base_version_id")
    )
    snapshots = batch.snapshots.update(bases, on=SNAP, maintain_order="left")
    is_other = pl.col("base_version_id") != pl.col("version_id")
    return replace(
        batch, snapshots=snapshots.with_columns(pl.when(is_other).then("base_version_id").alias("base_version_id"))
    )


def _with_version_ids(snapshots: pl.DataFrame) -> pl.DataFrame:
    version_id = identifiers(snapshots, "inn", "block", "content_hash")
    return snapshots.with_columns(pl.coalesce(version_id, "known_version_id").alias("version_id"))


def add_versions(batch: Batch, known: Mapping[str, pl.DataFrame]) -> Batch:
    """The batch with its versions: incomplete snapshots merged with `known`, all contents hashed.

    `known`: by table, the rows of the latest versions of the (inn, block) pairs in `batch.merges`, with `inn` instead
    of `snap`; a block without known rows may be absent. Of `merges` only the merged snapshots are kept.
    """
    batch = batch if "version_id" in batch.snapshots.columns else hash_contents(batch)
    rows = dict(batch.rows)
    merged: list[pl.DataFrame] = [batch.merges.clear()]
    hashes: list[pl.DataFrame] = []
    kept: list[pl.DataFrame] = []
    for block in batch.merges["block"].unique(maintain_order=True).to_list():
        if block not in known:
            continue
        tables = tables_of(block)
        of_block = batch.merges.filter(pl.col("block") == block)
        merges = of_block.join(known[block].select("inn").unique(), on="inn", how="semi", maintain_order="left")
        if merges.is_empty():
            continue
        merged.append(merges)
        new = {t.name: rows[t.name].join(merges, on=SNAP, how="semi", maintain_order="left") for t in tables}
        new, kept_rows = merge(tables, new, _by_snap(tables, rows, merges, known), merges)
        kept.append(kept_rows)
        hashes.append(content_hashes(canonical_text(tables, new)))
        for table in tables:
            others = rows[table.name].join(merges, on=SNAP, how="anti", maintain_order="left")
            rows[table.name] = pl.concat([others, new[table.name]]).sort(SNAP, maintain_order=True)
    if not hashes:
        return replace(batch, merges=merged[0])
    snapshots = batch.snapshots.drop("version_id").update(pl.concat(hashes), on=SNAP, maintain_order="left")
    kept_rows = _without_absent_lists(pl.concat(kept), snapshots)
    snapshots = _with_version_ids(snapshots)
    return replace(batch, rows=rows, snapshots=snapshots, merges=pl.concat(merged), kept_rows=kept_rows)


def _without_absent_lists(kept_rows: pl.DataFrame, snapshots: pl.DataFrame) -> pl.DataFrame:
    """The kept rows; one entry with `row_no` NULL for all rows of a list that the snapshot's method does not carry."""
    names = [name for name, table in all_tables().items() if not table.in_full_check]
    narrow = snapshots.filter(pl.col("method") == FULL_CHECK)[SNAP]
    is_absent = pl.col("table_name").is_in(names) & pl.col(SNAP).is_in(narrow.implode())
    row_no = pl.when(~is_absent).then("row_no").alias("row_no")
    return kept_rows.with_columns(row_no).unique(maintain_order=True)


def number_kept_rows(batch: Batch, stored: Mapping[str, pl.DataFrame]) -> Batch:
    """Give kept rows the ordinals of the stored rows, where their version is stored already with its rows in any order.

    `stored`: by table, the rows of these versions, with `inn` instead of `snap`.
    """
    found: list[pl.DataFrame] = []
    for name in batch.kept_rows["table_name"].unique(maintain_order=True).to_list():
        table, of_table = all_tables()[name], batch.kept_rows.filter(pl.col("table_name") == name)
        if name not in stored or not table.own_ordinal:
            found.append(of_table)
            continue
        tables = tables_of(table.block)
        snaps = batch.snapshots.join(of_table, on=SNAP, how="semi").select(SNAP, "inn")
        snaps = snaps.join(stored[name].select("inn").unique(), on="inn", how="semi")
        own = {t.name: batch.rows[t.name].join(snaps, on=SNAP, how="semi", maintain_order="left") for t in tables}
        rows, stored_rows = match_rows(tables, table, own, _by_snap(tables, batch.rows, snaps, stored), None)
        number, key = pl.col(table.own_ordinal).cast(pl.Int64), [SNAP, ROW_KEY]
        numbers = rows.select(*key, number.alias("row_no")).join(
            stored_rows.select(*key, number.alias("stored_no")), on=key, how="inner"
        )
        renumbered = of_table.join(numbers, on=[SNAP, "row_no"], how="left", maintain_order="left")
        found.append(renumbered.select(SNAP, "table_name", pl.coalesce("stored_no", "row_no").alias("row_no")))
    return replace(batch, kept_rows=pl.concat([batch.kept_rows.clear(), *found]))


def find_changed_versions(batch: Batch, previous: pl.DataFrame) -> pl.DataFrame:
    """The snapshots (`snap`, `inn`, `block`, `was_complete`, `is_complete`) whose version is not that known before.

    `previous`: `inn`, `block`, `version_id` of the latest versions before this batch, and `whole`, whether any snapshot
    before was found or clean (true if the column is absent). A first version is not a change.
    """
    was_complete = pl.col("whole") if "whole" in previous.columns else pl.lit(value=True)
    before = previous.select("inn", "block", pl.col("version_id").alias("before"), was_complete.alias("was_complete"))
    joined = batch.snapshots.filter(pl.col("version_id").is_not_null()).join(before, on=["inn", "block"], how="inner")
    is_complete = pl.col("state") != SnapshotState.PARTIAL
    changed = joined.filter(pl.col("version_id") != pl.col("before"))
    return changed.select(SNAP, "inn", "block", "was_complete", is_complete.alias("is_complete"))


def changes(
    batch: Batch,
    changed: pl.DataFrame,
    known: Mapping[str, pl.DataFrame],
    unreadable: UnreadableCells | None = None,
) -> pl.DataFrame:
    """Rows of `lineage.changes` for the snapshots of `find_changed_versions`.

    `known`: rows of their former versions, with `inn` instead of `snap`. `unreadable`: unreadable cells of those
    versions (`inn` and `block` instead of `snap`), and the rows of the last versions without any.
    """
    found: list[pl.DataFrame] = []
    for block in changed["block"].unique(maintain_order=True).to_list():
        tables = tables_of(block)
        snaps = changed.filter(pl.col("block") == block)
        new = {t.name: batch.rows[t.name].join(snaps, on=SNAP, how="semi", maintain_order="left") for t in tables}
        old = _by_snap(tables, batch.rows, snaps, known)
        cells = _unreadable_of_block(batch, tables, snaps, unreadable)
        found.append(differences(tables, old, new, snaps.filter(~pl.col("was_complete")), cells))
    return change_rows(pl.concat(found), batch.snapshots) if found else pl.DataFrame(schema=CHANGES.schema())


def _unreadable_of_block(
    batch: Batch, tables: tuple[Table, ...], snaps: pl.DataFrame, before: UnreadableCells | None
) -> UnreadableCells:
    """The unreadable cells of one block's snapshots and of the versions before them."""
    violations = batch.violations.filter(pl.col("rule").is_in(UNREADABLE)).join(snaps, on=SNAP, how="semi")
    new = violations.select(list(CELLS))
    if before is None or before.old.is_empty():
        return UnreadableCells(new)
    old = before.old.join(snaps.select(SNAP, "inn", "block"), on=["inn", "block"], how="inner").select(list(CELLS))
    has_readable = tables[0].name in before.readable_rows
    readable = _by_snap(tables, batch.rows, snaps, before.readable_rows) if has_readable else {}
    return UnreadableCells(new, old, readable)


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
