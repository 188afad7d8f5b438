"""Plan a portfolio by what is loaded: who is rejected, what is fresh, and what the budget allows."""

from dataclasses import replace
from datetime import datetime

from rich.console import Console

from innspect.extract.home.tombstones import Tombstones
from innspect.extract.ledger.operations import Caps
from innspect.extract.planner.planner import Plan, make_plan
from innspect.extract.portfolio.reader import Portfolio
from innspect.flows.open_home import Stores, describe_responses_ahead
from innspect.flows.recovery import recover
from innspect.reports.i18n.catalog import count_of
from innspect.schemas.settings import Settings
from innspect.warehouse.interrupts import interruptible
from innspect.warehouse.load.lookups import compare_members, find_unrepaired_blocks, latest_snapshots, member_attributes


def recover_and_plan(
    stores: Stores, settings: Settings, portfolio: Portfolio, at: datetime, screen: Console, *, refresh: bool
) -> tuple[Portfolio, Plan]:
    """Recover what a killed process left, then plan the portfolio: the result of `plan_portfolio`."""
    with interruptible():
        loaded = recover(stores, settings.conventions, at)
    if loaded:
        left_by = "another home or an interrupted run" if isinstance(settings.archive, str) else "an interrupted run"
        screen.print(f"Loaded {count_of(loaded, 'archive file')} left by {left_by} (no charge).")
    if stores.warehouse.added_columns:
        added = ", ".join(stores.warehouse.added_columns)
        screen.print(f"New columns, empty for older responses until `innspect rebuild`: {added}.")
    if problem := describe_responses_ahead(stores.warehouse, settings, at):
        screen.print(f"Warning: {problem}.", soft_wrap=True)
    with screen.status("Looking up earlier results ..."):
        return plan_portfolio(stores, settings, portfolio, at, refresh=refresh)


def plan_portfolio(
    stores: Stores, settings: Settings, portfolio: Portfolio, at: datetime, *, refresh: bool
) -> tuple[Portfolio, Plan]:
    """The members of a portfolio that are not forgotten, and the plan for them.

    Raises UsageError if what is requested now would be removed by `archive retain`.
    """
    tombstones = Tombstones(settings.home)
    tombstones.check_retention(at)
    portfolio = tombstones.reject_forgotten(portfolio)
    with interruptible():
        if portfolio.is_addition:
            known_members = member_attributes(stores.warehouse, portfolio.name, portfolio.members)
            portfolio = portfolio.with_attributes(known_members)
        else:
            new, left = compare_members(stores.warehouse, portfolio.name, portfolio.members)
            portfolio = replace(portfolio, new=new, left=left)
        known = latest_snapshots(stores.warehouse, portfolio.members)
        without_repair = find_unrepaired_blocks(stores.warehouse, portfolio.members)
    budget = settings.budget
    left_of_caps = stores.ledger.remaining_budget("", Caps(day=budget.day_kopecks, month=budget.month_kopecks))
    left = budget.run_kopecks if left_of_caps is None else min(left_of_caps, budget.run_kopecks)
    plan = make_plan(
        portfolio.members,
        known,
        settings.profile(),
        budget.price_kopecks,
        left,
        at,
        refresh=refresh,
        unrepaired=without_repair,
        person_methods=settings.service.person_methods,
    )
    return portfolio, plan
