"""The command `doctor`: one line a check, ok or what to do."""

import asyncio
import json as json_text
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict
from datetime import timedelta
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import typer
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from innspect.cli import doctor_checks as findings
from innspect.cli._console import console
from innspect.cli._options import Given
from innspect.cli.doctor_checks import Finding, own_version
from innspect.cli.run import with_sandbox
from innspect.extract.ledger.async_writer import LedgerFront
from innspect.extract.ledger.ledger import Ledger
from innspect.extract.ledger.operations import Caps
from innspect.extract.service.client import Client
from innspect.flows.open_home import utc_now
from innspect.flows.sandbox_process import sandbox
from innspect.reports.format import shown
from innspect.schemas.errors import Exit, InnspectError, KeyRefused, Refused
from innspect.schemas.settings import Settings

LIBRARIES = ("duckdb", "polars", "pandera", "prefect", "httpx", "msgspec", "sqlalchemy")
SKEW_SECONDS = 120.0
"""So far may our clock be from the service's: an answer takes its time, and caps and ages are counted in days."""


def doctor(given: Given) -> int:
    """Check everything that a run needs; the exit code is that of the worst finding."""
    code = Exit.OK
    with ExitStack() as stack:
        settings = given.settings()
        if given.sandbox:
            settings = with_sandbox(settings, stack.enter_context(sandbox()))
        found: list[Finding] = []
        stores = (findings.home, findings.disk, findings.permissions, findings.lock)
        contents = (findings.ledger, findings.archive, findings.warehouse)
        for check in (versions, *stores, *contents, prefect):
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
    name = check.__name__
    try:
        return list(check(settings))
    except InnspectError as error:
        return [Finding(name, ok=False, says=error.message)]
    except OSError as error:
        return [Finding(name, ok=False, says=f"cannot be looked at ({error}); correct the rights of {settings.home}")]


def versions(_: Settings) -> Iterator[Finding]:
    """Python and the packages, against what this version is made for."""
    told = metadata("innspect")
    python = sys.version.split()[0]
    wrong = [] if SpecifierSet(told["Requires-Python"]).contains(python) else [f"Python {python}"]
    for line in requires("innspect") or []:
        wanted = Requirement(line)
        if wanted.marker is None or wanted.marker.evaluate():
            try:
                found = version(wanted.name)
            except PackageNotFoundError:
                wrong.append(f"{wanted.name} is missing")
            else:
                if not wanted.specifier.contains(found, prereleases=True):
                    wrong.append(f"{wanted.name} {found} is not {wanted.specifier}")
    if wrong:
        says = f"{', '.join(wrong)}; `make demo` puts in what the lock names, on Python {told['Requires-Python']}"
        yield Finding("versions", ok=False, says=says)
    else:
        libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
        yield Finding("versions", ok=True, says=f"innspect {own_version()}, Python {python}, {libraries}")


def prefect(settings: Settings) -> Iterator[Finding]:
    """Whether the Prefect server that is named, or that schedules need, answers."""
    if not settings.schedules and not os.environ.get("PREFECT_API_URL"):
        return
    # Three seconds that only who uses Prefect has to pay.
    from prefect.settings import PREFECT_API_URL  # noqa: PLC0415

    from innspect.flows.prefect.deployments import check_server  # noqa: PLC0415

    address = PREFECT_API_URL.value()
    check_server(address)
    yield Finding("prefect", ok=True, says=f"answers at {urlsplit(str(address)).netloc.rpartition('@')[2]}")


def _service(settings: Settings) -> tuple[list[Finding], bool]:
    """Key and credit, by the free methods; whether one of them was refused."""
    if not settings.service.base_url:
        return [Finding("service", ok=False, says="no address; set service.base_url or --base-url")], False
    if settings.api_key is None:
        return [Finding("key", ok=False, says="none; set INNSPECT_API_KEY")], False
    try:
        ahead, balance = asyncio.run(_asked(settings))
    except Refused as error:
        return [Finding("key" if isinstance(error, KeyRefused) else "credit", ok=False, says=error.message)], True
    except InnspectError as error:
        return [Finding("service", ok=False, says=error.message)], False
    return [Finding("key", ok=True, says="valid"), _credit(settings, balance), *_clock(ahead)], False


def _credit(settings: Settings, balance: int | None) -> Finding:
    if balance is None:
        return Finding("credit", ok=True, says="the service does not tell the balance")
    keep = settings.budget.keep_balance_kopecks or 0
    says = f"{shown(balance)} on the account"
    if balance <= keep:
        least = f", of which budget.keep_balance_rub keeps {shown(keep)}" if keep else ""
        return Finding("credit", ok=False, says=f"{says}{least}; top the account up")
    return Finding("credit", ok=True, says=says)


def _clock(ahead: float | None) -> list[Finding]:
    """Our clock against the service's: the day of a cap and the age of an answer are reckoned by ours."""
    if ahead is None:
        return []
    if abs(ahead) <= SKEW_SECONDS:
        return [Finding("clock", ok=True, says="agrees with the service's")]
    says = f"{timedelta(seconds=round(abs(ahead)))} {'ahead of' if ahead > 0 else 'behind'} the service's"
    return [Finding("clock", ok=False, says=f"{says}; `timedatectl set-ntp true` sets it")]


async def _asked(settings: Settings) -> tuple[float | None, int | None]:
    """How many seconds our clock is ahead, and the balance in kopecks; None for what the service does not tell."""
    assert settings.api_key is not None
    # A ledger of its own for a moment: looking must not touch the one that a run may be writing.
    with TemporaryDirectory() as folder:
        ledger = Ledger.open(Path(folder) / "ledger.sqlite", utc_now, settings.source_timezone)
        try:
            async with (
                LedgerFront(ledger, Caps()) as front,
                Client(settings.service, settings.api_key, front, settings.budget.price_kopecks, utc_now) as client,
            ):
                ahead = await client.ping()
                return ahead, (await client.account()).balance
        finally:
            ledger.close()
