"""The three stores of one home, opened together and held by one run at a time."""

import errno
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from extract.archive import Archive
from extract.identity import identity
from extract.ledger import Ledger
from extract.lock import hold
from extract.tombstones import Tombstones
from schemas.errors import DiskFull, SettingsError
from schemas.settings import Settings
from warehouse.store import Warehouse

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The time in UTC, without zone: how every instant is kept."""
    return datetime.now(UTC).replace(tzinfo=None)


@dataclass(frozen=True, slots=True)
class Stores:
    """Ledger, archive and warehouse. `home` tells whose runs and answers are ours where homes share a ledger."""

    ledger: Ledger
    archive: Archive
    warehouse: Warehouse
    home: str = ""


@contextmanager
def held(settings: Settings) -> Generator[None]:
    """The home, made where it is not there, and held. Raises SettingsError, DiskFull and StoresHeld."""
    with ExitStack() as stack:
        with _home_faults(settings.home):
            settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
            stack.enter_context(hold(settings.lock))
        yield


@contextmanager
def _home_faults(home: Path) -> Generator[None]:
    try:
        yield
    except OSError as fault:
        if fault.errno in (errno.ENOSPC, errno.EDQUOT):
            message = f"No space is left for the home folder {home}; free some and run again."
            raise DiskFull(message, path=str(home)) from fault
        raise SettingsError(
            f"The home folder {home} cannot be used ({fault.strerror}); name another with --home.", key="home"
        ) from fault


def home_name(settings: Settings) -> str:
    """The name under which the ledger knows this home: empty for a ledger of its own, wherever the folder is moved.

    Only for who holds the lock of the home.
    """
    if not settings.stores.ledger:
        return ""
    with _home_faults(settings.home):
        return identity(settings.home)


def archive_of(settings: Settings) -> Archive:
    """The archive of a home, which gives nothing to load of whom the home's tombstones name. For who holds the lock."""
    return Archive(Path(str(settings.archive)), tombstones=Tombstones(settings.home))


@contextmanager
def opened(settings: Settings, clock: Clock = utc_now) -> Generator[Stores]:
    """All three, for writing, under the lock of the home.

    Raises SettingsError, StoresHeld where another run holds it, and the stores' own errors.
    """
    with held(settings):
        home = home_name(settings)
        archive = archive_of(settings)
        ledger = Ledger.open(settings.ledger, clock, settings.source_timezone)
        try:
            with Warehouse(Path(str(settings.warehouse)), archive.folder) as warehouse:
                yield Stores(ledger, archive, warehouse, home)
        finally:
            ledger.close()
