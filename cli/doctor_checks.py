"""What `doctor` finds in the home: paths, rights, lock, and the three stores; each with the command that mends it."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from packaging.version import InvalidVersion, Version

from innspect.extract.archive.archive import Archive
from innspect.extract.archive.erasure import LOOKED_AT, touched
from innspect.extract.home.home_id import written
from innspect.extract.home.lock import holder, left_by
from innspect.extract.home.tombstones import Tombstones
from innspect.extract.ledger.ledger import Ledger
from innspect.flows.open_home import utc_now, warehouse_of
from innspect.reports.format import shown
from innspect.schemas.errors import InnspectError, StoreError
from innspect.schemas.settings import Settings
from innspect.warehouse.location import warehouse_at

ENOUGH_DISK = 2**30
NAMED = 5
"""So many paths are named in a finding; the command that mends them takes all."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: ok, or what to do."""

    check: str
    ok: bool
    says: str


def home(settings: Settings) -> Iterator[Finding]:
    """Where the stores are."""
    missing = "" if settings.home.is_dir() else " is not there yet; the first run makes it"
    yield Finding("home", ok=True, says=f"{settings.home}{missing}")


def disk(settings: Settings) -> Iterator[Finding]:
    """Whether there is room."""
    place = next(folder for folder in (settings.home, *settings.home.resolve().parents) if folder.exists())
    free = shutil.disk_usage(place).free
    says = f"{free / 2**30:.1f} GiB free"
    if free < ENOUGH_DISK:
        says += f" at {place}; make room: `du -xh --max-depth=2 {place} | sort -h` shows what takes it"
    yield Finding("disk", ok=free >= ENOUGH_DISK, says=says)


def permissions(settings: Settings) -> Iterator[Finding]:
    """Stores hold personal data: nobody but their owner may read them."""
    stores = (settings.home, settings.ledger, settings.archive, settings.warehouse)
    tops = [path for path in map(Path, map(str, stores)) if path.exists()]
    # In one folder of the tops everything else may stand already.
    tops = [path for path in tops if path is tops[0] or not path.resolve().is_relative_to(tops[0].resolve())]
    bare = [path for top in tops for path in _bare(top)]
    if bare:
        named = ", ".join(map(str, bare[:NAMED])) + (f" and {len(bare) - NAMED} more" if len(bare) > NAMED else "")
        mend = f"chmod -R go-rwx {' '.join(map(str, tops))}"
        yield Finding("permissions", ok=False, says=f"others can use {named}; `{mend}`")
    else:
        yield Finding("permissions", ok=True, says="only you can read the stores")


def _bare(top: Path) -> Iterator[Path]:
    for path in (top, *(Path(folder) / name for folder, folders, files in os.walk(top) for name in (*folders, *files))):
        if not path.is_symlink() and path.exists() and path.stat().st_mode & 0o077:
            yield path


def lock(settings: Settings) -> Iterator[Finding]:
    """Who holds the stores, and whether somebody left without letting go."""
    pid = holder(settings.lock)
    left = left_by(settings.lock) if pid is None else None
    if pid:
        yield Finding("lock", ok=True, says=f"held by the run of process {pid}")
    elif pid == 0:
        says = f"held, but by no process that signed it; `fuser -v {settings.lock}` shows which"
        yield Finding("lock", ok=False, says=says)
    elif left is not None:
        says = f"stale: process {left} was cut short; `innspect plan PORTFOLIO` finishes what it left, free of charge"
        yield Finding("lock", ok=False, says=says)
    else:
        yield Finding("lock", ok=True, says="free")


def ledger(settings: Settings) -> Iterator[Finding]:
    """The money: pages, sums, and answers that wait."""
    where = settings.ledger
    if isinstance(where, Path) and not where.exists():
        yield Finding("ledger", ok=True, says=f"{where} is not there yet; the first run makes it")
        return
    try:
        books = Ledger.open(where, utc_now, settings.source_timezone)
    except StoreError as error:
        if isinstance(where, Path):
            raise
        says = f"{error.message.splitlines()[0].rstrip('.')}; start the database or correct stores.ledger"
        yield Finding("ledger", ok=False, says=says)
        return
    mend = f"stop all runs and put back a copy of {where}" if isinstance(where, Path) else "restore the database"
    try:
        name = written(settings.home) if settings.stores.ledger else ""
        faults, figures, waiting = books.faults(), books.figures(), books.waiting(name)
    except StoreError as error:
        # Pages may be so damaged that not even what is wrong with them can be read.
        yield Finding("ledger", ok=False, says=f"{error.message.partition(';')[0]}; {mend}")
        return
    finally:
        books.close()
    for fault in faults:
        yield Finding("ledger", ok=False, says=f"{fault.rstrip('.')}; {mend}")
    if not faults:
        spent = f"{shown(figures.settled)} settled, {shown(figures.unknown)} unknown"
        yield Finding("ledger", ok=True, says=f"sound; {spent}")
    if waiting and holder(settings.lock) is None:
        says = f"{waiting} answers wait though no run goes on; `innspect plan PORTFOLIO` seals and loads them for free"
        yield Finding("outbox", ok=False, says=says)


def archive(settings: Settings) -> Iterator[Finding]:
    """Every file and every body against its hash, and nothing there that was to be forgotten."""
    files = Archive(settings.archive, read_only=True)
    if not files.exists():
        yield Finding("archive", ok=True, says=f"{files.where} is not there yet; the first run makes it")
        return
    damaged = list(files.verify())
    for fault in damaged:
        yield Finding("archive", ok=False, says=fault.message)
    if not damaged:
        yield Finding("archive", ok=True, says=f"{len(files.files('answers'))} files of answers, every hash holds")
        yield from _tombstones(settings, files)


def _tombstones(settings: Settings, files: Archive) -> Iterator[Finding]:
    tombstones = Tombstones(settings.home)
    if tombstones.unfinished and holder(settings.lock) is None:
        yield Finding("tombstones", ok=False, says="a removal was cut short; `innspect forget` finishes it")
    elif back := [file for kind in LOOKED_AT for file in touched(files, kind, tombstones)]:
        says = f"{len(back)} archive files hold what was to be removed, {back[0]} first; `innspect forget` removes it"
        yield Finding("tombstones", ok=False, says=says)


def warehouse(settings: Settings) -> Iterator[Finding]:
    """Whether the warehouse opens, and whether a newer program made it."""
    try:
        path = warehouse_at(settings.warehouse)
        if not path.exists():
            yield Finding("warehouse", ok=True, says=f"{path} is not there yet; the first run makes it")
            return
    except InnspectError as error:
        # A lake that is named wrong, or whose catalogue does not answer.
        yield Finding("warehouse", ok=False, says=error.message.rstrip("."))
        return
    if isinstance(path, Path) and holder(settings.lock) is not None:
        yield Finding("warehouse", ok=True, says="a run is writing it")
        return
    with warehouse_of(settings, read_only=True) as opened:
        rows = opened.frame("SELECT count(*) AS n FROM lineage.snapshots")["n"].item()
        makers = opened.frame("SELECT DISTINCT software_version AS v FROM lineage.runs")["v"].drop_nulls().to_list()
    newest = max((one for text in makers if (one := parsed(text)) is not None), default=None)
    ours = parsed(own_version())
    if newest is not None and ours is not None and newest > ours:
        says = (
            f"{path} was written by innspect {newest}, this is {ours}; install that version (`git pull`, `make demo`), "
            "or name another folder with --home"
        )
        yield Finding("warehouse", ok=False, says=says)
    else:
        yield Finding("warehouse", ok=True, says=f"opens; {rows} snapshots")


def own_version() -> str:
    """The version of this program."""
    return version("innspect")


def parsed(text: str) -> Version | None:
    """A version without what stands behind its plus, None for what is none."""
    try:
        return Version(text.partition("+")[0])
    except InvalidVersion:
        return None
