"""One SELECT over the copy, typed by the user."""

import streamlit as st

from innspect.reports.dashboard import url_state as address
from innspect.reports.dashboard.badges import plain
from innspect.reports.dashboard.page_context import View
from innspect.schemas.errors import UsageError
from innspect.warehouse.publish.reader import SECONDS

ROWS, ROWS_IN_FILE = 1_000, 100_000
EXAMPLE = """SELECT inn, name, s.level, s.score, s.score_unknown
FROM mart.risk_score s JOIN mart.company_profile USING (inn)
ORDER BY s.score DESC LIMIT 20"""
TABLES = """
WITH shown AS (
    SELECT schema_name AS schema, view_name AS name, comment FROM duckdb_views()
    WHERE NOT internal AND database_name = current_database()
    UNION ALL
    SELECT schema_name, table_name, comment FROM duckdb_tables() WHERE database_name = current_database()
)
SELECT schema || '.' || name AS name, comment FROM shown
WHERE schema IN ('mart', 'current', 'lineage', 'core') AND name NOT LIKE '\\_%' ESCAPE '\\'
ORDER BY list_position(['mart', 'current', 'lineage', 'core'], schema), name
"""
COLUMNS = """
SELECT column_name, data_type, comment FROM duckdb_columns()
WHERE schema_name || '.' || table_name = $name AND database_name = current_database() ORDER BY column_index
"""


def show(view: View) -> None:
    """The page."""
    words = view.words
    st.title("SQL")
    address.take("q", usual=EXAMPLE)
    with st.form("query", border=False):
        query = st.text_area(words("sql_label"), height=160, key="q")
        asked = st.form_submit_button(words("run_query"), type="primary", icon=":material/play_arrow:")
    address.put("q", query, usual=EXAMPLE)
    st.caption(words("sql_words", seconds=f"{SECONDS:g}"))
    if asked or st.session_state.get("asked") == query:
        st.session_state["asked"] = query
        _answer(view, query)
    _dictionary(view)


def _answer(view: View, query: str) -> None:
    words = view.words
    try:
        found = view.copy.select(query, ROWS_IN_FILE)
    except UsageError as error:
        st.error(plain(error.message))
        return
    with st.container(key="answer"):
        st.dataframe(found.head(ROWS), key="result", hide_index=True, placeholder="NULL")
    st.caption(words("rows", count=words.number(found.height)))
    if found.height > ROWS:
        st.caption(words("limited", count=words.number(ROWS), most=words.number(ROWS_IN_FILE)))
    view.file(found, "query")


def _dictionary(view: View) -> None:
    words = view.words
    with st.expander(words("dictionary")):
        tables = view.frame(TABLES)
        name = st.selectbox(words("table"), tables["name"].to_list(), key="table", filter_mode="contains")
        st.caption(str(tables.filter(tables["name"] == name)["comment"].first() or ""))
        st.dataframe(view.frame(COLUMNS, name=name), key="columns", hide_index=True, placeholder="")
