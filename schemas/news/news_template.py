"""Templates of news: sentences in Russian and English that are built from changed rows.

A template is text with phrases in brackets and cells in braces: `Новое дело[ № {case_number}][, {court}]`. Only
phrases have cells, and a phrase without the value of one of its cells is left out: no sentence has an empty phrase.

A cell is `{column}`: the new value, or that of a removed row; `{column.old}`: the value before; `{column.move}`: both,
if the column changed. Columns of its key have a value in a changed row too. A style after a colon replaces the notation
of the column's kind: `{inn:person}`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

PHRASE = re.compile(r"\[([^\[\]]*)\]")
OF_COMPANY = "?company"
"""Condition: any value, where the checked INN is a company's."""
OTHER_INN = "<>inn"
"""Condition: an INN other than the checked one, which is a company's."""
CELL = re.compile(r"\{(?P<column>\w+)(?:\.(?P<side>\w+))?(?::(?P<style>\w+))?\}")


class Side(StrEnum):
    """Which value of a column a cell shows."""

    NOW = "now"
    """The value after the change; of a removed row its value."""
    OLD = "old"
    MOVE = "move"
    """The value before and after, with an arrow between them."""


class Style(StrEnum):
    """How a cell is written, where the kind of its column does not say it."""

    PLAIN = "plain"
    MONEY = "money"
    SIZE = "size"
    """An amount without its sign."""
    NUMBER = "number"
    PERCENT = "percent"
    DATE = "date"
    LAST_LINE = "last_line"
    """The last line of a text."""
    QUANTITY = "quantity"
    """A number without grouping of its decimals."""
    PERSON = "person"
    """The name of the person or company with this INN, if the card has it."""
    GROWTH = "growth"
    """The growth of an indicator against the year before, in percent."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a phrase, with the text before it."""

    before: str
    column: str
    side: Side
    style: Style | None


@dataclass(frozen=True, slots=True)
class Phrase:
    """Text, or cells with the text around them; `after` follows the last cell."""

    cells: tuple[Cell, ...]
    after: str


def parse_template(template: str) -> tuple[Phrase, ...]:
    """The phrases of a template. Raises ValueError for a cell outside of brackets or a damaged one."""
    phrases: list[Phrase] = []
    position = 0
    for found in PHRASE.finditer(template):
        phrases += _plain_text(template[position : found.start()])
        phrases.append(_phrase(found[1]))
        position = found.end()
    return (*phrases, *_plain_text(template[position:]))


def _plain_text(text: str) -> Iterator[Phrase]:
    if re.search(r"[\[\]{}]", text):
        raise ValueError(f"only phrases in brackets have cells: {text}")
    if text:
        yield Phrase((), text)


def _phrase(text: str) -> Phrase:
    cells: list[Cell] = []
    position = 0
    for found in CELL.finditer(text):
        style = Style(found["style"]) if found["style"] else None
        cells.append(Cell(text[position : found.start()], found["column"], Side(found["side"] or Side.NOW), style))
        position = found.end()
    if not cells or re.search(r"[{}]", text[position:] + "".join(cell.before for cell in cells)):
        raise ValueError(f"a phrase in brackets has cells: [{text}]")
    return Phrase(tuple(cells), text[position:])


@dataclass(frozen=True, slots=True)
class Words:
    """The same text in both languages."""

    ru: str
    en: str


@dataclass(frozen=True, slots=True)
class Line:
    """A template for changed rows.

    `table`: a list of the block, below another one as `cases.movements`; empty: the block's own row. `change`: added,
    removed or changed. `when`: values that cells have. Of these, `<0` and `>=0` compare a number; `*`, `+` and `-` say
    that the column changed, from no value, and to none; `?` is any value, an empty text none, and `*.value` one that
    ends so; `OF_COMPANY` and `OTHER_INN` look at the checked INN, too. `first`: the column whose largest values come
    first. `instead`: only where no other line of the same news has a text.
    """

    table: str
    change: str
    words: Words
    when: tuple[tuple[str, str], ...] = ()
    first: str = ""
    instead: bool = False


DETAILS = Words("изменились отдельные сведения", "some details changed")
FEWER_DETAILS = Words("источник приводит не все прежние сведения", "the source gives fewer details than before")


@dataclass(frozen=True, slots=True)
class News:
    """One kind of fact about which a response can bring news.

    `of`: columns of the block's own row, and lists and maps with all that is below them; `heads` describe the added and
    removed rows of the first list. `by`: what one fact is: empty, all of it in one response; `row`, one row of the list
    with all that is below it; or a column of the key, with alternatives as in `year|value`. `heads`: the beginning of
    the sentence, the first that fits. `always`: the beginning where none fits; its cells are those of the fact's key.
    `figures`: the sentence where nothing changed but counts and sums of the lists. `lines`: what follows the beginning.
    `other`: what follows it if no line does; None if the beginning is a sentence by itself.
    """

    topic: str
    of: tuple[str, ...]
    always: Words
    heads: tuple[Line, ...] = ()
    lines: tuple[Line, ...] = ()
    figures: Words | None = None
    by: str = ""
    other: Words | None = None


BY_ROW = "row"


def addition(ru: str, en: str, table: str = "", *, first: str = "", instead: bool = False, **when: str) -> Line:
    """A line for an added row. `table` may be empty in `heads`: the first list of the news."""
    return Line(table, "added", Words(ru, en), tuple(when.items()), first, instead)


def removal(ru: str, en: str, table: str = "", *, first: str = "", instead: bool = False, **when: str) -> Line:
    """A line for a removed row."""
    return Line(table, "removed", Words(ru, en), tuple(when.items()), first, instead)


def cell_change(ru: str, en: str, table: str = "", *, first: str = "", instead: bool = False, **when: str) -> Line:
    """A line for changed cells of a row; without `table`, of the block's own row."""
    return Line(table, "changed", Words(ru, en), tuple(when.items()), first, instead)


def of_column(topic: str, ru: str, en: str, *columns: str) -> News:
    """News of one column, with its value before and after: `ru` and `en` are its name. Other columns come with it."""
    move = f"[{{{columns[0] if columns else topic}.move}}]"
    return News(topic, columns or (topic,), Words(ru, en), lines=(cell_change(move, move),), other=DETAILS)


def of_flag(column: str, on: Words, off: Words) -> News:
    """News of a flag: the sentence where it was set, and where it was withdrawn.

    A flag that is no longer told was not withdrawn, and one that was not told before either.
    """
    ru = on.ru.replace("«", "„").replace("»", "“")
    untold = Words(
        f"В ответе больше не указано, есть ли признак: «{ru}»", f"The response no longer says whether: “{on.en}”"
    )
    denied = Words(f"По ответу признака нет: «{ru}»", f"The response says that it is not so: “{on.en}”")
    conditions = ((on, ((column, "true"),)), (untold, ((column, "-"),)), (denied, ((column, "+"), (column, "false"))))
    return News(column, (column,), off, heads=tuple(Line("", "changed", words, when) for words, when in conditions))
