"""The command `report`: write the report of a portfolio."""

import json
from functools import partial
from pathlib import Path

import typer

from innspect.cli._console import make_console
from innspect.cli._options import CliOptions
from innspect.extract.clock import Clock
from innspect.flows.open_home import open_existing_warehouse, utc_now
from innspect.flows.read_warehouse import open_published
from innspect.flows.write_report import find_dossiers, write_report
from innspect.reports.change_query import parse_since, resolve_portfolio
from innspect.reports.portfolio_report.build import ReportOptions, build_report, latest_portfolio, report_file_name
from innspect.schemas.errors import UsageError
from innspect.warehouse.publish.reader import find_publication_time, read_copy_in_bounds


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

    Raises UsageError for an unknown portfolio or language, an invalid date, and if there is no warehouse or copy.
    """
    if language not in (None, "ru", "en"):
        raise UsageError(f"There is no language {language}; choose ru or en.", lang=language)
    settings = options.settings()
    moment = None if since is None else parse_since(since, settings.source_timezone, now())
    with open_published(settings) if published else open_existing_warehouse(settings) as warehouse:
        name = latest_portfolio(warehouse) if portfolio is None else resolve_portfolio(warehouse, portfolio)
        path = out or settings.reports_folder / report_file_name(name)
        chosen = language or settings.report.language
        report_options = ReportOptions(name, chosen, moment, find_dossiers(path.parent))
        made_at = find_publication_time(warehouse) if published else now()
        build = partial(build_report, options=report_options, zone=settings.source_timezone, made_at=made_at)
        html = read_copy_in_bounds(warehouse.path, build) if published else build(warehouse)
    write_report(path, html)
    if options.json:
        result = {
            "portfolio": name,
            "language": report_options.language,
            "report": str(path),
            "bytes": len(html.encode()),
        }
        typer.echo(json.dumps(result, ensure_ascii=False))
    else:
        make_console().print(f"The report of {name} is {path}.", soft_wrap=True)
    return 0
