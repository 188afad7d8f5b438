"""The parts of the drawing as SVG: boxes of nodes, lines with arrows, text, and the legend."""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from markupsafe import Markup

from innspect.reports.link_graph.graph_layout import Point, Size
from innspect.reports.link_graph.link_graph import NodeKind
from innspect.reports.link_graph.text_width import text_width
from innspect.reports.style import STYLES, Drawing
from innspect.schemas.states import NEVER_ASKED

WIDTH_PX, TAB_PX, LINE_PX, PADDING_PX = 700, 20, 13, 5
NAME_PX, DETAIL_PX, SIGN_PX, DOUBLE_SIGN_PX = 11, 10, 12, 10
INK, SOFT, LINE, PAPER, VALUE_PAPER = "#17202b", "#55606d", "#7c8794", "#ffffff", "#f3f5f7"
ARROW_LENGTH_PX, ARROW_HALF_WIDTH_PX = 7.0, 3.2
LEGEND_GAP_PX, LEGEND_ROW_PX, LEGEND_LEFT_PX, SAMPLE = 14, 20, 4.0, (26, 16)
VALUES = (NodeKind.ADDRESS, NodeKind.PHONE, NodeKind.EMAIL)
RADIUS_PX = MappingProxyType({NodeKind.PERSON: 12, NodeKind.NAMED: 12, **dict.fromkeys(VALUES, 4)})
DOTTED, DASHED = Markup(' stroke-dasharray="1.5 3"'), Markup(' stroke-dasharray="5 3"')
DASHES: Mapping[str, Markup] = MappingProxyType(
    {"sure": Markup(), "former": Markup(' stroke-dasharray="6 4"'), "name_only": DOTTED}
)
"""How a link is drawn: sure, former or not confirmed, by name only."""
BOLD = Markup(' font-weight="bold"')

TextLine = tuple[str, int, str]
"""A line of text, its size in pixels, its colour."""
Sample = Callable[[Point], Markup]
"""Draws a sample of the legend at its upper left corner."""


def px(value: float) -> str:
    """A coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")


def text_lines(
    lines: Iterable[TextLine], left: float, top: float, anchor: str = "start", first_line: Markup | str = ""
) -> Markup:
    """Lines below one another; `first_line` are attributes of the first."""
    element = Markup('<text x="{}" y="{}" font-size="{}" fill="{}" text-anchor="{}"{}>{}</text>')
    return Markup().join(
        element.format(px(left), px(top + LINE_PX * row + 10), size, colour, anchor, "" if row else first_line, text)
        for row, (text, size, colour) in enumerate(lines)
    )


def arrow_head(curve: list[Point]) -> Markup:
    """The head at the end of a curve."""
    x, y = curve[-1]
    from_x, from_y = next(point for point in reversed(curve) if point != curve[-1])
    length = ((x - from_x) ** 2 + (y - from_y) ** 2) ** 0.5
    along_x, along_y = (x - from_x) / length, (y - from_y) / length
    base_x, base_y = x - ARROW_LENGTH_PX * along_x, y - ARROW_LENGTH_PX * along_y
    across_x, across_y = -ARROW_HALF_WIDTH_PX * along_y, ARROW_HALF_WIDTH_PX * along_x
    corners = [(x, y), (base_x + across_x, base_y + across_y), (base_x - across_x, base_y - across_y)]
    points = " ".join(f"{px(corner_x)},{px(corner_y)}" for corner_x, corner_y in corners)
    return Markup('<polygon points="{}" fill="{}"/>').format(points, LINE)


def curve_path(curve: list[Point], style: str) -> Markup:
    """A line of one of `DASHES` along cubic Bézier segments."""
    start, *rest = (f"{px(x)} {px(y)}" for x, y in curve)
    element = Markup('<path d="M{} C{}" fill="none" stroke="{}" stroke-width="1.3"{}/>')
    return element.format(start, " ".join(rest), LINE, DASHES[style])


def node_box(
    kind: NodeKind, level: str | None, corner: Point, size: Size, *, is_centre: bool = False, has_sign: bool = True
) -> Markup:
    """The box of a node: square for a company, round for a person; at its left the colour and sign of the level.

    Not checked is dotted, a level that is not known dashed.
    """
    left, top = corner
    style = STYLES[level or NEVER_ASKED]
    is_value, is_undetermined = kind in VALUES, style.drawing is Drawing.UNDETERMINED
    dashes = Markup() if is_value else DOTTED if level is None else DASHED if is_undetermined else Markup()
    box = Markup(
        '<rect x="{}" y="{}" width="{}" height="{}" rx="{}" fill="{}" stroke="{}" stroke-width="{}"{}/>'
    ).format(
        px(left), px(top), px(size[0]), px(size[1]), RADIUS_PX.get(kind, 0), VALUE_PAPER if is_value else PAPER,
        LINE if is_value else style.light, 3 if is_centre else 1.5, dashes,
    )  # fmt: skip
    if is_value or kind is NodeKind.NAMED or not has_sign:
        return box
    is_filled = style.drawing is Drawing.FILLED
    badge = Markup('<rect x="{}" y="{}" width="{}" height="16" rx="3" fill="{}"/>').format(
        px(left + 3), px(top + size[1] / 2 - 8), TAB_PX - 2, style.light if is_filled else PAPER
    )
    sign = Markup('<text x="{}" y="{}" font-size="{}" fill="{}" text-anchor="middle">{}</text>').format(
        px(left + 2 + TAB_PX / 2), px(top + size[1] / 2 + 4), DOUBLE_SIGN_PX if len(style.sign) > 1 else SIGN_PX,
        style.text_colour if is_filled else style.light, style.sign,
    )  # fmt: skip
    return box + badge + sign


def box_sample(kind: NodeKind, level: str | None, *, has_sign: bool = True) -> Sample:
    """A small box of a node."""
    return lambda corner: node_box(kind, level, corner, SAMPLE, has_sign=has_sign)


def line_sample(style: str) -> Sample:
    """A short line of a link."""
    element = Markup('<path d="M{} {}h{}" stroke="{}" stroke-width="1.3"{}/>')
    return lambda corner: element.format(px(corner[0]), px(corner[1] + 8), SAMPLE[0], LINE, DASHES[style])


def legend(entries: Iterable[tuple[Sample, str]]) -> tuple[Markup, float]:
    """Samples with their words, as many in a row as have room; and the height of all rows."""
    parts: list[Markup] = []
    left, top = LEGEND_LEFT_PX, 4.0
    for draw, words in entries:
        words_left = SAMPLE[0] + PADDING_PX
        width = words_left + text_width(words, DETAIL_PX)
        if left + width > WIDTH_PX:
            left, top = LEGEND_LEFT_PX, top + LEGEND_ROW_PX
        parts += [draw((left, top)), text_lines([(words, DETAIL_PX, INK)], left + words_left, top + 1)]
        left += width + LEGEND_GAP_PX
    return Markup().join(parts), top + LEGEND_ROW_PX
