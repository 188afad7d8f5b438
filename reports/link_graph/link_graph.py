"""The graph around one INN: which nodes are drawn, and the edges between them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from innspect.reports.link_graph.link_facts import LINKED, LinkFact, LinkReader, is_inn, is_value
from innspect.reports.style import LEVEL_ORDER
from innspect.schemas.declaration import PERSON_DIGITS
from innspect.schemas.states import Level
from innspect.warehouse.database import Warehouse
from innspect.warehouse.publish.reader import PublishedCopy

MAX_NODES = 50
MAX_NODES_AT_ONE_DISTANCE = 25
"""With more the drawing, which has a column per distance, would be longer than a printed page allows."""
DEPTH = 2
SCORES = """
SELECT s.inn, s.level, s.level_known, s.level_at_most, s.known_part, s.unknown_blocks, s.unknown_since,
       s.never_requested_blocks, s.stale_blocks, s.present + s.absent + s.unknown > 0 AS is_checked
FROM mart.risk_score s WHERE s.inn IN (SELECT unnest($inns::VARCHAR[]))
"""
NAMES = """
SELECT inn, coalesce(short_name, name) AS name FROM mart.company_profile
WHERE inn IN (SELECT unnest($inns::VARCHAR[])) AND coalesce(short_name, name) IS NOT NULL
"""


class NodeKind(StrEnum):
    """What a node is. `named`: a person or an organisation of which only the name is known."""

    COMPANY = "company"
    PERSON = "person"
    NAMED = "named"
    ADDRESS = "address"
    PHONE = "phone"
    EMAIL = "email"


@dataclass(frozen=True, slots=True)
class Node:
    """A node at its distance from the centre. `score`: its row of mart.risk_score; None if it was never requested."""

    key: str
    kind: NodeKind
    name: str | None
    depth: int
    score: Mapping[str, Any] | None = None

    @property
    def inn(self) -> str | None:
        """The INN; None of a name or a value."""
        return self.key if is_inn(self.key) else None

    @property
    def level(self) -> str | None:
        """The level; None where the service was never asked about the node."""
        return None if self.score is None else self.score["level"] or str(Level.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Edge:
    """All that connects two nodes: facts by role, those that hold now first."""

    source: str
    target: str
    facts: tuple[LinkFact, ...]

    @property
    def is_directed(self) -> bool:
        """Whether the source holds a role in the target."""
        return any(fact.is_directed for fact in self.facts)

    @property
    def is_current(self) -> bool:
        """Whether one of the facts is confirmed by the latest response, and not former."""
        return any(fact.is_current for fact in self.facts)

    @property
    def is_certain(self) -> bool:
        """Whether one of the facts rests on more than a name."""
        return any(fact.is_certain for fact in self.facts)


@dataclass(frozen=True, slots=True)
class LinkNetwork:
    """Drawn nodes, nearest and highest level first; edges between them; the number of nodes that are left out."""

    nodes: list[Node]
    edges: list[Edge]
    hidden: dict[NodeKind, int] = field(default_factory=dict[NodeKind, int])

    @property
    def is_complete(self) -> bool:
        """Whether the lists behind all edges are complete."""
        return all(fact.is_complete for edge in self.edges for fact in edge.facts)


def read_link_network(source: Warehouse | PublishedCopy, inn: str, max_nodes: int = MAX_NODES) -> LinkNetwork:
    """The network around an INN. Raises WarehouseError where the copy lacks a mart."""
    with closing(LinkReader(source)) as reader:
        facts: list[LinkFact] = []
        names: dict[str, str] = {}
        depths = {inn: 0}
        for _ in range(DEPTH):
            found = reader.read_around([node for node in depths if is_inn(node)])
            facts, names = found.facts, {**found.names, **names}
            depths = _depths(inn, facts)
        inns = [node for node in depths if is_inn(node)]
        scores = {row["inn"]: row for row in source.query(SCORES, {"inns": inns}).to_dicts() if row["is_checked"]}
        names |= {row["inn"]: row["name"] for row in source.query(NAMES, {"inns": inns}).to_dicts()}
        nodes = [Node(key, _kind(key), names.get(key), depth, scores.get(key)) for key, depth in depths.items()]
        nodes.sort(key=_attention)
        drawn = _choose(nodes, max_nodes)
        among = reader.read_among([node for node in drawn if is_inn(node)]).facts
    return _connect(nodes, drawn, [*facts, *among])


def _depths(centre: str, facts: Iterable[LinkFact]) -> dict[str, int]:
    """The nodes at most `DEPTH` away from the centre, in the order of discovery."""
    neighbours: defaultdict[str, list[str]] = defaultdict(list)
    for fact in facts:
        neighbours[fact.source].append(fact.target)
        neighbours[fact.target].append(fact.source)
    depths, frontier = {centre: 0}, [centre]
    for depth in range(1, DEPTH + 1):
        reached = dict.fromkeys(other for node in frontier for other in neighbours[node] if other not in depths)
        # A value at the outer end, seen from one side only, would connect nothing that is drawn.
        frontier = [
            node
            for node in reached
            if depth < DEPTH or not is_value(node) or len(set(neighbours[node]) & set(depths)) > 1
        ]
        depths |= dict.fromkeys(frontier, depth)
    return depths


def _kind(key: str) -> NodeKind:
    if is_inn(key):
        return NodeKind.PERSON if len(key) == PERSON_DIGITS else NodeKind.COMPANY
    kind = key.partition(":")[0]
    return NodeKind.NAMED if kind == "name" else NodeKind(kind)


def _attention(node: Node) -> tuple[int, int, str]:
    """Sorts nearest nodes first, and those that ask for attention most; what was not checked comes after all levels."""
    level = len(LEVEL_ORDER) if node.level is None else LEVEL_ORDER.index(node.level)
    return node.depth, level, node.key


def _choose(nodes: Iterable[Node], max_nodes: int) -> set[str]:
    """The keys of the first nodes, within the limits."""
    drawn: set[str] = set()
    count_at: Counter[int] = Counter()
    for node in nodes:
        if len(drawn) < max_nodes and count_at[node.depth] < MAX_NODES_AT_ONE_DISTANCE:
            drawn.add(node.key)
            count_at[node.depth] += 1
    return drawn


def _connect(nodes: list[Node], drawn: set[str], facts: Iterable[LinkFact]) -> LinkNetwork:
    """The drawn part of the nodes: without values that connect fewer than two drawn nodes, and without loose ends."""
    edges = [edge for edge in merge_facts(facts) if {edge.source, edge.target} <= drawn]
    while True:
        ends: defaultdict[str, set[str]] = defaultdict(set)
        for edge in edges:
            ends[edge.source].add(edge.target)
            ends[edge.target].add(edge.source)
        loose = {
            node.key
            for node in nodes
            if node.key in drawn and node.depth and len(ends[node.key]) < 1 + is_value(node.key)
        }
        if not loose:
            break
        drawn = drawn - loose
        edges = [edge for edge in edges if {edge.source, edge.target} <= drawn]
    hidden: defaultdict[NodeKind, int] = defaultdict(int)
    for node in nodes:
        if node.key not in drawn:
            hidden[node.kind] += 1
    return LinkNetwork([node for node in nodes if node.key in drawn], edges, dict(hidden))


def merge_facts(facts: Iterable[LinkFact]) -> list[Edge]:
    """One edge per pair and direction, with one fact per role; what has no direction joins the edge that has one."""
    by_role: dict[tuple[str, str, str], LinkFact] = {}
    for fact in facts:
        key = (fact.source, fact.target, fact.role)
        by_role[key] = _merge_two(by_role[key], fact) if key in by_role else fact
    edges: defaultdict[tuple[str, str], list[LinkFact]] = defaultdict(list)
    for (source, target, role), fact in sorted(by_role.items(), key=lambda item: item[0][2] == LINKED):
        is_turned = role == LINKED and (target, source) in edges
        edges[(target, source) if is_turned else (source, target)].append(fact)
    return [
        Edge(
            source, target, tuple(sorted(facts, key=lambda fact: (not fact.is_current, not fact.is_certain, fact.role)))
        )
        for (source, target), facts in sorted(edges.items())
    ]


def _merge_two(one: LinkFact, other: LinkFact) -> LinkFact:
    """The same role told twice: the better evidence counts."""
    best = min(one, other, key=lambda fact: (not fact.is_certain, not fact.is_current))
    share = next((fact.share_pct for fact in (best, one, other) if fact.share_pct is not None), None)
    return replace(best, share_pct=share, is_complete=one.is_complete and other.is_complete)
