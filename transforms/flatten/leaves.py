"""Leaves of JSON without documented fields: path, value as received, and JSON type of each."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

import polars as pl

from innspect.transforms.lenient_decoder import text_of

EMPTY_TYPES: Final = ("object", "array", "null")
IN_LIST: Final = re.compile(r"\$(?:\.[^.\[]+|\['(?:[^'\\]|\\.)*'\])*\[\d+\]")
"""The start of the path of a leaf that is in a list."""
Leaf = tuple[str, str, str]
"""JSONPath, value as received, JSON type."""


def leaves_of(value: Any, path: str) -> Iterator[Leaf]:
    """The leaves below `path`; an empty object or array is a leaf itself."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves_of(inner, f"{path}.{key}" if str(key).isidentifier() else f"{path}[{_quote(key)}]")
    elif isinstance(value, list) and value:
        for number, inner in enumerate(value):
            yield from leaves_of(inner, f"{path}[{number}]")
    else:
        yield path, text_of(value), _json_type(value)


def leaf_part() -> pl.Expr:
    """The part of the block that a row of a table of leaves is in."""
    return pl.col("path").str.extract(r"^\$\.(\w+)")


def is_content(leaf: Leaf) -> bool:
    """Whether a leaf is content: neither null nor an empty text, object or array, unless it is in a list.

    A list with an element is not empty, whatever the element says: `[{}]` is one entry without readable fields.
    """
    return (bool(leaf[1]) and leaf[2] not in EMPTY_TYPES) or IN_LIST.match(leaf[0]) is not None


def _quote(key: str) -> str:
    return "'" + key.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _json_type(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | Decimal():
            return "number"
        case str():
            return "string"
        case dict():
            return "object"
        case _:
            return "array"
