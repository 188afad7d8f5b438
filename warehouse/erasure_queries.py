"""Who is in the warehouse: which INNs it knows, in how many rows of which tables, and where others name them."""

from collections.abc import Collection
from functools import cache

from innspect.schemas.tables import tables
from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import base_tables, quoted

ABOUT = "lineage.responses", "lineage.snapshots", "lineage.calls", "lineage.portfolio_members"


@cache
def _with_inn() -> tuple[str, ...]:
    """The tables with a row about one INN each; calls are money and count apart."""
    return tuple(
        f"{schema}.{quoted(name)}"
        for (schema, name), (_, columns) in base_tables().items()
        if any(column.name == "inn" for column in columns) and (schema, name) != ("lineage", "calls")
    )


def inns_known(warehouse: Warehouse) -> list[str]:
    """The INNs that were asked, or are members of a portfolio."""
    query = " UNION ".join(f"SELECT inn FROM {table}" for table in ABOUT)
    return warehouse.frame(query)["inn"].to_list()


def values_rejected(warehouse: Warehouse) -> list[str]:
    """What stood in the rejected lines of portfolio files."""
    return warehouse.frame("SELECT DISTINCT value FROM lineage.rejected_inputs")["value"].drop_nulls().to_list()


def rows_about(warehouse: Warehouse, inns: Collection[str]) -> int:
    """How many rows of core and lineage are about these INNs; calls do not count."""
    if not inns:
        return 0
    query = " UNION ALL ".join(
        f"SELECT count(*) AS n FROM {table} WHERE inn IN (SELECT unnest($inns))" for table in _with_inn()
    )
    return int(warehouse.frame(query, {"inns": list(inns)})["n"].sum())


def answers_before(warehouse: Warehouse, moment: object) -> int:
    """How many answers were asked before a moment."""
    query = "SELECT count(*) AS n FROM lineage.responses WHERE asked_at < $moment"
    return int(warehouse.frame(query, {"moment": moment})["n"].item())


def named_by(warehouse: Warehouse, inn: str) -> list[str]:
    """The other INNs whose answers name this one in a column of its own (as director, founder, party of a case)."""
    parts = [
        f"SELECT inn FROM core.{quoted(table.name)} WHERE {quoted(column.name)} = $inn AND inn <> $inn"
        for table in tables().values()
        for column in table.columns
        if column.name == "inn" or column.name.endswith("_inn")
    ]
    return warehouse.frame(f"SELECT DISTINCT inn FROM ({' UNION ALL '.join(parts)}) ORDER BY inn", {"inn": inn})[
        "inn"
    ].to_list()


def portfolios_known(warehouse: Warehouse) -> list[str]:
    """The portfolios that have members."""
    query = "SELECT DISTINCT portfolio FROM lineage.portfolio_members ORDER BY portfolio"
    return warehouse.frame(query)["portfolio"].to_list()
