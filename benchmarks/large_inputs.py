"""Large things, each in a process of its own: a body of 50 MB, a million lines through `plan`, a million rows of `sql`.

`python -m benchmarks.large_inputs [--part N]`: a part of the size, for a smoke. Tells seconds, peak memory, and how long an
interrupted command takes to end.
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

from benchmarks.archives import ZONE, answers
from benchmarks.memory import peak
from innspect.flows.load import load_answers
from innspect.sandbox.options import DEFAULT_DAY
from innspect.sandbox.world.inn_samples import sample
from innspect.warehouse.database import Warehouse

ROOT = Path(__file__).parents[1]
BODY_BYTES = 50_000_000
MANY = 1_000_000
NUMBERS = {"gov_contracts": ("contracts", "reg_num"), "pledges": ("pledges", "id"), "arbitration": ("cases", "case_id")}
"""Lists that grow in the large body, and what tells their rows apart."""
QUERY = (
    "SELECT range AS n, md5(range::VARCHAR) AS t, (range / 7)::DECIMAL(18,2) AS m, "
    "DATE '2020-01-01' + (range % 2000)::INTEGER AS d FROM range({})"
)
Told = dict[str, float]


def grown(body: bytes, size: int) -> bytes:
    """The same answer with ever more rows in its longest lists, each with a number of its own."""
    answer = json.loads(body)
    answer["gov_contracts"]["contracts"] = answer["gov_contracts"]["contracts"][:5_000]
    turn = 0
    while len(grew := json.dumps(answer, ensure_ascii=False).encode()) < size:
        turn += 1
        for block, (name, key) in NUMBERS.items():
            rows = answer[block][name]
            if block == "gov_contracts" and len(rows) >= 5_000:
                continue
            rows += [{**row, key: f"{row[key]}-{turn}"} for row in rows]
    return grew


def one_body(part: float) -> Told:
    """A single full check of this size, transformed and loaded."""
    inns = sample(300, 0)
    each = answers(inns, DEFAULT_DAY)
    heaviest = each.sort("bytes").tail(1)
    body = grown(heaviest["body"][0], int(BODY_BYTES * part))
    large = heaviest.with_columns(
        pl.lit(body).alias("body"), pl.lit(len(body)).alias("bytes"), pl.lit(sha256(body).hexdigest()).alias("sha256")
    )
    del each
    with TemporaryDirectory() as folder, Warehouse(Path(folder) / "warehouse.duckdb") as warehouse, peak() as most:
        begun = perf_counter()
        rows = load_answers(warehouse, large, ZONE).loaded.core_rows
        seconds = perf_counter() - begun
    return {"size": len(body) / 1e6, "rows": rows, "seconds": seconds, "peak_mb": most[0]}


def command(*words: str, home: str, stop_after: float = 0) -> Told:
    """A command: its seconds and peak memory; stopped by Ctrl-C after some seconds, how long it takes to end."""
    environment = {**os.environ, "INNSPECT_HOME": home}
    # What a script starts in the background ignores Ctrl-C, and so would what we start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    begun = perf_counter()
    with peak() as most, subprocess.Popen(
        [sys.executable, "-m", "innspect.cli.main", *words],
        cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        if stop_after:
            sleep(stop_after)
            begun = perf_counter()
            process.send_signal(signal.SIGINT)
        _, told = process.communicate()
    if process.returncode != (130 if stop_after else 0):
        raise RuntimeError(f"{words[0]} ended with {process.returncode}: {told[-2000:]}")
    return {"seconds": perf_counter() - begun, "peak_mb": most[0]}


def plan(part: float) -> Told:
    """A portfolio of so many lines planned."""
    lines = int(MANY * part)
    with TemporaryDirectory() as home:
        portfolio = Path(home) / "many.csv"
        portfolio.write_text("inn\n" + "\n".join(sample(lines, 1)) + "\n", encoding="utf-8")
        words = ("plan", str(portfolio), "--sandbox", "--budget", "1000000000")
        told = command(*words, home=home)
        stopped = command(*words, home=home, stop_after=told["seconds"] / 2)
    return {"size": lines, **told, "stops_in": stopped["seconds"]}


def sql(part: float) -> Told:
    """A query of so many rows written to a file, and one that is interrupted."""
    rows = int(MANY * part)
    with TemporaryDirectory() as home:
        with Warehouse(Path(home) / "warehouse.duckdb"):
            pass
        told = command("sql", QUERY.format(rows), "--out", f"{home}/rows.csv", home=home)
        endless = ("sql", QUERY.format(rows * 1_000), "--out", f"{home}/endless.csv")
        stopped = command(*endless, home=home, stop_after=max(2.0, told["seconds"] / 2))
        if list(Path(home).glob("*endless*")):
            raise RuntimeError("an interrupted query left something behind")
    return {"size": rows, **told, "stops_in": stopped["seconds"]}


KINDS: dict[str, tuple[str, Callable[[float], Told]]] = {
    "body": ("one body of {size:.0f} MB ({rows:.0f} rows) transformed and loaded", one_body),
    "plan": ("`plan` of {size:.0f} lines", plan),
    "sql": ("`sql` of {size:.0f} rows into a CSV file", sql),
}


def large(part: float = 1.0) -> list[str]:
    """Lines of a table."""
    lines = ["| | seconds | peak MB | seconds to end after Ctrl-C |", "|---|---|---|---|"]
    for kind, (title, _) in KINDS.items():
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.large_inputs", "--only", kind, "--part", str(part)],
            cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
        told: Told = json.loads(done.stdout.splitlines()[-1])
        stops = f"{told['stops_in']:.1f}" if "stops_in" in told else ""
        lines.append(f"| {title.format(**told)} | {told['seconds']:.1f} | {told['peak_mb']:.0f} | {stops} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=list(KINDS), default="")
    parser.add_argument("--part", type=float, default=1.0)
    chosen = parser.parse_args()
    if chosen.only:
        print(json.dumps(KINDS[chosen.only][1](chosen.part)))
    else:
        print("\n".join(large(chosen.part)))


if __name__ == "__main__":
    main()
