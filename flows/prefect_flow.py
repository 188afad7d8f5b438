"""The run as a Prefect flow: one task a batch, artifacts while it goes on. The functions are those of `flows/check.py`.

Parameters of flow and tasks are names and numbers only: what Prefect sees it stores, and the API key must not be there.
"""

import os
from datetime import timedelta

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
    create_markdown_artifact,
    create_progress_artifact,
    create_table_artifact,
    update_progress_artifact,
)
from prefect.cache_policies import NO_CACHE  # noqa: E402

from flows.check import Job, check, check_batch  # noqa: E402
from flows.result import Result  # noqa: E402

SHOWN_CHANGES = 500
"""An artifact is for looking at; all changes are in the warehouse."""


async def check_with_prefect(job: Job) -> Result:
    """Carry out a job as a flow run, on the Prefect server that is set up, else on a temporary one."""
    waiting: dict[int, pl.DataFrame] = {}

    @task(name="check-batch", retries=0, cache_policy=NO_CACHE, persist_result=False)
    async def batch(number: int, calls: int) -> None:  # noqa: ARG001 (shown in the UI)
        await check_batch(job, waiting.pop(number))

    @flow(name="check-portfolio", retries=0, persist_result=False, validate_parameters=False)
    async def check_portfolio(run_id: str, portfolio: str, profile: str, budget_rub: str) -> None:  # noqa: ARG001
        artifact = await create_progress_artifact(progress=0.0, key="progress", description=f"Run {run_id}")  # pyright: ignore[reportGeneralTypeIssues]
        done = 0

        async def runner(of: Job, calls: pl.DataFrame) -> None:
            nonlocal done
            number = len(of.snapshots) + done
            waiting[number] = calls
            await batch(number, calls.height)
            done += calls.height
            share = 100.0 * min(1.0, done / max(1, of.result.planned_calls))
            await update_progress_artifact(artifact, share)  # pyright: ignore[reportGeneralTypeIssues]

        result = await check(job, runner)
        await create_table_artifact(table=changes_of(job), key="changes", description="What changed")  # pyright: ignore[reportGeneralTypeIssues]
        await create_markdown_artifact(markdown=summary(result), key="summary")  # pyright: ignore[reportGeneralTypeIssues]

    await check_portfolio(job.run_id, job.portfolio.name, job.result.profile, str(job.result.as_json()["budget_rub"]))
    return job.result


def changes_of(job: Job) -> list[dict[str, str | None]]:
    """The run's changes, the gravest first, as rows of the artifact."""
    frame = job.stores.warehouse.frame(
        "SELECT severity, inn, table_name, row_key, change, column_name, old_value, new_value FROM lineage.changes "
        "WHERE run_id = $run ORDER BY list_position(['alert', 'notice', 'info'], severity), inn LIMIT $most",
        {"run": job.run_id, "most": SHOWN_CHANGES},
    )
    return frame.to_dicts()


def summary(result: Result) -> str:
    """The outcome as Markdown, for the artifact."""
    facts = result.as_json()
    states = ", ".join(f"{count} {state}" for state, count in result.snapshots.items() if count)
    rows = [
        ("Portfolio", f"{result.portfolio} ({result.accepted} INNs, {result.rejected} lines rejected)"),
        ("Calls", f"{result.calls} of {result.planned_calls}"),
        ("Charged, RUB", str(facts["charged_rub"])),
        ("Unknown, RUB", str(facts["unknown_rub"])),
        ("Answers", states),
        ("New versions", str(result.new_versions)),
        ("Changes", str(result.changes)),
        ("Took", str(timedelta(seconds=round(result.seconds)))),
    ]
    body = "\n".join(f"| {name} | {value} |" for name, value in rows)
    return f"# Run {result.run_id}\n\n| | |\n|---|---|\n{body}\n"
