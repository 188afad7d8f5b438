"""The page of news: what happened to counterparties, highest severity first."""

import altair as alt
import polars as pl
import streamlit as st

from innspect.reports.dashboard import url_state
from innspect.reports.dashboard.badges import colour_scale, label_column, signed_label
from innspect.reports.dashboard.page_context import COUNT_AXIS, PageContext
from innspect.reports.news_query import news_sentence
from innspect.reports.style import SEVERITIES
from innspect.schemas.change_severity import ALERT, NOTICE

DAYS, DEFAULT_DAYS = ("1", "7", "30", "90", "365"), "30"
NEWS_COLUMNS = """seen_at, severity, inn, name, sentence_ru, sentence_en, block, changes, known_until, news_id, run_id,
       snapshot_id"""
NEWS = f"""
SELECT {NEWS_COLUMNS}
FROM mart.news SEMI JOIN selected USING (inn)
WHERE seen_at >= now()::TIMESTAMP - to_days($days)
ORDER BY CASE severity WHEN '{ALERT}' THEN 0 WHEN '{NOTICE}' THEN 1 ELSE 2 END, seen_at DESC, inn, topic, fact_key
"""


def show(context: PageContext) -> None:
    """Draw the page."""
    t = context.t
    st.title(t("changes"))
    url_state.restore("days", DAYS, default=DEFAULT_DAYS)
    url_state.restore("severity", SEVERITIES, is_multiple=True)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        days = st.segmented_control(t("days"), DAYS, required=True, key="days")
        severities = st.pills(
            t("severity"),
            SEVERITIES,
            selection_mode="multi",
            format_func=lambda severity: signed_label("severity", severity, t),
            key="severity",
        )
    url_state.save("days", days, default=DEFAULT_DAYS)
    url_state.save("severity", severities)
    changes = context.with_own_names(context.query(NEWS, days=int(days or DEFAULT_DAYS)))
    blocks = st.multiselect(
        t("blocks"),
        sorted(changes["block"].unique().to_list()),
        format_func=lambda block: t.label("block", block),
        key="changed_blocks",
        placeholder=t("all"),
    )
    if severities:
        changes = changes.filter(pl.col("severity").is_in(severities))
    if blocks:
        changes = changes.filter(pl.col("block").is_in(blocks))
    with st.container(horizontal=True):
        st.metric(t("changes"), t.number(changes.height), border=True)
        st.metric(t("changed_companies"), t.number(changes["inn"].n_unique()), border=True)
        for severity in (ALERT, NOTICE):
            number = changes.filter(pl.col("severity") == severity).height
            st.metric(signed_label("severity", severity, t), t.number(number), border=True)
    if changes.is_empty():
        st.info(t("nothing_changed"))
    else:
        _show_chart(context, changes)
        show_changes_table(context, changes, "changes", opens_company=True)
    context.show_query(NEWS)


def _show_chart(context: PageContext, changes: pl.DataFrame) -> None:
    t = context.t
    day = pl.col("seen_at").dt.date()
    days = context.to_local(changes).group_by(day.alias("on"), "severity").len("changes").sort("on")
    names = days["on"].map_elements(t.date, pl.String).alias("day")
    labels, colours = colour_scale("severity", SEVERITIES, t)
    bars = (
        alt.Chart(days.with_columns(names).drop("on").with_columns(label_column("severity", "severity", SEVERITIES, t)))
        .mark_bar()
        .encode(
            x=alt.X(
                "day:O", title=None, sort=names.unique(maintain_order=True).to_list(), axis=alt.Axis(labelAngle=-45)
            ),
            y=alt.Y("sum(changes):Q", title=t("changes"), axis=COUNT_AXIS),
            color=alt.Color(
                "severity:N",
                scale=alt.Scale(domain=labels, range=colours),
                legend=alt.Legend(title=None, orient="top"),
            ),
            tooltip=[
                alt.Tooltip("day:N", title=t("seen_at")),
                alt.Tooltip("severity:N", title=t("severity")),
                alt.Tooltip("changes:Q", title=t("changes")),
            ],
        )
    )
    context.show_chart(bars.properties(height=260), "changes_chart")


def show_changes_table(context: PageContext, changes: pl.DataFrame, key: str, *, opens_company: bool) -> None:
    """A table of news: rows with NEWS_COLUMNS, and where it opens companies with their own names."""
    t, column, when = context.t, st.column_config, context.datetime_format
    sentence = news_sentence(t.language)
    columns = {
        "severity": column.TextColumn(t("severity"), width=110),
        "seen_at": column.DatetimeColumn(t("seen_at"), format=when, width=130),
        sentence: column.TextColumn(t("meaning"), width="large"),
        "name": column.TextColumn(t("name"), width="medium"),
        "own_name": column.TextColumn(t("own_name"), width="medium"),
        "inn": column.TextColumn(t("inn"), width=110),
        "known_until": column.DatetimeColumn(t("known_until"), format=when),
    }
    if not opens_company:
        columns = {name: config for name, config in columns.items() if name not in ("name", "own_name", "inn")}
    elif not changes["own_name"].count():
        del columns["own_name"]
    context.show_table(
        changes,
        key,
        columns,
        t("changes"),
        display=[label_column("severity", "severity", SEVERITIES, t)],
        essential=(sentence, "name", "own_name", "severity", "seen_at"),
        opens_company=opens_company,
    )
