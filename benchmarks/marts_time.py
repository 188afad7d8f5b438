"""Seconds that each mart takes on a large warehouse, read whole."""

from pathlib import Path
from time import perf_counter

from benchmarks.innspect_side import load
from warehouse.mart_files import mart_comments
from warehouse.store import Warehouse


def marts(archive: Path, out: Path) -> list[str]:
    """Lines of a table; the warehouse is rebuilt from the archive where it is not there yet."""
    path = out / f"{archive.name}.duckdb"
    if not path.exists():
        load(archive, path)
    lines = [f"On the warehouse of {archive.name}:", "", "| mart | rows | seconds |", "|---|---|---|"]
    with Warehouse(path) as warehouse:
        # A portfolio of all INNs: marts that are about members would be empty otherwise.
        warehouse.connection.execute(
            "INSERT INTO lineage.portfolio_members (portfolio, inn, first_seen_at, last_seen_at) "
            "SELECT 'all', inn, min(asked_at), max(asked_at) FROM lineage.responses "
            "WHERE inn NOT IN (SELECT inn FROM lineage.portfolio_members) GROUP BY inn"
        )
        for name in mart_comments():
            begun = perf_counter()
            warehouse.connection.execute(f"CREATE OR REPLACE TEMP TABLE read AS SELECT * FROM mart.{name}")
            seconds = perf_counter() - begun
            rows = warehouse.frame("SELECT count(*) AS n FROM read")["n"].item()
            lines.append(f"| {name} | {rows} | {seconds:.2f} |")
    return lines
