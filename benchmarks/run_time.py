"""Time of a run whose rate is limited against calls / rate: stages overlapping, and one batch after the other.

`python -m benchmarks.run_time [--inns 900] [--rate 50] [--rounds 3] [--smoke]`. Both sides check the same INNs of one
sandbox into a new home, in turns; the sandbox has made every body before. The time is that of the calls and loads of a
run, without publishing and report.
"""

import argparse
import asyncio
import os
import sqlite3
import statistics
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time

from rich.console import Console

from innspect.extract.portfolio.reader import Portfolio, read_portfolio
from innspect.flows.batch_pipeline import run_directly
from innspect.flows.run_portfolio import CallMaker, make_calls, run_portfolio
from innspect.flows.run_result import RunResult
from innspect.flows.run_state import PortfolioRun
from innspect.flows.sandbox_process import run_sandbox, use_sandbox
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.settings import Settings, load_settings

OVERLAPPING, IN_TURNS = "overlapping", "one batch after the other"
UNLIMITED = 10_000.0
Figures = tuple[int, float, float, float]
"""Calls, seconds / (calls / rate), seconds from the last response to the last load, and to the end."""


async def make_calls_in_turns(run: PortfolioRun) -> RunResult:
    """Make the calls of a run, each batch after the one before it is loaded."""
    turn = asyncio.Lock()

    async def run_batch(batch: Callable[[], Awaitable[None]], calls: int) -> None:
        async with turn:
            await run_directly(batch, calls)

    return await make_calls(run, run_batch)


def time_run(settings: Settings, portfolio: Portfolio, call_maker: CallMaker) -> Figures:
    """The figures of one run."""
    loaded_at: list[float] = []

    async def measure(run: PortfolioRun) -> RunResult:
        result = await call_maker(run)
        loaded_at.append(time())
        return result

    with Path(os.devnull).open("w") as screen:
        result = run_portfolio(settings, portfolio, Console(file=screen), measure)
    ended = time()
    with sqlite3.connect(settings.home / "ledger.sqlite") as ledger:
        ((last,),) = ledger.execute("SELECT max(resolved_at) FROM calls").fetchall()
    responded = datetime.fromisoformat(last).replace(tzinfo=UTC).timestamp()
    seconds = result.seconds * settings.service.requests_per_second / result.calls
    return result.calls, seconds, loaded_at[0] - responded, ended - responded


def measure_run_time(inns: int, rate: float, rounds: int) -> list[str]:
    """Lines of a table: medians over the rounds."""
    sides = {OVERLAPPING: make_calls, IN_TURNS: make_calls_in_turns}
    figures: dict[str, list[Figures]] = {side: [] for side in sides}
    with run_sandbox(["--balance", "100000000"]) as url, TemporaryDirectory() as folder:
        file = Path(folder) / "portfolio.csv"
        file.write_text("\n".join(["inn", *sample_inns(inns, 7)]), encoding="utf-8")
        portfolio = read_portfolio(str(file), None)
        time_run(_settings(url, Path(folder, "first"), UNLIMITED), portfolio, make_calls)
        for number in range(rounds):
            for place, (side, call_maker) in enumerate(sides.items()):
                settings = _settings(url, Path(folder, f"{number}-{place}"), rate)
                figures[side].append(time_run(settings, portfolio, call_maker))
    medians = {
        side: [statistics.median(column) for column in zip(*each, strict=True)] for side, each in figures.items()
    }
    lines = [
        f"{inns} INNs, {medians[OVERLAPPING][0]:.0f} calls at {rate:.0f}/s, median of {rounds}:",
        "",
        "| stages | run / (calls / rate) | last response to last load, s | last response to end, s |",
        "|---|---|---|---|",
    ]
    return lines + [
        f"| {side} | {ratio:.3f} | {loaded:.1f} | {ended:.1f} |" for side, (_, ratio, loaded, ended) in medians.items()
    ]


def _settings(url: str, home: Path, rate: float) -> Settings:
    settings = use_sandbox(load_settings(None, {}, {"home": home}), url)
    changes = {
        "service": settings.service.model_copy(update={"requests_per_second": rate}),
        "budget": settings.budget.model_copy(update={"run_rub": 10**6}),
        "publish": settings.publish.model_copy(update={"after_run": False}),
        "report": settings.report.model_copy(update={"after_run": False}),
    }
    return settings.model_copy(update=changes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inns", type=int, default=900)
    parser.add_argument("--rate", type=float, default=50.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--smoke", action="store_true", help="few INNs, one round")
    options = parser.parse_args()
    inns, rounds = (30, 1) if options.smoke else (options.inns, options.rounds)
    print("\n".join(measure_run_time(inns, options.rate, rounds)))


if __name__ == "__main__":
    main()
