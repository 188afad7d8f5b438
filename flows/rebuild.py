"""Rebuild the warehouse from the archive, offline and free of charge."""

from collections import deque
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import chain, groupby, islice
from operator import itemgetter

from innspect.extract.archive.archive import Archive
from innspect.extract.archive.file_format import ANSWERS
from innspect.extract.failpoints import failpoint
from innspect.flows.background_loader import BackgroundLoader, load_in_background
from innspect.flows.executors import Executor, FilePart, PendingBatch, open_executor, read_parts, split_with_digests
from innspect.flows.load import transform_new_payloads
from innspect.flows.seal import RECORDS
from innspect.schemas.decoders import Conventions
from innspect.schemas.frames import Batch
from innspect.schemas.settings import Settings
from innspect.transforms.pipeline import transform_portions
from innspect.warehouse.assessments.assess_runs import assess_runs
from innspect.warehouse.database import Warehouse
from innspect.warehouse.load.load import LoadResult
from innspect.warehouse.load.records import load_records
from innspect.warehouse.load.replace import allow_assessment, replace_warehouse
from innspect.warehouse.location import parse_location
from innspect.warehouse.risk.policy_store import date_first_use, store_policies

MAX_PORTION_ROWS = 2_000
MAX_PORTION_BYTES = 16 * 2**20
"""Responses, and bytes of their bodies, that are decoded at once: memory grows with them."""
MAX_ACCUMULATED_PORTIONS = 4
"""Portions that are columns at once: operations on columns have a cost per call."""


def rebuild_warehouse(settings: Settings, archive: Archive) -> tuple[LoadResult, int]:
    """Build a new warehouse and replace the old one; counts of rows, and the number of archive files.

    Raises ArchiveDamaged; the old warehouse remains then.
    """
    conventions = settings.conventions
    with (
        open_executor(settings.compute) as executor,
        load_in_background(_new_warehouse(settings, archive)) as loader,
    ):
        if executor.is_local:
            for batch, are_new in _transform_here(archive, conventions, loader):
                loader.add(batch, are_new=are_new)
        else:
            for batch in _transform_on_cluster(archive, conventions, executor):
                loader.add(batch, are_new=loader.register_inns(batch.responses))
        warehouse = loader.finish_loading()
        for kind in RECORDS:
            for file in archive.files(kind):
                load_records(warehouse, kind, archive.read_retained_rows(file), file)
                loader.files.add(file)
        date_first_use(warehouse.connection)
        allow_assessment(warehouse)
        assess_runs(warehouse)
    return loader.loaded, len(loader.files)


@contextmanager
def _new_warehouse(settings: Settings, archive: Archive) -> Generator[Warehouse]:
    """`replace_warehouse`, judged by the policies of the settings."""
    with replace_warehouse(parse_location(settings.warehouse), archive.where, failpoint) as warehouse:
        store_policies(warehouse.connection, settings.policies)
        yield warehouse


def _transform_here(
    archive: Archive, conventions: Conventions, loader: BackgroundLoader
) -> Iterator[tuple[Batch, bool]]:
    """Batches in the order of sealing, and whether all their INNs are new.

    Several portions of new INNs make one batch. A portion with a known INN makes its own batch, because its payloads
    are looked up in the warehouse.
    """
    responses = (read_parts(parts, archive.tombstones) for parts in split_into_portions(archive))
    registered = ((frame, loader.register_inns(frame)) for frame in responses)
    for are_new, group in groupby(registered, itemgetter(1)):
        frames = map(itemgetter(0), group)
        while (first := next(frames, None)) is not None:
            if are_new:
                portions = chain((first,), islice(frames, MAX_ACCUMULATED_PORTIONS - 1))
                del first
                split = (split_with_digests(frame, conventions) for frame in portions)
                yield transform_portions(split, conventions.zone), True
            else:
                yield transform_new_payloads(loader.finish_loading(), first, conventions), False


def _transform_on_cluster(archive: Archive, conventions: Conventions, executor: Executor) -> Iterator[Batch]:
    """Batches in the order of sealing, transformed ahead by the cluster. Raises ArchiveDamaged."""
    pending: deque[PendingBatch] = deque()
    for parts in split_into_portions(archive):
        if len(pending) >= executor.max_pending:
            yield pending.popleft().result()
        pending.append(executor.submit(parts, archive.tombstones, conventions))
    while pending:
        yield pending.popleft().result()


def split_into_portions(archive: Archive) -> Iterator[list[FilePart]]:
    """The archive's responses in the order of sealing: several small files, or some rows of a large one, at a time."""
    portion: list[FilePart] = []
    rows = size = 0
    for file in archive.files(ANSWERS):
        content = archive.read_bytes(file)
        for first, count, part_size in _split_rows(archive.read_columns(file, ["bytes"])["bytes"].to_list()):
            if portion and (rows + count > MAX_PORTION_ROWS or size + part_size > MAX_PORTION_BYTES):
                yield portion
                portion, rows, size = [], 0, 0
            portion.append((file, content, first, count))
            rows, size = rows + count, size + part_size
    if portion:
        yield portion


def _split_rows(sizes: list[int]) -> Iterator[tuple[int, int, int]]:
    """Rows of a file that fit into a portion: the first of them, their number, and their bytes."""
    first = part_size = 0
    for row, size in enumerate(sizes):
        if row > first and (part_size + size > MAX_PORTION_BYTES or row - first >= MAX_PORTION_ROWS):
            yield first, row - first, part_size
            first, part_size = row, 0
        part_size += size
    yield first, len(sizes) - first, part_size
