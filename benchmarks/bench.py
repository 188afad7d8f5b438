"""`make bench`: every comparison in one run on one machine; writes the tables of `docs/benchmarks.md`.

`python -m benchmarks.bench [--checks 10000] [--rounds 5] [--smoke] [--only engines,recheck] [--write]`. With `--only`
the other sections of the page stay as they are. Engines alternate by round, so that other load on the machine affects
all of them; medians are compared. Nothing is asserted.
"""

import argparse
import json
import platform
import re
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.archives import write_archive
from benchmarks.engines import ENGINES
from benchmarks.large_inputs import measure_large_inputs
from benchmarks.mart_times import measure_marts
from benchmarks.publishing import measure_publishing
from benchmarks.recheck import measure_recheck, measure_sizes
from benchmarks.run_time import measure_run_time
from benchmarks.startup_times import measure_startup_times

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
BEGIN, END = "<!-- measured -->", "<!-- /measured -->"
SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
Lines = list[str]


def run_engine(name: str, archive: Path, out: Path, database: Path | None = None) -> dict[str, float]:
    """The figures of one engine in a process of its own; its database is moved to `database`, if given."""
    with TemporaryDirectory(dir=out) as folder:
        file = Path(folder, "engine.duckdb")
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.engines", name, str(archive), str(file)],
            stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
        if database is not None:
            file.replace(database)
    return json.loads(done.stdout.splitlines()[-1])


def compare_engines(checks: int, rounds: int, out: Path) -> Lines:
    """Seconds, memory and rows of each engine from an archive to loaded tables."""
    archive = out / f"archive-{checks}"
    size = write_archive(archive, checks) / 1e6
    figures: dict[str, list[dict[str, float]]] = {name: [] for name in ENGINES}
    for _ in range(rounds):
        for name in ENGINES:
            figures[name].append(run_engine(name, archive, out))
    medians = {
        name: {key: statistics.median(one[key] for one in each) for key in each[0]} for name, each in figures.items()
    }
    baseline = medians["innspect"]["seconds"]
    lines = [
        f"{checks} full checks, {size:.0f} MB of JSON, median of {rounds}:",
        "",
        "| engine | seconds / innspect's | seconds | MB/s | CPU seconds | peak MiB | rows | file MB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, one in medians.items():
        lines.append(
            f"| {name} | {one['seconds'] / baseline:.2f} | {one['seconds']:.1f} | {size / one['seconds']:.1f} | "
            f"{one['cpu']:.1f} | {one['peak_mib']:.0f} | {one['rows']:.0f} | {one['bytes'] / 1e6:.1f} |"
        )
    return lines


def measure_growth(sizes: list[int], out: Path) -> Lines:
    """Seconds and peak memory of a rebuild, by the size of the archive."""
    lines = ["| full checks | MB of JSON | seconds | seconds per 1,000 | peak MiB |", "|---|---|---|---|---|"]
    for checks in sizes:
        archive = out / f"archive-{checks}"
        size = write_archive(archive, checks) / 1e6
        one = run_engine("innspect", archive, out, database=out / f"{archive.name}.duckdb")
        lines.append(
            f"| {checks} | {size:.0f} | {one['seconds']:.1f} | {one['seconds'] / checks * 1000:.2f} | "
            f"{one['peak_mib']:.0f} |"
        )
    return lines


def measure_calls(number: int) -> Lines:
    """Calls per second against a bare loop."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.client_rate", "--calls", str(number)],
        stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    return [done.stdout.splitlines()[0]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checks", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--max-checks", type=int, default=100_000, help="the largest archive of the growth")
    parser.add_argument("--folder", type=Path, default=Path("data/bench"), help="folder of the archives, for reuse")
    parser.add_argument("--only", default="", help="sections, separated by commas")
    parser.add_argument("--smoke", action="store_true", help="small sizes, one round; nothing is written")
    parser.add_argument("--write", action="store_true", help="write these sections into docs/benchmarks.md")
    options = parser.parse_args()
    checks, rounds, max_checks = (
        (200, 1, 400) if options.smoke else (options.checks, options.rounds, options.max_checks)
    )
    out: Path = options.folder
    out.mkdir(parents=True, exist_ok=True)
    sizes = [size for size in (1_000, 10_000, 100_000) if size <= max_checks] or [max_checks]
    sections: dict[str, tuple[str, Callable[[], Lines]]] = {
        "engines": ("Engines: from responses to tables", lambda: compare_engines(checks, rounds, out)),
        "calls": ("Calls per second", lambda: measure_calls(60 if options.smoke else 1_500)),
        "run_time": (
            "Run at a limited rate",
            lambda: measure_run_time(30 if options.smoke else 600, 50.0, 1 if options.smoke else 3),
        ),
        "recheck": ("Unchanged re-check", lambda: measure_recheck(min(checks, 2_000), rounds)),
        "end_of_run": ("End of a run, and memory of commands", lambda: measure_sizes([60] if options.smoke else sizes)),
        "publishing": ("Publishing", lambda: measure_publishing([size for size in sizes if size <= 10_000], rounds)),
        "growth": ("Growth with the archive", lambda: measure_growth(sizes, out)),
        "marts": ("Marts", lambda: measure_marts(out / f"archive-{sizes[-1]}", out)),
        "large_inputs": ("Large inputs", lambda: measure_large_inputs(0.02 if options.smoke else 1.0)),
        "startup_times": ("Start-up times", lambda: measure_startup_times(1 if options.smoke else rounds)),
    }
    wanted = options.only.split(",") if options.only else list(sections)
    measured: dict[str, str] = {}
    for name in wanted:
        title, measure = sections[name]
        lines = measure()
        on = f"Measured on {datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, Python {platform.python_version()}."
        measured[title] = "\n".join([on, "", *lines])
        print(f"## {title}\n\n{measured[title]}\n", flush=True)
    if options.write and not options.smoke:
        PAGE.write_text(replace_sections(PAGE.read_text(encoding="utf-8"), measured), encoding="utf-8")


def replace_sections(page: str, measured: Mapping[str, str]) -> str:
    """The page with these sections, texts by title, in place of those of the same title; other sections stay."""
    head, rest = page.split(BEGIN)
    old, tail = rest.split(END)
    titles_and_texts = SECTION.split(old)[1:]
    texts: dict[str, str] = {**dict(zip(titles_and_texts[::2], titles_and_texts[1::2], strict=True)), **measured}
    sections = "\n\n".join(f"## {title}\n\n{text.strip()}" for title, text in texts.items())
    return f"{head}{BEGIN}\n{sections}\n{END}{tail}"


if __name__ == "__main__":
    main()
