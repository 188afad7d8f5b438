"""Build a dossier in any of its formats. Writing the file is up to the caller (`innspect.flows.write_dossier`)."""

from dataclasses import dataclass
from enum import StrEnum
from textwrap import shorten

from innspect.reports.dossier.dossier_data import DossierData, DossierRequest, canonical_json, read_dossier
from innspect.schemas.settings.sections import Language
from innspect.warehouse.as_of import Source

MAX_HEAD_CHARS = 60
"""Length of the name in the head of a page."""


class DossierFormat(StrEnum):
    """The formats, which are the extensions of the files."""

    HTML = "html"
    PDF = "pdf"
    XLSX = "xlsx"
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
    if options.format == DossierFormat.JSON:
        return (canonical_json({**data.document(), "sha256": data.sha256}) + "\n").encode()
    # Babel, Jinja and the libraries of the formats take long to import.
    from innspect.reports.dossier.dossier_page import display_name, render_page  # noqa: PLC0415
    from innspect.reports.i18n.catalog import translations  # noqa: PLC0415

    t = translations(options.language, options.zone)
    if options.format == DossierFormat.XLSX:
        from innspect.reports.dossier.workbook import write_workbook  # noqa: PLC0415

        return write_workbook(data, t)
    html = render_page(data, t)
    if options.format == DossierFormat.HTML:
        return html.encode()
    from innspect.reports.dossier.pdf import PageHead, print_pdf  # noqa: PLC0415

    name = display_name(data, t)
    head = PageHead(
        title=t("dossier.title", name=name, inn=data.inn),
        left=f"{shorten(name, MAX_HEAD_CHARS, placeholder='…')} · {t('inn')} {data.inn}",
        right=t("dossier.as_of", at=t.date_time(data.moment, seconds=True), zone=t.zone),
        below=f"SHA-256 {data.sha256}",
        page=t("dossier.page"),
        of=t("dossier.of"),
    )
    return print_pdf(html, head, data.moment)
