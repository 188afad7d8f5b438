"""The report of a portfolio: by the command `report`, and at the end of each run."""

import errno
import json as json_text
import os
import re
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path

import typer
from rich.console import Console

from innspect.cli._console import console
from innspect.cli._options import Given
from innspect.cli.sql import opened
from innspect.flows.open_home import Clock, utc_now
from innspect.reports.change_query import known_portfolio, read_since
from innspect.schemas.errors import DiskFull, InnspectError, StoreError, UsageError
from innspect.schemas.settings import Settings
from innspect.schemas.settings.sections import Language
from innspect.warehouse.database import Warehouse
from innspect.warehouse.publish.reader import Published

COMMAND = 'innspect sql "…"'
LATEST = """
SELECT portfolio FROM lineage.portfolio_members m LEFT JOIN lineage.runs r USING (portfolio)
GROUP BY portfolio ORDER BY max(coalesce(r.started_at, m.last_seen_at)) DESC, portfolio LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which report: of a portfolio, in a language, of changes since a moment in UTC (None: since the check before)."""

    portfolio: str
    language: Language
    since: datetime | None = None


def report(
    given: Given, portfolio: str | None, language: str | None, out: Path | None, since: str | None, now: Clock = utc_now
) -> int:
    """Make the page. Raises UsageError for a portfolio, language, day or file that is none."""
    if language not in (None, "ru", "en"):
        raise UsageError(f"There is no language {language}; choose ru or en.", lang=language)
    settings = given.settings()
    moment = None if since is None else read_since(since, settings.source_timezone, now())
    with opened(given) as warehouse:
        name = _latest(warehouse) if portfolio is None else known_portfolio(warehouse, portfolio)
        wanted = Wanted(name, language or settings.report.language, moment)
        html = made(warehouse, wanted, settings.source_timezone, now())
    path = out or settings.reports / file_name(name)
    write(path, html)
    if given.json:
        told = {"portfolio": name, "language": wanted.language, "report": str(path), "bytes": len(html.encode())}
        typer.echo(json_text.dumps(told, ensure_ascii=False))
    else:
        console().print(f"The report of {name} is {path}.", soft_wrap=True)
    return 0


def after_run(
    settings: Settings, warehouse: Warehouse, portfolio: str, screen: Console, copy: Path | None = None
) -> str | None:
    """The path of the report that a run leaves, None where the settings want none.

    `copy` is the published copy where it says all that the warehouse says: its marts are worked out already.
    A report that cannot be made is a line on the screen, never the run's fault: what was paid for is loaded by then.
    """
    if not settings.report.after_run:
        return None
    path = settings.reports / file_name(portfolio)
    try:
        wanted = Wanted(portfolio, settings.report.language)
        with nullcontext(warehouse) if copy is None else Published(copy) as source:
            html = made(source, wanted, settings.source_timezone, utc_now())
        write(path, html)
    except Exception as error:  # noqa: BLE001 (whatever it is, the run is done and its outcome has to be told)
        reason = error.message if isinstance(error, InnspectError) else f"{type(error).__name__}: {error}"
        screen.print(f"There is no report: {reason.rstrip('.')}; `innspect report` tries again.", soft_wrap=True)
        return None
    return str(path)


def made(warehouse: Warehouse | Published, wanted: Wanted, zone: str, now: datetime) -> str:
    """The HTML of a report."""
    # Templates and what draws take a while to load, which only who wants a report has to pay.
    from innspect.reports.i18n.catalog import words  # noqa: PLC0415
    from innspect.reports.portfolio_report.data import gather  # noqa: PLC0415
    from innspect.reports.portfolio_report.page import SHOWN_GROUPS, page  # noqa: PLC0415

    facts = gather(warehouse, wanted.portfolio, wanted.since, SHOWN_GROUPS)
    return page(facts, words(wanted.language, zone), now, COMMAND)


def file_name(portfolio: str) -> str:
    """The file of a portfolio's report; two portfolios never share one."""
    plain = re.sub(r"[^\w-]+", "_", portfolio)[:60]
    if plain == portfolio:
        return f"{plain}.html"
    return f"{plain}-{sha256(portfolio.encode()).hexdigest()[:8]}.html"


def write(path: Path, html: str) -> None:
    """Put the page in its place, whole or not at all; nobody but its owner may read it.

    Raises DiskFull, and StoreError where it cannot be written.
    """
    beside = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(html)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as fault:
        if fault.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(
                f"No space is left for the report {path}; free some and try again.", path=str(path)
            ) from fault
        message = f"The report {path} cannot be written ({fault.strerror}); name another file with --out."
        raise StoreError(message, path=str(path)) from fault
    finally:
        with suppress(OSError):
            beside.unlink()


def _latest(warehouse: Warehouse) -> str:
    """The portfolio that was checked last. Raises UsageError where there is none."""
    found = warehouse.frame(LATEST)["portfolio"].to_list()
    if not found:
        raise UsageError("There is no portfolio in this warehouse; `innspect run` checks one.")
    return found[0]
