"""The history of a company: its responses and versions by block, and its changes."""

import altair as alt
import polars as pl
import streamlit as st

from innspect.reports.dashboard import level_movements
from innspect.reports.dashboard.badges import method_title
from innspect.reports.dashboard.changes_page import NEWS_COLUMNS, show_changes_table
from innspect.reports.dashboard.page_context import PageContext
from innspect.reports.style import STYLES

RESPONSES = """
SELECT s.asked_at, s.block, s.method, s.state, s.reason,
       CASE WHEN s.version_id IS NULL THEN 'no_evidence' WHEN v.first_seen_at = s.asked_at THEN 'new_version'
            ELSE 'same' END AS outcome, s.snapshot_id, s.version_id
FROM lineage.snapshots s LEFT JOIN lineage.versions v USING (version_id) WHERE s.inn = $inn ORDER BY s.asked_at, s.block
"""
NEWS = f"""
SELECT {NEWS_COLUMNS}
FROM mart.news WHERE inn = $inn ORDER BY seen_at DESC, topic, fact_key, news_id
"""
SHAPES = {"new_version": "circle", "same": "diamond", "no_evidence": "cross"}


def show(context: PageContext, inn: str) -> None:
    """Draw the tab."""
    t = context.t
    level_movements.show_history(context, inn)
    st.subheader(t("responses_and_versions"))
    responses = context.query(RESPONSES, inn=inn)
    if responses.is_empty():
        st.info(t("no_responses"))
    else:
        _show_chart(context, responses)
    context.show_query(RESPONSES)
    st.subheader(t("changes"))
    changes = context.query(NEWS, inn=inn)
    if changes.is_empty():
        st.info(t("no_changes"))
    else:
        show_changes_table(context, changes, "company_changes", opens_company=False)
    context.show_query(NEWS)


def _show_chart(context: PageContext, responses: pl.DataFrame) -> None:
    t = context.t
    labels = [t(outcome) for outcome in SHAPES]
    labelled = context.to_local(responses).with_columns(
        pl.col("outcome").replace_strict(dict(zip(SHAPES, labels, strict=True))),
        pl.col("method").map_elements(lambda method: method_title(method, t), pl.String),
        pl.col("state").map_elements(lambda state: t.label("state", state), pl.String),
        pl.col("block").map_elements(lambda block: t.label("block", block), pl.String),
    )
    colours = alt.Scale(domain=labels, range=[STYLES[outcome].light for outcome in SHAPES])
    legend = alt.Legend(title=None, orient="top")
    axis = alt.Axis(format=context.axis_date_format, labelAngle=-45)
    points = (
        alt.Chart(labelled)
        .mark_point(size=80, filled=True, opacity=1)
        .encode(
            x=alt.X("asked_at:T", title=t("asked_at"), axis=axis),
            y=alt.Y("block:N", title=None, axis=alt.Axis(grid=True, labelLimit=170)),
            color=alt.Color("outcome:N", scale=colours, legend=legend),
            shape=alt.Shape("outcome:N", scale=alt.Scale(domain=labels, range=list(SHAPES.values())), legend=legend),
            tooltip=[
                alt.Tooltip("asked_at:T", title=t("asked_at"), format=f"{context.axis_date_format} %H:%M"),
                alt.Tooltip("block:N", title=t("block")),
                alt.Tooltip("method:N", title=t("column.method")),
                alt.Tooltip("state:N", title=t("state")),
                alt.Tooltip("outcome:N", title=t("response")),
            ],
        )
    )
    context.show_chart(points.properties(height=alt.Step(20)), "timeline_chart")
