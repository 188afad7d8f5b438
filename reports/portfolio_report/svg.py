"""From a chart to inline SVG without script.

The SVG has no colours and fonts of its own but those of the page (CSS variables) and the width of its column, so one
drawing serves desktop, phone, print and dark mode. The description of a mark becomes its `<title>` (tooltip).
"""

import re
from typing import Any

from markupsafe import Markup

from innspect.reports.portfolio_report.vega_process import Renderer

INK, SOFT, LINE, PAPER = "var(--ink)", "var(--soft)", "var(--line)", "var(--paper)"
WIDTH_PX = 430
CONFIG: dict[str, Any] = {
    "background": None,
    "font": "sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": SOFT, "titleColor": SOFT, "labelFontSize": 13, "titleFontSize": 13, "titleFontWeight": "normal",
        "domainColor": LINE, "tickColor": LINE, "gridColor": LINE, "labelLimit": 170, "labelPadding": 5,
    },
    "text": {"fontSize": 13, "color": INK},
}  # fmt: skip

OPENING_TAG = re.compile(r'^<svg [^>]*?viewBox="([^"]*)"[^>]*>')
DESCRIBED_MARK = re.compile(r'<(path|text|line) aria-label="([^"]*)"((?: [\w-]+="[^"]*")*)(?:/>|>([^<]*)</\1>)')
NEEDLESS_ATTRIBUTE = re.compile(r' (?:aria-[\w-]+|role|pointer-events)="[^"]*"| opacity="1"| display="none"')
EMPTY_PATH = re.compile(r'<path class="(?:background|foreground)"[^>]*/>')
FONT_FAMILY = re.compile(r' font-family="[^"]*"')


def render_svg(chart: dict[str, Any], label: str, render: Renderer) -> Markup:
    """The SVG of a Vega-Lite specification; `label` names it for screen readers."""
    layout = {"config": CONFIG, "width": WIDTH_PX, "autosize": {"type": "fit-x", "contains": "padding"}}
    svg = render({**chart, **layout})
    svg = EMPTY_PATH.sub("", svg)
    svg = DESCRIBED_MARK.sub(r"<\1\3><title>\2</title>\4</\1>", svg)
    svg = FONT_FAMILY.sub("", NEEDLESS_ATTRIBUTE.sub("", svg))
    opening = OPENING_TAG.match(svg)
    assert opening is not None
    tag = Markup('<svg role="img" aria-label="{}" viewBox="{}">').format(label, opening[1])
    return tag + Markup(svg[opening.end() :])  # noqa: S704 (Vega escapes text)
