"""Runs, calls, members and rejected lines: what the archive says of them, into the lineage tables."""

import polars as pl

from schemas.lineage import CALLS, LINEAGE, PORTFOLIO_MEMBERS, REJECTED_INPUTS, RUNS
from warehouse.ddl import RECORD_FILES, quoted
from warehouse.load import append
from warehouse.store import Warehouse

REPLACED = {"runs": RUNS, "calls": CALLS, "rejected": REJECTED_INPUTS}


def loaded_records(warehouse: Warehouse) -> set[str]:
    """The archive files of records that are loaded."""
    return set(warehouse.frame(f"SELECT archive_file FROM lineage.{quoted(RECORD_FILES)}")["archive_file"].to_list())


def load_records(warehouse: Warehouse, kind: str, frame: pl.DataFrame, archive_file: str) -> None:
    """Load one archive file of records, inside the caller's transaction; a later word on the same key replaces it."""
    warehouse.connection.execute(f"INSERT INTO lineage.{quoted(RECORD_FILES)} VALUES ($file)", {"file": archive_file})
    if frame.is_empty():
        return
    if kind == "members":
        _members(warehouse, frame)
        return
    table = REPLACED[kind]
    with warehouse.frames(arriving=frame):
        same = " AND ".join(f"t.{quoted(name)} IS NOT DISTINCT FROM a.{quoted(name)}" for name in table.key)
        warehouse.connection.execute(f"DELETE FROM lineage.{table.name} t USING arriving a WHERE {same}")
    append(warehouse, table, frame)


def _members(warehouse: Warehouse, frame: pl.DataFrame) -> None:
    """Members of a portfolio as a run saw them: the newest word counts, first and last sight are kept."""
    cells = ("name", "priority", "tags", "extra")
    newer = "a.seen_at >= m.last_seen_at"
    updates = [f"{cell} = CASE WHEN {newer} THEN a.{cell} ELSE m.{cell} END" for cell in cells]
    with warehouse.frames(arriving=frame):
        warehouse.connection.execute(
            f"UPDATE lineage.portfolio_members m SET {', '.join(updates)}, "
            "first_seen_at = least(m.first_seen_at, a.seen_at), last_seen_at = greatest(m.last_seen_at, a.seen_at) "
            "FROM arriving a WHERE m.portfolio = a.portfolio AND m.inn = a.inn"
        )
        known = warehouse.frame(
            "SELECT m.portfolio, m.inn FROM lineage.portfolio_members m SEMI JOIN arriving a USING (portfolio, inn)"
        )
    fresh = frame.join(known, on=["portfolio", "inn"], how="anti", maintain_order="left")
    fresh = fresh.with_columns(pl.col("seen_at").alias("first_seen_at"), pl.col("seen_at").alias("last_seen_at"))
    append(warehouse, PORTFOLIO_MEMBERS, fresh.select(list(LINEAGE["portfolio_members"].schema())))
