"""SQL of `mart.news` from the declarations: which fact a change belongs to, templates, and notation of values."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.change_severity import SEVERITY_RANKS
from innspect.schemas.declaration import COMPANY_DIGITS
from innspect.schemas.news.news_catalogue import (
    FIGURES,
    FactRule,
    Piece,
    Template,
    enumeration_words,
    fact_rules,
    templates,
)
from innspect.schemas.news.news_template import OF_COMPANY, OTHER_INN, Style
from innspect.warehouse.ddl import identifier, literal, moscow_day
from innspect.warehouse.marts.known_rows import name_key

NBSP, MINUS = "\N{NO-BREAK SPACE}", "\N{MINUS SIGN}"
LEVELS, KEYS = " / ", " | "
"""What separates the keys of a row and of those that contain it, and the parts of a key, in `lineage.changes`."""
PERSON_TABLES = (
    "company__founder_shares", "company__founders", "company__beneficiaries", "risk_flags__founder_shares",
)  # fmt: skip
"""Tables of `core` with names of persons by INN, which a sentence takes from any version of these blocks."""
MAX_LINES, MAX_TEXT = 4, 120
"""Lines that a sentence has after its beginning; characters of a text in a sentence."""
MAGNITUDES = (("", ""), ("тыс.", "K"), ("млн", "M"), ("млрд", "B"), ("трлн", "T"))
GREAT_GROWTH = 10
"""Growth from which a factor is written instead of percent."""


def _relation(rows: Sequence[Sequence[Any]], names: Sequence[str], **types: str) -> str:
    """A query of constant rows: one literal, which is parsed faster than thousands of values.

    `types`: those of columns that are no text.
    """
    text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    columns = ", ".join(
        f"x[{number}]::{types[name]} AS {name}" if name in types else f"x[{number}] AS {name}"
        for number, name in enumerate(names, 1)
    )
    return f"SELECT {columns} FROM (SELECT unnest(from_json({literal(text)}, '[[\"VARCHAR\"]]')) AS x)"


def _rank(column: str) -> str:
    ranks = " ".join(f"WHEN {literal(name)} THEN {rank}" for name, rank in SEVERITY_RANKS.items())
    return f"CASE {column} {ranks} END"


@cache
def person_names() -> str:
    """SQL of all names that versions give to a person: `version_id`, `inn`, `item_inn`, `name`."""
    return " UNION ALL ".join(
        f"SELECT version_id, inn, item_inn, name FROM core.{identifier(table)} WHERE item_inn IS NOT NULL"
        for table in PERSON_TABLES
    )


@cache
def news_changes(changes: str = "lineage.changes") -> str:
    """CTEs up to `news_changes`: the changes of a relation with their fact.

    A text that differs in case and white space only is none: stored and live responses differ so.
    Its columns are `news_id`, `topic`, `fact_key`, `levels` and `is_figure`, see `FactRule`.
    """
    rules = _relation(fact_rules(), FactRule._fields, key_part="INTEGER", levels="INTEGER")
    outermost = f"CASE WHEN r.levels > 1 THEN split_part(c.row_key, {literal(LEVELS)}, 1) ELSE c.row_key END"
    return f"""news_rules AS ({rules}),
keyed_changes AS (
    SELECT c.*, coalesce(r.topic, c.block) AS topic, coalesce(r.levels, 1) AS levels,
           r.topic IS NOT NULL AND r.key_part IS NULL AS is_figure,
           CASE WHEN r.topic IS NULL OR r.key_part < 0 THEN '' WHEN r.key_part = 0 THEN {outermost}
                ELSE split_part({outermost}, {literal(KEYS)}, r.key_part) END AS own_fact
    FROM {changes} c
    LEFT JOIN news_rules r ON r.table_name = c.table_name
        AND r.column_name = CASE WHEN c.table_name = c.block THEN coalesce(c.column_name, '') ELSE '' END
    WHERE c.change <> 'changed' OR c.old_value IS NULL OR c.new_value IS NULL
        OR {name_key("c.old_value")} <> {name_key("c.new_value")}
),
keyed_facts AS (
    SELECT inn, seen_at, snapshot_id, topic,
           min_by(own_fact, {{'rank': -{_rank("severity")}, 'fact': own_fact}}) AS fact
    FROM keyed_changes WHERE own_fact IS NOT NULL GROUP BY ALL
),
fact_changes AS (
    SELECT k.*, coalesce(k.own_fact, f.fact, '') AS fact_key FROM keyed_changes k
    LEFT JOIN keyed_facts f ON f.inn = k.inn AND f.seen_at = k.seen_at
         AND f.snapshot_id = k.snapshot_id AND f.topic = k.topic
),
news_changes AS (SELECT *, md5(concat_ws('|', snapshot_id, topic, fact_key)) AS news_id FROM fact_changes)"""


@cache
def news_templates() -> str:
    """CTEs `news_templates`, `news_pieces` and `news_words`."""
    found, pieces = templates()
    flags, numbers = ("is_head", "instead"), ("template", "phrase", "position", "part", "priority")
    types = {**dict.fromkeys(flags, "BOOLEAN"), **dict.fromkeys(numbers, "INTEGER"), "conditions": "JSON"}
    return f"""news_templates AS (SELECT * REPLACE (from_json(conditions, '[["VARCHAR"]]') AS conditions)
                   FROM ({_relation(found, Template._fields, **types)})),
news_pieces AS ({_relation(pieces, Piece._fields, **types)}),
news_words AS ({_relation(enumeration_words(), ("words", "value", "ru", "en"))})"""


def cell(row: str, column: str, part: str) -> str:
    """The value of a column of a changed row: of the row (JSON), else of its key."""
    return f"coalesce(nullif(json_extract_string({row}, {json_path(column)}), ''), nullif(u.key_parts[{part}], ''))"


def _row_of_cells(value: str) -> str:
    """The changed cells of a row as a JSON object."""
    pair = f"to_json(column_name) || ':' || coalesce(to_json({value}), 'null')"
    return f"'{{' || string_agg({pair}, ',') || '}}'"


def json_path(column: str) -> str:
    """The path of a column in a row (JSON)."""
    return f"""'$."' || nullif({column}, '') || '"'"""


def conditions_hold() -> str:
    """Whether all conditions of the template `t` hold for the row `u`; a condition is a list, see `Condition`."""
    path = json_path("c[1]")
    value, before = cell("u.now_row", "c[1]", "c[2]::INTEGER"), f"json_extract_string(u.old_row, {path})"
    is_company = f"length(u.inn) = {COMPANY_DIGITS}"
    is_changed = f"u.change = 'changed' AND json_exists(u.now_row, {path})"
    now = f"json_extract_string(u.now_row, {path})"
    test = f"""CASE c[3] WHEN '*' THEN {is_changed} WHEN '+' THEN {is_changed} AND {before} IS NULL
                WHEN '-' THEN {is_changed} AND {now} IS NULL WHEN '?' THEN {value} IS NOT NULL
                WHEN '{OF_COMPANY}' THEN {value} IS NOT NULL AND {is_company}
                WHEN '{OTHER_INN}' THEN {value} <> u.inn AND {is_company}
                WHEN '' THEN {value} IS NULL WHEN '<0' THEN try_cast({value} AS DOUBLE) < 0
                WHEN '>=0' THEN try_cast({value} AS DOUBLE) >= 0
                ELSE {value} = c[3] OR (starts_with(c[3], '*') AND ends_with({value}, c[3][2:])) END"""
    return f"len(list_filter(t.conditions, c -> NOT coalesce({test}, false))) = 0"


def notation(value: str, style: str, language: str) -> str:
    """The text of a value in a style and language; all three are SQL."""
    number = f"try_cast({value} AS DOUBLE)"
    size = f"abs({number})"
    instant = moscow_day(f"try_cast({value} AS TIMESTAMP)")
    day = f"CASE WHEN length({value}) > 10 THEN {instant} ELSE try_cast({value} AS DATE) END"
    last_line = f"list_extract(string_split(trim({value}, chr(10) || chr(13) || ' '), chr(10)), -1)"
    return f"""CASE {style}
        WHEN '{Style.MONEY}' THEN {_sign(number, _money(size, language))}
        WHEN '{Style.SIZE}' THEN {_money(size, language)}
        WHEN '{Style.NUMBER}' THEN {_sign(number, _thousands(f"round({size})::HUGEINT", language))}
        WHEN '{Style.QUANTITY}' THEN {_sign(number, _decimal(size, "2", language))}
        WHEN '{Style.PERCENT}' THEN {_sign(number, _percent(_decimal(size, "2", language), language))}
        WHEN '{Style.GROWTH}' THEN {_growth(number, language)}
        WHEN '{Style.DATE}' THEN CASE {language} WHEN 'ru' THEN strftime({day}, '%d.%m.%Y') ELSE {day}::VARCHAR END
        WHEN '{Style.LAST_LINE}' THEN {_short(last_line)}
        ELSE {_short(value)} END"""


def _sign(number: str, text: str) -> str:
    return f"CASE WHEN {number} < 0 THEN '{MINUS}' ELSE '' END || {text}"


def _short(value: str) -> str:
    clean = f"trim(regexp_replace({value}, '\\s+', ' ', 'g'))"
    start = f"rtrim(left({clean}, {MAX_TEXT - 1})) || '…'"
    return f"nullif(CASE WHEN length({clean}) > {MAX_TEXT} THEN {start} ELSE {clean} END, '')"


def _decimal(number: str, digits: str, language: str) -> str:
    """A number with at most these decimals."""
    rounded = f"printf('%.{digits}f', round({number}, {digits}))"
    text = f"regexp_replace(regexp_replace({rounded}, '(\\.\\d*?)0+$', '\\1'), '\\.$', '')"
    return f"CASE {language} WHEN 'ru' THEN replace({text}, '.', ',') ELSE {text} END"


def _thousands(number: str, language: str) -> str:
    separator = f"CASE {language} WHEN 'ru' THEN '{NBSP}' ELSE ',' END"
    return f"replace(format('{{:,}}', {number}), ',', {separator})"


def _percent(text: str, language: str) -> str:
    return f"{text} || CASE {language} WHEN 'ru' THEN '{NBSP}%' ELSE '%' END"


def _money(size: str, language: str) -> str:
    """An amount in thousands, millions and so on with at most one decimal; below a thousand, with its kopecks."""
    cases: list[str] = []
    for power, (ru, en) in reversed([*enumerate(MAGNITUDES)][1:]):
        number = _decimal(f"{size} / 1e{3 * power}", "1", language)
        texts = (
            f"CASE {language} WHEN 'ru' THEN {number} || '{NBSP}{ru}{NBSP}₽' ELSE 'RUB{NBSP}' || {number} || '{en}' END"
        )
        # A number that rounds up to 1000 is written in the next unit.
        limit = 999.95 * 1000 ** (power - 1) if power > 1 else 1000
        cases.append(f"WHEN {size} >= {limit!r} THEN {texts}")
    number = _decimal(size, "2", language)
    small = f"CASE {language} WHEN 'ru' THEN {number} || '{NBSP}₽' ELSE 'RUB{NBSP}' || {number} END"
    return f"CASE {' '.join(cases)} ELSE {small} END"


def _growth(share: str, language: str) -> str:
    percent = _percent(_thousands(f"round(abs({share}) * 100)::BIGINT", language), language)
    factor = f"round({share} + 1)::BIGINT"
    times = f"CASE {language} WHEN 'ru' THEN 'рост в ' || {factor} || '{NBSP}раз' ELSE {factor} || ' times as much' END"
    sign = f"CASE WHEN {share} < 0 THEN '{MINUS}' ELSE '+' END"
    return f"CASE WHEN {share} >= {GREAT_GROWTH} THEN {times} ELSE {sign} || {percent} END"


def _block_title(language: str) -> str:
    """The title of the block of `e` as SQL, for changes of tables that are declared no more."""
    cases = " ".join(
        f"WHEN {literal(name)} THEN {literal(getattr(block, f'title_{language}'))}" for name, block in BLOCKS.items()
    )
    return f"CASE e.block {cases} ELSE e.block END"


NEWS_FRAGMENTS: Mapping[str, Callable[[], str]] = {
    "{news_changes}": news_changes,
    "{news_templates}": news_templates,
    "{person_names}": person_names,
    "{severity_rank}": lambda: _rank("severity"),
    "{key_separator}": lambda: KEYS,
    "{level_separator}": lambda: LEVELS,
    "{figures}": lambda: FIGURES,
    "{conditions_hold}": conditions_hold,
    "{new_cells}": lambda: _row_of_cells("new_value"),
    "{old_cells}": lambda: _row_of_cells("old_value"),
    "{path}": lambda: json_path("p.column"),
    "{first_path}": lambda: json_path("u.first_column"),
    "{now_cell}": lambda: cell("u.now_row", "p.column", "p.part"),
    "{notation}": lambda: notation("c.raw", "c.style", "c.language"),
    "{max_lines}": lambda: str(MAX_LINES),
    "{title_ru}": lambda: _block_title("ru"),
    "{title_en}": lambda: _block_title("en"),
}
"""Placeholders of the marts `news` and `changes`."""
