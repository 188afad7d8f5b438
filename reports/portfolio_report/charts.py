"""Altair charts of the report. A legend in words next to each chart explains its colours and patterns."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import altair as alt

from innspect.reports.portfolio_report.svg import INK, LINE, PAPER, SOFT
from innspect.reports.style import COVERAGE_GROUPS, LEVELS, SPEND, fill

Row = Mapping[str, Any]


def _colour(names: Sequence[str], column: str) -> alt.Color:
    scale = alt.Scale(domain=list(names), range=[fill(name) for name in names])
    return alt.Color(f"{column}:N", scale=scale, legend=None)


def _data(rows: Sequence[Row]) -> alt.Data:
    return alt.Data(values=cast("Any", [dict(row) for row in rows]))


def _with_rank(rows: Sequence[Row], column: str, names: Sequence[str]) -> list[dict[str, Any]]:
    return [{**row, "rank": list(names).index(row[column])} for row in rows]


def _whole_number_axis() -> alt.Axis:
    """Whole numbers with thousands separated by a space in both languages."""
    return alt.Axis(tickCount=4, tickMinStep=1, labelExpr="replace(datum.label, /,/g, ' ')", format=",.0f")


def bars(rows: Sequence[Row], title: str, *, vertical: bool = False) -> alt.TopLevelMixin:
    """Bars with their values: rows of `label`, `value`, `text`, `code` (of STYLES), `tooltip`, in order."""
    names = list(dict.fromkeys(str(row["code"]) for row in rows))
    order = [row["label"] for row in rows]
    base = alt.Chart(_data(rows))
    largest = max((row["value"] for row in rows), default=0) or 1
    value: dict[str, Any] = {"scale": alt.Scale(domain=[0, largest * (1.1 if vertical else 1.22)]), "title": title}
    if vertical:
        # One line per word of a label.
        axis = alt.Axis(labelAngle=0, ticks=False, labelOverlap=False, labelExpr="split(datum.label, ' ')")
        labels = alt.X("label:N", sort=order, title=None, axis=axis)
        values = alt.Y("value:Q", axis=None, **value)
        base, offset = base.properties(height=220), (0, -8)
    else:
        labels = alt.Y("label:N", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False))
        values = alt.X("value:Q", axis=None, **value)
        base = base.properties(height=30 * len(rows))
        offset = (6, 0)
    at: dict[str, Any] = {"x": labels, "y": values} if vertical else {"x": values, "y": labels}
    align = "center" if vertical else "left"
    rectangles = base.mark_bar(size=36 if vertical else 18).encode(
        **at, color=_colour(names, "code"), description="tooltip:N"
    )
    return alt.layer(
        rectangles,
        base.mark_text(align=align, dx=offset[0], dy=offset[1], color=INK, aria=False).encode(**at, text="text:N"),
    )


def coverage(rows: Sequence[Row], order: Sequence[str], title: str) -> alt.TopLevelMixin:
    """Shares stacked to one: rows of `label`, `group` (of COVERAGE_GROUPS), `share`, `tooltip`."""
    return (
        alt.Chart(_data(_with_rank(rows, "group", COVERAGE_GROUPS)))
        .mark_bar(size=13)
        .encode(
            x=alt.X(
                "share:Q",
                stack="zero",
                title=title,
                scale=alt.Scale(domain=[0, 1], nice=False),
                axis=alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1], grid=True),
            ),
            y=alt.Y("label:N", sort=list(order), title=None, axis=alt.Axis(ticks=False, domain=False, labelLimit=190)),
            color=_colour(COVERAGE_GROUPS, "group"),
            order="rank:O",
            description="tooltip:N",
        )
        .properties(height=20 * len(order))
    )


def spend(rows: Sequence[Row], order: Sequence[str], title: str) -> alt.TopLevelMixin:
    """Roubles by method: rows of `method`, `kind` (of SPEND), `rub`, `tooltip`."""
    return (
        alt.Chart(_data(_with_rank(rows, "kind", SPEND)))
        .mark_bar(size=15)
        .encode(
            x=alt.X("rub:Q", stack="zero", title=title, axis=_whole_number_axis()),
            y=alt.Y("method:N", sort=list(order), title=None, axis=alt.Axis(ticks=False, domain=False)),
            color=_colour(SPEND, "kind"),
            order="rank:O",
            description="tooltip:N",
        )
        .properties(height=24 * len(order))
    )


def yearly_counts(rows: Sequence[Row], names: Sequence[str], first: int, last: int, title: str) -> alt.TopLevelMixin:
    """Counts by year: rows of `year`, `kind` (of `names`), `count`, `tooltip`; years without rows stay empty."""
    order = [str(year) for year in range(first, last + 1)]
    return (
        alt.Chart(_data(_with_rank(rows, "kind", names)))
        .mark_bar()
        .encode(
            x=alt.X(
                "year:N",
                title=None,
                scale=alt.Scale(domain=order, paddingInner=0.3),
                axis=alt.Axis(labelAngle=0, ticks=False),
            ),
            y=alt.Y("count:Q", stack="zero", title=title, axis=_whole_number_axis()),
            color=_colour(names, "kind"),
            order="rank:O",
            description="tooltip:N",
        )
        .properties(height=220)
    )


def debt(
    points: Sequence[Row], cells: Sequence[Row], titles: tuple[str, str], ends: Row, powers: Mapping[int, str]
) -> alt.TopLevelMixin:
    """Revenue and debt on log scales: points of `revenue`, `debt`, `level`, `tooltip`.

    Cells (`x`, `x2`, `y`, `y2`, `opacity`, `tooltip`) show counterparties that are not drawn as points. `ends`
    (`x`, `x2`, `y`, `y2`) bound the axes; `powers` are the labels of the powers of ten.
    """
    labels = ", ".join(f"'{exponent}': '{text}'" for exponent, text in powers.items())
    expression = f"({{{labels}}})[toString(round(log(datum.value) / LN10))]"
    ticks = alt.Axis(values=[10.0**exponent for exponent in powers], labelExpr=expression, grid=True)
    scale_x = alt.Scale(type="log", domain=[ends["x"], ends["x2"]], nice=False)
    scale_y = alt.Scale(type="log", domain=[ends["y"], ends["y2"]], nice=False)
    at_x: dict[str, Any] = {"scale": scale_x, "title": titles[0], "axis": ticks}
    at_y: dict[str, Any] = {"scale": scale_y, "title": titles[1], "axis": ticks}
    low, high = max(ends["x"], ends["y"]), min(ends["x2"], ends["y2"])
    diagonal = [{"x": low, "y": low, "x2": high, "y2": high}] if low < high else []
    layers: list[alt.Chart] = [
        alt.Chart(_data(cells))
        .mark_rect(fill="var(--found)")
        .encode(
            x=alt.X("x:Q", **at_x),
            x2="x2:Q",
            y=alt.Y("y:Q", **at_y),
            y2="y2:Q",
            opacity=alt.Opacity("opacity:Q", scale=None, legend=None),
            description="tooltip:N",
        ),
        alt.Chart(_data(diagonal))
        .mark_rule(color=SOFT, strokeDash=[5, 4], aria=False)
        .encode(x=alt.X("x:Q", **at_x), y=alt.Y("y:Q", **at_y), x2="x2:Q", y2="y2:Q"),
        alt.Chart(_data(points))
        .mark_circle(size=75, opacity=0.85, stroke=PAPER, strokeWidth=1)
        .encode(
            x=alt.X("revenue:Q", **at_x),
            y=alt.Y("debt:Q", **at_y),
            color=_colour(LEVELS, "level"),
            description="tooltip:N",
        ),
    ]
    return alt.layer(*layers).properties(height=320)


def network(nodes: Sequence[Row], edges: Sequence[Row], height: int) -> alt.TopLevelMixin:
    """Groups (in pixels): nodes of `x`, `y`, `number`, `level`, `tooltip`; edges of `x`, `y`, `x2`, `y2`, `tooltip`."""
    plane: dict[str, Any] = {"scale": None, "axis": None}
    lines = alt.Chart(_data(edges)).mark_rule(color=SOFT, strokeWidth=1.5, opacity=0.6)
    dots = alt.Chart(_data(nodes))
    at: dict[str, Any] = {"x": alt.X("x:Q", **plane), "y": alt.Y("y:Q", **plane)}
    return alt.layer(
        lines.encode(**at, x2="x2:Q", y2="y2:Q", description="tooltip:N"),
        dots.mark_circle(size=420, fill=PAPER, opacity=1, aria=False).encode(**at),
        dots.mark_circle(size=420, opacity=1, stroke=LINE).encode(
            **at, color=_colour(LEVELS, "level"), description="tooltip:N"
        ),
        dots.mark_text(color="var(--on-level)", fontWeight="bold", fontSize=12, aria=False).encode(
            **at, text="number:N"
        ),
    ).properties(height=height)
