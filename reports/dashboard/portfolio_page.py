"""The page of the portfolio: figures, levels of risk by a column of choice, and the table of counterparties."""

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl
import streamlit as st

from innspect.reports.dashboard import level_movements, url_state
from innspect.reports.dashboard.badges import colour_scale, label_column, signed_label, stale_column, unknown_column
from innspect.reports.dashboard.filters import json_pointer
from innspect.reports.dashboard.page_context import COUNT_AXIS, PageContext
from innspect.reports.dashboard.url_state import OWN_COLUMN_PREFIX
from innspect.reports.style import LEVEL_ORDER, LEVELS
from innspect.schemas.change_severity import ALERT
from innspect.schemas.states import Level, SignalState

RISKS = f"""
WITH signals AS (
    SELECT inn, string_agg({{title}}, ', ' ORDER BY weight DESC, signal) AS signals
    FROM mart.risk_signals SEMI JOIN selected USING (inn) WHERE state = '{SignalState.PRESENT}' GROUP BY inn
)
SELECT p.inn, coalesce(p.short_name, p.name) AS name, p.name AS full_name,
       coalesce(s.level, '{Level.UNKNOWN}') AS level, s.score,
       s.score_at_most,
       (s.present + s.absent)
           / nullif(s.present + s.absent + s.unknown + s.never_requested, 0) AS confirmed_share,
       coalesce(g.signals, '') AS signals, s.unknown, s.never_requested, s.unknown_blocks, s.unknown_since,
       s.never_requested_blocks, s.stale_blocks, s.level_known, s.level_at_most,
       p.status, p.portfolios, p.tags, p.blocks_confirmed, p.blocks_stale, p.blocks_askable,
       p.newest_checked_at AS checked_at
FROM mart.company_profile p JOIN selected USING (inn)
LEFT JOIN mart.risk_score s USING (inn) LEFT JOIN signals g USING (inn)
ORDER BY list_position({LEVEL_ORDER}, coalesce(s.level, '{Level.UNKNOWN}')), s.score DESC, s.score_at_most DESC, p.inn
"""
ALERTS = f"""
SELECT count(*) AS changes FROM mart.news SEMI JOIN selected USING (inn)
WHERE severity = '{ALERT}' AND seen_at >= now()::TIMESTAMP - INTERVAL 30 DAY
"""
OWN_VALUES = """
SELECT inn, json_extract_string(extra, $path) AS slice FROM mart.company_profile JOIN selected USING (inn)
"""


def show(context: PageContext) -> None:
    """Draw the page."""
    t = context.t
    st.title(t("page.portfolio"))
    if not context.selected_inns:
        st.info(t("none_selected"))
        return
    query = RISKS.format(title="title_ru" if t.language == "ru" else "title")
    risks = context.query(query)
    _show_figures(context, risks)
    level_movements.show(context)
    _show_chart(context, risks)
    _show_table(context, risks)
    context.show_query(query)


def _show_figures(context: PageContext, risks: pl.DataFrame) -> None:
    t = context.t
    grave = risks.filter(pl.col("level").is_in((str(Level.CRITICAL), str(Level.HIGH)))).height
    unknown = risks.filter(pl.col("level") == Level.UNKNOWN).height
    askable, confirmed, stale = (int(risks[f"blocks_{name}"].sum()) for name in ("askable", "confirmed", "stale"))
    with st.container(horizontal=True, key="figures"):
        st.metric(t("inns"), t.number(risks.height), border=True)
        st.metric(t("grave"), t.number(grave), border=True)
        st.metric(t("level_unknown"), t.number(unknown), border=True)
        st.metric(t("alerts_lately"), t.number(context.query(ALERTS).item()), border=True)
        share = t.percent((confirmed - stale) / askable if askable else None)
        st.metric(t("confirmed"), share, border=True, help=t("confirmed_note"))
    if stale:
        st.caption(t("stale_pairs", count=t.number(stale)))


def _show_chart(context: PageContext, risks: pl.DataFrame) -> None:
    t = context.t
    options: list[str] = ["", "portfolios", "tags", *context.own_columns.names]
    labels = {"": "—", "portfolios": t("portfolios"), "tags": t("tags")}
    st.subheader(t("by_level"))
    url_state.restore("slice", options)
    column = st.selectbox(
        t("slice"), options, format_func=lambda name: labels.get(name) or str(name), key="slice", width=320
    )
    url_state.save("slice", column)
    counts = _slice(context, risks, column).group_by("slice", "level").len("inns")
    present = [level for level in LEVELS if level in counts["level"]]
    domain, colours = colour_scale("level", present, t)
    rows = counts.with_columns(
        label_column("level", "level", LEVELS, t),
        pl.col("level").replace_strict({level: rank for rank, level in enumerate(LEVELS)}).alias("rank"),
    )
    bars = (
        alt.Chart(rows)
        .mark_bar(stroke="#fff")
        .encode(
            y=alt.Y("slice:N", title=None, sort="-x", axis=alt.Axis(labelLimit=160)),
            x=alt.X("inns:Q", title=t("inns"), stack="zero", axis=COUNT_AXIS),
            order=alt.Order("rank:Q"),
            color=alt.Color(
                "level:N",
                scale=alt.Scale(domain=domain, range=colours),
                legend=alt.Legend(title=None, orient="top", columns=5, labelLimit=200),
            ),
            tooltip=["slice:N", alt.Tooltip("level:N", title=t("risk")), alt.Tooltip("inns:Q", title=t("inns"))],
        )
    )
    context.show_chart(bars.properties(height=alt.Step(34)), "levels_chart")


def _slice(context: PageContext, risks: pl.DataFrame, column: str) -> pl.DataFrame:
    """Level and value of a column (`slice`), one row per INN and value; `∅` where there is none."""
    if not column:
        rows = risks.select("level", pl.lit(context.t("all")).alias("slice"))
    elif column in ("portfolios", "tags"):
        rows = risks.select("level", pl.col(column).alias("slice")).explode("slice")
    else:
        values = context.query(OWN_VALUES, path=json_pointer(column))
        rows = risks.select("inn", "level").join(values, on="inn", how="left").select("level", "slice")
    return rows.with_columns(pl.col("slice").fill_null("∅"))


def _show_table(context: PageContext, risks: pl.DataFrame) -> None:
    t = context.t
    url_state.restore("level", LEVELS, is_multiple=True)
    with st.container(horizontal=True, vertical_alignment="bottom", key="risk_filter"):
        text = st.text_input(t("search"), key="search", icon=":material/search:", width=320).strip().lower()
        levels = st.pills(
            t("risk.levels"),
            LEVELS,
            selection_mode="multi",
            format_func=lambda level: signed_label("level", level, t),
            key="level",
        )
    url_state.save("level", levels)
    if levels:
        risks = risks.filter(pl.col("level").is_in(levels))
    names = context.own_columns.names
    cells = [
        pl.col("cells").list.get(n, null_on_oob=True).alias(OWN_COLUMN_PREFIX + name) for n, name in enumerate(names)
    ]
    members = context.own_columns.members.select("inn", "own_name", *cells)
    risks = risks.join(members, on="inn", how="left", maintain_order="left")
    own = {OWN_COLUMN_PREFIX + name: st.column_config.TextColumn(name) for name in names}
    if text:
        searched = ("inn", "name", "full_name", "own_name", "tags", *own)
        risks = risks.filter(pl.any_horizontal(_contains(risks, name, text) for name in searched))
    share = pl.col("confirmed_share").cast(pl.Float64)
    context.show_table(
        risks,
        "risks",
        _columns(context, risks, own),
        t("page.portfolio"),
        display=[
            label_column("level", "level", LEVELS, t),
            label_column("level_at_most", "level", LEVELS, t),
            unknown_column(t),
            stale_column(t),
            pl.col("name").fill_null(t("no_name")),
            pl.col("status").map_elements(lambda status: t.label("code", status), pl.String),
            # Only 0 is shown as 0 % and only 1 as 100 %.
            pl.when((share == 0) | (share == 1)).then(share * 100).otherwise((share * 100).clip(1, 99)),
        ],
        essential=("level", "name", "own_name", "inn", "signals", "unknown_blocks"),
        opens_company=True,
    )


def _columns(context: PageContext, risks: pl.DataFrame, own: Mapping[str, Any]) -> dict[str, Any]:
    t, column = context.t, st.column_config
    own_name = {"own_name": column.TextColumn(t("own_name"), width="medium")}
    return {
        "level": column.TextColumn(t("risk"), width=120, pinned=True),
        "name": column.TextColumn(t("name"), width="medium"),
        **(own_name if risks["own_name"].count() else {}),
        "inn": column.TextColumn(t("inn"), width=110),
        "signals": column.TextColumn(t("signals"), width="large"),
        "unknown_blocks": column.TextColumn(t("unknown_blocks"), width="medium"),
        **own,
        "score": column.NumberColumn(t("score"), width=70),
        "score_at_most": column.NumberColumn(t("score_most"), width=125),
        "level_at_most": column.TextColumn(t("level_at_most"), width=120),
        "confirmed_share": column.ProgressColumn(
            t("confirmed"), format="%.0f %%", min_value=0, max_value=100, width=130
        ),
        "unknown": column.NumberColumn(t("unconfirmed_count")),
        "never_requested": column.NumberColumn(t("never_asked_count")),
        "stale_blocks": column.TextColumn(t("stale_blocks")),
        "status": column.TextColumn(t.label("card", "status")),
        "checked_at": column.DatetimeColumn(t("checked_at"), format=context.datetime_format),
    }


def _contains(frame: pl.DataFrame, name: str, text: str) -> pl.Expr:
    column = pl.col(name)
    cells = column.list.join(", ") if frame.schema[name] == pl.List(pl.String) else column
    return cells.fill_null("").str.to_lowercase().str.contains(text, literal=True)
