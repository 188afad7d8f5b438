"""The table of members as compact HTML: a sentence that many rows share is written once, as a rule of the style.

`<td class=A>` shows the text of `td.A::after` and `<p class=A>` that of `p.A::before`, so that the table of 10,000
members is small and complete without a script. Where scripts run, `member_table.js` turns the rules of the rows that
are shown into text.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import count, islice, product
from string import ascii_lowercase, ascii_uppercase

from markupsafe import Markup

from innspect.reports.i18n.catalog import Translations
from innspect.reports.portfolio_report.data import ReportData
from innspect.reports.portfolio_report.member_table.member_rows import MemberRow, member_rows
from innspect.reports.style import LEVELS, STYLES

MAX_TABLE_BYTES = 2_450_000
"""Bytes of rows in the page; the page stays below 3 MB."""
LABELLED_FROM = 2
"""Columns up to this need no label on a phone."""
MIN_USES, SHORT_TEXT = 3, 5
"""Uses of a text that make it a rule, and letters of a text that need none."""


@dataclass(frozen=True, slots=True)
class ClassNames:
    """The classes whose rules have the texts of whole cells, and the sentences of others."""

    cells: dict[str, str]
    sentences: dict[str, str]


@dataclass(frozen=True, slots=True)
class CompactTable:
    """The table as HTML: headings, rows, and the rules that belong into the style of the page.

    `shown` is the number of rows that have room, `inns` are theirs; `hidden_columns` own columns that have no room.
    """

    headings: list[str]
    rows: Markup
    style: Markup
    shown: int
    inns: frozenset[str]
    hidden_columns: str


def make_member_table(data: ReportData, t: Translations, dossiers: frozenset[str]) -> CompactTable:
    """The table of all members, as many as have room; those with a dossier in `dossiers` link to it."""
    table, since = data.table, data.changes.since
    has_tags = any(row["tags"] for row in table.rows.rows)
    title = "title_ru" if t.language == "ru" else "title"
    titles = {row["signal"]: row[title] for row in table.titles.rows}
    rows = list(member_rows(table.rows.rows, titles, t, has_period=since is not None, has_tags=has_tags))
    names = _class_names(rows)
    written: list[str] = []
    left = MAX_TABLE_BYTES
    for row in rows:
        link = f" · <a href=dossiers/{row.inn}.html>{escape(t('dossier.file'))}</a>" if row.inn in dossiers else ""
        text = _row(row, names, link)
        left -= len(text.encode())
        if left < 0:
            break
        written.append(text)
    headings = _headings(data, t, has_tags=has_tags)
    return CompactTable(
        headings=headings,
        rows=Markup("".join(written)),  # noqa: S704 (all cells are escaped)
        style=Markup("\n".join(_style(names, headings, t))),  # noqa: S704 (escaped by css_string)
        shown=len(written),
        inns=frozenset(row.inn for row in rows[: len(written)]),
        hidden_columns=", ".join(table.own_columns[len(table.shown_columns) :]),
    )


def _headings(data: ReportData, t: Translations, *, has_tags: bool) -> list[str]:
    since = data.changes.since if data.changes.is_given else None
    change = t("members_table.change") if since is None else t("members_table.change_since", since=t.date(since))
    keys = ("counterparty", "risk", "score", "members_table.what_unknown", "members_table.reasons")
    tags = [t("tags")] if has_tags else []
    return [*map(t, keys), change, *tags, *data.table.shown_columns]


def _style(names: ClassNames, headings: Sequence[str], t: Translations) -> Iterator[str]:
    """Sentences, words and signs of levels, the label of the portfolio's name, and on a phone those of the columns."""
    for text, name in names.cells.items():
        yield f".all td.{name}::after{{content:{css_string(text)}}}"
    for text, name in names.sentences.items():
        yield f".all p.{name}::before{{content:{css_string(text)}}}"
    for level in LEVELS:
        yield f".all .l-{level}::after{{content:{css_string(t.label('level', level))}}}"
        yield f".all .l-{level}::before{{content:{css_string(STYLES[level].sign)};color:var(--text-{level})}}"
    yield f".all td:first-child p+p::before{{content:{css_string(t('members_table.own_name') + ': ')}}}"
    labels = (f".all td:nth-child({place})::before{{content:{css_string(f'{heading}: ')}}}"
              for place, heading in enumerate(headings, 1) if place > LABELLED_FROM)  # fmt: skip
    yield f"@media screen and (max-width: 640px) {{{''.join(labels)}}}"


def css_string(text: str) -> str:
    """A text as a string of CSS inside of a `<style>` element."""
    unsafe = {character: f"\\{ord(character):x} " for character in '"\\<>\n\r\f'}
    return '"' + "".join(unsafe.get(character, character) for character in text) + '"'


def _class_names(rows: Sequence[MemberRow]) -> ClassNames:
    """Names for what at least MIN_USES cells, or sentences of the other cells, say."""
    cells = _name_common(cell for row in rows for cell in _cells(row))
    return ClassNames(
        cells,
        _name_common(
            text
            for row in rows
            for cell in _cells(row)
            if cell not in cells and "\n" in cell
            for text in cell.split("\n")
        ),
    )


def _cells(row: MemberRow) -> Iterator[str]:
    """The cells of a row that others may repeat; their sentences are lines."""
    yield from ("\n".join(cell) for cell in (row.unknown, row.reasons, row.change))
    yield from row.own


def _name_common(texts: Iterable[str]) -> dict[str, str]:
    uses = Counter(text for text in texts if len(text) > SHORT_TEXT)
    common = [text for text, number in uses.most_common() if number >= MIN_USES]
    return dict(zip(common, islice(_names(), len(common)), strict=True))


def _names() -> Iterator[str]:
    """`A`, `B`, … `Aa`, `Ab`, …: the other classes of the page begin with a small letter."""
    for length in count(1):
        for letters in product(ascii_uppercase, *[ascii_lowercase] * (length - 1)):
            yield "".join(letters)


def _row(row: MemberRow, names: ClassNames, dossier: str) -> str:
    """A row without the end tags that HTML does not require."""
    own_name = f"<p>{escape(row.own_name, quote=False)}" if row.own_name else ""
    unknown, reasons, change, *own = _cells(row)
    rank = f"c{row.change_rank}"
    return (
        f"<tr id=inn-{row.inn}><td>{escape(row.name, quote=False)}<p>{row.inn}{dossier}{own_name}"
        f"<td class=l-{row.level}><td>{row.score}{_cell(unknown, names)}{_cell(reasons, names)}"
        f"{_cell(change, names, rank)}{''.join(_cell(text, names) for text in own)}\n"
    )


def _cell(text: str, names: ClassNames, mark: str = "") -> str:
    """A cell; `mark` is a class that it has anyway."""
    name = names.cells.get(text, "")
    both = f'"{mark} {name}"' if mark and name else mark or name
    head = f"<td class={both}>" if both else "<td>"
    return head if name else head + _sentences(text, names.sentences)


def _sentences(text: str, names: dict[str, str]) -> str:
    if "\n" not in text:
        return escape(text, quote=False)
    return "".join(
        f"<p class={names[line]}>" if line in names else f"<p>{escape(line, quote=False)}" for line in text.split("\n")
    )
