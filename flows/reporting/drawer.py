"""Who draws the pictures of a page: what the page before shows already, of the same rows and words, is not drawn again.

Each picture carries the hash of what it was drawn of, and of its own text, so that nothing else is taken for it.
Altair and Vega are loaded where there is something to draw.
"""

import json
import re
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from markupsafe import Markup

DRAWN = re.compile(r'<svg data-drawing="(\w+)-(\w+)"(.*?</svg>)', re.DOTALL)
LIBRARIES = ("altair", "vl-convert-python")
SOURCES = ("charts", "drawing", "marks")
LENGTH = 32

Draw = Callable[..., Markup]
"""Draws the chart of a name in `flows.reporting.charts`, of its arguments; the second word says what it shows."""


class Drawer:
    """Draws charts, unless `before`, the page that this one replaces, has them."""

    def __init__(self, before: str = "") -> None:
        found = DRAWN.findall(before)
        self._known = {name: rest for name, text, rest in found if text == _hash(rest)}

    def __call__(self, chart: str, told: str, *arguments: Any, **named: Any) -> Markup:
        """The picture of a chart; `told` says what it shows to whoever cannot see it."""
        name = _hash(json.dumps([made_with(), chart, told, arguments, named], ensure_ascii=False))
        rest = self._known.get(name)
        if rest is None:
            # Altair and what it draws with take a second to load.
            from flows.reporting import charts, drawing  # noqa: PLC0415

            rest = drawing.drawn(getattr(charts, chart)(*arguments, **named), told).removeprefix("<svg")
        return Markup('<svg data-drawing="{}-{}"').format(name, _hash(rest)) + Markup(rest)  # noqa: S704


@cache
def made_with() -> str:
    """The libraries and the code that draw: what others have drawn is drawn anew."""
    code = b"".join(files("flows.reporting").joinpath(f"{name}.py").read_bytes() for name in SOURCES)
    return " ".join([*map(version, LIBRARIES), sha256(code).hexdigest()])


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:LENGTH]
