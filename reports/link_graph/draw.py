"""Draw the people and companies around one INN as static SVG: the same bytes for the same data.

The drawing has its own colours on a white ground, 700 px width and no script, so it is the same on a page, in a PDF and
in dark mode. Levels differ by sign and colour, what is not checked by a dotted border, links by their line.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from markupsafe import Markup

from innspect.reports.i18n.catalog import Translations
from innspect.reports.level_text import level_text
from innspect.reports.link_graph import graph_svg as svg
from innspect.reports.link_graph.graph_layout import Box, LayoutEdge, Point, Size, lay_out
from innspect.reports.link_graph.link_facts import LinkFact
from innspect.reports.link_graph.link_graph import MAX_NODES, Edge, LinkNetwork, Node, NodeKind, read_link_network
from innspect.reports.link_graph.text_width import break_lines
from innspect.reports.style import LEVEL_ORDER
from innspect.warehouse.database import Warehouse
from innspect.warehouse.publish.reader import PublishedCopy

BOX_PX, LABEL_PX, LABEL_LINE_PX, LABEL_GAP_PX, MIN_WIDTH_PX = 164, 86, 12, 4, 640
MAX_NAME_LINES, MAX_DETAIL_LINES, MAX_LABEL_LINES = 2, 2, 4
BOLD_WIDTH, MAX_SHARE_DIGITS = 1.12, 2
LINE_WORDS = {"sure": "graph.line.sure", "former": "graph.line.former", "name_only": "links.namesake"}
LEGAL_FORMS = {
    "ОБЩЕСТВО С ОГРАНИЧЕННОЙ ОТВЕТСТВЕННОСТЬЮ": "ООО",
    "ПУБЛИЧНОЕ АКЦИОНЕРНОЕ ОБЩЕСТВО": "ПАО",
    "НЕПУБЛИЧНОЕ АКЦИОНЕРНОЕ ОБЩЕСТВО": "АО",
    "ЗАКРЫТОЕ АКЦИОНЕРНОЕ ОБЩЕСТВО": "ЗАО",
    "ОТКРЫТОЕ АКЦИОНЕРНОЕ ОБЩЕСТВО": "ОАО",
    "АКЦИОНЕРНОЕ ОБЩЕСТВО": "АО",
    "ИНДИВИДУАЛЬНЫЙ ПРЕДПРИНИМАТЕЛЬ": "ИП",
}
HIDDEN_WORDS = {
    NodeKind.COMPANY: "graph.hidden.company",
    NodeKind.PERSON: "graph.hidden.person",
    NodeKind.NAMED: "graph.hidden.named",
    NodeKind.ADDRESS: "graph.hidden.address",
    NodeKind.PHONE: "graph.hidden.phone",
    NodeKind.EMAIL: "graph.hidden.email",
}
PageAddress = Callable[[str], str | None]
"""The address of the page of an INN; None if it has none."""
SHEET_PX, SHEET_OVERLAP_PX = 900, 80
"""Height of what fits on a sheet of A4 below its title, and what two sheets share: more than the height of any box."""
FRAME = Markup(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 {top} {width} {height}" width="{width}" height="{height}" '
    'style="display:block;width:100%;min-width:{least}px;max-width:{width}px;height:auto" font-family="sans-serif" '
    'class="link-graph">{drawing}</svg>'
)
DRAWING = Markup(
    '<title>{title}</title><rect width="{width}" height="{height}" fill="{paper}"/>'
    '<g transform="translate({shift} 2)">{graph}</g><g transform="translate(0 {below})">{legend}</g>'
)


@dataclass(frozen=True, slots=True)
class LinkGraph:
    """The SVG, None where no link is known; sentences for below it; how many nodes are drawn and left out.

    `sheets`: the same drawing in parts for printing, one below the other, where it is taller than a page.
    """

    svg: Markup | None
    sheets: tuple[Markup, ...]
    remarks: tuple[str, ...]
    nodes: int
    hidden: int


def draw_link_graph(
    source: Warehouse | PublishedCopy,
    inn: str,
    t: Translations,
    *,
    link_to: PageAddress | None = None,
    max_nodes: int = MAX_NODES,
) -> LinkGraph:
    """The graph around an INN, to the distance of two; boxes of other INNs that were requested link to `link_to`.

    Raises WarehouseError if the copy lacks a mart.
    """
    return draw_network(read_link_network(source, inn, max_nodes), t, link_to=link_to)


def draw_network(network: LinkNetwork, t: Translations, *, link_to: PageAddress | None = None) -> LinkGraph:
    """The graph of a network."""
    frames = _frames(network, t, link_to) if network.edges else []
    svg = frames[0] if frames else None
    return LinkGraph(
        svg, tuple(frames[1:]), tuple(_remarks(network, t)), len(network.nodes), sum(network.hidden.values())
    )


def _remarks(network: LinkNetwork, t: Translations) -> Iterable[str]:
    if not network.edges:
        yield t("graph.none")
        return
    if network.hidden:
        kinds = (kind for kind in NodeKind if kind in network.hidden)
        counts = ", ".join(f"{t(HIDDEN_WORDS[kind])}: {t.number(network.hidden[kind])}" for kind in kinds)
        yield t("graph.hidden", hidden=t.number(sum(network.hidden.values())), kinds=counts)
    if not network.is_complete:
        yield t("graph.incomplete")
    if any(node.inn and node.level is None for node in network.nodes):
        yield t("graph.unchecked_note")


def _frames(network: LinkNetwork, t: Translations, link_to: PageAddress | None) -> list[Markup]:
    """The whole drawing, and its sheets if it has several."""
    drawing, height = _draw(network, t, link_to)

    def frame(top: float, height: float) -> Markup:
        return FRAME.format(
            top=svg.px(top), width=svg.WIDTH_PX, height=svg.px(height), least=MIN_WIDTH_PX, drawing=drawing
        )

    if height <= SHEET_PX:
        return [frame(0, height)]
    tops = range(0, ceil(height - SHEET_OVERLAP_PX), SHEET_PX - SHEET_OVERLAP_PX)
    return [frame(0, height), *(frame(top, min(SHEET_PX, height - top)) for top in tops)]


def _draw(network: LinkNetwork, t: Translations, link_to: PageAddress | None) -> tuple[Markup, float]:
    """The drawing with its legend, and its height."""
    nodes, edges = network.nodes, network.edges
    texts, labels = [_box_lines(node, t) for node in nodes], [_label_lines(edge, t) for edge in edges]
    layout = lay_out([_box_size(lines) for lines in texts], [node.depth for node in nodes], _ends(network, labels))
    names = {node.key: node.name or node.key for node in nodes}
    drawn_edges = zip(edges, layout.curves, layout.labels, labels, strict=True)
    parts = [_edge(*part, names, t) for part in drawn_edges]
    for node, box, lines in zip(nodes, layout.nodes, texts, strict=True):
        address = link_to(node.inn) if link_to and node.inn and node.depth and node.score else None
        parts.append(_node(node, box, lines, t, address))
    legend, legend_height = svg.legend(_legend_entries(network, t))
    below = layout.size[1] + svg.LINE_PX
    height = below + legend_height
    drawing = DRAWING.format(
        width=svg.WIDTH_PX,
        height=svg.px(height),
        title=t("graph.title", name=nodes[0].name or t("no_name"), inn=nodes[0].key),
        paper=svg.PAPER,
        shift=svg.px(max(0.0, (svg.WIDTH_PX - layout.size[0]) / 2)),
        graph=Markup().join(parts),
        below=svg.px(below),
        legend=legend,
    )
    return drawing, height


def _ends(network: LinkNetwork, labels: Sequence[Sequence[str]]) -> list[LayoutEdge]:
    """The edges by the positions of their nodes, with room for their labels."""
    position = {node.key: number for number, node in enumerate(network.nodes)}
    return [
        LayoutEdge(
            position[edge.source], position[edge.target], (LABEL_PX, max(1, len(lines)) * LABEL_LINE_PX + LABEL_GAP_PX)
        )
        for edge, lines in zip(network.edges, labels, strict=True)
    ]


def _box_lines(node: Node, t: Translations) -> list[svg.TextLine]:
    """The lines in the box of a node: its name, and its INN or what it is."""
    width = BOX_PX - 2 * svg.PADDING_PX - (0 if node.inn is None else svg.TAB_PX)
    name_px = svg.NAME_PX * (1 if node.depth else BOLD_WIDTH)
    name = break_lines(_short_form(node.name or t("no_name")), name_px, width, MAX_NAME_LINES)
    detail = node.inn or (t("graph.name_only") if node.kind is NodeKind.NAMED else t.label("kind", node.kind))
    details = break_lines(detail, svg.DETAIL_PX, width, MAX_DETAIL_LINES)
    return [
        *((line, svg.NAME_PX, svg.INK) for line in name),
        *((line, svg.DETAIL_PX, svg.SOFT) for line in details),
    ]


def _short_form(name: str) -> str:
    """The name with the usual abbreviation of its legal form."""
    for form, short in LEGAL_FORMS.items():
        if name.upper().startswith(form):
            return short + name[len(form) :]
    return name


def _box_size(lines: Sequence[svg.TextLine]) -> Size:
    return BOX_PX, len(lines) * svg.LINE_PX + 2 * svg.PADDING_PX - 2


def _label_lines(edge: Edge, t: Translations) -> list[str]:
    """The roles in lines; none at a value, whose box says what it is."""
    roles = [_role(fact, t) for fact in edge.facts if fact.role not in svg.VALUES]
    lines = [line for role in roles for line in break_lines(role, svg.DETAIL_PX, LABEL_PX, MAX_LABEL_LINES)]
    return lines if len(lines) <= MAX_LABEL_LINES else [*lines[: MAX_LABEL_LINES - 1], "…"]


def _role(fact: LinkFact, t: Translations) -> str:
    return " ".join(filter(None, [t.label("kind", fact.role), _share(fact, t)]))


def _share(fact: LinkFact, t: Translations) -> str:
    if fact.share_pct is None:
        return ""
    digits = next((digits for digits in (0, 1) if round(fact.share_pct, digits) == fact.share_pct), MAX_SHARE_DIGITS)
    return f"{t.number(fact.share_pct, digits)}%"


def _edge(
    edge: Edge, curve: list[Point], box: Box, lines: Sequence[str], names: dict[str, str], t: Translations
) -> Markup:
    roles = "; ".join(_fact_text(fact, t) for fact in edge.facts)
    title = f"{names[edge.source]} {'→' if edge.is_directed else '—'} {names[edge.target]}: {roles}"
    label = [(line, svg.DETAIL_PX, svg.SOFT) for line in lines]
    return Markup("<g><title>{}</title>{}{}{}</g>").format(
        title,
        svg.curve_path(curve, _line_style(edge)),
        svg.arrow_head(curve) if edge.is_directed else "",
        svg.text_lines(label, box.centre[0], box.corner[1] - 1, "middle"),
    )


def _line_style(edge: Edge) -> str:
    return "name_only" if not edge.is_certain else "sure" if edge.is_current else "former"


def _fact_text(fact: LinkFact, t: Translations) -> str:
    doubts = [t(LINE_WORDS["former"])] * (not fact.is_current) + [t(LINE_WORDS["name_only"])] * (not fact.is_certain)
    return _role(fact, t) + (f" ({', '.join(doubts)})" if doubts else "")


def _node(node: Node, box: Box, lines: Sequence[svg.TextLine], t: Translations, address: str | None) -> Markup:
    if node.kind is NodeKind.NAMED:
        known = t("graph.name_only")
    elif node.inn is None:
        known = t.label("kind", node.kind)
    else:
        known = level_text(node.score, t) if node.score else t("graph.unchecked")
    title = ", ".join(filter(None, [node.name or t("no_name"), node.inn, known]))
    is_centre = node.depth == 0
    shape = svg.node_box(node.kind, node.level, box.corner, box.size, is_centre=is_centre)
    left, top = box.corner
    left += svg.PADDING_PX + (0 if node.inn is None else svg.TAB_PX)
    text = svg.text_lines(lines, left, top + svg.PADDING_PX - 1, first_line=svg.BOLD if is_centre else "")
    drawn = Markup("<g><title>{}</title>{}{}</g>").format(title, shape, text)
    return drawn if address is None else Markup('<a href="{}">{}</a>').format(address, drawn)


def _legend_entries(network: LinkNetwork, t: Translations) -> Iterable[tuple[svg.Sample, str]]:
    """The signs, shapes and lines that occur, and what they mean."""
    levels = {node.level for node in network.nodes if node.inn is not None}
    kinds = {node.kind for node in network.nodes}
    styles = {_line_style(edge) for edge in network.edges}
    for level in LEVEL_ORDER:
        if level in levels:
            yield svg.box_sample(NodeKind.COMPANY, level), t.label("level", level)
    if None in levels:
        yield svg.box_sample(NodeKind.COMPANY, None), t("graph.unchecked")
    if NodeKind.PERSON in kinds:
        yield svg.box_sample(NodeKind.PERSON, None, has_sign=False), t("graph.person")
    if NodeKind.NAMED in kinds:
        yield svg.box_sample(NodeKind.NAMED, None), t("graph.name_only")
    for style in svg.DASHES:
        if style in styles:
            yield svg.line_sample(style), t(LINE_WORDS[style])
