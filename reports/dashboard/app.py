"""The dashboard as Streamlit runs it, from the top at every touch: `main.py COPY [ARCHIVE]`; see flows/dashboard.py."""

import argparse
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from innspect.reports.dashboard import (
    changes_page,
    company_page,
    coverage_page,
    filters,
    portfolio_page,
    spend_page,
    sql_page,
)
from innspect.reports.dashboard import url_state as address
from innspect.reports.dashboard.badges import STYLE, plain
from innspect.reports.dashboard.page_context import View
from innspect.reports.i18n.dashboard import LANGUAGES, Words
from innspect.schemas.errors import InnspectError
from innspect.warehouse.publish.reader import Published

PAGES = {
    "portfolio": (portfolio_page.show, ":material/table_view:"),
    "company": (company_page.show, ":material/apartment:"),
    "changes": (changes_page.show, ":material/history:"),
    "coverage": (coverage_page.show, ":material/help_center:"),
    "spend": (spend_page.show, ":material/payments:"),
    "sql": (sql_page.show, ":material/terminal:"),
}
ICON = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><circle cx="12" cy="12" r="11" fill="#1971c2"/>
<path d="M6 12l4 4 8-8" fill="none" stroke="#fff" stroke-width="3"/></svg>"""
"""The picture of the tab. It stands here, since an icon by name would be fetched from the network."""
NAMES = {"ru": "русский", "en": "English"}
MADE = "SELECT published_at, run_id, exclude FROM lineage.published"


def main() -> None:
    """One rerun: open the copy, show one page, close the copy."""
    arguments = _arguments()
    st.set_page_config("innspect", ICON, layout="wide")
    st.html(STYLE)
    address.take("lang", LANGUAGES, usual=arguments.language)
    words = Words(st.session_state["lang"])
    try:
        with Published(arguments.copy) as copy:
            _rerun(copy, arguments, words)
    except InnspectError as error:
        st.error(plain(error.message))


def _arguments() -> argparse.Namespace:
    reading = argparse.ArgumentParser()
    reading.add_argument("copy", type=Path)
    reading.add_argument("--archive", type=Path)
    reading.add_argument("--language", choices=LANGUAGES, default=LANGUAGES[0])
    return reading.parse_args()


def _rerun(copy: Published, arguments: argparse.Namespace, words: Words) -> None:
    made = copy.frame(MADE).row(0, named=True)
    offered = filters.offer(copy, copy.stamp)
    with st.sidebar:
        st.caption(words("filters"))
        choice = filters.ask(offered, words)
        chosen, everybody = filters.choose(copy, choice)
        st.caption(words("chosen", count=words.number(chosen), of=words.number(everybody)))
        st.button(words("refresh"), icon=":material/refresh:", key="refresh")
        _told_by(made, words)
        st.segmented_control(
            words("language"),
            LANGUAGES,
            required=True,
            format_func=NAMES.__getitem__,
            key="lang",
            label_visibility="collapsed",
        )
        address.put("lang", words.language, usual=arguments.language)
    # What is kept out of the copy stands in the bytes of the answers.
    archive = None if made["exclude"] else arguments.archive
    view = View(copy, words, archive, choice.portfolios, repr(choice), chosen)
    for name, (show, icon) in PAGES.items():
        view.pages[name] = st.Page(
            partial(show, view), title=words(name), icon=icon, url_path=name, default=name == "portfolio"
        )
    st.navigation(list(view.pages.values())).run()


def _told_by(made: dict[str, Any], words: Words) -> None:
    st.caption(words("as_of", at=f"{made['published_at']:%Y-%m-%d %H:%M:%S}"))
    st.caption(words("utc"))
    st.caption(words("no_run") if made["run_id"] is None else words("last_run", run=plain(made["run_id"])))


main()
