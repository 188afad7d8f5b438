"""The charts of the page. A colour or pattern never speaks alone: words beside the chart name each."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import altair as alt

from innspect.reports.style import GROUPS, INK, LEVELS, LINE, MONEY, PAPER, SOFT, ink

Row = Mapping[str, Any]


def _fills(names: Sequence[str], column: str) -> alt.Color:
    scale = alt.Scale(domain=list(names), range=[ink(name) for name in names])
    return alt.Color(f"{column}:N", scale=scale, legend=None)


def _values(rows: Sequence[Row]) -> alt.Data:
    return alt.Data(values=cast("Any", [dict(row) for row in rows]))


def _order(names: Sequence[str], column: str, rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [{**row, "place": list(names).index(row[column])} for row in rows]


def _amounts() -> alt.Axis:
    """Whole numbers, with the gap between thousands that both languages read."""
    return alt.Axis(tickCount=4, tickMinStep=1, labelExpr="replace(datum.label, /,/g, ' ')", format=",.0f")


def counts(rows: Sequence[Row], title: str, *, vertical: bool = False) -> alt.TopLevelMixin:
    """Bars with their numbers: rows of `label`, `value`, `shown`, `fill`, `told`, in order."""
    names = list(dict.fromkeys(str(row["fill"]) for row in rows))
    order = [row["label"] for row in rows]
    base = alt.Chart(_values(rows))
    most = max((row["value"] for row in rows), default=0) or 1
    value: dict[str, Any] = {"scale": alt.Scale(domain=[0, most * (1.1 if vertical else 1.22)]), "title": title}
    if vertical:
        # A label of several words stands on several lines.
        axis = alt.Axis(labelAngle=0, ticks=False, labelOverlap=False, labelExpr="split(datum.label, ' ')")
        place = alt.X("label:N", sort=order, title=None, axis=axis)
        size = alt.Y("value:Q", axis=None, **value)
        base, offset = base.properties(height=220), (0, -8)
    else:
        place = alt.Y("label:N", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False))
        size = alt.X("value:Q", axis=None, **value)
        base = base.properties(height=30 * len(rows))
        offset = (6, 0)
    at: dict[str, Any] = {"x": place, "y": size} if vertical else {"x": size, "y": place}
    align = "center" if vertical else "left"
    bars = base.mark_bar(size=36 if vertical else 18).encode(**at, color=_fills(names, "fill"), description="told:N")
    return alt.layer(
        bars,
        base.mark_text(align=align, dx=offset[0], dy=offset[1], color=INK, aria=False).encode(**at, text="shown:N"),
    )


def coverage(rows: Sequence[Row], order: Sequence[str], title: str) -> alt.TopLevelMixin:
    """Shares stacked to a whole: rows of `label`, `group`, `share` (of one), `told`; labels from top to bottom."""
    return (
        alt.Chart(_values(_order(GROUPS, "group", rows)))
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
            color=_fills(GROUPS, "group"),
            order="place:O",
            description="told:N",
        )
        .properties(height=20 * len(order))
    )


def money(rows: Sequence[Row], order: Sequence[str], title: str) -> alt.TopLevelMixin:
    """Roubles by method: rows of `method`, `kind` (of MONEY), `rub`, `told`; methods from top to bottom."""
    return (
        alt.Chart(_values(_order(MONEY, "kind", rows)))
        .mark_bar(size=15)
        .encode(
            x=alt.X("rub:Q", stack="zero", title=title, axis=_amounts()),
            y=alt.Y("method:N", sort=list(order), title=None, axis=alt.Axis(ticks=False, domain=False)),
            color=_fills(MONEY, "kind"),
            order="place:O",
            description="told:N",
        )
        .properties(height=24 * len(order))
    )


def years(rows: Sequence[Row], names: Sequence[str], first: int, last: int, title: str) -> alt.TopLevelMixin:
    """Things counted by year: rows of `year`, `kind` (of names), `count`, `told`; every year has its place."""
    order = [str(year) for year in range(first, last + 1)]
    return (
        alt.Chart(_values(_order(names, "kind", rows)))
        .mark_bar()
        .encode(
            x=alt.X(
                "year:N",
                title=None,
                scale=alt.Scale(domain=order, paddingInner=0.3),
                axis=alt.Axis(labelAngle=0, ticks=False),
            ),
            y=alt.Y("count:Q", stack="zero", title=title, axis=_amounts()),
            color=_fills(names, "kind"),
            order="place:O",
            description="told:N",
        )
        .properties(height=220)
    )


def debt(
    points: Sequence[Row], crowd: Sequence[Row], titles: tuple[str, str], ends: Row, powers: Mapping[int, str]
) -> alt.TopLevelMixin:
    """Revenue and debt on log scales: points of `revenue`, `debt`, `level`, `told`.

    Cells of `x`, `x2`, `y`, `y2`, `weight`, `told` stand for those who are too many. `ends` are the least and the most
    that is shown, for both axes; `powers` how the powers of ten are worded.
    """
    shown = ", ".join(f"'{exponent}': '{text}'" for exponent, text in powers.items())
    expression = f"({{{shown}}})[toString(round(log(datum.value) / LN10))]"
    ticks = alt.Axis(values=[10.0**exponent for exponent in powers], labelExpr=expression, grid=True)
    scale_x = alt.Scale(type="log", domain=[ends["x"], ends["x2"]], nice=False)
    scale_y = alt.Scale(type="log", domain=[ends["y"], ends["y2"]], nice=False)
    at_x: dict[str, Any] = {"scale": scale_x, "title": titles[0], "axis": ticks}
    at_y: dict[str, Any] = {"scale": scale_y, "title": titles[1], "axis": ticks}
    low, high = max(ends["x"], ends["y"]), min(ends["x2"], ends["y2"])
    same = [{"x": low, "y": low, "x2": high, "y2": high}] if low < high else []
    layers: list[alt.Chart] = [
        alt.Chart(_values(crowd))
        .mark_rect(fill="var(--found)")
        .encode(
            x=alt.X("x:Q", **at_x),
            x2="x2:Q",
            y=alt.Y("y:Q", **at_y),
            y2="y2:Q",
            opacity=alt.Opacity("weight:Q", scale=None, legend=None),
            description="told:N",
        ),
        alt.Chart(_values(same))
        .mark_rule(color=SOFT, strokeDash=[5, 4], aria=False)
        .encode(x=alt.X("x:Q", **at_x), y=alt.Y("y:Q", **at_y), x2="x2:Q", y2="y2:Q"),
        alt.Chart(_values(points))
        .mark_circle(size=75, opacity=0.85, stroke=PAPER, strokeWidth=1)
        .encode(
            x=alt.X("revenue:Q", **at_x),
            y=alt.Y("debt:Q", **at_y),
            color=_fills(LEVELS, "level"),
            description="told:N",
        ),
    ]
    return alt.layer(*layers).properties(height=320)


def network(nodes: Sequence[Row], edges: Sequence[Row], height: int) -> alt.TopLevelMixin:
    """Groups: nodes of `x`, `y`, `number`, `level`, `told`; edges of `x`, `y`, `x2`, `y2`, `told`. In pixels."""
    plane: dict[str, Any] = {"scale": None, "axis": None}
    line = alt.Chart(_values(edges)).mark_rule(color=SOFT, strokeWidth=1.5, opacity=0.6)
    dot = alt.Chart(_values(nodes))
    at: dict[str, Any] = {"x": alt.X("x:Q", **plane), "y": alt.Y("y:Q", **plane)}
    return alt.layer(
        line.encode(**at, x2="x2:Q", y2="y2:Q", description="told:N"),
        dot.mark_circle(size=420, fill=PAPER, opacity=1, aria=False).encode(**at),
        dot.mark_circle(size=420, opacity=1, stroke=LINE).encode(
            **at, color=_fills(LEVELS, "level"), description="told:N"
        ),
        dot.mark_text(color="var(--on-level)", fontWeight="bold", fontSize=12, aria=False).encode(
            **at, text="number:N"
        ),
    ).properties(height=height)
