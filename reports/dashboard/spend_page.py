"""The page of spend: by run, method and block, and the cost of a change."""

import altair as alt
import polars as pl
import streamlit as st

from innspect.reports.dashboard.badges import method_title
from innspect.reports.dashboard.page_context import PageContext
from innspect.reports.style import STYLES
from innspect.schemas.states import CallState

SPEND = """
SELECT run_id, started_at, portfolio, profile, method, block, calls, charged_rub, unknown_rub, snapshots, new_versions,
       changes, rub_per_change
FROM mart.spend WHERE $everything OR list_contains($portfolios, portfolio) ORDER BY started_at DESC, method, block
"""
METHOD_SPEND = f"""
SELECT c.method, count(*) AS calls, sum(c.charged_rub) AS charged_rub,
       sum(c.expected_rub) FILTER (c.state = '{CallState.UNKNOWN}') AS unknown_rub
FROM lineage.calls c JOIN lineage.runs r USING (run_id)
WHERE c.state <> '{CallState.RELEASED}' AND ($everything OR list_contains($portfolios, r.portfolio))
GROUP BY c.method ORDER BY charged_rub DESC NULLS LAST, c.method
"""
RUNS = """
SELECT run_id, started_at, portfolio, profile, budget_rub, charged_rub, unknown_rub, exit_code FROM lineage.runs
WHERE $everything OR list_contains($portfolios, portfolio) ORDER BY started_at DESC
"""


def show(context: PageContext) -> None:
    """Draw the page."""
    t = context.t
    st.title(t("spend"))
    st.caption(t("spend_filter"))
    parameters = {"everything": not context.portfolios, "portfolios": list(context.portfolios)}
    runs = context.query(RUNS, **parameters)
    if runs.is_empty():
        st.info(t("no_spend"))
        return
    methods, spend = context.query(METHOD_SPEND, **parameters), context.query(SPEND, **parameters)
    with st.container(horizontal=True, key="money"):
        st.metric(t("charged"), t.roubles(methods["charged_rub"].sum()), border=True)
        st.metric(t("outcome_unknown"), t.roubles(methods["unknown_rub"].sum()), border=True)
        st.metric(t("calls"), t.number(methods["calls"].sum()), border=True)
        st.metric(t("runs"), t.number(runs.height), border=True)
    st.subheader(t("by_method"))
    _show_bars(context, methods, "method")
    context.show_query(METHOD_SPEND)
    st.subheader(t("spend_by_block"))
    blocks = spend.group_by("block").agg(pl.col("charged_rub", "snapshots", "new_versions", "changes").sum())
    _show_bars(context, blocks, "block")
    _show_blocks(context, blocks)
    context.show_query(SPEND)
    st.subheader(t("runs"))
    _show_runs(context, runs)
    context.show_query(RUNS)


def _show_bars(context: PageContext, amounts: pl.DataFrame, column: str) -> None:
    t = context.t
    title = (lambda name: t.label("block", name)) if column == "block" else (lambda name: method_title(name, t))
    titles = pl.col(column).map_elements(title, pl.String)
    # Methods of companies and of persons can have one title.
    rows = amounts.group_by(titles).agg(pl.col("charged_rub").sum().cast(pl.Float64))
    bars = (
        alt.Chart(rows.filter(pl.col("charged_rub") > 0))
        .mark_bar(color=STYLES["charged"].light)
        .encode(
            y=alt.Y(f"{column}:N", sort="-x", title=None, axis=alt.Axis(labelLimit=170)),
            x=alt.X("charged_rub:Q", title=t("rub")),
            tooltip=[f"{column}:N", alt.Tooltip("charged_rub:Q", title=t("charged"), format=",.2f")],
        )
    )
    context.show_chart(bars.properties(height=alt.Step(20)), f"spend_{column}")


def _show_blocks(context: PageContext, blocks: pl.DataFrame) -> None:
    t, column = context.t, st.column_config
    cost = pl.when(pl.col("changes") > 0).then(pl.col("charged_rub").cast(pl.Float64) / pl.col("changes"))
    cost = cost.round(2).cast(pl.Decimal(18, 2))
    context.show_table(
        blocks.with_columns(cost.alias("rub_per_change")).sort("charged_rub", descending=True),
        "spend_blocks",
        {
            "block": column.TextColumn(t("block")),
            "charged_rub": column.NumberColumn(t("charged"), format="localized"),
            "snapshots": column.NumberColumn(t("responses")),
            "new_versions": column.NumberColumn(t("new_versions")),
            "changes": column.NumberColumn(t("changes")),
            "rub_per_change": column.NumberColumn(t("rub_per_change"), format="localized"),
        },
        t("spend_by_block"),
        display=[pl.col("block").map_elements(lambda block: t.label("block", block), pl.String)],
    )


def _show_runs(context: PageContext, runs: pl.DataFrame) -> None:
    t, column = context.t, st.column_config
    context.show_table(
        runs,
        "spend_runs",
        {
            "started_at": column.DatetimeColumn(t("spend.run_at"), format=context.datetime_format),
            "portfolio": column.TextColumn(t("page.portfolio")),
            "exit_code": column.TextColumn(t("spend.outcome"), width="medium"),
            "budget_rub": column.NumberColumn(t("spend.budget"), format="localized"),
            "charged_rub": column.NumberColumn(t("charged"), format="localized"),
            "unknown_rub": column.NumberColumn(t("outcome_unknown"), format="localized"),
            "profile": column.TextColumn(t("spend.profile")),
        },
        t("runs"),
        display=[
            pl.col("exit_code")
            .map_elements(lambda code: t.label("exit", str(code)), pl.String)
            .fill_null(t("exit.None"))
        ],
    )
