"""One company: card, signals, timeline, and the evidence of each down to the answer."""

from collections.abc import Mapping
from html import escape
from typing import Any

import polars as pl
import streamlit as st

from innspect.reports.dashboard import company_evidence as company_answers
from innspect.reports.dashboard import company_timeline
from innspect.reports.dashboard import url_state as address
from innspect.reports.dashboard.badges import COLOURS, KNOWN, NEVER, facts, labelled, mark, plain
from innspect.reports.dashboard.page_context import INN, View

PROFILE = "SELECT * FROM mart.company_profile WHERE inn = $inn"
SCORE = "SELECT * FROM mart.risk_score WHERE inn = $inn"
SIGNALS = """
SELECT signal, {title} AS title, severity, weight, state, confirmed, since, evidence, block, reason, checked_at,
       snapshot_id
FROM mart.risk_signals WHERE inn = $inn
ORDER BY CASE state WHEN 'present' THEN 0 WHEN 'not confirmed' THEN 1 WHEN 'never asked' THEN 2 ELSE 3 END,
         weight DESC, signal
"""
BLOCKS = """
SELECT DISTINCT ON (block) block, state, reason, asked_at, checked_at, collected_at, age_days
FROM mart.coverage WHERE inn = $inn ORDER BY block
"""
CANDIDATES = """
SELECT p.inn, coalesce(p.short_name, p.name) AS name, s.level, s.score
FROM mart.company_profile p JOIN chosen USING (inn)
LEFT JOIN mart.risk_score s USING (inn)
WHERE contains(lower(coalesce(p.name, '') || ' ' || coalesce(p.short_name, '') || ' ' || p.inn), lower($text))
ORDER BY s.score DESC NULLS LAST, p.inn LIMIT 50
"""
COMPANY, TAXES = "company", "tax_debts"
CARD: Mapping[str, tuple[str, tuple[str, str]]] = {
    "status": (COMPANY, ("Статус", "Status")),
    "status_description": (COMPANY, ("Пояснение статуса", "Status in words")),
    "registration_date": (COMPANY, ("Зарегистрирована", "Registered")),
    "liquidation_date": (COMPANY, ("Прекращена", "Terminated")),
    "director": (COMPANY, ("Руководитель", "Director")),
    "address": (COMPANY, ("Адрес", "Address")),
    "okved_name": (COMPANY, ("Вид деятельности", "Activity")),
    "authorized_capital_rub": (COMPANY, ("Уставный капитал, ₽", "Authorized capital, RUB")),
    "sme_category": ("msp", ("Категория МСП", "SME category")),
    "headcount": ("employees", ("Работников", "Headcount")),
    "revenue_rub": ("revexp", ("Доходы, ₽", "Revenue, RUB")),
    "expense_rub": ("revexp", ("Расходы, ₽", "Expense, RUB")),
    "active_debt_rub": ("fssp", ("Долг у приставов, ₽", "Debt at the bailiffs, RUB")),
    "tax_debt_rub": (TAXES, ("Долг по налогам, ₽", "Tax debt, RUB")),
    "tax_fines_rub": ("tax_offences", ("Налоговые штрафы, ₽", "Tax fines, RUB")),
    "cases": ("arbitration", ("Арбитражных дел", "Arbitration cases")),
    "cases_as_respondent": ("arbitration", ("Из них ответчик", "As respondent")),
    "claims_rub": ("arbitration", ("Сумма требований, ₽", "Claims, RUB")),
    "general_court_cases": ("general_courts", ("Дел в судах общей юрисдикции", "Cases in general courts")),
    "freezes": ("freezes", ("Решений о приостановке счетов", "Suspensions of accounts")),
    "sanction_hits": ("sanctions", ("Совпадений в санкционных списках", "Matches in sanctions lists")),
    "rnp_active": ("rnp", ("В реестре недобросовестных поставщиков", "In the unfair-supplier register")),
    "bankruptcy_stage": ("bankruptcy", ("Стадия банкротства", "Bankruptcy stage")),
    "bankruptcy_intention": ("bankruptcy", ("Намерение о банкротстве", "Intention of bankruptcy")),
    "contracts": ("contracts", ("Госконтрактов", "State contracts")),
    "contracts_rub": ("contracts", ("Госконтракты, ₽", "State contracts, RUB")),
    "pledges": ("pledges", ("Залогов", "Pledges")),
    "inspections_with_violations": ("inspections", ("Проверок с нарушениями", "Inspections with violations")),
    "licenses": ("licenses", ("Лицензий", "Licences")),
    "trademarks": ("trademarks", ("Товарных знаков", "Trademarks")),
}
"""Columns of mart.company_profile on the card: the block that tells, and the label in Russian and English."""


def show(view: View) -> None:
    """The page."""
    words = view.words
    st.title(words("company"))
    address.take(INN)
    text = st.text_input(words("open_company"), key=INN, icon=":material/search:", max_chars=200).strip()
    address.put(INN, text)
    profile = view.frame(PROFILE, inn=text) if text.isdigit() else None
    if profile is None or profile.is_empty():
        _candidates(view, text)
        return
    row = profile.row(0, named=True)
    blocks = {str(block["block"]): block for block in view.frame(BLOCKS, inn=text).to_dicts()}
    _head(view, row)
    names = ["card", "signals", "timeline", "known", "proof"]
    tabs = dict(zip(names, st.tabs([words(name) for name in names], key="tabs", on_change="rerun"), strict=True))
    opened = next(name for name in names if tabs[name].open)
    with tabs[opened]:
        if opened == "card":
            st.html(_card(view, row, blocks))
            view.sql(PROFILE)
        elif opened == "signals":
            _signals(view, text)
        elif opened == "timeline":
            company_timeline.show(view, text)
        elif opened == "known":
            st.html(_known(view, blocks))
            view.sql(BLOCKS)
        else:
            company_answers.show(view, text)


def _candidates(view: View, text: str) -> None:
    words, column = view.words, st.column_config
    found = view.frame(CANDIDATES, text=text)
    if found.is_empty():
        st.info(words("no_candidates", text=plain(text)))
        return
    st.subheader(words("candidates") if text else words("riskiest"))

    def picked() -> None:
        rows = st.session_state["candidates"].selection.rows
        if rows:
            st.session_state[INN] = str(found["inn"][rows[0]])

    st.caption(words("pick_row"))
    st.dataframe(
        found.with_columns(
            pl.col("name").fill_null(words("no_name")),
            pl.col("level").fill_null("unknown").map_elements(lambda level: labelled(level, words), pl.String),
        ),
        key="candidates",
        hide_index=True,
        on_select=picked,
        selection_mode="single-row",
        column_config={
            "inn": column.TextColumn(words("inn"), width=110),
            "name": column.TextColumn(words("name"), width="medium"),
            "level": column.TextColumn(words("risk")),
            "score": column.NumberColumn(words("score")),
        },
    )


def _head(view: View, row: Mapping[str, Any]) -> None:
    words = view.words
    score = view.frame(SCORE, inn=row["inn"])
    st.subheader(plain(str(row["short_name"] or row["name"] or words("no_name"))), anchor=False)
    told = [
        f"<code>{escape(row['inn'])}</code>",
        escape(str(row["name"] or "")),
        escape(view.cell(row["portfolios"] or [])),
    ]
    told += [escape(view.cell(row["tags"]))] if row["tags"] else []
    st.html(f'<div class="sub">{" · ".join(part for part in told if part)}</div>')
    if score.is_empty():
        return
    sums = score.row(0, named=True)
    share = sums["confirmed_share"]
    with st.container(horizontal=True, key="score"):
        st.metric(words("risk"), labelled(sums["level"] or "unknown", words), border=True)
        st.metric(words("score"), words.number(sums["score"]), border=True, help="mart.risk_score.score")
        st.metric(words("score_most"), words.number(sums["score_most"]), border=True)
        part = "—" if share is None else f"{100 * share:.0f} %"
        st.metric(words("confirmed_share"), part, border=True, help="mart.risk_score.confirmed_share")


def _card(view: View, row: Mapping[str, Any], blocks: Mapping[str, Mapping[str, Any]]) -> str:
    place = 0 if view.words.language == "ru" else 1
    cells: list[str] = []
    for name, (block, labels) in CARD.items():
        # What cannot be asked of this kind of INN has no place on its card.
        if block in blocks:
            told = f"{escape(labels[place])} <code>{name}</code>"
            cells.append(f'<div><span class="sub">{told}</span>{_value(view, row[name], blocks[block])}</div>')
    return f'<div class="cells">{"".join(cells)}</div>'


def _value(view: View, value: Any, block: Mapping[str, Any]) -> str:
    """A figure of the card in words, or why there is none: a silence is never an empty cell, let alone a zero."""
    words, state = view.words, str(block["state"])
    if value is not None:
        doubt = "" if state in KNOWN else f' <span class="sub">({escape(words("silent_since"))})</span>'
        return f"<strong>{escape(view.cell(value))}</strong>{doubt}"
    if state == NEVER:
        return mark(NEVER, words)
    if block["checked_at"] is None or state not in KNOWN:
        return mark("not confirmed", words) + f' <span class="sub">{escape(words(state))}</span>'
    return mark("clean", words) if state == "clean" else f'<span class="sub">{escape(words("not_given"))}</span>'


def _signals(view: View, inn: str) -> None:
    words = view.words
    query = SIGNALS.format(title="title_ru" if words.language == "ru" else "title")
    found = view.frame(query, inn=inn)
    head = [words(name) for name in ("state", "signal", "evidence", "block", "since", "checked_at")]
    absent = pl.col("state") == "absent"
    for part, place in ((found.filter(~absent), None), (found.filter(absent), words("absent_signals"))):
        if part.is_empty():
            continue
        with st.container() if place is None else st.expander(f"{place}: {part.height}"):
            st.html(facts(head, [_signal(view, row) for row in part.iter_rows(named=True)], thin=(3, 4, 5)))
    view.sql(query)


def _signal(view: View, row: Mapping[str, Any]) -> list[str]:
    words, state = view.words, str(row["state"])
    state_of = mark(state, words, COLOURS[row["severity"]] if state == "present" else None)
    if state == "present":
        state_of += f' <span class="sub">{escape(labelled(row["severity"], words))}</span>'
        if not row["confirmed"]:
            state_of += f' <div class="sub">? {escape(words("silent_since"))}</div>'
    told = [escape(view.cell(row[name])) if row[name] is not None else "" for name in ("evidence", "reason")]
    return [
        state_of,
        f'{escape(str(row["title"]))} <div class="sub"><code>{escape(row["signal"])}</code> · {row["weight"]}</div>',
        told[0] + (f' <div class="sub">{told[1]}</div>' if told[1] else ""),
        f"<code>{escape(str(row['block']))}</code>",
        "" if row["since"] is None else f"{row['since']:%Y-%m-%d}",
        "" if row["checked_at"] is None else f"{row['checked_at']:%Y-%m-%d}",
    ]


def _known(view: View, blocks: Mapping[str, Mapping[str, Any]]) -> str:
    words = view.words
    rows: list[list[str]] = []
    for block in blocks.values():
        age = "—" if block["age_days"] is None else words.number(block["age_days"], 1)
        rows.append(
            [
                f"<code>{escape(str(block['block']))}</code>",
                mark(str(block["state"]), words),
                escape(str(block["reason"] or "")),
                "" if block["asked_at"] is None else view.cell(block["asked_at"]),
                age,
            ]
        )
    return facts(
        [words(name) for name in ("block", "latest_answer", "reason", "asked_at", "age_days")], rows, thin=(3, 4)
    )
