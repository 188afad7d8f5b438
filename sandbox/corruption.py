"""Answers that are not what the documents say: a wrong type, an unknown field, a broken end."""

from typing import Any

import msgspec

from innspect.sandbox.world.random_streams import Draw

UNKNOWN_FIELD = "brand_new_field"


def truncate(body: bytes) -> bytes:
    """The first part of a body, broken within a value so that no JSON reader takes it."""
    return body[: max(1, len(body) * 2 // 3)].rstrip(b"]} \n")


def add_unknown_field(payload: bytes, draw: Draw) -> bytes:
    """A field that the documents do not have, in the object itself or in one of those within."""
    tree = msgspec.json.decode(payload)
    objects = _objects(tree)
    if objects:
        draw.pick(objects)[UNKNOWN_FIELD] = {"since": "2026-12-01", "values": [1, 2]}
    return msgspec.json.encode(tree)


def change_one_type(payload: bytes, draw: Draw) -> bytes:
    """One value of another type: a number as text, a text as an object, a list as an object and the like."""
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
