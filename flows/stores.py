"""The three stores of one home, opened together and held by one run at a time."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from extract.archive import Archive
from extract.ledger import Ledger
from extract.lock import hold
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
def opened(settings: Settings, clock: Clock = utc_now) -> Generator[Stores]:
    """All three, for writing, under the lock of the home.

    Raises StoresHeld where another run holds it, and the stores' own errors.
    """
    settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    with hold(settings.lock):
        archive = Archive(Path(str(settings.archive)))
        ledger = Ledger.open(settings.ledger, clock, settings.source_timezone)
        try:
            with Warehouse(Path(str(settings.warehouse)), archive.folder) as warehouse:
                yield Stores(ledger, archive, warehouse)
        finally:
            ledger.close()
