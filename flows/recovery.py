"""What a former process left undone, finished before anything new is asked: free of charge, and the same every time."""

from datetime import datetime

import polars as pl

from flows.loading import Outcome, load_answers
from flows.stores import Stores
from schemas.errors import Exit
from warehouse.load import loaded_files
from warehouse.records import load_records, loaded_records

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
    answers = stores.archive.kept(file).with_columns(pl.lit(file).alias("archive_file"))
    return load_answers(stores.warehouse, answers, zone)


def load_missing(stores: Stores, zone: str) -> int:
    """Load every sealed file that the warehouse has not; how many."""
    done = loaded_files(stores.warehouse)
    missing = [file for file in stores.archive.files("answers") if file not in done]
    for file in missing:
        load_file(stores, file, zone)
    known = loaded_records(stores.warehouse)
    for kind in RECORDS:
        again = False
        for file in stores.archive.files(kind):
            if again or file not in known:
                load_record_file(stores, kind, file)
                # It may hold older words on what a later file, loaded long since, has the last word on.
                again = again or bool(stores.archive.notes(file).replaces)
    return len(missing)


def load_record_file(stores: Stores, kind: str, file: str) -> None:
    """Load one sealed file of runs, calls, members or rejected lines."""
    frame = stores.archive.kept(file)
    replaced = [f"{kind}/{name}" for name in stores.archive.notes(file).replaces]
    with stores.warehouse.transaction():
        load_records(stores.warehouse, kind, frame, file, replaced)


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
