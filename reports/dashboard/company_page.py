"""The page of one company: card, signals, history, coverage, and its responses."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import polars as pl
import streamlit as st

from innspect.reports.coverage_text import blocks_without_method
from innspect.reports.dashboard import (
    company_card,
    company_dossier,
    company_evidence,
    company_links,
    company_records,
    company_timeline,
    url_state,
)
from innspect.reports.dashboard.badges import (
    badge,
    escape_markdown,
    html_table,
    label_column,
    signed_label,
    unknown_column,
)
from innspect.reports.dashboard.page_context import INN_PARAMETER, PageContext
from innspect.reports.level_text import doubt_text, level_text, since_text
from innspect.reports.style import LEVEL_ORDER, LEVELS
from innspect.schemas.states import STALE, Level, SignalState

PROFILE = "SELECT * FROM mart.company_profile WHERE inn = $inn"
SCORE = "SELECT * FROM mart.risk_score WHERE inn = $inn"
SIGNALS = f"""
SELECT signal, {{title}} AS title, severity, weight, state, confirmed, since, since_seen, evidence, block,
       reason, checked_at, collected_at, source_date, snapshot_id
FROM mart.risk_signals WHERE inn = $inn
ORDER BY CASE state WHEN '{SignalState.PRESENT}' THEN 0 WHEN '{SignalState.UNKNOWN}' THEN 1
         WHEN '{SignalState.NEVER_REQUESTED}' THEN 2 ELSE 3 END, weight DESC, signal
"""
BLOCKS = """
SELECT DISTINCT ON (block) block, state, reason, asked_at, checked_at, collected_at, source_date, age_days, stale,
       complete
FROM mart.coverage WHERE inn = $inn ORDER BY block
"""
CANDIDATES = f"""
WITH own AS (
    SELECT inn, string_agg(
        concat_ws(' ', name, tags, array_to_string(json_extract_string(extra, '$.*'), ' ')), ' '
    ) AS words
    FROM lineage.portfolio_members WHERE left_at IS NULL GROUP BY inn
)
SELECT p.inn, coalesce(p.short_name, p.name) AS name, s.level, s.unknown_blocks, s.unknown_since,
       s.never_requested_blocks, s.stale_blocks, s.level_at_most, s.score
FROM mart.company_profile p JOIN selected USING (inn)
LEFT JOIN mart.risk_score s USING (inn) LEFT JOIN own o USING (inn)
WHERE contains(lower(concat_ws(' ', p.name, p.short_name, p.inn, o.words)), lower($text))
ORDER BY list_position({LEVEL_ORDER}, coalesce(s.level, '{Level.UNKNOWN}')), s.score DESC, p.inn LIMIT 50
"""
TABS: Sequence[str] = ("card", "signals", "people", "records", "timeline", "known", "responses")


def show(context: PageContext) -> None:
    """Draw the page."""
    t = context.t
    st.title(t("page.company"))
    url_state.restore(INN_PARAMETER)
    text = st.text_input(t("open_company"), key=INN_PARAMETER, icon=":material/search:", max_chars=200).strip()
    url_state.save(INN_PARAMETER, text)
    profile = context.query(PROFILE, inn=text) if text.isdigit() else None
    if profile is None or profile.is_empty():
        _show_candidates(context, text)
        return
    row = profile.row(0, named=True)
    blocks = _read_blocks(context, text)
    _show_head(context, row)
    tabs = dict(zip(TABS, st.tabs([t(name) for name in TABS], key="tabs", on_change="rerun"), strict=True))
    opened = next(name for name in TABS if tabs[name].open)
    with tabs[opened]:
        if opened == "card":
            company_card.show(context, row, blocks)
            context.show_query(PROFILE)
        elif opened == "signals":
            _show_signals(context, text)
        elif opened == "people":
            company_links.show(context, text)
        elif opened == "records":
            company_records.show(context, text, blocks)
        elif opened == "timeline":
            company_timeline.show(context, text)
        elif opened == "known":
            st.html(_coverage_table(context, blocks))
            context.show_query(BLOCKS)
        else:
            company_evidence.show(context, text)


def _read_blocks(context: PageContext, inn: str) -> dict[str, dict[str, Any]]:
    """Coverage by block, with the blocks for which the service has no method for this kind of INN."""
    blocks = {str(row["block"]): row for row in context.query(BLOCKS, inn=inn).to_dicts()}
    for block in blocks_without_method(len(inn), blocks):
        empty = dict.fromkeys(
            ("reason", "asked_at", "checked_at", "collected_at", "source_date", "age_days", "stale", "complete")
        )
        blocks[block] = {**empty, "block": block, "state": str(SignalState.NOT_OFFERED)}
    return blocks


def _show_candidates(context: PageContext, text: str) -> None:
    t, column = context.t, st.column_config
    candidates = context.with_own_names(context.query(CANDIDATES, text=text))
    if candidates.is_empty():
        st.info(t("no_candidates", text=escape_markdown(text)))
        return
    title = t("candidates") if text else t("riskiest")
    st.subheader(title)
    columns = {
        "level": column.TextColumn(t("risk")),
        "name": column.TextColumn(t("name"), width="medium"),
        "own_name": column.TextColumn(t("own_name"), width="medium"),
        "inn": column.TextColumn(t("inn"), width=110),
        "unknown_blocks": column.TextColumn(t("unknown_blocks")),
        "level_at_most": column.TextColumn(t("level_at_most")),
        "score": column.NumberColumn(t("score")),
    }
    if not candidates["own_name"].count():
        del columns["own_name"]
    context.show_table(
        candidates,
        "candidates",
        columns,
        title,
        display=[
            pl.col("name").fill_null(t("no_name")),
            label_column("level", "level", LEVELS, t).fill_null(signed_label("level", Level.UNKNOWN, t)),
            label_column("level_at_most", "level", LEVELS, t),
            unknown_column(t),
        ],
        essential=("level", "name", "own_name", "inn", "unknown_blocks"),
        opens_company=True,
    )
    context.show_query(CANDIDATES)


def _show_head(context: PageContext, row: Mapping[str, Any]) -> None:
    t = context.t
    st.subheader(escape_markdown(str(row["short_name"] or row["name"] or t("no_name"))), anchor=False)
    own_name = context.with_own_names(pl.DataFrame({"inn": [row["inn"]]}))["own_name"].item()
    parts = [f"{escape(t('inn'))} {escape(row['inn'])}", escape(str(row["name"] or ""))]
    if own_name:
        parts.append(f"{escape(t('own_name'))}: <strong>{escape(own_name)}</strong>")
    parts += [escape(context.format_value(row[name] or [])) for name in ("portfolios", "tags")]
    st.html(f'<div class="sub">{" · ".join(part for part in parts if part)}</div>')
    company_dossier.show(context, row["inn"])
    scores = context.query(SCORE, inn=row["inn"])
    if scores.is_empty():
        return
    score = scores.row(0, named=True)
    with st.container(horizontal=True, key="score"):
        st.metric(t("risk"), signed_label("level", score["level"] or Level.UNKNOWN, t), border=True)
        st.metric(t("score"), t.number(score["score"]), border=True)
        st.metric(t("score_most"), t.number(score["score_at_most"]), border=True)
        at_most = signed_label("level", score["level_at_most"], t)
        st.metric(t("level_at_most"), at_most, border=True)
    st.html(f'<div class="sub">{escape(level_text(score, t))}</div>')


def _show_signals(context: PageContext, inn: str) -> None:
    t = context.t
    query = SIGNALS.format(title="title_ru" if t.language == "ru" else "title")
    signals = context.query(query, inn=inn)
    heads = [t(name) for name in ("state", "signal", "evidence", "block", "since", "checked_at")]
    folded = {
        str(SignalState.ABSENT): t("absent_signals"),
        str(SignalState.NOT_OFFERED): t.label("state", SignalState.NOT_OFFERED).capitalize(),
    }
    shown = signals.filter(~pl.col("state").is_in(list(folded)))
    parts = [(shown, None), *((signals.filter(state=state), title) for state, title in folded.items())]
    for part, title in parts:
        if part.is_empty():
            continue
        with st.container() if title is None else st.expander(f"{title}: {part.height}"):
            rows = [_signal_row(context, row) for row in part.iter_rows(named=True)]
            st.html(html_table(heads, rows, unbroken=(5,)))
    context.show_query(query)


def _signal_row(context: PageContext, row: Mapping[str, Any]) -> list[str]:
    t, state = context.t, str(row["state"])
    is_present = state == SignalState.PRESENT
    state_cell = badge(state, t, row["severity"] if is_present else None)
    if is_present:
        state_cell += f' <span class="sub">{escape(signed_label("severity", row["severity"], t))}</span>'
        if not row["confirmed"]:
            state_cell += f' <div class="sub">? {escape(doubt_text(row, t))}</div>'
    reason = f' <div class="sub">{escape(t.reason(row["reason"]))}</div>' if row["reason"] else ""
    return [
        state_cell,
        f'{escape(str(row["title"]))} <div class="sub">{escape(t("score"))}: {row["weight"]}</div>',
        escape(t.signal_evidence(row["evidence"]) or "") + reason,
        escape(t.label("block", row["block"])),
        "" if row["since"] is None else escape(since_text(row, t.date(row["since"]), t)),
        "" if row["checked_at"] is None else t.date(row["checked_at"]),
    ]


def _coverage_table(context: PageContext, blocks: Mapping[str, Mapping[str, Any]]) -> str:
    t = context.t
    rows = [
        [
            escape(t.label("block", name)),
            badge(str(block["state"]), t) + (f" {badge(STALE, t)}" if block["stale"] else ""),
            escape(t.reason(block["reason"])),
            "" if block["asked_at"] is None else t.date_time(block["asked_at"]),
            "" if block["collected_at"] is None else t.date(block["collected_at"]),
            "" if block["source_date"] is None else t.date(block["source_date"]),
            t.number(block["age_days"], 1),
        ]
        for name, block in blocks.items()
    ]
    heads = [
        t(name)
        for name in ("block", "latest_response", "reason", "asked_at", "collected_at", "source_date", "age_days")
    ]
    return html_table(heads, rows, unbroken=(3, 4, 5, 6))
