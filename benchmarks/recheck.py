"""An unchanged re-check against a first load of the same answers: seconds, rows, bytes."""

import statistics
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import polars as pl

from benchmarks.archives import ZONE, answers
from innspect.flows.load import load_answers
from innspect.sandbox.options import DEFAULT_DAY
from innspect.sandbox.world.inn_samples import sample
from innspect.warehouse.database import Warehouse


def recheck(checks: int, rounds: int) -> list[str]:
    """Lines of a table: medians over the rounds."""
    first = answers(sample(checks, 0), DEFAULT_DAY)
    later = first.with_columns(
        pl.col("response_id", "call_id") + "-again", pl.col("asked_at", "received_at") + timedelta(days=1)
    )
    taken: dict[str, list[tuple[float, int, int]]] = {"first load": [], "unchanged re-check": []}
    for _ in range(rounds):
        with TemporaryDirectory() as folder, Warehouse(Path(folder) / "warehouse.duckdb") as warehouse:
            size = _size(warehouse)
            for name, frame in (("first load", first), ("unchanged re-check", later)):
                begun = perf_counter()
                loaded = load_answers(warehouse, frame, ZONE).loaded
                seconds, before, size = perf_counter() - begun, size, _size(warehouse)
                taken[name].append((seconds, loaded.core_rows, size - before))
    middle = {name: [statistics.median(column) for column in zip(*each, strict=True)] for name, each in taken.items()}
    whole = middle["first load"]
    lines = [f"{checks} full checks, median of {rounds}:", "", "| | seconds | rows of core | MB |", "|---|---|---|---|"]
    for name, (seconds, rows, size) in middle.items():
        lines.append(f"| {name} | {seconds:.2f} | {rows:.0f} | {size / 1e6:.2f} |")
    shares = [
        f"{100 * one / max(1e-9, other):.1f} %" for one, other in zip(middle["unchanged re-check"], whole, strict=True)
    ]
    return [*lines, f"| the second of the first | {' | '.join(shares)} |"]


def _size(warehouse: Warehouse) -> int:
    warehouse.connection.execute("CHECKPOINT")
    return warehouse.path.stat().st_size
