"""Names of the columns that a frame carries only between two steps; none of them reaches a table.

The service's names are identifiers, so a name with `#`, `?` or `!` cannot collide with one of them.

| column | in | content |
|---|---|---|
| `name#` | raw frame of a block | number of elements in the list, map or undocumented part `name`; 1 for a record |
| `name?` | raw frame of a block | whether a sibling list confirms that a 0 in column `name` is a real zero |
| `full?` | raw frame of a block | whether the payload comes from a full check |
| `person?` | raw frame of a block | whether the checked INN is a person's |
| `doubt#` | raw frame of a block | reason why the response confirms nothing without content |
| `unavailable#` | raw frame of a block | whether the envelope calls the source unavailable |
| `shape#` | raw frame of a block | whether a part of the payload has the wrong JSON type |
| `name!` | normalised frame | whether the cell of column `name` breaks the rule of its normalisation |
| `index#`, `keyless#` | validation | row number in the validated frame; number of rows without a key |
| `clean#`, `payload#`, `narrow#` | confirmed-empty rows | snapshot is clean; has a payload; lacks fields (full check) |
| `text#`, `table#` | content hash | canonical text of a row; of the rows of a child table |
| `key#`, `parent#` | row matching | key of a row, and of its parent, across versions |
| `side#`, `nth#` | row matching | left or right side; number among equal rows |
| `both#`, `number#` | row matching | whether the row is on both sides; number among rows with the same key |
| `lacks#`, `rest#`, `pair#` | row matching | whether the row lacks a part of its key; the rest of it; key of a pair |
| `fills#`, `silent#` | merge | whether a known row only fills a new one; whether the parent may lack rows of the list |
| `oldest#`, `newest#` | merge | first listed value of a column of which only the latest are; last one of the block |
| `fresh#`, `known#` | merge | whether the response, or the version before, has the row |
| `group#` | merge | value of a map's key that a row of a list belongs to |
| `place#` | row matching, changes | position of a row: its number in the frame, or its JSONPath |
| `lost#`, `read#` | unreadable cells | cell could not be read; row exists in the last readable version |
| `name#old`, `name#known`, `name#readable` | joins of versions | column `name` of the other side |
| `name#fresh`, `name#listed`, `name#rows` | merge | figure `name` of the response; of a side's rows; of merged rows |
"""

from typing import Final

FROM_FULL_CHECK: Final = "full?"
OF_PERSON: Final = "person?"
DOUBT: Final = "doubt#"
WRONG_SHAPE: Final = "shape#"
ENVELOPE_UNAVAILABLE: Final = "unavailable#"
ROW_INDEX: Final = "index#"
KEYLESS_ROWS: Final = "keyless#"
IS_CLEAN: Final = "clean#"
HAS_PAYLOAD: Final = "payload#"
IS_NARROW: Final = "narrow#"
IS_INCOMPLETE: Final = "incomplete#"
ROW_TEXT: Final = "text#"
ROW_KEY: Final = "key#"
PARENT_KEY: Final = "parent#"
SIDE: Final = "side#"
NTH_EQUAL: Final = "nth#"
ON_BOTH_SIDES: Final = "both#"
KEY_NUMBER: Final = "number#"
IS_LACKING: Final = "lacks#"
REST_OF_KEY: Final = "rest#"
KEY_OF_PAIR: Final = "pair#"
POSITION: Final = "place#"
IN_RESPONSE: Final = "fresh#"
IN_KNOWN: Final = "known#"
FILLS: Final = "fills#"
IS_SILENT: Final = "silent#"
OLDEST: Final = "oldest#"
NEWEST: Final = "newest#"
GROUP: Final = "group#"
IS_LOST: Final = "lost#"
IS_READABLE: Final = "read#"
OLD, KNOWN, READABLE = "#old", "#known", "#readable"
"""Suffixes of the other side's columns after a join."""
FRESH, LISTED, OF_ROWS = "#fresh", "#listed", "#rows"
"""Suffixes of figures that are compared in a merge."""


def count_column(part: str) -> str:
    """Column with the number of elements of a part of the block."""
    return f"{part}#"


def presence_column(part: str) -> str:
    """Column of `core` that says whether the optional list `part` of a row is known."""
    return f"{part}_known"


def given_column(name: str) -> str:
    """Column of `core` that says whether the field `name` has a value, readable or not."""
    return f"{name}_given"


def confirmed_column(column: str) -> str:
    """Column that says whether a 0 in `column` is confirmed."""
    return f"{column}?"


def unreadable_column(column: str) -> str:
    """Column that says whether the cell of `column` breaks the rule of its normalisation."""
    return f"{column}!"


def child_text_column(table: str) -> str:
    """Column with the canonical text of a row's child rows in `table`."""
    return f"{table}#"


def is_zero_evidence(column: str) -> bool:
    """Whether a raw column is one by which a zero is judged: a count or a confirmation."""
    return column.endswith(("#", "?")) and column not in {FROM_FULL_CHECK, DOUBT, WRONG_SHAPE, ENVELOPE_UNAVAILABLE}
