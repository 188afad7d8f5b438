"""From a chart of Altair's to a picture in the page: SVG without script, whose colours are the page's own.

The picture carries no scale of its own: it takes the width of its column and the fonts and colours of the page, so
one drawing serves a desktop, a phone, paper and a dark screen. What Altair calls a mark's description becomes its
`<title>`, which a browser shows where the pointer rests.
"""

import re
from typing import Any

import altair as alt
import vl_convert
from markupsafe import Markup

from innspect.reports.style import INK, LINE, SOFT

WIDTH = 430
"""Of a drawing; its column is at most a quarter wider, and a phone's a fifth narrower."""
CONFIG: dict[str, Any] = {
    "background": None,
    "font": "sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": SOFT, "titleColor": SOFT, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal",
        "domainColor": LINE, "tickColor": LINE, "gridColor": LINE, "labelLimit": 170, "labelPadding": 5,
    },
    "text": {"fontSize": 12, "color": INK},
}  # fmt: skip

OPENING = re.compile(r'^<svg [^>]*?viewBox="([^"]*)"[^>]*>')
MARK = re.compile(r'<(path|text|line) aria-label="([^"]*)"((?: [\w-]+="[^"]*")*)(?:/>|>([^<]*)</\1>)')
NOISE = re.compile(r' (?:aria-[\w-]+|role|pointer-events)="[^"]*"| opacity="1"| display="none"')
EMPTY = re.compile(r'<path class="(?:background|foreground)"[^>]*/>')
FONT = re.compile(r' font-family="[^"]*"')


def drawn(chart: alt.TopLevelMixin, told: str) -> Markup:
    """The picture of a chart; `told` says what it shows to whoever cannot see it."""
    spec: dict[str, Any] = chart.to_dict()
    spec |= {"config": CONFIG, "width": WIDTH, "autosize": {"type": "fit-x", "contains": "padding"}}
    svg: str = vl_convert.vegalite_to_svg(spec)
    svg = EMPTY.sub("", svg)
    svg = MARK.sub(r"<\1\3><title>\2</title>\4</\1>", svg)
    svg = FONT.sub("", NOISE.sub("", svg))
    box = OPENING.match(svg)
    assert box is not None
    opening = Markup('<svg role="img" aria-label="{}" viewBox="{}">').format(told, box[1])
    return opening + Markup(svg[box.end() :])  # noqa: S704 (Vega escapes what it draws)
