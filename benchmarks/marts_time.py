"""Seconds that each mart takes on a large warehouse: the view of now, and the published table.

Once for a question that needs every cell of it and has a small answer, as a BI tool asks; once for a copy of all rows.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

import duckdb

from benchmarks.innspect_side import load
from innspect.warehouse.database import Warehouse
from innspect.warehouse.marts.registry import mart_comments
from innspect.warehouse.publish.build import Stamp, build_copy
from innspect.warehouse.publish.exclude import Exclusion


def marts(archive: Path, out: Path) -> list[str]:
    """Lines of a table; the warehouse is rebuilt from the archive where it is not there yet."""
    path = out / f"{archive.name}.duckdb"
    if not path.exists():
        load(archive, path)
    copy = path.with_suffix(".published")
    copy.unlink(missing_ok=True)
    with Warehouse(path) as warehouse:
        # A portfolio of all INNs: marts that are about members would be empty otherwise.
        warehouse.connection.execute(
            "INSERT INTO lineage.portfolio_members (portfolio, inn, first_seen_at, last_seen_at) "
            "SELECT 'all', inn, min(asked_at), max(asked_at) FROM lineage.responses "
            "WHERE inn NOT IN (SELECT inn FROM lineage.portfolio_members) GROUP BY inn"
        )
        views = _read(warehouse.connection)
        begun = perf_counter()
        build_copy(warehouse, copy, Exclusion(), Stamp(datetime.now(UTC).replace(tzinfo=None), "bench"))
        published = perf_counter() - begun
    with duckdb.connect(str(copy), read_only=True) as connection:
        tables = _read(connection)
    copy.unlink()
    return [
        f"On the warehouse of {archive.name}, whose copy is published in {published:.1f} s:",
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
class Took:
    """Rows of a mart, the seconds until all its cells are read, and those until its rows are another table's."""

    rows: int
    read: float
    copied: float


def _read(connection: duckdb.DuckDBPyConnection) -> dict[str, Took]:
    found: dict[str, Took] = {}
    for name in mart_comments():
        begun = perf_counter()
        every_cell = f"SELECT count(*), sum(hash(m)::HUGEINT) FROM (SELECT * FROM mart.{name}) m"
        rows = connection.execute(every_cell).fetchall()[0][0]
        read = perf_counter() - begun
        begun = perf_counter()
        connection.execute(f"CREATE OR REPLACE TEMP TABLE read AS SELECT * FROM mart.{name}")
        found[name] = Took(rows, read, perf_counter() - begun)
    return found
