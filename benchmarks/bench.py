"""`make bench`: every comparison in one run on one machine, ratios first; writes `docs/benchmarks.md`'s table.

`python -m benchmarks.bench [--checks 10000] [--rounds 5] [--smoke] [--only sides,recheck] [--write]`. Sides take turns,
round by round, so that a noisy machine is noisy for all; medians are compared. Nothing here passes or fails.
"""

import argparse
import json
import platform
import statistics
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.archives import archive
from benchmarks.engines import SIDES
from benchmarks.large_inputs import large
from benchmarks.marts_time import marts
from benchmarks.recheck import recheck
from benchmarks.startup_times import waits

TARGET = Path(__file__).parents[1] / "docs" / "benchmarks.md"
BEGIN, END = "<!-- measured -->", "<!-- /measured -->"
Lines = list[str]


def side(name: str, folder: Path, out: Path, keep: Path | None = None) -> dict[str, float]:
    """One side, in a process of its own; `keep` is where its database is to stay."""
    with TemporaryDirectory(dir=out) as place:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.engines", name, str(folder), f"{place}/side.duckdb"],
            stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
        if keep is not None:
            Path(place, "side.duckdb").replace(keep)
    return json.loads(done.stdout.splitlines()[-1])


def sides(checks: int, rounds: int, out: Path) -> Lines:
    """Bodies to loaded tables: dlt, DuckDB alone, rebuild."""
    folder = out / f"archive-{checks}"
    size = archive(folder, checks) / 1e6
    told: dict[str, list[dict[str, float]]] = {name: [] for name in SIDES}
    for _ in range(rounds):
        for name in SIDES:
            told[name].append(side(name, folder, out))
    middle = {
        name: {key: statistics.median(one[key] for one in each) for key in each[0]} for name, each in told.items()
    }
    ours = middle["innspect"]
    lines = [
        f"{checks} full checks, {size:.0f} MB of JSON, median of {rounds}:",
        "",
        "| side | times its seconds to ours | seconds | MB/s | CPU seconds | peak MB | rows | file MB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, one in middle.items():
        lines.append(
            f"| {name} | {one['seconds'] / ours['seconds']:.2f} | {one['seconds']:.1f} | {size / one['seconds']:.1f} | "
            f"{one['cpu']:.1f} | {one['peak_mb']:.0f} | {one['rows']:.0f} | {one['bytes'] / 1e6:.1f} |"
        )
    return lines


def growth(sizes: list[int], out: Path) -> Lines:
    """Rebuild of ever more answers: seconds and peak memory."""
    lines = ["| full checks | MB of JSON | seconds | seconds per 1,000 | peak MB |", "|---|---|---|---|---|"]
    for checks in sizes:
        folder = out / f"archive-{checks}"
        size = archive(folder, checks) / 1e6
        one = side("innspect", folder, out, keep=out / f"{folder.name}.duckdb")
        lines.append(
            f"| {checks} | {size:.0f} | {one['seconds']:.1f} | {one['seconds'] / checks * 1000:.2f} | "
            f"{one['peak_mb']:.0f} |"
        )
    return lines


def calls(number: int) -> Lines:
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
    parser.add_argument("--most", type=int, default=100_000, help="the largest size of the growth")
    parser.add_argument("--folder", type=Path, default=Path("data/bench"), help="where archives are kept for next time")
    parser.add_argument("--only", default="", help="sections, with commas between")
    parser.add_argument("--smoke", action="store_true", help="small and once; nothing is written")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks.md")
    chosen = parser.parse_args()
    checks, rounds, most = (200, 1, 400) if chosen.smoke else (chosen.checks, chosen.rounds, chosen.most)
    out: Path = chosen.folder
    out.mkdir(parents=True, exist_ok=True)
    sizes = [size for size in (1_000, 10_000, 100_000) if size <= most] or [most]
    sections: dict[str, tuple[str, Callable[[], Lines]]] = {
        "sides": ("Bodies to tables, side by side", lambda: sides(checks, rounds, out)),
        "calls": ("Calls per second", lambda: calls(60 if chosen.smoke else 1_500)),
        "recheck": ("An unchanged re-check against a first load", lambda: recheck(min(checks, 2_000), rounds)),
        "growth": ("Growth", lambda: growth(sizes, out)),
        "marts": ("Every mart", lambda: marts(out / f"archive-{sizes[-1]}", out)),
        "large": ("Large things", lambda: large(0.02 if chosen.smoke else 1.0)),
        "waits": ("What a user waits for", lambda: waits(1 if chosen.smoke else rounds)),
    }
    wanted = chosen.only.split(",") if chosen.only else list(sections)
    text = [f"Measured on {datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, Python {platform.python_version()}.", ""]
    for name in wanted:
        title, measure = sections[name]
        text += [f"## {title}", "", *measure(), ""]
        print("\n".join(text[-20:]), flush=True)
    if chosen.write and not chosen.smoke:
        page = TARGET.read_text(encoding="utf-8")
        head, tail = page.split(BEGIN)[0], page.split(END)[1]
        TARGET.write_text(f"{head}{BEGIN}\n{chr(10).join(text)}\n{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
