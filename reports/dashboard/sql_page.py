"""The page of SQL: one SELECT of the user on the copy, and the tables with their comments."""

import streamlit as st

from innspect.reports.dashboard import url_state
from innspect.reports.dashboard.badges import escape_markdown
from innspect.reports.dashboard.page_context import PageContext
from innspect.schemas.errors import UsageError
from innspect.warehouse.publish.reader import QUERY_TIMEOUT_SECONDS

MAX_SHOWN_ROWS, MAX_FILE_ROWS = 1_000, 100_000
EXAMPLE = """SELECT inn, name, s.level, s.score, s.score_at_most, s.level_at_most
FROM mart.risk_score s JOIN mart.company_profile USING (inn)
ORDER BY s.score DESC LIMIT 20"""
TABLES = """
WITH tables AS (
    SELECT schema_name AS schema, view_name AS name, comment FROM duckdb_views()
    WHERE NOT internal AND database_name = current_database()
    UNION ALL
    SELECT schema_name, table_name, comment FROM duckdb_tables() WHERE database_name = current_database()
)
SELECT schema || '.' || name AS name, comment FROM tables
WHERE schema IN ('mart', 'current', 'lineage', 'core') AND name NOT LIKE '\\_%' ESCAPE '\\'
ORDER BY list_position(['mart', 'current', 'lineage', 'core'], schema), name
"""
COLUMNS = """
SELECT column_name, data_type, comment FROM duckdb_columns()
WHERE schema_name || '.' || table_name = $name AND database_name = current_database() ORDER BY column_index
"""


def show(context: PageContext) -> None:
    """Draw the page."""
    t = context.t
    st.title(t("page.sql"))
    url_state.restore("q", default=EXAMPLE)
    with st.form("query", border=False):
        query = st.text_area(t("sql_label"), height=160, key="q")
        is_submitted = st.form_submit_button(t("run_query"), type="primary", icon=":material/play_arrow:")
    url_state.save("q", query, default=EXAMPLE)
    st.caption(t("sql_note", seconds=f"{QUERY_TIMEOUT_SECONDS:g}"))
    if is_submitted or st.session_state.get("submitted_query") == query:
        st.session_state["submitted_query"] = query
        _show_result(context, query)
    _show_dictionary(context)


def _show_result(context: PageContext, query: str) -> None:
    t = context.t
    try:
        rows = context.copy.select_limited(query, MAX_FILE_ROWS)
    except UsageError as error:
        st.error(escape_markdown(error.message))
        return
    with st.container(key="sql_result"):
        st.dataframe(rows.head(MAX_SHOWN_ROWS), key="result", hide_index=True, placeholder="NULL")
    st.caption(t("rows", count=t.number(rows.height)))
    if rows.height > MAX_SHOWN_ROWS:
        st.caption(t("rows_limited", count=t.number(MAX_SHOWN_ROWS), most=t.number(MAX_FILE_ROWS)))
    context.show_save_buttons(rows, "query", t("page.sql"))


def _show_dictionary(context: PageContext) -> None:
    t = context.t
    with st.expander(t("dictionary")):
        tables = context.query(TABLES)
        name = st.selectbox(t("table"), tables["name"].to_list(), key="table", filter_mode="contains")
        st.caption(str(tables.filter(tables["name"] == name)["comment"].first() or ""))
        st.dataframe(context.query(COLUMNS, name=name), key="columns", hide_index=True, placeholder="")
