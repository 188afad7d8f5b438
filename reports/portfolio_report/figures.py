"""The figures of the report: data in, SVG out; None where nothing is known. Unknown is never drawn as zero."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import Any

from markupsafe import Markup

from innspect.reports.coverage_text import is_lower_bound
from innspect.reports.format import AGE_BANDS_DAYS
from innspect.reports.i18n.catalog import Translations
from innspect.reports.level_text import level_text
from innspect.reports.portfolio_report import charts
from innspect.reports.portfolio_report.data import MAX_DRAWN_GROUPS, LinkData, ReportData
from innspect.reports.portfolio_report.link_groups import LinkGroup, circle_positions, figure_height
from innspect.reports.portfolio_report.svg import render_svg
from innspect.reports.portfolio_report.vega_process import Renderer
from innspect.reports.style import COVERAGE_GROUPS, LEVELS, NOT_CONFIRMED, PROCEEDINGS, ROLES, SPEND
from innspect.schemas.catalogue import METHODS
from innspect.schemas.declaration import PERSON_DIGITS
from innspect.schemas.states import NEVER_ASKED, NO_EVIDENCE, STALE, Level, SnapshotState

Row = Mapping[str, Any]
GAP_GROUPS = (STALE, NOT_CONFIRMED, NEVER_ASKED)
"""Groups of COVERAGE_GROUPS that confirm nothing."""
MAX_YEARS, MAX_METHODS = 10, 10
MAX_POINTS = 300
"""Counterparties drawn as points in the figure of debt; the others are drawn as cells."""
CELLS_PER_POWER = 4
MIN_OPACITY, MAX_OPACITY = 0.12, 0.6
POWERS_OF_TEN = range(-2, 16)
"""Exponents that an amount may have; the smallest is a kopeck."""
SPEND_COLUMNS = {"charged": "charged_rub", "outcome_unknown": "unknown_rub"}


@dataclass(frozen=True, slots=True)
class Figure:
    """A Vega-Lite specification, and the name of the figure for screen readers."""

    spec: charts.Spec
    label: str


def draw_figures(data: ReportData, t: Translations, render: Renderer) -> dict[str, Markup | None]:
    """The SVG of all figures by name."""
    figures = {
        "levels": _levels(data, t),
        "coverage": _coverage(data, t),
        "freshness": _freshness(data, t),
        "spend": _spend(data, t),
        "courts": _yearly(data.courts.rows, ("role", ROLES, "cases"), "case", t("courts"), t),
        "enforcement": _yearly(
            data.enforcement.rows, ("proceeding", PROCEEDINGS, "proceedings"), "proceeding", t("enforcement"), t
        ),
        "debt": _debt(data, t),
        "links": _links(data.links, t),
    }
    return {
        name: None if figure is None else render_svg(figure.spec, figure.label, render)
        for name, figure in figures.items()
    }


def count_by_block(rows: Sequence[Row]) -> dict[str, Counter[str]]:
    """Members by block and group of states (COVERAGE_GROUPS), blocks with the largest gaps first."""
    blocks: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        state = row["shown_state"]
        blocks[row["block"]][NOT_CONFIRMED if state in NO_EVIDENCE else state] += row["members"]
    return dict(sorted(blocks.items(), key=lambda item: (_confirmed_shares(item[1]), item[0])))


def _confirmed_shares(groups: Counter[str]) -> tuple[float, float]:
    """The share with fresh evidence, and the share without partial evidence."""
    total = groups.total()
    return 1 - sum(groups[group] for group in GAP_GROUPS) / total, 1 - groups[SnapshotState.PARTIAL] / total


def chart_years(rows: Sequence[Row]) -> tuple[int, int] | None:
    """First and last year of a chart by year; None where no row has a year."""
    years = [row["year"] for row in rows if row["year"] is not None]
    return (max(min(years), max(years) - MAX_YEARS + 1), max(years)) if years else None


def _levels(data: ReportData, t: Translations) -> Figure:
    row = data.risk.levels.row
    bars = [_bar(t.label("level", level), row[level], level, t.count(row[level], "member"), t) for level in LEVELS]
    return Figure(charts.bars(bars, t.plural(5, "member")), t("risk.levels"))


def _bar(label: str, value: int, code: str, description: str, t: Translations) -> Row:
    return {
        "label": label,
        "value": value,
        "text": t.number(value),
        "code": code,
        "tooltip": f"{label}: {description}",
    }


def _coverage(data: ReportData, t: Translations) -> Figure | None:
    blocks = count_by_block(data.coverage.blocks.rows)
    rows = [
        {
            "label": t.label("block", block),
            "group": group,
            "share": groups[group] / groups.total(),
            "tooltip": f"{t.label('block', block)}, {t.label('state', group)}: "
            f"{t.number(groups[group])} / {t.number(groups.total())}",
        }
        for block, groups in blocks.items()
        for group in COVERAGE_GROUPS
        if groups[group]
    ]
    order = [t.label("block", block) for block in blocks]
    return Figure(charts.coverage(rows, order, t("coverage.share"), t.percent), t("coverage")) if rows else None


def _freshness(data: ReportData, t: Translations) -> Figure | None:
    items = {row["age"]: row["items"] for row in data.coverage.ages.rows}
    bands = [str(days) for days in AGE_BANDS_DAYS]
    if not any(items.get(band) for band in bands):
        return None
    gaps = [code for code in GAP_GROUPS if items.get(code)]
    codes = dict.fromkeys(bands, SnapshotState.FOUND) | {gap: gap for gap in gaps}
    bars = [
        _bar(_age_label(age, t), number, code, t.count(number, "item"), t)
        for age, code in codes.items()
        for number in [items.get(age, 0)]
    ]
    return Figure(charts.bars(bars, t.plural(5, "item")), t("freshness"))


def _age_label(age: str, t: Translations) -> str:
    """The label of a band of ages, or of a gap: of blocks that a source has not answered yet, or that are stale."""
    if age == NOT_CONFIRMED:
        return t("age.unanswered")
    return t.label("state" if age in GAP_GROUPS else "age", age)


def _spend(data: ReportData, t: Translations) -> Figure | None:
    methods = [{**row, "method": _method(row["method"], t)} for row in data.spend.methods.rows]
    methods = _largest_methods(methods, t)
    rows = [
        {
            "method": row["method"],
            "kind": kind,
            "rub": float(row[SPEND_COLUMNS[kind]]),
            "tooltip": f"{row['method']}, {t(kind)}: {t.roubles(row[SPEND_COLUMNS[kind]])}",
        }
        for row in methods
        for kind in SPEND
        if row[SPEND_COLUMNS[kind]]
    ]
    order = [row["method"] for row in methods]
    return Figure(charts.spend(rows, order, t("spend.axis"), t.group_separator), t("spend")) if rows else None


def _method(name: str, t: Translations) -> str:
    """A method of the service in words: what it is asked for, and of whom."""
    method = METHODS.get(name)
    if method is None or not method.block:
        return t.label("method", name)
    words = t.label("block", method.block)
    return t("spend.persons", block=words) if method.digits == PERSON_DIGITS else words


def _largest_methods(methods: list[dict[str, Any]], t: Translations) -> list[dict[str, Any]]:
    """The methods with the highest spend; the rest is summed up in one row."""
    if len(methods) <= MAX_METHODS:
        return methods
    others = methods[MAX_METHODS - 1 :]
    sums = {column: sum(row[column] for row in others) for column in SPEND_COLUMNS.values()}
    return [*methods[: MAX_METHODS - 1], {"method": t("spend.others", methods=len(others)), **sums}]


def _yearly(
    rows: Sequence[Row], columns: tuple[str, Sequence[str], str], noun: str, label: str, t: Translations
) -> Figure | None:
    """Stacked counts by year. `columns`: the column of the kind, its values, the column of the count."""
    kind_column, kinds, count_column = columns
    years = chart_years(rows)
    if years is None:
        return None
    bars = [
        {
            "year": str(row["year"]),
            "kind": row[kind_column],
            "count": row[count_column],
            "tooltip": f"{row['year']}, {t.label(kind_column, row[kind_column])}: {t.count(row[count_column], noun)}",
        }
        for row in rows
        if row["year"] is not None and row["year"] >= years[0]
    ]
    return Figure(charts.yearly_counts(bars, kinds, years, t.plural(5, noun), t.group_separator), label)


def _debt(data: ReportData, t: Translations) -> Figure | None:
    rows = data.debts.points.rows
    if not rows:
        return None
    points = [
        {
            "revenue": float(row["revenue_rub"]),
            "debt": float(row["active_debt_rub"]),
            "level": row["level"],
            "tooltip": f"{row['name'] or t('no_name')} ({row['inn']}): {t('debt.revenue')} "
            f"{t.roubles(row['revenue_rub'])}, {t('debt.amount')} {_debt_text(row, t)}, "
            f"{level_text(row, t)}",
        }
        for row in rows[:MAX_POINTS]
    ]
    ends: dict[str, float] = {}
    for axis, column in (("x", "revenue_rub"), ("y", "active_debt_rub")):
        values = [float(row[column]) for row in rows]
        ends[axis] = 10 ** floor(log10(min(values)))
        ends[f"{axis}2"] = 10 ** (floor(log10(max(values))) + 1)
    titles = t.label("card", "revenue_rub"), t.label("card", "active_debt_rub")
    powers = {exponent: t.power_of_ten(exponent) for exponent in POWERS_OF_TEN}
    return Figure(charts.debt(points, _debt_cells(rows[MAX_POINTS:], t), titles, ends, powers), t("debt"))


def _debt_text(row: Row, t: Translations) -> str:
    debt = row["active_debt_rub"]
    return t.at_least(t.roubles(debt), debt) if is_lower_bound(row, "active_debt_rub") else t.roubles(debt)


def _debt_cells(rows: Sequence[Row], t: Translations) -> list[Row]:
    cells = Counter(
        (floor(log10(row["revenue_rub"]) * CELLS_PER_POWER), floor(log10(row["active_debt_rub"]) * CELLS_PER_POWER))
        for row in rows
    )
    largest = max(cells.values(), default=1)
    return [
        {
            "x": 10 ** (x / CELLS_PER_POWER),
            "x2": 10 ** ((x + 1) / CELLS_PER_POWER),
            "y": 10 ** (y / CELLS_PER_POWER),
            "y2": 10 ** ((y + 1) / CELLS_PER_POWER),
            "opacity": MIN_OPACITY + (MAX_OPACITY - MIN_OPACITY) * count / largest,
            "tooltip": t.count(count, "company"),
        }
        for (x, y), count in cells.items()
    ]


def _links(data: LinkData, t: Translations) -> Figure | None:
    """The largest groups; members have their numbers of the table."""
    if not data.groups or data.members is None:
        return None
    known = {row["inn"]: row for row in data.members.rows}
    nodes: list[Row] = []
    edges: list[Row] = []
    drawn = data.groups[:MAX_DRAWN_GROUPS]
    for cell, group in enumerate(drawn):
        positions = dict(zip(group.inns, circle_positions(len(group.inns), cell, len(drawn)), strict=True))
        nodes += [_node(number, inn, positions[inn], known.get(inn, {}), t) for number, inn in enumerate(group.inns, 1)]
        edges += _edges(group, positions, t)
    return Figure(charts.network(nodes, edges, figure_height(len(drawn))), t("links"))


def _node(number: int, inn: str, position: tuple[float, float], row: Row, t: Translations) -> Row:
    level = row.get("level", Level.UNKNOWN)
    words = level_text(row, t) if row else t.label("level", level)
    tooltip = f"{row.get('name') or t('no_name')} ({inn}), {words}"
    return {"x": position[0], "y": position[1], "number": str(number), "level": level, "tooltip": tooltip}


def _edges(group: LinkGroup, positions: Mapping[str, tuple[float, float]], t: Translations) -> list[Row]:
    return [
        {
            "x": positions[first][0],
            "y": positions[first][1],
            "x2": positions[second][0],
            "y2": positions[second][1],
            "tooltip": ", ".join(t.label("kind", kind) for kind in kinds),
        }
        for (first, second), kinds in group.pairs.items()
    ]
