"""The command `doctor`: one line a check, ok or what to do."""

import asyncio
import json as json_text
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import typer

from extract.archive import Archive
from extract.client import Client
from extract.entries import Caps
from extract.identity import written
from extract.ledger import Ledger
from extract.ledger_front import LedgerFront
from extract.lock import holder
from flows.command import Given
from flows.command_run import with_sandbox
from flows.money import shown
from flows.sandbox_process import sandbox
from flows.screen import console
from flows.stores import utc_now
from schemas.errors import Exit, InnspectError, KeyRefused, Refused
from schemas.settings import Settings
from warehouse.store import Warehouse

ENOUGH_DISK = 2**30
LIBRARIES = ("duckdb", "polars", "pandera", "prefect", "httpx", "msgspec", "sqlalchemy")


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: ok, or what to do."""

    check: str
    ok: bool
    says: str


def doctor(given: Given) -> int:
    """Check everything that a run needs; the exit code is that of the worst finding."""
    code = Exit.OK
    with ExitStack() as stack:
        settings = given.settings()
        if given.sandbox:
            settings = with_sandbox(settings, stack.enter_context(sandbox()))
        found: list[Finding] = []
        for check in (_versions, _home, _disk, _permissions, _lock, _ledger, _archive, _warehouse):
            found += _safely(check, settings)
        service, refused = _service(settings)
        found += service
        code = Exit.REFUSED if refused else Exit.OK if all(f.ok for f in found) else Exit.FAULT
    if given.json:
        typer.echo(json_text.dumps({"ok": code is Exit.OK, "checks": [asdict(f) for f in found]}, ensure_ascii=False))
    else:
        screen = console()
        for finding in found:
            screen.print(f"{'ok  ' if finding.ok else 'MEND'} {finding.check:<12} {finding.says}", soft_wrap=True)
    return int(code)


def _safely(check: Callable[[Settings], Iterator[Finding]], settings: Settings) -> list[Finding]:
    try:
        return list(check(settings))
    except InnspectError as error:
        return [Finding(check.__name__.strip("_"), ok=False, says=error.message)]


def _versions(_: Settings) -> Iterator[Finding]:
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    yield Finding(
        "versions", ok=True, says=f"innspect {version('innspect')}, Python {sys.version.split()[0]}, {libraries}"
    )


def _home(settings: Settings) -> Iterator[Finding]:
    if settings.home.is_dir():
        yield Finding("home", ok=True, says=f"{settings.home}")
    else:
        yield Finding("home", ok=True, says=f"{settings.home} is not there yet; the first run makes it")


def _disk(settings: Settings) -> Iterator[Finding]:
    place = next(folder for folder in (settings.home, *settings.home.resolve().parents) if folder.exists())
    free = shutil.disk_usage(place).free
    says = f"{free / 2**30:.1f} GiB free"
    yield Finding("disk", ok=free >= ENOUGH_DISK, says=says if free >= ENOUGH_DISK else f"{says}; make room")


def _permissions(settings: Settings) -> Iterator[Finding]:
    """Stores hold personal data: nobody but their owner may read them."""
    stores = (settings.home, settings.ledger, settings.archive, settings.warehouse)
    paths = [path for path in map(Path, map(str, stores)) if path.exists()]
    open_to = [path for path in paths if path.stat().st_mode & 0o077]
    if open_to:
        listed = " ".join(map(str, open_to))
        yield Finding("permissions", ok=False, says=f"others can read them; chmod -R go-rwx {listed}")
    else:
        yield Finding("permissions", ok=True, says="only you can read the stores")


def _lock(settings: Settings) -> Iterator[Finding]:
    pid = holder(settings.lock)
    yield Finding("lock", ok=True, says="free" if pid is None else f"held by the run of process {pid}")


def _ledger(settings: Settings) -> Iterator[Finding]:
    if isinstance(settings.ledger, Path) and not settings.ledger.exists():
        yield Finding("ledger", ok=True, says=f"{settings.ledger} is not there yet; the first run makes it")
        return
    ledger = Ledger.open(settings.ledger, utc_now, settings.source_timezone)
    try:
        home = written(settings.home) if settings.stores.ledger else ""
        faults, figures, waiting = ledger.faults(), ledger.figures(), ledger.waiting(home)
    finally:
        ledger.close()
    for fault in faults:
        yield Finding("ledger", ok=False, says=f"{fault} Put back a copy of {settings.ledger}.")
    if not faults:
        spent = f"{shown(figures.settled)} settled, {shown(figures.unknown)} unknown"
        yield Finding("ledger", ok=True, says=f"sound; {spent}")
    idle = holder(settings.lock) is None
    if waiting and idle:
        says = f"{waiting} answers wait though no run goes on; the next run or plan seals and loads them"
        yield Finding("outbox", ok=False, says=says)


def _archive(settings: Settings) -> Iterator[Finding]:
    folder = Path(str(settings.archive))
    if not folder.exists():
        yield Finding("archive", ok=True, says=f"{folder} is not there yet; the first run makes it")
        return
    archive = Archive(folder, read_only=True)
    damaged = list(archive.verify())
    for fault in damaged:
        yield Finding("archive", ok=False, says=fault.message)
    if not damaged:
        yield Finding("archive", ok=True, says=f"{len(archive.files('answers'))} files of answers, every hash holds")


def _warehouse(settings: Settings) -> Iterator[Finding]:
    path = Path(str(settings.warehouse))
    if not path.exists():
        yield Finding("warehouse", ok=True, says=f"{path} is not there yet; the first run makes it")
        return
    if holder(settings.lock) is not None:
        yield Finding("warehouse", ok=True, says="a run is writing it")
        return
    with Warehouse(path, read_only=True) as warehouse:
        rows = warehouse.frame("SELECT count(*) AS n FROM lineage.snapshots")["n"].item()
    yield Finding("warehouse", ok=True, says=f"opens; {rows} snapshots")


def _service(settings: Settings) -> tuple[list[Finding], bool]:
    """Key and credit, by the free methods; whether one of them was refused."""
    if not settings.service.base_url:
        return [Finding("service", ok=False, says="no address; set service.base_url or --base-url")], False
    if settings.api_key is None:
        return [Finding("key", ok=False, says="none; set INNSPECT_API_KEY")], False
    try:
        balance = asyncio.run(_asked(settings))
    except Refused as error:
        return [Finding("key" if isinstance(error, KeyRefused) else "credit", ok=False, says=error.message)], True
    except InnspectError as error:
        return [Finding("service", ok=False, says=error.message)], False
    credit = f"{shown(balance)} on the account"
    return [Finding("key", ok=True, says="valid"), Finding("credit", ok=balance != 0, says=credit)], False


async def _asked(settings: Settings) -> int | None:
    assert settings.api_key is not None
    # A ledger of its own for a moment: looking must not touch the one that a run may be writing.
    with TemporaryDirectory() as folder:
        ledger = Ledger.open(Path(folder) / "ledger.sqlite", utc_now, settings.source_timezone)
        try:
            async with (
                LedgerFront(ledger, Caps()) as front,
                Client(settings.service, settings.api_key, front, settings.budget.price_kopecks, utc_now) as client,
            ):
                await client.ping()
                return (await client.account()).balance
        finally:
            ledger.close()
