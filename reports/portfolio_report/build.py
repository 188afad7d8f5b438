"""Build the report of a portfolio as HTML. Writing the file is up to the caller (`innspect.flows.write_report`)."""

import re
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from innspect.reports.portfolio_report.vega_process import VegaProcess
from innspect.schemas.errors import UsageError
from innspect.schemas.settings.sections import Language
from innspect.warehouse.database import Warehouse
from innspect.warehouse.publish.reader import PublishedCopy

DOSSIER_FOLDER = "dossiers"
"""Folder of dossiers, in the folder of the reports that link to them."""
LATEST_PORTFOLIO = """
SELECT portfolio FROM lineage.portfolio_members m LEFT JOIN lineage.runs r USING (portfolio)
WHERE m.left_at IS NULL GROUP BY portfolio ORDER BY max(coalesce(r.started_at, m.last_seen_at)) DESC, portfolio LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """Portfolio, language, and since when changes are listed (UTC; None: since the previous check)."""

    portfolio: str
    language: Language
    since: datetime | None = None
    dossiers: frozenset[str] = frozenset()
    """INNs with a dossier `dossiers/INN.html` in the folder of the report."""


def build_report(
    source: Warehouse | PublishedCopy,
    options: ReportOptions,
    zone: str,
    made_at: datetime,
    vega: VegaProcess | None = None,
) -> str:
    """The HTML of a report. Times are shown in `zone`; `made_at` is UTC.

    `vega` draws the figures; None starts such a process. Raises WarehouseError, and RuntimeError if a figure fails.
    """
    with VegaProcess() if vega is None else nullcontext(vega) as drawing:
        return _build_page(source, options, zone, made_at, drawing)


def _build_page(
    source: Warehouse | PublishedCopy, options: ReportOptions, zone: str, made_at: datetime, vega: VegaProcess
) -> str:
    # Babel and Jinja take long to import.
    from innspect.reports.i18n.catalog import translations  # noqa: PLC0415
    from innspect.reports.portfolio_report.data import read_report_data  # noqa: PLC0415
    from innspect.reports.portfolio_report.page import render_page  # noqa: PLC0415

    data = read_report_data(source, options.portfolio, options.since)
    return render_page(data, translations(options.language, zone), made_at, vega.render, options.dossiers)


def report_file_name(portfolio: str) -> str:
    """The file name of a portfolio's report; names of different portfolios differ."""
    plain = re.sub(r"[^\w-]+", "_", portfolio)[:60]
    if plain == portfolio:
        return f"{plain}.html"
    return f"{plain}-{sha256(portfolio.encode()).hexdigest()[:8]}.html"


def latest_portfolio(warehouse: Warehouse | PublishedCopy) -> str:
    """The portfolio with members that was checked last. Raises UsageError where there is none."""
    names = warehouse.query(LATEST_PORTFOLIO)["portfolio"].to_list()
    if not names:
        raise UsageError("There is no portfolio with members in this warehouse; check one with `innspect run`.")
    return names[0]
