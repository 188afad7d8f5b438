"""Re-checks: load of unchanged responses, and end of a run and memory of commands by the size of the portfolio.

`python -m benchmarks.recheck [SIZES ...]` checks portfolios of these sizes against the sandbox, each command in a
process of its own: seconds from the last response to the end of the process, and peak memory.
"""

import argparse
import os
import sqlite3
import statistics
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, time

import duckdb
import polars as pl

from benchmarks.archives import full_checks
from benchmarks.memory import measure_process
from innspect.flows.load import load_responses
from innspect.flows.sandbox_process import run_sandbox
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.warehouse.database import Warehouse
from tests.support.builders import CONVENTIONS

FIRST, SECOND = "first load", "unchanged re-check"
CHANGED_SHARE = 0.01
COMMANDS: dict[str, tuple[str, ...]] = {
    "report": ("report", "--portfolio", "portfolio"),
    "sql, all rows of a mart to a file": ("sql", "FROM mart.company_profile", "--out", "rows.csv"),
    "publish": ("publish",),
    "rebuild": ("rebuild",),
    "publish after the rebuild": ("publish",),
}
"""Commands without the service, in the order in which they are measured."""


def measure_recheck(checks: int, rounds: int) -> list[str]:
    """Lines of a table: medians over the rounds."""
    first = full_checks(sample_inns(checks, 0))
    second = first.with_columns(
        pl.col("response_id", "call_id") + "-2", pl.col("asked_at", "received_at") + timedelta(days=1)
    )
    figures: dict[str, list[tuple[float, int, int]]] = {FIRST: [], SECOND: []}
    for _ in range(rounds):
        with TemporaryDirectory() as folder, Warehouse(Path(folder) / "warehouse.duckdb") as warehouse:
            size = _file_bytes(warehouse)
            for name, frame in ((FIRST, first), (SECOND, second)):
                start = perf_counter()
                loaded = load_responses(warehouse, frame, CONVENTIONS).loaded
                seconds, before, size = perf_counter() - start, size, _file_bytes(warehouse)
                figures[name].append((seconds, loaded.core_rows, size - before))
    medians = {
        name: [statistics.median(column) for column in zip(*each, strict=True)] for name, each in figures.items()
    }
    lines = [f"{checks} full checks, median of {rounds}:", "", "| | seconds | rows of core | MB |", "|---|---|---|---|"]
    for name, (seconds, rows, size) in medians.items():
        lines.append(f"| {name} | {seconds:.2f} | {rows:.0f} | {size / 1e6:.2f} |")
    shares = [
        f"{100 * one / max(1e-9, other):.1f} %" for one, other in zip(medians[SECOND], medians[FIRST], strict=True)
    ]
    return [*lines, f"| re-check / first load | {' | '.join(shares)} |"]


def _file_bytes(warehouse: Warehouse) -> int:
    warehouse.connection.execute("CHECKPOINT")
    return warehouse.path.stat().st_size


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """Seconds and peak MiB of a run, seconds from the last response to the end of its process, and its calls.

    The process ends after publishing and the report.
    """

    seconds: float
    peak: float
    end: float
    calls: int


@dataclass(frozen=True, slots=True)
class Home:
    """A home whose commands are measured, and the portfolio file that they check."""

    folder: Path
    portfolio: Path

    def measure(self, command: str, *words: str, url: str = "", **settings: str) -> tuple[float, float]:
        """Seconds and peak MiB of a command in a process of its own; `settings`: variables of its environment."""
        environ = {name: value for name, value in os.environ.items() if not name.startswith("INNSPECT_")}
        environ |= {"INNSPECT_HOME": str(self.folder / "home"), "INNSPECT_BASE_URL": url}
        environ |= {"INNSPECT_API_KEY": "sandbox", "INNSPECT_SERVICE__REQUESTS_PER_SECOND": "2000", **settings}
        arguments = [sys.executable, "-m", "innspect.cli.main", command, *words]
        return measure_process(arguments, environ, self.folder)

    def run(self, url: str, portfolio: Path, **settings: str) -> "MeasuredRun":
        """A run that requests all of a portfolio."""
        words = ("--direct", "--refresh", "--profile", "light", "--budget", "1000000000")
        started = datetime.now(UTC).replace(tzinfo=None)
        seconds, peak = self.measure("run", str(portfolio), *words, url=url, **settings)
        ended = time()
        with sqlite3.connect(self.folder / "home" / "ledger.sqlite") as ledger:
            query = "SELECT count(*), max(resolved_at) FROM calls WHERE reserved_at >= ?"
            ((calls, last),) = ledger.execute(query, [started.isoformat(sep=" ")]).fetchall()
        end = ended - datetime.fromisoformat(last).replace(tzinfo=UTC).timestamp()
        return MeasuredRun(seconds, peak, end, calls)

    def count_changed(self) -> int:
        """INNs with a change in the latest run."""
        with duckdb.connect(str(self.folder / "home" / "warehouse.duckdb"), read_only=True) as connection:
            changed = (
                "SELECT count(DISTINCT inn) FROM lineage.changes WHERE run_id = (SELECT max(run_id) FROM lineage.runs)"
            )
            ((count,),) = connection.execute(changed).fetchall()
        return count


@contextmanager
def _serve_changed(folder: Path, changed: list[str], state: str) -> Generator[str]:
    """A sandbox in which the tax debts of some INNs have this state; its address."""
    lines = [f'[[state]]\nblock = "tax_debts"\nstate = "{state}"\ninn = "{inn}"' for inn in changed]
    plan = folder / f"{state}.toml"
    plan.write_text("\n".join(lines), encoding="utf-8")
    with run_sandbox(["--balance", "1000000000", "--faults", str(plan)]) as url:
        yield url


def measure_sizes(sizes: list[int]) -> list[str]:
    """Lines of two tables, by number of INNs: the end of a run, and the peak memory of commands.

    The INNs have small answers (profile `light`); the debts of one of a hundred change between the runs.
    """
    ends = [
        "| INNs | run | changed INNs | start to last response, s | last response to the end of the process, s |",
        "|---|---|---|---|---|",
    ]
    peaks: dict[str, list[float]] = {}
    for size in sizes:
        with TemporaryDirectory() as folder:
            for line in _measure_size(Path(folder), size, peaks):
                ends.append(line)
                print(line, file=sys.stderr, flush=True)
    columns = [f"| peak MiB of | {' | '.join(f'{size} INNs' for size in sizes)} |", "|---" * (len(sizes) + 1) + "|"]
    rows = [f"| {name} | {' | '.join(f'{peak:.0f}' for peak in each)} |" for name, each in peaks.items()]
    return [*ends, "", *columns, *rows]


def _measure_size(folder: Path, size: int, peaks: dict[str, list[float]]) -> Iterator[str]:
    inns = sample_inns(size, 0)
    changed = inns[:: round(1 / CHANGED_SHARE)]
    home = Home(folder, _write_portfolio(folder / "portfolio.csv", inns))
    part = _write_portfolio(folder / "changed.csv", changed)

    def row(url: str, run: str, portfolio: Path) -> str:
        done = home.run(url, portfolio)
        peaks.setdefault(f"run: {run}", []).append(done.peak)
        return f"| {size} | {run} | {home.count_changed()} | {done.seconds - done.end:.1f} | {done.end:.1f} |"

    with _serve_changed(folder, changed, "named_empty") as url:
        yield row(url, "first", home.portfolio)
    with _serve_changed(folder, changed, "found") as url:
        yield row(url, "all requested again", home.portfolio)
    with _serve_changed(folder, changed, "named_empty") as url:
        yield row(url, "only the changed ones requested again", part)
        peaks.setdefault("plan", []).append(home.measure("plan", str(home.portfolio), "--refresh", url=url)[1])
    for name, words in COMMANDS.items():
        peaks.setdefault(name, []).append(home.measure(*words)[1])


def _write_portfolio(path: Path, inns: list[str]) -> Path:
    path.write_text("\n".join(["inn", *inns]), encoding="utf-8")
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", type=int, nargs="*", default=[1_000], help="numbers of INNs (1000)")
    print("\n".join(measure_sizes(parser.parse_args().sizes)))


if __name__ == "__main__":
    main()
