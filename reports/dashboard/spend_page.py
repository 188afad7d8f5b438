"""Money: what runs, methods and blocks cost, and what a changed fact costs."""

import altair as alt
import polars as pl
import streamlit as st

from innspect.reports.dashboard.page_context import WHEN, View

PAID = """
SELECT run_id, started_at, portfolio, profile, method, block, calls, charged_rub, unknown_rub, snapshots, new_versions,
       changes, rub_per_change
FROM mart.spend WHERE $everything OR list_contains($portfolios, portfolio) ORDER BY started_at DESC, method, block
"""
CALLS = """
SELECT c.method, count(*) AS calls, sum(c.charged_rub) AS charged_rub,
       sum(c.expected_rub) FILTER (c.state = 'unknown') AS unknown_rub
FROM lineage.calls c JOIN lineage.runs r USING (run_id)
WHERE c.state <> 'released' AND ($everything OR list_contains($portfolios, r.portfolio))
GROUP BY c.method ORDER BY charged_rub DESC NULLS LAST, c.method
"""
RUNS = """
SELECT run_id, started_at, portfolio, profile, budget_rub, charged_rub, unknown_rub, exit_code FROM lineage.runs
WHERE $everything OR list_contains($portfolios, portfolio) ORDER BY started_at DESC
"""


def show(view: View) -> None:
    """The page."""
    words = view.words
    st.title(words("spend"))
    st.caption(words("spend_filter"))
    wanted = {"everything": not view.portfolios, "portfolios": list(view.portfolios)}
    runs = view.frame(RUNS, **wanted)
    if runs.is_empty():
        st.info(words("no_spend"))
        return
    methods = view.frame(CALLS, **wanted)
    paid = view.frame(PAID, **wanted)
    with st.container(horizontal=True, key="money"):
        st.metric(words("charged"), _roubles(view, methods["charged_rub"].sum()), border=True)
        st.metric(words("unknown_rub"), _roubles(view, methods["unknown_rub"].sum()), border=True)
        st.metric(words("calls"), words.number(methods["calls"].sum()), border=True)
        st.metric(words("runs"), words.number(runs.height), border=True)
    st.subheader(words("by_method"))
    _bars(view, methods.select("method", "charged_rub"), "method")
    view.sql(CALLS)
    st.subheader(words("spend_by_block"))
    blocks = paid.group_by("block").agg(
        pl.col("charged_rub").sum(), pl.col("snapshots").sum(), pl.col("new_versions").sum(), pl.col("changes").sum()
    )
    _bars(view, blocks.select("block", "charged_rub"), "block")
    _blocks(view, blocks)
    view.sql(PAID)
    st.subheader(words("runs"))
    _runs(view, runs)
    view.sql(RUNS)


def _roubles(view: View, amount: object) -> str:
    return f"{view.cell(amount)} {view.words('rub')}"


def _bars(view: View, amounts: pl.DataFrame, by: str) -> None:
    words = view.words
    drawn = amounts.with_columns(pl.col("charged_rub").cast(pl.Float64)).filter(pl.col("charged_rub") > 0)
    bars = (
        alt.Chart(drawn)
        .mark_bar(color="#1971c2")
        .encode(
            y=alt.Y(f"{by}:N", sort="-x", title=None, axis=alt.Axis(labelLimit=160)),
            x=alt.X("charged_rub:Q", title=words("rub")),
            tooltip=[f"{by}:N", alt.Tooltip("charged_rub:Q", title=words("charged"), format=",.2f")],
        )
    )
    st.altair_chart(bars.properties(height=alt.Step(20)), key=f"spend_{by}")


def _blocks(view: View, blocks: pl.DataFrame) -> None:
    words, column = view.words, st.column_config
    each = pl.when(pl.col("changes") > 0).then(pl.col("charged_rub").cast(pl.Float64) / pl.col("changes"))
    view.table(
        blocks.with_columns(each.alias("rub_per_change")).sort("charged_rub", descending=True),
        "spend_blocks",
        {
            "block": column.TextColumn(words("block"), help="mart.spend.block"),
            "charged_rub": column.NumberColumn(words("charged"), help="mart.spend.charged_rub", format="%.2f"),
            "snapshots": column.NumberColumn(words("answers_count"), help="mart.spend.snapshots"),
            "new_versions": column.NumberColumn(words("new_versions"), help="mart.spend.new_versions"),
            "changes": column.NumberColumn(words("changes"), help="mart.spend.changes"),
            "rub_per_change": column.NumberColumn(words("rub_per_change"), format="%.2f"),
        },
    )


def _runs(view: View, runs: pl.DataFrame) -> None:
    words, column = view.words, st.column_config
    view.table(
        runs,
        "spend_runs",
        {
            "started_at": column.DatetimeColumn("started_at", format=WHEN),
            "run_id": column.TextColumn("run_id", width="medium"),
            "portfolio": column.TextColumn(words("portfolio"), help="lineage.runs.portfolio"),
            "profile": column.TextColumn("profile"),
            "budget_rub": column.NumberColumn("budget_rub", format="%.2f"),
            "charged_rub": column.NumberColumn(words("charged"), help="lineage.runs.charged_rub", format="%.2f"),
            "unknown_rub": column.NumberColumn(words("unknown_rub"), help="lineage.runs.unknown_rub", format="%.2f"),
            "exit_code": column.NumberColumn("exit_code"),
        },
    )
