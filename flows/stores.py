"""The three stores of one home, opened together and held by one run at a time."""

import errno
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from extract.archive import Archive
from extract.ledger import Ledger
from extract.lock import hold
from schemas.errors import DiskFull, SettingsError
from schemas.settings import Settings
from warehouse.store import Warehouse

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The time in UTC, without zone: how every instant is kept."""
    return datetime.now(UTC).replace(tzinfo=None)


@dataclass(frozen=True, slots=True)
class Stores:
    """Ledger, archive and warehouse."""

    ledger: Ledger
    archive: Archive
    warehouse: Warehouse


@contextmanager
def held(settings: Settings) -> Generator[None]:
    """The home, made where it is not there, and held. Raises SettingsError, DiskFull and StoresHeld."""
    with ExitStack() as stack:
        try:
            settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
            stack.enter_context(hold(settings.lock))
        except OSError as fault:
            if fault.errno in (errno.ENOSPC, errno.EDQUOT):
                message = f"No space is left for the home folder {settings.home}; free some and run again."
                raise DiskFull(message, path=str(settings.home)) from fault
            raise SettingsError(
                f"The home folder {settings.home} cannot be used ({fault.strerror}); name another with --home.",
                key="home",
            ) from fault
        yield


@contextmanager
def opened(settings: Settings, clock: Clock = utc_now) -> Generator[Stores]:
    """All three, for writing, under the lock of the home.

    Raises SettingsError, StoresHeld where another run holds it, and the stores' own errors.
    """
    with held(settings):
        archive = Archive(Path(str(settings.archive)))
        ledger = Ledger.open(settings.ledger, clock, settings.source_timezone)
        try:
            with Warehouse(Path(str(settings.warehouse)), archive.folder) as warehouse:
                yield Stores(ledger, archive, warehouse)
        finally:
            ledger.close()
