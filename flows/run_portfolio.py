"""Run a portfolio: recover, plan, call, seal, load, repair, publish, alert and report, with Prefect or without."""

import asyncio
import gc
import re
import signal
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import count as count_from
from math import ceil
from time import monotonic
from typing import TYPE_CHECKING, Any

import polars as pl
from rich.console import Console

from innspect.extract.clock import check_clock
from innspect.extract.failpoints import failpoint
from innspect.extract.home.provenance import check_provenance
from innspect.extract.ledger.async_writer import AsyncLedger
from innspect.extract.log_events import log_event
from innspect.extract.planner.planner import Plan, cut_batches, plan_repair
from innspect.extract.portfolio.reader import Portfolio
from innspect.flows.account_summary import summarize_account
from innspect.flows.assess import assess_loaded_inns
from innspect.flows.batch_pipeline import BatchPipeline, BatchRunner, run_directly
from innspect.flows.erase import finish_erasure
from innspect.flows.expand import first_wave, print_wave, settings_of_wave
from innspect.flows.load import load_record_file, load_response_files, loading_limit
from innspect.flows.notify.after_run import send_after_run
from innspect.flows.notify.alerts import Alert, send_alerts
from innspect.flows.notify.failures import record_killed_runs
from innspect.flows.open_home import (
    RUN_ID_DIGITS,
    Stores,
    open_home,
    software_version,
    translate_home_errors,
    utc_now,
)
from innspect.flows.plan_portfolio import plan_portfolio, recover_and_plan
from innspect.flows.plan_summary import print_plan
from innspect.flows.policy import apply_policies, date_policies
from innspect.flows.prepared_copy import PreparedCopy
from innspect.flows.progress import ProgressDisplay
from innspect.flows.publish import find_complete_copy, publish_after_run
from innspect.flows.run_result import EXIT_PRECEDENCE, RunResult
from innspect.flows.run_state import PortfolioRun, RunState
from innspect.flows.sandbox_process import service_provenance
from innspect.flows.seal import seal_calls, seal_outbox, seal_portfolio, seal_run
from innspect.flows.write_report import write_report_after_run
from innspect.reports.format import roubles_text
from innspect.reports.i18n.catalog import count_of
from innspect.reports.portfolio_report.vega_process import VegaProcess
from innspect.schemas.errors import (
    BudgetEnded,
    Exit,
    InnspectError,
    Refused,
    ServiceUnreachable,
    SettingsError,
    StoreError,
    UsageError,
)
from innspect.schemas.settings import Settings
from innspect.schemas.states import SnapshotState
from innspect.warehouse.interrupts import interruptible

if TYPE_CHECKING:
    from innspect.extract.service.paid_calls import PaidCalls

MIN_BATCH_SECONDS = 1.0
"""Batches are cut smaller towards the end of a run, but not below the calls of this time: see `cut_batches`."""
MAX_LOADED_AFTER_INTERRUPTION = 50
"""If more responses than these wait after an interruption, they are sealed, and the next start loads them."""
MAX_RECORDED_AFTER_INTERRUPTION = 5_000
"""If an interrupted run made more calls, the next start archives its record: that takes a second for 100,000."""


CallMaker = Callable[[PortfolioRun], Coroutine[Any, Any, RunResult]]
"""Makes the calls of a run: `make_calls`, or the same inside a Prefect flow."""
ResultViewer = Callable[[Stores, RunResult], None]
"""Shows the result of a run while its stores are open."""


def stop_on_signals() -> None:
    """Let SIGTERM and SIGINT interrupt a run, which completes its open calls.

    Python ignores SIGINT in a process that a script starts in the background; its handler is installed again.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))


def run_portfolio(
    settings: Settings,
    portfolio: Portfolio,
    screen: Console,
    call_maker: CallMaker,
    *,
    refresh: bool = False,
    repair: bool = True,
    emit_events: Callable[[Sequence[Alert]], None] | None = None,
    show_result: ResultViewer | None = None,
) -> RunResult:
    """Run a portfolio, from the lock of the home to the report; `emit_events` emits alerts as Prefect events.

    `show_result` is called when everything is assessed, before it is published. An error that ends the calls early is
    `stop` of the result. Raises SettingsError without an address of the service, StoresHeld while another run holds the
    home, and the errors of the stores.
    """
    if not settings.service.base_url:
        raise SettingsError(
            "The service has no address; set service.base_url or --base-url, or try it with --sandbox.",
            key="service.base_url",
        )
    finish_erasure(settings, screen.print)
    with open_home(settings, screen.print) as stores, PreparedCopy(settings, stores.warehouse) as prepared:
        _check_provenance(settings)
        started_at = utc_now()
        if not stores.compute.is_local:
            # A missing cluster must be reported before money is spent.
            stores.compute.start()
        record_killed_runs(settings, stores.ledger, stores.home_id, screen)
        apply_policies(stores.warehouse, stores.archive, settings.policies, started_at)
        portfolio, plan = recover_and_plan(stores, settings, portfolio, started_at, screen, refresh=refresh)
        print_plan(plan, portfolio, settings, screen, repair=repair)
        # A run that was killed may have been loaded and assessed, and planning reads much.
        stores.warehouse.release_memory()
        result = _run_plan(stores, settings, portfolio, plan, prepared, screen, call_maker, repair=repair)
        _assess(stores)
        if settings.profile().expand:
            waves = _run_waves(stores, settings, portfolio, result, prepared, screen, call_maker, repair=repair)
            result = result.with_waves(waves)
        send_alerts(
            settings, stores.warehouse, started_at, screen, emit_events=emit_events if result.planned_calls else None
        )
        if show_result is not None:
            show_result(stores, result)
        with _start_drawing(settings) as vega:
            is_published = publish_after_run(settings, stores.warehouse, screen, prepared, may_keep_parquet=True)
            copy = find_complete_copy(settings) if is_published else None
            report = write_report_after_run(settings, stores.warehouse, portfolio.name, screen, copy, vega=vega)
        send_after_run(settings, stores, started_at, screen)
    # A complete run whose published copy is out of date must not exit with OK.
    code = Exit.FAULT if result.exit_code is Exit.OK and not is_published else result.exit_code
    return replace(result, report=report, is_published=is_published, exit_code=code)


def _run_plan(
    stores: Stores,
    settings: Settings,
    portfolio: Portfolio,
    plan: Plan,
    prepared: PreparedCopy,
    screen: Console,
    call_maker: CallMaker,
    *,
    repair: bool,
) -> RunResult:
    """Make the calls of a plan as a run of its own."""
    limit = loading_limit(stores.warehouse)
    with ProgressDisplay(screen, settings.budget.run_kopecks) as progress, stores.warehouse.limited_memory(limit):
        run_id = new_run_id(utc_now(), portfolio.name, stores.ledger.has_run, stores.run_id_suffix)
        repair = repair and settings.profile().repair
        state = RunState(plan, plan.calls.height)
        run = PortfolioRun(run_id, settings, stores, portfolio, progress, repair, state, prepared)
        log_event(
            "run.started",
            run_id=run_id,
            portfolio=portfolio.name,
            profile=settings.default_profile,
            inns=portfolio.members.height,
            planned_calls=plan.calls.height,
            budget_rub=roubles_text(settings.budget.run_kopecks),
        )
        result = asyncio.run(call_maker(run))
    log_event(
        "run.finished",
        run_id=run_id,
        exit_code=int(result.exit_code),
        calls=result.calls,
        charged_rub=roubles_text(result.charged),
        unknown_rub=roubles_text(result.unknown),
        new_versions=result.new_versions,
        changes=result.changes,
        stop=None if result.stop is None else result.stop.message,
        seconds=round(result.seconds, 3),
    )
    return result


def _run_waves(
    stores: Stores,
    settings: Settings,
    portfolio: Portfolio,
    result: RunResult,
    prepared: PreparedCopy,
    screen: Console,
    call_maker: CallMaker,
    *,
    repair: bool,
) -> list[RunResult]:
    """Run the waves of an expansion, after its members are assessed; each as long as the one before is complete.

    All waves together spend at most what the members leave of the run's budget. `--refresh` is about the members only:
    a wave never requests what is fresh.
    """
    waves: list[RunResult] = []
    wave, last = first_wave(stores, settings, portfolio), result
    while wave is not None and last.stop is None and last.exit_code in (Exit.OK, Exit.INCOMPLETE):
        spent = sum(done.cost for done in waves)
        of_wave = settings_of_wave(settings, result.remaining_budget - spent, spent)
        members, plan = plan_portfolio(stores, of_wave, wave.portfolio, utc_now(), refresh=False)
        print_wave(wave, plan, of_wave, screen, repair=repair)
        last = _run_plan(stores, of_wave, members, plan, prepared, screen, call_maker, repair=repair)
        waves.append(last)
        _assess(stores)
        wave = wave.next(stores, settings)
    return waves


def _assess(stores: Stores) -> None:
    date_policies(stores.warehouse, stores.archive)
    with interruptible():
        assess_loaded_inns(stores.warehouse)


def _start_drawing(settings: Settings) -> AbstractContextManager[VegaProcess | None]:
    """Start the process that draws the figures of the report: it is ready when the copy is published."""
    return VegaProcess() if settings.report.after_run else nullcontext()


def _check_provenance(settings: Settings) -> None:
    """Refuse to mix responses of the service and of the sandbox in one home; accept any other loopback service."""
    if provenance := service_provenance(settings):
        with translate_home_errors(settings.home):
            check_provenance(settings.home, provenance)


def new_run_id(now: datetime, portfolio: str, is_taken: Callable[[str], bool], home_id: str = "") -> str:
    """The id of a new run: start and portfolio, and a number if that id is taken.

    Homes that share a ledger may start in the same second; their ids contain the beginning of `home_id`.
    """
    name = re.sub(r"[^\w-]+", "_", portfolio)[:60] or "portfolio"
    base = f"{now:%Y%m%dT%H%M%S}-{name}" + (f"-{home_id[:RUN_ID_DIGITS]}" if home_id else "")
    ids = (base if number == 1 else f"{base}-{number}" for number in count_from(1))
    return next(run_id for run_id in ids if not is_taken(run_id))


async def make_calls(run: PortfolioRun, run_batch: BatchRunner = run_directly) -> RunResult:
    """Make the calls of a run; load and record what they returned.

    Raises the errors of the stores; received responses are kept then too, and the next run loads them.
    """
    started, code = monotonic(), Exit.FAULT
    _record_start(run)
    try:
        async with _connect(run) as paid_calls:
            if paid_calls is not None:
                await _call_plan(run, paid_calls, run_batch)
        code = _exit_code(run)
    except (asyncio.CancelledError, KeyboardInterrupt):
        code = Exit.INTERRUPTED
        # The process ends: no collection of cycles, which takes up to half a second, holds that up.
        gc.freeze()
        raise
    except InnspectError as error:
        code = error.exit_code
        raise
    finally:
        # Closing the client waited for the open calls: every paid response is in the outbox now.
        _record_end(run, code)
    return _build_result(run, code, monotonic() - started)


def _record_start(run: PortfolioRun) -> None:
    """Record the run, its members and the rejected lines."""
    at = utc_now()
    run.stores.ledger.start_run(
        run.run_id,
        portfolio=run.portfolio.name,
        profile=run.settings.default_profile,
        budget=run.settings.budget.run_kopecks,
        at=at,
        software_version=software_version(),
        home=run.stores.home_id,
    )
    for kind, file in seal_portfolio(run.stores, run.run_id, run.portfolio, at):
        load_record_file(run.stores, kind, file)


@asynccontextmanager
async def _connect(run: PortfolioRun) -> AsyncGenerator["PaidCalls | None"]:
    """Open the client of the service; None if the run has no calls. Raises SettingsError without a key."""
    settings = run.settings
    if settings.api_key is None:
        raise SettingsError("There is no API key; set INNSPECT_API_KEY, or try `--sandbox`.", key="api_key")
    if not run.has_calls:
        yield None
        return
    # A run without calls does not load HTTP.
    from innspect.extract.service.client import ServiceClient  # noqa: PLC0415
    from innspect.extract.service.paid_calls import PaidCalls  # noqa: PLC0415

    async with (
        AsyncLedger(run.stores.ledger, run.caps, settings.service.concurrency) as ledger,
        ServiceClient(settings.service, settings.api_key, utc_now) as client,
        PaidCalls(client, ledger, settings.budget.price_kopecks) as paid_calls,
    ):
        yield paid_calls


async def _call_plan(run: PortfolioRun, paid_calls: "PaidCalls", run_batch: BatchRunner) -> None:
    """Make the planned calls, then the repairs, and reconcile unknown calls with the balance of the account."""
    ledger, state = run.stores.ledger, run.state
    try:
        check_clock(await paid_calls.client.ping(), run.settings.service.max_clock_skew_seconds)
        balance = await paid_calls.update_balance(run.run_id)
    except (Refused, ServiceUnreachable, UsageError) as error:
        state.stop = error
        return
    if balance is not None:
        # Only now is it known what the account can pay for: skip the INNs whose calls it cannot pay for in full.
        left = ledger.remaining_budget(run.run_id, run.caps)
        state.plan = state.plan if left is None else state.plan.limit_to_budget(left)
        state.planned_calls = state.plan.calls.height
    run.progress.add_planned(state.planned_calls)
    await _run_batches(run, paid_calls, run_batch)
    await _reconcile(run, paid_calls)


async def _run_batches(run: PortfolioRun, paid_calls: "PaidCalls", run_batch: BatchRunner) -> None:
    """Request, seal and load the calls of the plan, then the repairs, which are planned when all of them are loaded."""
    state, service, warehouse = run.state, run.settings.service, run.stores.warehouse

    def interrupt_load() -> None:
        state.is_interrupted.set()
        warehouse.interrupt()

    pipeline = BatchPipeline(
        partial(_call_batch, run, paid_calls),
        partial(_seal_responses, run),
        partial(_load_sealed, run),
        run_batch,
        None if warehouse.is_shared else interrupt_load,
        partial(_prepare_copy, run),
    )

    async def run_calls(calls: pl.DataFrame) -> None:
        least = ceil(service.requests_per_second * MIN_BATCH_SECONDS)
        await pipeline.run(cut_batches(calls, service.batch, least), lambda: state.stop is not None)

    await run_calls(state.plan.calls)
    if state.stop is None and run.repair and not (repairs := _plan_repairs(run)).is_empty():
        log_event("repairs.planned", run_id=run.run_id, calls=repairs.height)
        run.progress.note(f"Repairs of blocks without evidence: {count_of(repairs.height, 'call')}.")
        run.progress.add_planned(repairs.height)
        state.planned_calls += repairs.height
        await run_calls(repairs)


async def _call_batch(run: PortfolioRun, paid_calls: "PaidCalls", calls: pl.DataFrame) -> None:
    """Make the calls of one batch concurrently; the first error that stops a run cancels the calls not yet started.

    Raises StoreError if the ledger cannot be written.
    """
    state = run.state

    async def call(inn: str, method: str) -> None:
        if state.stop is None:
            try:
                done = await paid_calls.request(run.run_id, inn, method)
            except InnspectError as error:
                if state.stop is None or isinstance(error, StoreError):
                    state.stop = error
            else:
                state.made[inn] += 1
                state.without_response += done.response_id is None
                run.progress.record_call(done.charged or 0)

    async with asyncio.TaskGroup() as group:
        for inn, method in calls.select("inn", "method").iter_rows():
            group.create_task(call(inn, method))
    if isinstance(state.stop, StoreError):
        raise state.stop
    # The last call of the batch may have stopped the calls without an error of its own.
    state.stop = state.stop or paid_calls.stop


def _seal_responses(run: PortfolioRun) -> None:
    """Seal the responses in the outbox, those of other batches in progress too."""
    with _end_loads_on_error(run.state):
        run.state.unloaded += seal_outbox(run.stores, run.run_id)


def _load_sealed(run: PortfolioRun) -> None:
    """Load the files that are sealed now, in the order of sealing."""
    state = run.state
    if not state.can_load:
        return
    # Another thread may seal more meanwhile.
    for file in list(state.unloaded):
        with _end_loads_on_error(state):
            files = load_response_files(run.stores, [file], run.settings.conventions, state.check_interruption)
            (outcome,) = files
        state.unloaded.remove(file)
        state.loaded += outcome.loaded
        state.drift += outcome.drift
        state.snapshots.append(outcome.snapshots)


def _prepare_copy(run: PortfolioRun) -> None:
    """Record the calls made, and continue the copy in preparation, if enough INNs were loaded since."""
    state, prepared = run.state, run.prepared
    prepared.add_loaded(sum(frame["inn"].n_unique() for frame in state.snapshots[state.counted_files :]))
    state.counted_files = len(state.snapshots)
    if state.can_load and prepared.is_due(*state.estimate_remaining()):
        _record_calls(run)
        prepared.advance()


def _record_calls(run: PortfolioRun) -> None:
    """Seal and load the calls with a final outcome, so that few are left at the end of the run."""
    state, stores = run.state, run.stores
    until = stores.ledger.newest_outcome_seq(run.run_id)
    with _end_loads_on_error(state):
        state.unloaded_records += seal_calls(stores, run.run_id, state.sealed_seq, until)
        state.sealed_seq = until
        failpoint("after calls seal")
        _load_records(run)


def _load_records(run: PortfolioRun) -> None:
    """Load the sealed records, in the order of sealing."""
    for sealed in list(run.state.unloaded_records):
        load_record_file(run.stores, *sealed)
        run.state.unloaded_records.remove(sealed)


@contextmanager
def _end_loads_on_error(state: RunState) -> Generator[None]:
    try:
        yield
    except BaseException:
        state.can_load = False
        raise


def _plan_repairs(run: PortfolioRun) -> pl.DataFrame:
    """The repairs that the budget allows, of this run and of an earlier interrupted one; shape of `Plan.calls`."""
    plan = run.state.plan
    earlier = plan.unrepaired
    snapshots = pl.concat([earlier, *(frame.select(earlier.columns) for frame in run.state.snapshots)])
    wanted = pl.concat([plan.requested_blocks, earlier.select("inn", "block")])
    left = run.stores.ledger.remaining_budget(run.run_id, run.caps)
    settings = run.settings
    return plan_repair(snapshots, wanted, settings.budget.price_kopecks, left, settings.service.person_methods)


async def _reconcile(run: PortfolioRun, paid_calls: "PaidCalls") -> None:
    """Settle unknown calls by the balance of the account, if nobody else spends from it."""
    ledger, stop = run.stores.ledger, run.state.stop
    is_stopped = stop is not None and not isinstance(stop, BudgetEnded)
    if is_stopped or not run.settings.budget.account_is_ours or not ledger.run_figures(run.run_id).unknown_calls:
        return
    try:
        balance = await paid_calls.update_balance()
    except (Refused, ServiceUnreachable):
        return
    if balance is not None:
        ledger.reconcile(run.run_id, balance)


def _exit_code(run: PortfolioRun) -> Exit:
    state, codes = run.state, {Exit.OK}
    if state.stop is not None:
        codes.add(state.stop.exit_code)
    if state.plan.skipped.height:
        codes.add(Exit.BUDGET)
    ledger = run.stores.ledger
    has_failed = any((frame["state"] == SnapshotState.FAILED).any() for frame in state.snapshots)
    # Every response is sealed by now, but for those whose body is damaged.
    has_damaged = ledger.newest_outbox_seq(run.run_id) > 0
    if has_failed or has_damaged or state.without_response or ledger.run_figures(run.run_id).unknown_calls:
        codes.add(Exit.INCOMPLETE)
    return next((code for code in EXIT_PRECEDENCE if code in codes), max(codes))


def _record_end(run: PortfolioRun, code: Exit) -> None:
    """Seal and load the remaining responses, finish the run in the ledger, and archive its record.

    After an interruption much of that is left to the next start, as after a kill: nobody waits for it now.
    """
    stores, is_interrupted = run.stores, code is Exit.INTERRUPTED
    are_many = run.state.unloaded or stores.ledger.count_outbox(stores.home_id) > MAX_LOADED_AFTER_INTERRUPTION
    _seal_responses(run)
    # The load that was interrupted may have ended with its result; this one is not to be interrupted.
    run.state.is_interrupted.clear()
    if not is_interrupted or not are_many:
        _load_sealed(run)
    stores.ledger.finish_run(run.run_id, int(code), utc_now())
    stores.warehouse.refresh_raw_view()
    if is_interrupted and stores.ledger.run_figures(run.run_id).calls > MAX_RECORDED_AFTER_INTERRUPTION:
        return
    if not is_interrupted:
        stores.warehouse.drop_pages()
    run.state.unloaded_records += seal_run(stores, run.run_id, run.state.sealed_seq)
    _load_records(run)


def _build_result(run: PortfolioRun, code: Exit, seconds: float) -> RunResult:
    state, loaded = run.state, run.state.loaded
    spent = run.stores.ledger.run_figures(run.run_id)
    states = Counter(state for frame in run.state.snapshots for state in frame["state"])
    return RunResult(
        run_id=run.run_id,
        portfolio=run.portfolio.name,
        profile=run.settings.default_profile,
        accepted=run.portfolio.members.height,
        rejected=run.portfolio.rejected.height,
        budget=run.settings.budget.run_kopecks,
        planned_calls=state.planned_calls,
        calls=spent.calls,
        charged=spent.settled,
        unknown=spent.unknown,
        skipped_for_budget=state.plan.skipped.height + _count_unfinished_inns(state),
        snapshots={state: states[state] for state in SnapshotState},
        new_versions=loaded.new_versions,
        unchanged=loaded.unchanged,
        changes=loaded.changes,
        violations=loaded.violations,
        quarantined=loaded.quarantined,
        drift=state.drift,
        warehouse=run.stores.warehouse.name,
        seconds=seconds,
        exit_code=code,
        stop=state.stop,
        account=summarize_account(run.stores.ledger.account_figures(), run.settings, utc_now()),
    )


def _count_unfinished_inns(state: RunState) -> int:
    """Planned INNs that lack a call because a cap was reached during the run; concurrent runs share the day's cap."""
    if not isinstance(state.stop, BudgetEnded):
        return 0
    # Repairs follow when all planned calls are made, so only planned ones can be lacking.
    planned = state.plan.calls.group_by("inn").len()
    return sum(state.made[inn] < calls for inn, calls in planned.iter_rows())
