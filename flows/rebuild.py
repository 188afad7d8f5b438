"""The command `rebuild`: a new warehouse from the archive, offline and free, in place of the old one."""

import json as json_text
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from time import monotonic

import polars as pl
import typer

from extract.archive import Archive
from extract.fault_points import reach
from flows.command import Given
from flows.loading import load_batch
from flows.recovery import RECORDS
from flows.screen import console
from flows.stores import archive_of, held
from schemas.errors import UsageError
from schemas.settings import Settings
from transforms.batch import Batch, transform
from warehouse.load import Loaded
from warehouse.records import load_records
from warehouse.store import Warehouse

TOGETHER_ROWS = 2_000
TOGETHER_BYTES = 96 * 2**20
"""Files are transformed together up to so many answers and bytes of bodies: large frames are cheap by the row."""


def rebuild(given: Given) -> int:
    """Rebuild, and replace the old warehouse when the new one is complete.

    Raises ArchiveDamaged where a file does not have the bytes that were sealed; the old warehouse stays then.
    """
    settings = given.settings()
    folder = Path(str(settings.archive))
    if not folder.exists():
        raise UsageError(f"There is no archive at {folder}; name its home with --home.", path=str(folder))
    begun = monotonic()
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
        "warehouse": str(settings.warehouse),
        "seconds": round(monotonic() - begun, 2),
    }
    if given.json:
        typer.echo(json_text.dumps(facts, ensure_ascii=False))
    else:
        console().print(
            f"Rebuilt {settings.warehouse} from {files} archive files in {facts['seconds']} s: {loaded.new_versions} "
            f"versions, {loaded.core_rows} rows, {loaded.changes} changes.",
            soft_wrap=True,
        )
    return 0


def rebuilt(settings: Settings, archive: Archive) -> tuple[Loaded, int]:
    """Build beside the old file and swap; what was loaded, and from how many files."""
    path = Path(str(settings.warehouse))
    beside = path.with_name(f".{path.name}.rebuild")
    _remove(beside)
    loaded, files = Loaded(), 0
    try:
        with Warehouse(beside) as warehouse:
            # One transaction: a half-built file is of no use to anyone, and every commit writes the tables' ends anew.
            with warehouse.transaction():
                for batch in transformed(archive, settings.source_timezone):
                    loaded += load_batch(warehouse, batch).loaded
                    files += batch.answers["archive_file"].n_unique()
                for kind in RECORDS:
                    for file in archive.files(kind):
                        load_records(warehouse, kind, archive.kept(file), file)
                        files += 1
            # Only now is every file of it known to be readable.
            warehouse.archive = archive.folder
            warehouse.point_at_archive()
            warehouse.connection.execute("CHECKPOINT")
        reach("before rebuild replace")
        # The old log first: beside the new file it would be another file's. Without it the next start loads anew.
        path.with_name(path.name + ".wal").unlink(missing_ok=True)
        beside.replace(path)
        reach("after rebuild replace")
    finally:
        _remove(beside)
    return loaded, files


def transformed(archive: Archive, zone: str) -> Iterator[Batch]:
    """The archive's answers transformed, the next group while the one before is being loaded."""
    with ThreadPoolExecutor(1) as worker:
        coming: Future[Batch] | None = None
        for answers in groups(archive):
            ready, coming = coming, worker.submit(transform, answers, zone)
            if ready is not None:
                yield ready.result()
        if coming is not None:
            yield coming.result()


def groups(archive: Archive) -> Iterator[pl.DataFrame]:
    """The archive's answers in the order of sealing, several files at a time."""
    waiting: list[pl.DataFrame] = []
    rows = size = 0
    for file in archive.files("answers"):
        answers = archive.kept(file).with_columns(pl.lit(file).alias("archive_file"))
        if waiting and (rows + answers.height > TOGETHER_ROWS or size + answers["bytes"].sum() > TOGETHER_BYTES):
            yield pl.concat(waiting)
            waiting, rows, size = [], 0, 0
        waiting.append(answers)
        rows += answers.height
        size += int(answers["bytes"].sum())
    if waiting:
        yield pl.concat(waiting)


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.with_name(path.name + ".wal").unlink(missing_ok=True)
