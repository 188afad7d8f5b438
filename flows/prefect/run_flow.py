"""The run as a Prefect flow: one task a batch, artifacts while it goes on. The functions are those of `flows/check.py`.

Parameters of flow and tasks are names and numbers only: what Prefect sees it stores, and the API key must not be there.
"""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

QUIET = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
    "PREFECT_LOGGING_LEVEL": "WARNING",
}
for _name, _value in QUIET.items():
    # Prefect reads these when it is imported: they are set before, unless the user has set them.
    os.environ.setdefault(_name, _value)

import polars as pl  # noqa: E402
from prefect import flow, task  # noqa: E402
from prefect.artifacts import (  # noqa: E402
    acreate_markdown_artifact,
    acreate_progress_artifact,
    acreate_table_artifact,
    aupdate_progress_artifact,
)
from prefect.cache_policies import NO_CACHE  # noqa: E402
from prefect.task_runners import TaskRunner  # noqa: E402

from innspect.extract.home.tombstones import Tombstones  # noqa: E402
from innspect.flows.executors import Compute, Part, batch_of  # noqa: E402
from innspect.flows.prefect import job_registry as under_way  # noqa: E402
from innspect.flows.run_portfolio import Job, check, check_batch  # noqa: E402
from innspect.flows.run_result import Result  # noqa: E402
from innspect.reports.format import shown  # noqa: E402
from innspect.transforms.pipeline import Batch  # noqa: E402

SHOWN_CHANGES = 500
"""An artifact is for looking at; all changes are in the warehouse."""
GLANCE_SECONDS = 3.0
COVERAGE = "SELECT state, count(*) FROM mart.coverage WHERE portfolio = $name GROUP BY state ORDER BY 2 DESC, 1"


async def check_with_prefect(job: Job) -> Result:
    """Carry out a job as a flow run, on the Prefect server that is set up, else on a temporary one."""
    compute = job.stores.compute
    flow_of_job = check_portfolio if compute.is_here else check_portfolio.with_options(task_runner=spread_over(compute))
    under_way.JOBS[job.run_id] = job, signal.getsignal(signal.SIGTERM)
    try:
        await flow_of_job(job.run_id, job.portfolio.name, job.result.profile, str(job.result.as_json()["budget_rub"]))
    finally:
        del under_way.JOBS[job.run_id]
    return job.result


@flow(name="check-portfolio", retries=0, persist_result=False, validate_parameters=False)
async def check_portfolio(run_id: str, portfolio: str, profile: str, budget_rub: str) -> None:  # noqa: ARG001
    """The flow run of a job; its parameters are for the UI."""
    job, ending = under_way.JOBS[run_id]
    if callable(ending):
        # Prefect's own handler breaks the event loop off, with calls under way that are paid for.
        signal.signal(signal.SIGTERM, ending)
    if not job.stores.compute.is_here:
        job.stores.compute.through = lambda parts, *rest: transform_file.submit(parts[0][0], parts, *rest)
    try:
        await check_in_flow(job)
    finally:
        job.stores.compute.through = None


def spread_over(compute: Compute) -> TaskRunner[Any]:
    """A task runner that hands tasks to the workers of a cluster."""
    from prefect_dask.task_runners import DaskTaskRunner  # noqa: PLC0415 (only who has a cluster has the extra for it)

    return DaskTaskRunner(address=compute.address)


@task(
    name="transform",
    task_run_name="transform {file}",
    retries=0,
    cache_policy=NO_CACHE,
    persist_result=False,
)
def transform_file(file: str, parts: Sequence[Part], tombstones: Tombstones | None, zone: str) -> Batch:  # noqa: ARG001
    """What a sealed file says, on a worker (`file` is shown in the UI)."""
    return batch_of(parts, tombstones, zone)


@task(
    name="check-batch",
    task_run_name="batch {number}, {calls} calls",
    retries=0,
    cache_policy=NO_CACHE,
    persist_result=False,
)
async def batch(run_id: str, number: int, calls: int) -> None:  # noqa: ARG001 (shown in the UI)
    """Ask, seal and load one batch, in this process."""
    await check_batch(*under_way.BATCHES.pop((run_id, number)))


async def check_in_flow(job: Job) -> Result:
    """Carry out a job inside the flow run that goes on: a task a batch, and the artifacts of the flow run."""
    started = 0

    async def runner(_: Job, calls: pl.DataFrame) -> None:
        nonlocal started
        started += 1
        under_way.BATCHES[job.run_id, started] = job, calls
        await batch(job.run_id, started, calls.height)

    async with _progress(job):
        result = await check(job, runner)
    with _not_worth_the_run(job, "the table of changes"):
        await acreate_table_artifact(table=changes_of(job), key="changes", description="What changed")
    with _not_worth_the_run(job, "the summary"):
        await acreate_markdown_artifact(markdown=summary(result, coverage_of(job)), key="summary")
    return result


@contextmanager
def _not_worth_the_run(job: Job, what: str) -> Generator[None]:
    """A picture of the run is not worth the run: calls under way are paid for, and what was done is loaded."""
    try:
        yield
    except Exception as fault:  # noqa: BLE001 (whatever a server that is gone makes of it)
        job.watcher.note(f"Prefect did not take {what} ({type(fault).__name__}); the run goes on.")


@asynccontextmanager
async def _progress(job: Job) -> AsyncGenerator[None]:
    """A progress artifact that keeps up with the ledger while this lasts."""
    artifact = await acreate_progress_artifact(progress=0.0, key="progress", description=f"Run {job.run_id}")
    glances = asyncio.create_task(_glances(job, artifact))
    try:
        yield
    finally:
        glances.cancel()
        await asyncio.gather(glances, return_exceptions=True)
    await _tell_progress(job, artifact, is_done=True)


async def _glances(job: Job, artifact: UUID) -> None:
    while True:
        await asyncio.sleep(GLANCE_SECONDS)
        await _tell_progress(job, artifact)


async def _tell_progress(job: Job, artifact: UUID, *, is_done: bool = False) -> None:
    spent, planned = job.stores.ledger.run_figures(job.run_id), job.result.planned_calls
    share = 100.0 if is_done and job.stop is None else 100.0 * min(1.0, spent.calls / max(1, planned))
    left = max(0, job.result.budget - spent.settled - spent.unknown)
    says = f"Run {job.run_id}: {spent.calls} of {planned} calls, {shown(spent.settled)} charged, {shown(left)} left"
    with _not_worth_the_run(job, "the progress"):
        await aupdate_progress_artifact(artifact, share, says)


def coverage_of(job: Job) -> dict[str, int]:
    """What is known of the whole portfolio now: INNs times blocks by the state of the latest answer, most first."""
    return dict(job.stores.warehouse.frame(COVERAGE, {"name": job.portfolio.name}).rows())


def changes_of(job: Job) -> list[dict[str, str | None]]:
    """The run's changes, the gravest first, as rows of the artifact."""
    frame = job.stores.warehouse.frame(
        "SELECT severity, inn, table_name, row_key, change, column_name, old_value, new_value FROM lineage.changes "
        "WHERE run_id = $run ORDER BY list_position(['alert', 'notice', 'info'], severity), inn LIMIT $most",
        {"run": job.run_id, "most": SHOWN_CHANGES},
    )
    return frame.to_dicts()


def summary(result: Result, coverage: Mapping[str, int]) -> str:
    """The outcome as Markdown, for the artifact: the run, its money, and what is known of the portfolio now."""
    facts = result.as_json()
    answers = ", ".join(f"{count} {state}" for state, count in result.snapshots.items() if count) or "none"
    rows = [
        ("Portfolio", f"{result.portfolio} ({result.accepted} INNs, {result.rejected} lines rejected)"),
        ("Calls", f"{result.calls} of {result.planned_calls} planned"),
        ("Charged, RUB", str(facts["charged_rub"])),
        ("Unknown, RUB", str(facts["unknown_rub"])),
        ("Left of the budget, RUB", f"{facts['budget_left_rub']} of {facts['budget_rub']}"),
        ("Left out for want of budget", f"{result.skipped_for_budget} INNs"),
        ("Answers", answers),
        ("New versions", str(result.new_versions)),
        ("Changes", str(result.changes)),
        ("Ended", f"{result.exit_code.name.lower()} (exit code {int(result.exit_code)})"),
        ("Took", str(timedelta(seconds=round(result.seconds)))),
    ]
    total = max(1, sum(coverage.values()))
    states = [(state, str(count), f"{100 * count / total:.1f} %") for state, count in coverage.items()]
    return (
        f"# Run {result.run_id}\n\n{_table(('', ''), rows)}\n## What is known of the portfolio\n\n"
        f"INNs times blocks, by the latest answer, whoever asked and when.\n\n"
        f"{_table(('State', 'Blocks', 'Share'), states)}"
    )


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = (names, ["---"] * len(names), *rows)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
