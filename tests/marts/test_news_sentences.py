"""Every template of news on made-up rows, in both languages, with all cells and with none."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import polars as pl
import pytest

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.kinds import Form
from innspect.schemas.news import news_template
from innspect.schemas.news.news_catalogue import (
    FIGURES,
    LANGUAGES,
    OTHER_FACTS,
    Template,
    fact_rules,
    news_topics,
    templates,
)
from innspect.schemas.news.news_template import Line, parse_template
from innspect.schemas.tables import Column, Origin, Table, tables
from innspect.warehouse.database import Warehouse

SEEN = datetime(2026, 11, 20)
VALUES = {
    Form.INTEGER: ("1200", "3400"), Form.YEAR: ("2024", "2025"), Form.NUMBER: ("12.5", "34"),
    Form.MONEY: ("8700000.00", "12500.50"), Form.FLAG: ("false", "true"), Form.DATE: ("2026-11-05", "2026-12-31"),
    Form.INSTANT: ("2026-11-05 10:00:00", "2026-12-31 10:00:00"), Form.JSON: ("{}", "[]"),
}  # fmt: skip
"""Two values of a kind; texts are made of the column's name."""
FORBIDDEN = re.compile(
    r"\b(None|NULL|null|nan)\b|__|\[|\]|\{|\}|\(\)|  |,,|: ?[;,:]|; ?[;:]|[:;,—]\s*$|№ ?[,;:]|№\s*$|→ *$| ,|#\d"
)
"""What no sentence has: a placeholder, a name of a table, an empty phrase or punctuation without words."""
CYRILLIC = re.compile("[А-Яа-яЁё]")


def value(column: Column, which: int) -> str:
    """A made-up value of a column."""
    if column.kind.values:
        return column.kind.values[min(which, len(column.kind.values) - 1)]
    return VALUES.get(
        column.kind.form, (f"Old {column.name}".replace("_", "-"), f"New {column.name}".replace("_", "-"))
    )[which]


def printed_key(table: Table, row: Mapping[str, str | None]) -> str:
    """The key of a row as `lineage.changes` has it."""
    own = " | ".join(next((row[name] or "" for name in entry if row.get(name)), "") for entry in table.key)
    above = tables()[table.parent] if table.parent else None
    if above is None or above.origin is Origin.ROOT:
        return own
    return f"{printed_key(above, {column.name: value(column, 1) for column in above.columns})} / {own}"


def change_rows(
    inn: str, table: Table, change: str, now: Mapping[str, Any], old: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """The changes of one row; of a changed one, the cells in `now`."""
    key = (
        ""
        if table.origin is Origin.ROOT
        else printed_key(table, now if change != "changed" else {**now, **key_cells(table)})
    )
    common = {
        "run_id": "run", "snapshot_id": f"s{inn}", "inn": inn, "block": table.block, "table_name": table.name,
        "row_key": key, "change": change, "seen_at": SEEN, "severity": "info",
    }  # fmt: skip
    if change == "added":
        yield common | {"new_value": json.dumps(now, ensure_ascii=False)}
    elif change == "removed":
        yield common | {"old_value": json.dumps(now, ensure_ascii=False)}
    else:
        # A cell with only one possible value changes from none to it.
        for name in now:
            before = old.get(name) if old.get(name) != now[name] else None
            yield common | {"column_name": name, "old_value": before, "new_value": now[name]}


def key_cells(table: Table) -> dict[str, str]:
    return {entry[0]: value(column, 1) for entry in table.key for column in table.columns if column.name == entry[0]}


def told(warehouse: Warehouse, changes: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The news of made-up changes by INN."""
    empty = dict.fromkeys(("column_name", "old_value", "new_value"))
    frame = pl.DataFrame([empty | row for row in changes], infer_schema_length=None)
    with warehouse.register(made_up=frame):
        warehouse.connection.execute("INSERT INTO lineage.changes BY NAME FROM made_up")
    news = warehouse.query("SELECT * FROM mart.news")
    assert news["changes"].sum() == len(changes)
    unassigned = warehouse.query("SELECT * FROM mart.changes ANTI JOIN mart.news USING (news_id, inn, snapshot_id)")
    assert unassigned.is_empty()
    return {row["inn"]: row for row in news.to_dicts()}


def content(table: Table) -> list[Column]:
    return [column for column in table.columns if column.field.content and not column.is_presence]


def faults(row: Mapping[str, Any]) -> list[str]:
    """The sentences of a row with a placeholder or an empty phrase, or without a word of their language."""
    found: list[str] = []
    for language in LANGUAGES:
        sentence = str(row[f"sentence_{language}"])
        is_wrong = FORBIDDEN.search(sentence) or sentence[:1] != sentence[:1].upper()
        if is_wrong or (language == "ru" and not CYRILLIC.search(sentence)):
            found.append(sentence)
    return found


@pytest.mark.parametrize("is_given", [True, False], ids=["all cells", "no cells"])
def test_every_change_of_every_table_has_a_sentence(warehouse: Warehouse, is_given: bool) -> None:
    changes: list[dict[str, Any]] = []
    for table in tables().values():
        kinds = ("changed",) if table.origin is Origin.ROOT else ("added", "removed", "changed")
        for change in kinds if content(table) else ():
            now = {column.name: value(column, 1) if is_given else None for column in content(table)}
            old = {column.name: value(column, 0) for column in content(table)} if is_given else dict[str, str]()
            if change == "changed" and table.origin is not Origin.ROOT:
                now = {
                    name: cell for name, cell in now.items() if name not in {n for entry in table.key for n in entry}
                }
                if not now:
                    continue
            cells = [{name: cell} for name, cell in now.items()] if table.origin is Origin.ROOT else [now]
            for cell in cells:
                changes += change_rows(f"{len(changes):010}", table, change, cell, old)
    news = told(warehouse, changes)
    assert set(news) == {row["inn"] for row in changes}
    wrong = [sentence for row in news.values() for sentence in faults(row)]
    assert not wrong, "\n".join(wrong)


def made_up_row(template: Template, table: Table) -> tuple[dict[str, str | None], dict[str, str | None]]:
    """Cells with which the template applies: after and before the change."""
    columns = {column.name: column for column in content(table)}
    now: dict[str, str | None] = {name: value(column, 1) for name, column in columns.items()}
    old: dict[str, str | None] = {name: value(column, 0) for name, column in columns.items()}
    for condition in template.conditions:
        match condition.value:
            case "*" | "?" | ">=0" | news_template.OF_COMPANY | news_template.OTHER_INN:
                continue
            case "+":
                old[condition.column] = None
            case "-":
                now[condition.column] = None
            case "":
                now.pop(condition.column)
            case "<0":
                now[condition.column] = "-5"
            case literal:
                now[condition.column] = literal
    return now, old


def plain_words(template: Template, language: str) -> list[str]:
    """The words of a template outside of its phrases."""
    texts = [
        piece.before.strip()
        for piece in templates()[1]
        if piece.template == template.template and piece.side == "text" and piece.language == language
    ]
    return [text for text in texts if text]


def test_every_template_makes_its_sentence(warehouse: Warehouse) -> None:
    changes: list[dict[str, Any]] = []
    expected: dict[str, Template] = {}
    found = [template for template in templates()[0] if template.change not in ("", FIGURES)]
    for template in found:
        table = tables()[template.table_name]
        now, old = made_up_row(template, table)
        inn = f"{len(expected):010}"
        expected[inn] = template
        changes += change_rows(inn, table, template.change, now, old)
    news = told_by_topic(warehouse, changes)
    assert len(expected) > 250
    wrong = [sentence for row in news.values() for sentence in faults(row)]
    assert not wrong, "\n".join(wrong)
    for inn, template in expected.items():
        row = news[inn, template.topic]
        for language in LANGUAGES:
            sentence = row[f"sentence_{language}"]
            if template.is_head and template.priority == 0:
                assert all(words.lower() in sentence.lower() for words in plain_words(template, language)), sentence


def told_by_topic(warehouse: Warehouse, changes: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    told(warehouse, changes)
    return {(row["inn"], row["topic"]): row for row in warehouse.query("SELECT * FROM mart.news").to_dicts()}


def test_every_table_and_column_belongs_to_one_fact() -> None:
    rules = {(rule.table_name, rule.column_name) for rule in fact_rules()}
    for table in tables().values():
        wanted = [column.name for column in content(table)] if table.origin is Origin.ROOT else [""]
        assert {(table.name, name) for name in wanted} <= rules
    assert [block for block, news in news_topics() if news.topic == OTHER_FACTS] == [], "words are missing"


def test_beginnings_of_sentences_have_words_of_their_own() -> None:
    for block, news in news_topics():
        beginnings = [news.always, *(line.words for line in news.heads), *([news.figures] if news.figures else [])]
        for words in beginnings:
            for language in LANGUAGES:
                plain = "".join(phrase.after for phrase in parse_template(getattr(words, language)) if not phrase.cells)
                assert plain.strip(" ,:"), (block, news.topic, language)
        assert not any(CYRILLIC.search(words.en) for words in beginnings)
    assert {block for block, _ in news_topics()} == set(BLOCKS)


def constant_words(line: Line, language: str) -> list[str]:
    """The words of a line whatever its cells are: those outside of phrases, and those of its first phrase."""
    phrases = parse_template(getattr(line.words, language))
    first = [text for phrase in phrases if phrase.cells for text in (phrase.cells[0].before, phrase.after)][:2]
    return [phrase.after for phrase in phrases if not phrase.cells] + first


@pytest.mark.parametrize("language", LANGUAGES)
def test_removed_rows_have_words_of_their_own(language: str) -> None:
    """In a sentence with added and removed rows of one list the reader must tell them apart."""
    lines = [(topic.topic, line) for _, topic in news_topics() for line in topic.lines]
    same = [
        (topic, gone.table)
        for topic, gone in lines
        for of, new in lines
        if (of, new.table, new.change, gone.change) == (topic, gone.table, "added", "removed")
        and constant_words(new, language) == constant_words(gone, language)
    ]
    assert same == []


@pytest.mark.parametrize("template", ["{name}", "Дело {name", "[нет ячеек]", "Дело [№ {case_number]"])
def test_damaged_template_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match="brackets"):
        parse_template(template)
