"""The page: one HTML file that needs nothing else, no script and no network; all that comes from data is escaped."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache, PackageLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from innspect.reports import style as marks
from innspect.reports.i18n.catalog import Words
from innspect.reports.i18n.evidence import shown as shown_evidence
from innspect.reports.portfolio_report import figures as pictures
from innspect.reports.portfolio_report.change_list import changed
from innspect.reports.portfolio_report.data import (
    ALERT_MEMBERS,
    NOTICE_MEMBERS,
    PICTURED_GROUPS,
    PICTURED_MEMBERS,
    Facts,
)
from innspect.reports.portfolio_report.queries import Answer

SHOWN_REASONS, SHOWN_DEBTS, SHOWN_GROUPS, SHOWN_THINGS = 5, 8, 12, 4
NAMED_OF_GROUP = PICTURED_MEMBERS


@dataclass(frozen=True, slots=True)
class Footnotes:
    """How a figure is written so that a reader, and a test, can hold it against its query."""

    words: Words
    queries: list[str]

    def figure(self, answer: Answer, column: str, shown: str | None = None) -> Markup:
        """A figure of a query's only row; `shown` is how it is worded, by default a number, or that it is not known."""
        value = answer.row[column]
        if shown is None:
            shown = self.words("not_known") if value is None else self._plain(value)
        return Markup('<data class="figure" data-query="{}" data-column="{}" value="{}">{}</data>').format(
            answer.number, column, "" if value is None else value, shown
        )

    def _plain(self, value: object) -> str:
        return self.words.rub(value) if isinstance(value, Decimal) else self.words.number(int(str(value)))

    def counted(self, answer: Answer, column: str, noun: str) -> Markup:
        """A figure with its noun: 5 компаний."""
        return self.figure(answer, column, self.words.count(answer.row[column], noun))

    def note(self, *answers: Answer | None) -> Markup:
        """The numbers of the queries that something rests on, each with its SQL where the pointer rests."""
        link = Markup('<a href="#q{}" title="{}">{}</a>')
        asked = [answer for answer in answers if answer is not None]
        links = [link.format(one.number, self.queries[one.number - 1], one.number) for one in asked]
        return Markup('<sup class="note">[{}]</sup>').format(Markup(", ").join(links))

    def say(self, name: str, **values: object) -> Markup:
        """A text with figures in it."""
        return escape(self.words.texts[name]).format(**values)


def _template() -> Template:
    """The page's template; compiling it takes a quarter of a second, so it is kept where the system lets us."""
    try:
        return _compiled(FileSystemBytecodeCache())
    except Exception:  # noqa: BLE001 (whatever is wrong with what is kept, or the place for it, the source is here)
        return _compiled(None)


def _compiled(kept: FileSystemBytecodeCache | None) -> Template:
    environment = Environment(
        loader=PackageLoader("innspect.reports.portfolio_report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, bytecode_cache=kept,
    )  # fmt: skip
    return environment.get_template("page.html.j2")


def page(facts: Facts, words: Words, made_at: datetime, command: str) -> str:
    """The HTML. `command` is the line that runs one of its queries."""
    notes = Footnotes(words, facts.queries)
    style = files("innspect.reports.portfolio_report").joinpath("templates", "page.css").read_text("utf-8")
    return _template().render(
        f=facts,
        t=words,
        figure=notes.figure,
        counted=notes.counted,
        note=notes.note,
        say=notes.say,
        style=Markup(style),  # noqa: S704 (a file of the program's)
        made_at=made_at,
        command_line=Markup("<code>{}</code>").format(command),
        points=pictures.POINTS,
        reasons_shown=SHOWN_REASONS,
        pictures=_pictures(facts, words),
        charts=marks,
        **_lists(facts, words),
    )


def _pictures(facts: Facts, words: Words) -> dict[str, Markup | None]:
    return {
        "levels": pictures.levels(facts, words),
        "coverage": pictures.coverage(facts, words),
        "freshness": pictures.freshness(facts, words),
        "money": pictures.money(facts, words),
        "courts": pictures.courts(facts, words),
        "enforcement": pictures.enforcement(facts, words),
        "debt": pictures.debt(facts, words),
        "links": pictures.links(facts.links, words),
    }


def _lists(facts: Facts, words: Words) -> dict[str, Any]:
    """What the template goes through row by row."""
    alerts, notices = changed(facts.changes.alerts, words), changed(facts.changes.notices, words)
    return {
        "changes": [("alert", alerts[:ALERT_MEMBERS]), ("notice", notices[:NOTICE_MEMBERS])],
        "worst": [(row, _reasons(facts, row["inn"], words)) for row in facts.risk.worst.rows],
        "gaps": _gaps(facts, words),
        "silent_states": _silent_states(facts),
        "undated": {name: _undated(answer, name) for name, answer in _yearly(facts).items()},
        "earlier": {name: _earlier(answer, name) for name, answer in _yearly(facts).items()},
        "debts": facts.debts.points.rows[:SHOWN_DEBTS],
        "groups": _groups(facts),
        "rest_of_groups": max(0, len(facts.links.groups) - SHOWN_GROUPS),
        "joined": len({(min(pair), max(pair)) for group in facts.links.groups for pair in group.pairs}),
    }


def _reasons(facts: Facts, inn: str, words: Words) -> list[tuple[str, str | None, bool]]:
    """The title, evidence and certainty of each signal that an INN has."""
    found = facts.risk.reasons.rows if facts.risk.reasons else []
    title = "title_ru" if words.language == "ru" else "title"
    return [
        (row[title], shown_evidence(row["evidence"], words), row["confirmed"]) for row in found if row["inn"] == inn
    ]


def _gaps(facts: Facts, words: Words) -> list[tuple[str, str, Counter[str]]]:
    """The blocks of which most is not known: name, block, members by group of states."""
    blocks = pictures.by_block(facts.known.blocks.rows)
    gaps = [(words.named("block", block), block, groups) for block, groups in blocks.items()]
    return [gap for gap in gaps if gap[2]["silent"] or gap[2]["never"]]


def _silent_states(facts: Facts) -> list[tuple[str, int]]:
    """How many latest answers are no evidence, by why."""
    counted: Counter[str] = Counter()
    for row in facts.known.blocks.rows:
        if row["state"] in pictures.SILENT:
            counted[row["state"]] += row["members"]
    return counted.most_common()


def _yearly(facts: Facts) -> dict[str, Answer]:
    return {"cases": facts.courts, "proceedings": facts.enforcement}


def _undated(answer: Answer, column: str) -> int:
    return sum(row[column] for row in answer.rows if row["year"] is None)


def _earlier(answer: Answer, column: str) -> tuple[int, int]:
    """The first year of the chart, and what lies before it."""
    years = pictures.span(answer.rows)
    if years is None:
        return 0, 0
    return years[0], sum(row[column] for row in answer.rows if row["year"] is not None and row["year"] < years[0])


def _groups(facts: Facts) -> list[dict[str, Any]]:
    """The largest groups: their letter where they are pictured, members with names, the rest in numbers."""
    members = facts.links.members
    known = {row["inn"]: row for row in members.rows} if members else {}
    return [
        {
            "pictured": number < PICTURED_GROUPS,
            "members": [(inn, known.get(inn, {}).get("name")) for inn in group.inns[:NAMED_OF_GROUP]],
            "rest": max(0, len(group.inns) - NAMED_OF_GROUP),
            "shared": group.shared[:SHOWN_THINGS],
            "rest_shared": max(0, len(group.shared) - SHOWN_THINGS),
        }
        for number, group in enumerate(facts.links.groups[:SHOWN_GROUPS])
    ]
