"""The HTML page of a dossier: one file without scripts or external resources; all data is escaped."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from innspect.reports.card_text import can_have, card_code, clean_text, ogrn_label
from innspect.reports.coverage_text import figure_blocks, figure_value, is_lower_bound
from innspect.reports.dossier import bar_charts
from innspect.reports.dossier.block_text import block_line, empty_text, short_state, unknown_blocks, untold_signals
from innspect.reports.dossier.dossier_data import DossierData, Row
from innspect.reports.dossier.history import code_text, event_text, history_lines, source_text
from innspect.reports.dossier.subjects import NUMERIC, SUBJECTS, Kind, Subject, SubjectTable
from innspect.reports.i18n.catalog import DASH, Translations
from innspect.reports.level_text import doubt_text, level_remark, since_text, stale_text
from innspect.reports.link_graph.draw import draw_network
from innspect.reports.style import STYLES
from innspect.schemas.states import STALE, SignalState, SnapshotState

PACKAGE = "innspect.reports.dossier"
MAX_ROWS, MAX_HISTORY, MAX_RESPONSES = 12, 40, 30
"""What the page lists of each table, of the history and of the responses; the XLSX file has all."""
MAX_CELL_CHARS = 180
COMPANY_DIGITS = 10
SIGNAL_GROUPS = ("present", "unknown", "stale", "never_requested", "absent", "not_offered")
COLUMN_KEYS = {
    "person_inn": "inn",
    "person_name": "name",
    "as_of": "source_date",
    "block": "column.source",
    "register": "column.source",
}
"""Keys of columns whose title the catalogue has under another name."""
COLOURS = ("#3f76a6", "#d9a02e", "#4a8f6d", "#8f1d3b", "#7c8794", "#a9c4dc")


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure in words; `is_unknown`: there is none, and the words say why."""

    label: str
    text: str
    is_unknown: bool


@dataclass(frozen=True, slots=True)
class TableView:
    """A table in words; `rows` are the first ones, `more` says where the others are, `empty` why there are none."""

    title: str
    heads: list[tuple[str, bool]]
    rows: list[list[str]]
    numeric: list[bool]
    count: str
    more: str
    empty: str
    has_unconfirmed: bool


@dataclass(frozen=True, slots=True)
class SubjectView:
    """A section in words."""

    name: str
    title: str
    states: list[tuple[str, str, str]]
    figures: list[Figure]
    tables: list[TableView]
    charts: list[tuple[str, Markup, Markup, str]]


def render_page(data: DossierData, t: Translations) -> str:
    """The HTML of a dossier."""
    environment = Environment(
        loader=PackageLoader(PACKAGE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    css = files(PACKAGE).joinpath("templates", "dossier.css").read_text("utf-8")
    lines = history_lines(data.history, data.signals, t)
    return environment.get_template(
        "dossier.html.j2"
    ).render(
        data=data,
        t=t,
        css=Markup(css),  # noqa: S704 (our own file)
        name=display_name(data, t),
        identity=_identity(data, t),
        level=data.score["level"],
        level_style=STYLES[data.score["level"]],
        remark=level_remark(data.score, t),
        reasons=[row for row in data.signals if row["state"] == SignalState.PRESENT],
        unknown=[*unknown_blocks(data, t), *untold_signals(data, t)],
        title=lambda row: row["title_ru" if t.language == "ru" else "title"],
        signal_groups=_signal_groups(data, t),
        doubt_text=doubt_text,
        subjects=[_subject(data, subject, t) for subject in SUBJECTS],
        graph=draw_network(data.links, t),
        history=lines[:MAX_HISTORY],
        more_history=max(0, len(lines) - MAX_HISTORY),
        responses=data.evidence[:MAX_RESPONSES],
        more_responses=max(0, len(data.evidence) - MAX_RESPONSES),
        not_in_register=is_not_in_register(data),
        max_kept_rows=MAX_ROWS,
        evidence_command=Markup("<code>innspect evidence RESPONSE_ID</code>"),
        again_command=Markup("<code>{}</code>").format(again_command(data, t)),
        sha256=data.sha256,
    )


def display_name(data: DossierData, t: Translations) -> str:
    """The full name by the card, otherwise by the portfolio."""
    return str(data.profile["name"] or t("no_name"))


def is_not_in_register(data: DossierData) -> bool:
    """Whether the register answered that there is no such INN."""
    company = data.blocks.get("company")
    return company is not None and company["state"] == SnapshotState.CLEAN


def again_command(data: DossierData, t: Translations) -> str:
    """The command that makes the same dossier again."""
    return f"innspect dossier {data.inn} --as-of {data.moment.isoformat()}Z --lang {t.language}"


def _identity(data: DossierData, t: Translations) -> list[Figure]:
    card = data.card or {}
    cells: list[tuple[str, Any]] = [
        ("column.ogrn", card.get("ogrn")),
        ("column.kpp", card.get("kpp")),
        ("card.status", None if data.card is None else data.profile["status"]),
        ("card.director", data.profile["director"]),
        ("card.address", data.profile["address"]),
    ]
    company = data.blocks.get("company")
    why = t("not_known") if company is None else short_state(company, t)
    figures = [Figure(t("inn"), data.inn, is_unknown=False)]
    for key, value in cells:
        if key in ("column.kpp", "card.director") and len(data.inn) != COMPANY_DIGITS and value is None:
            continue
        words = t.label("state", "not told") if data.card is not None else why
        text = words if value is None else card_code(data.inn, value, t) if key == "card.status" else str(value)
        label = ogrn_label(data.inn, t) if key == "column.ogrn" else t(key)
        figures.append(Figure(label, text, value is None))
    return figures


def _signal_groups(data: DossierData, t: Translations) -> list[tuple[str, str, list[dict[str, str]]]]:
    groups: dict[str, list[dict[str, str]]] = {name: [] for name in SIGNAL_GROUPS}
    for row in data.signals:
        state = str(row["state"])
        is_stale = state == SignalState.UNKNOWN and row["reason"] == STALE
        groups[STALE if is_stale else state.replace(" ", "_")].append(_signal(row, t))
    return [(name, t.label("dossier.group", name), rows) for name, rows in groups.items() if rows]


def _signal(row: Row, t: Translations) -> dict[str, str]:
    is_present = row["state"] == SignalState.PRESENT
    days = [
        f"{t(key).lower()} {t.date(row[name])}"
        for key, name in (("collected_at", "collected_at"), ("source_date", "source_date"))
        if row[name] is not None
    ]
    doubt = doubt_text(row, t) if is_present else t.reason(row["reason"])
    return {
        "title": str(row["title_ru" if t.language == "ru" else "title"]),
        "severity": str(row["severity"]) if is_present else "",
        "evidence": t.signal_evidence(row["evidence"]) or "",
        "since": "" if row["since"] is None else since_text(row, t.date(row["since"]), t),
        "doubt": doubt,
        "block": t.label("block", row["block"]),
        "days": ", ".join(days),
    }


def _subject(data: DossierData, subject: Subject, t: Translations) -> SubjectView:
    blocks = [block for block in subject.blocks if block in data.blocks]
    return SubjectView(
        subject.name,
        subject_title(subject, t),
        [block_line(data.blocks[block], t) for block in blocks],
        [
            _figure(data, name, t)
            for name in subject.figures
            if figure_blocks(data.profile, name)[0] in data.blocks
            and can_have(data.inn, name)
            and not _is_without_end(data, name)
        ],
        [_table(data, table, t) for table in subject.tables if _is_offered(data, table)],
        _charts(data, subject.chart, t),
    )


def _is_offered(data: DossierData, table: SubjectTable) -> bool:
    """Whether the table can say anything: a table of blocks that are not offered is left to their states."""
    states = [data.blocks[block]["state"] for block in table.blocks if block in data.blocks]
    return bool(data.tables[table.name]) or any(state != SignalState.NOT_OFFERED for state in states)


def _is_without_end(data: DossierData, name: str) -> bool:
    """Whether it is the day on which an active company ceased to exist: there is none, so it is not unknown."""
    profile = data.profile
    return name == "liquidation_date" and profile[name] is None and profile["status"] == "active"


def _figure(data: DossierData, name: str, t: Translations) -> Figure:
    value, block = figure_value(data.profile, name), data.blocks[figure_blocks(data.profile, name)[0]]
    label = t.label("card", name)
    if value is None:
        is_clean = block["state"] == SnapshotState.CLEAN and not block["stale"]
        is_answered = block["state"] == SnapshotState.FOUND and not block["stale"]
        gap = t.label("state", "not told") if is_answered else short_state(block, t)
        return Figure(label, clean_text(block["block"], t) if is_clean else gap, not is_clean)
    text = card_code(data.inn, value, t) if isinstance(value, str) else value_text(value, _kind(name), t)
    if is_lower_bound(data.profile, name):
        text = t.at_least(text, value)
    if block["stale"]:
        text += f" ({stale_text(block, t)})"
    elif block["state"] in (SnapshotState.UNCONFIRMED, SnapshotState.UNAVAILABLE, SnapshotState.MISSING,
                            SnapshotState.FAILED):  # fmt: skip
        text += f" ({t('not_confirmed_since')})"
    return Figure(label, text, is_unknown=False)


def _kind(name: str) -> Kind:
    return Kind.MONEY if name.endswith("_rub") else Kind.TEXT


def _table(data: DossierData, table: SubjectTable, t: Translations) -> TableView:
    rows = data.tables[table.name]
    title = t.label("table", table.name)
    shown = rows[:MAX_ROWS]
    heads = [(column_label(name, t), kind in NUMERIC) for name, kind in table.columns.items()]
    cells = [_cells(row, table, t) for row in shown]
    more = len(rows) - len(shown)
    is_least = any(data.blocks[block]["complete"] is False for block in table.blocks if block in data.blocks)
    key = "dossier.rows.at_least" if is_least else "dossier.rows"
    return TableView(
        title,
        heads,
        cells,
        [numeric for _, numeric in heads],
        t(key, count=t.number(len(rows))) if more or (is_least and rows) else "",
        t("dossier.more", count=t.number(more), table=title, relation=table.relation) if more else "",
        "" if rows else empty_text(data.blocks, table, t),
        any(row["confirmed"] is False for row in shown),
    )


def _cells(row: Row, table: SubjectTable, t: Translations) -> list[str]:
    cells = [_shorten(value_text(row[name], kind, t)) for name, kind in table.columns.items()]
    if row["confirmed"] is False:
        cells[0] = f"? {cells[0]}"
    return cells


def _shorten(text: str) -> str:
    """A text of the page; the XLSX file has all of it."""
    return text if len(text) <= MAX_CELL_CHARS else text[: MAX_CELL_CHARS - 1].rstrip() + "…"


def subject_title(subject: Subject, t: Translations) -> str:
    """The title of a section."""
    return t("courts") if subject.name == "courts" else t.label("subject", subject.name)


def column_label(name: str, t: Translations) -> str:
    """The title of a column."""
    for key in (f"column.{name}", f"card.{name}", COLUMN_KEYS.get(name, name)):
        if key in t.texts:
            return t(key)
    return name


def value_text(value: Any, kind: Kind, t: Translations) -> str:
    """A value of a table in words; a dash where the response does not give it."""
    match value:
        case None:
            return DASH
        case bool():
            return t("true" if value else "false")
        case datetime() | date():
            return t.date(value)
        case Decimal() | float() if kind == Kind.MONEY:
            return t.number(Decimal(str(value)), 0 if value == int(value) else 2)
        case int() if kind == Kind.YEAR:
            return str(value)
        case Decimal() | float():
            return t.number(value, 0 if value == int(value) else 2)
        case int():
            return t.number(value)
        case _ if kind == Kind.SOURCE:
            return source_text(str(value), t)
        case _ if kind == Kind.EVENT:
            return event_text(str(value), t)
        case _:
            return code_text(str(value), t) if kind == Kind.CODE else str(value)


def _charts(data: DossierData, chart: str, t: Translations) -> list[tuple[str, Markup, Markup, str]]:
    """Title, drawing, legend and remark of each chart that has data."""
    if chart == "finances":
        names = {"revenue_rub": "card.revenue_rub", "net_profit_rub": "column.net_profit_rub",
                 "equity_rub": "column.equity_rub"}  # fmt: skip
        years = data.tables["statements"]
        series = [
            bar_charts.Series(t(key), colour, {row["year"]: float(row[name]) for row in years if row[name] is not None})
            for (name, key), colour in zip(names.items(), COLOURS, strict=False)
        ]
        title = t("dossier.chart.finances")
        drawing = bar_charts.grouped_bars(series, title, t.short_roubles)
        return [(title, drawing, bar_charts.legend(series), "")] if drawing else []
    if chart == "courts":
        return _court_charts(data.court_years, t)
    return []


def _court_charts(rows: Sequence[Row], t: Translations) -> list[tuple[str, Markup, Markup, str]]:
    undated = sum(row["cases"] for row in rows if row["year"] is None)
    remark = t("dossier.chart.undated", count=t.number(undated)) if undated else ""
    groups = {
        "role": {name: t.label("role", name) for name in ("respondent", "plaintiff", "other")},
        "outcome": {
            **{name: t.label("outcome", name) for name in ("lost", "won", "other", "ended")},
            "open": t.label("proceeding", "open"),
            "undetermined": t.label("proceeding", "undetermined"),
        },
    }
    titles = {"role": t("dossier.chart.roles"), "outcome": t("dossier.chart.outcomes")}
    palettes = {"role": ("#cf5a36", "#3f76a6", "#a9b6c3"),
                "outcome": ("#8f1d3b", "#4a8f6d", "#d9a02e", "#a9c4dc", "#cf5a36", "#7c8794")}  # fmt: skip
    drawn: list[tuple[str, Markup, Markup, str]] = []
    for column, labels in groups.items():
        series: list[bar_charts.Series] = []
        for (name, label), colour in zip(labels.items(), palettes[column], strict=True):
            counts: dict[int, float] = {}
            for row in rows:
                if row[column] == name and row["year"] is not None:
                    counts[row["year"]] = counts.get(row["year"], 0) + row["cases"]
            series.append(bar_charts.Series(label, colour, counts))
        if drawing := bar_charts.stacked_bars(series, titles[column], t.number):
            drawn.append((titles[column], drawing, bar_charts.legend(series), remark))
    return drawn
