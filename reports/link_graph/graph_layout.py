"""Where nodes, edges and labels of a graph are drawn: the layered layout `dot` of Graphviz, in pixels.

Each distance from the centre is a column. Boxes have the sizes that they are given; no box or label overlaps another.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

Point = tuple[float, float]
Size = tuple[float, float]

NODE_GAP_PX, COLUMN_GAP_PX = 8, 8
POINTS_PER_INCH = 72
ONE_LAYOUT_AT_A_TIME = Lock()
"""Graphviz keeps state in global variables, and the dashboard lays out graphs in several threads."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle around a point."""

    centre: Point
    size: Size

    @property
    def corner(self) -> Point:
        """The upper left corner."""
        return self.centre[0] - self.size[0] / 2, self.centre[1] - self.size[1] / 2


@dataclass(frozen=True, slots=True)
class LayoutEdge:
    """An edge to lay out, by the positions of its ends in the list of nodes, and the size of its label."""

    first: int
    second: int
    label: Size


@dataclass(frozen=True, slots=True)
class GraphLayout:
    """Boxes of nodes, cubic Bézier curves of edges (a start, then three points per segment), boxes of labels; size."""

    nodes: list[Box]
    curves: list[list[Point]]
    labels: list[Box]
    size: Size


def lay_out(sizes: Sequence[Size], columns: Sequence[int], edges: Sequence[LayoutEdge]) -> GraphLayout:
    """The layout of nodes with these sizes in these columns."""
    import pygraphviz  # noqa: PLC0415 (loads shared libraries, which only this function needs)

    with ONE_LAYOUT_AT_A_TIME:
        graph = pygraphviz.AGraph(directed=True, strict=False)
        gaps = {"nodesep": _inches(NODE_GAP_PX), "ranksep": _inches(COLUMN_GAP_PX)}
        graph.graph_attr.update(rankdir="LR", dpi=POINTS_PER_INCH, **gaps)
        graph.node_attr.update(shape="box", fixedsize="true", label="")
        graph.edge_attr.update(dir="none")
        for column in sorted(set(columns)):
            members = [number for number, own in enumerate(columns) if own == column]
            for number in members:
                graph.add_node(number, width=_inches(sizes[number][0]), height=_inches(sizes[number][1]))
            graph.add_subgraph(members, rank="same")
        for number, edge in enumerate(edges):
            # Within a column an edge must not move its ends apart.
            is_flat = columns[edge.first] == columns[edge.second]
            ports = {"constraint": "false", "tailport": "w"} if is_flat else {"tailport": "e"}
            ends = sorted((edge.first, edge.second), key=lambda end: (columns[end], end))
            graph.add_edge(*ends, key=number, label=_blank(edge.label), headport="w", **ports)
        graph.layout("dot")
        return _read_layout(graph, sizes, edges)


def _inches(pixels: float) -> str:
    return f"{pixels / POINTS_PER_INCH:.4f}"


def _blank(size: Size) -> str:
    """An empty label of that size: text would be measured with the fonts of this machine."""
    return (
        '<<TABLE BORDER="0" CELLBORDER="0" CELLPADDING="0" CELLSPACING="0" FIXEDSIZE="TRUE" '
        f'WIDTH="{size[0]:.0f}" HEIGHT="{size[1]:.0f}"><TR><TD></TD></TR></TABLE>>'
    )


def _read_layout(graph: Any, sizes: Sequence[Size], edges: Sequence[LayoutEdge]) -> GraphLayout:
    """The positions that Graphviz wrote into its graph, whose y axis points up."""
    _, _, width, height = map(float, graph.graph_attr["bb"].split(","))

    def point(text: str) -> Point:
        x, y = text.split(",")
        return round(float(x), 1), round(height - float(y), 1)

    found: Mapping[int, Any] = {int(edge.name): edge for edge in graph.edges_iter(keys=False)}
    curves: list[list[Point]] = []
    labels: list[Box] = []
    for number, edge in enumerate(edges):
        attributes = found[number].attr
        curve = [point(part) for part in attributes["pos"].split()]
        start = Box(point(graph.get_node(edge.first).attr["pos"]), sizes[edge.first])
        curves.append(curve if _is_nearer(start.centre, curve) else curve[::-1])
        labels.append(Box(point(attributes["lp"]), edge.label))
    nodes = [Box(point(graph.get_node(number).attr["pos"]), size) for number, size in enumerate(sizes)]
    return GraphLayout(nodes, curves, labels, (width, height))


def _is_nearer(centre: Point, curve: Sequence[Point]) -> bool:
    """Whether the curve begins at the node of this centre."""
    first, last = (abs(centre[0] - end[0]) + abs(centre[1] - end[1]) for end in (curve[0], curve[-1]))
    return first <= last
