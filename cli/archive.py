"""The commands of `archive`: small files put together, and answers that are too old removed."""

import json as json_text
from datetime import datetime, timedelta
from time import monotonic

import polars as pl
import typer

from innspect.cli._console import console
from innspect.cli._options import Given
from innspect.extract.archive.archive import Archive
from innspect.extract.archive.compaction import Compacted, compact
from innspect.extract.archive.file_format import ANSWERS
from innspect.extract.home.home_id import identity
from innspect.extract.home.tombstones import Tombstones
from innspect.flows.erase import Erased, erase, finish
from innspect.flows.open_home import Stores, archive_there, held, opened, utc_now
from innspect.flows.publish import publish_run
from innspect.flows.recovery import RECORDS, recover
from innspect.schemas.errors import Exit
from innspect.schemas.lineage import ARCHIVE
from innspect.warehouse.load.load import move_answers
from innspect.warehouse.load.records import note_record_file


def compact_archive(given: Given) -> int:
    """Put small files together and let the warehouse name the large ones; no body changes by a byte.

    Raises UsageError where there is no archive, ArchiveDamaged where a file does not have the bytes that were sealed.
    """
    settings = given.settings()
    where = archive_there(settings).where
    begun = monotonic()
    screen = console(to_stderr=given.json)
    finish(settings)
    with opened(settings) as stores:
        recover(stores, settings.source_timezone, utc_now())
        before, large = _files(stores.archive), 0
        with stores.archive.alone(identity(settings.home)):
            for kind in ARCHIVE:
                for made in compact(stores.archive, kind):
                    _tell_warehouse(stores, kind, made)
                    large += 1
        after = _files(stores.archive)
        stores.warehouse.point_at_archive()
        stores.warehouse.tidy()
        # The published lineage names the files too.
        is_published = (
            publish_run(settings, stores.warehouse, screen) if large and settings.published.exists() else True
        )
    facts = {
        "files_before": before,
        "files": after,
        "large_files_made": large,
        "archive": str(where),
        "seconds": round(monotonic() - begun, 2),
    }
    if given.json:
        typer.echo(json_text.dumps(facts, ensure_ascii=False))
    else:
        said = f"from {before} files to {after}" if large else f"{after} files, none of them to be put together"
        screen.print(f"The archive {where}: {said}, in {facts['seconds']} s.", soft_wrap=True)
    return int(Exit.OK if is_published else Exit.FAULT)


def _tell_warehouse(stores: Stores, kind: str, made: Compacted) -> None:
    def work() -> None:
        if kind == ANSWERS:
            ids = stores.archive.columns(made.file, ["response_id"])
            move_answers(stores.warehouse, ids.with_columns(archive_file=pl.lit(made.file)))
        elif kind in RECORDS:
            note_record_file(stores.warehouse, made.file, made.replaced)

    stores.warehouse.write(work)


def retain(given: Given, days: int, *, dry_run: bool) -> int:
    """Remove the answers that were asked more than so many days ago, from the archive and all that is made of it.

    Raises UsageError where there is no archive.
    """
    settings = given.settings()
    archive = archive_there(settings)
    moment = utc_now() - timedelta(days=days)
    if dry_run:
        with held(settings):
            old, files = _older(archive, moment)
        facts: dict[str, object] = {"answers": old, "files": files, "before": f"{moment:%Y-%m-%d %H:%M} UTC"}
        said = (
            f"{old} answers in {files} files were asked before {facts['before']}; without --dry-run they are removed."
        )
    else:
        with opened(settings) as stores:
            recover(stores, settings.source_timezone, utc_now())
        with held(settings):
            tombstones = Tombstones(settings.home)
            tombstones.keep_since(moment)
            done = erase(settings, tombstones)
        facts = done.as_json()
        said = _said(done)
    if given.json:
        typer.echo(json_text.dumps(facts, ensure_ascii=False))
    else:
        console().print(said, soft_wrap=True)
    return int(Exit.OK)


def _said(done: Erased) -> str:
    if not done.answers:
        return "No answer is as old as that; nothing was removed."
    return (
        f"Removed {done.answers} answers from {done.files} archive files; warehouse, published copy and reports were "
        "made anew without them. The money that they cost stays in the ledger; what only they told counts "
        "as never asked, and a run asks it again."
    )


def _older(archive: Archive, moment: datetime) -> tuple[int, int]:
    counts = [
        archive.columns(file, ["asked_at"]).filter(pl.col("asked_at") < moment).height
        for file in archive.files(ANSWERS)
    ]
    return sum(counts), sum(count > 0 for count in counts)


def _files(archive: Archive) -> int:
    return sum(len(archive.files(kind)) for kind in ARCHIVE)
