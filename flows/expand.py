"""Expansion of a run: waves of INNs that answers name, each planned when the wave before is loaded and assessed.

A wave is a run of its own, of the portfolio NAME/expanded, so that caps, recovery and freshness are those of any run.
"""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

import polars as pl
from rich.console import Console

from innspect.extract.planner.expansion import dearest_inn, select_related_inns
from innspect.extract.planner.planner import Plan
from innspect.extract.portfolio.reader import REJECTED, Portfolio
from innspect.flows.open_home import Stores
from innspect.flows.plan_portfolio import plan_portfolio
from innspect.flows.plan_summary import plan_as_json, print_plan
from innspect.reports.format import format_roubles, roubles_text
from innspect.reports.i18n.catalog import count_of
from innspect.schemas.settings import Settings
from innspect.schemas.settings.relations import EXPANDED_SUFFIX
from innspect.warehouse.load.related_inns import find_related_inns

KOPECKS_PER_ROUBLE = 100


@dataclass(frozen=True, slots=True)
class Wave:
    """The INNs that one wave may request, and who must not be requested by the next: the members and all waves."""

    number: int
    portfolio: Portfolio
    excluded: pl.Series

    def next(self, stores: Stores, settings: Settings) -> "Wave | None":
        """The wave of those whom this one names, or None without any."""
        return find_wave(stores, settings, self.portfolio, self.excluded, self.number + 1)


def first_wave(stores: Stores, settings: Settings, portfolio: Portfolio) -> Wave | None:
    """The wave of those whom the members of a portfolio name, or None without any or without `expand`."""
    return find_wave(stores, settings, portfolio, portfolio.members["inn"], 1)


def find_wave(stores: Stores, settings: Settings, naming: Portfolio, excluded: pl.Series, number: int) -> Wave | None:
    """The wave of those whom the answers about `naming` name; None without any, or beyond the depth of the profile."""
    profile = settings.profile()
    if number > profile.expand_depth:
        return None
    related = find_related_inns(stores.warehouse, naming.members["inn"], profile.expand)
    members = select_related_inns(related, profile.expand, profile.expand_limit, excluded, number)
    if members.is_empty():
        return None
    name = naming.name.removesuffix(EXPANDED_SUFFIX) + EXPANDED_SUFFIX
    # The first wave of a run lists whom the members name now; whom nobody names any more leaves. Later waves add to it.
    is_addition = number > 1 or naming.is_addition
    portfolio = Portfolio(name, members, pl.DataFrame(schema=REJECTED), restored=0, is_addition=is_addition)
    return Wave(number, portfolio, pl.concat([excluded, members["inn"]]))


def settings_of_wave(settings: Settings, left_of_run: int, spent_on_waves: int) -> Settings:
    """The settings of a wave: its budget is what is left of the run's and of the expansion's, both in kopecks."""
    cap = settings.profile().expand_budget_kopecks
    left = left_of_run if cap is None else min(left_of_run, cap - spent_on_waves)
    budget = settings.budget.model_copy(update={"run_rub": Decimal(max(0, left)) / KOPECKS_PER_ROUBLE})
    return settings.model_copy(update={"budget": budget})


def print_wave(wave: Wave, plan: Plan, settings: Settings, screen: Console, *, repair: bool) -> None:
    """Print who was found, and the plan of the wave."""
    roles = wave.portfolio.members["extra"].str.json_path_match("$.roles").str.split(", ").explode()
    counts = roles.to_frame("role").group_by("role").len().sort("len", "role", descending=[True, False])
    listed = ", ".join(f"{count} {role}" for role, count in counts.rows())
    found = wave.portfolio.members.height
    screen.print(
        f"Expansion, wave {wave.number}: answers name {count_of(found, 'other INN')} ({listed}).", soft_wrap=True
    )
    print_plan(plan, wave.portfolio, settings, screen, repair=repair)


@dataclass(frozen=True, slots=True)
class ExpansionPlan:
    """What an expansion would request by what is known now, and a bound for the rest. Money is kopecks.

    `waves`: each with its settings and its plan. `unknown_inns`: the most INNs that answers still to be requested may
    name. `bound`: the most that all waves together can cost.
    """

    waves: tuple[tuple[Wave, Settings, Plan], ...]
    unknown_inns: int
    bound: int

    def print(self, screen: Console, *, repair: bool) -> None:
        """Print the plan of each wave, and the bound."""
        for wave, settings, plan in self.waves:
            print_wave(wave, plan, settings, screen, repair=repair)
        screen.print(
            f"Expansion: {format_roubles(self._cost)} for whom the answers name now; answers still to be requested "
            f"may name up to {count_of(self.unknown_inns, 'further INN')}; together at most "
            f"{format_roubles(self.bound)}.",
            soft_wrap=True,
        )

    def as_json(self, *, repair: bool) -> dict[str, Any]:
        """The object `expansion` of `plan --json`."""
        return {
            "expected_rub": roubles_text(self._cost),
            "unknown_inns": self.unknown_inns,
            "bound_rub": roubles_text(self.bound),
            "waves": [
                plan_as_json(plan, wave.portfolio, settings, repair=repair) for wave, settings, plan in self.waves
            ],
        }

    @property
    def _cost(self) -> int:
        return sum(plan.expected for _, _, plan in self.waves)


def plan_expansion(
    stores: Stores, settings: Settings, portfolio: Portfolio, plan: Plan, at: datetime
) -> ExpansionPlan | None:
    """Plan the waves of a run that is planned; None without `expand`, or if the budget has no room for all members."""
    profile, budget = settings.profile(), settings.budget
    if not profile.expand or plan.skipped.height:
        return None
    dearest = dearest_inn(profile, budget.price_kopecks, settings.service.person_methods, at)
    waves: list[tuple[Wave, Settings, Plan]] = []
    # INNs whose answers are requested again, so that whom they name is not known yet; those whom they may name.
    open_inns, unknown_inns, spent, most = plan.needs.height, 0, 0, 0
    wave = first_wave(stores, settings, portfolio)
    for _ in range(profile.expand_depth):
        new_inns, open_inns = open_inns * profile.expand_limit, open_inns * profile.expand_limit
        unknown_inns += new_inns
        if wave is not None:
            of_wave = settings_of_wave(settings, budget.run_kopecks - plan.expected - spent, spent)
            _, planned = plan_portfolio(stores, of_wave, wave.portfolio, at, refresh=False)
            waves.append((wave, of_wave, planned))
            spent += planned.expected
            # What the members are not charged for leaves more than was planned with.
            most += wave.portfolio.members.height * dearest if planned.skipped.height else planned.maximum
            open_inns += planned.needs.height + planned.skipped.height
            wave = wave.next(stores, settings)
    largest = settings_of_wave(settings, budget.run_kopecks - plan.minimum, 0).budget.run_kopecks
    return ExpansionPlan(tuple(waves), unknown_inns, min(largest, most + unknown_inns * dearest))
