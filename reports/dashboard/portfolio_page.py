"""The portfolio: who is at risk, how sure that is, and how the risk lies over the user's own slices."""

import altair as alt
import polars as pl
import streamlit as st

from innspect.reports.dashboard import url_state as address
from innspect.reports.dashboard.badges import LEVELS, labelled, scale
from innspect.reports.dashboard.filters import pointer
from innspect.reports.dashboard.page_context import WHEN, View

RISKS = """
WITH why AS (
    SELECT inn, list({title} ORDER BY weight DESC, signal) AS reasons
    FROM mart.risk_signals SEMI JOIN chosen USING (inn) WHERE state = 'present' GROUP BY inn
)
SELECT p.inn, coalesce(p.short_name, p.name) AS name, s.level, s.score, s.score_most, s.confirmed_share,
       coalesce(w.reasons, []) AS reasons,
       s.not_confirmed, s.never_asked, p.status, p.portfolios, p.tags, p.blocks_confirmed, p.blocks_askable,
       p.checked_at, p.extra
FROM mart.company_profile p JOIN chosen USING (inn)
LEFT JOIN mart.risk_score s USING (inn) LEFT JOIN why w USING (inn)
ORDER BY s.score DESC NULLS LAST, s.score_most DESC NULLS LAST, p.inn
"""
ALERTS = """
SELECT count(*) AS changes FROM mart.changes SEMI JOIN chosen USING (inn)
WHERE severity = 'alert' AND seen_at >= now()::TIMESTAMP - INTERVAL 30 DAY
"""
OWN_NAMES = """
SELECT DISTINCT c.key AS name FROM lineage.portfolio_members m, json_each(m.extra) c ORDER BY 1
"""


def show(view: View) -> None:
    """The page."""
    words = view.words
    st.title(words("portfolio"))
    if not view.chosen:
        st.info(words("none_chosen"))
        return
    query = RISKS.format(title=f"title_{words.language}" if words.language == "ru" else "title")
    risks = view.frame(query).with_columns(pl.col("level").fill_null("unknown"))
    _figures(view, risks)
    _chart(view, risks)
    _table(view, risks)
    view.sql(query)


def _figures(view: View, risks: pl.DataFrame) -> None:
    words = view.words
    grave = risks.filter(pl.col("level").is_in(LEVELS[:2])).height
    unknown = risks.filter(pl.col("level") == "unknown").height
    askable, confirmed = (int(risks[name].sum()) for name in ("blocks_askable", "blocks_confirmed"))
    share = f"{100 * confirmed / askable:.0f} %" if askable else "—"
    with st.container(horizontal=True, key="figures"):
        st.metric(words("inns"), words.number(risks.height), border=True)
        st.metric(words("worst"), words.number(grave), border=True)
        st.metric(words("unknown_level"), words.number(unknown), border=True)
        st.metric(words("alerts_lately"), words.number(view.frame(ALERTS).item()), border=True)
        st.metric(words("blocks_confirmed"), share, border=True, help=words("blocks_help"))


def _chart(view: View, risks: pl.DataFrame) -> None:
    words = view.words
    names = [str(name) for name in view.frame(OWN_NAMES)["name"]]
    choices: list[str] = ["", "portfolios", "tags", *names]
    said = {"": "—", "portfolios": words("portfolios"), "tags": words("tags")}
    st.subheader(words("by_level"))
    address.take("slice", choices)
    by = st.selectbox(
        words("slice"),
        choices,
        format_func=lambda name: said.get(name) or str(name),
        key="slice",
        width=320,
    )
    address.put("slice", by)
    if not by:
        sliced = risks.select("level", pl.lit(words("all")).alias("slice"))
    elif by in ("portfolios", "tags"):
        sliced = risks.select("level", pl.col(by).alias("slice")).explode("slice")
    else:
        value = view.frame(
            "SELECT inn, json_extract_string(extra, $path) AS slice FROM mart.company_profile JOIN chosen USING (inn)",
            path=pointer(by),
        )
        sliced = risks.select("inn", "level").join(value, on="inn", how="left").select("level", "slice")
    counted = sliced.with_columns(pl.col("slice").fill_null("∅")).group_by("slice", "level").len("inns")
    present = [level for level in LEVELS if level in counted["level"]]
    domain, colours = scale(present, words)
    drawn = counted.with_columns(
        pl.col("level").replace_strict({level: labelled(level, words) for level in LEVELS}).alias("word"),
        pl.col("level").replace_strict({level: place for place, level in enumerate(LEVELS)}).alias("place"),
    )
    base = alt.Chart(drawn).encode(
        y=alt.Y("slice:N", title=None, sort="-x", axis=alt.Axis(labelLimit=160)),
        x=alt.X("inns:Q", title=words("inns"), stack="zero", axis=alt.Axis(tickMinStep=1)),
        order=alt.Order("place:Q"),
        tooltip=["slice:N", alt.Tooltip("word:N", title=words("risk")), alt.Tooltip("inns:Q", title=words("inns"))],
    )
    bars = base.mark_bar(stroke="#fff").encode(
        color=alt.Color(
            "word:N",
            scale=alt.Scale(domain=domain, range=colours),
            legend=alt.Legend(title=None, orient="top", columns=5, labelLimit=200),
        )
    )
    st.altair_chart(bars.properties(height=alt.Step(34)), key="levels_chart")


def _table(view: View, risks: pl.DataFrame) -> None:
    words = view.words
    address.take("level", LEVELS, many=True)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = st.text_input(words("search"), key="search", icon=":material/search:", width=320)
        levels = st.pills(
            words("levels"),
            LEVELS,
            selection_mode="multi",
            format_func=lambda level: labelled(level, words),
            key="level",
        )
    address.put("level", levels)
    if levels:
        risks = risks.filter(pl.col("level").is_in(levels))
    if text.strip():
        wanted = text.strip().lower()
        named = pl.col("name").fill_null("").str.to_lowercase().str.contains(wanted, literal=True)
        risks = risks.filter(named | pl.col("inn").str.contains(wanted, literal=True))
    shown = risks.with_columns(
        pl.col("level").replace_strict({level: labelled(level, words) for level in LEVELS}).alias("level"),
        pl.col("name").fill_null(words("no_name")),
        (pl.col("confirmed_share") * 100).alias("confirmed_share"),
        pl.col("reasons").list.join(", "),
    ).select(pl.col("level"), pl.exclude("level"))
    column = st.column_config
    view.table(
        shown,
        "risks",
        {
            "level": column.TextColumn(words("risk"), help="mart.risk_score.level", width=120, pinned=True),
            "name": column.TextColumn(words("name"), help="mart.company_profile.name", width="medium"),
            "inn": column.TextColumn(words("inn"), help="inn", width=110),
            "score": column.NumberColumn(words("score"), help="mart.risk_score.score", width=70),
            "score_most": column.NumberColumn(words("score_up_to"), help="mart.risk_score.score_most", width=90),
            "confirmed_share": column.ProgressColumn(
                words("confirmed_share"), help="mart.risk_score.confirmed_share", format="%.0f %%", min_value=0,
                max_value=100, width=130,
            ),
            "reasons": column.TextColumn(words("reasons"), help="mart.risk_signals", width="large"),
            "not_confirmed": column.NumberColumn(words("not_confirmed"), help="mart.risk_score.not_confirmed"),
            "never_asked": column.NumberColumn(words("never_asked"), help="mart.risk_score.never_asked"),
            "status": column.TextColumn(words("status"), help="mart.company_profile.status"),
            "checked_at": column.DatetimeColumn(words("checked_at"), help="mart.company_profile.checked_at",
                                                format=WHEN),
        },
        opens=True,
    )  # fmt: skip
