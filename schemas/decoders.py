"""Typed decoders, derived: what msgspec takes for each block, refusing anything that is not declared.

Fractions are read as floats here, exact to the kopeck up to the bound of `transforms/flatten.py`; beyond it, and where
a body is refused, `transforms/careful.py` reads it again leaf by leaf into the same structs.
"""

from functools import cache
from typing import Annotated, Any

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
"""Keys of the envelope, which stand beside the payload's own at the root of a standalone answer."""
ENVELOPE_STATUSES = frozenset({"ok", "unavailable"})
"""Words of the envelope's `status`: beside a payload that has none of its own they are not the payload's."""
LEAVES = "leaves"
"""The attribute that takes the whole of an answer without documented fields."""
ABSENT = msgspec.Raw()
NOTHING = msgspec.Meta(max_length=0)


def _reserved(empty: Any) -> Any:
    if isinstance(empty, bool):
        return bool
    if isinstance(empty, int | float):
        return Annotated[float, msgspec.Meta(ge=0, le=0)]
    return Annotated[type(empty), NOTHING]


def _map(part: Map) -> Any:
    constants = {name for name, _ in part.label}
    inner = [name for name in part.of.row_parts if name not in {*part.keys, *constants}]
    if part.many:
        bottom: Any = list[_object(part.of, tuple(inner))]
    elif len(inner) == 1:
        last = part.of.row_parts[inner[0]]
        assert isinstance(last, Field)
        bottom = last.kind.wire | None
    else:
        bottom = _object(part.of, tuple(inner))
    for _ in part.keys:
        bottom = dict[str, bottom]
    return bottom


def _part(part: Part) -> Any:
    match part:
        case Field() | Duplicate():
            return part.kind.wire
        case Mark():
            return list[part.kind.wire] if part.many else part.kind.wire
        case Echo():
            return str
        case Reserved():
            return _reserved(part.empty)
        case Ignored() | Leaves():
            return msgspec.Raw
        case List():
            if isinstance(part.of, Kind):
                return list[part.of.wire | None]
            return list[struct(part.of)]
        case Map():
            return _map(part)
        case Inline():
            inner = struct(part.of, open_=part.open)
            return inner | Annotated[str, NOTHING] if part.or_text else inner


def _optional(wire: Any) -> tuple[Any, Any]:
    """The type and default of a key that may be absent or null (msgspec takes no union with `Raw`)."""
    return (wire, ABSENT) if wire is msgspec.Raw else (wire | None, None)


def _object(row: type[Row], names: tuple[str, ...], extra: tuple[str, ...] = (), *, open_: bool = False) -> Any:
    fields = [(name, *_optional(_part(row.row_parts[name]))) for name in names]
    fields += [(name, *_optional(msgspec.Raw)) for name in extra if name not in names]
    return msgspec.defstruct(row.__name__, fields, forbid_unknown_fields=not open_, gc=False)


@cache
def struct(row: type[Row], *, open_: bool = False, standalone: bool = False) -> Any:
    """The struct of a row; every key may be absent or null, which is None.

    `standalone` takes the envelope's keys as well.
    """
    extra = ENVELOPE if standalone else ()
    if issubclass(row, Block) and row.undocumented:
        extra = (*extra, LEAVES)
    return _object(row, tuple(row.row_parts), extra, open_=open_)


@cache
def block_type(block_name: str, *, standalone: bool = False) -> Any:
    """The type of a block's body: a struct, or a list of them for a block that is an array at its root."""
    block: type[Block] = BLOCKS[block_name]
    if block.rows_at_root:
        part = block.row_parts[block.rows_at_root]
        assert isinstance(part, List)
        return _part(part)
    return struct(block, standalone=standalone)


@cache
def decoder(block_name: str, *, standalone: bool = False) -> msgspec.json.Decoder[Any]:
    """The strict decoder of the fast lane."""
    return msgspec.json.Decoder(block_type(block_name, standalone=standalone))
