"""What every page is given: the copy, the words, and which INNs are chosen."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import streamlit as st
from streamlit.navigation.page import Page

from innspect.reports.dashboard import url_state as address
from innspect.reports.i18n.dashboard import Words
from innspect.warehouse.publish.reader import Published, as_csv

CHOSEN = "chosen"
"""The temporary table of the INNs that pass the filter, one row each."""
INN = "inn"
"""The key of the company page's search, and its parameter in the address."""
SHOWN = 5_000
WHEN = "YYYY-MM-DD HH:mm"


@st.cache_data(max_entries=64, ttl=300, show_spinner=False)
def _read(
    _copy: Published,
    stamp: tuple[str, int, int],  # noqa: ARG001 (this and the next tell one result from another)
    picked: str,  # noqa: ARG001
    query: str,
    parameters: dict[str, Any],
) -> pl.DataFrame:
    return _copy.frame(query, parameters or None)


@dataclass(frozen=True, slots=True)
class View:
    """One rerun of one page. `archive` is None where answers may not be shown."""

    copy: Published
    words: Words
    archive: Path | None
    portfolios: tuple[str, ...]
    picked: str
    """What the filter has picked, as text."""
    chosen: int
    pages: dict[str, Page] = field(default_factory=dict[str, Page])

    def frame(self, query: str, **parameters: Any) -> pl.DataFrame:
        """The rows of a query of ours, read once for each copy and filter."""
        return _read(self.copy, self.copy.stamp, self.picked, query, parameters)

    def open_company(self, inn: str) -> None:
        """Go to the page of a company, by an address that can be kept."""
        st.session_state[INN] = inn
        st.switch_page(self.pages["company"], query_params=[*address.everywhere(), (INN, inn)])

    def table(
        self, frame: pl.DataFrame, key: str, columns: Mapping[str, Any], *, opens: bool = False, missing: str = "—"
    ) -> None:
        """A table of at most `SHOWN` rows with its file; where it `opens`, a ticked row leads to its company.

        `columns` name what is shown and how; the rest of the frame is in the file alone. `missing` stands for NULL.
        """
        shown = frame.head(SHOWN)
        config = {name: None for name in frame.columns if name not in columns} | dict(columns)
        if not opens:
            st.dataframe(
                shown,
                key=key,
                hide_index=True,
                column_order=list(columns),
                column_config=config,
                placeholder=missing,
            )
        else:
            st.caption(self.words("pick_row"))
            event = st.dataframe(
                shown,
                key=key,
                hide_index=True,
                column_order=list(columns),
                column_config=config,
                placeholder=missing,
                on_select="rerun",
                selection_mode="single-row",
            )
            if event.selection.rows:
                self.open_company(str(shown[INN][event.selection.rows[0]]))
        if frame.height > SHOWN:
            st.caption(self.words("first_rows", shown=SHOWN, of=frame.height))
        self.file(frame, key)

    def file(self, frame: pl.DataFrame, name: str) -> None:
        """A button that saves a frame as CSV, defended against formulas."""
        st.download_button(
            self.words("download"),
            lambda: as_csv(frame),
            file_name=f"{name}.csv",
            mime="text/csv",
            key=f"{name}_csv",
            help=self.words("csv_words"),
            on_click="ignore",
        )

    def sql(self, query: str) -> None:
        """The query behind what is shown, folded away."""
        with st.expander(self.words("query")):
            st.code(query.strip(), language="sql", wrap_lines=True)

    def cell(self, value: Any) -> str:
        """A value in words; the caller says what stands for NULL."""
        if isinstance(value, bool):
            return {True: {"ru": "да", "en": "yes"}, False: {"ru": "нет", "en": "no"}}[value][self.words.language]
        if isinstance(value, Decimal):
            return self.words.number(value, 2)
        if isinstance(value, int | float):
            return self.words.number(value, 0 if float(value).is_integer() else 1)
        if isinstance(value, datetime):
            return f"{value:%Y-%m-%d %H:%M:%S}"
        if isinstance(value, date):
            return f"{value:%Y-%m-%d}"
        return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
