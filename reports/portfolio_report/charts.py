"""Vega-Lite specifications of the charts. A legend in words next to each chart explains its colours and patterns."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from innspect.reports.portfolio_report.svg import INK, PAPER, SOFT
from innspect.reports.style import COVERAGE_GROUPS, LEVELS, SPEND, fill

Row = Mapping[str, Any]
Spec = dict[str, Any]


def _colour(names: Sequence[str], column: str) -> Spec:
    scale = {"domain": list(names), "range": [fill(name) for name in names]}
    return {"field": column, "type": "nominal", "scale": scale, "legend": None}


def _data(rows: Sequence[Row]) -> Spec:
    return {"values": [dict(row) for row in rows]}


def _with_rank(rows: Sequence[Row], column: str, names: Sequence[str]) -> list[Spec]:
    return [{**row, "rank": list(names).index(row[column])} for row in rows]


def _nominal(column: str, **channel: Any) -> Spec:
    return {"field": column, "type": "nominal", **channel}


def _quantity(column: str, **channel: Any) -> Spec:
    return {"field": column, "type": "quantitative", **channel}


def _whole_number_axis(rows: Sequence[Row], bar: str, part: str, separator: str) -> Spec:
    """Whole numbers in the notation of the language: `separator` between thousands.

    A row is a part of a bar, of the length `part`. With more ticks than the longest bar is long, ticks would be
    fractions, which are rounded: 0, 1, 1, 2, 2.
    """
    lengths = Counter[Any]()
    for row in rows:
        lengths[row[bar]] += row[part]
    ticks = max(1, min(4, int(max(lengths.values(), default=0))))
    return {"tickCount": ticks, "labelExpr": f"replace(datum.label, /,/g, '{separator}')", "format": ",.0f"}


QUARTERS = [0, 0.25, 0.5, 0.75, 1]
TOOLTIP = _nominal("tooltip")
RANK = {"field": "rank", "type": "ordinal"}


def bars(rows: Sequence[Row], title: str) -> Spec:
    """Bars with their values: rows of `label`, `value`, `text`, `code` (of STYLES), `tooltip`, in order."""
    names = list(dict.fromkeys(str(row["code"]) for row in rows))
    largest = max((row["value"] for row in rows), default=0) or 1
    labels = _nominal("label", sort=[row["label"] for row in rows], title=None, axis={"ticks": False, "domain": False})
    values = _quantity("value", axis=None, scale={"domain": [0, largest * 1.22]}, title=title)
    at = {"x": values, "y": labels}
    return {
        "data": _data(rows),
        "height": 30 * len(rows),
        "layer": [
            {
                "mark": {"type": "bar", "size": 18},
                "encoding": {**at, "color": _colour(names, "code"), "description": TOOLTIP},
            },
            {
                "mark": {"type": "text", "color": INK, "aria": False, "align": "left", "dx": 6},
                "encoding": {**at, "text": _nominal("text")},
            },
        ],
    }


def coverage(rows: Sequence[Row], order: Sequence[str], title: str, percent: Callable[[float], str]) -> Spec:
    """Shares stacked to one: rows of `label`, `group` (of COVERAGE_GROUPS), `share`, `tooltip`.

    `percent` is the notation of the language.
    """
    labels = ", ".join(f"'{share}': '{percent(share)}'" for share in QUARTERS)
    return {
        "data": _data(_with_rank(rows, "group", COVERAGE_GROUPS)),
        "height": 20 * len(order),
        "mark": {"type": "bar", "size": 13},
        "encoding": {
            "x": _quantity(
                "share",
                stack="zero",
                title=title,
                scale={"domain": [0, 1], "nice": False},
                axis={"values": QUARTERS, "labelExpr": f"({{{labels}}})[toString(datum.value)]", "grid": True},
            ),
            "y": _nominal(
                "label", sort=list(order), title=None, axis={"ticks": False, "domain": False, "labelLimit": 190}
            ),
            "color": _colour(COVERAGE_GROUPS, "group"),
            "order": RANK,
            "description": TOOLTIP,
        },
    }


def spend(rows: Sequence[Row], order: Sequence[str], title: str, separator: str) -> Spec:
    """Roubles by method: rows of `method`, `kind` (of SPEND), `rub`, `tooltip`. `separator` is between thousands."""
    return {
        "data": _data(_with_rank(rows, "kind", SPEND)),
        "height": 24 * len(order),
        "mark": {"type": "bar", "size": 15},
        "encoding": {
            "x": _quantity("rub", stack="zero", title=title, axis=_whole_number_axis(rows, "method", "rub", separator)),
            "y": _nominal("method", sort=list(order), title=None, axis={"ticks": False, "domain": False}),
            "color": _colour(SPEND, "kind"),
            "order": RANK,
            "description": TOOLTIP,
        },
    }


def yearly_counts(
    rows: Sequence[Row], names: Sequence[str], years: tuple[int, int], title: str, separator: str
) -> Spec:
    """Counts by year: rows of `year`, `kind` (of `names`), `count`, `tooltip`; years without rows stay empty.

    `years` are the first and the last; `separator` is between thousands.
    """
    order = [str(year) for year in range(years[0], years[1] + 1)]
    axis = _whole_number_axis(rows, "year", "count", separator)
    return {
        "data": _data(_with_rank(rows, "kind", names)),
        "height": 220,
        "mark": "bar",
        "encoding": {
            "x": _nominal(
                "year",
                title=None,
                scale={"domain": order, "paddingInner": 0.3},
                axis={"labelAngle": 0, "ticks": False},
            ),
            "y": _quantity("count", stack="zero", title=title, axis=axis),
            "color": _colour(names, "kind"),
            "order": RANK,
            "description": TOOLTIP,
        },
    }


def debt(
    points: Sequence[Row], cells: Sequence[Row], titles: tuple[str, str], ends: Row, powers: Mapping[int, str]
) -> Spec:
    """Revenue and debt on log scales: points of `revenue`, `debt`, `level`, `tooltip`.

    Cells (`x`, `x2`, `y`, `y2`, `opacity`, `tooltip`) show counterparties that are not drawn as points. `ends`
    (`x`, `x2`, `y`, `y2`) bound the axes; `powers` are the labels of the powers of ten.
    """
    labels = ", ".join(f"'{exponent}': '{text}'" for exponent, text in powers.items())
    expression = f"({{{labels}}})[toString(round(log(datum.value) / LN10))]"
    ticks = {"values": [10.0**exponent for exponent in powers], "labelExpr": expression, "grid": True}
    at_x, at_y = (
        {"scale": {"type": "log", "domain": [ends[axis], ends[f"{axis}2"]], "nice": False}, "title": title}
        | {"axis": ticks}
        for axis, title in zip("xy", titles, strict=True)
    )
    low, high = max(ends["x"], ends["y"]), min(ends["x2"], ends["y2"])
    diagonal = [{"x": low, "y": low, "x2": high, "y2": high}] if low < high else []
    area: Spec = {
        "x": _quantity("x", **at_x),
        "y": _quantity("y", **at_y),
        "x2": {"field": "x2"},
        "y2": {"field": "y2"},
    }
    return {
        "height": 320,
        "layer": [
            {
                "data": _data(cells),
                "mark": {"type": "rect", "fill": "var(--found)"},
                "encoding": {
                    **area,
                    "opacity": _quantity("opacity", scale=None, legend=None),
                    "description": TOOLTIP,
                },
            },
            {
                "data": _data(diagonal),
                "mark": {"type": "rule", "color": SOFT, "strokeDash": [5, 4], "aria": False},
                "encoding": area,
            },
            {
                "data": _data(points),
                "mark": {"type": "circle", "size": 75, "opacity": 0.85, "stroke": PAPER, "strokeWidth": 1},
                "encoding": {
                    "x": _quantity("revenue", **at_x),
                    "y": _quantity("debt", **at_y),
                    "color": _colour(LEVELS, "level"),
                    "description": TOOLTIP,
                },
            },
        ],
    }


def network(nodes: Sequence[Row], edges: Sequence[Row], height: int) -> Spec:
    """Groups (in pixels): nodes of `x`, `y`, `number`, `level`, `tooltip`; edges of `x`, `y`, `x2`, `y2`, `tooltip`."""
    at = {axis: _quantity(axis, scale=None, axis=None) for axis in "xy"}
    dots = _data(nodes)
    return {
        "height": height,
        "layer": [
            {
                "data": _data(edges),
                "mark": {"type": "rule", "color": SOFT, "strokeWidth": 1.5, "opacity": 0.6},
                "encoding": {**at, "x2": {"field": "x2"}, "y2": {"field": "y2"}, "description": TOOLTIP},
            },
            {
                "data": dots,
                "mark": {"type": "circle", "size": 420, "fill": PAPER, "opacity": 1, "aria": False},
                "encoding": at,
            },
            # The level is a ring, so that the number in it has plain paper behind it.
            {
                "data": dots,
                "mark": {"type": "point", "shape": "circle", "size": 420, "strokeWidth": 6, "opacity": 1},
                "encoding": {**at, "color": _colour(LEVELS, "level"), "description": TOOLTIP},
            },
            {
                "data": dots,
                "mark": {"type": "text", "color": INK, "fontWeight": "bold", "fontSize": 12, "aria": False},
                "encoding": {**at, "text": _nominal("number")},
            },
        ],
    }
