"""A run as a Prefect flow: one task per batch, and artifacts. It wraps `flows.run_portfolio.make_calls`.

Parameters of flows and tasks are names and numbers only: Prefect stores them, and the API key must not be among them.
"""

import asyncio
import os
import signal
import subprocess
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID

QUIET = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
    "PREFECT_LOGGING_LEVEL": "WARNING",
}
for _name, _value in QUIET.items():
    # Prefect reads these when it is imported; values of the user have precedence.
    os.environ.setdefault(_name, _value)

from prefect import flow, task  # noqa: E402
from prefect.artifacts import (  # noqa: E402
    acreate_markdown_artifact,
    acreate_progress_artifact,
    acreate_table_artifact,
    aupdate_progress_artifact,
)
from prefect.cache_policies import NO_CACHE  # noqa: E402
from prefect.server.api.server import SubprocessASGIServer  # noqa: E402
from prefect.task_runners import TaskRunner  # noqa: E402

from innspect.extract.home.tombstones import Tombstones  # noqa: E402
from innspect.flows.executors import Executor, Portion, transform_parts  # noqa: E402
from innspect.flows.prefect import run_registry  # noqa: E402
from innspect.flows.run_portfolio import make_calls  # noqa: E402
from innspect.flows.run_result import RunResult, list_counts  # noqa: E402
from innspect.flows.run_state import PortfolioRun  # noqa: E402
from innspect.reports.coverage_text import SHOWN_STATE  # noqa: E402
from innspect.reports.format import format_count, format_roubles, roubles_text  # noqa: E402
from innspect.reports.i18n.catalog import count_of  # noqa: E402
from innspect.reports.news_query import NewsFilter, find_news  # noqa: E402
from innspect.schemas.decoders import Conventions  # noqa: E402
from innspect.schemas.frames import Batch  # noqa: E402

MAX_SHOWN_CHANGES = 500
"""News in the table artifact; the warehouse has all of them."""
PROGRESS_INTERVAL_SECONDS = 3.0
COVERAGE = f"""
SELECT {SHOWN_STATE} AS shown_state, count(*) FROM mart.coverage WHERE portfolio = $name
GROUP BY shown_state ORDER BY 2 DESC, 1
"""  # noqa: S608 (words of an enumeration)


class _QuietServer(SubprocessASGIServer):
    """Prefect's temporary server, with its output discarded.

    Prefect lets the server write to our terminal and terminates it at the end of this process, while its services may
    be writing to the database: what they then log with a traceback would be the last lines of a successful run.
    """

    def _run_uvicorn_command(self) -> "subprocess.Popen[Any]":
        saved = [os.dup(number) for number in (1, 2)]
        with Path(os.devnull).open("w") as nowhere:
            try:
                for number in (1, 2):
                    os.dup2(nowhere.fileno(), number)
                return super()._run_uvicorn_command()
            finally:
                for number, copy in zip((1, 2), saved, strict=True):
                    os.dup2(copy, number)
                    os.close(copy)


def start_temporary_server() -> None:
    """Start the server that Prefect uses in this process where no other is configured; it ends with this process."""
    _QuietServer().start(int(QUIET["PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS"]))


async def make_calls_in_new_flow(run: PortfolioRun) -> RunResult:
    """Make the calls of a run in a new flow run, on the configured Prefect server or else on a temporary one."""
    compute = run.stores.compute
    options: dict[str, Any] = {} if compute.is_local else {"task_runner": dask_runner(compute)}
    run_registry.RUNS[run.run_id] = run, signal.getsignal(signal.SIGTERM)
    budget = roubles_text(run.settings.budget.run_kopecks)
    try:
        return await check_portfolio.with_options(**options)(
            run.run_id, run.portfolio.name, run.settings.default_profile, str(budget)
        )
    finally:
        del run_registry.RUNS[run.run_id]


@flow(name="check-portfolio", retries=0, persist_result=False, validate_parameters=False)
async def check_portfolio(run_id: str, portfolio: str, profile: str, budget_rub: str) -> RunResult:  # noqa: ARG001
    """The flow run of a run; the parameters besides its id are shown in Prefect's UI."""
    run, sigterm_handler = run_registry.RUNS[run_id]
    if callable(sigterm_handler):
        # Prefect's handler would break off the event loop while paid calls are open.
        signal.signal(signal.SIGTERM, sigterm_handler)
    compute = run.stores.compute
    if not compute.is_local:
        compute.submit_task = lambda portions, *rest: transform_file.submit(portions[0][0][0], portions, *rest)
    try:
        return await make_calls_in_flow(run)
    finally:
        compute.submit_task = None


def dask_runner(compute: Executor) -> TaskRunner[Any]:
    """A task runner that hands tasks to the workers of a Dask cluster."""
    from prefect_dask.task_runners import DaskTaskRunner  # noqa: PLC0415 (installed with the extra `scale` only)

    return DaskTaskRunner(address=compute.address)


@task(
    name="transform",
    task_run_name="transform {file}",
    retries=0,
    cache_policy=NO_CACHE,
    persist_result=False,
)
def transform_file(
    file: str,  # noqa: ARG001
    portions: Sequence[Portion],
    tombstones: Tombstones | None,
    conventions: Conventions,
) -> Batch:
    """Transform a sealed file on a worker; `file` is shown in Prefect's UI."""
    return transform_parts(portions, tombstones, conventions)


@task(
    name="check-batch",
    task_run_name="batch {number}, {calls} calls",
    retries=0,
    cache_policy=NO_CACHE,
    persist_result=False,
)
async def run_batch_task(run_id: str, number: int, calls: int) -> None:  # noqa: ARG001 (shown in Prefect's UI)
    """Run one batch in this process."""
    await run_registry.BATCHES.pop((run_id, number))()


async def make_calls_in_flow(run: PortfolioRun) -> RunResult:
    """Make the calls of a run inside the present flow run: a task per batch, and the artifacts of the flow run."""
    numbers = count(1)

    async def run_batch(batch: Callable[[], Awaitable[None]], calls: int) -> None:
        number = next(numbers)
        run_registry.BATCHES[run.run_id, number] = batch
        await run_batch_task(run.run_id, number, calls)

    async with _progress_artifact(run):
        result = await make_calls(run, run_batch)
    with _ignore_artifact_errors(run, "the table of changes"):
        await acreate_table_artifact(table=changes_of_run(run), key="changes", description="What changed")
    with _ignore_artifact_errors(run, "the summary"):
        await acreate_markdown_artifact(markdown=summary(result, coverage_of_portfolio(run)), key="summary")
    return result


@contextmanager
def _ignore_artifact_errors(run: PortfolioRun, what: str) -> Generator[None]:
    """Report a failed artifact and continue: it must not end a run with open paid calls."""
    try:
        yield
    except Exception as fault:  # noqa: BLE001 (an unavailable server raises errors of many kinds)
        run.progress.note(f"Prefect did not accept {what} ({type(fault).__name__}); the run continues.")


@asynccontextmanager
async def _progress_artifact(run: PortfolioRun) -> AsyncGenerator[None]:
    """A progress artifact, updated from the ledger at intervals and at the end."""
    artifact = await acreate_progress_artifact(progress=0.0, key="progress", description=f"Run {run.run_id}")
    updates = asyncio.create_task(_update_at_intervals(run, artifact))
    try:
        yield
    finally:
        updates.cancel()
        await asyncio.gather(updates, return_exceptions=True)
    await _update_progress(run, artifact, is_done=True)


async def _update_at_intervals(run: PortfolioRun, artifact: UUID) -> None:
    while True:
        await asyncio.sleep(PROGRESS_INTERVAL_SECONDS)
        await _update_progress(run, artifact)


async def _update_progress(run: PortfolioRun, artifact: UUID, *, is_done: bool = False) -> None:
    spent, planned = run.stores.ledger.run_figures(run.run_id), run.state.planned_calls
    percent = 100.0 if is_done and run.state.stop is None else 100.0 * min(1.0, spent.calls / max(1, planned))
    left = max(0, run.settings.budget.run_kopecks - spent.settled - spent.unknown)
    money = f"{format_roubles(spent.settled)} charged, {format_roubles(left)} left"
    text = f"Run {run.run_id}: {format_count(spent.calls)} of {count_of(planned, 'call')}, {money}"
    with _ignore_artifact_errors(run, "the progress"):
        await aupdate_progress_artifact(artifact, percent, text)


def coverage_of_portfolio(run: PortfolioRun) -> dict[str, int]:
    """Pairs of INN and block of the whole portfolio by their latest state, or stale, most frequent first."""
    return dict(run.stores.warehouse.query(COVERAGE, {"name": run.portfolio.name}).rows())


def changes_of_run(run: PortfolioRun) -> list[dict[str, str | None]]:
    """The news that the run found, most severe first, as rows of the table artifact."""
    news = find_news(run.stores.warehouse, NewsFilter(None, run_id=run.run_id))
    return news.head(MAX_SHOWN_CHANGES).select("severity", "inn", "name", "sentence_en", "sentence_ru").to_dicts()


def summary(result: RunResult, coverage: Mapping[str, int]) -> str:
    """The result and the coverage of the portfolio as Markdown."""
    facts = result.as_json()
    rows = [
        (
            "Portfolio",
            f"{result.portfolio} ({count_of(result.accepted, 'INN')}, {count_of(result.rejected, 'line')} rejected)",
        ),
        ("Calls", f"{result.calls} of {result.planned_calls} planned"),
        ("Charged, RUB", str(facts["charged_rub"])),
        ("Unknown, RUB", str(facts["unknown_rub"])),
        ("Left of the budget, RUB", f"{facts['budget_left_rub']} of {facts['budget_rub']}"),
        ("Skipped, over budget", f"{count_of(result.skipped_for_budget, 'INN')}"),
        ("Blocks", list_counts(result.snapshots)),
        ("New versions", str(result.new_versions)),
        ("Changes", str(result.changes)),
        ("Ended", f"{result.exit_code.name.lower()} (exit code {int(result.exit_code)})"),
        ("Took", str(timedelta(seconds=round(result.seconds)))),
    ]
    total = max(1, sum(coverage.values()))
    states = [(state, str(pairs), f"{100 * pairs / total:.1f} %") for state, pairs in coverage.items()]
    return (
        f"# Run {result.run_id}\n\n{_table(('', ''), rows)}\n## Coverage of the portfolio\n\n"
        f"Pairs of INN and block, by the state of the latest response of any run.\n\n"
        f"{_table(('State', 'Blocks', 'Share'), states)}"
    )


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = (names, ["---"] * len(names), *rows)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
