"""The layout of every message: the same content as plain text and as HTML for mail clients."""

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from innspect.reports import style
from innspect.reports.i18n.catalog import Translations
from innspect.schemas.states import Level

PACKAGE = "innspect.reports.digest"
MAX_SUBJECT_CHARACTERS = 160
MAX_LINE_CHARACTERS = 76
"""Lines of an e-mail in plain text: mail programs neither wrap longer ones nicely nor quote them."""
_INDENT = re.compile(r" *(?:[-*] )?")


@dataclass(frozen=True, slots=True)
class Fact:
    """A figure at the top; `code` is the level whose colour it has."""

    name: str
    value: str
    note: str = ""
    code: str = Level.LOW


@dataclass(frozen=True, slots=True)
class Entry:
    """A counterparty: its level before (empty: not shown) and now, and lines about it."""

    name: str
    inn: str
    lines: Sequence[str]
    level_before: str = ""
    level: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A section: entries or lines under a title. `note` explains it, `more` says how many entries are left out."""

    title: str
    entries: Sequence[Entry] = ()
    lines: Sequence[str] = ()
    note: str = ""
    more: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """The content of a message in words. `verdict` says the most important thing, `code` gives it a colour."""

    subject: str
    title: str
    verdict: str
    code: str
    parts: Sequence[Part] = ()
    facts: Sequence[Fact] = ()
    notes: Sequence[str] = ()
    links: Sequence[tuple[str, str]] = field(default_factory=tuple[tuple[str, str], ...])
    footer: str = ""


def capitalize_first(text: str) -> str:
    """The text with a capital first letter; the others stay."""
    return text[:1].upper() + text[1:]


def write_subject(text: str) -> str:
    """A subject: one line of limited length."""
    line = " ".join(text.split())
    return capitalize_first(
        line if len(line) <= MAX_SUBJECT_CHARACTERS else line[: MAX_SUBJECT_CHARACTERS - 1].rstrip() + "…"
    )


@dataclass(frozen=True, slots=True)
class Enclosure:
    """What goes with a message: names of attached reports, links (portfolio, address), doubtful earlier messages."""

    attached: Sequence[str] = ()
    links: Sequence[tuple[str, str]] = ()
    doubts: Sequence[datetime] = ()


def finish_page(
    page: Page, enclosure: Enclosure, receiver: str, at: datetime, t: Translations, *, is_synthetic: bool = False
) -> Page:
    """The page with its notes, links and footer; `at` is UTC. `is_synthetic`: the sandbox made the companies up."""
    attached = [t("digest.attached", files=", ".join(enclosure.attached))] if enclosure.attached else []
    doubts = [t("digest.doubt", at=t.date_time(doubt)) for doubt in enclosure.doubts]
    return replace(
        page,
        subject=t("message.sandbox", subject=page.subject) if is_synthetic else page.subject,
        notes=[*attached, *doubts],
        links=[(t("digest.link", portfolio=portfolio), address) for portfolio, address in enclosure.links],
        footer=t("digest.footer", at=t.date_time(at), zone=t.zone, receiver=receiver),
    )


def render_text(page: Page, t: Translations) -> str:
    """The message as plain text."""
    return _render("message.txt.j2", page=page, t=t).strip() + "\n"


def _indent_width(line: str) -> int:
    found = _INDENT.match(line)
    return 0 if found is None else found.end()


def wrap_text(text: str) -> str:
    """Plain text in lines of limited length; the continuation of a list item is indented. Addresses are not broken."""
    lines = (
        textwrap.fill(line, MAX_LINE_CHARACTERS, subsequent_indent=" " * _indent_width(line),
                      break_long_words=False, break_on_hyphens=False)
        for line in text.splitlines()
    )  # fmt: skip
    return "\n".join(lines) + "\n"


def render_html(page: Page, t: Translations) -> str:
    """The message as HTML: tables and inline styles only, nothing is loaded from elsewhere; all data is escaped."""
    return _render("message.html.j2", page=page, t=t, style=style)


def _render(template: str, **values: Any) -> str:
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape  # noqa: PLC0415 (takes a while)

    environment = Environment(
        loader=PackageLoader(PACKAGE), autoescape=select_autoescape(("html.j2",), ("txt.j2",)),
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    return environment.get_template(template).render(**values)
