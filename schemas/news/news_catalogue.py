"""What is derived from the news of the declarations: the fact of each change, templates, their pieces, and words."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.declaration import Figure, Map
from innspect.schemas.kinds import Form
from innspect.schemas.news.news_template import (
    BY_ROW,
    FEWER_DETAILS,
    Line,
    News,
    Phrase,
    Side,
    Style,
    Words,
    parse_template,
)
from innspect.schemas.tables import Column, Origin, Table, item_column, tables_of

LANGUAGES = ("ru", "en")
ALWAYS = 1000
"""Priority of the beginning of a sentence that fits where no other does."""
STYLES: Mapping[Form, Style] = {
    Form.MONEY: Style.MONEY,
    Form.INTEGER: Style.NUMBER,
    Form.DATE: Style.DATE,
    Form.INSTANT: Style.DATE,
}
FIGURES = "figures"
"""The change of a template for responses in which nothing changed but counts and sums."""

NO_VALUE: Mapping[str, str] = {"ru": "нет сведений", "en": "not given"}
"""What a changed cell is now where it has no value."""

Parts = Mapping[str, int]
"""The position of columns in a key, from 1."""


class FactRule(NamedTuple):
    """The fact that a change of a table belongs to; one row per column of the block's own row, else per table.

    `key_part`: the part of the key of the outermost row that identifies the fact; 0: the whole key; -1: the fact needs
    none; None: a count or sum, which belongs to the most severe fact of its rows. `levels`: rows that contain the row,
    itself included.
    """

    table_name: str
    column_name: str
    topic: str
    key_part: int | None
    levels: int


class Condition(NamedTuple):
    """A condition of a template: the value of a column, or of its position in the key (0: it is not part of it)."""

    column: str
    part: int
    value: str


class Template(NamedTuple):
    """A template: the beginning of a sentence (`is_head`) or a line; empty `table_name` and `change` fit any."""

    template: int
    topic: str
    is_head: bool
    priority: int
    instead: bool
    table_name: str
    change: str
    conditions: tuple[Condition, ...]
    first_column: str
    other_ru: str | None = None
    other_en: str | None = None
    fewer_ru: str | None = None
    fewer_en: str | None = None


class Piece(NamedTuple):
    """A cell of a phrase of a template, or its text (`side` is `text`).

    `missing`: what is written for no value; None: the phrase is left out. `words`: name of the words for its values.
    """

    template: int
    language: str
    phrase: int
    position: int
    before: str
    column: str
    part: int
    side: str
    style: str
    words: str
    after: str
    missing: str | None


OTHER_FACTS = "other_facts"
"""Topic of what no template is about: a new field or block has news before it has words of its own."""


@cache
def news_topics() -> tuple[tuple[str, News], ...]:
    """The news of every block, with the block's name; last that of columns and lists without templates."""
    topics: list[tuple[str, News]] = []
    for name, block in BLOCKS.items():
        topics += ((name, news) for news in block.news_templates)
        if rest := _without_news(name):
            always = Words(f"{block.title_ru}: есть изменения", f"{block.title_en}: something changed")
            topics.append((name, News(OTHER_FACTS, rest, always)))
    return tuple(topics)


def _without_news(name: str) -> tuple[str, ...]:
    """The columns of the block's own row and the lists that none of its news is about."""
    declared = {part for news in BLOCKS[name].news_templates for part in news.of}
    root, *others = tables_of(name)
    lists = [table for table in others if table.parent == root.name and not _grouped_list(table)]
    rest = [table.name.removeprefix(f"{name}__") for table in lists]
    columns = [name for name, figure in _content(root).items() if not figure]
    return tuple(part for part in (*columns, *rest) if part not in declared)


@cache
def fact_rules() -> tuple[FactRule, ...]:
    """The fact of every change. Raises ValueError if a column or table belongs to none, or to two."""
    rules = [rule for block, news in news_topics() for rule in _fact_rules(block, news)]
    found = [(rule.table_name, rule.column_name) for rule in rules]
    expected = {
        (table.name, column)
        for name in BLOCKS
        for table in tables_of(name)
        for column in (_content(table) if table.origin is Origin.ROOT else [""])
    }
    if len(found) != len(set(found)) or set(found) != expected:
        twice = sorted({entry for entry in found if found.count(entry) > 1})
        raise ValueError(
            f"news: missing {sorted(expected - set(found))}, unknown {sorted(set(found) - expected)}, twice {twice}"
        )
    return tuple(rules)


def _content(table: Table) -> dict[str, Figure | None]:
    """The columns whose cells may change, with their figures."""
    columns = [column for column in table.columns if column.field.content and not column.is_presence]
    return {column.name: column.field.figure for column in columns}


def _fact_rules(block: str, news: News) -> Iterator[FactRule]:
    root, *others = tables_of(block)
    topic = f"{block}.{news.topic}"
    lists = {f"{block}__{name}" for name in news.of}
    for column in root.columns:
        figure = column.field.figure
        if column.name in news.of:
            yield FactRule(root.name, column.name, topic, -1, 1)
        elif figure and any(f"{block}__{rows}" in lists for rows in figure.lists) and _owns(block, news, figure.lists):
            yield FactRule(root.name, column.name, topic, None, 1)
    for table in others:
        outermost = table
        while outermost.parent != root.name:
            outermost = next(other for other in others if other.name == outermost.parent)
        groups = _grouped_list(table)
        if outermost.name in lists:
            yield FactRule(table.name, "", topic, _key_part(news, outermost), len(table.ordinals) or 1)
        elif groups and f"{block}__{groups}" in lists:
            yield FactRule(table.name, "", topic, None, 1)


def _owns(block: str, news: News, lists: tuple[str, ...]) -> bool:
    """Whether this is the first news of the block that is about one of the lists."""
    return news is next(other for name, other in news_topics() if name == block and {*other.of} & {*lists})


def _grouped_list(table: Table) -> str:
    part = table.feeds[0].part if len(table.feeds) == 1 else None
    return part.groups.rows if isinstance(part, Map) and part.groups else ""


def _key_part(news: News, outermost: Table) -> int:
    if not news.by:
        return -1
    if news.by == BY_ROW:
        return 0
    names = {item_column(name) for name in news.by.split("|")}
    return next(number for number, entry in enumerate(outermost.key, 1) if names & set(entry))


def _parts(table: Table) -> Parts:
    """The first column of each entry of a key, in which a changed row can be looked up."""
    return {entry[0]: number for number, entry in enumerate(table.key, 1)}


def main_table(block: str, news: News) -> Table | None:
    """The first list of the news."""
    names = {table.name: table for table in tables_of(block)}
    return next((names[f"{block}__{name}"] for name in news.of if f"{block}__{name}" in names), None)


parse_phrases = cache(parse_template)


@cache
def templates() -> tuple[tuple[Template, ...], tuple[Piece, ...]]:
    """The templates of all news and their pieces. Raises ValueError if one names an unknown table or column."""
    found: list[Template] = []
    pieces: list[Piece] = []
    for block, news in news_topics():
        for template, words, table, parts in _templates(block, news):
            number = len(found)
            found.append(Template(template=number, **template))
            for language in LANGUAGES:
                phrases = parse_phrases(getattr(words, language))
                pieces += _pieces(number, language, phrases, table, parts, is_fact=not template["change"])
    return tuple(found), tuple(pieces)


def _templates(block: str, news: News) -> Iterator[tuple[dict[str, Any], Words, Table, Parts]]:
    root, main = tables_of(block)[0], main_table(block, news)
    topic = f"{block}.{news.topic}"
    for priority, line in enumerate(news.heads):
        table = root if line.change == "changed" and not line.table else _table(block, line.table or main)
        yield _line(topic, line, table, priority, is_head=True)
    order = [line.words for line in news.lines]
    for line in news.lines:
        # Lines of the same words are one list: the same step of a case is in the instance and in the case.
        yield _line(topic, line, _table(block, line.table or root), order.index(line.words), is_head=False)
    common = {"topic": topic, "is_head": True, "instead": False, "conditions": (), "first_column": ""}
    if news.figures:
        template = {**common, "priority": 0, "table_name": "", "change": FIGURES}
        yield template, news.figures, root, {}
    fewer = FEWER_DETAILS if news.other and news.by == BY_ROW else news.other
    others = {
        "other_ru": news.other and news.other.ru,
        "other_en": news.other and news.other.en,
        "fewer_ru": fewer and fewer.ru,
        "fewer_en": fewer and fewer.en,
    }
    fact = main or root
    parts = _parts(fact) if news.by == BY_ROW else dict.fromkeys(_fact_names(news), 1)
    yield {**common, "priority": ALWAYS, "table_name": "", "change": "", **others}, news.always, fact, parts


def _fact_names(news: News) -> list[str]:
    return [item_column(name) for name in news.by.split("|")] if news.by else []


def _table(block: str, name: str | Table | None) -> Table:
    if isinstance(name, Table):
        return name
    full = f"{block}__{(name or '').replace('.', '__')}"
    found = [table for table in tables_of(block) if table.name == full]
    if not found:
        raise ValueError(f"news of {block}: there is no list {name}")
    return found[0]


def _line(
    topic: str, line: Line, table: Table, priority: int, *, is_head: bool
) -> tuple[dict[str, Any], Words, Table, Parts]:
    parts = _parts(table)
    conditions = [
        Condition(_column(table, name).name, parts.get(_column(table, name).name, 0), value)
        for name, value in line.when
    ]
    template = {
        "topic": topic,
        "is_head": is_head,
        "priority": priority,
        "instead": line.instead,
        "table_name": table.name,
        "change": line.change,
        "conditions": tuple(conditions),
        "first_column": _column(table, line.first).name if line.first else "",
    }
    return template, line.words, table, parts


def _column(table: Table, name: str) -> Column:
    wanted = name if table.origin is Origin.ROOT else item_column(name)
    found = [column for column in table.columns if column.name == wanted]
    if not found:
        raise ValueError(f"news: {table.name} has no column {name}")
    return found[0]


def _pieces(
    template: int, language: str, phrases: tuple[Phrase, ...], table: Table, parts: Parts, *, is_fact: bool
) -> Iterator[Piece]:
    for number, phrase in enumerate(phrases):
        if not phrase.cells:
            yield Piece(template, language, number, 0, phrase.after, "", 0, "text", "", "", "", None)
        last = len(phrase.cells) - 1
        for index, cell in enumerate(phrase.cells):
            column = _column(table, cell.column)
            place = Piece(
                template=template,
                language=language,
                phrase=number,
                position=2 * index,
                before=cell.before,
                column=column.name,
                part=parts.get(column.name, 0),
                side="fact" if is_fact else str(cell.side),
                style=cell.style or _style(column),
                words="" if cell.style or not column.kind.words else f"{table.name}.{column.name}",
                after=phrase.after if index == last else "",
                missing=None,
            )
            yield from _moves(place) if cell.side is Side.MOVE else [place]


def _moves(piece: Piece) -> Iterator[Piece]:
    """The value before, with an arrow, and the value after it; nothing is written for no value before."""
    yield piece._replace(part=0, side="moved", after=" → ", missing=piece.before)
    nothing = NO_VALUE[piece.language] + piece.after
    yield piece._replace(position=piece.position + 1, before="", part=0, side="moved_to", missing=nothing)


def _style(column: Column) -> Style:
    if column.kind.unit == "%":
        return Style.PERCENT
    return STYLES.get(column.kind.form, Style.QUANTITY if column.kind.form is Form.NUMBER else Style.PLAIN)


@cache
def enumeration_words() -> tuple[tuple[str, str, str, str], ...]:
    """What sentences say instead of the values of enumerations: name (`table.column`), value, ru, en."""
    return tuple(
        (f"{table.name}.{column.name}", value, ru, en)
        for name in BLOCKS
        for table in tables_of(name)
        for column in table.columns
        for value, (ru, en) in zip(column.kind.values, column.kind.words, strict=bool(column.kind.words))
        if column.kind.words
    )
