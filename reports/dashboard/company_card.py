"""The card of a company: identity, own columns, registers, people, revenue by year, figures, first rows of lists."""

import json
from base64 import b64encode
from collections.abc import Mapping
from decimal import Decimal
from html import escape
from typing import Any

import polars as pl
import streamlit as st

from innspect.reports.card_text import DATA_SET_BLOCKS, can_have, card_code, clean_text, ogrn_label
from innspect.reports.coverage_text import FIGURE_BLOCKS, figure_blocks, figure_value, is_lower_bound
from innspect.reports.dashboard.badges import badge, html_table
from innspect.reports.dashboard.page_context import PageContext
from innspect.reports.dashboard.register_links import register_links
from innspect.reports.dossier import bar_charts
from innspect.reports.dossier.block_text import block_line, empty_text
from innspect.reports.dossier.dossier_page import COLOURS, column_label, value_text
from innspect.reports.dossier.queries import CARD
from innspect.reports.dossier.subjects import NUMERIC, SUBJECTS, Kind, SubjectTable
from innspect.reports.i18n.catalog import Translations
from innspect.reports.level_text import stale_text
from innspect.reports.style import NOT_CONFIRMED
from innspect.schemas.declaration import COMPANY_DIGITS
from innspect.schemas.states import EVIDENCE, NEVER_ASKED, STALE, SignalState, SnapshotState

Block = Mapping[str, Any]
"""What is known of a block: a row of mart.coverage, or of a block that is not offered."""
MEMBERSHIPS = """
SELECT portfolio, name, priority, tags, extra::VARCHAR AS extra FROM lineage.portfolio_members
WHERE inn = $inn AND left_at IS NULL ORDER BY portfolio
"""
NOT_STATED = "not told"
"""The reason in mart.risk_signals where a complete response lacks the field."""
IDENTITY = ("status", "status_description", "registration_date", "liquidation_date", "director", "address")
LISTED = ("cases", "proceedings", "state_contracts")
MAX_LISTED, MAX_PEOPLE = 5, 12
YEAR_FIGURES = {"revenue_rub": "card.revenue_rub", "net_profit_rub": "column.net_profit_rub"}
TABLES: Mapping[str, SubjectTable] = {table.name: table for subject in SUBJECTS for table in subject.tables}


def show(context: PageContext, profile: Mapping[str, Any], blocks: Mapping[str, Block]) -> None:
    """Draw the tab; `profile` is a row of mart.company_profile."""
    inn = str(profile["inn"])
    parts = [
        _identity(context, profile, blocks),
        _own_columns(context, inn),
        _registers(inn, context.t),
        _rows(context, inn, "people", blocks, MAX_PEOPLE),
        _years(context, inn, blocks),
        _figures(context, profile, blocks),
        *(_rows(context, inn, name, blocks, MAX_LISTED) for name in LISTED),
    ]
    st.html("".join(parts))


def _section(title: str, content: str) -> str:
    return f'<section class="part"><h4>{escape(title)}</h4>{content}</section>' if content else ""


def _cells(cells: list[tuple[str, str]]) -> str:
    """Labels (text) and values (HTML)."""
    items = "".join(f'<div><span class="sub">{escape(label)}</span>{value}</div>' for label, value in cells)
    return f'<div class="cells">{items}</div>' if items else ""


def _identity(context: PageContext, profile: Mapping[str, Any], blocks: Mapping[str, Block]) -> str:
    t = context.t
    if "company" not in blocks:
        return ""
    found = context.query(CARD, inn=profile["inn"]).to_dicts()
    card = found[0] if found else {}
    context.show_query(CARD)
    inn = str(profile["inn"])
    is_company = len(inn) == COMPANY_DIGITS
    own = {ogrn_label(inn, t): card.get("ogrn"), **({t("column.kpp"): card.get("kpp")} if is_company else {})}
    cells = [(t("inn"), f"<strong>{escape(inn)}</strong>")]
    cells += [(label, _known_or_not(value, "company", blocks, t)) for label, value in own.items()]
    # An active company has no day on which it ceased to exist: it is not unknown.
    is_active = profile.get("status") == "active" and profile.get("liquidation_date") is None
    names = [name for name in IDENTITY if not (is_active and name == "liquidation_date")]
    cells += [(t.label("card", name), figure_cell(context, profile, name, blocks)) for name in names]
    activity = " ".join(str(profile[name]) for name in ("okved_main", "okved_name") if profile.get(name))
    cells.append((t("card.okved"), _known_or_not(activity or None, "company", blocks, t)))
    if can_have(inn, "authorized_capital_rub"):
        cells.append(
            (t.label("card", "authorized_capital_rub"), figure_cell(context, profile, "authorized_capital_rub", blocks))
        )
    return _section(t("card.identity"), _cells(cells))


def _own_columns(context: PageContext, inn: str) -> str:
    """What the portfolio files say of it, one group of cells per portfolio."""
    t = context.t
    context.show_query(MEMBERSHIPS)
    groups: list[str] = []
    for member in context.query(MEMBERSHIPS, inn=inn).to_dicts():
        own: dict[str, Any] = json.loads(member["extra"] or "{}")
        priority = member["priority"]
        pairs = {
            t("page.portfolio"): member["portfolio"],
            t("own_name"): member["name"],
            t("tags"): member["tags"],
            t("column.priority"): None if priority is None else context.format_value(priority),
            **{
                name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                for name, value in own.items()
            },
        }
        groups.append(
            _cells([(name, escape(str(value))) for name, value in pairs.items() if value not in (None, "", "null")])
        )
    return _section(t("card.own"), "".join(groups) or f"<p>{escape(t('card.own.none'))}</p>")


def _registers(inn: str, t: Translations) -> str:
    items = "".join(
        f'<li><a href="{escape(link.address)}" target="_blank" rel="noopener noreferrer">{escape(t(link.title))}</a> '
        f'<span class="sub">{escape(t(link.note, inn=inn))}</span></li>'
        for link in register_links(inn)
    )
    return _section(t("registers"), f'<ul>{items}</ul><p class="sub">{escape(t("registers.note"))}</p>')


def _rows(context: PageContext, inn: str, name: str, blocks: Mapping[str, Block], limit: int) -> str:
    """The first rows of a subject's table with the state of its blocks, or why there are none."""
    t, table = context.t, TABLES[name]
    title = t.label("table", name)
    states = _state_lines(table, blocks, t)
    if table.relation.removeprefix("mart.") not in context.published_marts():
        return ""
    rows = context.query(table.query, inn=inn)
    context.show_query(table.query)
    if rows.is_empty():
        reason = empty_text(blocks, table, t)
        return _section(title, f"<p>{escape(reason)}</p>") if reason else ""
    is_least = any(blocks[block]["complete"] is False for block in table.blocks if block in blocks)
    count = t.number(rows.height)
    content = html_table(
        [column_label(column, t) for column in table.columns],
        [row_cells(row, table, t) for row in rows.head(limit).iter_rows(named=True)],
        numeric=[number for number, kind in enumerate(table.columns.values()) if kind in NUMERIC],
    )
    if rows.height > limit:
        more = t("card.more", count=t.number(rows.height - limit), tab=t("records"))
        content += f'<p class="sub">{escape(more)}</p>'
    if not rows.head(limit)["confirmed"].all():
        content += f'<p class="sub">{escape(t("dossier.row_unconfirmed"))}</p>'
    return _section(f"{title}: {t('at_least', value=count) if is_least else count}", states + content)


def row_cells(row: Mapping[str, Any], table: SubjectTable, t: Translations) -> list[str]:
    """The cells of a row of a subject's table as HTML; `?` marks a row that the latest response does not confirm."""
    cells = [escape(value_text(row[name], kind, t)) for name, kind in table.columns.items()]
    if row["confirmed"] is False:
        cells[0] = f"? {cells[0]}"
    return cells


def _state_lines(table: SubjectTable, blocks: Mapping[str, Block], t: Translations) -> str:
    lines = [block_line(blocks[block], t) for block in table.blocks if block in blocks]
    return "".join(f'<p class="sub">{sign} {escape(text)}</p>' for _, sign, text in lines)


def _years(context: PageContext, inn: str, blocks: Mapping[str, Block]) -> str:
    """Revenue and net profit by year as a drawing; a year that is not known stays empty and is named."""
    t, table = context.t, TABLES["statements"]
    if "financials" not in context.published_marts() or "financial" not in blocks:
        return ""
    rows = context.query(table.query, inn=inn)
    title = t("card.years")
    context.show_query(table.query)
    if rows.is_empty():
        return _section(title, f"<p>{escape(empty_text(blocks, table, t))}</p>")
    series = [
        bar_charts.Series(t(key), colour, _values(rows, column))
        for (column, key), colour in zip(YEAR_FIGURES.items(), COLOURS, strict=False)
    ]
    drawing = bar_charts.grouped_bars(series, title, t.short_roubles)
    if not drawing:
        return _section(title, _state_lines(table, blocks, t))
    image = b64encode(
        str(drawing).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" ', 1).encode()
    ).decode()
    keys = " ".join(
        f'<span class="key" style="background:{one.colour}"></span> {escape(one.label)}' for one in series if one.values
    )
    content = (
        f'<p class="sub">{keys}</p><img class="years" alt="{escape(title)}" src="data:image/svg+xml;base64,{image}">'
        + _gaps(series, t)
        + html_table(
            [column_label("year", t), *(t(key) for key in YEAR_FIGURES.values())],
            [
                [escape(value_text(row["year"], Kind.YEAR, t))]
                + [escape(value_text(row[name], Kind.MONEY, t)) for name in YEAR_FIGURES]
                for row in rows.iter_rows(named=True)
            ],
            numeric=(1, 2),
        )
    )
    doubt = "" if rows["confirmed"].all() else f'<p class="sub">? {escape(t("not_confirmed_since"))}</p>'
    return _section(title, _state_lines(table, blocks, t) + doubt + content)


def _values(rows: pl.DataFrame, column: str) -> dict[int, float]:
    known = rows.filter(pl.col(column).is_not_null())
    return dict(zip(known["year"], known[column].cast(pl.Float64), strict=True))


def _gaps(series: list[bar_charts.Series], t: Translations) -> str:
    """Which years of the drawing lack a figure."""
    years = bar_charts.shown_years(series)
    gaps = [
        t("card.years.gap", figure=one.label, years=", ".join(str(year) for year in years if year not in one.values))
        for one in series
        if any(year not in one.values for year in years)
    ]
    return f'<p class="sub">{escape(t("card.years.gaps", gaps="; ".join(gaps)))}</p>' if gaps else ""


def _figures(context: PageContext, profile: Mapping[str, Any], blocks: Mapping[str, Block]) -> str:
    shown = [
        (context.t.label("card", name), figure_cell(context, profile, name, blocks))
        for name, block in FIGURE_BLOCKS.items()
        if block in blocks and block != "company"
    ]
    return _section(context.t("card.figures"), _cells(shown))


def figure_cell(context: PageContext, profile: Mapping[str, Any], name: str, blocks: Mapping[str, Block]) -> str:
    """A figure of mart.company_profile as HTML, or why it is not known; never an empty cell or a zero instead."""
    t, value, block = context.t, figure_value(profile, name), figure_blocks(profile, name)[0]
    if value is None:
        return _known_or_not(None, block, blocks, t)
    text = card_code(str(profile["inn"]), value, t) if isinstance(value, str) else context.format_value(value)
    if isinstance(value, Decimal) and value == int(value):
        text = t.number(value)
    if is_lower_bound(profile, name):
        text = t.at_least(text, value)
    return _known_or_not(text, block, blocks, t)


def _known_or_not(text: str | None, block_name: str, blocks: Mapping[str, Block], t: Translations) -> str:
    """A value with what makes it doubtful, or the state of its block instead."""
    block = blocks[block_name]
    state = str(block["state"])
    if text is not None:
        words = stale_text(block, t) if block["stale"] else t("not_confirmed_since")
        is_sure = state in EVIDENCE and not block["stale"]
        doubt = "" if is_sure else f' <span class="sub">({escape(words)})</span>'
        return f"<strong>{escape(text)}</strong>{doubt}"
    if state in (NEVER_ASKED, SignalState.NOT_OFFERED):
        return badge(state, t)
    if block["stale"] and state in EVIDENCE:
        return f'{badge(STALE, t)} <span class="sub">{escape(stale_text(block, t))}</span>'
    if block["checked_at"] is None or state not in EVIDENCE:
        reason = "" if state in EVIDENCE else f' <span class="sub">{escape(t.label("state", state))}</span>'
        return badge(NOT_CONFIRMED, t) + reason
    if state == SnapshotState.CLEAN and block_name in DATA_SET_BLOCKS:
        return f'<span class="sub">{escape(clean_text(block_name, t))}</span>'
    if state == SnapshotState.CLEAN:
        return badge(state, t)
    return f'<span class="sub">{escape(t.label("state", NOT_STATED))}</span>'
