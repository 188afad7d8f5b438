"""Rebuild the warehouse from the archive, offline and free of charge."""

from collections import deque
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import polars as pl

from innspect.extract.archive.archive import Archive
from innspect.extract.archive.file_format import ANSWERS
from innspect.extract.failpoints import failpoint
from innspect.extract.home.tombstones import Tombstones
from innspect.flows.background_loader import BackgroundLoader, load_in_background
from innspect.flows.executors import (
    Executor,
    FilePart,
    PendingBatch,
    Portion,
    open_executor,
    read_parts,
    split_with_digests,
)
from innspect.flows.open_home import utc_now
from innspect.flows.seal import POLICIES, RECORDS, seal_policies
from innspect.schemas.decoders import Conventions
from innspect.schemas.frames import SNAP, Batch
from innspect.schemas.settings import Settings
from innspect.transforms.pipeline import transform_portions
from innspect.transforms.split import SplitResponses
from innspect.transforms.versions.versioning import hash_contents
from innspect.warehouse.assessments.assess_runs import assess_runs
from innspect.warehouse.assessments.store_risk import refresh_risk
from innspect.warehouse.database import Warehouse
from innspect.warehouse.links.refresh_links import refresh_links
from innspect.warehouse.load.load import LoadResult
from innspect.warehouse.load.records import load_records
from innspect.warehouse.load.replace import (
    ASSESSMENT_MEGABYTES,
    commit_part,
    end_loading,
    replace_warehouse,
    write_part,
)
from innspect.warehouse.location import parse_location
from innspect.warehouse.news.refresh_news import refresh_news
from innspect.warehouse.publish.lake_mirror import MIRROR
from innspect.warehouse.publish.replace_lake import replace_lake
from innspect.warehouse.risk.policy_store import date_first_use, read_used_policies_of, store_policies

MAX_PORTION_ROWS = 2_000
MAX_PORTION_BYTES = 16 * 2**20
"""Responses, and bytes of their bodies, that are decoded at once: memory grows with them."""
MAX_NEW_PORTIONS = 4
"""Portions of new INNs that are columns at once: operations on columns have a cost per call."""
MAX_KNOWN_PORTIONS = 16
MAX_ACCUMULATED_BYTES = 2 * MAX_PORTION_BYTES
"""The same of known INNs, and bytes of payloads with which a batch of them is full: most are usually unchanged."""
MAX_UNCOMMITTED_RECORDS = 100_000
"""Records with which a transaction ends: what DuckDB has not committed takes memory beyond its limit."""
PORTIONS_PER_TASK = 2
"""Portions of which a worker of a cluster makes one batch: one needs more CPU per response, four more memory."""


def rebuild_warehouse(settings: Settings, archive: Archive) -> tuple[LoadResult, int]:
    """Build a new warehouse and replace the old one; counts of rows, and the number of archive files.

    Raises ArchiveDamaged; the old warehouse remains then.
    """
    location = parse_location(settings.warehouse)
    used = read_used_policies_of(location) if isinstance(location, Path) else None
    if used is not None:
        seal_policies(archive, used)
    with (
        open_executor(settings.compute, map(archive.count_responses, archive.files(ANSWERS))) as executor,
        load_in_background(_new_warehouse(settings, archive)) as loader,
    ):
        for batch, are_new in _transform_archive(archive, settings, executor, loader):
            loader.add(batch, are_new=are_new)
        warehouse = loader.finish_loading()
        end_loading(warehouse)
        # Rows are only added here: where some are deleted, the limit has to grow with the INNs.
        limit = f"{ASSESSMENT_MEGABYTES}MB"
        loader.files |= write_part(warehouse, partial(_load_records, warehouse, archive), limit)
        for step in (assess_runs, refresh_risk, refresh_links, refresh_news):
            # Each begins again with what a broken attempt has committed.
            write_part(warehouse, partial(step, warehouse, partial(commit_part, warehouse)), limit)
    return loader.loaded, len(loader.files)


def _load_records(warehouse: Warehouse, archive: Archive) -> set[str]:
    """Load runs, calls, members and rejected lines; their files."""
    files = [(kind, file) for kind in RECORDS for file in archive.files(kind)]
    uncommitted = 0
    for kind, file in files:
        rows = archive.read_retained_rows(file)
        load_records(warehouse, kind, rows, file)
        uncommitted += rows.height
        if uncommitted >= MAX_UNCOMMITTED_RECORDS:
            commit_part(warehouse)
            uncommitted = 0
    # A policy that the archive does not know judges for the first time now; without any, since the earliest request.
    date_first_use(warehouse.connection, utc_now() if archive.files(POLICIES) else None)
    return {file for _, file in files}


@contextmanager
def _new_warehouse(settings: Settings, archive: Archive) -> Generator[Warehouse]:
    """A warehouse in a file that replaces the one of the settings, or a lake's rows; judged by their policies."""
    location = parse_location(settings.warehouse)
    if isinstance(location, Path):
        replacement = replace_warehouse(location, archive.where, failpoint)
    else:
        mirror = settings.published_folder / MIRROR
        replacement = replace_lake(location, archive.where, mirror, failpoint)
    with replacement as warehouse:
        store_policies(warehouse.connection, settings.policies)
        yield warehouse


class _NextPortion(NamedTuple):
    """Responses that are decoded at once, their INNs, and whether all of these are new."""

    parts: Portion
    inns: set[str]
    are_new: bool


@dataclass(slots=True)
class _ArchiveReader:
    """Reads the portions of an archive, in the order of sealing, for one batch after the other."""

    tombstones: Tombstones | None
    conventions: Conventions
    loader: BackgroundLoader
    portions: Iterator[tuple[Portion, pl.Series]]
    next: _NextPortion | None = None

    def advance(self) -> None:
        """Make the portion after `next` the next one; None after the last."""
        self.next = None
        for parts, inns in islice(self.portions, 1):
            self.next = _NextPortion(parts, set(inns.to_list()), self.loader.register_inns(inns))

    def take_new(self, count: int) -> Iterator[Portion]:
        """The next portions of new INNs, up to a number of them."""
        while count and self.next is not None and self.next.are_new:
            yield self.next.parts
            self.advance()
            count -= 1

    def read_new(self) -> Iterator[tuple[SplitResponses, None]]:
        """Responses of new INNs, for one batch. Raises ArchiveDamaged."""
        for parts in self.take_new(MAX_NEW_PORTIONS):
            yield self._split(parts), None

    def read_known(self) -> Iterator[tuple[SplitResponses, pl.DataFrame]]:
        """Responses of known INNs, with those of their payloads that are stored, for one batch. Raises ArchiveDamaged.

        No INN is in two of the portions, so what is stored before the batch is what its payloads are compared with.
        """
        inns: set[str] = set()
        portions = size = 0
        while self.next is not None and not self.next.are_new and inns.isdisjoint(self.next.inns):
            split = self._split(self.next.parts)
            known = self.loader.find_unchanged(self.next.inns, split.digests)
            size += _count_bytes(split, known)
            inns |= self.next.inns
            portions += 1
            self.advance()
            yield split, known
            if portions == MAX_KNOWN_PORTIONS or size >= MAX_ACCUMULATED_BYTES:
                return

    def _split(self, parts: Portion) -> SplitResponses:
        return split_with_digests(read_parts(parts, self.tombstones), self.conventions)


def _transform_archive(
    archive: Archive, settings: Settings, executor: Executor, loader: BackgroundLoader
) -> Iterator[tuple[Batch, bool]]:
    """Batches in the order of sealing, and whether all their INNs are new. Raises ArchiveDamaged.

    A cluster transforms new INNs. Portions with a known INN stay in this process, which looks up their payloads in the
    warehouse: most of them are usually unchanged.
    """
    reader = _ArchiveReader(archive.tombstones, settings.conventions, loader, split_into_portions(archive))
    pending: deque[PendingBatch] = deque()
    reader.advance()
    while reader.next is not None:
        are_new, zone = reader.next.are_new, settings.conventions.zone
        if are_new and not executor.is_local:
            if len(pending) >= executor.max_pending:
                yield pending.popleft().result(), True
            task = list(reader.take_new(PORTIONS_PER_TASK))
            pending.append(executor.submit(task, archive.tombstones, settings.conventions))
            continue
        while pending:
            yield pending.popleft().result(), True
        batch = transform_portions(reader.read_new() if are_new else reader.read_known(), zone)
        # Batches of workers, which are hashed, may be loaded together with this one.
        yield batch if executor.is_local else hash_contents(batch), are_new
    while pending:
        yield pending.popleft().result(), True


def _count_bytes(split: SplitResponses, known: pl.DataFrame) -> int:
    """Bytes of the payloads that are to be transformed."""
    skipped = set(known[SNAP].to_list())
    return sum(len(payload.raw or b"") for payload in split.payloads if payload.snap not in skipped)


def split_into_portions(archive: Archive) -> Iterator[tuple[Portion, pl.Series]]:
    """The archive's responses in the order of sealing, with their INNs.

    A portion is several small files, or some rows of a large one.
    """
    portion: list[FilePart] = []
    inns: list[pl.Series] = []
    rows = size = 0
    for file in archive.files(ANSWERS):
        content, columns = archive.read_bytes(file), archive.read_columns(file, ["inn", "bytes"])
        for first, count, part_size in _split_rows(columns["bytes"].to_list()):
            if portion and (rows + count > MAX_PORTION_ROWS or size + part_size > MAX_PORTION_BYTES):
                yield portion, pl.concat(inns)
                portion, inns, rows, size = [], [], 0, 0
            portion.append((file, content, first, count))
            inns.append(columns["inn"].slice(first, count))
            rows, size = rows + count, size + part_size
    if portion:
        yield portion, pl.concat(inns)


def _split_rows(sizes: list[int]) -> Iterator[tuple[int, int, int]]:
    """Rows of a file that fit into a portion: the first of them, their number, and their bytes."""
    first = part_size = 0
    for row, size in enumerate(sizes):
        if row > first and (part_size + size > MAX_PORTION_BYTES or row - first >= MAX_PORTION_ROWS):
            yield first, row - first, part_size
            first, part_size = row, 0
        part_size += size
    yield first, len(sizes) - first, part_size
