"""What re-checks found changed, the gravest first."""

import altair as alt
import polars as pl
import streamlit as st

from innspect.reports.dashboard import url_state as address
from innspect.reports.dashboard.badges import SEVERITIES, labelled, scale
from innspect.reports.dashboard.page_context import WHEN, View
from innspect.reports.i18n.change_meanings_ru import MEANINGS
from innspect.schemas.change_severity import RULES

DAYS, USUAL_DAYS = ("1", "7", "30", "90", "365"), "30"
FOUND = """
SELECT seen_at, severity, inn, name, meaning, block, table_name, row_key, change, column_name, old_value, new_value,
       known_until, run_id, snapshot_id
FROM mart.changes SEMI JOIN chosen USING (inn)
WHERE seen_at >= now()::TIMESTAMP - to_days($days)
ORDER BY CASE severity WHEN 'alert' THEN 0 WHEN 'notice' THEN 1 ELSE 2 END, seen_at DESC, inn, block, table_name,
         row_key, column_name
"""


def show(view: View) -> None:
    """The page."""
    words = view.words
    st.title(words("changes"))
    address.take("days", DAYS, usual=USUAL_DAYS)
    address.take("severity", SEVERITIES, many=True)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        days = st.segmented_control(words("days"), DAYS, required=True, key="days")
        severities = st.pills(
            words("severity"),
            SEVERITIES,
            selection_mode="multi",
            format_func=lambda level: labelled(level, words),
            key="severity",
        )
    address.put("days", days, usual=USUAL_DAYS)
    address.put("severity", severities)
    found = view.frame(FOUND, days=int(days or USUAL_DAYS))
    blocks = st.multiselect(
        words("blocks"), sorted(found["block"].unique().to_list()), key="changed_blocks", placeholder=words("all")
    )
    if severities:
        found = found.filter(pl.col("severity").is_in(severities))
    if blocks:
        found = found.filter(pl.col("block").is_in(blocks))
    with st.container(horizontal=True):
        st.metric(words("changes"), words.number(found.height), border=True)
        st.metric(words("changed_companies"), words.number(found["inn"].n_unique()), border=True)
        for severity in SEVERITIES[:2]:
            alike = found.filter(pl.col("severity") == severity).height
            st.metric(labelled(severity, words), words.number(alike), border=True)
    if found.is_empty():
        st.info(words("nothing_changed"))
    else:
        _chart(view, found)
        changes_table(view, found, "changes", opens=True)
    view.sql(FOUND)


def _chart(view: View, found: pl.DataFrame) -> None:
    words = view.words
    counted = found.group_by(pl.col("seen_at").dt.strftime("%Y-%m-%d").alias("day"), "severity").len("changes")
    domain, colours = scale(SEVERITIES, words)
    drawn = counted.with_columns(
        pl.col("severity").replace_strict({level: labelled(level, words) for level in SEVERITIES}).alias("word")
    )
    bars = (
        alt.Chart(drawn)
        .mark_bar()
        .encode(
            x=alt.X("day:O", title=None, axis=alt.Axis(labelAngle=-45)),
            y=alt.Y("sum(changes):Q", title=words("changes"), axis=alt.Axis(tickMinStep=1)),
            color=alt.Color(
                "word:N",
                scale=alt.Scale(domain=domain, range=colours),
                legend=alt.Legend(title=None, orient="top"),
            ),
            tooltip=[
                alt.Tooltip("day:N", title=words("seen_at")),
                alt.Tooltip("word:N", title=words("severity")),
                alt.Tooltip("changes:Q", title=words("changes")),
            ],
        )
    )
    st.altair_chart(bars.properties(height=260), key="changes_chart")


def changes_table(view: View, found: pl.DataFrame, key: str, *, opens: bool) -> None:
    """Changes (rows of `FOUND`) as a table; `opens` where a row leads to its company."""
    words, column = view.words, st.column_config
    where = pl.concat_str(pl.col("table_name"), pl.col("column_name"), separator=".", ignore_nulls=True)
    meant = pl.col("meaning").replace(MEANINGS) if words.language == "ru" else pl.col("meaning")
    shown = found.with_columns(
        pl.col("severity").replace_strict({level: labelled(level, words) for level in SEVERITIES}),
        # That it is any other change says nothing; where it is says all.
        pl.when(pl.col("meaning") == RULES[-1].meaning).then(where).otherwise(meant).alias("meaning"),
        where.alias("where"),
    )
    columns = {
        "severity": column.TextColumn(words("severity"), help="mart.changes.severity", width=110),
        "seen_at": column.DatetimeColumn(words("seen_at"), help="mart.changes.seen_at", format=WHEN),
        "name": column.TextColumn(words("name"), help="mart.changes.name", width="medium"),
        "inn": column.TextColumn(words("inn"), help="inn", width=110),
        "meaning": column.TextColumn(words("meaning"), help="mart.changes.meaning", width="medium"),
        "where": column.TextColumn(words("where"), help="mart.changes.table_name, column_name", width="medium"),
        "old_value": column.TextColumn(words("old_value"), help="mart.changes.old_value", width="medium"),
        "new_value": column.TextColumn(words("new_value"), help="mart.changes.new_value", width="medium"),
        "known_until": column.DatetimeColumn(words("known_until"), help="mart.changes.known_until", format=WHEN),
    }
    if not opens:
        columns = {name: made for name, made in columns.items() if name not in ("name", "inn")}
    view.table(shown, key, columns, opens=opens)
