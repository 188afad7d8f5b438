"""Groups of linked counterparties: connected components of the links, and their layout in the figure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import cos, pi, sin
from typing import Any

CELL_PX, MARGIN_PX, SINGLE_CELL_PX = 205, 24, 320
COLUMNS = 2

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, order=True)
class SharedObject:
    """What members share (a person, an address …), and the kinds of link."""

    name: str
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LinkGroup:
    """A group: number of members and of shared objects, and the first of each; drawn pairs with their kinds of link."""

    members: int
    objects: int
    inns: list[str]
    pairs: dict[tuple[str, str], list[str]]
    shared: list[SharedObject]


def read_groups(members: Iterable[Row], pairs: Iterable[Row], shared: Iterable[Row]) -> list[LinkGroup]:
    """The groups of the rows of `LinkQueries`, largest first."""
    groups: dict[int, LinkGroup] = {}
    for row in members:
        group = groups.setdefault(row["place"], LinkGroup(row["members"], 0, [], {}, []))
        group.inns.append(row["inn"])
    for row in pairs:
        groups[row["place"]].pairs[row["inn"], row["other_inn"]] = row["kinds"]
    for row in shared:
        group = groups[row["place"]]
        group.shared.append(SharedObject(row["name"], tuple(row["kinds"])))
        groups[row["place"]] = replace(group, objects=row["objects"])
    return list(groups.values())


def circle_positions(count: int, cell: int, cells: int) -> list[tuple[float, float]]:
    """Positions (x, y in pixels) of `count` members on a circle in one of the figure's cells, the first at the top."""
    side = CELL_PX if cells > 1 else SINGLE_CELL_PX
    left, top = (CELL_PX * (cell % COLUMNS), CELL_PX * (cell // COLUMNS)) if cells > 1 else (CELL_PX - side / 2, 0)
    centre, radius = side / 2, side / 2 - MARGIN_PX
    angles = (2 * pi * number / count - pi / 2 for number in range(count))
    return [(left + centre + radius * cos(angle), top + centre + radius * sin(angle)) for angle in angles]


def figure_height(groups: int) -> int:
    """Height of the figure of that many groups in pixels."""
    return CELL_PX * -(-groups // COLUMNS) if groups > 1 else SINGLE_CELL_PX
