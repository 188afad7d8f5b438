"""What commands that make paid calls share: the embedded sandbox, the calls with Prefect or without, the exit code."""

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import typer

from innspect.flows.notify.alerts import Alert
from innspect.flows.run_portfolio import CallMaker, make_calls
from innspect.flows.run_result import RunResult
from innspect.flows.run_state import PortfolioRun
from innspect.flows.sandbox_process import LazySandbox, sandbox_arguments, use_sandbox
from innspect.schemas.settings import Settings


@dataclass(frozen=True, slots=True)
class Caller:
    """How a command makes its calls; `settings` name the service, the embedded sandbox for example."""

    settings: Settings
    call_maker: CallMaker
    emit_events: Callable[[Sequence[Alert]], None] | None


@contextmanager
def open_caller(settings: Settings, *, sandbox: bool, prefect: bool | None) -> Generator[Caller]:
    """How to make calls: `sandbox` with the embedded sandbox, which ends with the context.

    `prefect` as a Prefect flow, False directly, None as a flow if PREFECT_API_URL names a server: a temporary server
    takes longer to start than a small run takes (docs/decisions/0061-no-temporary-server.md).
    """
    has_server = bool(os.environ.get("PREFECT_API_URL"))
    direct = not (has_server if prefect is None else prefect)
    with ExitStack() as stack:
        embedded = stack.enter_context(LazySandbox(sandbox_arguments(settings))) if sandbox else None

        async def call_maker(run: PortfolioRun) -> RunResult:
            if embedded is not None and run.has_calls:
                embedded.start()
            if direct or run.state.plan.calls.is_empty():
                # Without batches Prefect has nothing to run; importing it and starting its server takes seconds.
                return await make_calls(run)
            from innspect.flows.prefect.run_flow import (  # noqa: PLC0415 (takes three seconds)
                make_calls_in_new_flow,
                start_temporary_server,
            )

            if not has_server:
                run.progress.note("Starting a temporary Prefect server; --direct runs without it.")
                start_temporary_server()
            return await make_calls_in_new_flow(run)

        used = settings if embedded is None else use_sandbox(settings, embedded.url)
        yield Caller(used, call_maker, None if direct else _emit_events)


def exit_with(result: RunResult) -> int:
    """The exit code of a run; a sentence on standard error if it has not everything. Raises what stopped its calls."""
    if result.stop is not None and result.stop.exit_code is result.exit_code:
        raise result.stop
    if result.shortfall:
        typer.echo(f"innspect: {result.shortfall}", err=True)
    return int(result.exit_code)


def _emit_events(alerts: Sequence[Alert]) -> None:
    from innspect.flows.prefect.events import emit_events  # noqa: PLC0415 (takes three seconds)

    emit_events(alerts)
