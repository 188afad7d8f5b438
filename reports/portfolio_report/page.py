"""The HTML page of the report: one file without scripts or external resources; all data is escaped."""

from base64 import b64encode
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import partial
from hashlib import sha256
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache, PackageLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from innspect.reports import style
from innspect.reports.coverage_text import blocks_without_method, is_lower_bound
from innspect.reports.i18n.catalog import Translations
from innspect.reports.level_history import MOVEMENTS, Movement, past_level_remark, signal_titles
from innspect.reports.level_text import doubt_text, level_remark
from innspect.reports.portfolio_report.change_list import group_changes
from innspect.reports.portfolio_report.data import MAX_ALERT_MEMBERS, MAX_LISTED_GROUPS, MAX_NOTICE_MEMBERS, ReportData
from innspect.reports.portfolio_report.figures import (
    GAP_GROUPS,
    MAX_POINTS,
    chart_years,
    count_by_block,
    draw_figures,
)
from innspect.reports.portfolio_report.member_table.table_html import make_member_table
from innspect.reports.portfolio_report.queries import QueryResult
from innspect.reports.portfolio_report.vega_process import Renderer
from innspect.schemas.change_severity import ALERT, NOTICE
from innspect.schemas.declaration import PERSON_DIGITS
from innspect.schemas.states import NO_EVIDENCE, STALE, Level, SignalState

PACKAGE = "innspect.reports.portfolio_report"
SQL_COMMAND = 'innspect sql "…"'
MAX_SIGNALS, MAX_DEBTS = 5, 8


@dataclass(frozen=True, slots=True)
class Footnotes:
    """Writes figures with the query and column that they come from."""

    t: Translations

    def figure(self, result: QueryResult, column: str, text: str | None = None) -> Markup:
        """A value of a query with one row; `text` is its wording, by default a number or "not known"."""
        value = result.row[column]
        if text is None:
            text = self.t("not_known") if value is None else self._format(value)
        return Markup('<data class="figure" data-query="{}" data-column="{}" value="{}">{}</data>').format(
            result.number, column, "" if value is None else value, text
        )

    def _format(self, value: Any) -> str:
        return self.t.roubles(value) if isinstance(value, Decimal) else self.t.number(value)

    def count(self, result: QueryResult, column: str, noun: str) -> Markup:
        """A value with its noun: 5 компаний."""
        return self.figure(result, column, self.t.count(result.row[column], noun))

    def note(self, *results: QueryResult | None) -> Markup:
        """The numbers of queries as links."""
        link = Markup('<a href="#q{0}">{0}</a>')
        numbers = [result.number for result in results if result is not None]
        links = [link.format(number) for number in numbers]
        return Markup('<sup class="note">[{}]</sup>').format(Markup(", ").join(links))

    def text(self, key: str, **values: object) -> Markup:
        """A text with figures in its placeholders."""
        return escape(self.t.texts[key]).format(**values)


def _load_template() -> Template:
    """The template. Compiling takes a quarter of a second, so the bytecode is cached where that is possible."""
    try:
        return _compile(FileSystemBytecodeCache())
    except Exception:  # noqa: BLE001 (a damaged or unwritable cache is of any kind; the source is always there)
        return _compile(None)


def _compile(cache: FileSystemBytecodeCache | None) -> Template:
    environment = Environment(
        loader=PackageLoader(PACKAGE), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, bytecode_cache=cache,
    )  # fmt: skip
    return environment.get_template("page.html.j2")


def render_page(
    data: ReportData, t: Translations, made_at: datetime, render: Renderer, dossiers: frozenset[str] = frozenset()
) -> str:
    """The HTML of a report, whose figures `render` draws; members with a dossier in `dossiers` link to that."""
    footnotes = Footnotes(t)
    templates = files(PACKAGE).joinpath("templates")
    css, script = (templates.joinpath(name).read_text("utf-8") for name in ("page.css", "member_table.js"))
    return _load_template().render(
        data=data,
        t=t,
        figure=footnotes.figure,
        count=footnotes.count,
        note=footnotes.note,
        text=footnotes.text,
        css=Markup(css),  # noqa: S704 (our own file)
        script=Markup(script),  # noqa: S704 (our own file)
        script_hash=b64encode(sha256(script.encode()).digest()).decode(),
        table=make_member_table(data, t, dossiers),
        style=style,
        made_at=made_at,
        dossiers=dossiers,
        sql_command=Markup("<code>{}</code>").format(SQL_COMMAND),
        figures=draw_figures(data, t, render),
        max_points=MAX_POINTS,
        max_signals=MAX_SIGNALS,
        GAP_GROUPS=GAP_GROUPS,
        UNKNOWN=Level.UNKNOWN,
        SignalState=SignalState,
        STALE=STALE,
        level_remark=level_remark,
        past_level_remark=past_level_remark,
        signal_titles=signal_titles,
        has_gap=partial(_has_gap, data),
        nobody_answered=_is_unanswered(data),
        **_lists(data, t),
    )


def _lists(data: ReportData, t: Translations) -> dict[str, Any]:
    """What the template lists row by row."""
    alerts, notices = group_changes(data.changes.alerts, t), group_changes(data.changes.notices, t)
    yearly = {"cases": data.courts, "proceedings": data.enforcement}
    return {
        "changes": [(ALERT, alerts[:MAX_ALERT_MEMBERS]), (NOTICE, notices[:MAX_NOTICE_MEMBERS])],
        "movements": _movements(data),
        "worst": [(row, _signals(data, row["inn"], t)) for row in data.risk.worst.rows],
        "unknown_levels": [(row, _signals(data, row["inn"], t)) for row in data.risk.unknown.rows],
        "gaps": _gaps(data, t),
        "gap_states": _gap_states(data),
        "not_offered": _blocks_without_method(data, t),
        "undated": {name: _count_undated(result, name) for name, result in yearly.items()},
        "earlier": {name: _count_earlier(result, name) for name, result in yearly.items()},
        "debts": [(row, is_lower_bound(row, "active_debt_rub")) for row in data.debts.points.rows[:MAX_DEBTS]],
        "groups": _listed_groups(data),
        "hidden_groups": max(0, data.links.figures.row["groups"] - MAX_LISTED_GROUPS),
    }


def _is_unanswered(data: ReportData) -> bool:
    """Whether no member got an answer in the period of the changes: then nobody knows if anything changed."""
    movements = data.movements
    return movements is not None and movements.answers.row["silent"] == movements.figures.row["requested"]


def _movements(data: ReportData) -> list[tuple[Movement, list[dict[str, Any]]]]:
    """The listed members by movement; movements without a member are left out."""
    rows = data.movements.rows.rows if data.movements else []
    groups = [(movement, [row for row in rows if row["movement"] == movement]) for movement in MOVEMENTS]
    return [(movement, members) for movement, members in groups if members]


def _signals(data: ReportData, inn: str, t: Translations) -> list[tuple[str, str, str]]:
    """Title, evidence and doubt of each signal of an INN."""
    rows = data.risk.signals.rows if data.risk.signals else []
    title = "title_ru" if t.language == "ru" else "title"
    return [
        (row[title], t.keep_together(t.signal_evidence(row["evidence"]) or ""), doubt_text(row, t))
        for row in rows
        if row["inn"] == inn
    ]


def _gaps(data: ReportData, t: Translations) -> list[tuple[str, Counter[str]]]:
    """Blocks with gaps, largest first: title, members by group of states."""
    return [
        (t.label("block", block), groups)
        for block, groups in count_by_block(data.coverage.blocks.rows).items()
        if any(groups[group] for group in GAP_GROUPS)
    ]


def _blocks_without_method(data: ReportData, t: Translations) -> str:
    """Titles of the blocks that the service does not offer for the persons of the portfolio; empty without persons."""
    blocks = [row["block"] for row in data.coverage.person_blocks.rows]
    return (
        ", ".join(t.label("block", block) for block in blocks_without_method(PERSON_DIGITS, blocks)) if blocks else ""
    )


def _gap_states(data: ReportData) -> list[tuple[str, int]]:
    """Latest responses without evidence by state, most frequent first."""
    states: Counter[str] = Counter()
    for row in data.coverage.blocks.rows:
        if row["shown_state"] in NO_EVIDENCE:
            states[row["shown_state"]] += row["members"]
    return states.most_common()


def _has_gap(data: ReportData, block: str) -> bool:
    """Whether a block of `GAP_BLOCKS` is not confirmed, stale or never asked for a member."""
    return any(data.coverage.gaps.row[f"{block}_{gap}"] for gap in ("unconfirmed", "stale", "never"))


def _count_undated(result: QueryResult, column: str) -> int:
    return sum(row[column] for row in result.rows if row["year"] is None)


def _count_earlier(result: QueryResult, column: str) -> tuple[int, int]:
    """The first year of the chart, and the count before it."""
    years = chart_years(result.rows)
    if years is None:
        return 0, 0
    return years[0], sum(row[column] for row in result.rows if row["year"] is not None and row["year"] < years[0])


def _listed_groups(data: ReportData) -> list[dict[str, Any]]:
    """The largest groups: members with names, shared objects, and how many of each are not listed."""
    names = {row["inn"]: row["name"] for row in data.links.members.rows} if data.links.members else {}
    return [
        {
            "members": [(inn, names.get(inn)) for inn in group.inns],
            "hidden_members": group.members - len(group.inns),
            "shared": group.shared,
            "hidden_shared": group.objects - len(group.shared),
        }
        for group in data.links.groups
    ]
