"""The dossier of a company for download, made of the published copy when it is asked for."""

from datetime import UTC, datetime
from importlib.metadata import version

import streamlit as st

from innspect.reports.dashboard.page_context import PageContext
from innspect.reports.dossier.document import DossierFormat, DossierOptions, build_dossier
from innspect.reports.dossier.dossier_data import DossierRequest
from innspect.schemas.errors import InnspectError
from innspect.warehouse.ddl import fingerprint

FORMATS = (DossierFormat.PDF, DossierFormat.HTML, DossierFormat.XLSX)


def show(context: PageContext, inn: str) -> None:
    """Draw a button that makes the dossier, and then one for each format."""
    t = context.t
    if not st.button(t("dossier.make"), key=f"dossier_{inn}", icon=":material/description:"):
        return
    moment = datetime.now(UTC).replace(tzinfo=None, microsecond=0)
    request = DossierRequest(inn, moment, f"{version('innspect')}+{fingerprint()}")
    try:
        with st.container(horizontal=True):
            for output_format in FORMATS:
                content = build_dossier(context.copy, request, DossierOptions(output_format, t.language, t.zone))
                st.download_button(
                    f"{t('dossier.file')} ({output_format.upper()})", content, file_name=f"{inn}.{output_format}",
                    on_click="ignore", key=f"dossier_{output_format}",
                )  # fmt: skip
    except InnspectError as error:
        st.info(error.message)
