"""What every page gets: the published copy, the translations, the filter; and the elements that pages share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl
import streamlit as st
from streamlit.navigation.page import Page

from innspect.reports.dashboard import url_state
from innspect.reports.dashboard.table_output import (
    MAX_PAPER_ROWS,
    XLSX_TYPE,
    column_title,
    format_value,
    paper_table,
    table_workbook,
)
from innspect.reports.i18n.catalog import Translations
from innspect.reports.portfolio_members import OwnColumns, list_own_columns
from innspect.warehouse.publish.reader import PublishedCopy, as_csv

SELECTED_TABLE = "selected"
"""The temporary table of the INNs that pass the filter, one row each."""
INN_PARAMETER = "inn"
MAX_TABLE_ROWS = 5_000
LINKED_COLUMNS = ("name", "inn")
"""Columns of a table whose HTML leads to the company: the first one that is shown."""
COUNT_AXIS = alt.Axis(format=",d", tickMinStep=1, labelExpr="datum.value % 1 ? '' : datum.label")
"""Labels of a count. Vega puts ticks at halves where the longest bar is 2."""


@st.cache_data(max_entries=64, ttl=300, show_spinner=False)
def _query(
    _copy: PublishedCopy,
    version: tuple[str, int, int],  # noqa: ARG001 (cache key, like the next)
    selection: str,  # noqa: ARG001
    sql: str,
    parameters: dict[str, Any],
) -> pl.DataFrame:
    return _copy.query(sql, parameters or None)


@st.cache_data(max_entries=4, ttl=300, show_spinner=False)
def _own_columns(_copy: PublishedCopy, version: tuple[str, int, int]) -> OwnColumns:  # noqa: ARG001 (cache key)
    return list_own_columns(_copy)


@dataclass(frozen=True, slots=True)
class PageContext:
    """One rerun of one page. `archive` is None where responses may not be shown; `selection` is the filter as text."""

    copy: PublishedCopy
    t: Translations
    archive: Path | None
    portfolios: tuple[str, ...]
    selection: str
    selected_inns: int
    pages: dict[str, Page] = field(default_factory=dict[str, Page])
    queries: list[str] = field(default_factory=list[str])

    @property
    def datetime_format(self) -> str:
        """Day and minute as Streamlit's tables write them (Moment.js)."""
        return f"{self.t.date_pattern.upper()} HH:mm"

    @property
    def axis_date_format(self) -> str:
        """A day as Vega's axes write it (D3)."""
        return self.t.date_pattern.replace("yyyy", "%Y").replace("MM", "%m").replace("dd", "%d")

    @property
    def number_locale(self) -> dict[str, Any]:
        """The separators of numbers as Vega takes them (D3)."""
        sample = self.t.number(1234.5, 1)
        return {"number": {"decimal": sample[-2], "thousands": sample[1], "grouping": [3], "currency": ["", ""]}}

    def query(self, sql: str, **parameters: Any) -> pl.DataFrame:
        """The rows of a query, cached by the version of the copy and the filter."""
        return _query(self.copy, self.copy.version, self.selection, sql, parameters)

    @property
    def own_columns(self) -> OwnColumns:
        """What the portfolio files say about the current members."""
        return _own_columns(self.copy, self.copy.version)

    def with_own_names(self, frame: pl.DataFrame) -> pl.DataFrame:
        """A frame of INNs with the user's own names (`own_name`), NULL where the files have none."""
        return frame.join(
            self.own_columns.members.select("inn", "own_name"), on="inn", how="left", maintain_order="left"
        )

    def published_marts(self) -> set[str]:
        """The names of the marts in the copy; settings can leave some out."""
        tables = self.query("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'mart'")
        return set(tables["table_name"])

    def to_local(self, frame: pl.DataFrame) -> pl.DataFrame:
        """A frame with its instants (UTC) as naive times of the zone."""
        instants = pl.selectors.datetime()
        in_zone = instants.dt.replace_time_zone("UTC").dt.convert_time_zone(self.t.zone)
        return frame.with_columns(in_zone.dt.replace_time_zone(None))

    def open_company(self, inn: str) -> None:
        """Switch to the page of a company, keeping the filter in the URL."""
        st.session_state[INN_PARAMETER] = inn
        parameters = [*url_state.shared_parameters(), (INN_PARAMETER, inn)]
        st.switch_page(self.pages["company"], query_params=parameters)

    def show_table(
        self,
        frame: pl.DataFrame,
        key: str,
        columns: Mapping[str, Any],
        title: str,
        *,
        display: Sequence[pl.Expr] = (),
        essential: Sequence[str] = (),
        opens_company: bool = False,
    ) -> None:
        """Show a frame as a grid, on a phone and on paper as HTML, with buttons that save all its rows.

        `columns` are the shown columns and their configuration, those of HTML can be limited to `essential`; `display`
        replaces columns where people read, not in the CSV file. With `opens_company`, a click into a row opens its
        company.
        """
        shown = self.to_local(frame.head(MAX_TABLE_ROWS)).with_columns(display)
        options: dict[str, Any] = {"on_select": "rerun", "selection_mode": "single-cell"} if opens_company else {}
        with st.container(key=f"grid_{key}"):
            if opens_company:
                st.caption(self.t("click_row"))
            event = st.dataframe(
                shown,
                key=key,
                hide_index=True,
                column_order=list(columns),
                column_config={name: None for name in frame.columns if name not in columns} | dict(columns),
                placeholder="—",
                **options,
            )
            if frame.height > MAX_TABLE_ROWS:
                st.caption(self.t("first_rows", shown=MAX_TABLE_ROWS, total=frame.height))
        if opens_company and event.selection.cells:
            self.open_company(str(shown[INN_PARAMETER][event.selection.cells[0][0]]))
        names = [name for name in essential or columns if name in columns]
        with st.container(key=f"paper_{key}"):
            paper = frame.head(MAX_PAPER_ROWS + 1).with_columns(display)
            link = next((name for name in LINKED_COLUMNS if opens_company and name in names), None)
            st.html(paper_table(paper, {name: columns[name] for name in names}, self.t, frame.height, link=link))
        self.show_save_buttons(frame, key, title, columns=columns, display=display)

    def show_save_buttons(
        self,
        frame: pl.DataFrame,
        name: str,
        title: str,
        *,
        columns: Mapping[str, Any] | None = None,
        display: Sequence[pl.Expr] = (),
    ) -> None:
        """Buttons that save a frame: as a workbook with the shown columns in words, and as CSV with all of them."""
        t = self.t

        def make_workbook() -> bytes:
            shown = columns or dict.fromkeys(frame.columns)
            heads = [column_title(column, config) for column, config in shown.items()]
            rows = self.to_local(frame).with_columns(display).select(list(shown))
            return table_workbook(title, heads, rows, t)

        with st.container(horizontal=True, key=f"save_{name}"):
            st.download_button(
                t("download_xlsx"),
                make_workbook,
                file_name=f"{name}.xlsx",
                mime=XLSX_TYPE,
                key=f"{name}_xlsx",
                icon=":material/download:",
                on_click="ignore",
            )
            st.download_button(
                t("download"),
                lambda: as_csv(frame),
                file_name=f"{name}.csv",
                mime="text/csv",
                key=f"{name}_csv",
                help=t("csv_note"),
                type="tertiary",
                on_click="ignore",
            )

    def show_query(self, sql: str) -> None:
        """Remember the query behind a table or chart for the disclosure at the end of the page."""
        if sql not in self.queries:
            self.queries.append(sql)

    def show_queries(self) -> None:
        """The queries of the page, folded; not on paper."""
        if self.queries:
            with st.container(key="queries"), st.expander(self.t("query")):
                st.code("\n\n".join(f"{query.strip()};" for query in self.queries), language="sql", wrap_lines=True)

    def show_chart(self, chart: alt.Chart, key: str) -> None:
        """A chart with numbers in the notation of the language."""
        st.altair_chart(chart.configure(locale=self.number_locale), key=key)

    def format_value(self, value: Any) -> str:
        """A value that is not NULL as text."""
        return format_value(value, self.t)
