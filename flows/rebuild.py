"""The command `rebuild`: a new warehouse from the archive, offline and free, in place of the old one."""

import json as json_text
from collections import deque
from collections.abc import Iterator
from itertools import chain, groupby, islice
from operator import itemgetter
from time import monotonic

import typer

from innspect.cli._console import console
from innspect.cli._options import Given
from innspect.extract.archive.archive import Archive
from innspect.extract.archive.file_format import ANSWERS
from innspect.extract.failpoints import reach
from innspect.flows.background_loader import Filling, filling
from innspect.flows.executors import Coming, Compute, Part, answers_of, computing
from innspect.flows.open_home import archive_of, archive_there, held
from innspect.flows.recovery import RECORDS
from innspect.schemas.settings import Settings
from innspect.transforms.pipeline import Batch, transform, transform_all
from innspect.warehouse.load.load import Loaded
from innspect.warehouse.load.records import load_records
from innspect.warehouse.load.replace import renewed
from innspect.warehouse.location import warehouse_at

PORTION_ROWS = 2_000
PORTION_BYTES = 16 * 2**20
"""Up to so many answers, or so many bytes of bodies, are objects at once: memory goes with it."""
GATHERED_PORTIONS = 4
"""Up to so many portions are columns at once: what is done with columns costs by the call."""


def rebuild(given: Given) -> int:
    """Rebuild, and replace the old warehouse when the new one is complete.

    Raises ArchiveDamaged where a file does not have the bytes that were sealed; the old warehouse stays then.
    """
    settings = given.settings()
    archive_there(settings)
    begun, where = monotonic(), warehouse_at(settings.warehouse)
    with held(settings):
        loaded, files = rebuilt(settings, archive_of(settings))
    facts = {
        "files": files,
        "snapshots": loaded.snapshots,
        "versions": loaded.new_versions,
        "core_rows": loaded.core_rows,
        "changes": loaded.changes,
        "violations": loaded.violations,
        "quarantined": loaded.quarantined,
        "warehouse": str(where),
        "seconds": round(monotonic() - begun, 2),
    }
    if given.json:
        typer.echo(json_text.dumps(facts, ensure_ascii=False))
    else:
        console().print(
            f"Rebuilt {where} from {files} archive files in {facts['seconds']} s: {loaded.new_versions} "
            f"versions, {loaded.core_rows} rows, {loaded.changes} changes.",
            soft_wrap=True,
        )
    return 0


def rebuilt(settings: Settings, archive: Archive) -> tuple[Loaded, int]:
    """Build a new warehouse in place of the old one; what was loaded, and from how many files."""
    where, zone = warehouse_at(settings.warehouse), settings.source_timezone
    with (
        computing(settings.compute) as compute,
        filling(renewed(where, archive.where, reach), zone) as new,
    ):
        if compute.is_here:
            for batch, is_new in _batches(archive, zone, new):
                new.add(batch, is_new=is_new)
        else:
            for batch in transformed(archive, zone, compute):
                new.add(batch, is_new=new.meets(batch.answers))
        warehouse = new.settled()
        for kind in RECORDS:
            for file in archive.files(kind):
                load_records(warehouse, kind, archive.kept(file), file)
                new.files.add(file)
    return new.loaded, len(new.files)


def _batches(archive: Archive, zone: str, new: Filling) -> Iterator[tuple[Batch, bool]]:
    """The archive's answers as batches, in the order of sealing, and whether their INNs are all new.

    Of such INNs several portions are gathered. An INN that came before is looked up, so its portion stands alone.
    """
    answers = (answers_of(parts, archive.tombstones) for parts in portions(archive))
    met = ((frame, new.meets(frame)) for frame in answers)
    for is_new, run in groupby(met, itemgetter(1)):
        frames = map(itemgetter(0), run)
        while (first := next(frames, None)) is not None:
            if is_new:
                several = chain((first,), islice(frames, GATHERED_PORTIONS - 1))
                del first
                yield transform_all(several, zone, new.memory(is_new=True)), True
            else:
                yield transform(first, zone, new.memory(is_new=False)), False


def transformed(archive: Archive, zone: str, compute: Compute) -> Iterator[Batch]:
    """The archive's answers as batches with versions, made on the cluster, in the order of sealing.

    While one is being loaded others are made. Raises ArchiveDamaged.
    """
    under_way: deque[Coming] = deque()
    for parts in portions(archive):
        if len(under_way) >= compute.width:
            yield under_way.popleft().result()
        under_way.append(compute.submit(parts, archive.tombstones, zone))
    while under_way:
        yield under_way.popleft().result()


def portions(archive: Archive) -> Iterator[list[Part]]:
    """The archive's answers in the order of sealing: some small files, or some rows of a large one, at a time."""
    waiting: list[Part] = []
    rows = size = 0
    for file in archive.files(ANSWERS):
        content = archive.content(file)
        for first, count, bulk in _slices(archive.columns(file, ["bytes"])["bytes"].to_list()):
            if waiting and (rows + count > PORTION_ROWS or size + bulk > PORTION_BYTES):
                yield waiting
                waiting, rows, size = [], 0, 0
            waiting.append((file, content, first, count))
            rows, size = rows + count, size + bulk
    if waiting:
        yield waiting


def _slices(sizes: list[int]) -> Iterator[tuple[int, int, int]]:
    """Rows of a file that make a portion at most: the first of them, how many, and their bytes."""
    first = bulk = 0
    for row, size in enumerate(sizes):
        if row > first and (bulk + size > PORTION_BYTES or row - first >= PORTION_ROWS):
            yield first, row - first, bulk
            first, bulk = row, 0
        bulk += size
    yield first, len(sizes) - first, bulk
