"""Write the report of a portfolio to its file: on request, after an erasure, and at the end of each run."""

import errno
import logging
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from innspect.extract.home.atomic_file import write_atomically
from innspect.extract.log_events import log_event
from innspect.flows.open_home import utc_now
from innspect.reports.portfolio_report.build import DOSSIER_FOLDER, ReportOptions, build_report, report_file_name
from innspect.reports.portfolio_report.vega_process import VegaProcess
from innspect.schemas.errors import DiskFull, InnspectError, StoreError, UsageError, file_problem
from innspect.schemas.settings import Settings
from innspect.warehouse.database import UNUSED_MEMORY_LIMIT, Warehouse
from innspect.warehouse.publish.reader import PublishedCopy, read_copy_in_bounds


def write_report(path: Path, html: str, *, is_named: bool = False) -> None:
    """Write a report; raises as `write_bytes` does."""
    write_bytes(path, html.encode(), is_named=is_named)


def find_dossiers(folder: Path) -> frozenset[str]:
    """The INNs with a dossier that a report in this folder can link to."""
    return frozenset(file.stem for file in (folder / DOSSIER_FOLDER).glob("*.html"))


def write_bytes(path: Path, content: bytes, noun: str = "report", *, is_named: bool = False) -> None:
    """Write a report, dossier or response (`noun`) atomically; only its owner may read it.

    `is_named`: the user has named the file. Raises DiskFull; where it fails otherwise, UsageError for a file that the
    user has named, else StoreError.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomically(path, content)
    except OSError as fault:
        if fault.errno in (errno.ENOSPC, errno.EDQUOT):
            message = f"No space is left for the {noun} {path}; free some and try again."
            raise DiskFull(message, path=str(path)) from fault
        message = f"The {noun} {path} cannot be written ({file_problem(fault)}); name another file with --out."
        raise (UsageError if is_named else StoreError)(message, path=str(path)) from fault


def write_report_after_run(
    settings: Settings,
    warehouse: Warehouse,
    portfolio: str,
    screen: Console,
    copy: Path | None = None,
    build: Callable[..., str] = build_report,
    vega: VegaProcess | None = None,
) -> str | None:
    """Write the report of a run and return its path; None where the settings want none or it failed.

    `copy` is the published copy, if it is up to date: its marts are tables already. `vega` draws the figures. A failure
    is one line on the screen; it never changes the outcome of the run.
    """
    if not settings.report.after_run:
        return None
    path = settings.reports_folder / report_file_name(portfolio)
    try:
        options = ReportOptions(portfolio, settings.report.language, dossiers=find_dossiers(path.parent))

        def build_from(source: Warehouse | PublishedCopy) -> str:
            return build(source, options, settings.source_timezone, utc_now(), vega)

        if copy is None:
            # What the run has read and written takes memory that the marts need.
            warehouse.release_memory()
            html = build_from(warehouse)
        else:
            with warehouse.limited_memory(UNUSED_MEMORY_LIMIT):
                html = read_copy_in_bounds(copy, build_from)
        write_report(path, html)
    except Exception as error:  # noqa: BLE001 (the run is done and its outcome must be reported)
        reason = error.message if isinstance(error, InnspectError) else f"{type(error).__name__}: {error}"
        log_event("report.failed", level=logging.ERROR, portfolio=portfolio, error=reason)
        screen.print(f"No report: {reason.rstrip('.')}. Write it with `innspect report`.", soft_wrap=True)
        return None
    log_event("report.written", portfolio=portfolio, file=path)
    return str(path)
