"""The command `report`: write the report of a portfolio."""

import json
from datetime import datetime
from pathlib import Path

import typer

from innspect.cli._console import make_console
from innspect.cli._options import CliOptions
from innspect.cli._reading import open_warehouse_to_read, tell_publication_time
from innspect.extract.clock import Clock
from innspect.flows.open_home import utc_now
from innspect.flows.publish import COPY
from innspect.flows.write_report import find_dossiers, write_report
from innspect.reports.change_query import parse_since, resolve_portfolio
from innspect.reports.portfolio_report.build import ReportOptions, build_report, latest_portfolio, report_file_name
from innspect.schemas.errors import UsageError
from innspect.warehouse.database import Warehouse
from innspect.warehouse.publish.reader import PublishedCopy, find_publication_time, read_copy_in_bounds


def report(
    options: CliOptions,
    portfolio: str | None,
    language: str | None,
    out: Path | None,
    since: str | None,
    now: Clock = utc_now,
    *,
    published: bool = False,
) -> int:
    """Write the report; with `published` that of the published copy and its moment.

    Raises UsageError for an unknown portfolio or language, an invalid date, a file that cannot be written or is no HTML
    file, and if there is no warehouse or copy.
    """
    if language not in (None, "ru", "en"):
        raise UsageError(f"There is no language {language}; choose ru or en.", lang=language)
    if out is not None and out.suffix.lower() not in ("", ".html", ".htm"):
        raise UsageError(f"The report is an HTML page; name a file *.html instead of {out}.", file=str(out))
    settings = options.settings()
    moment = None if since is None else parse_since(since, settings.source_timezone, now())
    chosen = language or settings.report.language

    def build(source: Warehouse | PublishedCopy) -> tuple[str, Path, datetime, str]:
        name = latest_portfolio(source) if portfolio is None else resolve_portfolio(source, portfolio)
        path = out or settings.reports_folder / report_file_name(name)
        report_options = ReportOptions(name, chosen, moment, find_dossiers(path.parent))
        as_of = now() if isinstance(source, Warehouse) else find_publication_time(source)
        return name, path, as_of, build_report(source, report_options, settings.source_timezone, as_of)

    if published:
        name, path, as_of, html = read_copy_in_bounds(settings.published_folder / COPY, build)
        tell_publication_time(as_of)
    else:
        with open_warehouse_to_read(settings) as warehouse:
            name, path, _, html = build(warehouse)
    write_report(path, html, is_named=out is not None)
    if options.json:
        result = {
            "portfolio": name,
            "language": chosen,
            "report": str(path),
            "bytes": len(html.encode()),
        }
        typer.echo(json.dumps(result, ensure_ascii=False))
    else:
        make_console().print(f"The report of {name} is {path}.", soft_wrap=True)
    return 0
