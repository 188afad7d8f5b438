"""Strict msgspec decoders of the blocks, derived from the declarations; they refuse whatever is not declared.

Fractions are decoded as floats, exact to the kopeck up to `MAX_EXACT_FLOAT` (`transforms/flatten/columns.py`).
Beyond it, and for a refused payload, `transforms/lenient_decoder.py` decodes into the same structs.
"""

from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Final

import msgspec

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.declaration import (
    Block,
    Duplicate,
    Echo,
    Field,
    Ignored,
    Inline,
    Leaves,
    List,
    Map,
    Mark,
    Part,
    Reserved,
    Row,
)
from innspect.schemas.kinds import Kind

ENVELOPE = ("price", "balance", "status", "message", "last_updated_at")
"""Keys of the envelope, at the root of a standalone response together with those of the payload."""
OK_STATUSES: Final = ("ok",)
"""The envelope's `status` of a response with its payload, unless the setting `service.ok_statuses` says otherwise."""
UNAVAILABLE_STATUS: Final = "unavailable"
MAX_STATUS_CHARS: Final = 40
DECLARED_STATUSES: Final = frozenset(
    word
    for block in BLOCKS.values()
    for part in [block.row_parts.get("status")]
    if isinstance(part, Field | Mark)
    for word in part.kind.values
)
"""Values of the blocks' own `status`: none of them can be the envelope's, because both may have the same place."""
LEAVES = "leaves"
"""Attribute with the whole content of a response without documented fields."""
ABSENT = msgspec.Raw()
EMPTY = msgspec.Meta(max_length=0)


@dataclass(frozen=True, slots=True)
class Conventions:
    """How the service writes what its documents leave open; part of the key of the block digests.

    `zone`: time zone of timestamps without one. `ok_statuses`: the envelope's `status` of a response with its payload.
    """

    zone: str
    ok_statuses: tuple[str, ...] = OK_STATUSES


def envelope_statuses(ok_statuses: tuple[str, ...]) -> frozenset[str]:
    """Values of the envelope's `status`, in lower case; a payload with one of them has no `status` of its own."""
    return frozenset({*map(str.casefold, ok_statuses), UNAVAILABLE_STATUS})


def _reserved_type(empty: Any) -> Any:
    if isinstance(empty, bool):
        return bool
    if isinstance(empty, int | float):
        return Annotated[float, msgspec.Meta(ge=0, le=0)]
    return Annotated[type(empty), EMPTY]


def _map_type(part: Map) -> Any:
    constants = {name for name, _ in part.label}
    inner = [name for name in part.of.row_parts if name not in {*part.keys, *constants}]
    if part.many:
        lowest: Any = list[_object_type(part.of, tuple(inner))]
    elif len(inner) == 1:
        last = part.of.row_parts[inner[0]]
        assert isinstance(last, Field)
        lowest = last.kind.wire | None
    else:
        lowest = _object_type(part.of, tuple(inner))
    for _ in part.keys:
        lowest = dict[str, lowest]
    return lowest


def _part_type(part: Part) -> Any:
    match part:
        case Field() | Duplicate():
            return part.kind.wire
        case Mark():
            return list[part.kind.wire] if part.many else part.kind.wire
        case Echo():
            return str
        case Reserved():
            return _reserved_type(part.empty)
        case Ignored() | Leaves():
            return msgspec.Raw
        case List():
            if isinstance(part.of, Kind):
                return list[part.of.wire | None]
            return list[struct(part.of)]
        case Map():
            return _map_type(part)
        case Inline():
            inner = struct(part.of, is_open=part.open)
            return inner | Annotated[str, EMPTY] if part.or_text else inner


def _optional(wire: Any, part: Part | None = None) -> tuple[Any, Any]:
    """The type and default of a key that may be absent or null (msgspec takes no union with `Raw`).

    A record that is absent differs from one that is null, which says that the source has none.
    """
    if isinstance(part, Inline) and part.record:
        return wire | None | msgspec.UnsetType, msgspec.UNSET
    return (wire, ABSENT) if wire is msgspec.Raw else (wire | None, None)


def _object_type(row: type[Row], names: tuple[str, ...], extra: tuple[str, ...] = (), *, is_open: bool = False) -> Any:
    fields = [(name, *_optional(_part_type(row.row_parts[name]), row.row_parts[name])) for name in names]
    fields += [(name, *_optional(msgspec.Raw)) for name in extra if name not in names]
    return msgspec.defstruct(row.__name__, fields, forbid_unknown_fields=not is_open, gc=False)


@cache
def struct(row: type[Row], *, is_open: bool = False, with_envelope: bool = False) -> Any:
    """The struct of a row; a key that is absent or null is None.

    `is_open`: undeclared keys are ignored. `with_envelope`: the keys of the envelope are accepted too.
    """
    extra = ENVELOPE if with_envelope else ()
    if issubclass(row, Block) and row.undocumented:
        extra = (*extra, LEAVES)
    return _object_type(row, tuple(row.row_parts), extra, is_open=is_open)


@cache
def block_type(block_name: str, *, with_envelope: bool = False) -> Any:
    """The type of a block's payload: a struct, or a list of structs for a block that is an array."""
    block: type[Block] = BLOCKS[block_name]
    if block.rows_at_root:
        part = block.row_parts[block.rows_at_root]
        assert isinstance(part, List)
        return _part_type(part)
    return struct(block, with_envelope=with_envelope)


@cache
def decoder(block_name: str, *, with_envelope: bool = False) -> msgspec.json.Decoder[Any]:
    """The strict decoder of a block's payload."""
    return msgspec.json.Decoder(block_type(block_name, with_envelope=with_envelope))
