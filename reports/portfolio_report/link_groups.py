"""Groups of linked counterparties: connected components of the links, and their layout in the figure."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Any

CELL_PX, MARGIN_PX, SINGLE_CELL_PX = 205, 24, 320
COLUMNS = 2
ROLES = ("director", "founder", "beneficiary")
PERSON = re.compile(r"(?P<name>.+?)(?:: | is )(?P<roles>(?:[a-z ]+ of \d{10,12}(?:, )?)+)")
"""A person in `mart.links.via`: `Name: director of INN, founder of INN` or `Name is founder of INN`."""


@dataclass(frozen=True, slots=True, order=True)
class SharedObject:
    """What members share (a person, an address …), the kinds of link, and whether more than a name matches."""

    name: str
    kinds: tuple[str, ...]
    is_certain: bool


@dataclass(frozen=True, slots=True)
class LinkGroup:
    """One component: INNs by number of links, pairs with their kinds of link, shared objects by number of pairs."""

    inns: list[str]
    pairs: dict[tuple[str, str], list[str]]
    shared: list[SharedObject]


def group_links(links: Iterable[Mapping[str, Any]]) -> list[LinkGroup]:
    """The components of links (`inn`, `other_inn`, `kind`, `via`, `matched_by`), largest first."""
    parent: dict[str, str] = {}

    def root(inn: str) -> str:
        parent.setdefault(inn, inn)
        while parent[inn] != inn:
            parent[inn] = parent[parent[inn]]
            inn = parent[inn]
        return inn

    rows = list(links)
    for row in rows:
        parent[root(row["inn"])] = root(row["other_inn"])
    components: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        components[root(row["inn"])].append(row)
    groups = [_group(component) for component in components.values()]
    return sorted(groups, key=lambda group: (-len(group.inns), group.inns))


def _group(rows: list[Mapping[str, Any]]) -> LinkGroup:
    pairs: dict[tuple[str, str], list[str]] = {}
    uses: Counter[str] = Counter()
    kinds_of: defaultdict[str, set[str]] = defaultdict(set)
    matched_by_name: set[str] = set()
    for row in rows:
        first, second = sorted((row["inn"], row["other_inn"]))
        kinds = pairs.setdefault((first, second), [])
        if row["kind"] not in kinds:
            kinds.append(row["kind"])
        name, shared_kinds = _shared_object(row["kind"], row["via"] or "")
        uses[name] += 1
        kinds_of[name] |= shared_kinds
        if row["matched_by"] == "name":
            matched_by_name.add(name)
    degree = Counter(inn for pair in pairs for inn in pair)
    inns = sorted(degree, key=lambda inn: (-degree[inn], inn))
    shared = [SharedObject(name, tuple(sorted(kinds_of[name])), name not in matched_by_name) for name in uses]
    return LinkGroup(inns, pairs, sorted(shared, key=lambda item: (-uses[item.name], item)))


def _shared_object(kind: str, via: str) -> tuple[str, set[str]]:
    """The name of the shared object and its kinds of link: of a person all roles."""
    person = PERSON.fullmatch(via)
    if person is None:
        return via, {kind}
    return person["name"], {role for role in ROLES if role in person["roles"]}


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
