"""Load sealed archive files into the warehouse: responses through the transforms, records of runs as they are."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import polars as pl

from innspect.extract.archive.archive import decode_retained_rows
from innspect.extract.failpoints import failpoint
from innspect.extract.log_events import log_event
from innspect.flows.executors import RemoteBatch, split_with_digests
from innspect.flows.open_home import Stores
from innspect.flows.seal import RECORDS
from innspect.schemas.decoders import Conventions
from innspect.schemas.errors import ArchiveChanged
from innspect.schemas.frames import SNAP, Batch
from innspect.transforms.issues import UNREADABLE
from innspect.transforms.pipeline import transform
from innspect.transforms.versions.older_answers import withhold_older_answers
from innspect.transforms.versions.unreadable_cells import UnreadableCells
from innspect.transforms.versions.versioning import (
    add_base_versions,
    add_versions,
    changes,
    find_changed_versions,
    number_kept_rows,
    split_rounds,
)
from innspect.warehouse.database import Warehouse
from innspect.warehouse.latest import memory_for_inns
from innspect.warehouse.load.block_digests import find_unchanged_blocks
from innspect.warehouse.load.latest_responses import latest_rows, latest_versions
from innspect.warehouse.load.load import (
    LoadResult,
    insert_batch,
    loaded_response_files,
    select_unloaded,
    update_archive_files,
)
from innspect.warehouse.load.lookups import (
    find_unreadable_cells,
    last_readable_rows,
    snapshot_states,
    stored_rows,
    version_rows,
)
from innspect.warehouse.load.records import load_records, loaded_record_files

LOADING_MEGABYTES = 256
"""For DuckDB while responses are loaded: twice that of a rebuild, whose loads are larger."""
InterruptionCheck = Callable[[], None]
"""Called between steps; it may raise an exception that ends them. Statements of DuckDB are interrupted besides."""


def never_interrupt() -> None:
    """An `InterruptionCheck` without effect."""


@dataclass(frozen=True, slots=True)
class LoadOutcome:
    """Result of a load: row counts, the snapshots (inn, block, method, state, reason), and number of drift findings."""

    loaded: LoadResult
    snapshots: pl.DataFrame
    drift: int = 0


def loading_limit(warehouse: Warehouse) -> str | None:
    """The limit of DuckDB's memory while responses are loaded; None for a lake.

    It grows with very many INNs: a checkpoint that lacks memory makes the open warehouse unusable.
    """
    return None if warehouse.is_shared else memory_for_inns(warehouse.connection, LOADING_MEGABYTES)


def load_missing_files(stores: Stores, conventions: Conventions) -> int:
    """Load every archive file that the warehouse lacks, those of other homes too; the number of response files."""
    count = 0

    def load() -> None:
        nonlocal count
        loaded = loaded_response_files(stores.warehouse)
        missing = [file for file in stores.archive.files("answers") if file not in loaded]
        for _ in load_response_files(stores, missing, conventions):
            count += 1
        _load_missing_records(stores)

    while True:
        try:
            stores.warehouse.run_in_bounds(load, loading_limit(stores.warehouse), is_threaded=True)
        except ArchiveChanged:
            # Another home compacted files during the read: list them again.
            continue
        return count


def load_response_files(
    stores: Stores,
    files: Sequence[str],
    conventions: Conventions,
    check_interruption: InterruptionCheck = never_interrupt,
) -> Iterator[LoadOutcome]:
    """Load sealed files of responses, each in one transaction; a cluster transforms some files ahead.

    `check_interruption` is called between the steps of a load in this process, and may raise an exception to end it:
    nothing of the file is loaded then.
    """
    archive, executor = stores.archive, stores.compute
    pending: deque[tuple[str, bytes, RemoteBatch]] = deque()

    def load_first() -> LoadOutcome:
        file, content, batch = pending.popleft()
        responses = _with_file(decode_retained_rows(file, content, archive.tombstones), file)
        return load_responses(stores.warehouse, responses, conventions, batch.result())

    for file in files:
        if executor.is_local:
            responses = _with_file(archive.read_retained_rows(file), file)
            yield load_responses(stores.warehouse, responses, conventions, check_interruption=check_interruption)
            continue
        if len(pending) >= executor.max_pending:
            yield load_first()
        content = archive.read_bytes(file)
        pending.append((file, content, executor.submit([[(file, content, 0, None)]], archive.tombstones, conventions)))
    while pending:
        yield load_first()


def _with_file(responses: pl.DataFrame, file: str) -> pl.DataFrame:
    return responses.with_columns(pl.lit(file).alias("archive_file"))


def load_record_file(stores: Stores, kind: str, file: str, *, again: bool = False) -> None:
    """Load one sealed file of runs, calls, members or rejected lines; `again` loads it even if it is loaded already."""
    frame = stores.archive.read_retained_rows(file)
    replaced = [f"{kind}/{name}" for name in stores.archive.read_metadata(file).replaces]

    def load() -> None:
        # In a shared warehouse another home may have loaded this file, and a later one that overrides it.
        if again or not stores.warehouse.is_shared or file not in loaded_record_files(stores.warehouse):
            load_records(stores.warehouse, kind, frame, file, replaced)

    stores.warehouse.run_in_transaction(load)


def _load_missing_records(stores: Stores) -> None:
    loaded = loaded_record_files(stores.warehouse)
    for kind in RECORDS:
        again = False
        for file in stores.archive.files(kind):
            if again or file not in loaded:
                load_record_file(stores, kind, file, again=file in loaded)
                # A compacted file may hold older records than files that are loaded already: load those again after it.
                again = again or bool(stores.archive.read_metadata(file).replaces)


def transform_new_payloads(
    warehouse: Warehouse,
    responses: pl.DataFrame,
    conventions: Conventions,
    check_interruption: InterruptionCheck = never_interrupt,
) -> Batch:
    """Transform responses, except payloads that the warehouse received before with the same bytes.

    In a shared warehouse nothing is looked up: another home may load a newer version before this batch.
    """
    split = split_with_digests(responses, conventions)
    known = None if warehouse.is_shared else find_unchanged_blocks(warehouse, split.digests)
    return transform(split, conventions.zone, known, check_interruption)


def load_responses(
    warehouse: Warehouse,
    responses: pl.DataFrame,
    conventions: Conventions,
    batch: Batch | None = None,
    check_interruption: InterruptionCheck = never_interrupt,
) -> LoadOutcome:
    """Transform and load responses (frame of `ARCHIVE["answers"]` and `archive_file`) in one transaction.

    Of responses that are loaded already only `archive_file` is updated, because their file may have been compacted.
    `batch`: the transformed responses, if a cluster returned them. Raises WarehouseError or DiskFull; nothing is
    loaded then. So it is if `check_interruption`, which is called between steps, raises an exception.
    """
    new = select_unloaded(warehouse, responses)
    if batch is None or new.height < responses.height:
        batch = transform_new_payloads(warehouse, new, conventions, check_interruption)
    check_interruption()
    failpoint("before warehouse load")

    def load() -> LoadOutcome:
        nonlocal new, batch
        if warehouse.is_shared and (still_new := select_unloaded(warehouse, new)).height < new.height:
            # Another home has loaded some of them from the shared archive since.
            new, batch = still_new, None
        if new.height < responses.height:
            update_archive_files(warehouse, responses)
        outcome = load_batch(
            warehouse,
            batch or transform_new_payloads(warehouse, new, conventions, check_interruption),
            check_interruption=check_interruption,
        )
        failpoint("before warehouse commit")
        return outcome

    outcome = warehouse.run_in_transaction(load)
    failpoint("after warehouse commit")
    log_event(
        "responses.loaded",
        responses=new.height,
        snapshots=outcome.snapshots.height,
        new_versions=outcome.loaded.new_versions,
        changes=outcome.loaded.changes,
        quarantined=outcome.loaded.quarantined,
        drift=outcome.drift,
    )
    if new.height < responses.height:
        loaded_before = responses.join(new, on="response_id", how="anti")
        return replace(outcome, snapshots=pl.concat([outcome.snapshots, snapshot_states(warehouse, loaded_before)]))
    return outcome


def load_batch(
    warehouse: Warehouse,
    batch: Batch,
    *,
    is_new: bool = False,
    check_interruption: InterruptionCheck = never_interrupt,
) -> LoadOutcome:
    """Version and load a batch inside the caller's transaction, in rounds if snapshots follow one another.

    `is_new`: the warehouse has no rows of any of its INNs, so that nothing is looked up.
    """
    loaded, answered = LoadResult(), list[pl.DataFrame]()
    for number, part in enumerate(split_rounds(batch)):
        without_history = is_new and number == 0
        latest = latest_rows(warehouse, part.snapshots.clear() if without_history else part.snapshots)
        previous = latest_versions(latest)
        merged = previous.join(part.merges, on=["inn", "block"], how="semi")
        versioned = add_base_versions(add_versions(part, version_rows(warehouse, merged)), previous)
        versioned = withhold_older_answers(versioned, latest)
        answered.append(versioned.snapshots.select("inn", "block", "method", "state", "reason"))
        check_interruption()
        kept = versioned.snapshots.join(versioned.kept_rows, on=SNAP, how="semi").select("block", "version_id")
        versioned = number_kept_rows(versioned, stored_rows(warehouse, kept))
        changed = _find_changes(warehouse, versioned, previous)
        check_interruption()
        loaded += insert_batch(warehouse, versioned, latest, changed, is_new=without_history)
    return LoadOutcome(loaded, pl.concat(answered), batch.drift.height)


def _find_changes(warehouse: Warehouse, batch: Batch, previous: pl.DataFrame) -> pl.DataFrame | None:
    """Changes (`lineage.changes`) of a versioned batch against the versions before; None if there are none."""
    changed = find_changed_versions(batch, previous)
    if changed.is_empty():
        return None
    before = previous.join(changed, on=["inn", "block"], how="semi")
    cells = find_unreadable_cells(warehouse, changed, UNREADABLE)
    readable = last_readable_rows(warehouse, cells.select("inn", "block").unique(), UNREADABLE)
    unreadable = UnreadableCells(old=cells, readable_rows=readable)
    return changes(batch, changed, version_rows(warehouse, before), unreadable)
