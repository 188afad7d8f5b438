"""The pictures of the page: facts in, drawings out. What is not known has bars or words of its own, and is no zero."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import floor, log10
from typing import Any

from markupsafe import Markup

from innspect.reports import style as marks
from innspect.reports.i18n.catalog import Words
from innspect.reports.portfolio_report import charts
from innspect.reports.portfolio_report.data import PICTURED_GROUPS, PICTURED_MEMBERS, Facts, Links
from innspect.reports.portfolio_report.link_groups import Group, height, placed
from innspect.reports.portfolio_report.queries import AGES
from innspect.reports.portfolio_report.svg import drawn

Row = Mapping[str, Any]
SILENT = ("unconfirmed", "unavailable", "missing", "failed")
GROUP_OF: Mapping[str, str] = dict.fromkeys(SILENT, "silent") | {"never asked": "never"}
YEARS, METHODS = 10, 10
POINTS = 300
"""So many points are drawn one by one; of more, the others become cells, four to a power of ten."""
CELLS = 4
FAINTEST, DARKEST = 0.12, 0.6
KOPECK, TRILLION = -2, 16
"""Powers of ten that money may have, from a kopeck."""


def levels(facts: Facts, words: Words) -> Markup:
    """Members by level of risk."""
    row = facts.risk.levels.row
    bars = [
        _bar(words.named("level", name), row[name], name, words.count(row[name], "member"), words)
        for name in marks.LEVELS
    ]
    return drawn(charts.counts(bars, words("risk.count")), words("risk"))


def _bar(label: str, value: int, fill: str, told: str, words: Words) -> Row:
    return {"label": label, "value": value, "shown": words.number(value), "fill": fill, "told": f"{label}: {told}"}


def by_block(rows: Sequence[Row]) -> dict[str, Counter[str]]:
    """Members by block and group of states, the block that is known worst first."""
    counted: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        counted[row["block"]][GROUP_OF.get(row["state"], row["state"])] += row["members"]
    return dict(sorted(counted.items(), key=lambda item: (_sure(item[1]), item[0])))


def _sure(groups: Counter[str]) -> tuple[float, float]:
    """The share that is evidence, and the share of that which is whole."""
    total = groups.total()
    silent = groups["silent"] + groups["never"]
    return (1 - silent / total, 1 - groups["partial"] / total)


def coverage(facts: Facts, words: Words) -> Markup | None:
    """Shares of members by group of states, block by block; None of an empty portfolio."""
    blocks = by_block(facts.known.blocks.rows)
    rows = [
        {
            "label": words.named("block", block),
            "group": group,
            "share": groups[group] / groups.total(),
            "told": f"{words.named('block', block)} ({block}), {words.named('group', group)}: "
            f"{words.number(groups[group])} / {words.number(groups.total())}",
        }
        for block, groups in blocks.items()
        for group in marks.GROUPS
        if groups[group]
    ]
    order = [words.named("block", block) for block in blocks]
    return drawn(charts.coverage(rows, order, words("coverage.share")), words("coverage")) if rows else None


def freshness(facts: Facts, words: Words) -> Markup | None:
    """What is known by age, and beside it what is not; None while nothing is known."""
    counted = {row["age"]: row["answers"] for row in facts.known.ages.rows}
    known = [str(age) for age in AGES]
    if not any(counted.get(age) for age in known):
        return None
    shown = [*known, *(age for age in ("silent", "never") if counted.get(age))]
    bars = [
        _bar(
            words.named("age", age),
            counted.get(age, 0),
            age if age in marks.PATTERNS else "found",
            words.count(counted.get(age, 0), "answer"),
            words,
        )
        for age in shown
    ]
    return drawn(charts.counts(bars, words("freshness.count"), vertical=True), words("freshness"))


def money(facts: Facts, words: Words) -> Markup | None:
    """Roubles by method, what is unknown hatched; None while nothing was spent."""
    methods = _largest(facts.money.methods.rows, words)
    rows = [
        {
            "method": row["method"],
            "kind": kind,
            "rub": float(row[f"{kind}_rub"]),
            "told": f"{row['method']}, {words('money.' + kind)}: {words.rub(row[f'{kind}_rub'])}",
        }
        for row in methods
        for kind in marks.MONEY
        if row[f"{kind}_rub"]
    ]
    order = [row["method"] for row in methods]
    return drawn(charts.money(rows, order, words("money.axis")), words("money")) if rows else None


def _largest(methods: list[dict[str, Any]], words: Words) -> list[dict[str, Any]]:
    """The methods that cost most, and the others as one."""
    if len(methods) <= METHODS:
        return methods
    others = methods[METHODS - 1 :]
    together = {name: sum(row[name] for row in others) for name in ("charged_rub", "unknown_rub")}
    return [*methods[: METHODS - 1], {"method": words("money.others", methods=len(others)), **together}]


def span(rows: Sequence[Row]) -> tuple[int, int] | None:
    """The years that a chart shows, at most ten; None where no row has a year."""
    years = [row["year"] for row in rows if row["year"] is not None]
    return (max(min(years), max(years) - YEARS + 1), max(years)) if years else None


def courts(facts: Facts, words: Words) -> Markup | None:
    """Cases by year and role."""
    return _by_year(facts.courts.rows, ("role", marks.ROLES, "cases"), "case", words("courts"), words)


def enforcement(facts: Facts, words: Words) -> Markup | None:
    """Proceedings by year and whether they go on."""
    kinds = ("active", marks.ACTIVE, "proceedings")
    return _by_year(facts.enforcement.rows, kinds, "proceeding", words("enforcement"), words)


def _by_year(
    rows: Sequence[Row], kinds: tuple[str, Sequence[str], str], noun: str, told: str, words: Words
) -> Markup | None:
    column, names, count = kinds
    years = span(rows)
    if years is None:
        return None
    bars = [
        {
            "year": str(row["year"]),
            "kind": row[column],
            "count": row[count],
            "told": f"{row['year']}, {words.named(column, row[column])}: {words.count(row[count], noun)}",
        }
        for row in rows
        if row["year"] is not None and row["year"] >= years[0]
    ]
    return drawn(charts.years(bars, names, *years, words.plural(5, noun)), told)


def debt(facts: Facts, words: Words) -> Markup | None:
    """Revenue and debt of those who have both: the heaviest as points, further ones as cells."""
    rows = facts.debts.points.rows
    if not rows:
        return None
    points = [
        {
            "revenue": float(row["revenue_rub"]),
            "debt": float(row["active_debt_rub"]),
            "level": row["level"],
            "told": f"{row['name'] or words('nameless')} ({row['inn']}): {words('debt.revenue')} "
            f"{words.rub(row['revenue_rub'])}, {words('debt.debt')} {words.rub(row['active_debt_rub'])}, "
            f"{words.named('level', row['level'])}",
        }
        for row in rows[:POINTS]
    ]
    ends: dict[str, float] = {}
    for axis, column in (("x", "revenue_rub"), ("y", "active_debt_rub")):
        values = [float(row[column]) for row in rows]
        ends[axis] = 10 ** floor(log10(min(values)))
        ends[f"{axis}2"] = 10 ** (floor(log10(max(values))) + 1)
    titles = words("debt.axis_x"), words("debt.axis_y")
    powers = {exponent: words.power(exponent) for exponent in range(KOPECK, TRILLION)}
    return drawn(charts.debt(points, _crowd(rows[POINTS:], words), titles, ends, powers), words("debt"))


def _crowd(rows: Sequence[Row], words: Words) -> list[Row]:
    cells = Counter(
        (floor(log10(row["revenue_rub"]) * CELLS), floor(log10(row["active_debt_rub"]) * CELLS)) for row in rows
    )
    most = max(cells.values(), default=1)
    return [
        {
            "x": 10 ** (x / CELLS),
            "x2": 10 ** ((x + 1) / CELLS),
            "y": 10 ** (y / CELLS),
            "y2": 10 ** ((y + 1) / CELLS),
            "weight": FAINTEST + (DARKEST - FAINTEST) * count / most,
            "told": words.count(count, "company"),
        }
        for (x, y), count in cells.items()
    ]


def links(found: Links, words: Words) -> Markup | None:
    """The largest groups, their most connected members numbered as in the table; None where there is none."""
    if not found.groups or found.members is None:
        return None
    known = {row["inn"]: row for row in found.members.rows}
    nodes: list[Row] = []
    edges: list[Row] = []
    pictured = found.groups[:PICTURED_GROUPS]
    for cell, group in enumerate(pictured):
        inns = group.inns[:PICTURED_MEMBERS]
        at = dict(zip(inns, placed(len(inns), cell, len(pictured)), strict=True))
        nodes += [_node(number, inn, at[inn], known.get(inn, {}), words) for number, inn in enumerate(inns, 1)]
        edges += _edges(group, at, words)
    return drawn(charts.network(nodes, edges, height(len(pictured))), words("links"))


def _node(number: int, inn: str, at: tuple[float, float], row: Row, words: Words) -> Row:
    level = row.get("level", "unknown")
    told = f"{row.get('name') or words('nameless')} ({inn}), {words.named('level', level)}"
    return {"x": at[0], "y": at[1], "number": str(number), "level": level, "told": told}


def _edges(group: Group, at: Mapping[str, tuple[float, float]], words: Words) -> list[Row]:
    return [
        {
            "x": at[first][0],
            "y": at[first][1],
            "x2": at[second][0],
            "y2": at[second][1],
            "told": ", ".join(words.named("kind", kind) for kind in kinds),
        }
        for (first, second), kinds in group.pairs.items()
        if first in at and second in at
    ]
