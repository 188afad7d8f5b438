"""Sealed answers into the warehouse: transform, merge, version, compare, load, in one transaction."""

from dataclasses import dataclass

import polars as pl

from extract.fault_points import reach
from transforms.batch import Batch, transform
from transforms.findings import UNREADABLE
from transforms.unread import Unread
from transforms.versions import changed, changes, rounds, with_versions
from warehouse.known import known_rows, sound_rows, unread_before, versions_known
from warehouse.load import Loaded, load, move_answers, not_loaded
from warehouse.store import Warehouse


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of some answers: counts, and the snapshots (inn, block, method, state, reason)."""

    loaded: Loaded
    snapshots: pl.DataFrame
    drift: int = 0


def load_answers(warehouse: Warehouse, answers: pl.DataFrame, zone: str) -> Outcome:
    """Load answers (frame of `ARCHIVE["answers"]` and `archive_file`) in one transaction.

    Those that are loaded already only name their file anew: it may be one that others were put together in. Raises
    `WarehouseError` or `DiskFull`; then nothing of them is loaded.
    """
    fresh = not_loaded(warehouse, answers)
    batch = transform(fresh, zone)
    reach("before warehouse load")
    with warehouse.transaction():
        if fresh.height < answers.height:
            move_answers(warehouse, answers)
        outcome = load_batch(warehouse, batch)
        reach("before warehouse commit")
    reach("after warehouse commit")
    return outcome


def load_batch(warehouse: Warehouse, batch: Batch) -> Outcome:
    """Load a transformed batch inside the caller's transaction, in rounds where answers build on one another."""
    loaded = Loaded()
    for part in rounds(batch):
        loaded += _load_part(warehouse, part)
    kept = batch.snapshots.select("inn", "block", "method", "state", "reason")
    return Outcome(loaded, kept, batch.drift.height)


def _load_part(warehouse: Warehouse, part: Batch) -> Loaded:
    pairs = part.snapshots.select("inn", "block").unique(maintain_order=True)
    previous = versions_known(warehouse, pairs)
    versioned = with_versions(part, known_rows(warehouse, part.merging))
    moved = changed(versioned, previous)
    found = changes(versioned, moved, known_rows(warehouse, moved), _unread(warehouse, moved))
    return load(warehouse, versioned, found)


def _unread(warehouse: Warehouse, moved: pl.DataFrame) -> Unread:
    """What could not be read in the latest versions of these pairs, and what was last read in full."""
    cells = unread_before(warehouse, moved, UNREADABLE)
    return Unread(old=cells, sound=sound_rows(warehouse, cells.select("inn", "block").unique(), UNREADABLE))
