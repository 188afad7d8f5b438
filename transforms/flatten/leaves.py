"""What has no documented fields, leaf by leaf: each with its JSONPath, its value as it came, and its JSON type."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from innspect.transforms.lenient_decoder import text_of

VOID: Final = ("object", "array", "null")
Leaf = tuple[str, str, str]


def leaves_of(value: Any, path: str) -> Iterator[Leaf]:
    """(path, value as it came, JSON type) of each leaf; an empty object or array is a leaf of itself."""
    if isinstance(value, dict) and value:
        for key, below in value.items():
            yield from leaves_of(below, f"{path}.{key}" if str(key).isidentifier() else f"{path}[{_quoted(key)}]")
    elif isinstance(value, list) and value:
        for number, below in enumerate(value):
            yield from leaves_of(below, f"{path}[{number}]")
    else:
        yield path, text_of(value), _json_type(value)


def says(leaf: Leaf) -> bool:
    """Whether a leaf is content: an empty text or container is none, however deep it stands."""
    return bool(leaf[1]) and leaf[2] not in VOID


def _quoted(key: str) -> str:
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
