"""One run: plan, ask, seal, load, repair, record. The same functions with Prefect and without."""

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from importlib.metadata import version
from itertools import count as count_from
from time import monotonic
from typing import TYPE_CHECKING

import polars as pl

from innspect.extract.ledger.async_writer import LedgerFront
from innspect.extract.ledger.operations import Caps
from innspect.extract.planner.planner import Plan, plan_repair
from innspect.extract.portfolio.reader import Portfolio
from innspect.flows.load import Outcome
from innspect.flows.open_home import Clock, Stores
from innspect.flows.progress import Watcher
from innspect.flows.recovery import load_file, load_record_file, record, seal
from innspect.flows.run_result import Result
from innspect.schemas.errors import (
    BudgetEnded,
    Exit,
    InnspectError,
    Refused,
    ServiceUnreachable,
    SettingsError,
    StoreError,
)
from innspect.schemas.settings import Settings
from innspect.warehouse.ddl import fingerprint
from innspect.warehouse.load.load import Loaded

if TYPE_CHECKING:
    from innspect.extract.service.client import Client

PRECEDENCE = (Exit.REFUSED, Exit.BUDGET, Exit.INCOMPLETE)


@dataclass(slots=True)
class Job:
    """A run under way: what it was asked, what it works with, and what it has so far."""

    run_id: str
    settings: Settings
    stores: Stores
    portfolio: Portfolio
    plan: Plan
    caps: Caps
    watcher: Watcher
    clock: Clock
    result: Result
    repair: bool = True
    client: "Client | None" = None
    stop: InnspectError | None = None
    unanswered: int = 0
    """Calls that brought no answer at all, in whatever way they ended."""
    made: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """INNs and methods of the calls that were made."""
    loaded: Loaded = field(default_factory=Loaded)
    snapshots: list[pl.DataFrame] = field(default_factory=list[pl.DataFrame])

    @property
    def asks(self) -> bool:
        """Whether there is anything to ask the service."""
        return not self.plan.calls.is_empty() or (self.repair and self.plan.unrepaired.height > 0)


Runner = Callable[[Job, pl.DataFrame], Awaitable[None]]
"""Runs `check_batch`, as it is or as a Prefect task."""


async def check(job: Job, run_batch: Runner) -> Result:
    """Carry out a job; every error that stops a run is in its result, with all that was received loaded.

    Raises the stores' errors; what was received is kept then too, and the next run loads it.
    """
    begun = monotonic()
    code = Exit.FAULT
    _start(job)
    try:
        async with _connected(job):
            await _ask_all(job, run_batch)
        code = _exit(job)
    except (asyncio.CancelledError, KeyboardInterrupt):
        code = Exit.INTERRUPTED
        raise
    except InnspectError as error:
        code = error.exit_code
        raise
    finally:
        # Leaving the client waited for the calls under way: now everything that was paid for is in the outbox.
        _finish(job, code, begun)
    return job.result


@asynccontextmanager
async def _connected(job: Job) -> AsyncGenerator[None]:
    settings = job.settings
    if settings.api_key is None:
        raise SettingsError("There is no API key; set INNSPECT_API_KEY, or try `--sandbox`.", key="api_key")
    if not job.asks:
        # Nobody is there to be asked: certificates and HTTP are not even loaded.
        yield
        return
    from innspect.extract.service.client import Client  # noqa: PLC0415

    async with (
        LedgerFront(job.stores.ledger, job.caps) as front,
        Client(settings.service, settings.api_key, front, settings.budget.price_kopecks, job.clock) as job.client,
    ):
        yield


async def _ask_all(job: Job, run_batch: Runner) -> None:
    """The plan, batch by batch, then repairs and reconciliation."""
    if not job.asks:
        return
    assert job.client is not None
    try:
        await job.client.ping()
        before = (await job.client.account()).balance
    except (Refused, ServiceUnreachable) as error:
        job.stop = error
        return
    if before is not None:
        job.stores.ledger.read_balance(before, job.stores.ledger.next_seq(), job.run_id)
        # What the account may spare is only known now: who does not fit is left out whole here too.
        left = job.stores.ledger.left(job.run_id, job.caps)
        job.plan = job.plan if left is None else job.plan.within(left)
        job.result.planned_calls = job.plan.calls.height
    job.watcher.planned(job.plan.calls.height)
    for batch in job.plan.batches(job.settings.service.batch):
        await run_batch(job, batch)
        if job.stop:
            break
    if job.repair and job.stop is None:
        await _repair(job, run_batch)
    await _reconcile(job)


async def check_batch(job: Job, calls: pl.DataFrame) -> None:
    """Ask one batch, seal what came, load it."""
    await _ask(job, calls)
    for file in seal(job.stores, job.run_id):
        await _load(job, file)


async def _load(job: Job, file: str) -> None:
    """Load one file in a thread, to its end even where the run is interrupted: the warehouse has one connection."""
    loading = asyncio.create_task(asyncio.to_thread(load_file, job.stores, file, job.settings.source_timezone))
    try:
        outcome = await asyncio.shield(loading)
    except asyncio.CancelledError:
        _count(job, await loading)
        raise
    _count(job, outcome)


async def _ask(job: Job, calls: pl.DataFrame) -> None:
    """Make the calls of a batch, many at once; the first error that stops a run stops the rest of it.

    Raises StoreError where the ledger cannot be written.
    """
    client = job.client
    assert client is not None

    async def one(inn: str, method: str) -> None:
        if job.stop is None:
            try:
                done = await client.check(job.run_id, inn, method)
            except InnspectError as error:
                if job.stop is None or isinstance(error, StoreError):
                    job.stop = error
            else:
                job.made.add((inn, method))
                job.unanswered += done.response_id is None
                job.watcher.called(done.charged or 0)

    async with asyncio.TaskGroup() as group:
        for inn, method in calls.select("inn", "method").iter_rows():
            group.create_task(one(inn, method))
    if isinstance(job.stop, StoreError):
        raise job.stop
    # The last call may have brought the reason to make no other.
    job.stop = job.stop or client.stopped


def _count(job: Job, outcome: Outcome) -> None:
    job.loaded += outcome.loaded
    job.result.drift += outcome.drift
    job.snapshots.append(outcome.snapshots)


async def _repair(job: Job, run_batch: Runner) -> None:
    """Ask silent blocks once more by their own methods, within what is left; those of a run cut short too."""
    left, before = job.stores.ledger.left(job.run_id, job.caps), job.plan.unrepaired
    silent = pl.concat([before, *(frame.select(before.columns) for frame in job.snapshots)])
    wanted = pl.concat([job.plan.wanted, before.select("inn", "block")])
    calls = plan_repair(silent, wanted, job.settings.budget.price_kopecks, left)
    if calls.is_empty():
        return
    job.watcher.note(f"Asking {calls.height} silent blocks once more.")
    job.watcher.planned(calls.height)
    job.result.planned_calls += calls.height
    for start in range(0, calls.height, job.settings.service.batch):
        await run_batch(job, calls.slice(start, job.settings.service.batch))
        if job.stop:
            return


async def _reconcile(job: Job) -> None:
    """Let the account's balance settle unknown calls, where nobody else spends from it."""
    stopped = job.stop is not None and not isinstance(job.stop, BudgetEnded)
    if not job.settings.budget.account_is_ours or stopped or not job.stores.ledger.unknown_calls(job.run_id):
        return
    assert job.client is not None
    try:
        balance = (await job.client.account()).balance
    except (Refused, ServiceUnreachable):
        return
    if balance is not None:
        job.stores.ledger.reconcile(job.run_id, balance)


def _start(job: Job) -> None:
    """Note that the run begins, who is watched, and which lines were refused."""
    job.stores.ledger.start_run(
        job.run_id,
        portfolio=job.portfolio.name,
        profile=job.result.profile,
        budget=job.result.budget,
        at=job.clock(),
        software_version=software_version(),
        home=job.stores.home,
    )
    _record_members(job)


def _record_members(job: Job) -> None:
    """Seal and load who is watched and which lines were refused."""
    members = job.portfolio.members.select(
        pl.lit(job.run_id).alias("run_id"),
        pl.lit(job.portfolio.name).alias("portfolio"),
        "inn",
        "name",
        "priority",
        "tags",
        "extra",
        pl.lit(job.clock(), dtype=pl.Datetime("us")).alias("seen_at"),
    )
    rejected = job.portfolio.rejected.select(
        pl.lit(job.run_id).alias("run_id"), pl.lit(job.portfolio.name).alias("portfolio"), "line", "value", "reason"
    )
    for kind, frame in (("members", members), ("rejected", rejected)):
        if frame.height:
            file = job.stores.archive.seal(kind, job.run_id, frame)
            if file is not None:
                load_record_file(job.stores, kind, file)


def _exit(job: Job) -> Exit:
    codes: set[Exit] = {Exit.OK}
    if job.stop is not None:
        codes.add(job.stop.exit_code)
    if job.plan.left_out.height:
        codes.add(Exit.BUDGET)
    failed = job.snapshots and pl.concat(job.snapshots).filter(pl.col("state") == "failed").height
    if failed or job.unanswered or job.stores.ledger.unknown_calls(job.run_id):
        codes.add(Exit.INCOMPLETE)
    return next((code for code in PRECEDENCE if code in codes), max(codes))


def _finish(job: Job, code: Exit, begun: float) -> None:
    """Close the run in the ledger, seal and load its records, and sum up."""
    ledger, result = job.stores.ledger, job.result
    for file in seal(job.stores, job.run_id):
        _count(job, load_file(job.stores, file, job.settings.source_timezone))
    ledger.finish_run(job.run_id, int(code), job.clock())
    for kind, file in record(job.stores, job.run_id):
        load_record_file(job.stores, kind, file)
    job.stores.warehouse.point_at_archive()
    spent = ledger.run_figures(job.run_id)
    result.calls, result.charged, result.unknown = spent.calls, spent.settled, spent.unknown
    result.skipped_for_budget = job.plan.left_out.height + _cut_short(job)
    for frame in job.snapshots:
        for state, count in frame.group_by("state").len().rows():
            result.snapshots[state] += count
    loaded = job.loaded
    result.new_versions, result.unchanged, result.changes = loaded.new_versions, loaded.unchanged, loaded.changes
    result.violations, result.quarantined = loaded.violations, loaded.quarantined
    result.seconds, result.exit_code = monotonic() - begun, code


def _cut_short(job: Job) -> int:
    """The INNs of the plan that were not asked, or not whole, since a cap was used up on the way, by others say."""
    if not isinstance(job.stop, BudgetEnded):
        return 0
    return len(
        {inn for inn, method in job.plan.calls.select("inn", "method").iter_rows() if (inn, method) not in job.made}
    )


def software_version() -> str:
    """The program's version and that of its declarations."""
    return f"{version('innspect')}+{fingerprint()}"


def new_run_id(now: datetime, portfolio: str, taken: Callable[[str], bool], home: str = "") -> str:
    """A run's id: when it started, and which portfolio; a number more where that is taken.

    Homes that share a ledger may start in the same second: theirs has the beginning of the home's name too.
    """
    name = re.sub(r"[^\w-]+", "_", portfolio)[:60] or "portfolio"
    base = f"{now:%Y%m%dT%H%M%S}-{name}" + (f"-{home[:8]}" if home else "")
    ids = (base if number == 1 else f"{base}-{number}" for number in count_from(1))
    return next(one for one in ids if not taken(one))
