"""The three stores of one home, opened together and held by one run at a time."""

import errno
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from innspect.extract.archive.archive import Archive
from innspect.extract.home.home_id import identity
from innspect.extract.home.lock import Lock
from innspect.extract.home.tombstones import Tombstones
from innspect.extract.ledger.ledger import Ledger
from innspect.flows.executors import Compute, computing
from innspect.schemas.errors import DiskFull, SettingsError, UsageError
from innspect.schemas.settings import Settings
from innspect.warehouse.database import Warehouse
from innspect.warehouse.location import Lake, warehouse_at
from innspect.warehouse.opening import open_warehouse

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The time in UTC, without zone: how every instant is kept."""
    return datetime.now(UTC).replace(tzinfo=None)


@dataclass(frozen=True, slots=True)
class Stores:
    """Ledger, archive and warehouse. `home` tells whose runs and answers are ours where homes share a ledger.

    `sign` is what run ids have of the home's name where homes share a ledger, an archive or a warehouse.
    """

    ledger: Ledger
    archive: Archive
    warehouse: Warehouse
    home: str = ""
    sign: str = ""
    compute: Compute = field(default_factory=Compute)


@contextmanager
def held(settings: Settings) -> Generator[None]:
    """The home, made where it is not there, and held. Raises SettingsError, DiskFull and StoresHeld."""
    with ExitStack() as stack:
        with home_faults(settings.home):
            settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
            stack.enter_context(Lock(settings.lock))
        yield


@contextmanager
def home_faults(home: Path) -> Generator[None]:
    """Faults of the home's own files as ours: DiskFull, else SettingsError."""
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
    with home_faults(settings.home):
        return identity(settings.home)


def archive_of(settings: Settings) -> Archive:
    """The archive of a home, which gives nothing to load of whom the home's tombstones name. For who holds the lock."""
    return Archive(settings.archive, tombstones=Tombstones(settings.home))


def archive_there(settings: Settings) -> Archive:
    """The archive to look at, unchanged. Raises UsageError where there is none yet."""
    archive = Archive(settings.archive, read_only=True)
    if not archive.exists():
        raise UsageError(f"There is no archive at {archive.where}; name its home with --home.", path=str(archive.where))
    return archive


def warehouse_of(settings: Settings, *, read_only: bool = False) -> Warehouse:
    """The warehouse of the settings, in a file or on DuckLake, to be closed again. Raises the store's errors."""
    return open_warehouse(warehouse_at(settings.warehouse), settings.archive, read_only=read_only)


def warehouse_there(settings: Settings) -> Path | Lake:
    """Where the warehouse is. Raises UsageError where there is none yet."""
    where = warehouse_at(settings.warehouse)
    if not where.exists():
        raise UsageError(
            f"There is no warehouse at {where}; `innspect run` makes one, or name its folder with --home.",
            path=str(where),
        )
    return where


@contextmanager
def opened(settings: Settings, clock: Clock = utc_now) -> Generator[Stores]:
    """All three, for writing, under the lock of the home.

    Raises SettingsError, StoresHeld where another run holds it, and the stores' own errors.
    """
    with held(settings):
        home = home_name(settings)
        shared = isinstance(settings.archive, str) or isinstance(warehouse_at(settings.warehouse), Lake)
        sign = home or (identity(settings.home) if shared else "")
        archive = archive_of(settings)
        ledger = Ledger.open(settings.ledger, clock, settings.source_timezone)
        try:
            with warehouse_of(settings) as warehouse, computing(settings.compute) as compute:
                yield Stores(ledger, archive, warehouse, home, sign, compute)
        finally:
            ledger.close()
