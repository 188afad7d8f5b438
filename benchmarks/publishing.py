"""Publishing after the first load, and after re-checks that changed one INN of a hundred: seconds, bytes, memory."""

import statistics
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import polars as pl

from benchmarks.archives import full_checks
from benchmarks.memory import peak_memory
from innspect.flows.load import load_responses
from innspect.flows.publish import publish_copy
from innspect.sandbox.options import DEFAULT_DAY
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.settings import Settings
from innspect.warehouse.database import Warehouse
from tests.support.builders import CONVENTIONS

LOADED_AT_ONCE = 500
CHANGED_SHARE = 0.01
LATER_DAYS = 25


def measure_publishing(sizes: list[int], rounds: int) -> list[str]:
    """Lines of a table: the first publication, and the median of `rounds` after a re-check."""
    lines = ["| INNs | publication | seconds | CPU seconds | MB of the copy | peak MiB |", "|---|---|---|---|---|---|"]
    for inns in sizes:
        with TemporaryDirectory() as folder:
            lines += _measure_size(Path(folder), sample_inns(inns, 0), rounds)
    return lines


def _measure_size(home: Path, inns: list[str], rounds: int) -> list[str]:
    settings, changed = Settings(home=home), max(1, int(len(inns) * CHANGED_SHARE))
    with Warehouse(home / "warehouse.duckdb") as warehouse:
        for start in range(0, len(inns), LOADED_AT_ONCE):
            load_responses(warehouse, full_checks(inns[start : start + LOADED_AT_ONCE]), CONVENTIONS)
        first = _publish(settings, warehouse)
        later: list[tuple[float, ...]] = []
        for number in range(rounds):
            part = inns[number * changed : (number + 1) * changed]
            day = DEFAULT_DAY + timedelta(days=LATER_DAYS + number)
            again = full_checks(part, day).with_columns(pl.col("response_id", "call_id") + f"-{number}")
            load_responses(warehouse, again, CONVENTIONS)
            later.append(_publish(settings, warehouse))
    median = tuple(statistics.median(column) for column in zip(*later, strict=True))
    return [
        f"| {len(inns)} | {name} | {seconds:.1f} | {cpu:.1f} | {size:.0f} | {peak:.0f} |"
        for name, (seconds, cpu, size, peak) in (("first", first), (f"after {changed} INNs changed", median))
    ]


def _publish(settings: Settings, warehouse: Warehouse) -> tuple[float, ...]:
    """Seconds, CPU seconds, MB of the copy, peak MiB."""
    with peak_memory() as peak:
        wall, cpu = perf_counter(), process_time()
        published = publish_copy(settings, warehouse)
        seconds, cpu_seconds = perf_counter() - wall, process_time() - cpu
    return seconds, cpu_seconds, published.copy.stat().st_size / 1e6, peak[0]
