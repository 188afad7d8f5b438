"""Checks of `doctor`: versions, home folder, stores, Prefect server and service; each failure says what to do."""

import asyncio
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from pathlib import Path
from typing import TypeVar

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from innspect.extract.archive.archive import Archive
from innspect.extract.archive.erasure import ERASURE_COLUMNS, find_files_to_erase
from innspect.extract.clock import describe_skew
from innspect.extract.home.home_id import read_home_id
from innspect.extract.home.lock import find_holder, read_process_id
from innspect.extract.home.provenance import read_provenance
from innspect.extract.home.tombstones import Tombstones
from innspect.extract.ledger.account import AccountFigures, AccountResponse
from innspect.extract.ledger.ledger import Ledger
from innspect.extract.service.client import ServiceClient
from innspect.flows.account_summary import AccountSummary, summarize_account
from innspect.flows.executors import AUTO, MIN_RESPONSES_FOR_CLUSTER, auto_workers, open_executor
from innspect.flows.open_home import (
    describe_damaged_responses,
    describe_lost_ledger,
    describe_lost_responses,
    describe_responses_ahead,
    has_shared_stores,
    open_warehouse,
    utc_now,
)
from innspect.flows.sandbox_process import service_provenance
from innspect.reports.format import format_count, format_roubles
from innspect.reports.i18n.catalog import count_of
from innspect.schemas.errors import InnspectError, KeyRefused, Refused, StoreError, first_line
from innspect.schemas.settings import Settings
from innspect.warehouse.load.load import loaded_response_files
from innspect.warehouse.location import parse_location

T = TypeVar("T")
LIBRARIES = ("duckdb", "polars", "pandera", "prefect", "httpx", "msgspec", "sqlalchemy")
MIN_FREE_BYTES = 2**30
MAX_LISTED_PATHS = 5
MAX_CLOCK_SKEW_SECONDS = 120.0
"""Allows for the duration of a response; caps and ages are counted in days."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check: ok, or what is wrong and what to do. `warning`: runs work, but somebody should act."""

    check: str
    ok: bool
    says: str
    warning: bool = False


def versions(_: Settings) -> Iterator[Finding]:
    """Python and the packages are the versions that innspect requires."""
    required_python = metadata("innspect")["Requires-Python"]
    python = sys.version.split()[0]
    wrong = [] if SpecifierSet(required_python).contains(python) else [f"Python {python}"]
    for line in requires("innspect") or []:
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate():
            try:
                installed = version(requirement.name)
            except PackageNotFoundError:
                wrong.append(f"{requirement.name} is missing")
            else:
                if not requirement.specifier.contains(installed, prereleases=True):
                    wrong.append(f"{requirement.name} {installed} is not {requirement.specifier}")
    if wrong:
        says = f"{', '.join(wrong)}; `make demo` installs the locked versions, on Python {required_python}"
        yield Finding("versions", ok=False, says=says)
    else:
        libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
        yield Finding("versions", ok=True, says=f"innspect {version('innspect')}, Python {python}, {libraries}")


def home(settings: Settings) -> Iterator[Finding]:
    """Location of the home folder."""
    missing = "" if settings.home.is_dir() else " does not exist yet; the first run creates it"
    yield Finding("home", ok=True, says=f"{settings.home}{missing}")


def disk(settings: Settings) -> Iterator[Finding]:
    """The disk of the home folder has free space."""
    folder = next(folder for folder in (settings.home, *settings.home.resolve().parents) if folder.exists())
    free = shutil.disk_usage(folder).free
    says = f"{free / 2**30:.1f} GiB free"
    if free < MIN_FREE_BYTES:
        says += f" at {folder}; free some: `du -xh --max-depth=2 {folder} | sort -h` shows the largest folders"
    yield Finding("disk", ok=free >= MIN_FREE_BYTES, says=says)


def permissions(settings: Settings) -> Iterator[Finding]:
    """Only the owner can read the stores: they hold personal data."""
    stores = (settings.home, settings.ledger, settings.archive, settings.warehouse)
    roots = [path for path in map(Path, map(str, stores)) if path.exists()]
    # The home usually contains the other stores.
    roots = [path for path in roots if path is roots[0] or not path.resolve().is_relative_to(roots[0].resolve())]
    exposed = [path for root in roots for path in _find_exposed_paths(root)]
    if exposed:
        listed = ", ".join(map(str, exposed[:MAX_LISTED_PATHS]))
        if len(exposed) > MAX_LISTED_PATHS:
            listed += f" and {len(exposed) - MAX_LISTED_PATHS} more"
        says = f"other users can access {listed}; correct it with `chmod -R go-rwx {' '.join(map(str, roots))}`"
        yield Finding("permissions", ok=False, says=says)
    else:
        yield Finding("permissions", ok=True, says="only you can read the stores")


def _find_exposed_paths(root: Path) -> Iterator[Path]:
    inside = (Path(folder) / name for folder, folders, files in os.walk(root) for name in (*folders, *files))
    for path in (root, *inside):
        if not path.is_symlink() and path.exists() and path.stat().st_mode & 0o077:
            yield path


def lock(settings: Settings) -> Iterator[Finding]:
    """The lock of the home is free or held by a live run."""
    pid = find_holder(settings.lock)
    stale_pid = read_process_id(settings.lock) if pid is None else None
    if pid:
        yield Finding("lock", ok=True, says=f"held by the run of process {pid}")
    elif pid == 0:
        says = f"held by an unknown process; `fuser -v {settings.lock}` shows which"
        yield Finding("lock", ok=False, says=says)
    elif stale_pid is not None:
        says = f"stale: process {stale_pid} was killed; complete its work with `innspect plan PORTFOLIO` (free)"
        yield Finding("lock", ok=False, says=says)
    else:
        yield Finding("lock", ok=True, says="free")


def ledger(settings: Settings) -> Iterator[Finding]:
    """The ledger is readable, its totals are consistent, and its outbox is empty."""
    where = settings.ledger
    if isinstance(where, Path) and not where.exists():
        yield Finding("ledger", ok=True, says=f"{where} does not exist yet; the first run creates it")
        return
    try:
        opened_ledger = Ledger.open(where, utc_now, settings.source_timezone)
    except StoreError as error:
        if isinstance(where, Path):
            raise
        says = f"{first_line(error).rstrip('.')}; start the database or correct stores.ledger"
        yield Finding("ledger", ok=False, says=says)
        return
    remedy = f"stop all runs and restore {where} from a copy" if isinstance(where, Path) else "restore the database"
    try:
        home_id = read_home_id(settings.home) if settings.stores.ledger else ""
        faults, figures = opened_ledger.find_faults(), opened_ledger.figures()
        suffix = read_home_id(settings.home) if has_shared_stores(settings) else ""
        loss = describe_lost_ledger(opened_ledger, Archive(settings.archive, read_only=True), suffix, utc_now())
        damaged = opened_ledger.damaged_responses(home_id)
        unsealed = opened_ledger.count_outbox(home_id) - len(damaged)
    except StoreError as error:
        # Pages may be damaged so that even the consistency check fails.
        yield Finding("ledger", ok=False, says=f"{error.message.partition(';')[0]}; {remedy}")
        return
    finally:
        opened_ledger.close()
    for fault in faults:
        yield Finding("ledger", ok=False, says=f"{fault.rstrip('.')}; {remedy}")
    if loss:
        yield Finding("ledger", ok=False, says=loss)
    elif not faults:
        amounts = f"{format_roubles(figures.settled)} settled, {format_roubles(figures.unknown)} unknown"
        yield Finding("ledger", ok=True, says=f"consistent; {amounts}")
    if damaged:
        yield Finding("outbox", ok=False, says=describe_damaged_responses(damaged))
    if unsealed and find_holder(settings.lock) is None:
        says = (
            f"{count_of(unsealed, 'response', 'is', 'are')} not sealed and no run is in progress; seal and load with "
            "`innspect plan PORTFOLIO` (free)"
        )
        yield Finding("outbox", ok=False, says=says)


def archive(settings: Settings) -> Iterator[Finding]:
    """Every archive file and body matches its hash, and no erased response is left."""
    files = Archive(settings.archive, read_only=True)
    if not files.exists():
        yield Finding("archive", ok=True, says=f"{files.where} does not exist yet; the first run creates it")
        return
    damages = list(files.verify())
    for damage in damages:
        yield Finding("archive", ok=False, says=damage.message.rstrip("."))
    if not damages:
        yield Finding(
            "archive", ok=True, says=f"{count_of(len(files.files('answers')), 'file')} of responses, all hashes match"
        )
        yield from _check_tombstones(settings, files)


def _check_tombstones(settings: Settings, files: Archive) -> Iterator[Finding]:
    tombstones = Tombstones(settings.home)
    if tombstones.is_unfinished and find_holder(settings.lock) is None:
        says = "an erasure was interrupted; complete it with `innspect forget`"
        yield Finding("tombstones", ok=False, says=says)
        return
    restored = [file for kind in ERASURE_COLUMNS for file in find_files_to_erase(files, kind, tombstones)]
    if restored:
        says = (
            f"{count_of(len(restored), 'archive file', 'contains', 'contain')} erased data, {restored[0]} first; run "
            "`innspect forget`"
        )
        yield Finding("tombstones", ok=False, says=says)


def warehouse(settings: Settings) -> Iterator[Finding]:
    """The warehouse can be opened and was not written by a newer version."""
    try:
        where = parse_location(settings.warehouse)
        if not where.exists():
            yield Finding("warehouse", ok=True, says=f"{where} does not exist yet; the first run creates it")
            return
    except InnspectError as error:
        # A DuckLake with a wrong address, or whose catalogue does not respond.
        yield Finding("warehouse", ok=False, says=error.message.rstrip("."))
        return
    if isinstance(where, Path) and find_holder(settings.lock) is not None:
        yield Finding("warehouse", ok=True, says="a run is writing to it")
        return
    with open_warehouse(settings, read_only=True) as opened_warehouse:
        if not opened_warehouse.has_tables():
            says = f"{where} has no tables: a full disk interrupted its creation; the next run creates them"
            yield Finding("warehouse", ok=True, says=says, warning=True)
            return
        rows = opened_warehouse.query("SELECT count(*) AS n FROM lineage.snapshots")["n"].item()
        missing = loaded_response_files(opened_warehouse).difference(
            Archive(settings.archive, read_only=True).files("answers")
        )
        loss = describe_lost_responses(opened_warehouse, settings)
        ahead = describe_responses_ahead(opened_warehouse, settings, utc_now())
        writers = opened_warehouse.query("SELECT DISTINCT software_version AS v FROM lineage.runs")["v"].drop_nulls()
    if missing:
        says = (
            f"{count_of(len(missing), 'archive file')} of loaded responses cannot be found, {min(missing)} first; "
            f"restore {settings.archive} from a copy before `innspect rebuild`, which would lose these responses"
        )
        yield Finding("evidence", ok=False, says=says)
    elif loss and not _has_outbox(settings):
        yield Finding("evidence", ok=True, says=loss, warning=True)
    if ahead:
        yield Finding("times", ok=True, says=ahead, warning=True)
    newest = max((parsed for text in writers if (parsed := parse_version(text)) is not None), default=None)
    installed = parse_version(version("innspect"))
    if newest is not None and installed is not None and newest > installed:
        says = (
            f"{where} was written by innspect {newest}, this is {installed}; install that version (`git pull`, "
            "`make demo`), or name another folder with --home"
        )
        yield Finding("warehouse", ok=False, says=says)
    else:
        yield Finding("warehouse", ok=True, says=f"can be opened; {count_of(rows, 'snapshot')}")


def _has_outbox(settings: Settings) -> bool:
    """Whether responses wait to be sealed: these are not lost. A ledger that does not exist is not created."""
    if isinstance(settings.ledger, Path) and not settings.ledger.exists():
        return False
    ledger = Ledger.open(settings.ledger, utc_now, settings.source_timezone)
    try:
        return ledger.figures().outbox > 0
    finally:
        ledger.close()


def parse_version(text: str) -> Version | None:
    """A version without its local part (after the plus); None for an invalid one."""
    try:
        return Version(text.partition("+")[0])
    except InvalidVersion:
        return None


def compute(settings: Settings) -> Iterator[Finding]:
    """Where responses are transformed; the cluster of the setting responds."""
    setting = settings.compute
    if setting == AUTO:
        auto = auto_workers()
        from_responses = f"for `rebuild` from {format_count(MIN_RESPONSES_FOR_CLUSTER)} responses on"
        effect = (
            f", and a Dask cluster of {auto.number} workers {from_responses}" if auto.number else f"; {auto.reason}"
        )
        yield Finding("compute", ok=True, says=f"auto: this process{effect}")
    elif not setting:
        yield Finding("compute", ok=True, says="this process")
    else:
        with open_executor(setting) as executor:
            workers = executor.workers_alive
        if workers:
            yield Finding("compute", ok=True, says=f"{setting}: a Dask cluster of {workers} workers")
        else:
            says = f"{setting} has no workers, so this process transforms; start some with `dask worker {setting}`"
            yield Finding("compute", ok=True, says=says, warning=True)


def prefect(settings: Settings) -> Iterator[Finding]:
    """The Prefect server responds, if one is set or the settings have schedules."""
    if not settings.schedules and not os.environ.get("PREFECT_API_URL"):
        return
    from innspect.flows.prefect.deployments import check_server  # noqa: PLC0415 (takes three seconds)

    yield Finding("prefect", ok=True, says=f"responds at {check_server()}")


@dataclass(frozen=True, slots=True)
class ServiceCheck:
    """The findings about the service; whether it refuses key or credit; the account, None if it was not read."""

    findings: list[Finding]
    is_refused: bool = False
    account: AccountSummary | None = None


def check_service(settings: Settings) -> ServiceCheck:
    """Key, access, spend, credit and clock, by free methods."""
    if not settings.service.base_url:
        return ServiceCheck([Finding("service", ok=False, says="no address; set service.base_url or --base-url")])
    if settings.api_key is None:
        return ServiceCheck([Finding("key", ok=False, says="no key; set INNSPECT_API_KEY")])
    sent_seq = _use_ledger(settings, Ledger.next_seq)
    try:
        ahead, response = asyncio.run(_request_clock_and_account(settings))
    except Refused as error:
        name = "key" if isinstance(error, KeyRefused) else "credit"
        return ServiceCheck([Finding(name, ok=False, says=error.message.rstrip("."))], is_refused=True)
    except InnspectError as error:
        return ServiceCheck([Finding("service", ok=False, says=error.message.rstrip("."))])
    figures = None
    if sent_seq is not None:
        figures = _use_ledger(settings, lambda opened: _record_account(opened, response, sent_seq))
    if figures is None:
        figures = AccountFigures(response.balance, response.received_at, response)
    account = summarize_account(figures, settings, utc_now())
    findings = [Finding("key", ok=True, says="valid"), *_check_account(settings, response, account)]
    is_used_up = response.balance is not None and response.balance <= 0
    return ServiceCheck([*findings, *_check_clock(ahead)], is_refused=is_used_up, account=account)


async def _request_clock_and_account(settings: Settings) -> tuple[float | None, AccountResponse]:
    """Seconds by which our clock is ahead (None if the service does not report its time), and the account."""
    assert settings.api_key is not None
    async with ServiceClient(settings.service, settings.api_key, utc_now) as client:
        return await client.ping(), await client.account()


def _use_ledger(settings: Settings, use: Callable[[Ledger], T]) -> T | None:
    """The result of `use`; None if there is no ledger, if it cannot be used, or if its home is of another source."""
    where = settings.ledger
    source = service_provenance(settings)
    try:
        if isinstance(where, Path) and not where.exists():
            return None
        recorded = read_provenance(settings.home)
        if recorded and source and recorded != source:
            return None
        opened_ledger = Ledger.open(where, utc_now, settings.source_timezone)
        try:
            return use(opened_ledger)
        finally:
            opened_ledger.close()
    except (InnspectError, OSError):
        # The check of the ledger reports what is wrong with it.
        return None


def _record_account(opened_ledger: Ledger, response: AccountResponse, sent_seq: int) -> AccountFigures:
    opened_ledger.record_account(response, sent_seq)
    return opened_ledger.account_figures()


def _check_account(settings: Settings, response: AccountResponse, account: AccountSummary) -> Iterator[Finding]:
    """Access status, spend and credit; a warning is no failure, since runs work."""
    access = account.access_warning.rstrip(".") or account.access_text
    yield Finding("access", ok=True, says=access, warning=bool(account.access_warning))
    yield Finding("spend", ok=True, says=account.spend_text)
    if account.unrecognised_text:
        yield Finding("account", ok=True, says=f"not recognised in full: {account.unrecognised_text}")
    if response.balance is None:
        yield Finding("credit", ok=True, says="the service does not report the balance")
        return
    keep = settings.budget.keep_balance_kopecks or 0
    says = f"{format_roubles(response.balance)} on the account"
    if response.balance <= keep:
        reserve = f", of which budget.keep_balance_rub reserves {format_roubles(keep)}" if keep else ""
        yield Finding("credit", ok=False, says=f"{says}{reserve}; top up the account")
    elif account.balance_warning:
        yield Finding("credit", ok=True, says=account.balance_warning.rstrip("."), warning=True)
    else:
        yield Finding("credit", ok=True, says=f"{says}; forecast: {account.forecast_text}")


def _check_clock(ahead: float | None) -> list[Finding]:
    """Our clock agrees with the service's: it decides the day of a cap and the age of a response."""
    if ahead is None:
        return []
    if abs(ahead) <= MAX_CLOCK_SKEW_SECONDS:
        return [Finding("clock", ok=True, says="agrees with the clock of the service")]
    return [Finding("clock", ok=False, says=f"{describe_skew(ahead)}; correct it with `timedatectl set-ntp true`")]
