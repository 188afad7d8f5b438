"""The command `dossier`: write the document about one INN, or one for each member of a portfolio."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import typer

from innspect.cli._console import make_console
from innspect.cli._options import CliOptions, format_of_file
from innspect.cli._reading import open_warehouse_to_read
from innspect.extract.clock import Clock
from innspect.extract.portfolio.inn import require_inns
from innspect.flows.open_home import open_existing_warehouse, utc_now
from innspect.flows.write_dossier import read_format, write_dossier
from innspect.reports.change_query import resolve_portfolio
from innspect.reports.dossier.document import DossierFormat
from innspect.reports.style import LEVEL_ORDER
from innspect.schemas.errors import UsageError
from innspect.schemas.settings.sections import Language
from innspect.warehouse.database import Warehouse

MEMBERS = """
SELECT m.inn FROM lineage.portfolio_members m LEFT JOIN mart.risk_score s ON s.inn = m.inn
WHERE m.portfolio = $portfolio AND list_contains($levels, coalesce(s.level, 'unknown'))
ORDER BY list_position($levels, coalesce(s.level, 'unknown')), s.score DESC, m.inn
"""


@dataclass(frozen=True, slots=True)
class DossierArguments:
    """The options of the command as typed."""

    inn: str | None
    as_of: str | None
    output_format: str | None
    language: str | None
    out: Path | None
    portfolio: str | None
    level: str | None


def dossier(options: CliOptions, arguments: DossierArguments, now: Clock = utc_now) -> int:
    """Write dossiers. Raises UsageError for wrong arguments and where nothing was known of the INN."""
    output_format, language = _select_format(arguments), _read_language(arguments.language)
    settings = options.settings()
    as_of = None if arguments.as_of is None else read_moment(arguments.as_of, settings.source_timezone, now())
    # A dossier judges its INN and those linked to it; only members are ordered by the level of the warehouse.
    reads_levels = arguments.portfolio is not None
    with open_warehouse_to_read(settings) if reads_levels else open_existing_warehouse(settings) as warehouse:
        inns = _find_inns(warehouse, arguments)
        files: list[Path] = []
        for inn in inns:
            out = arguments.out
            if out is not None and arguments.portfolio is not None:
                out = out / f"{inn}.{output_format}"
            files.append(
                write_dossier(
                    settings, warehouse, inn, output_format=output_format, language=language, as_of=as_of, out=out,
                    now=now,
                )
            )  # fmt: skip
    if options.json:
        written = [{"inn": inn, "file": str(file)} for inn, file in zip(inns, files, strict=True)]
        typer.echo(json.dumps({"format": output_format, "dossiers": written}, ensure_ascii=False))
        return 0
    screen = make_console()
    for inn, file in zip(inns, files, strict=True):
        screen.print(f"The dossier of {inn} is {file}.", soft_wrap=True)
    if not files:
        screen.print("No member of the portfolio has that level; no dossier was written.", soft_wrap=True)
    return 0


def read_moment(text: str, zone: str, now: datetime) -> datetime:
    """The moment in UTC of a day (its end in the time zone, or now if the day has not ended) or of a day and time.

    A time without `Z` or offset is in the time zone. Raises UsageError for any other text and for the future.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(f"{text} is not a date; write --as-of 2026-11-01.", as_of=text) from None
    is_day = moment.time() == time() and len(text.strip()) <= len("2026-11-01")
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=ZoneInfo(zone))
    begin = moment.astimezone(UTC).replace(tzinfo=None)
    if begin > now + timedelta(seconds=1):
        raise UsageError(f"{text} is in the future; name a day up to today with --as-of.", as_of=text)
    if not is_day:
        return begin
    end = (moment + timedelta(days=1)).astimezone(UTC).replace(tzinfo=None) - timedelta(seconds=1)
    return min(end, now.replace(microsecond=0))


def _select_format(arguments: DossierArguments) -> DossierFormat:
    """The format as typed, else that of the extension of the file, by default HTML."""
    name = None if arguments.output_format is None else read_format(arguments.output_format)
    if arguments.out is None or arguments.portfolio is not None:
        return name or DossierFormat.HTML
    return DossierFormat(format_of_file(name, arguments.out, list(DossierFormat)))


def _read_language(text: str | None) -> Language | None:
    if text not in (None, "ru", "en"):
        raise UsageError(f"There is no language {text}; choose ru or en.", lang=text)
    return text


def _find_inns(warehouse: Warehouse, arguments: DossierArguments) -> list[str]:
    if (arguments.inn is None) == (arguments.portfolio is None):
        raise UsageError("Name either one INN or a portfolio with --portfolio.")
    if arguments.inn is not None:
        if arguments.level is not None:
            raise UsageError(
                "--level selects members of a portfolio; name one with --portfolio.", level=arguments.level
            )
        return require_inns([arguments.inn])["inn"].to_list()
    assert arguments.portfolio is not None
    levels = LEVEL_ORDER
    if arguments.level is not None:
        if arguments.level not in levels:
            raise UsageError(f"There is no level {arguments.level}; choose {', '.join(levels)}.", level=arguments.level)
        levels = levels[: levels.index(arguments.level) + 1]
    name = resolve_portfolio(warehouse, arguments.portfolio)
    return warehouse.query(MEMBERS, {"portfolio": name, "levels": levels})["inn"].to_list()
