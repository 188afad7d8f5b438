"""What every page gets: the published copy, the translations, the filter; and the elements that pages share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import streamlit as st
from streamlit.navigation.page import Page

from innspect.reports.dashboard import url_state
from innspect.reports.i18n.catalog import Translations
from innspect.warehouse.publish.reader import PublishedCopy, as_csv

SELECTED_TABLE = "selected"
"""The temporary table of the INNs that pass the filter, one row each."""
INN_PARAMETER = "inn"
MAX_TABLE_ROWS = 5_000


@st.cache_data(max_entries=64, ttl=300, show_spinner=False)
def _query(
    _copy: PublishedCopy,
    version: tuple[str, int, int],  # noqa: ARG001 (cache key, like the next)
    selection: str,  # noqa: ARG001
    sql: str,
    parameters: dict[str, Any],
) -> pl.DataFrame:
    return _copy.query(sql, parameters or None)


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

    @property
    def datetime_format(self) -> str:
        """Day and minute as Streamlit's tables write them (Moment.js)."""
        return f"{self.t.date_pattern.upper()} HH:mm"

    @property
    def axis_date_format(self) -> str:
        """A day as Vega's axes write it (D3)."""
        return self.t.date_pattern.replace("yyyy", "%Y").replace("MM", "%m").replace("dd", "%d")

    def query(self, sql: str, **parameters: Any) -> pl.DataFrame:
        """The rows of a query, cached by the version of the copy and the filter."""
        return _query(self.copy, self.copy.version, self.selection, sql, parameters)

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
        *,
        display: Sequence[pl.Expr] = (),
        opens_company: bool = False,
    ) -> None:
        """Show the first rows of a frame, with a button that saves the whole frame.

        `columns` are the shown columns and their configuration; `display` replaces columns in the table, not in the
        file. With `opens_company`, ticking a row opens its company.
        """
        shown = self.to_local(frame.head(MAX_TABLE_ROWS)).with_columns(display)
        options: dict[str, Any] = {"on_select": "rerun", "selection_mode": "single-row"} if opens_company else {}
        if opens_company:
            st.caption(self.t("tick_row"))
        event = st.dataframe(
            shown,
            key=key,
            hide_index=True,
            column_order=list(columns),
            column_config={name: None for name in frame.columns if name not in columns} | dict(columns),
            placeholder="—",
            **options,
        )
        if opens_company and event.selection.rows:
            self.open_company(str(shown[INN_PARAMETER][event.selection.rows[0]]))
        if frame.height > MAX_TABLE_ROWS:
            st.caption(self.t("first_rows", shown=MAX_TABLE_ROWS, total=frame.height))
        self.show_csv_button(frame, key)

    def show_csv_button(self, frame: pl.DataFrame, name: str) -> None:
        """A button that saves a frame as CSV without formulas."""
        st.download_button(
            self.t("download"),
            lambda: as_csv(frame),
            file_name=f"{name}.csv",
            mime="text/csv",
            key=f"{name}_csv",
            help=self.t("csv_note"),
            on_click="ignore",
        )

    def show_query(self, sql: str) -> None:
        """The query behind a table or chart, folded."""
        with st.expander(self.t("query")):
            st.code(sql.strip(), language="sql", wrap_lines=True)

    def format_value(self, value: Any) -> str:
        """A value that is not NULL as text."""
        if isinstance(value, bool):
            return self.t("true" if value else "false")
        if isinstance(value, Decimal):
            return self.t.number(value, 2)
        if isinstance(value, int | float):
            return self.t.number(value, 0 if float(value).is_integer() else 1)
        if isinstance(value, datetime):
            return self.t.date_time(value)
        if isinstance(value, date):
            return self.t.date(value)
        return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
