"""Write the dossier of one INN to its file: on request, and after a check."""

from datetime import datetime, timedelta
from pathlib import Path

from innspect.extract.clock import Clock
from innspect.flows.open_home import software_version, utc_now
from innspect.flows.write_report import write_bytes
from innspect.reports.dossier.document import DossierFormat, DossierOptions, build_dossier
from innspect.reports.dossier.dossier_data import DossierRequest
from innspect.reports.portfolio_report.build import DOSSIER_FOLDER
from innspect.schemas.errors import UsageError
from innspect.schemas.settings import Settings
from innspect.schemas.settings.sections import Language
from innspect.warehouse.database import Warehouse


def write_dossier(
    settings: Settings,
    warehouse: Warehouse,
    inn: str,
    *,
    output_format: DossierFormat = DossierFormat.HTML,
    language: Language | None = None,
    as_of: datetime | None = None,
    out: Path | None = None,
    now: Clock = utc_now,
) -> Path:
    """Write a dossier and return its file; only its owner may read it.

    `as_of`: the moment, UTC; by default now, to the second, so that the command in the dossier makes it again.
    `out`: by default `reports/dossiers/INN.html` in the home. Raises UsageError if nothing was known of the INN at the
    moment, and the errors of `write_bytes`.
    """
    moment = next_second(now()) if as_of is None else as_of
    request = DossierRequest(inn, moment, software_version(), settings.service.person_methods)
    options = DossierOptions(output_format, language or settings.report.language, settings.source_timezone)
    path = out or dossier_path(settings, inn, output_format)
    write_bytes(path, build_dossier(warehouse, request, options), "dossier", is_named=out is not None)
    return path


def read_format(text: str) -> DossierFormat:
    """The format of that name. Raises UsageError for another one."""
    if text not in list(DossierFormat):
        raise UsageError(f"There is no format {text}; choose {', '.join(DossierFormat)}.", format=text)
    return DossierFormat(text)


def next_second(moment: datetime) -> datetime:
    """The moment, rounded up to the second: what was requested within this second is known."""
    return (moment + timedelta(microseconds=999_999)).replace(microsecond=0)


def dossier_path(settings: Settings, inn: str, output_format: DossierFormat = DossierFormat.HTML) -> Path:
    """The file of an INN's dossier in the home."""
    return settings.reports_folder / DOSSIER_FOLDER / f"{inn}.{output_format}"
