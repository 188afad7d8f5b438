"""The part of the portfolio page on who got worse: levels at the begin and at the end of a period of choice."""

import polars as pl
import streamlit as st

from innspect.reports.dashboard import url_state
from innspect.reports.dashboard.badges import label_column
from innspect.reports.dashboard.page_context import PageContext
from innspect.reports.i18n.catalog import Translations
from innspect.reports.level_history import (
    MOVEMENT_ORDER,
    MOVEMENTS,
    count_movements,
    level_history,
    level_movements,
    past_level_remark,
    signal_titles,
)
from innspect.reports.style import LEVELS
from innspect.schemas.states import sql_list

PERIODS, DEFAULT_PERIOD = ("1", "7", "30", "90", "365"), "30"
SINCE = "now()::TIMESTAMP - to_days($days)"
MOVED = level_movements("inn IN (SELECT inn FROM selected)", SINCE)
COUNTS = count_movements(MOVED, "SELECT inn FROM selected", SINCE)
ROWS = f"""SELECT * FROM ({MOVED}
            )
            WHERE movement IN {sql_list(MOVEMENTS)} ORDER BY {MOVEMENT_ORDER}"""
HISTORY = level_history("inn = $inn")


def show(context: PageContext) -> None:
    """Draw the part."""
    t = context.t
    st.subheader(t("movements"))
    url_state.restore("period", PERIODS, default=DEFAULT_PERIOD)
    period = st.segmented_control(t("days"), PERIODS, required=True, key="period")
    url_state.save("period", period, default=DEFAULT_PERIOD)
    days = int(period or DEFAULT_PERIOD)
    counts = context.query(COUNTS, days=days).row(0, named=True)
    if not counts["requested"] and not any(counts[movement] for movement in MOVEMENTS):
        st.info(t("movements.idle"))
        return
    with st.container(horizontal=True, key="movements"):
        st.metric(t("requested_inns"), t.number(counts["requested"]), border=True)
        for movement in MOVEMENTS:
            st.metric(t.label("movement", movement).capitalize(), t.number(counts[movement]), border=True)
    others = [
        t(key, count=t.number(counts[name]))
        for key, name in (("movements.assessed_first", "first"), ("movements.same", "same"))
        if counts[name]
    ]
    if others:
        st.caption(" ".join(others))
    rows = context.query(ROWS, days=days)
    if rows.is_empty():
        st.info(t("movements.none"))
    else:
        st.caption(t("movements.note"))
        _show_table(context, rows)
    context.show_query(ROWS)


def _show_table(context: PageContext, rows: pl.DataFrame) -> None:
    t, column = context.t, st.column_config
    context.show_table(
        rows.with_columns(*_texts(rows, t)),
        "moved",
        {
            "movement": column.TextColumn(t("level"), width=190),
            "name": column.TextColumn(t("name"), width="medium"),
            "inn": column.TextColumn(t("inn"), width=110),
            "level_before": column.TextColumn(t("old_value"), width=120),
            "level": column.TextColumn(t("new_value"), width=120),
            "not_known": column.TextColumn(t("level_remark"), width="medium"),
            "appeared": column.TextColumn(t("appeared"), width="large"),
            "disappeared": column.TextColumn(t("no_longer"), width="medium"),
            "score_before": column.NumberColumn(t("score_before"), width=90),
            "score": column.NumberColumn(t("score"), width=70),
            "assessed_at": column.DatetimeColumn(t("run"), format=context.datetime_format),
        },
        t("movements"),
        display=[
            *(label_column(name, "level", LEVELS, t) for name in ("level_before", "level")),
            pl.col("movement").map_elements(lambda movement: t.label("movement", movement), pl.String),
            pl.col("name").fill_null(t("no_name")),
        ],
        essential=("movement", "name", "inn", "level_before", "level", "appeared", "not_known"),
        opens_company=True,
    )


def _texts(rows: pl.DataFrame, t: Translations) -> list[pl.Series]:
    """What was not known with each level, and the titles of signals, as text."""
    records = rows.to_dicts()
    texts = {"not_known": [past_level_remark(record, t) for record in records]}
    for name in ("appeared", "disappeared"):
        texts[name] = [signal_titles(record[name], t) for record in records]
    return [pl.Series(name, values, pl.String) for name, values in texts.items()]


def show_history(context: PageContext, inn: str) -> None:
    """The course of one company's level, latest first."""
    t, column = context.t, st.column_config
    st.subheader(t("level_history"))
    rows = context.query(HISTORY, inn=inn)
    if rows.is_empty():
        st.info(t("level_history.none"))
    else:
        context.show_table(
            rows.with_columns(*_texts(rows, t)),
            "level_history",
            {
                "assessed_at": column.DatetimeColumn(t("run"), format=context.datetime_format),
                "level_before": column.TextColumn(t("old_value"), width=120),
                "level": column.TextColumn(t("new_value"), width=120),
                "not_known": column.TextColumn(t("level_remark")),
                "score": column.NumberColumn(t("score"), width=70),
                "appeared": column.TextColumn(t("appeared"), width="large"),
                "disappeared": column.TextColumn(t("no_longer"), width="medium"),
            },
            t("level_history"),
            display=[
                label_column("level_before", "level", LEVELS, t).fill_null("—"),
                label_column("level", "level", LEVELS, t),
            ],
        )
    context.show_query(HISTORY)
