"""Default payloads, derived from the declarations: a value for every declared field, from its kind.

A hand-written payload sets the fields that depend on other fields or have their own distribution; `complete` adds the
declared fields that it does not set. Default values do not depend on the day.
"""

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any

from innspect.sandbox.world.calendar import OPENING, TURN, iso, unix, year_of
from innspect.sandbox.world.context import Payload, View
from innspect.sandbox.world.random_streams import Draw
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
from innspect.schemas.kinds import ISO, Form, Kind

Parts = Mapping[str, Part]
At = tuple[str | int, ...]
"""Where a value is: names of fields, numbers of rows."""
ERROR = "exception:ReadTimeout"
_MAX_ROWS = 3
_MAX_NUMBER = 100
_EMPTY_SHARE = 0.2
_EMPTY: Mapping[Form, Any] = {
    Form.INTEGER: 0, Form.YEAR: 0, Form.NUMBER: 0, Form.MONEY: 0, Form.UNIX: 0, Form.FLAG: False, Form.JSON: {},
}  # fmt: skip
"""The value of a field without data; an empty string for the other forms."""


def default_payload(view: View, block: type[Block]) -> Any:
    """The payload of a block: an object, or an array for a block with rows at its root."""
    if block.rows_at_root:
        return _value(view, block.row_parts[block.rows_at_root], (block.block_name,))
    if view.failure_draw(block.block_name):
        return empty_payload(view, block) | ({"error": ERROR} if "error" in block.row_parts else {})
    payload = complete(view, block, {})
    return payload | {"value": view.draw("default", block.block_name).digits(6)} if block.undocumented else payload


def empty_payload(view: View, block: type[Block]) -> Any:
    """The payload of a block without data."""
    return [] if block.rows_at_root else _empty_object(view, _parts(block, full_check=view.is_full_check))


def complete(view: View, block: type[Block], payload: Any, omitted: frozenset[str] = frozenset()) -> Any:
    """Add the declared fields that the payload lacks, at every level.

    `omitted` names the fields that the payload leaves out on purpose, as `block.list.field`.
    """
    at = (block.block_name,)
    if block.rows_at_root:
        _complete_inside(view, block.row_parts[block.rows_at_root], payload, at, omitted)
    else:
        _complete(view, _parts(block, full_check=view.is_full_check), payload, at, omitted)
    return payload


@cache
def _parts(row: type[Row], *, full_check: bool = False) -> Parts:
    """The fields of an object without the marks of the service's store; those that repeat another one are last."""
    parts = [
        (name, part)
        for name, part in row.row_parts.items()
        if name not in Block.row_parts and (not full_check or getattr(part, "full_check", True))
    ]
    return dict(sorted(parts, key=lambda one: isinstance(one[1], Duplicate)))


@cache
def _map_bottom(part: Map) -> Parts:
    """The fields at the bottom of a map: those of its row that are neither its keys nor constant."""
    above = {*part.keys, *(name for name, _ in part.label)}
    return {name: inner for name, inner in _parts(part.of).items() if name not in above}


def _holds_objects(part: Map) -> bool:
    return part.many or len(_map_bottom(part)) > 1


def _complete(view: View, parts: Parts, payload: Payload, at: At, omitted: frozenset[str]) -> None:
    for name, part in parts.items():
        if name in payload:
            if isinstance(part, Inline | List | Map):
                _complete_inside(view, part, payload[name], (*at, name), omitted)
        elif ".".join(step for step in (*at, name) if isinstance(step, str)) not in omitted:
            payload[name] = payload[part.of] if isinstance(part, Duplicate) else _value(view, part, (*at, name))


def _complete_inside(view: View, part: Part, value: Any, at: At, omitted: frozenset[str]) -> None:
    objects: list[Any] = value if isinstance(value, list) else [value] if value else []
    match part:
        case Map() if _holds_objects(part):
            parts = _map_bottom(part)
            for _ in part.keys:
                objects = [inner for one in objects for inner in one.values()]
            if part.many:
                objects = [inner for one in objects for inner in one]
        case List() | Inline() if not isinstance(part.of, Kind):
            parts = _parts(part.of)
        case _:
            parts = {}
    for number, one in enumerate(objects if parts else ()):
        _complete(view, parts, one, (*at, number), omitted)


def _value(view: View, part: Part, at: At) -> Any:
    draw = view.draw("default", *at)
    match part:
        case Field():
            return _scalar(draw, part.kind)
        case List(of=Kind() as kind):
            return [_scalar(draw, kind) for _ in range(draw.integer(0, _MAX_ROWS))]
        case List():
            return [_object(view, _parts(part.of), (*at, number)) for number in range(draw.integer(0, _MAX_ROWS))]
        case Map():
            return _map(view, draw, part, at)
        case Inline():
            return None if part.record and draw.chance(_EMPTY_SHARE) else _object(view, _parts(part.of), at)
        case _:
            return _empty(view, part)


def _object(view: View, parts: Parts, at: At) -> Payload:
    payload: Payload = {}
    _complete(view, parts, payload, at, frozenset())
    return payload


def _map(view: View, draw: Draw, part: Map, at: At) -> Any:
    """One path of keys down to a number, an object or a list of one object."""
    value: Any = _object(view, _map_bottom(part), at)
    if not _holds_objects(part):
        value = value.popitem()[1]
    value = [value] if part.many else value
    for name in reversed(part.keys):
        key = part.of.row_parts[name]
        value = {str(_scalar(draw, key.kind)) or "0" if isinstance(key, Field) else "0": value}
    return value


def _empty(view: View, part: Part) -> Any:
    match part:
        case Field() | Duplicate():
            return _EMPTY.get(part.kind.form, "")
        case Mark():
            return [] if part.many else part.kind.values[0] if part.kind.values else _EMPTY.get(part.kind.form, "")
        case Echo():
            return view.inn
        case Reserved():
            return part.empty
        case Inline():
            return None if part.record else _empty_object(view, _parts(part.of))
        case List() | Leaves():
            return []
        case Map() | Ignored():
            return {}


def _empty_object(view: View, parts: Parts) -> Payload:
    return {name: _empty(view, part) for name, part in parts.items()}


def _scalar(draw: Draw, kind: Kind) -> Any:
    low, high = kind.bounds or (0, _MAX_NUMBER)
    day, second = draw.integer(OPENING, TURN), draw.integer(0, 79_999)
    match kind.form:
        case Form.FLAG:
            return draw.chance(0.3)
        case Form.INTEGER:
            return draw.integer(int(low), int(min(high, _MAX_NUMBER)))
        case Form.YEAR:
            return year_of(day)
        case Form.NUMBER:
            return round(low + (min(high, _MAX_NUMBER) - low) * draw.unit(), 2)
        case Form.MONEY:
            return draw.roubles(1_000, 1_000_000)
        case Form.UNIX:
            return unix(day, second)
        case Form.JSON:
            return {"value": draw.integer(0, _MAX_NUMBER)}
        case Form.LABEL:
            return draw.digits(2)
        case Form.DATE | Form.INSTANT | Form.TEXT if draw.chance(_EMPTY_SHARE):
            return ""
        case Form.DATE | Form.INSTANT:
            layout = draw.pick(kind.formats)
            return iso(day, second) if layout == ISO else datetime.fromordinal(day).strftime(layout)
        case Form.TEXT:
            return draw.pick(kind.values) if kind.values else kind.example or f"Песочница {draw.digits(4)}"
