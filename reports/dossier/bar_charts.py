"""The charts of a dossier as plain SVG: no script, no style of its own, the same in a browser and in the PDF."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

WIDTH, HEIGHT = 520, 210
LEFT, TOP, BOTTOM = 74, 10, 24
INK, LINE, SOFT = "#17202b", "#d9e0e7", "#566373"
FONT_SIZE = 11
MAX_YEARS = 12
TICKS = 4


@dataclass(frozen=True, slots=True)
class Series:
    """Values by year under one label; a year without a value is not known and stays empty."""

    label: str
    colour: str
    values: Mapping[int, float]


def grouped_bars(series: Sequence[Series], title: str, label: Callable[[float], str]) -> Markup:
    """Bars side by side, above and below zero, by year; empty without values."""
    years = shown_years(series)
    if not years:
        return Markup()
    values = [value for one in series for value in one.values.values()]
    low, high = min(0.0, *values), max(0.0, *values)
    scale = _Scale(low, high)
    slot = (WIDTH - LEFT) / len(years)
    bar = min(22.0, slot * 0.8 / len(series))
    marks: list[Markup] = []
    for place, year in enumerate(years):
        start = LEFT + slot * place + (slot - bar * len(series)) / 2
        for number, one in enumerate(series):
            if (value := one.values.get(year)) is not None:
                text = f"{one.label}, {year}: {label(value)}"
                marks.append(_bar(start + bar * number, bar * 0.9, scale.at(0), scale.at(value), one.colour, text))
    return _chart(title, [*_grid(scale, label), *marks, *_year_labels(years, slot)])


def stacked_bars(series: Sequence[Series], title: str, label: Callable[[float], str]) -> Markup:
    """Counts stacked by year; empty without values."""
    years = shown_years(series)
    if not years:
        return Markup()
    totals = [sum(one.values.get(year, 0) for one in series) for year in years]
    scale = _Scale(0.0, max(totals))
    slot = (WIDTH - LEFT) / len(years)
    width = min(34.0, slot * 0.7)
    marks: list[Markup] = []
    for place, year in enumerate(years):
        below = 0.0
        for one in series:
            if value := one.values.get(year):
                left = LEFT + slot * place + (slot - width) / 2
                text = f"{one.label}, {year}: {label(value)}"
                marks.append(_bar(left, width, scale.at(below), scale.at(below + value), one.colour, text))
                below += value
    return _chart(title, [*_grid(scale, label), *marks, *_year_labels(years, slot)])


def legend(series: Sequence[Series]) -> Markup:
    """The legend of a chart, as a list."""
    item = Markup(
        '<li><svg class="key" viewBox="0 0 12 12"><rect width="12" height="12" fill="{}"/></svg><span>{}</span></li>'
    )
    items = Markup("").join(item.format(one.colour, one.label) for one in series if one.values)
    return Markup('<ul class="legend">{}</ul>').format(items)


class _Scale:
    """From a value to a height in the drawing, with round ticks."""

    def __init__(self, low: float, high: float) -> None:
        step = _round_step(max(high - low, 1e-9) / TICKS)
        self.ticks = [step * number for number in range(_floor(low / step), -_floor(-high / step) + 1)]
        self.low, self.high = self.ticks[0], self.ticks[-1]

    def at(self, value: float) -> float:
        """Distance from the top."""
        return TOP + (HEIGHT - TOP - BOTTOM) * (self.high - value) / ((self.high - self.low) or 1)


def _floor(value: float) -> int:
    return int(value // 1)


def _round_step(rough: float) -> float:
    """1, 2 or 5 times a power of ten, and at least the rough step; counts have whole steps."""
    power = 1.0
    while power * 10 <= rough:
        power *= 10
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)


def shown_years(series: Sequence[Series]) -> list[int]:
    """The years from the first to the last value, the last `MAX_YEARS` of them."""
    found = {year for one in series for year in one.values}
    return list(range(max(min(found), max(found) - MAX_YEARS + 1), max(found) + 1)) if found else []


def _bar(left: float, width: float, start: float, end: float, colour: str, text: str) -> Markup:
    top, height = min(start, end), max(abs(start - end), 0.6)
    return Markup('<rect x="{}" y="{}" width="{}" height="{}" fill="{}"><title>{}</title></rect>').format(
        f"{left:.1f}", f"{top:.1f}", f"{width:.1f}", f"{height:.1f}", colour, text
    )


def _grid(scale: _Scale, label: Callable[[float], str]) -> list[Markup]:
    parts: list[Markup] = []
    for tick in scale.ticks:
        height = scale.at(tick)
        colour = SOFT if tick == 0 else LINE
        parts.append(
            Markup('<line x1="{}" x2="{}" y1="{}" y2="{}" stroke="{}" stroke-width="1"/>').format(
                LEFT, WIDTH, f"{height:.1f}", f"{height:.1f}", colour
            )
        )
        parts.append(_text(LEFT - 6, height + 4, label(tick), "end"))
    return parts


def _year_labels(years: Sequence[int], slot: float) -> list[Markup]:
    return [_text(LEFT + slot * (n + 0.5), HEIGHT - 7, str(year), "middle") for n, year in enumerate(years)]


def _text(left: float, height: float, text: str, anchor: str) -> Markup:
    return Markup('<text x="{}" y="{}" text-anchor="{}" font-size="{}" fill="{}">{}</text>').format(
        f"{left:.1f}", f"{height:.1f}", anchor, FONT_SIZE, SOFT, text
    )


def _chart(title: str, parts: Sequence[Markup]) -> Markup:
    opening = Markup('<svg class="chart" role="img" aria-label="{}" viewBox="0 0 {} {}">').format(
        escape(title), WIDTH, HEIGHT
    )
    return opening + Markup("").join(parts) + Markup("</svg>")
