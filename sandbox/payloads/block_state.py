"""Named states of a block: what a response can say about its sources, made from a payload with or without rows.

A payload module declares the states of its blocks in `STATES`, by block and name.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from innspect.sandbox.world.context import View

Change = Callable[[View, Any, str], Any]
"""Makes the payload of a state from a view, a payload and the word that the state was chosen with."""
WORD = "\x00word"
"""In the fields of a state: the word that it was chosen with."""
REMOVE = object()
"""In the fields of a state: the field is absent."""


class InFullCheck(Enum):
    """How the full check carries the block."""

    PAYLOAD = "payload"
    NAMED_EMPTY = "named empty"
    """An empty object, named in `_verified_empty_blocks`."""
    EMPTY_OBJECT = "empty object"
    """An empty object that is not named."""
    ABSENT = "absent"
    UNCHANGED = "unchanged"
    """The state exists in standalone methods only."""


@dataclass(frozen=True, slots=True)
class BlockState:
    """A state of a block.

    `shows`: what the response shows. `has_rows`: whether it is made from a payload with rows. `words`: documented words
    that it can be chosen with, the default first; any other word is accepted too.
    """

    shows: str
    has_rows: bool
    change: Change
    words: tuple[str, ...] = ()
    in_full_check: InFullCheck = InFullCheck.PAYLOAD


States = dict[str, BlockState]


def set_fields(fields: dict[str, Any]) -> Change:
    """The change that sets fields; an object is merged into the object that the payload has."""

    def change(_: View, payload: Any, word: str) -> Any:
        return _merge(payload, fields, word) if fields else payload

    return change


def _merge(payload: Any, fields: dict[str, Any], word: str) -> Any:
    merged = dict(payload)
    for name, value in fields.items():
        if value is REMOVE:
            merged.pop(name, None)
        elif isinstance(value, dict):
            merged[name] = _merge(merged.get(name) or {}, value, word)
        elif isinstance(value, list):
            merged[name] = [word if item == WORD else item for item in value]
        else:
            merged[name] = word if value == WORD else value
    return merged


def with_rows(
    shows: str,
    *words: str,
    change: Change | None = None,
    in_full_check: InFullCheck = InFullCheck.PAYLOAD,
    **fields: Any,
) -> BlockState:
    """A state of a payload with rows: by a change, or by fields that are set."""
    return BlockState(shows, True, change or set_fields(fields), words, in_full_check)


def without_rows(
    shows: str,
    *words: str,
    change: Change | None = None,
    in_full_check: InFullCheck = InFullCheck.PAYLOAD,
    **fields: Any,
) -> BlockState:
    """A state of a payload without rows: by a change, or by fields that are set."""
    return BlockState(shows, False, change or set_fields(fields), words, in_full_check)


def both(name: str, shows: str, *words: str, **fields: Any) -> States:
    """A mark with rows, and with the suffix `_empty` without."""
    return {
        name: with_rows(f"{shows}; with rows", *words, **fields),
        f"{name}_empty": without_rows(f"{shows}; no rows", *words, **fields),
    }
