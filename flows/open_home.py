"""Open a home: ledger, archive, warehouse and executor, under the lock of its folder."""

import errno
import os
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from time import monotonic, sleep

from innspect.extract.archive.archive import Archive
from innspect.extract.clock import Clock
from innspect.extract.home.home_id import ensure_home_id
from innspect.extract.home.lock import Lock
from innspect.extract.home.tombstones import Tombstones
from innspect.extract.ledger.ledger import Ledger
from innspect.flows.executors import Executor, open_executor
from innspect.reports.format import format_roubles
from innspect.reports.i18n.catalog import count_of
from innspect.schemas.errors import DiskFull, InnspectError, SettingsError, StoresHeld, UsageError
from innspect.schemas.settings import Settings
from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import fingerprint
from innspect.warehouse.interrupts import interruptible
from innspect.warehouse.lake import LakeLocation, LakeWarehouse
from innspect.warehouse.load.load import count_lost_responses
from innspect.warehouse.location import open_location, parse_location

MIN_SECONDS_AHEAD = 600.0
"""By which the time of a response is in the future if the clock was wrong, and not only a little fast."""
POLL_SECONDS = 0.5
RUN_ID_DIGITS = 8
"""Digits of a home's id in the ids of its runs."""
Tell = Callable[[str], None]
"""Shows a sentence to the user."""


def utc_now() -> datetime:
    """The time in UTC as a naive datetime; all stored instants have this form."""
    return datetime.now(UTC).replace(tzinfo=None)


def software_version() -> str:
    """The version of the program and the fingerprint of its declarations."""
    return f"{version('innspect')}+{fingerprint()}"


@dataclass(frozen=True, slots=True)
class Stores:
    """The open stores of one home, and the executor that transforms responses.

    `home_id` marks this home's rows in a shared ledger; it is empty if the ledger is not shared. `run_id_suffix` makes
    run ids unique where homes share a ledger, an archive or a warehouse; else it is empty.
    """

    ledger: Ledger
    archive: Archive
    warehouse: Warehouse
    home_id: str = ""
    run_id_suffix: str = ""
    compute: Executor = field(default_factory=Executor)


@contextmanager
def hold_home(settings: Settings) -> Generator[None]:
    """Create the home folder if it is missing and hold its lock. Raises SettingsError, DiskFull and StoresHeld.

    Meanwhile only the owner can read new files of this process, also those that libraries create, such as DuckDB's log.
    """
    with ExitStack() as stack:
        stack.callback(os.umask, os.umask(0o077))
        with translate_home_errors(settings.home):
            settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
            stack.enter_context(Lock(settings.lock))
        yield


@contextmanager
def translate_home_errors(home: Path) -> Generator[None]:
    """Raise DiskFull or SettingsError in place of an OSError from the files of the home folder."""
    try:
        yield
    except OSError as fault:
        if fault.errno in (errno.ENOSPC, errno.EDQUOT):
            message = f"No space is left for the home folder {home}; free some and run again."
            raise DiskFull(message, path=str(home)) from fault
        raise SettingsError(
            f"The home folder {home} cannot be used ({fault.strerror}); name another with --home.", key="home"
        ) from fault


@contextmanager
def open_home(settings: Settings, tell: Tell | None = None, clock: Clock = utc_now) -> Generator[Stores]:
    """Open all stores for writing, under the lock of the home; `tell`: see `open_warehouse_to_write`.

    Raises SettingsError, StoresHeld if another process holds the lock, and the errors of the stores.
    """
    with hold_home(settings):
        _check_ledger_of_home(settings, clock)
        home_id = ledger_home_id(settings)
        run_id_suffix = ensure_home_id(settings.home) if has_shared_stores(settings) else ""
        archive = open_archive(settings)
        ledger = Ledger.open(settings.ledger, clock, settings.source_timezone)
        try:
            if tell is not None:
                damage = describe_damaged_responses(ledger.damaged_responses(home_id))
                for problem in (describe_lost_ledger(ledger, archive, run_id_suffix, clock()), damage):
                    if problem:
                        tell(f"Warning: {problem}.")
            with (
                ledger.hold(home_id),
                open_warehouse_to_write(settings, tell) as warehouse,
                open_executor(settings.compute) as compute,
            ):
                yield Stores(ledger, archive, warehouse, home_id, run_id_suffix, compute)
        finally:
            ledger.close()


def _check_ledger_of_home(settings: Settings, clock: Clock) -> None:
    """Raise SettingsError if `stores.ledger` leaves a ledger behind that has a killed run or unarchived responses."""
    path = settings.ledger_of_home
    if not settings.stores.ledger or not path.exists():
        return
    ledger = Ledger.open(path, clock, settings.source_timezone)
    try:
        responses, unfinished = ledger.count_outbox(), ledger.figures().unfinished
    finally:
        ledger.close()
    if responses or unfinished:
        raise SettingsError(
            f"The ledger {path} has {count_of(responses, 'paid response')} that the archive lacks, and "
            f"{count_of(len(unfinished), 'unfinished run')}; run `innspect plan` once without stores.ledger, free of "
            "charge, and set it then. Nothing was spent.",
            key="stores.ledger",
        )


def describe_lost_ledger(ledger: Ledger, archive: Archive, suffix: str, now: datetime) -> str:
    """A sentence without its end if the ledger lacks runs that the archive has; empty if it has all of this month.

    `suffix`: `Stores.run_id_suffix`, which the runs of this home have in their ids; empty if no others are there.
    """
    if not archive.exists():
        return ""
    if ledger.figures().last_run is None and archive.files("calls"):
        return (
            "The ledger has no run, but the archive has calls: caps of a day and a month count from nothing; restore "
            "the ledger from a copy, or lower these caps for now"
        )
    # The id of a run begins with its start, and caps count no earlier month.
    of_month = {run_id for run_id in archive.run_ids("runs") if run_id.startswith(f"{now:%Y%m}")}
    missing = {run_id for run_id in of_month if f"-{suffix[:RUN_ID_DIGITS]}" in run_id} - {*ledger.run_ids()}
    missing -= {*ledger.run_ids(suffix)}
    if not missing:
        return ""
    return (
        f"The ledger lacks {count_of(len(missing), 'run')} of this month that the archive has, such as {min(missing)}: "
        "caps of a day and a month count without them; restore a newer copy of the ledger, or lower these caps for now"
    )


def describe_damaged_responses(damaged: Sequence[tuple[str, str, str]]) -> str:
    """A sentence without its end about `Ledger.damaged_responses`; empty if there are none."""
    if not damaged:
        return ""
    response_id, method, run_id = damaged[0]
    which = f"{response_id} ({method}, run {run_id}){', …' if damaged[1:] else ''}"
    return (
        f"{count_of(len(damaged), 'response')} in the ledger's outbox cannot be read: {which}; the next run pays for "
        "the data again, unless you repair it ('A damaged response' in docs/operations.md)"
    )


def describe_lost_responses(warehouse: Warehouse, settings: Settings) -> str:
    """A sentence without its end about paid responses that the archive lacks; empty if there are none."""
    count, price = count_lost_responses(warehouse, Tombstones(settings.home).retained_since)
    if not count:
        return ""
    lost = f"{count_of(count, 'paid response')} ({format_roubles(int(price * 100))})"
    return (
        f"{lost} cannot be found: restore the missing files of {settings.archive} from a copy and run "
        "`innspect rebuild`; else the data is requested again at its price"
    )


def has_shared_stores(settings: Settings) -> bool:
    """Whether other homes may use one of the stores too: then run ids contain the id of the home."""
    is_lake = isinstance(parse_location(settings.warehouse), LakeLocation)
    return bool(settings.stores.ledger) or isinstance(settings.archive, str) or is_lake


def describe_responses_ahead(warehouse: Warehouse, settings: Settings, now: datetime) -> str:
    """A sentence without its end about responses that were requested after `now` (UTC); empty if there are none.

    A clock was ahead then. Which response is the latest is decided by the time of the request, in a load as in a
    rebuild, so nothing that is requested meanwhile replaces them.
    """
    after = now + timedelta(seconds=max(MIN_SECONDS_AHEAD, settings.service.max_clock_skew_seconds))
    query = (
        "SELECT count(*) AS responses, count(DISTINCT inn) AS inns, max(asked_at) AS latest, min(run_id) AS run_id "
        "FROM lineage.responses WHERE asked_at > $after"
    )
    (found,) = warehouse.query(query, {"after": after}).to_dicts()
    if not found["responses"]:
        return ""
    which = f"{count_of(found['responses'], 'response')} about {count_of(found['inns'], 'INN')}"
    return (
        f"{which} (run {found['run_id']}) have a time in the future, until {found['latest']:%Y-%m-%d %H:%M} UTC, "
        "because the clock of this machine was ahead: until then they count as the latest and as fresh, and what "
        "--refresh pays for does not replace them; correct the clock with `timedatectl set-ntp true` and wait until "
        f"then, or move the files named after that run out of {settings.archive} and run `innspect rebuild`; what they "
        "have is then requested again at its price"
    )


def ledger_home_id(settings: Settings) -> str:
    """The id of this home in a shared ledger; empty for a ledger in the home, so that the folder can be moved.

    The caller holds the lock of the home.
    """
    if not settings.stores.ledger:
        return ""
    with translate_home_errors(settings.home):
        return ensure_home_id(settings.home)


def open_archive(settings: Settings) -> Archive:
    """The archive for writing; it withholds what the home's tombstones name. The caller holds the lock of the home."""
    return Archive(settings.archive, tombstones=Tombstones(settings.home))


def require_archive(settings: Settings) -> Archive:
    """The archive, read-only. Raises UsageError if there is none."""
    archive = Archive(settings.archive, read_only=True)
    if not archive.exists():
        raise UsageError(f"There is no archive at {archive.where}; name its home with --home.", path=str(archive.where))
    return archive


def open_warehouse(settings: Settings, *, read_only: bool = False) -> Warehouse:
    """Open the warehouse, a file or a DuckLake; the caller closes it. Raises the store's errors."""
    return open_location(parse_location(settings.warehouse), settings.archive, read_only=read_only)


def open_warehouse_to_write(settings: Settings, tell: Tell | None = None) -> Warehouse:
    """Open the warehouse for writing, when no other process has it open any more; the caller closes it.

    A process that reads holds the file for seconds or minutes. After `stores.wait_seconds` StoresHeld is raised.
    `tell`: says once that this waits. The caller holds the lock of the home, so no run is waited for.
    """
    until = monotonic() + settings.stores.wait_seconds
    while True:
        try:
            return open_warehouse(settings)
        except StoresHeld as held:
            if monotonic() >= until:
                raise
            if tell is not None:
                tell(
                    f"Process {held.facts.get('pid') or 'unknown'} has the warehouse {settings.warehouse} open; "
                    f"waiting up to {settings.stores.wait_seconds} s until it closes it."
                )
                tell = None
        sleep(POLL_SECONDS)


def open_existing_warehouse(settings: Settings, tell: Tell | None = None) -> Warehouse:
    """Open the warehouse read-only, a lake by its mirror if that is up to date; the caller closes it.

    A file of another version of the software is brought up to date first, because it lacks new columns; so is one
    whose `raw.responses` does not read the archive, as after a move of the home or a killed run. `tell` says so. If
    that fails, for example because another process reads the file, it is read as it is.
    Raises UsageError if there is none, and its own errors.
    """
    require_warehouse(settings)
    warehouse = open_warehouse(settings, read_only=True)
    if not isinstance(warehouse, LakeWarehouse):
        is_migrated = warehouse.is_migrated()
        if is_migrated and warehouse.reads_archive():
            return warehouse
        warehouse.close()
        if tell is not None:
            why = "does not read its archive yet" if is_migrated else "was written by another version of innspect"
            tell(f"The warehouse {why}. It is brought up to date first, once.")
        with suppress(InnspectError, OSError), interruptible():
            open_warehouse(settings).close()
        return open_warehouse(settings, read_only=True)
    # Only a lake needs it.
    from innspect.warehouse.publish.lake_mirror import MIRROR, find_current_mirror  # noqa: PLC0415

    mirror = find_current_mirror(warehouse, settings.published_folder / MIRROR)
    if mirror is None:
        return warehouse
    warehouse.close()
    return mirror


def require_warehouse(settings: Settings) -> Path | LakeLocation:
    """The location of the warehouse. Raises UsageError if there is none."""
    where = parse_location(settings.warehouse)
    if not where.exists():
        raise UsageError(
            f"There is no warehouse at {where}; create it with `innspect run`, or name its home with --home.",
            path=str(where),
        )
    return where
