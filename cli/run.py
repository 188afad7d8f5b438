"""The commands `run` and `plan`."""

import asyncio
import json as json_text
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import typer
from pydantic import SecretStr
from rich.console import Console

from innspect.cli._console import command, console, table, waiting
from innspect.cli._options import Given
from innspect.extract.home.provenance import SANDBOX, SERVICE, is_near, keep_apart
from innspect.extract.home.tombstones import Tombstones
from innspect.extract.ledger.operations import Caps
from innspect.extract.planner.planner import Plan, make_plan
from innspect.extract.portfolio.reader import Portfolio, read_portfolio
from innspect.flows.erase import finish
from innspect.flows.notify.alerts import tell
from innspect.flows.open_home import Stores, home_faults, opened, utc_now
from innspect.flows.progress import Screen, Watcher
from innspect.flows.publish import publish_run, whole_copy
from innspect.flows.recovery import recover
from innspect.flows.run_portfolio import Job, check, check_batch, new_run_id
from innspect.flows.run_result import Result
from innspect.flows.sandbox_process import KEY, Standby
from innspect.reports.format import as_text, shown
from innspect.reports.portfolio_report.write import after_run
from innspect.schemas.errors import Exit, InnspectError, SettingsError
from innspect.schemas.settings import Settings
from innspect.warehouse.interrupts import interruptible
from innspect.warehouse.load.lookups import freshness, unrepaired

Way = Callable[[Job], Awaitable[Result]]
"""Carries out a job: with Prefect or without."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A run that has ended: its result, what stopped it, and whether the published copy shows it."""

    result: Result
    stop: InnspectError | None
    is_published: bool

    @property
    def exit_code(self) -> Exit:
        """A run that has all, but whose readers go on seeing the day before, is not all well."""
        done = self.result.exit_code
        return done if self.is_published or done is not Exit.OK else Exit.FAULT


NAMED = 10
"""So many of the INNs that are left out are named on the screen; JSON names all."""


def run(given: Given, portfolio: str, *, refresh: bool, repair: bool, direct: bool) -> int:
    """Plan, check, load; ends with the exit code of the result."""
    end_gently()
    settings, members = _read(given, portfolio)
    screen = console(to_stderr=given.json)
    with ExitStack() as stack:
        beforehand = None
        if given.sandbox:
            standby = stack.enter_context(Standby())
            settings, beforehand = with_sandbox(settings, standby.url), standby.start
        way = partial(_carried_out, direct=direct, beforehand=beforehand)
        ended = carry_out(settings, members, screen, way, refresh=refresh, repair=repair, events=not direct)
    result = ended.result
    result.show(screen)
    if given.json:
        typer.echo(json_text.dumps(result.as_json(), ensure_ascii=False))
    elif result.exit_code is Exit.OK:
        home = "" if str(settings.home) == "data" else f" --home {settings.home}"
        question = "SELECT inn, name, status, checked_at FROM current.company ORDER BY inn"
        screen.print(f'Next: {command()} sql "{question}"{home}', soft_wrap=True)
    if ended.stop is not None and ended.stop.exit_code is result.exit_code:
        raise ended.stop
    if result.exit_code is not Exit.OK:
        typer.echo(f"innspect: {shortfall(result)}", err=True)
    return int(ended.exit_code)


def end_gently() -> None:
    """What stops services and containers ends a run as Ctrl-C does: the calls under way come to their end.

    Also where Ctrl-C would be ignored, as it is by what a script starts in the background.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))


def carry_out(
    settings: Settings, members: Portfolio, screen: Console, way: Way, *, refresh: bool, repair: bool, events: bool
) -> Ended:
    """One run, from the lock of the stores to the published copy; `events` tells alerts to Prefect too.

    Raises SettingsError without an address, StoresHeld where another run goes on, and the stores' errors.
    """
    if not settings.service.base_url:
        raise SettingsError(
            "The service has no address; set service.base_url or --base-url, or try it with --sandbox.",
            key="service.base_url",
        )
    finish(settings)
    with opened(settings) as stores:
        _keep_apart(settings)
        now = utc_now()
        if not stores.compute.is_here:
            # Who is not there is told before anything is spent.
            stores.compute.start()
        _recover(stores, settings, now, screen)
        members = Tombstones(settings.home).refuse(members)
        plan = _plan(stores, settings, members, now, refresh=refresh)
        show_plan(plan, members, settings, screen)
        with Screen(screen, settings.budget.run_kopecks) as watcher:
            job = _job(settings, stores, members, plan, watcher, now, repair=repair and settings.profile().repair)
            result = asyncio.run(_awaited(way, job))
            tell(settings, stores.warehouse, now, screen, events=events and result.planned_calls > 0)
            is_published = publish_run(settings, stores.warehouse, screen)
            copy = whole_copy(settings) if is_published else None
            result.report = after_run(settings, stores.warehouse, members.name, screen, copy)
    return Ended(result, job.stop, is_published)


def _keep_apart(settings: Settings) -> None:
    """Refuse to mix answers of a service with made-up ones. A service on this machine may be anybody's."""
    near = is_near(settings.service.base_url)
    made_up = near and settings.api_key is not None and settings.api_key.get_secret_value() == KEY
    with home_faults(settings.home):
        if made_up or not near:
            keep_apart(settings.home, SANDBOX if made_up else SERVICE)


async def _awaited(way: Way, job: Job) -> Result:
    return await way(job)


def shortfall(result: Result) -> str:
    """Why a run that went to its end has not all that it planned, and what to do next."""
    if result.exit_code is Exit.BUDGET:
        return (
            f"The budget has no room for {result.skipped_for_budget} INNs; raise --budget, or the other caps in "
            "`budget` of the settings, and run again, what was paid for is loaded."
        )
    return "Some calls brought no usable answer; run again to ask these anew, what came is loaded."


def plan(given: Given, portfolio: str, *, refresh: bool, repair: bool, direct: bool) -> int:
    """What a run would ask and cost; asks nothing and changes nothing."""
    del direct
    settings, members = _read(given, portfolio)
    now = utc_now()
    finish(settings)
    with opened(settings) as stores:
        _recover(stores, settings, now, console(to_stderr=True))
        members = Tombstones(settings.home).refuse(members)
        planned = _plan(stores, settings, members, now, refresh=refresh)
    if given.json:
        typer.echo(json_text.dumps(plan_json(planned, members, settings, repair=repair), ensure_ascii=False))
    else:
        show_plan(planned, members, settings, console())
    return int(Exit.OK)


def _read(given: Given, portfolio: str) -> tuple[Settings, Portfolio]:
    settings = given.settings()
    settings.profile()
    stdin = sys.stdin.buffer.read() if portfolio == "-" else None
    with waiting("Reading the portfolio"):
        return settings, read_portfolio(portfolio, stdin)


def with_sandbox(settings: Settings, url: str) -> Settings:
    """The settings with the embedded sandbox for a service."""
    service = settings.service.model_copy(update={"base_url": url, "requests_per_second": 1000.0})
    return settings.model_copy(update={"service": service, "api_key": SecretStr(KEY)})


def _recover(stores: Stores, settings: Settings, now: datetime, screen: Console) -> None:
    with interruptible():
        loaded = recover(stores, settings.source_timezone, now)
    if loaded:
        if isinstance(settings.archive, str):
            said = f"Other homes, or an earlier run, left {loaded} files of answers: they were loaded, free of charge."
        else:
            said = f"An earlier run was cut short: {loaded} files of its answers were loaded, free of charge."
        screen.print(said)
    if stores.warehouse.added:
        screen.print(
            f"New columns, empty for older answers until `innspect rebuild`: {', '.join(stores.warehouse.added)}."
        )


def _plan(stores: Stores, settings: Settings, members: Portfolio, now: datetime, *, refresh: bool) -> Plan:
    with waiting("Looking up what is known"), interruptible():
        known = freshness(stores.warehouse, members.members)
        silent = unrepaired(stores.warehouse, members.members)
    budget = settings.budget
    others = stores.ledger.left("", Caps(day=budget.day_kopecks, month=budget.month_kopecks))
    left = budget.run_kopecks if others is None else min(others, budget.run_kopecks)
    return make_plan(
        members.members,
        known,
        settings.profile(),
        budget.price_kopecks,
        left,
        now,
        refresh=refresh,
        unrepaired=silent,
    )


def _job(
    settings: Settings, stores: Stores, members: Portfolio, plan: Plan, watcher: Watcher, now: datetime, *, repair: bool
) -> Job:
    budget = settings.budget
    run_id = new_run_id(now, members.name, stores.ledger.has_run, stores.sign)
    result = Result(
        run_id=run_id,
        portfolio=members.name,
        profile=settings.default_profile,
        accepted=members.members.height,
        rejected=members.rejected.height,
        budget=budget.run_kopecks,
        planned_calls=plan.calls.height,
        warehouse=stores.warehouse.name,
    )
    caps = Caps(budget.run_kopecks, budget.day_kopecks, budget.month_kopecks, budget.keep_balance_kopecks)
    return Job(run_id, settings, stores, members, plan, caps, watcher, utc_now, result, repair)


async def _carried_out(job: Job, *, direct: bool, beforehand: Callable[[], None] | None) -> Result:
    if beforehand is not None and job.asks:
        beforehand()
    if direct or job.plan.calls.is_empty():
        # Nothing to orchestrate is no reason to wait for a server.
        return await check(job, check_batch)
    if "PREFECT_API_URL" not in os.environ:
        job.watcher.note("Starting Prefect's temporary server; --direct does without.")
    from innspect.flows.prefect.run_flow import check_with_prefect  # noqa: PLC0415 (three seconds that only this way has to pay)

    return await check_with_prefect(job)


def show_plan(plan: Plan, members: Portfolio, settings: Settings, screen: Console) -> None:
    """The plan, as a person reads it."""
    budget = settings.budget.run_kopecks
    rejected = members.rejected.group_by("reason", maintain_order=True).len().rows()
    reasons = ", ".join(f"{count} {reason}" for reason, count in rejected)
    screen.print(
        f"Portfolio {members.name}: {members.members.height} INNs"
        + (f"; {members.rejected.height} lines rejected ({reasons})" if reasons else "")
        + (f"; {members.restored} leading zeros restored" if members.restored else "")
        + ".",
        soft_wrap=True,
    )
    methods = plan.calls.group_by("method", maintain_order=True).len().rows()
    if methods:
        screen.print(table(["method", "calls"], sorted(methods, key=lambda row: -row[1])))
    asked = plan.calls["inn"].n_unique()
    screen.print(
        f"Plan: {plan.calls.height} calls for {asked} INNs, {plan.fresh} INNs are fresh. Cost: {shown(plan.expected)} "
        f"(at least {shown(plan.minimum)}, with repairs at most {shown(plan.maximum)}) of a budget of {shown(budget)}.",
        soft_wrap=True,
    )
    if plan.unaskable:
        screen.print(f"{plan.unaskable} INNs have none of the profile's blocks.")
    if plan.left_out.height:
        named = ", ".join(plan.left_out["inn"].head(NAMED).to_list())
        more = f" and {plan.left_out.height - NAMED} more" if plan.left_out.height > NAMED else ""
        screen.print(f"Left out for want of budget: {named}{more}.", soft_wrap=True)


def plan_json(plan: Plan, members: Portfolio, settings: Settings, *, repair: bool) -> dict[str, object]:
    """The plan as JSON; money as text with two decimals."""
    return {
        "portfolio": members.name,
        "profile": settings.default_profile,
        "accepted": members.members.height,
        "rejected": members.rejected.height,
        "restored": members.restored,
        "planned_calls": plan.calls.height,
        "calls": dict(plan.calls.group_by("method", maintain_order=True).len().rows()),
        "fresh": plan.fresh,
        "minimum_rub": as_text(plan.minimum),
        "expected_rub": as_text(plan.expected),
        "maximum_rub": as_text(plan.maximum if repair else plan.expected),
        "budget_rub": as_text(settings.budget.run_kopecks),
        "skipped_for_budget": plan.left_out.height,
        "left_out": [
            {"inn": inn, "cost_rub": as_text(cost), "reason": reason}
            for inn, cost, reason in plan.left_out.select("inn", "cost", "reason").iter_rows()
        ],
    }
