"""Objects whose keys are data, melted into columns: whole mappings at a time, never key by key where that can be."""

from collections.abc import Callable
from itertools import repeat
from operator import attrgetter
from typing import Any

from innspect.schemas.declaration import Field, Map


def melter(part: Map, columns: dict[str, list[Any]]) -> Callable[[dict[str, Any]], int]:
    """A function that adds the rows of one mapping to the columns, and says how many they were."""
    labels = [(columns[name], value) for name, value in part.label]
    taken = {*part.keys, *(name for name, _ in part.label)}
    inner = [name for name in part.of.row_parts if name not in taken and isinstance(part.of.row_parts[name], Field)]
    scalar = columns[inner[0]] if len(inner) == 1 and not part.many else None
    getters = [(columns[name], attrgetter(name)) for name in inner]
    keys = [columns[name] for name in part.keys]
    deepest = len(keys) - 1

    def bottom(value: dict[str, Any]) -> int:
        if scalar is not None:
            scalar.extend(value.values())
            keys[deepest].extend(value)
            return len(value)
        added = 0
        for key, below in value.items():
            objects: list[Any] = below if part.many else [below]
            for target, getter in getters:
                target.extend(map(getter, objects))
            keys[deepest].extend(repeat(key, len(objects)))
            added += len(objects)
        return added

    def level(value: dict[str, Any], depth: int) -> int:
        if depth == deepest:
            return bottom(value)
        added = 0
        for key, below in value.items():
            if below:
                rows = level(below, depth + 1)
                keys[depth].extend(repeat(key, rows))
                added += rows
        return added

    def melt(value: dict[str, Any]) -> int:
        rows = level(value, 0)
        for target, constant in labels:
            target.extend(repeat(constant, rows))
        return rows

    return melt
