"""A re-check without changes against the first load of the same responses: seconds, rows, bytes."""

import statistics
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import polars as pl

from benchmarks.archives import full_checks
from innspect.flows.load import load_responses
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.warehouse.database import Warehouse
from tests.support.builders import CONVENTIONS

FIRST, SECOND = "first load", "unchanged re-check"


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
