"""Sealed answers into the warehouse: transform, merge, version, compare, load, in one transaction."""

from dataclasses import dataclass, replace

import polars as pl

from innspect.extract.failpoints import reach
from innspect.flows.known_bodies import memory_of
from innspect.transforms.issues import UNREADABLE
from innspect.transforms.pipeline import Batch, transform
from innspect.transforms.versions.unreadable_cells import Unread
from innspect.transforms.versions.versioning import changed, changes, rounds, with_versions
from innspect.warehouse.database import Warehouse
from innspect.warehouse.load.load import Loaded, load, move_answers, not_loaded
from innspect.warehouse.load.lookups import known_rows, sound_rows, states_of, unread_before, versions_known


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of some answers: counts, and the snapshots (inn, block, method, state, reason)."""

    loaded: Loaded
    snapshots: pl.DataFrame
    drift: int = 0


def load_answers(warehouse: Warehouse, answers: pl.DataFrame, zone: str, ready: Batch | None = None) -> Outcome:
    """Load answers (frame of `ARCHIVE["answers"]` and `archive_file`) in one transaction.

    Those that are loaded already only name their file anew: it may be one that others were put together in. `ready` is
    what all of them say, where that is known. Raises `WarehouseError` or `DiskFull`; then nothing of them is loaded.
    """
    fresh = not_loaded(warehouse, answers)
    memory = memory_of(warehouse, zone)
    batch = ready if ready is not None and fresh.height == answers.height else transform(fresh, zone, memory)
    reach("before warehouse load")

    def work() -> Outcome:
        nonlocal fresh, batch
        if warehouse.is_shared and (still := not_loaded(warehouse, fresh)).height < fresh.height:
            # Others who read the same archive were quicker.
            fresh, batch = still, transform(still, zone)
        if fresh.height < answers.height:
            move_answers(warehouse, answers)
        outcome = load_batch(warehouse, batch)
        reach("before warehouse commit")
        return outcome

    outcome = warehouse.write(work)
    reach("after warehouse commit")
    if fresh.height < answers.height:
        loaded_before = answers.join(fresh, on="response_id", how="anti")
        return replace(outcome, snapshots=pl.concat([outcome.snapshots, states_of(warehouse, loaded_before)]))
    return outcome


def load_batch(warehouse: Warehouse, batch: Batch, *, is_new: bool = False) -> Outcome:
    """Load a transformed batch inside the caller's transaction, in rounds where answers build on one another.

    Of INNs of which there is nothing yet (`is_new`) nothing is looked up: in a large warehouse that takes longer than
    what is looked up is worth.
    """
    loaded = Loaded()
    for number, part in enumerate(rounds(batch)):
        loaded += _load_part(warehouse, part, is_new=is_new and number == 0)
    kept = batch.snapshots.select("inn", "block", "method", "state", "reason")
    return Outcome(loaded, kept, batch.drift.height)


def _load_part(warehouse: Warehouse, part: Batch, *, is_new: bool) -> Loaded:
    previous = versions_known(warehouse, part.snapshots.clear() if is_new else part.snapshots)
    standing = previous.join(part.merging, on=["inn", "block"], how="semi")
    versioned = with_versions(part, known_rows(warehouse, standing))
    return load(warehouse, versioned, _changes(warehouse, versioned, previous), is_new=is_new)


def _changes(warehouse: Warehouse, versioned: Batch, previous: pl.DataFrame) -> pl.DataFrame | None:
    """What differs from the versions before, with what could not be read in them and what was last read in full."""
    moved = changed(versioned, previous)
    if moved.is_empty():
        return None
    before = previous.join(moved, on=["inn", "block"], how="semi")
    cells = unread_before(warehouse, moved, UNREADABLE)
    sound = sound_rows(warehouse, cells.select("inn", "block").unique(), UNREADABLE)
    return changes(versioned, moved, known_rows(warehouse, before), Unread(old=cells, sound=sound))
