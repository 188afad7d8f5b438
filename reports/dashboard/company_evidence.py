"""The responses about a company: from a block to each response, its rows and its exact bytes in the archive."""

import json
from datetime import datetime
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

import polars as pl
import streamlit as st

from innspect.reports.dashboard import url_state
from innspect.reports.dashboard.badges import escape_markdown, html_table, method_title, signed_label
from innspect.reports.dashboard.page_context import PageContext
from innspect.reports.dossier.dossier_page import column_label
from innspect.schemas.tables import tables_of

BLOCKS = "SELECT DISTINCT block FROM lineage.snapshots WHERE inn = $inn ORDER BY block"
RESPONSES = """
SELECT s.asked_at, s.state, s.reason, s.method, s.collected_at, s.from_local, c.charged_rub, r.run_id, r.response_id,
       r.call_id, r.received_at, r.http_status, r.bytes, r.sha256, r.archive_file, s.snapshot_id, s.version_id
FROM lineage.snapshots s JOIN lineage.responses r USING (response_id)
LEFT JOIN lineage.calls c ON c.call_id = r.call_id
WHERE s.inn = $inn AND s.block = $block ORDER BY s.asked_at DESC, s.snapshot_id
"""
CORE_TABLES = """
SELECT table_name FROM duckdb_tables() WHERE schema_name = 'core' AND database_name = current_database()
"""
MAX_SHOWN_BYTES = 200_000


def show(context: PageContext, inn: str) -> None:
    """Draw the tab."""
    t = context.t
    blocks = context.query(BLOCKS, inn=inn)["block"].to_list()
    if not blocks:
        st.info(t("no_responses"))
        return
    if st.session_state.get("block") not in (None, *blocks):
        del st.session_state["block"]
    url_state.restore("block", blocks)
    block = str(st.selectbox(t("block"), blocks, format_func=lambda name: t.label("block", name), key="block"))
    url_state.save("block", block)
    responses = context.query(RESPONSES, inn=inn, block=block).to_dicts()

    def describe(number: int) -> str:
        row = responses[number]
        state = signed_label("state", row["state"], t)
        return f"{t.date_time(row['asked_at'], seconds=True)} · {method_title(row['method'], t)} · {state}"

    number = st.selectbox(t("response"), range(len(responses)), format_func=describe, key=f"response_{inn}_{block}")
    response = responses[number]
    rows = [
        [escape(column_label(name, t)), escape(_format_cell(context, name, value))]
        for name, value in response.items()
        if name != "state"
    ]
    st.html(html_table([], rows))
    _show_rows(context, block, response["version_id"])
    _show_bytes(context, response)
    context.show_query(RESPONSES)


def _format_cell(context: PageContext, name: str, value: Any) -> str:
    if value is None:
        return "—"
    if isinstance(value, datetime):
        return context.t.date_time(value, seconds=True)
    if name == "method":
        return method_title(str(value), context.t)
    if name == "reason":
        return context.t.reason(str(value))
    return str(value) if name == "http_status" else context.format_value(value)


def _show_rows(context: PageContext, block: str, version_id: str | None) -> None:
    """The rows of the version that was known after the response, table by table."""
    if version_id is None:
        return
    published = set(context.query(CORE_TABLES)["table_name"])
    with st.expander(context.t("stored_rows")):
        st.caption(context.t("stored_rows.note"))
        for table in tables_of(block):
            if table.name in published:
                query = f'SELECT * EXCLUDE (version_id, inn) FROM core."{table.name}" WHERE version_id = $version'
                rows = context.query(query, version=version_id)
                if not rows.is_empty():
                    st.markdown(f"`core.{table.name}` · {rows.height}")
                    st.dataframe(rows, key=f"rows_{table.name}", hide_index=True, placeholder="NULL")


def _show_bytes(context: PageContext, response: dict[str, Any]) -> None:
    t, file = context.t, str(response["archive_file"])
    if context.archive is None:
        st.info(t("bytes_private"))
        return
    body = read_body(context.archive, file, str(response["response_id"]))
    if body is None:
        st.info(t("bytes_away", file=escape_markdown(file)))
        return
    if sha256(body).hexdigest() != response["sha256"]:
        st.error(t("bytes_bad", file=escape_markdown(file)))
        return
    st.success(t("bytes_ok"), icon=":material/verified:")
    if len(body) > MAX_SHOWN_BYTES:
        st.caption(t("bytes_long", shown=t.number(MAX_SHOWN_BYTES), total=t.number(len(body))))
    with st.container(height=420):
        st.code(format_body(body), language="json", wrap_lines=True)
    st.download_button(
        t("download_body"), body, file_name=f"{response['response_id']}.json", mime="application/octet-stream",
        on_click="ignore", key="body",
    )  # fmt: skip


def read_body(archive: Path, file: str, response_id: str) -> bytes | None:
    """The bytes of a response from its archive file; None without the file, empty where the file is damaged."""
    path = (archive / file).resolve()
    if not path.is_relative_to(archive.resolve()) or not path.is_file():
        return None
    try:
        rows = pl.scan_parquet(path).filter(pl.col("response_id") == response_id).select("body").collect()
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return b""
    return rows["body"][0] if rows.height else b""


def format_body(body: bytes) -> str:
    """The first MAX_SHOWN_BYTES characters of a body: JSON is indented."""
    try:
        text = json.dumps(json.loads(body), ensure_ascii=False, indent=2)
    except ValueError:
        text = body.decode("utf-8", "replace")
    return text[:MAX_SHOWN_BYTES]
