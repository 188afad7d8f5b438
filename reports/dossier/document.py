"""Build a dossier in any of its formats. Writing the file is up to the caller (`innspect.flows.write_dossier`)."""

from dataclasses import dataclass
from enum import StrEnum

from innspect.reports.dossier.dossier_data import DossierData, DossierRequest, canonical_json, read_dossier
from innspect.schemas.settings.sections import Language
from innspect.warehouse.as_of import Source


class DossierFormat(StrEnum):
    """The formats, which are the extensions of the files."""

    HTML = "html"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class DossierOptions:
    """Format and language; times are shown in `zone`."""

    format: DossierFormat
    language: Language
    zone: str


def build_dossier(source: Source, request: DossierRequest, options: DossierOptions) -> bytes:
    """The bytes of a dossier: the same for the same request, responses and options.

    Raises UsageError if nothing was known of the INN at the moment, and WarehouseError.
    """
    return encode_dossier(read_dossier(source, request), options)


def encode_dossier(data: DossierData, options: DossierOptions) -> bytes:
    """The bytes of a dossier of this data."""
    # Babel, Jinja and the library of PDF take long to import.
    from innspect.reports.dossier.dossier_page import render_page  # noqa: PLC0415
    from innspect.reports.i18n.catalog import translations  # noqa: PLC0415

    if options.format == DossierFormat.JSON:
        return (canonical_json({**data.document(), "sha256": data.sha256}) + "\n").encode()
    return render_page(data, translations(options.language, options.zone)).encode()
