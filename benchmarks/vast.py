"""Very many INNs: small answers loaded, published, and requested again: those of one in a hundred, and all.

The debts of one in a hundred change, and change back when all are requested again.

`python -m benchmarks.vast INNS [--one-each] [--lake] [--run-all] [--runs N] [--folder FOLDER]` prints seconds, CPU
seconds, peak memory and bytes of each step, which is a command in a process of its own; then the end of runs that
request those INNs again, and copies with `publish.exclude`. `--run-all`: also of a run that requests all INNs again, of
which one in a hundred has other debts. `--runs`: also of as many runs of another one in a hundred each, which show what
grows with the number of publications.
`--lake`: the warehouse is in DuckLake, its catalogue in a PostgreSQL server that is started for it; CPU and memory of
the server are not counted.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.memory import children_cpu_seconds, measure_process
from benchmarks.multiplied_answers import MultipliedAnswers, SealedRun
from benchmarks.multiplied_service import serve_answers
from benchmarks.recheck import Home
from innspect.extract.archive.archive import ANSWERS, Archive
from innspect.flows.sandbox_process import run_sandbox
from tests.support.postgres import Postgres

CHANGED_SHARE = 0.01
EXCLUDING = {"INNSPECT_PUBLISH__EXCLUDE": '["core.contacts*", "core.company.phone", "core.company.director"]'}
FIRST, AGAIN = "portfolio", "changed"
"""Portfolios: all INNs, and those whose debts change."""
HEADER = (
    "| step | seconds | CPU seconds | peak MiB | archive MB | warehouse MB | published copy MB |",
    "|---|---:|---:|---:|---:|---:|---:|",
)
RUN_HEADER = (
    "",
    "| run | calls | start to last response, s | last response to the end of the process, s | peak MiB |",
    "|---|---:|---:|---:|---:|",
)


@dataclass(frozen=True, slots=True)
class VastHome:
    """A home whose commands are measured; `lake`: a PostgreSQL connection string, if the warehouse is in DuckLake."""

    folder: Path
    lake: str = ""

    @property
    def home(self) -> Path:
        """The home folder."""
        return self.folder / "home"

    @property
    def lake_files(self) -> Path:
        """The folder of the lake's files."""
        return self.folder / "lake"

    def write_portfolio(self, name: str, inns: Sequence[str]) -> None:
        """Write a portfolio file."""
        (self.folder / f"{name}.csv").write_text("\n".join(["inn", *inns]), encoding="utf-8")

    def measure(self, step: str, *words: str, **settings: str) -> str:
        """Run a command in a process of its own; a line of the table. Raises RuntimeError if it fails."""
        environ = {name: value for name, value in os.environ.items() if not name.startswith("INNSPECT_")}
        environ |= {"INNSPECT_HOME": str(self.home), "INNSPECT_COMPUTE": "auto", **settings}
        if self.lake:
            environ["INNSPECT_STORES__WAREHOUSE"] = f"ducklake:postgres:{self.lake} data_path={self.lake_files}"
        before = children_cpu_seconds()
        seconds, peak = measure_process([sys.executable, "-m", "innspect.cli.main", *words], environ, self.folder)
        cpu = children_cpu_seconds() - before
        warehouse = self.lake_files if self.lake else self.home / "warehouse.duckdb"
        sizes = (
            _megabytes(path) for path in (self.home / "archive", warehouse, self.home / "published" / "innspect.duckdb")
        )
        return f"| {step} | {seconds:.1f} | {cpu:.1f} | {peak:.0f} | {' | '.join(f'{size:,.1f}' for size in sizes)} |"


def _megabytes(path: Path) -> float:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6


def measure_vast(
    folder: Path, count: int, *, is_one_each: bool = False, lake: str = "", runs_all: bool = False, runs: int = 0
) -> Iterator[str]:
    """Lines of a table, as they are measured."""
    home = VastHome(folder, lake)
    answers = MultipliedAnswers(count, is_one_each=is_one_each)
    archive, today = Archive(home.home / "archive"), datetime.now(UTC).replace(tzinfo=None, microsecond=0)
    numbers, changed = range(count), answers.changed(CHANGED_SHARE)
    home.write_portfolio(FIRST, answers.inns)
    home.write_portfolio(AGAIN, [answers.inns[number] for number in changed])

    def seal(name: str, numbers: Sequence[int], at: datetime) -> None:
        SealedRun(f"{at:%Y%m%dT%H%M%S}-{name}", name, at).seal(archive, answers, numbers, has_other_debts=name == AGAIN)

    if not archive.exists() or not archive.files(ANSWERS):
        seal(FIRST, numbers, today - timedelta(days=1))
    yield from HEADER
    yield home.measure("`rebuild`: all loaded and judged", "rebuild")
    yield home.measure("`publish`, the first time", "publish")
    seal(AGAIN, changed, today - timedelta(hours=1))
    plan = ("plan", "--profile", "light")
    yield home.measure(f"{len(changed)} changed INNs loaded and judged (a start of `plan`)", *plan, f"{AGAIN}.csv")
    yield home.measure("`publish` after that", "publish")
    yield home.measure("`publish`, nothing new", "publish")
    seal(FIRST, numbers, today)
    yield home.measure(f"all INNs again, {len(changed)} of them changed (a start of `plan`)", *plan, f"{FIRST}.csv")
    yield home.measure("`publish` after that", "publish")
    yield home.measure("`plan` of all INNs", *plan, f"{FIRST}.csv")
    yield home.measure("`report`", "report", "--portfolio", FIRST)
    yield home.measure(
        "`sql`, all rows of `mart.company_profile` to a file", "sql", "FROM mart.company_profile", "--out", "rows.csv"
    )
    if not lake:
        yield from _measure_runs(home, answers, changed, runs, runs_all=runs_all)
    yield from ("", *HEADER)
    yield home.measure("`publish` with exclusions, the first time", "publish", **EXCLUDING)
    seal(AGAIN, changed, datetime.now(UTC).replace(tzinfo=None, microsecond=0))
    yield home.measure(f"{len(changed)} changed INNs loaded and judged (a start of `plan`)", *plan, f"{AGAIN}.csv")
    yield home.measure("`publish` after that, with the same exclusions", "publish", **EXCLUDING)


def _measure_runs(
    home: VastHome, answers: MultipliedAnswers, changed: Sequence[int], runs: int, *, runs_all: bool
) -> Iterator[str]:
    """Lines of a table of runs."""
    yield from RUN_HEADER
    if runs_all:
        with serve_answers(answers, changed) as url:
            yield _measure_run(home, FIRST, "all INNs, one in a hundred with other debts", url)
    # The sandbox's answers differ from the stored ones, which are copies: nearly everything about these INNs changes.
    with run_sandbox(["--balance", "1000000000"]) as url:
        for parquet, news in (("marts", "nearly everything differs"), ("none", "the same answers again")):
            name = f'1 % of the INNs, {news}, `publish.parquet = "{parquet}"`'
            yield _measure_run(home, AGAIN, name, url, INNSPECT_PUBLISH__PARQUET=parquet)
        for number in range(1, runs + 1):
            home.write_portfolio(f"part-{number}", answers.inns[number :: round(1 / CHANGED_SHARE)])
            yield _measure_run(home, f"part-{number}", f"another 1 % of the INNs, run {number} of {runs}", url)


def _measure_run(home: VastHome, portfolio: str, name: str, url: str, **settings: str) -> str:
    """A line of a table: a run that requests all of a portfolio."""
    file = home.folder / f"{portfolio}.csv"
    done = Home(home.folder, file).run(url, file, **settings)
    return f"| {name} | {done.calls} | {done.seconds - done.end:.1f} | {done.end:.1f} | {done.peak:.0f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("inns", type=int, help="number of INNs")
    parser.add_argument("--one-each", action="store_true", help="one answer per INN, of three methods in turn")
    parser.add_argument("--lake", action="store_true", help="warehouse in DuckLake with a PostgreSQL server")
    parser.add_argument("--run-all", action="store_true", help="a run that requests all INNs again; not with --lake")
    parser.add_argument("--runs", type=int, default=0, help="runs of another 1 %% of the INNs each; not with --lake")
    parser.add_argument("--folder", type=Path, help="folder that is kept, with an archive from before or none")
    options = parser.parse_args()
    if options.lake and (options.run_all or options.runs):
        parser.error("Choose either --lake, or --run-all and --runs.")
    with ExitStack() as stack:
        lake = stack.enter_context(Postgres()).conninfo() if options.lake else ""
        folder: Path = options.folder or Path(stack.enter_context(TemporaryDirectory()))
        lines = measure_vast(
            folder.resolve(),
            options.inns,
            is_one_each=options.one_each,
            lake=lake,
            runs_all=options.run_all,
            runs=options.runs,
        )
        for line in lines:
            print(line, flush=True)


if __name__ == "__main__":
    main()
