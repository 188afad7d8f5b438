"""Seconds that each mart takes on a large warehouse, read whole: the view of now, and the published table."""

from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

import duckdb

from benchmarks.innspect_side import load
from warehouse.mart_files import mart_comments
from warehouse.publish import Stamp, build_copy
from warehouse.publish_exclude import Exclusion
from warehouse.store import Warehouse


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
        "| mart | rows | seconds, view of now | seconds, published table |",
        "|---|---|---|---|",
        *(f"| {name} | {views[name][0]} | {views[name][1]:.2f} | {tables[name][1]:.2f} |" for name in views),
    ]


def _read(connection: duckdb.DuckDBPyConnection) -> dict[str, tuple[int, float]]:
    """Rows of each mart, and the seconds in which all of them are there."""
    found: dict[str, tuple[int, float]] = {}
    for name in mart_comments():
        begun = perf_counter()
        connection.execute(f"CREATE OR REPLACE TEMP TABLE read AS SELECT * FROM mart.{name}")
        seconds = perf_counter() - begun
        counted = connection.execute("SELECT count(*) FROM read").fetchone()
        found[name] = (0 if counted is None else counted[0], seconds)
    return found
