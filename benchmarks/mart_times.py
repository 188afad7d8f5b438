"""Seconds that each mart takes on a large warehouse, as a view and as a published table.

Measured for an aggregate over every cell, as a BI tool queries, and for a copy of all rows.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

import duckdb

from benchmarks.engine_innspect import load
from innspect.flows.assess import assess_loaded_inns
from innspect.warehouse.database import Warehouse
from innspect.warehouse.marts.registry import mart_comments
from innspect.warehouse.publish.copy_builder import CopyInfo, build_copy
from innspect.warehouse.publish.exclude import Exclusion

READINGS = 3
"""Times that all cells of a mart are read, the fastest of which counts: the first one also reads the file."""


def measure_marts(archive: Path, out: Path) -> list[str]:
    """Lines of a table; the warehouse is rebuilt from the archive if it does not exist."""
    path = out / f"{archive.name}.duckdb"
    if not path.exists():
        load(archive, path)
    copy = path.with_suffix(".published")
    copy.unlink(missing_ok=True)
    with Warehouse(path) as warehouse:
        # A portfolio of all INNs: marts about members would be empty otherwise.
        warehouse.connection.execute(
            "INSERT INTO lineage.portfolio_members (portfolio, inn, first_seen_at, last_seen_at) "
            "SELECT 'all', inn, min(asked_at), max(asked_at) FROM lineage.responses "
            "WHERE inn NOT IN (SELECT inn FROM lineage.portfolio_members) GROUP BY inn"
        )
        # As at the end of a run.
        assess_loaded_inns(warehouse)
        views = _measure_reading(warehouse.connection)
        start = perf_counter()
        build_copy(warehouse, copy, Exclusion(), CopyInfo(datetime.now(UTC).replace(tzinfo=None), "bench"))
        publish_seconds = perf_counter() - start
    with duckdb.connect(str(copy), read_only=True) as connection:
        tables = _measure_reading(connection)
    copy.unlink()
    return [
        f"On the warehouse of {archive.name}, published in {publish_seconds:.1f} s:",
        "",
        "| mart | rows | view of now: all cells read | all rows copied | published: all cells read | all rows copied |",
        "|---|---|---|---|---|---|",
        *(
            f"| {name} | {views[name].rows} | {views[name].read:.2f} | {views[name].copied:.2f} "
            f"| {tables[name].read:.2f} | {tables[name].copied:.2f} |"
            for name in views
        ),
    ]


@dataclass(frozen=True, slots=True)
class MartTimes:
    """Rows of a mart, and the seconds to read all its cells and to copy all its rows."""

    rows: int
    read: float
    copied: float


def _measure_reading(connection: duckdb.DuckDBPyConnection) -> dict[str, MartTimes]:
    found: dict[str, MartTimes] = {}
    for name in mart_comments():
        every_cell = f"SELECT count(*), sum(hash(m)::HUGEINT) FROM (SELECT * FROM mart.{name}) m"
        read, rows = float("inf"), 0
        for _ in range(READINGS):
            start = perf_counter()
            rows = connection.execute(every_cell).fetchall()[0][0]
            read = min(read, perf_counter() - start)
        start = perf_counter()
        connection.execute(f"CREATE OR REPLACE TEMP TABLE read AS SELECT * FROM mart.{name}")
        found[name] = MartTimes(rows, read, perf_counter() - start)
    return found
