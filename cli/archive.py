"""The commands `archive compact` and `archive retain`."""

import json
from datetime import datetime, timedelta
from time import monotonic
from typing import Any

import polars as pl
import typer

from innspect.cli._console import confirm, make_console, tell
from innspect.cli._options import CliOptions
from innspect.extract.archive.archive import Archive
from innspect.extract.archive.compaction import CompactedFile, compact
from innspect.extract.archive.file_format import ANSWERS
from innspect.extract.home.home_id import ensure_home_id
from innspect.extract.home.tombstones import Tombstones
from innspect.flows.erase import erase, finish_erasure
from innspect.flows.open_home import Stores, hold_home, open_home, require_archive, utc_now
from innspect.flows.publish import publish_after_run
from innspect.flows.recovery import recover
from innspect.flows.seal import RECORDS
from innspect.reports.i18n.catalog import count_of
from innspect.schemas.errors import Exit
from innspect.schemas.lineage import ARCHIVE
from innspect.warehouse.load.load import update_archive_files
from innspect.warehouse.load.records import register_record_file


def compact_archive(options: CliOptions) -> int:
    """Merge small archive files and update the file names in the warehouse; the bodies stay the same bytes.

    Raises UsageError if there is no archive, ArchiveDamaged if a file does not match its checksum.
    """
    settings = options.settings()
    where = require_archive(settings).where
    started = monotonic()
    screen = make_console(to_stderr=options.json)
    finish_erasure(settings, tell)
    with open_home(settings, tell) as stores:
        recover(stores, settings.conventions, utc_now())
        files_before, merged_files = _count_files(stores.archive), 0
        with stores.archive.rewrite_lock(ensure_home_id(settings.home)):
            for kind in ARCHIVE:
                for compacted in compact(stores.archive, kind):
                    _update_warehouse(stores, kind, compacted)
                    merged_files += 1
        files = _count_files(stores.archive)
        stores.warehouse.refresh_raw_view()
        stores.warehouse.compact()
        # The published lineage contains names of archive files too.
        must_publish = merged_files and settings.published_folder.exists()
        is_published = not must_publish or publish_after_run(settings, stores.warehouse, screen)
    seconds = round(monotonic() - started, 2)
    if options.json:
        facts = {
            "files_before": files_before,
            "files": files,
            "large_files_made": merged_files,
            "archive": str(where),
            "seconds": seconds,
        }
        typer.echo(json.dumps(facts, ensure_ascii=False))
    else:
        outcome = (
            f"from {count_of(files_before, 'file')} to {files}"
            if merged_files
            else f"{count_of(files, 'file')}, none to merge"
        )
        screen.print(f"The archive {where}: {outcome}, in {seconds} s.", soft_wrap=True)
    return int(Exit.OK if is_published else Exit.FAULT)


def _update_warehouse(stores: Stores, kind: str, compacted: CompactedFile) -> None:
    def update() -> None:
        if kind == ANSWERS:
            ids = stores.archive.read_columns(compacted.file, ["response_id"])
            update_archive_files(stores.warehouse, ids.with_columns(archive_file=pl.lit(compacted.file)))
        elif kind in RECORDS:
            register_record_file(stores.warehouse, compacted.file, compacted.replaced)

    stores.warehouse.run_in_transaction(update)


def retain(options: CliOptions, days: int, *, dry_run: bool, yes: bool) -> int:
    """Remove responses older than `days` from the archive and everything derived from it.

    If there are any, it is confirmed on the terminal, or by `yes`. Raises UsageError if there is no archive, and for a
    missing confirmation.
    """
    settings = options.settings()
    archive = require_archive(settings)
    oldest = utc_now() - timedelta(days=days)
    facts: dict[str, Any]
    with hold_home(settings):
        responses, files = _count_older(archive, oldest)
    older = (
        f"{count_of(responses, 'response')} in {count_of(files, 'file')} requested before {oldest:%Y-%m-%d %H:%M} UTC"
    )
    if dry_run:
        facts = {"answers": responses, "files": files, "before": f"{oldest:%Y-%m-%d %H:%M} UTC"}
        text = f"{older}; run again without --dry-run to remove them."
    elif responses and not yes and not _ask(older):
        make_console(to_stderr=options.json).print("Nothing was removed.")
        return int(Exit.OK)
    else:
        with open_home(settings, tell) as stores:
            recover(stores, settings.conventions, utc_now())
        with hold_home(settings):
            tombstones = Tombstones(settings.home)
            tombstones.set_retention(oldest)
            erased = erase(settings, tombstones, tell)
        facts = erased.as_json()
        text = (
            f"Removed {count_of(erased.responses, 'response')} from {count_of(erased.files, 'archive file')}; "
            "warehouse, published copy and reports were rebuilt without them. Their charges stay in the ledger. Blocks "
            "known only from them count as never asked, and the next run requests them again."
            if erased.responses
            else "No response is that old; nothing was removed."
        )
    if options.json:
        typer.echo(json.dumps(facts, ensure_ascii=False))
    else:
        make_console().print(text, soft_wrap=True)
    return int(Exit.OK)


def _ask(older: str) -> bool:
    """Ask for confirmation on a terminal. Raises UsageError elsewhere."""
    return confirm(
        f"Remove {older} for ever?", f"Nothing was removed; confirm it with --yes: {older} would be removed for ever."
    )


def _count_older(archive: Archive, oldest: datetime) -> tuple[int, int]:
    """The responses requested before `oldest`, and the files that contain them."""
    counts = [
        archive.read_columns(file, ["asked_at"]).filter(pl.col("asked_at") < oldest).height
        for file in archive.files(ANSWERS)
    ]
    return sum(counts), sum(count > 0 for count in counts)


def _count_files(archive: Archive) -> int:
    return sum(len(archive.files(kind)) for kind in ARCHIVE)
