"""The command `publish`, and the publishing at the end of each run: built beside, swapped in, never half to be seen."""

import json as json_text
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from threading import Thread
from typing import Any

import typer
from rich.console import Console

from innspect.cli._console import console
from innspect.cli._options import Given
from innspect.extract.failpoints import reach
from innspect.flows.open_home import held, utc_now, warehouse_of, warehouse_there
from innspect.flows.run_portfolio import software_version
from innspect.schemas.errors import Exit, InnspectError
from innspect.schemas.settings import Settings
from innspect.warehouse.database import Warehouse
from innspect.warehouse.publish.build import Stamp, build_copy, told
from innspect.warehouse.publish.exclude import exclusion
from innspect.warehouse.publish.parquet import sync, write_parquet

COPY, PARQUET, BOOK = "innspect.duckdb", "parquet", "marts.xlsx"
GENERATION = ".parquet-"


@dataclass(frozen=True, slots=True)
class Published:
    """What was published: files, and the manifest of `innspect.warehouse.publish.parquet`."""

    copy: Path
    parquet: Path
    book: Path | None
    manifest: dict[str, Any]
    cut: int
    """Texts that the workbook could not hold whole."""
    seconds: float


def publish(given: Given, *, xlsx: bool) -> int:
    """Publish the warehouse as it is. Raises UsageError where there is none, StoresHeld while a run goes on."""
    settings = given.settings()
    warehouse_there(settings)
    with held(settings), warehouse_of(settings) as warehouse:
        done = published(settings, warehouse, xlsx=xlsx)
    if given.json:
        typer.echo(json_text.dumps(as_json(done), ensure_ascii=False))
    else:
        show(done, console())
    return int(Exit.OK)


def publish_run(settings: Settings, warehouse: Warehouse, screen: Console) -> bool:
    """Publish at the end of a run, inside its lock; whether that went well, or was not wanted.

    A fault is one sentence on standard error: the run is loaded, and the old copy stays as it was.
    """
    if not settings.publish.after_run:
        return True
    try:
        done = published(settings, warehouse)
    except InnspectError as error:
        typer.echo(f"innspect: The run is loaded, but not published. {error.message}", err=True)
        return False
    screen.print(f"Published for BI: {done.copy}.", soft_wrap=True)
    for sentence in done.manifest["left_out"]:
        screen.print(sentence, soft_wrap=True)
    return True


def whole_copy(settings: Settings) -> Path | None:
    """The copy that a run has just published, where nothing is left out of it; None where there is no such copy."""
    return settings.published / COPY if settings.publish.after_run and not settings.publish.exclude else None


def published(settings: Settings, warehouse: Warehouse, *, xlsx: bool = False) -> Published:
    """Make the copy, Parquet and, where wanted, the workbook beside the old ones, all of it, and swap them in.

    The lock of the home is the caller's. Raises SettingsError for a wrong `publish.exclude`, DiskFull and StoreError;
    what was published before stays then.
    """
    begun = time.monotonic()
    out = exclusion(settings.publish.exclude)
    folder = settings.published
    copy, beside = folder / COPY, folder / f".{COPY}.part"
    book, book_beside = folder / BOOK, folder / f".{BOOK}.part"
    with told(copy):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _sweep(folder)
        old = _old(folder)
        generation = Path(mkdtemp(prefix=GENERATION, dir=folder))
    # The disk takes longer over it than anything here does over its work.
    tidying = Thread(target=_remove, args=(old,), name="tidying")
    tidying.start()
    try:
        reach("before publish copy")
        stamp = Stamp(utc_now(), software_version(), tuple(settings.publish.exclude))
        left_out = build_copy(warehouse, beside, out, stamp)
        manifest = write_parquet(beside, generation, left_out)
        with told(copy):
            cut = 0
            if xlsx:
                from innspect.warehouse.publish.xlsx import write_workbook  # noqa: PLC0415 (a run never writes one)

                cut = write_workbook(beside, book_beside)
                sync(book_beside)
            sync(beside)
        reach("before publish swap")
        with told(copy):
            # A log that somebody's writing left beside the old copy is no log of the new one.
            copy.with_name(f"{COPY}.wal").unlink(missing_ok=True)
            beside.replace(copy)
            reach("between publish swaps")
            _point_at(folder / PARQUET, generation)
            if xlsx:
                book_beside.replace(book)
            sync(folder)
        reach("after publish swap")
    finally:
        tidying.join()
        _sweep(folder)
    return Published(copy, folder / PARQUET, book if xlsx else None, manifest, cut, time.monotonic() - begun)


def _point_at(link: Path, generation: Path) -> None:
    """Let the link lead to a new folder, in one step; the folder before stays for those who read it."""
    beside = link.with_name(f".{link.name}.part")
    beside.unlink(missing_ok=True)
    beside.symlink_to(generation.name)
    beside.replace(link)


def _old(folder: Path) -> list[Path]:
    """The folders that nobody is led to any more."""
    link = folder / PARQUET
    shown = link.readlink().name if link.is_symlink() else None
    return [generation for generation in _generations(folder) if generation.name != shown]


def _remove(generations: list[Path]) -> None:
    for generation in generations:
        shutil.rmtree(generation, ignore_errors=True)


def withdraw_old(settings: Settings) -> None:
    """Remove the Parquet of the publishing before, which is else kept for those who read it still."""
    for old in _old(settings.published):
        shutil.rmtree(old)


def _generations(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"{GENERATION}*"))


def _sweep(folder: Path) -> None:
    """Remove what an unfinished publishing left: parts, and folders younger than the one that the link leads to."""
    for part in folder.glob(".*.part*"):
        if part.is_dir() and not part.is_symlink():
            shutil.rmtree(part, ignore_errors=True)
        else:
            part.unlink(missing_ok=True)
    link = folder / PARQUET
    shown = folder / link.readlink() if link.is_symlink() else None
    born = shown.stat().st_mtime_ns if shown is not None and shown.exists() else -1
    for generation in _generations(folder):
        if generation != shown and generation.stat().st_mtime_ns > born:
            shutil.rmtree(generation, ignore_errors=True)


def as_json(done: Published) -> dict[str, Any]:
    """What `publish --json` tells."""
    tables = done.manifest["tables"]
    return {
        "copy": str(done.copy),
        "parquet": str(done.parquet),
        "manifest": str(done.parquet / "manifest.json"),
        "xlsx": None if done.book is None else str(done.book),
        "published_at": done.manifest["published_at"],
        "run_id": done.manifest["run_id"],
        "tables": len(tables),
        "rows": sum(entry["rows"] for entry in tables),
        "exclude": done.manifest["exclude"],
        "left_out": done.manifest["left_out"],
        "seconds": round(done.seconds, 2),
    }


def show(done: Published, screen: Console) -> None:
    """What was published, as a person reads it."""
    facts = as_json(done)
    screen.print(
        f"Published {facts['tables']} tables and views, {facts['rows']} rows, in {facts['seconds']} s.", soft_wrap=True
    )
    screen.print(f"Database: {done.copy} (open it read-only; docs/bi.md has the connections)", soft_wrap=True)
    screen.print(f"Parquet:  {done.parquet}, described by its manifest.json", soft_wrap=True)
    if done.book is not None:
        screen.print(f"Workbook: {done.book}, a sheet a mart", soft_wrap=True)
    if done.cut:
        screen.print(f"{done.cut} texts were too long for a cell and end with …; the database has them whole.")
    if facts["exclude"]:
        screen.print(f"Left out: {', '.join(facts['exclude'])}.", soft_wrap=True)
    for sentence in facts["left_out"]:
        screen.print(sentence, soft_wrap=True)
