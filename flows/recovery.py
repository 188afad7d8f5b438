"""What a former process left undone, finished before anything new is asked: free of charge, and the same every time."""

from collections import deque
from collections.abc import Iterator, Sequence
from datetime import datetime

import polars as pl

from innspect.extract.archive.archive import kept
from innspect.flows.executors import Awaited
from innspect.flows.load import Outcome, load_answers
from innspect.flows.open_home import Stores
from innspect.schemas.errors import ArchiveChanged, Exit
from innspect.transforms.pipeline import Batch
from innspect.warehouse.load.load import loaded_files
from innspect.warehouse.load.records import load_records, loaded_records

RECORDS = ("runs", "calls", "members", "rejected")
SEAL_BYTES = 256 * 2**20
"""Answers are sealed into files of about this size at most."""


def seal(stores: Stores, run_id: str | None = None) -> list[str]:
    """Seal what waits in the outbox (of one run, or of all of this home); the files that it made, in order."""
    made: list[str] = []
    while True:
        answers = stores.ledger.outbox_answers(SEAL_BYTES, run_id, stores.home)
        if answers.is_empty():
            return made
        for (run,), of_run in answers.group_by("run_id", maintain_order=True):
            file = stores.archive.seal("answers", str(run), of_run)
            if file is not None:
                made.append(file)
        stores.ledger.outbox_clear(answers["response_id"].to_list())


def load_file(stores: Stores, file: str, zone: str) -> Outcome:
    """Load one sealed file of answers."""
    ((answers, ready),) = _transformed(stores, [file], zone)
    return load_answers(stores.warehouse, answers, zone, ready)


def _transformed(stores: Stores, files: Sequence[str], zone: str) -> Iterator[tuple[pl.DataFrame, Batch | None]]:
    """The answers of each file that may be loaded, and what they say, where workers do the transforming."""
    archive, compute = stores.archive, stores.compute
    under_way: deque[tuple[str, bytes, Awaited]] = deque()

    def first() -> tuple[pl.DataFrame, Batch]:
        file, content, coming = under_way.popleft()
        return _named(file, kept(file, content, archive.tombstones)), coming.result()

    for file in files:
        if compute.is_here:
            yield _named(file, archive.kept(file)), None
            continue
        if len(under_way) >= compute.width:
            yield first()
        content = archive.content(file)
        under_way.append((file, content, compute.submit([(file, content, 0, None)], archive.tombstones, zone)))
    while under_way:
        yield first()


def _named(file: str, answers: pl.DataFrame) -> pl.DataFrame:
    return answers.with_columns(pl.lit(file).alias("archive_file"))


def load_missing(stores: Stores, zone: str) -> int:
    """Load every sealed file that the warehouse has not, those of other homes too; how many of answers."""
    count = 0
    while True:
        try:
            for _ in _loaded_one_by_one(stores, zone):
                count += 1
        except ArchiveChanged:
            # Another home puts files together: what replaced them is listed by now.
            continue
        return count


def _loaded_one_by_one(stores: Stores, zone: str) -> Iterator[Outcome]:
    done = loaded_files(stores.warehouse)
    missing = [file for file in stores.archive.files("answers") if file not in done]
    for answers, ready in _transformed(stores, missing, zone):
        yield load_answers(stores.warehouse, answers, zone, ready)
    known = loaded_records(stores.warehouse)
    for kind in RECORDS:
        again = False
        for file in stores.archive.files(kind):
            if again or file not in known:
                load_record_file(stores, kind, file, again=file in known)
                # It may hold older words on what a later file, loaded long since, has the last word on.
                again = again or bool(stores.archive.notes(file).replaces)


def load_record_file(stores: Stores, kind: str, file: str, *, again: bool = False) -> None:
    """Load one sealed file of runs, calls, members or rejected lines; `again` where it is known to be loaded."""
    frame = stores.archive.kept(file)
    replaced = [f"{kind}/{name}" for name in stores.archive.notes(file).replaces]

    def work() -> None:
        # Others may have loaded it by now, and one after it that has the last word.
        if again or not stores.warehouse.is_shared or file not in loaded_records(stores.warehouse):
            load_records(stores.warehouse, kind, frame, file, replaced)

    stores.warehouse.write(work)


def recover(stores: Stores, zone: str, at: datetime) -> int:
    """Settle, seal and load what a killed process left; how many files were loaded."""
    unfinished = stores.ledger.recover(stores.home)
    seal(stores)
    for run_id in unfinished:
        stores.ledger.finish_run(run_id, Exit.INTERRUPTED, at)
    # A run may have died after its end was noted and before that was archived; its own record is sealed last.
    recorded = stores.archive.run_ids("runs")
    for run_id in stores.ledger.run_ids(stores.home):
        if run_id not in recorded:
            record(stores, run_id)
    return load_missing(stores, zone)


def record(stores: Stores, run_id: str) -> list[tuple[str, str]]:
    """Seal what the ledger says of a run and its calls, as they stand now; kinds and files."""
    made: list[tuple[str, str]] = []
    for kind, frame in (("calls", stores.ledger.call_rows(run_id)), ("runs", stores.ledger.run_rows(run_id))):
        if frame.height:
            file = stores.archive.seal(kind, run_id, frame)
            if file is not None:
                made.append((kind, file))
    return made
