"""Damaged payloads: a wrong type, an unknown field, a truncated body."""

from typing import Any

import msgspec

from innspect.sandbox.world.random_streams import Draw

UNKNOWN_FIELD = "brand_new_field"


def truncate(body: bytes) -> bytes:
    """The first two thirds of a body, cut so that it is not valid JSON."""
    return body[: max(1, len(body) * 2 // 3)].rstrip(b"]} \n")


def add_unknown_field(payload: bytes, draw: Draw) -> bytes:
    """Add an undocumented field to the object or to one inside it."""
    tree = msgspec.json.decode(payload)
    objects = _objects(tree)
    if objects:
        draw.pick(objects)[UNKNOWN_FIELD] = {"since": "2026-12-01", "values": [1, 2]}
    return msgspec.json.encode(tree)


def change_one_type(payload: bytes, draw: Draw) -> bytes:
    """Change the type of one value: a number to text, a text to an object, a list to an object and so on."""
    tree = msgspec.json.decode(payload)
    places = [(one, name) for one in _objects(tree) for name in one if name != "inn"]
    if places:
        holder, name = draw.pick(places)
        holder[name] = _other(holder[name], draw)
    return msgspec.json.encode(tree)


def _objects(tree: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    waiting = [tree]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            found.append(one)
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    return found


def _other(value: Any, draw: Draw) -> Any:
    match value:
        case bool():
            return draw.pick(("да", int(value)))
        case int() | float():
            return draw.pick((str(value), f"{value} руб.", [value]))
        case str():
            return draw.pick((17, {"value": value}, [value]))
        case list():
            return draw.pick(({"0": value[:1]}, "", 0))
        case dict():
            return draw.pick(([], "нет данных"))
        case _:
            return "null"
