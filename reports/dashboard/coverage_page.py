"""What we do not know: asked and clean, not confirmed and never asked, block by block."""

import altair as alt
import polars as pl
import streamlit as st

from innspect.reports.dashboard.badges import ANSWERS, KNOWN, NEVER, SILENT, labelled, mark, scale
from innspect.reports.dashboard.page_context import WHEN, View

BLOCKS = """
SELECT block, state, count(*) AS inns
FROM (SELECT DISTINCT inn, block, state FROM mart.coverage SEMI JOIN chosen USING (inn))
GROUP BY block, state ORDER BY block, state
"""
AGES = """
SELECT CASE WHEN age_days < 1 THEN 0 WHEN age_days < 7 THEN 1 WHEN age_days < 30 THEN 2 WHEN age_days < 90 THEN 3
            WHEN age_days < 365 THEN 4 ELSE 5 END AS place, count(*) AS pairs
FROM (SELECT DISTINCT inn, block, age_days FROM mart.coverage SEMI JOIN chosen USING (inn)) WHERE age_days IS NOT NULL
GROUP BY place ORDER BY place
"""
SILENT_LIST = """
SELECT DISTINCT c.inn, coalesce(p.short_name, p.name, c.name) AS name, c.block, c.state, c.reason, c.asked_at,
                c.checked_at, c.age_days
FROM mart.coverage c SEMI JOIN chosen USING (inn) LEFT JOIN mart.company_profile p USING (inn)
WHERE c.state NOT IN ('found', 'clean', 'partial') ORDER BY c.block, c.inn
"""
BANDS = {"ru": "дн.", "en": "days"}


def show(view: View) -> None:
    """The page."""
    words = view.words
    st.title(words("coverage"))
    st.write(words("coverage_words"))
    counted = view.frame(BLOCKS)
    if counted.is_empty():
        st.info(words("none_chosen"))
        return
    _shares(view, counted)
    st.subheader(words("by_block"))
    st.html(" ".join(mark(state, words) for state in ANSWERS))
    _chart(view, counted)
    view.sql(BLOCKS)
    st.subheader(words("freshness"))
    _ages(view)
    view.sql(AGES)
    st.subheader(words("silent_list"))
    _silent(view)
    view.sql(SILENT_LIST)


def _shares(view: View, counted: pl.DataFrame) -> None:
    words = view.words
    total = counted["inns"].sum()
    with st.container(horizontal=True, key="shares"):
        for word, states in (("share_known", KNOWN), ("share_silent", SILENT), ("share_never", (NEVER,))):
            many = counted.filter(pl.col("state").is_in(states))["inns"].sum()
            part = f"{words.number(many)} / {words.number(total)}"
            st.metric(words(word), part, border=True, help=words("pairs"))


def _chart(view: View, counted: pl.DataFrame) -> None:
    words = view.words
    domain, colours = scale(ANSWERS, words)
    drawn = counted.with_columns(
        pl.col("state").replace_strict({state: labelled(state, words) for state in ANSWERS}).alias("word"),
        pl.col("state").replace_strict({state: place for place, state in enumerate(ANSWERS)}).alias("place"),
        pl.when(pl.col("state") == NEVER)
        .then(pl.lit("never"))
        .when(pl.col("state").is_in(SILENT))
        .then(pl.lit("silent"))
        .otherwise(pl.lit("known"))
        .alias("kind"),
    )
    # The marks above the chart are its legend: they have the borders, too.
    colour = alt.Color("word:N", scale=alt.Scale(domain=domain, range=colours), legend=None)
    kinds = ["known", "silent", "never"]
    bars = (
        alt.Chart(drawn)
        .mark_bar(strokeWidth=1.5)
        .encode(
            y=alt.Y("block:N", title=None, axis=alt.Axis(labelLimit=140)),
            x=alt.X("inns:Q", title=words("inns"), stack="zero", axis=alt.Axis(tickMinStep=1)),
            order=alt.Order("place:Q"),
            color=colour,
            stroke=alt.Stroke("word:N", scale=alt.Scale(domain=domain, range=colours), legend=None),
            fillOpacity=alt.FillOpacity("kind:N", scale=alt.Scale(domain=kinds, range=[1, 0.3, 0.05]), legend=None),
            strokeDash=alt.StrokeDash(
                "kind:N", scale=alt.Scale(domain=kinds, range=[[1, 0], [5, 3], [1, 3]]), legend=None
            ),
            tooltip=[
                alt.Tooltip("block:N", title=words("block")),
                alt.Tooltip("word:N", title=words("state")),
                alt.Tooltip("inns:Q", title=words("inns")),
            ],
        )
    )
    st.altair_chart(bars.properties(height=alt.Step(20)), key="coverage_chart")


def _ages(view: View) -> None:
    words, unit = view.words, BANDS[view.words.language]
    bands = [f"{name} {unit}" for name in ("<1", "1–7", "7–30", "30–90", "90–365", ">365")]
    ages = view.frame(AGES).with_columns(
        pl.col("place").replace_strict(dict(enumerate(bands)), return_dtype=pl.String).alias("band")
    )
    bars = (
        alt.Chart(ages)
        .mark_bar(color="#1971c2")
        .encode(
            x=alt.X(
                "band:N",
                title=words("age_days"),
                sort=bands,
                scale=alt.Scale(domain=bands),
                axis=alt.Axis(labelAngle=0),
            ),
            y=alt.Y("pairs:Q", title=words("pairs"), axis=alt.Axis(tickMinStep=1)),
            tooltip=[
                alt.Tooltip("band:N", title=words("age_days")),
                alt.Tooltip("pairs:Q", title=words("pairs")),
            ],
        )
    )
    st.altair_chart(bars.properties(height=240), key="ages_chart")


def _silent(view: View) -> None:
    words, column = view.words, st.column_config
    silent = view.frame(SILENT_LIST)
    with st.container(horizontal=True):
        states = st.multiselect(
            words("states"),
            [state for state in ANSWERS if state in silent["state"]],
            format_func=lambda state: labelled(state, words),
            key="silent_states",
            placeholder=words("all"),
        )
        blocks = st.multiselect(
            words("blocks"), sorted(silent["block"].unique().to_list()), key="silent_blocks", placeholder=words("all")
        )
    if states:
        silent = silent.filter(pl.col("state").is_in(states))
    if blocks:
        silent = silent.filter(pl.col("block").is_in(blocks))
    if silent.is_empty():
        st.success(words("all_known"))
        return
    shown = silent.with_columns(
        pl.col("state").replace_strict({state: labelled(state, words) for state in ANSWERS}),
        pl.col("name").fill_null(words("no_name")),
    )
    view.table(
        shown,
        "silent",
        {
            "state": column.TextColumn(words("latest_answer"), help="mart.coverage.state", width=150),
            "block": column.TextColumn(words("block"), help="mart.coverage.block"),
            "name": column.TextColumn(words("name"), help="mart.company_profile.name", width="medium"),
            "inn": column.TextColumn(words("inn"), help="inn", width=110),
            "reason": column.TextColumn(words("reason"), help="mart.coverage.reason", width="medium"),
            "asked_at": column.DatetimeColumn(words("asked_at"), help="mart.coverage.asked_at", format=WHEN),
            "checked_at": column.DatetimeColumn(words("checked_at"), help="mart.coverage.checked_at", format=WHEN),
            "age_days": column.NumberColumn(words("age_days"), help="mart.coverage.age_days", format="%.1f"),
        },
        opens=True,
    )
