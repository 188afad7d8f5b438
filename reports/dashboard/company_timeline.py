"""The timeline of a company: its answers and versions by block, and its changes."""

import altair as alt
import polars as pl
import streamlit as st

from innspect.reports.dashboard.badges import COLOURS
from innspect.reports.dashboard.changes_page import changes_table
from innspect.reports.dashboard.page_context import View

ASKED = """
SELECT s.asked_at, s.block, s.method, s.state, s.reason,
       CASE WHEN s.version_id IS NULL THEN 'no_evidence' WHEN v.first_seen_at = s.asked_at THEN 'new_version'
            ELSE 'same' END AS brought, s.snapshot_id, s.version_id
FROM lineage.snapshots s LEFT JOIN lineage.versions v USING (version_id) WHERE s.inn = $inn ORDER BY s.asked_at, s.block
"""
CHANGED = """
SELECT seen_at, severity, inn, name, meaning, block, table_name, row_key, change, column_name, old_value, new_value,
       known_until, run_id, snapshot_id
FROM mart.changes WHERE inn = $inn ORDER BY seen_at DESC, block, table_name, row_key, column_name
"""
KINDS = ("new_version", "same", "no_evidence")
SHAPES = ("circle", "diamond", "cross")


def show(view: View, inn: str) -> None:
    """The tab."""
    words = view.words
    st.subheader(words("answers"))
    asked = view.frame(ASKED, inn=inn)
    if asked.is_empty():
        st.info(words("no_answers"))
    else:
        _chart(view, asked)
    view.sql(ASKED)
    st.subheader(words("changes"))
    changed = view.frame(CHANGED, inn=inn)
    if changed.is_empty():
        st.info(words("no_changes"))
    else:
        changes_table(view, changed, "company_changes", opens=False)
    view.sql(CHANGED)


def _chart(view: View, asked: pl.DataFrame) -> None:
    words = view.words
    said = [words(kind) for kind in KINDS]
    drawn = asked.with_columns(
        pl.col("brought").replace_strict(dict(zip(KINDS, said, strict=True))),
        pl.col("state").map_elements(words, pl.String),
    )
    legend = alt.Legend(title=None, orient="top")
    points = (
        alt.Chart(drawn)
        .mark_point(size=80, filled=True, opacity=1)
        .encode(
            x=alt.X("asked_at:T", title=words("asked_at"), axis=alt.Axis(format="%Y-%m-%d", labelAngle=-45)),
            y=alt.Y("block:N", title=None, axis=alt.Axis(grid=True, labelLimit=140)),
            color=alt.Color(
                "brought:N", scale=alt.Scale(domain=said, range=[COLOURS[kind] for kind in KINDS]), legend=legend
            ),
            shape=alt.Shape("brought:N", scale=alt.Scale(domain=said, range=list(SHAPES)), legend=legend),
            tooltip=[
                alt.Tooltip("asked_at:T", title=words("asked_at"), format="%Y-%m-%d %H:%M"),
                alt.Tooltip("block:N", title=words("block")),
                alt.Tooltip("method:N"),
                alt.Tooltip("state:N", title=words("state")),
                alt.Tooltip("brought:N", title=words("answer")),
            ],
        )
    )
    st.altair_chart(points.properties(height=alt.Step(20)), key="timeline_chart")
