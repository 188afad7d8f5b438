"""Queries for erasure and retention: which INNs, responses and portfolios the warehouse has, and who names an INN."""

from collections.abc import Collection
from datetime import datetime
from functools import cache

from innspect.schemas.tables import tables
from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import identifier, stored_tables


@cache
def _tables_with_inn() -> tuple[str, ...]:
    """Tables with an INN in each row, without calls, whose money stays on record."""
    return tuple(
        f"{schema}.{identifier(name)}"
        for (schema, name), (_, columns) in stored_tables().items()
        if any(column.name == "inn" for column in columns) and (schema, name) != ("lineage", "calls")
    )


def known_inns(warehouse: Warehouse) -> list[str]:
    """INNs that were requested or are members of a portfolio."""
    sources = ("responses", "snapshots", "calls", "portfolio_members")
    query = " UNION ".join(f"SELECT inn FROM lineage.{table}" for table in sources)
    return warehouse.query(query)["inn"].to_list()


def rejected_values(warehouse: Warehouse) -> list[str]:
    """Values of rejected lines of portfolio files."""
    return warehouse.query("SELECT DISTINCT value FROM lineage.rejected_inputs")["value"].drop_nulls().to_list()


def count_rows_about(warehouse: Warehouse, inns: Collection[str]) -> int:
    """Number of rows of these INNs in core and lineage, without calls."""
    if not inns:
        return 0
    query = " UNION ALL ".join(
        f"SELECT count(*) AS n FROM {table} WHERE inn IN (SELECT unnest($inns))" for table in _tables_with_inn()
    )
    return int(warehouse.query(query, {"inns": list(inns)})["n"].sum())


def count_responses_before(warehouse: Warehouse, time: datetime) -> int:
    """Number of responses that were requested before this time (UTC)."""
    query = "SELECT count(*) AS n FROM lineage.responses WHERE asked_at < $time"
    return int(warehouse.query(query, {"time": time})["n"].item())


def find_inns_naming(warehouse: Warehouse, inn: str) -> list[str]:
    """Other INNs whose responses name this one in a column (as director, founder, party of a case)."""
    parts = [
        f"SELECT inn FROM core.{identifier(table.name)} WHERE {identifier(column.name)} = $inn AND inn <> $inn"
        for table in tables().values()
        for column in table.columns
        if column.name == "inn" or column.name.endswith("_inn")
    ]
    query = f"SELECT DISTINCT inn FROM ({' UNION ALL '.join(parts)}) ORDER BY inn"
    return warehouse.query(query, {"inn": inn})["inn"].to_list()


def known_portfolios(warehouse: Warehouse) -> list[str]:
    """Portfolios with members."""
    query = "SELECT DISTINCT portfolio FROM lineage.portfolio_members ORDER BY portfolio"
    return warehouse.query(query)["portfolio"].to_list()
