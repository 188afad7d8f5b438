"""The plan of a run as text and as JSON."""

from typing import Any

import polars as pl
from rich.console import Console

from innspect.extract.planner.planner import Plan
from innspect.extract.portfolio.reader import Portfolio
from innspect.reports.format import format_count, format_roubles, roubles_text
from innspect.reports.i18n.catalog import count_of
from innspect.schemas.settings import Settings

MAX_LISTED_INNS = 10
"""Skipped INNs listed on the screen; JSON lists all."""


def print_plan(plan: Plan, portfolio: Portfolio, settings: Settings, screen: Console, *, repair: bool = True) -> None:
    """Print the plan; `repair`: whether blocks without evidence may be requested a second time."""
    rejected, methods = portfolio.rejected, plan.calls["method"]
    members = [f"Portfolio {portfolio.name}: {count_of(portfolio.members.height, 'INN')}"]
    if rejected.height:
        members.append(f"{count_of(rejected.height, 'line')} rejected ({_list_counts(rejected['reason'])})")
    if portfolio.restored:
        members.append(f"{count_of(portfolio.restored, 'leading zero')} restored")
    if portfolio.new is not None and (portfolio.new or portfolio.left):
        members.append(f"{portfolio.new} new, {_count_left(portfolio.left)} since the file before")
    inns = plan.calls["inn"].n_unique()
    calls = (
        f"{count_of(methods.len(), 'call')} for {count_of(inns, 'INN')} ({_list_counts(methods)})"
        if inns
        else "no calls"
    )
    recent = f"; the answers about {count_of(plan.fresh, 'INN')} are recent enough" if plan.fresh else ""
    lines = [
        "; ".join(members) + ".",
        *([_describe_columns(portfolio)] if portfolio.columns else []),
        f"Plan: {calls}{recent}.",
        f"Cost: {_describe_cost(plan, settings.budget.run_kopecks, repair=repair)}.",
    ]
    if plan.not_requestable:
        lines.append(f"The service has none of the profile's blocks for {count_of(plan.not_requestable, 'INN')}.")
    if plan.skipped.height:
        count = plan.skipped.height
        listed = ", ".join(plan.skipped["inn"].head(MAX_LISTED_INNS).to_list())
        more = f" and {format_count(count - MAX_LISTED_INNS)} more" if count > MAX_LISTED_INNS else ""
        lines.append(f"Skipped, over budget: {count_of(count, 'INN')} ({listed}{more}).")
    for line in lines:
        screen.print(line, soft_wrap=True)


def _describe_cost(plan: Plan, budget: int, *, repair: bool) -> str:
    """The price of the planned calls and of what may make it another, against the budget; all in kopecks."""
    bounds = [f"at least {format_roubles(plan.minimum)}"] if plan.minimum < plan.expected else []
    if repair and plan.maximum > plan.expected:
        most = "the budget" if plan.maximum == budget else format_roubles(plan.maximum)
        bounds.append(f"with repairs up to {most}")
    limits = f" ({', '.join(bounds)})" if bounds else ""
    return f"{format_roubles(plan.expected)}{limits}; budget: {format_roubles(budget)}"


def _count_left(inns: tuple[str, ...]) -> str:
    listed = ", ".join(inns[:MAX_LISTED_INNS]) + (" …" if len(inns) > MAX_LISTED_INNS else "")
    return f"{len(inns)} left" + (f" ({listed})" if inns else "")


def _describe_columns(portfolio: Portfolio) -> str:
    """Which column of the file is what: a header that was not recognised is found here, not in an empty table."""
    read = [f"{column} from {header}" for column, header in portfolio.columns.items()]
    own = [f"own columns: {', '.join(portfolio.own_columns)}"] if portfolio.own_columns else []
    sheet = f"Sheet {portfolio.sheet}, columns" if portfolio.sheet else "Columns"
    return f"{sheet}: {'; '.join([', '.join(read), *own])}."


def _list_counts(values: pl.Series) -> str:
    counts = values.to_frame("value").group_by("value", maintain_order=True).len().sort("len", descending=True)
    return ", ".join(f"{format_count(count)} {value}" for value, count in counts.rows())


def plan_as_json(plan: Plan, portfolio: Portfolio, settings: Settings, *, repair: bool) -> dict[str, Any]:
    """The plan as JSON; money is roubles as text with two decimals."""
    return {
        "portfolio": portfolio.name,
        "sheet": portfolio.sheet,
        "columns": dict(portfolio.columns),
        "own_columns": list(portfolio.own_columns),
        "profile": settings.default_profile,
        "accepted": portfolio.members.height,
        "rejected": portfolio.rejected.height,
        "restored": portfolio.restored,
        "new_members": portfolio.new,
        "left_members": list(portfolio.left),
        "planned_calls": plan.calls.height,
        "calls": dict(plan.calls.group_by("method", maintain_order=True).len().rows()),
        "fresh": plan.fresh,
        "minimum_rub": roubles_text(plan.minimum),
        "expected_rub": roubles_text(plan.expected),
        "maximum_rub": roubles_text(plan.maximum if repair else plan.expected),
        "budget_rub": roubles_text(settings.budget.run_kopecks),
        "skipped_for_budget": plan.skipped.height,
        "left_out": [
            {"inn": inn, "cost_rub": roubles_text(cost), "reason": reason}
            for inn, cost, reason in plan.skipped.select("inn", "cost", "reason").iter_rows()
        ],
    }
