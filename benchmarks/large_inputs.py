"""Large inputs, each in a process of its own: a body of 50 MB, `plan` of a million lines, `sql` with a million rows.

`python -m benchmarks.large_inputs [--share 0.02]`: a share of the size, for a smoke test. Measures seconds, peak memory
and the seconds that an interrupted command takes to end.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, sleep

import polars as pl

from benchmarks.archives import full_checks
from benchmarks.memory import peak_memory
from innspect.flows.load import load_responses
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.warehouse.database import Warehouse
from tests.support.builders import CONVENTIONS

ROOT = Path(__file__).parents[1]
BODY_BYTES = 50_000_000
ROWS = 1_000_000
GROWING_LISTS = {
    "gov_contracts": ("contracts", "reg_num"),
    "pledges": ("pledges", "id"),
    "arbitration": ("cases", "case_id"),
}
"""Lists that grow in the large body, by block: the list and the key of its rows."""
QUERY = (
    "SELECT range AS n, md5(range::VARCHAR) AS t, (range / 7)::DECIMAL(18,2) AS m, "
    "DATE '2020-01-01' + (range % 2000)::INTEGER AS d FROM range({})"
)
Figures = dict[str, float]


def enlarge_body(body: bytes, size: int) -> bytes:
    """Repeat the rows of the longest lists with new keys, until the body has `size` bytes."""
    response = json.loads(body)
    response["gov_contracts"]["contracts"] = response["gov_contracts"]["contracts"][:5_000]
    copy = 0
    while len(enlarged := json.dumps(response, ensure_ascii=False).encode()) < size:
        copy += 1
        for block, (name, key) in GROWING_LISTS.items():
            rows = response[block][name]
            if block == "gov_contracts" and len(rows) >= 5_000:
                continue
            rows += [{**row, key: f"{row[key]}-{copy}"} for row in rows]
    return enlarged


def measure_body(share: float) -> Figures:
    """Transform and load one full check of this size."""
    inns = sample_inns(300, 0)
    heaviest = full_checks(inns).sort("bytes").tail(1)
    body = enlarge_body(heaviest["body"][0], int(BODY_BYTES * share))
    large = heaviest.with_columns(
        pl.lit(body).alias("body"), pl.lit(len(body)).alias("bytes"), pl.lit(sha256(body).hexdigest()).alias("sha256")
    )
    with (
        TemporaryDirectory() as folder,
        Warehouse(Path(folder) / "warehouse.duckdb") as warehouse,
        peak_memory() as peak,
    ):
        start = perf_counter()
        rows = load_responses(warehouse, large, CONVENTIONS).loaded.core_rows
        seconds = perf_counter() - start
    return {"size": len(body) / 1e6, "rows": rows, "seconds": seconds, "peak_mib": peak[0]}


def run_command(*words: str, home: str, stop_after: float = 0) -> Figures:
    """Seconds and peak memory of a command; with `stop_after`, the seconds from Ctrl-C to its end."""
    environment = {**os.environ, "INNSPECT_HOME": home}
    # A process started in the background by a script ignores SIGINT, and so do its children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    start = perf_counter()
    with peak_memory() as peak, subprocess.Popen(
        [sys.executable, "-m", "innspect.cli.main", *words],
        cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        if stop_after:
            sleep(stop_after)
            start = perf_counter()
            process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    if process.returncode != (130 if stop_after else 0):
        raise RuntimeError(f"{words[0]} ended with {process.returncode}: {errors[-2000:]}")
    return {"seconds": perf_counter() - start, "peak_mib": peak[0]}


def measure_plan(share: float) -> Figures:
    """Plan a portfolio of a million lines."""
    lines = int(ROWS * share)
    with TemporaryDirectory() as home:
        portfolio = Path(home) / "many.csv"
        portfolio.write_text("inn\n" + "\n".join(sample_inns(lines, 1)) + "\n", encoding="utf-8")
        words = ("plan", str(portfolio), "--sandbox", "--budget", "1000000000")
        figures = run_command(*words, home=home)
        stopped = run_command(*words, home=home, stop_after=figures["seconds"] / 2)
    return {"size": lines, **figures, "stops_in": stopped["seconds"]}


def measure_sql(share: float) -> Figures:
    """Write a query of a million rows to a file, and interrupt a larger one."""
    rows = int(ROWS * share)
    with TemporaryDirectory() as home:
        with Warehouse(Path(home) / "warehouse.duckdb"):
            pass
        figures = run_command("sql", QUERY.format(rows), "--out", f"{home}/rows.csv", home=home)
        endless = ("sql", QUERY.format(rows * 1_000), "--out", f"{home}/endless.csv")
        stopped = run_command(*endless, home=home, stop_after=max(2.0, figures["seconds"] / 2))
        if list(Path(home).glob("*endless*")):
            raise RuntimeError("an interrupted query left files")
    return {"size": rows, **figures, "stops_in": stopped["seconds"]}


INPUTS: dict[str, tuple[str, Callable[[float], Figures]]] = {
    "body": ("one body of {size:.0f} MB ({rows:.0f} rows) transformed and loaded", measure_body),
    "plan": ("`plan` of {size:.0f} lines", measure_plan),
    "sql": ("`sql` of {size:.0f} rows into a CSV file", measure_sql),
}


def measure_large_inputs(share: float = 1.0) -> list[str]:
    """Lines of a table."""
    lines = ["| | seconds | peak MiB | seconds to end after Ctrl-C |", "|---|---|---|---|"]
    for kind, (title, _) in INPUTS.items():
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.large_inputs", "--only", kind, "--share", str(share)],
            cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
        figures: Figures = json.loads(done.stdout.splitlines()[-1])
        stops = f"{figures['stops_in']:.1f}" if "stops_in" in figures else ""
        lines.append(f"| {title.format(**figures)} | {figures['seconds']:.1f} | {figures['peak_mib']:.0f} | {stops} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=list(INPUTS), default="")
    parser.add_argument("--share", type=float, default=1.0)
    options = parser.parse_args()
    if options.only:
        print(json.dumps(INPUTS[options.only][1](options.share)))
    else:
        print("\n".join(measure_large_inputs(options.share)))


if __name__ == "__main__":
    main()
