"""The Streamlit script of the dashboard, rerun at every interaction; started by `cli/dashboard.py`."""

import argparse
from functools import partial
from pathlib import Path

import streamlit as st

from innspect.reports.dashboard import (
    changes_page,
    company_page,
    coverage_page,
    filters,
    portfolio_page,
    spend_page,
    sql_page,
    url_state,
)
from innspect.reports.dashboard.badges import escape_markdown
from innspect.reports.dashboard.page_context import PageContext
from innspect.reports.dashboard.page_style import STYLE_SHEET, language_script
from innspect.reports.i18n.catalog import LANGUAGES, Translations, translations
from innspect.schemas.errors import InnspectError
from innspect.warehouse.publish.reader import PublishedCopy

PAGES = {
    "portfolio": (portfolio_page.show, "page.portfolio", ":material/table_view:"),
    "company": (company_page.show, "page.company", ":material/apartment:"),
    "changes": (changes_page.show, "changes", ":material/history:"),
    "coverage": (coverage_page.show, "coverage", ":material/help_center:"),
    "spend": (spend_page.show, "spend", ":material/payments:"),
    "sql": (sql_page.show, "page.sql", ":material/terminal:"),
}
"""URL path: function, title in the catalogue, icon."""
FAVICON = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><circle cx="12" cy="12" r="11" fill="#1971c2"/>
<path d="M6 12l4 4 8-8" fill="none" stroke="#fff" stroke-width="3"/></svg>"""
"""Inline, because Streamlit loads named icons from the network."""
LANGUAGE_NAMES = {"ru": "русский", "en": "English"}
PUBLICATION = """
SELECT p.published_at, p.exclude, r.started_at, r.portfolio
FROM lineage.published p LEFT JOIN lineage.runs r ON r.run_id = p.run_id
"""


def main() -> None:
    """One rerun: open the copy, show one page, close the copy."""
    arguments = _parse_arguments()
    st.set_page_config("innspect", FAVICON, layout="wide")
    st.html(STYLE_SHEET)
    url_state.restore("lang", LANGUAGES, default=arguments.language)
    t = translations(st.session_state["lang"], arguments.timezone)
    try:
        with PublishedCopy(arguments.copy) as copy:
            _show_page(copy, arguments, t)
    except InnspectError as error:
        st.error(escape_markdown(error.message))


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("copy", type=Path)
    parser.add_argument("--archive", type=Path)
    parser.add_argument("--language", choices=LANGUAGES, default=LANGUAGES[0])
    parser.add_argument("--timezone", default="UTC")
    return parser.parse_args()


def _show_page(copy: PublishedCopy, arguments: argparse.Namespace, t: Translations) -> None:
    publication = copy.query(PUBLICATION).row(0, named=True)
    options = filters.filter_options(copy, copy.version)
    with st.sidebar:
        st.caption(t("filters"))
        selection = filters.show_filter(options, t)
        selected, total = filters.select_inns(copy, selection)
        st.caption(t("selected", count=t.number(selected), total=t.number(total)))
        st.button(t("refresh"), icon=":material/refresh:", key="refresh")
        run_at, portfolio = publication["started_at"], publication["portfolio"]
        published = t.date_time(publication["published_at"])
        st.caption(t("as_of", at=published))
        words = t("no_runs") if run_at is None else t("latest_run", at=t.date_time(run_at), portfolio=portfolio)
        st.caption(escape_markdown(words))
        st.caption(t("times", zone=t.zone))
        st.segmented_control(
            t("language"),
            LANGUAGES,
            required=True,
            format_func=LANGUAGE_NAMES.__getitem__,
            key="lang",
            label_visibility="collapsed",
        )
        url_state.save("lang", t.language, default=arguments.language)
    # Responses contain the columns that are excluded from the copy.
    archive = None if publication["exclude"] else arguments.archive
    context = PageContext(copy, t, archive, selection.portfolios, repr(selection), selected)
    for path, (show, title, icon) in PAGES.items():
        context.pages[path] = st.Page(
            partial(show, context), title=t(title), icon=icon, url_path=path, default=path == "portfolio"
        )
    page = st.navigation(list(context.pages.values()))
    with st.container(key="on_paper"):
        st.html(language_script(t), unsafe_allow_javascript=True)
        counts = {"count": t.number(selected), "total": t.number(total)}
        st.caption(escape_markdown(t("selection.paper", **counts, at=published, zone=t.zone)))
    page.run()
    context.show_queries()


main()
