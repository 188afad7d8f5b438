"""Runs, calls, members and rejected lines: what the archive says of them, into the lineage tables."""

from collections.abc import Sequence

import polars as pl

from innspect.schemas.lineage import CALLS, LINEAGE, PORTFOLIO_MEMBERS, REJECTED_INPUTS, RUNS
from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import RECORD_FILES, quoted
from innspect.warehouse.load.load import append

REPLACED = {"runs": RUNS, "calls": CALLS, "rejected": REJECTED_INPUTS}


def loaded_records(warehouse: Warehouse) -> set[str]:
    """The archive files of records that are loaded."""
    return set(warehouse.frame(f"SELECT archive_file FROM lineage.{quoted(RECORD_FILES)}")["archive_file"].to_list())


def note_record_file(warehouse: Warehouse, archive_file: str, replaced: Sequence[str] = ()) -> None:
    """Note that a file of records is loaded, in place of those that it replaces; inside the caller's transaction."""
    warehouse.connection.execute(
        f"DELETE FROM lineage.{quoted(RECORD_FILES)} WHERE archive_file IN (SELECT unnest($files))",
        {"files": [archive_file, *replaced]},
    )
    warehouse.connection.execute(f"INSERT INTO lineage.{quoted(RECORD_FILES)} VALUES ($file)", {"file": archive_file})


def load_records(
    warehouse: Warehouse, kind: str, frame: pl.DataFrame, archive_file: str, replaced: Sequence[str] = ()
) -> None:
    """Load one archive file of records, inside the caller's transaction; a later word on the same key replaces it.

    Loaded again, with all files of the kind that come after it, it changes nothing.
    """
    note_record_file(warehouse, archive_file, replaced)
    if frame.is_empty():
        return
    if kind == "members":
        _members(warehouse, frame)
        return
    table = REPLACED[kind]
    if kind in ("runs", "calls"):
        # A file that others were put together in has several words on the same key.
        frame = frame.unique(table.key, keep="last", maintain_order=True)
    with warehouse.frames(arriving=frame):
        same = " AND ".join(f"t.{quoted(name)} IS NOT DISTINCT FROM a.{quoted(name)}" for name in table.key)
        warehouse.connection.execute(f"DELETE FROM lineage.{table.name} t USING arriving a WHERE {same}")
    append(warehouse, table, frame)


def _members(warehouse: Warehouse, frame: pl.DataFrame) -> None:
    """Members of a portfolio as a run saw them: the newest word counts, first and last sight are kept."""
    cells = ("name", "priority", "tags", "extra")
    frame = (
        frame.sort("seen_at", maintain_order=True)
        .group_by("portfolio", "inn", maintain_order=True)
        .agg(
            pl.col(cells).last(),
            pl.col("seen_at").min().alias("first_seen_at"),
            pl.col("seen_at").max().alias("last_seen_at"),
        )
    )
    newer = "a.last_seen_at >= m.last_seen_at"
    updates = [f"{cell} = CASE WHEN {newer} THEN a.{cell} ELSE m.{cell} END" for cell in cells]
    with warehouse.frames(arriving=frame):
        warehouse.connection.execute(
            f"UPDATE lineage.portfolio_members m SET {', '.join(updates)}, "
            "first_seen_at = least(m.first_seen_at, a.first_seen_at), "
            "last_seen_at = greatest(m.last_seen_at, a.last_seen_at) "
            "FROM arriving a WHERE m.portfolio = a.portfolio AND m.inn = a.inn"
        )
        known = warehouse.frame(
            "SELECT m.portfolio, m.inn FROM lineage.portfolio_members m SEMI JOIN arriving a USING (portfolio, inn)"
        )
    fresh = frame.join(known, on=["portfolio", "inn"], how="anti", maintain_order="left")
    append(warehouse, PORTFOLIO_MEMBERS, fresh.select(list(LINEAGE["portfolio_members"].schema())))
