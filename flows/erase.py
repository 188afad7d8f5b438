"""Erase what the tombstones name from ledger, archive, warehouse, published copy and reports.

Every step can be interrupted and repeated. The tombstones are written first and stay marked as unfinished until the
last step is done: the next command finishes an interrupted erasure, and nothing erased is loaded in between.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from innspect.extract.archive.erasure import erase_rows
from innspect.extract.failpoints import failpoint
from innspect.extract.home.home_id import ensure_home_id
from innspect.extract.home.tombstones import Tombstones
from innspect.extract.ledger.ledger import Ledger
from innspect.extract.portfolio.inn import read_inns
from innspect.flows.open_home import (
    Tell,
    hold_home,
    ledger_home_id,
    open_archive,
    open_warehouse_to_write,
    utc_now,
)
from innspect.flows.prepared_copy import remove_prepared
from innspect.flows.publish import COPY, WORKBOOK, publish_copy, remove_previous_parquet
from innspect.flows.rebuild import rebuild_warehouse
from innspect.flows.write_report import write_report
from innspect.reports.portfolio_report.build import DOSSIER_FOLDER, ReportOptions, build_report, report_file_name
from innspect.schemas.errors import WarehouseError
from innspect.schemas.settings import Settings
from innspect.warehouse.erasure_queries import (
    count_responses_before,
    count_rows_about,
    known_inns,
    known_portfolios,
    rejected_values,
)
from innspect.warehouse.load.replace import remove_warehouse
from innspect.warehouse.location import parse_location
from innspect.warehouse.publish.lake_mirror import MIRROR


@dataclass(frozen=True, slots=True)
class ErasureResult:
    """What was erased, as counts.

    `calls` remain in the ledger under a pseudonym. `unsealed_responses` were still in the outbox. Archive `files` were
    rewritten without `responses`, `members` and `rejected` lines. `rows` are those of core and lineage. Of the report
    `pages`, `pages_rewritten` were written again and the others removed.
    """

    calls: int = 0
    unsealed_responses: int = 0
    files: int = 0
    responses: int = 0
    members: int = 0
    rejected: int = 0
    rows: int = 0
    is_rebuilt: bool = False
    is_published: bool = False
    pages: int = 0
    pages_rewritten: int = 0

    def as_json(self) -> dict[str, Any]:
        """The counts in `forget --json` and `archive retain --json`."""
        names = {"unsealed_responses": "waiting", "responses": "answers", "pages_rewritten": "pages_anew"}
        return {names.get(name, name): value for name, value in asdict(self).items()}

    @property
    def is_empty(self) -> bool:
        """Whether nothing had to be erased."""
        return not (self.calls or self.unsealed_responses or self.files or self.is_rebuilt)


def finish_erasure(settings: Settings, tell: Tell | None = None) -> ErasureResult | None:
    """Finish an interrupted erasure; None if there is none. Raises StoresHeld and the errors of the stores."""
    if not Tombstones(settings.home).is_unfinished:
        return None
    with hold_home(settings):
        return erase(settings, Tombstones(settings.home), tell, republish=True)


def erase(
    settings: Settings, tombstones: Tombstones, tell: Tell | None = None, *, republish: bool = False
) -> ErasureResult:
    """Erase everything that the tombstones name. The caller holds the lock of the home.

    `republish` writes the published copy and the reports again even if nothing is left to erase elsewhere, as after an
    interrupted erasure; `tell`: see `open_warehouse_to_write`. Raises the errors of the stores; the erasure stays
    unfinished then.
    """
    calls, unsealed_responses = _erase_from_ledger(settings, tombstones)
    archive = open_archive(settings)
    with archive.rewrite_lock(ensure_home_id(settings.home)):
        rewritten = erase_rows(archive, tombstones)
    remove_prepared(settings.published_folder)
    rows = _count_warehouse_rows(settings, tombstones, tell)
    is_touched = bool(rewritten.files) or rows is None or rows > 0
    has_output = (settings.published_folder / COPY).exists() or bool(_report_files(settings))
    must_republish = has_output and (republish or is_touched or calls > 0)
    # Rebuild instead of DELETE: it corrects counts and samples of drift too, and no page of the old file remains.
    is_rebuilt = is_touched or (must_republish and not parse_location(settings.warehouse).exists())
    if is_rebuilt:
        remove_warehouse(settings.published_folder / MIRROR)
        rebuild_warehouse(settings, archive)
    pages, pages_rewritten, is_published = _republish(settings, tell) if must_republish else (0, 0, False)
    tombstones.mark_finished()
    return ErasureResult(
        calls=calls,
        unsealed_responses=unsealed_responses,
        files=rewritten.files,
        responses=rewritten.answers,
        members=rewritten.members,
        rejected=rewritten.rejected,
        rows=rows or 0,
        is_rebuilt=is_rebuilt,
        is_published=is_published,
        pages=pages,
        pages_rewritten=pages_rewritten,
    )


def _erase_from_ledger(settings: Settings, tombstones: Tombstones) -> tuple[int, int]:
    """Erase from the ledger; the number of calls and of unsealed responses."""
    if isinstance(settings.ledger, Path) and not settings.ledger.exists():
        return 0, 0
    ledger = Ledger.open(settings.ledger, utc_now, settings.source_timezone)
    try:
        return ledger.erase(tombstones, ledger_home_id(settings))
    finally:
        ledger.close()


def _count_warehouse_rows(settings: Settings, tombstones: Tombstones, tell: Tell | None) -> int | None:
    """The number of rows to erase from the warehouse; 0 if there is no warehouse, None if it cannot be read."""
    if not parse_location(settings.warehouse).exists():
        return 0
    try:
        with open_warehouse_to_write(settings, tell) as warehouse:
            forgotten = tombstones.find_forgotten(known_inns(warehouse))
            rows = count_rows_about(warehouse, forgotten)
            rejected = read_inns(pl.Series(rejected_values(warehouse), dtype=pl.String))["inn"].drop_nulls()
            oldest = tombstones.retained_since
            too_old = 0 if oldest is None else count_responses_before(warehouse, oldest)
    except WarehouseError:
        return None
    # An INN of which only calls remain is in none of these rows.
    return rows + len(tombstones.find_forgotten(rejected)) + too_old or len(forgotten)


def _report_files(settings: Settings) -> list[Path]:
    """Dossiers, which name other INNs too, and then the pages of portfolios, which link to them."""
    folder = settings.reports_folder
    return [*sorted((folder / DOSSIER_FOLDER).glob("*")), *sorted(folder.glob("*.html"))]


def _republish(settings: Settings, tell: Tell | None) -> tuple[int, int, bool]:
    """Write the published copy and the reports again; the pages, those rewritten, and whether there is a copy.

    Dossiers are removed, `innspect dossier` makes them again; so is a page whose name belongs to no known portfolio.
    """
    pages, is_published = _report_files(settings), (settings.published_folder / COPY).exists()
    rewritten = 0
    with open_warehouse_to_write(settings, tell) as warehouse:
        if is_published:
            publish_copy(settings, warehouse, xlsx=(settings.published_folder / WORKBOOK).exists())
            remove_previous_parquet(settings)
            failpoint("after publishing what is left")
        portfolios = {report_file_name(name): name for name in known_portfolios(warehouse)}
        for page in pages:
            if page.parent == settings.reports_folder and page.name in portfolios:
                options = ReportOptions(portfolios[page.name], settings.report.language)
                write_report(page, build_report(warehouse, options, settings.source_timezone, utc_now()))
                rewritten += 1
            else:
                page.unlink(missing_ok=True)
    return len(pages), rewritten, is_published
