"""What the tombstones say, done everywhere: ledger, archive, warehouse, published copy, reports.

Each step can be repeated and cut short. The tombstones come first and say that the removal is unfinished until the last
step is done, so whatever dies on the way is finished by the next start; until then nothing of it is loaded any more.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from innspect.extract.archive.erasure import rewrite
from innspect.extract.failpoints import reach
from innspect.extract.home.home_id import identity
from innspect.extract.home.tombstones import Tombstones
from innspect.extract.ledger.ledger import Ledger
from innspect.extract.portfolio.inn import read_inns
from innspect.flows.open_home import archive_of, held, home_name, utc_now, warehouse_of
from innspect.flows.publish import BOOK, COPY, published, withdraw_old
from innspect.flows.rebuild import rebuilt
from innspect.reports.portfolio_report.write import Wanted, file_name, made, write
from innspect.schemas.errors import WarehouseError
from innspect.schemas.settings import Settings
from innspect.warehouse.erasure_queries import answers_before, inns_known, portfolios_known, rows_about, values_rejected
from innspect.warehouse.location import warehouse_at


@dataclass(frozen=True, slots=True)
class Erased:
    """What was removed. `calls` stay in the ledger, under a pseudonym; `waiting` are answers that were not sealed yet.

    `rows` are those of core and lineage, `pages` reports, of which `pages_anew` were made anew.
    """

    calls: int = 0
    waiting: int = 0
    files: int = 0
    answers: int = 0
    members: int = 0
    rejected: int = 0
    rows: int = 0
    is_rebuilt: bool = False
    is_published: bool = False
    pages: int = 0
    pages_anew: int = 0

    def as_json(self) -> dict[str, Any]:
        """What `forget --json` and `archive retain --json` tell."""
        return asdict(self)

    @property
    def nothing(self) -> bool:
        """Whether there was nothing to remove."""
        return not (self.calls or self.waiting or self.files or self.is_rebuilt)


def finish(settings: Settings) -> Erased | None:
    """Bring a removal to its end that was cut short; None without one. Raises StoresHeld and the stores' errors."""
    if not Tombstones(settings.home).unfinished:
        return None
    with held(settings):
        return erase(settings, Tombstones(settings.home), anew=True)


def erase(settings: Settings, tombstones: Tombstones, *, anew: bool = False) -> Erased:
    """Remove all that the tombstones name. The lock of the home is the caller's.

    `anew` makes the published copy and the reports anew even where nothing is left to remove elsewhere: a removal that
    was cut short may not have come to them. Raises the stores' errors; the removal is unfinished then.
    """
    calls, waiting = _from_ledger(settings, tombstones)
    archive = archive_of(settings)
    with archive.alone(identity(settings.home)):
        taken = rewrite(archive, tombstones)
    rows = _in_warehouse(settings, tombstones)
    is_touched = bool(taken.files) or rows is None or rows > 0
    shows = anew or is_touched or calls > 0
    # Rebuilt, and not deleted from: counts and samples of drift come out right, and no page of the old file is left.
    is_rebuilt = is_touched or (shows and _shown(settings) and not warehouse_at(settings.warehouse).exists())
    if is_rebuilt:
        rebuilt(settings, archive)
    pages, pages_anew, is_published = _shown_anew(settings) if shows else (0, 0, False)
    tombstones.finish()
    return Erased(
        calls=calls,
        waiting=waiting,
        files=taken.files,
        answers=taken.answers,
        members=taken.members,
        rejected=taken.rejected,
        rows=rows or 0,
        is_rebuilt=is_rebuilt,
        is_published=is_published,
        pages=pages,
        pages_anew=pages_anew,
    )


def _from_ledger(settings: Settings, tombstones: Tombstones) -> tuple[int, int]:
    if isinstance(settings.ledger, Path) and not settings.ledger.exists():
        return 0, 0
    ledger = Ledger.open(settings.ledger, utc_now, settings.source_timezone)
    try:
        return ledger.erase(tombstones, home_name(settings))
    finally:
        ledger.close()


def _in_warehouse(settings: Settings, tombstones: Tombstones) -> int | None:
    """How many rows are to go; 0 where there is no warehouse, None where it cannot be told."""
    if not warehouse_at(settings.warehouse).exists():
        return 0
    try:
        with warehouse_of(settings) as warehouse:
            found = tombstones.among(inns_known(warehouse))
            rows = rows_about(warehouse, found)
            said = read_inns(pl.Series(values_rejected(warehouse), dtype=pl.String))["inn"].drop_nulls()
            old = 0 if tombstones.since is None else answers_before(warehouse, tombstones.since)
    except WarehouseError:
        return None
    # Somebody of whom only calls are left is in no other row.
    return rows + len(tombstones.among(said)) + old or len(found)


def _shown(settings: Settings) -> bool:
    return (settings.published / COPY).exists() or bool(_pages(settings))


def _pages(settings: Settings) -> list[Path]:
    return sorted(settings.reports.glob("*.html")) if settings.reports.exists() else []


def _shown_anew(settings: Settings) -> tuple[int, int, bool]:
    """Make the published copy and the reports of what is left; pages, pages made anew, and whether there is a copy.

    A page of a portfolio that is not known any more, or that somebody named himself, cannot be made anew and goes.
    """
    pages, is_published, anew = _pages(settings), (settings.published / COPY).exists(), 0
    if not pages and not is_published:
        return 0, 0, False
    with warehouse_of(settings) as warehouse:
        if is_published:
            published(settings, warehouse, xlsx=(settings.published / BOOK).exists())
            withdraw_old(settings)
            reach("after publishing what is left")
        portfolios = {file_name(name): name for name in portfolios_known(warehouse)}
        for page in pages:
            if page.name in portfolios:
                wanted = Wanted(portfolios[page.name], settings.report.language)
                write(page, made(warehouse, wanted, settings.source_timezone, utc_now()))
                anew += 1
            else:
                page.unlink(missing_ok=True)
    return len(pages), anew, is_published
