"""The rows that are known about a company: a section per subject of the dossier, a folded table per mart."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import polars as pl
import streamlit as st

from innspect.reports.dashboard.badges import escape_markdown
from innspect.reports.dashboard.page_context import PageContext
from innspect.reports.dossier.block_text import empty_text
from innspect.reports.dossier.dossier_page import column_label, subject_title
from innspect.reports.dossier.history import code_text, event_text, source_text
from innspect.reports.dossier.subjects import NUMERIC, SUBJECTS, Kind, SubjectTable

UNCONFIRMED_MARK = "?"


def show(context: PageContext, inn: str, blocks: Mapping[str, Mapping[str, Any]]) -> None:
    """Draw the tab; `blocks` has the coverage of each block. A mart that is not published is left out."""
    t = context.t
    published = context.published_marts()
    for subject in SUBJECTS:
        tables = [table for table in subject.tables if table.relation.removeprefix("mart.") in published]
        if tables:
            st.markdown(f"#### {escape_markdown(subject_title(subject, t))}")
        for table in tables:
            _show_table(context, inn, table, blocks)


def _show_table(context: PageContext, inn: str, table: SubjectTable, blocks: Mapping[str, Mapping[str, Any]]) -> None:
    """A folded table, or in words why there is none."""
    t, rows = context.t, context.query(table.query, inn=inn)
    context.show_query(table.query)
    title = escape_markdown(t.label("table", table.name))
    if rows.is_empty():
        st.markdown(f"**{title}.** {escape_markdown(empty_text(blocks, table, t))}")
        return
    count = t.number(rows.height)
    if any(blocks[block]["complete"] is False for block in table.blocks if block in blocks):
        count = t("at_least", value=count)
    is_doubtful = not rows["confirmed"].all()
    with st.expander(f"{title}: {count}{' ' + UNCONFIRMED_MARK if is_doubtful else ''}"):
        if is_doubtful:
            st.caption(t("dossier.row_unconfirmed"))
        columns = {"confirmed": st.column_config.TextColumn(UNCONFIRMED_MARK, width=40)} if is_doubtful else {}
        columns |= {name: _column(context, name, kind) for name, kind in table.columns.items()}
        context.show_table(
            rows, f"records_{table.name}", columns, t.label("table", table.name), display=_display(context, table)
        )


def _column(context: PageContext, name: str, kind: Kind) -> Any:
    label, column = column_label(name, context.t), st.column_config
    if kind in (Kind.DAY, Kind.MOMENT):
        return column.DateColumn(label, format=context.t.date_pattern.upper())
    if kind in NUMERIC:
        return column.NumberColumn(label, format="localized")
    if kind is Kind.YEAR:
        return column.NumberColumn(label, format="%d")
    return column.TextColumn(label)


def _display(context: PageContext, table: SubjectTable) -> list[pl.Expr]:
    """The columns that are shown in words instead of codes."""
    t = context.t
    words = {True: t("true"), False: t("false")}
    shown = [pl.when(~pl.col("confirmed")).then(pl.lit(UNCONFIRMED_MARK)).alias("confirmed")]
    for name, kind in table.columns.items():
        if kind is Kind.CODE:
            shown.append(pl.col(name).map_elements(partial(code_text, t=t), pl.String))
        elif kind in (Kind.EVENT, Kind.SOURCE):
            words_of = event_text if kind is Kind.EVENT else source_text
            shown.append(pl.col(name).map_elements(partial(words_of, t=t), pl.String))
        elif kind is Kind.FLAG:
            shown.append(pl.col(name).replace_strict(words, return_dtype=pl.String))
    return shown
