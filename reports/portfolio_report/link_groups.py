"""Groups of counterparties that something joins, directly or through others, and where each stands in a picture."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Any

CELL, MARGIN, ALONE = 205, 24, 320
"""Pixels: a group's square in the picture, what stays free at its edge, and the square of one that stands alone."""
COLUMNS = 2
ROLES = ("director", "founder", "beneficiary")
PERSON = re.compile(r"(?P<name>.+?)(?:: | is )(?P<roles>(?:[a-z ]+ of \d{10,12}(?:, )?)+)")
"""How `mart.links` words a person who joins two: `Name: director of INN, founder of INN`, `Name is founder of INN`."""


@dataclass(frozen=True, slots=True)
class Group:
    """Members that hang together: INNs, the most connected first, and pairs with the kinds that join them."""

    inns: list[str]
    pairs: dict[tuple[str, str], list[str]]
    shared: list["Shared"]
    """What joins them, the one that joins most pairs first."""


@dataclass(frozen=True, slots=True, order=True)
class Shared:
    """A thing or person that joins members: in which ways, and whether it is sure (more than the same name)."""

    name: str
    kinds: tuple[str, ...]
    sure: bool


def groups(edges: Iterable[Mapping[str, Any]]) -> list[Group]:
    """The groups that edges (`inn`, `other_inn`, `kind`, `via`) make, the largest first."""
    parent: dict[str, str] = {}

    def root(inn: str) -> str:
        parent.setdefault(inn, inn)
        while parent[inn] != inn:
            parent[inn] = parent[parent[inn]]
            inn = parent[inn]
        return inn

    rows = list(edges)
    for row in rows:
        parent[root(row["inn"])] = root(row["other_inn"])
    gathered: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        gathered[root(row["inn"])].append(row)
    found = [_group(members) for members in gathered.values()]
    return sorted(found, key=lambda group: (-len(group.inns), group.inns))


def _group(rows: list[Mapping[str, Any]]) -> Group:
    pairs: dict[tuple[str, str], list[str]] = {}
    shared: Counter[str] = Counter()
    kinds_of: defaultdict[str, set[str]] = defaultdict(set)
    doubtful: set[str] = set()
    for row in rows:
        first, second = sorted((row["inn"], row["other_inn"]))
        kinds = pairs.setdefault((first, second), [])
        if row["kind"] not in kinds:
            kinds.append(row["kind"])
        name, told = _thing(row["kind"], row["via"] or "")
        shared[name] += 1
        kinds_of[name] |= told
        if row["matched_by"] == "name":
            doubtful.add(name)
    degree = Counter(inn for pair in pairs for inn in pair)
    inns = sorted(degree, key=lambda inn: (-degree[inn], inn))
    things = [Shared(name, tuple(sorted(kinds_of[name])), name not in doubtful) for name in shared]
    return Group(inns, pairs, sorted(things, key=lambda thing: (-shared[thing.name], thing)))


def _thing(kind: str, via: str) -> tuple[str, set[str]]:
    """What joins a pair, and how: a person with all the roles that are told, or the thing itself."""
    person = PERSON.fullmatch(via)
    if person is None:
        return via, {kind}
    return person["name"], {role for role in ROLES if role in person["roles"]}


def placed(count: int, cell: int, cells: int) -> list[tuple[float, float]]:
    """Where so many members stand in one of the picture's squares: around a circle, the first on top."""
    side = CELL if cells > 1 else ALONE
    left, top = (CELL * (cell % COLUMNS), CELL * (cell // COLUMNS)) if cells > 1 else (CELL - ALONE / 2, 0)
    centre, radius = side / 2, side / 2 - MARGIN
    angles = (2 * pi * number / count - pi / 2 for number in range(count))
    return [(left + centre + radius * cos(angle), top + centre + radius * sin(angle)) for angle in angles]


def height(count: int) -> int:
    """Of a picture of so many groups, in pixels."""
    return CELL * -(-count // COLUMNS) if count > 1 else ALONE
