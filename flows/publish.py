"""Publish the warehouse for BI: a read-only copy, Parquet and a workbook, built apart and swapped in atomically."""

import logging
import shutil
import sys
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import mkdtemp
from threading import Thread
from typing import Any

from rich.console import Console

from innspect.extract.failpoints import failpoint
from innspect.extract.home.atomic_file import write_atomically
from innspect.extract.log_events import log_event
from innspect.flows.open_home import software_version, utc_now
from innspect.flows.prepared_copy import COPY, WATERMARK, PreparedCopy, remove_prepared
from innspect.schemas.errors import DiskFull, InnspectError, StoreError
from innspect.schemas.settings import Settings
from innspect.warehouse.database import UNUSED_MEMORY_LIMIT, Warehouse
from innspect.warehouse.lake import LakeWarehouse
from innspect.warehouse.publish.copy_builder import BuiltCopy, CopyInfo, build_copy, translate_publish_errors
from innspect.warehouse.publish.exclude import Exclusion, parse_exclusion
from innspect.warehouse.publish.lake_mirror import MIRROR, open_mirror
from innspect.warehouse.publish.parquet import (
    find_previous_files,
    fsync_path,
    has_files,
    read_manifest,
    write_parquet_files,
)
from innspect.warehouse.publish.watermark import Watermark, find_previous, has_load

PARQUET, WORKBOOK = "parquet", "marts.xlsx"
GENERATION_PREFIX = ".parquet-"
"""Each publishing writes its Parquet files to a new folder with this prefix; the link `parquet` points at one."""


@dataclass(frozen=True, slots=True)
class PublishedFiles:
    """Paths of the published files, and the manifest of the Parquet files.

    `parquet` is None, and the manifest lists no tables, with the setting `publish.parquet = "none"`.
    """

    copy: Path
    parquet: Path | None
    workbook: Path | None
    manifest: dict[str, Any]
    shortened_texts: int
    """Texts that were too long for a cell of the workbook."""
    seconds: float
    is_delta: bool
    """Whether the copy continues the previous one; false if it was built from nothing."""


def publish_after_run(
    settings: Settings,
    warehouse: Warehouse,
    screen: Console,
    prepared: PreparedCopy | None = None,
    *,
    may_keep_parquet: bool = False,
) -> bool:
    """Publish at the end of a run if the settings ask for it; False if that failed.

    The caller holds the lock of the home. A failure is one sentence on standard error: the run is loaded, and the
    previous copy remains. `prepared` and `may_keep_parquet`: see `publish_copy`.
    """
    if not settings.publish.after_run:
        return True
    try:
        published = publish_copy(settings, warehouse, prepared, may_keep_parquet=may_keep_parquet)
    except InnspectError as error:
        log_event("copy.failed", level=logging.ERROR, error=error.message)
        print(f"innspect: The run is loaded, but not published. {error.message}", file=sys.stderr)
        return False
    screen.print(f"Published for BI: {published.copy}.", soft_wrap=True)
    for sentence in published.manifest["left_out"]:
        screen.print(sentence, soft_wrap=True)
    return True


def find_complete_copy(settings: Settings) -> Path | None:
    """The copy that a run has just published, if it contains the whole warehouse; else None."""
    return settings.published_folder / COPY if settings.publish.after_run and not settings.publish.exclude else None


def publish_copy(
    settings: Settings,
    warehouse: Warehouse,
    prepared: PreparedCopy | None = None,
    *,
    xlsx: bool = False,
    may_keep_parquet: bool = False,
) -> PublishedFiles:
    """Build the copy, the Parquet files and, with `xlsx`, the workbook apart from the previous ones; swap them in.

    `prepared`: what the copy continues, in place of the previous one, if there is any. `may_keep_parquet`: leave
    Parquet files in place that are younger than `publish.parquet_hours`. The caller holds the lock of the home. Raises
    SettingsError for a wrong `publish.exclude`, DiskFull and StoreError; the previous files remain then.
    """
    started = time.monotonic()
    with _open_source(settings, warehouse) as source:
        return _publish(settings, source, prepared, started, xlsx=xlsx, may_keep_parquet=may_keep_parquet)


def _open_source(settings: Settings, warehouse: Warehouse) -> AbstractContextManager[Warehouse]:
    """What the copy is built from: the warehouse itself, or the mirror of a lake."""
    if not isinstance(warehouse, LakeWarehouse):
        return nullcontext(warehouse)
    return open_mirror(warehouse, settings.published_folder / MIRROR)


def _publish(
    settings: Settings,
    warehouse: Warehouse,
    prepared: PreparedCopy | None,
    started: float,
    *,
    xlsx: bool,
    may_keep_parquet: bool,
) -> PublishedFiles:
    """`publish_copy` from a warehouse in a file; `started`: its moment by `time.monotonic`."""
    exclusion = parse_exclusion(settings.publish.exclude)
    folder = settings.published_folder
    copy, new_copy = folder / COPY, folder / f".{COPY}.part"
    workbook, new_workbook = folder / WORKBOOK, folder / f".{WORKBOOK}.part"
    with translate_publish_errors(copy):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _remove_unfinished(folder)
        unused = _unused_generations(folder)
        generation: Path | None = Path(mkdtemp(prefix=GENERATION_PREFIX, dir=folder))
    # Removing many files can take longer than publishing, so it runs in parallel.
    removal = Thread(target=_remove_folders, args=(unused,), name="remove-unused-parquet")
    removal.start()
    try:
        failpoint("before publish copy")
        info = CopyInfo(utc_now(), software_version(), tuple(settings.publish.exclude))
        previous = find_previous(copy, folder / WATERMARK)
        built = _complete_copy(warehouse, new_copy, exclusion, info, prepared) if prepared is not None else None
        if built is None:
            remove_prepared(folder)
            built = build_copy(warehouse, new_copy, exclusion, info, previous)
        kept = _find_lasting_manifest(settings, warehouse, built, info, may_keep_recent=may_keep_parquet)
        if kept is None:
            files = None if previous is None else find_previous_files(folder / PARQUET, previous.watermark.token)
            # The files are written from the copy: what DuckDB keeps of the warehouse in memory is not needed meanwhile.
            with warehouse.limited_memory(UNUSED_MEMORY_LIMIT):
                manifest = write_parquet_files(new_copy, generation, built, settings.publish.parquet, files)
        else:
            generation, manifest = (folder / PARQUET).resolve(), kept
        with translate_publish_errors(copy):
            shortened_texts = 0
            if xlsx:
                from innspect.warehouse.publish.xlsx import write_workbook  # noqa: PLC0415 (a run never writes one)

                shortened_texts = write_workbook(new_copy, new_workbook)
                fsync_path(new_workbook)
            fsync_path(new_copy)
        failpoint("before publish swap")
        with translate_publish_errors(copy):
            _swap_in(folder, built.watermark, generation if settings.publish.parquet != "none" else None)
            if xlsx:
                new_workbook.replace(workbook)
            fsync_path(folder)
        failpoint("after publish swap")
    finally:
        removal.join()
        _remove_unfinished(folder)
    seconds = time.monotonic() - started
    log_event("copy.published", file=copy, is_delta=built.is_delta, seconds=round(seconds, 3))
    parquet = None if settings.publish.parquet == "none" else folder / PARQUET
    book = workbook if xlsx else None
    return PublishedFiles(copy, parquet, book, manifest, shortened_texts, seconds, built.is_delta)


def _complete_copy(
    warehouse: Warehouse, path: Path, exclusion: Exclusion, info: CopyInfo, prepared: PreparedCopy
) -> BuiltCopy | None:
    """Continue the prepared copy as the new one; None if there is none, or if it cannot be. Raises DiskFull."""
    base = prepared.take(path)
    if base is None:
        return None
    try:
        built = build_copy(warehouse, path, exclusion, info, base)
    except DiskFull:
        raise
    except StoreError as error:
        # Mostly memory: a copy that continues the previous one may use all of it.
        log_event("copy.not_prepared", level=logging.WARNING, error=error.message)
        for file in (path, path.with_name(f"{path.name}.wal")):
            file.unlink(missing_ok=True)
        return None
    log_event("copy.completed", file=path)
    return replace(built, new_blocks=built.new_blocks | prepared.new_blocks)


def _find_lasting_manifest(
    settings: Settings, warehouse: Warehouse, built: BuiltCopy, info: CopyInfo, *, may_keep_recent: bool
) -> dict[str, Any] | None:
    """The manifest of the Parquet files in place if they may stay for now, with what `built` leaves out; else None.

    They stay if nothing was written to the warehouse since, on the same day, on which ages may still grow by less than
    one; with `may_keep_recent` also if they are younger than `publish.parquet_hours` and the copy continues the history
    that they show: after `forget`, a rebuild, or other settings or software they are written again.
    """
    publish, folder = settings.publish, settings.published_folder / PARQUET
    manifest = read_manifest(folder)
    if manifest is None or not built.is_delta or publish.parquet == "none":
        return None
    if (manifest.get("software"), manifest.get("scope")) != (built.watermark.version, publish.parquet):
        return None
    written_at = datetime.fromisoformat(manifest["published_at"]).replace(tzinfo=None)
    hours = timedelta(hours=publish.parquet_hours if may_keep_recent else 0)
    is_recent = timedelta(0) <= info.published_at - written_at < hours
    is_same = manifest["load_token"] == built.watermark.token and written_at.date() == info.published_at.date()
    if not (is_recent or is_same) or tuple(manifest["exclude"]) != info.exclude or not has_files(folder, manifest):
        return None
    return {**manifest, "left_out": built.left_out} if has_load(warehouse.connection, manifest["load_token"]) else None


def _swap_in(folder: Path, watermark: Watermark, generation: Path | None) -> None:
    """Replace the copy, its watermark and the link to the Parquet files; without `generation` the link is removed."""
    copy = folder / COPY
    # If somebody wrote to the previous copy, its write-ahead log must not be applied to the new one.
    copy.with_name(f"{COPY}.wal").unlink(missing_ok=True)
    (folder / f".{COPY}.part").replace(copy)
    failpoint("between publish swaps")
    # Until this file names the new copy, it belongs to no copy, and the next one would be built from nothing.
    write_atomically(folder / WATERMARK, watermark.with_file(copy).encode())
    failpoint("after publish watermark")
    if generation is None:
        (folder / PARQUET).unlink(missing_ok=True)
    elif (folder / PARQUET).resolve() != generation:
        _switch_link(folder / PARQUET, generation)


def remove_previous_parquet(settings: Settings) -> None:
    """Remove the Parquet files of the previous publishing, which otherwise remain for their present readers."""
    for folder in _unused_generations(settings.published_folder):
        shutil.rmtree(folder)


def _switch_link(link: Path, generation: Path) -> None:
    """Point the link at a new folder atomically."""
    new_link = link.with_name(f".{link.name}.part")
    new_link.unlink(missing_ok=True)
    new_link.symlink_to(generation.name)
    new_link.replace(link)


def _unused_generations(folder: Path) -> list[Path]:
    """The Parquet folders to which the link does not point."""
    link = folder / PARQUET
    used = link.readlink().name if link.is_symlink() else None
    return [generation for generation in _generations(folder) if generation.name != used]


def _remove_folders(folders: list[Path]) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def _generations(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"{GENERATION_PREFIX}*"))


def _remove_unfinished(folder: Path) -> None:
    """Remove what an unfinished publishing left: partial files, and Parquet folders newer than the link's."""
    for part in folder.glob(".*.part*"):
        if part.is_dir() and not part.is_symlink():
            shutil.rmtree(part, ignore_errors=True)
        else:
            part.unlink(missing_ok=True)
    link = folder / PARQUET
    used = folder / link.readlink() if link.is_symlink() else None
    used_since = used.stat().st_mtime_ns if used is not None and used.exists() else -1
    for generation in _generations(folder):
        if generation != used and generation.stat().st_mtime_ns > used_since:
            shutil.rmtree(generation, ignore_errors=True)
