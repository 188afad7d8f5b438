"""Evidence: from a block of a company to each answer about it, and to the answer's exact bytes."""

import json
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

import polars as pl
import streamlit as st

from innspect.reports.dashboard import url_state as address
from innspect.reports.dashboard.badges import facts, labelled, plain
from innspect.reports.dashboard.page_context import View
from innspect.schemas.tables import tables_of

BLOCKS = "SELECT DISTINCT block FROM lineage.snapshots WHERE inn = $inn ORDER BY block"
ANSWERS = """
SELECT s.asked_at, s.state, s.reason, s.method, s.collected_at, s.from_local, r.charged_rub, r.run_id, r.response_id,
       r.call_id, r.received_at, r.http_status, r.bytes, r.sha256, r.archive_file, s.snapshot_id, s.version_id
FROM lineage.snapshots s JOIN lineage.responses r USING (response_id)
WHERE s.inn = $inn AND s.block = $block ORDER BY s.asked_at DESC, s.snapshot_id
"""
STORED = """
SELECT table_name FROM duckdb_tables() WHERE schema_name = 'core' AND database_name = current_database()
"""
READABLE = 200_000
"""Bytes of an answer that a page shows; the file has all."""


def show(view: View, inn: str) -> None:
    """The tab."""
    words = view.words
    blocks = view.frame(BLOCKS, inn=inn)["block"].to_list()
    if not blocks:
        st.info(words("no_answers"))
        return
    if st.session_state.get("block") not in (None, *blocks):
        del st.session_state["block"]
    address.take("block", blocks)
    block = str(st.selectbox(words("block"), blocks, key="block"))
    address.put("block", block)
    answers = view.frame(ANSWERS, inn=inn, block=block).to_dicts()
    number = st.selectbox(
        words("answer"),
        range(len(answers)),
        format_func=lambda place: (
            f"{answers[place]['asked_at']:%Y-%m-%d %H:%M:%S} · {answers[place]['method']} · "
            + labelled(answers[place]["state"], words)
        ),
        key=f"answer_{inn}_{block}",
    )
    answer = answers[number]
    cells = [
        (name, "—" if value is None else view.cell(value) if name != "http_status" else str(value))
        for name, value in answer.items()
        if name != "state"
    ]
    st.html(facts([], [[f"<code>{name}</code>", escape(cell)] for name, cell in cells]))
    _rows(view, block, answer["version_id"])
    _bytes(view, answer)
    view.sql(ANSWERS)


def _rows(view: View, block: str, version_id: str | None) -> None:
    """What the version that was known after the answer holds, table by table."""
    if version_id is None:
        return
    stored = set(view.frame(STORED)["table_name"])
    for table in tables_of(block):
        if table.name in stored:
            query = f'SELECT * EXCLUDE (version_id, inn) FROM core."{table.name}" WHERE version_id = $version'
            rows = view.frame(query, version=version_id)
            if not rows.is_empty():
                with st.expander(f"core.{table.name} · {rows.height}"):
                    st.dataframe(rows, key=f"rows_{table.name}", hide_index=True, placeholder="NULL")


def _bytes(view: View, answer: dict[str, Any]) -> None:
    words, file = view.words, str(answer["archive_file"])
    if view.archive is None:
        st.info(words("bytes_private"))
        return
    body = read_body(view.archive, file, str(answer["response_id"]))
    if body is None:
        st.info(words("bytes_away", file=plain(file)))
        return
    if sha256(body).hexdigest() != answer["sha256"]:
        st.error(words("bytes_bad", file=plain(file)))
        return
    st.success(words("bytes_ok"), icon=":material/verified:")
    if len(body) > READABLE:
        st.caption(words("bytes_long", shown=words.number(READABLE), of=words.number(len(body))))
    with st.container(height=420):
        st.code(readable(body), language="json", wrap_lines=True)
    st.download_button(
        words("download_body"), body, file_name=f"{answer['response_id']}.json", mime="application/octet-stream",
        on_click="ignore", key="body",
    )  # fmt: skip


def read_body(archive: Path, file: str, response_id: str) -> bytes | None:
    """The bytes of an answer, from the sealed file that holds it; None without the file, empty where it is damaged."""
    path = (archive / file).resolve()
    if not path.is_relative_to(archive.resolve()) or not path.is_file():
        return None
    try:
        found = pl.scan_parquet(path).filter(pl.col("response_id") == response_id).select("body").collect()
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return b""
    return found["body"][0] if found.height else b""


def readable(body: bytes) -> str:
    """The beginning of a body as a person reads it: JSON with indents where it is JSON."""
    try:
        text = json.dumps(json.loads(body), ensure_ascii=False, indent=2)
    except ValueError:
        text = body.decode("utf-8", "replace")
    return text[:READABLE]
