"""The page of what is not known: latest responses by block and state, the age of what is known, and the gaps."""

import altair as alt
import polars as pl
import streamlit as st

from innspect.reports.coverage_text import SHOWN_STATE, blocks_without_method
from innspect.reports.dashboard.badges import badge, colour_scale, label_column, signed_label
from innspect.reports.dashboard.page_context import COUNT_AXIS, PageContext
from innspect.reports.format import AGE_BANDS_DAYS, age_band_sql
from innspect.reports.style import NOT_CONFIRMED, SHOWN_STATES, STYLES
from innspect.schemas.declaration import PERSON_DIGITS
from innspect.schemas.states import EVIDENCE, NEVER_ASKED, NO_EVIDENCE, STALE, SnapshotState, sql_list

BLOCKS = f"""
SELECT block, state, count(*) AS inns
FROM (SELECT DISTINCT inn, block, {SHOWN_STATE} AS state FROM mart.coverage SEMI JOIN selected USING (inn))
GROUP BY block, state ORDER BY block, state
"""
PERSON_BLOCKS = f"""
SELECT DISTINCT block FROM mart.coverage SEMI JOIN selected USING (inn) WHERE length(inn) = {PERSON_DIGITS}
"""
AGES = f"""
SELECT {age_band_sql("age_days")} AS age, count(*) AS pairs
FROM (SELECT DISTINCT inn, block, age_days FROM mart.coverage SEMI JOIN selected USING (inn))
WHERE age_days IS NOT NULL GROUP BY age
"""
GAPS = f"""
SELECT DISTINCT c.inn, coalesce(p.short_name, p.name, c.name) AS name, c.block, c.shown_state AS state, c.reason,
                c.asked_at, c.checked_at, c.collected_at, c.source_date, c.age_days, c.stale
FROM (SELECT *, {SHOWN_STATE} AS shown_state FROM mart.coverage) c SEMI JOIN selected USING (inn)
LEFT JOIN mart.company_profile p USING (inn)
WHERE c.shown_state NOT IN {sql_list(EVIDENCE)} ORDER BY c.block, c.inn
"""


def show(context: PageContext) -> None:
    """Draw the page."""
    t = context.t
    st.title(t("coverage"))
    st.write(t("coverage.reading"))
    _show_blocks_without_method(context)
    counts = context.query(BLOCKS)
    if counts.is_empty():
        st.info(t("none_selected"))
        return
    _show_shares(context, counts)
    st.subheader(t("by_block"))
    st.html(" ".join(badge(state, t) for state in SHOWN_STATES))
    _show_chart(context, counts)
    context.show_query(BLOCKS)
    st.subheader(t("freshness"))
    _show_ages(context)
    context.show_query(AGES)
    st.subheader(t("gap_list"))
    _show_gaps(context)
    context.show_query(GAPS)


def _show_blocks_without_method(context: PageContext) -> None:
    """Name the blocks that the service does not offer for the selected persons."""
    t, blocks = context.t, context.query(PERSON_BLOCKS)["block"]
    absent = blocks_without_method(PERSON_DIGITS, blocks) if blocks.len() else []
    if absent:
        st.write(t("coverage.not_offered", blocks=", ".join(t.label("block", block) for block in absent)))


def _show_shares(context: PageContext, counts: pl.DataFrame) -> None:
    t = context.t
    total = counts["inns"].sum()
    shares = (
        (t("share_known"), EVIDENCE),
        (t.label("state", STALE).capitalize(), (STALE,)),
        (t.label("state", NOT_CONFIRMED).capitalize(), NO_EVIDENCE),
        (t.label("state", NEVER_ASKED).capitalize(), (NEVER_ASKED,)),
    )
    with st.container(horizontal=True, key="shares"):
        for label, states in shares:
            number = counts.filter(pl.col("state").is_in([str(state) for state in states]))["inns"].sum()
            st.metric(label, f"{t.number(number)} / {t.number(total)}", border=True, help=t("pairs"))


def _show_chart(context: PageContext, counts: pl.DataFrame) -> None:
    t = context.t
    labels, colours = colour_scale("state", SHOWN_STATES, t)
    drawings = ("filled", "outlined", "aged", "hatched", "dotted")
    rows = counts.with_columns(
        label_column("state", "state", SHOWN_STATES, t),
        pl.col("block").map_elements(lambda block: t.label("block", block), pl.String),
        pl.col("state").replace_strict({state: rank for rank, state in enumerate(SHOWN_STATES)}).alias("rank"),
        pl.col("state").replace_strict({state: str(STYLES[state].drawing) for state in SHOWN_STATES}).alias("drawing"),
    )
    # The badges above the chart are its legend.
    scale = alt.Scale(domain=labels, range=colours)
    bars = (
        alt.Chart(rows)
        .mark_bar(strokeWidth=1.5)
        .encode(
            y=alt.Y("block:N", title=None, axis=alt.Axis(labelLimit=170)),
            x=alt.X("inns:Q", title=t("inns"), stack="zero", axis=COUNT_AXIS),
            order=alt.Order("rank:Q"),
            color=alt.Color("state:N", scale=scale, legend=None),
            stroke=alt.Stroke("state:N", scale=scale, legend=None),
            fillOpacity=alt.FillOpacity(
                "drawing:N",
                scale=alt.Scale(type="ordinal", domain=drawings, range=[1, 1, 0.55, 0.3, 0.05]),
                legend=None,
            ),
            strokeDash=alt.StrokeDash(
                "drawing:N",
                scale=alt.Scale(domain=drawings, range=[[1, 0], [1, 0], [2, 2], [5, 3], [1, 3]]),
                legend=None,
            ),
            tooltip=[
                alt.Tooltip("block:N", title=t("block")),
                alt.Tooltip("state:N", title=t("state")),
                alt.Tooltip("inns:Q", title=t("inns")),
            ],
        )
    )
    context.show_chart(bars.properties(height=alt.Step(20)), "coverage_chart")


def _show_ages(context: PageContext) -> None:
    t = context.t
    bands = {str(days): t.label("age", str(days)) for days in AGE_BANDS_DAYS}
    labels = list(bands.values())
    bars = (
        alt.Chart(context.query(AGES).with_columns(pl.col("age").replace_strict(bands, return_dtype=pl.String)))
        .mark_bar(color=STYLES[SnapshotState.FOUND].light)
        .encode(
            x=alt.X("age:N", title=None, sort=labels, scale=alt.Scale(domain=labels), axis=alt.Axis(labelAngle=0)),
            y=alt.Y("pairs:Q", title=t("pairs"), axis=COUNT_AXIS),
            tooltip=[alt.Tooltip("age:N", title=t("age_days")), alt.Tooltip("pairs:Q", title=t("pairs"))],
        )
    )
    context.show_chart(bars.properties(height=240), "ages_chart")


def _show_gaps(context: PageContext) -> None:
    t, column, when = context.t, st.column_config, context.datetime_format
    gaps = context.query(GAPS)
    with st.container(horizontal=True):
        states = st.multiselect(
            t("states"),
            [state for state in SHOWN_STATES if state in gaps["state"]],
            format_func=lambda state: signed_label("state", state, t),
            key="gap_states",
            placeholder=t("all"),
        )
        blocks = st.multiselect(
            t("blocks"),
            sorted(gaps["block"].unique().to_list()),
            format_func=lambda block: t.label("block", block),
            key="gap_blocks",
            placeholder=t("all"),
        )
    if states:
        gaps = gaps.filter(pl.col("state").is_in(states))
    if blocks:
        gaps = gaps.filter(pl.col("block").is_in(blocks))
    if gaps.is_empty():
        st.success(t("no_gaps"))
        return
    context.show_table(
        gaps,
        "gaps",
        {
            "state": column.TextColumn(t("latest_response"), width=150),
            "block": column.TextColumn(t("block")),
            "name": column.TextColumn(t("name"), width="medium"),
            "inn": column.TextColumn(t("inn"), width=110),
            "reason": column.TextColumn(t("reason"), width="medium"),
            "asked_at": column.DatetimeColumn(t("asked_at"), format=when),
            "stale": column.CheckboxColumn(t.label("state", STALE).capitalize(), width=90),
            "checked_at": column.DatetimeColumn(t("checked_at"), format=when),
            "age_days": column.NumberColumn(t("age_days"), format="%.1f"),
        },
        t("coverage"),
        display=[
            label_column("state", "state", SHOWN_STATES, t),
            pl.col("block").map_elements(lambda block: t.label("block", block), pl.String),
            pl.col("reason").map_elements(t.reason, pl.String),
            pl.col("name").fill_null(t("no_name")),
        ],
        essential=("state", "block", "name", "inn", "reason", "asked_at"),
        opens_company=True,
    )
