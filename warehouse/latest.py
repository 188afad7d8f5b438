"""The latest of each INN and block, kept beside the snapshots: what is asked of it takes as long whatever the history.

A file has a table that each load brings forward; a lake, where many write, a view that works it out.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import polars as pl

from innspect.warehouse.ddl import LATEST, LATEST_COLUMNS, quoted, silent_calls

if TYPE_CHECKING:
    from innspect.warehouse.database import Warehouse

KINDS: Mapping[str, pl.DataType] = {"VARCHAR": pl.String(), "TIMESTAMP": pl.Datetime("us"), "BOOLEAN": pl.Boolean()}
SCHEMA = pl.Schema({column.name: KINDS[column.sql] for column in LATEST_COLUMNS})
FULL = f"lineage.{quoted(LATEST)}"
EVIDENCE = ("version_id", "evidence_id", "checked_at", "collected_at")


def worked_out(which: str = "") -> str:
    """The query of the latest of all snapshots; `which` follows them in `FROM`.

    The greatest of records that begin with the moment and the snapshot is the latest.
    """
    return (
        "SELECT inn, block, answer.asked_at, answer.snapshot_id, answer.state, answer.reason, answer.method, "
        "evidence.version_id, evidence.snapshot_id AS evidence_id, evidence.asked_at AS checked_at, "
        "evidence.collected_at, is_whole FROM (SELECT inn, block, "
        "max({'asked_at': asked_at, 'snapshot_id': snapshot_id, 'state': state, 'reason': reason, 'method': method}) "
        "AS answer, max({'asked_at': asked_at, 'snapshot_id': snapshot_id, 'version_id': version_id, "
        "'collected_at': collected_at}) FILTER (version_id IS NOT NULL) AS evidence, "
        "bool_or(version_id IS NOT NULL AND state IN ('found', 'clean')) AS is_whole "
        f"FROM lineage.snapshots{which} GROUP BY inn, block)"
    )


def view() -> str:
    """The statement that makes a view in place of the table."""
    return f"CREATE OR REPLACE VIEW {FULL} AS {worked_out()}"


def fill(into: str = "", source: str = "") -> str:
    """The statement that fills the empty table from the snapshots that are there.

    `into` names another database than the one in use, with its dot; `source` one that has the table filled already.
    """
    names = ", ".join(SCHEMA)
    return f"INSERT INTO {into}{FULL} ({names}) {f'SELECT {names} FROM {source}{FULL}' if source else worked_out()}"


def latest_of(warehouse: "Warehouse", frame: str) -> str:
    """The query of the latest of those (inn, block) pairs that a registered frame names."""
    which = f" SEMI JOIN {frame} USING (inn, block)"
    return worked_out(which) if warehouse.is_shared else f"SELECT * FROM {FULL}{which}"


def last_asked() -> str:
    """The query of the latest with calls of which no answer came: these were asked, and may be later than an answer.

    The columns of `LATEST_COLUMNS` but `is_whole`; `snapshot_id` is NULL where the latest is such a call.
    """
    silent = (
        "SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call "
        f"FROM ({silent_calls()}) GROUP BY inn, block"
    )
    told = ("asked_at", "state", "reason", "method")
    cells = [f"CASE WHEN f.call.asked_at > l.asked_at THEN f.call.{name} ELSE l.{name} END AS {name}" for name in told]
    cells.append("CASE WHEN f.call.asked_at > l.asked_at THEN NULL ELSE l.snapshot_id END AS snapshot_id")
    return (
        f"SELECT l.inn, l.block, {', '.join(cells)}, {', '.join(f'l.{name}' for name in EVIDENCE)} "
        f"FROM {FULL} l LEFT JOIN ({silent}) f ON f.inn = l.inn AND f.block = l.block UNION ALL BY NAME "
        f"SELECT f.inn, f.block, {', '.join(f'f.call.{name} AS {name}' for name in told)} "
        f"FROM ({silent}) f ANTI JOIN {FULL} l ON l.inn = f.inn AND l.block = f.block"
    )


def move_on(warehouse: "Warehouse", snapshots: pl.DataFrame, *, is_new: bool = False) -> None:
    """Bring the table forward by snapshots that are being loaded, in the caller's transaction.

    `is_new`: there is nothing yet of any of their INNs.
    """
    if warehouse.is_shared or snapshots.is_empty():
        return
    arriving = _greatest(_rows(snapshots))
    there = arriving.clear()
    if not is_new:
        with warehouse.frames(arriving=arriving):
            there = warehouse.frame(latest_of(warehouse, "arriving")).cast(SCHEMA)
    if there.is_empty():
        warehouse.insert(FULL, arriving)
        return
    moved = _greatest(pl.concat([there, arriving]))
    warehouse.insert(FULL, moved.join(there, on=["inn", "block"], how="anti", maintain_order="left"))
    cells = ", ".join(f"{name} = m.{name}" for name in SCHEMA if name not in ("inn", "block"))
    with warehouse.frames(moved=moved.join(there, on=["inn", "block"], how="semi", maintain_order="left")):
        warehouse.connection.execute(
            f"UPDATE {FULL} l SET {cells} FROM moved m WHERE l.inn = m.inn AND l.block = m.block"
        )


def _rows(snapshots: pl.DataFrame) -> pl.DataFrame:
    """Each snapshot as if it were the only one of its INN and block."""
    is_evidence = pl.col("version_id").is_not_null()
    return snapshots.select(
        *("inn", "block", "asked_at", "snapshot_id", "state", "reason", "method", "version_id"),
        pl.when(is_evidence).then("snapshot_id").alias("evidence_id"),
        pl.when(is_evidence).then("asked_at").alias("checked_at"),
        pl.when(is_evidence).then("collected_at").alias("collected_at"),
        (is_evidence & pl.col("state").is_in(("found", "clean"))).alias("is_whole"),
    ).cast(SCHEMA)


def _greatest(rows: pl.DataFrame) -> pl.DataFrame:
    """One row per INN and block: the latest answer, and beside it the latest that is evidence."""
    if rows.select(pl.struct("inn", "block").is_duplicated().any()).item() is False:
        return rows
    answers = rows.sort("asked_at", "snapshot_id").drop(*EVIDENCE, "is_whole")
    evidence = rows.sort("checked_at", "evidence_id", nulls_last=False).select("inn", "block", *EVIDENCE, "is_whole")
    pair = ("inn", "block")
    last = answers.group_by(pair, maintain_order=True).last()
    known = evidence.group_by(pair, maintain_order=True).agg(pl.col(EVIDENCE).last(), pl.col("is_whole").any())
    return last.join(known, on=pair, how="left", maintain_order="left").select(list(SCHEMA))
