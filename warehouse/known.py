"""What the warehouse knows already: for the planner, how fresh; for a partial answer, the rows it stands on."""

import polars as pl

from schemas.catalogue import FULL_CHECK
from schemas.errors import Exit
from schemas.lineage import KNOWN
from schemas.tables import tables_of
from warehouse.ddl import latest, quoted, silent_calls
from warehouse.store import Warehouse


def freshness(warehouse: Warehouse, members: pl.DataFrame) -> pl.DataFrame:
    """The latest answer, or call without one, of each INN and block (columns of `KNOWN`) for a portfolio's members."""
    with warehouse.frames(members=members.select("inn").unique()):
        frame = warehouse.frame(
            "WITH asked AS (SELECT inn, block, asked_at, state, reason, snapshot_id FROM lineage.snapshots "
            f"UNION ALL BY NAME SELECT * EXCLUDE (method) FROM ({silent_calls()})) "
            "SELECT s.inn, s.block, max(s.asked_at) AS asked_at, "
            "arg_max(s.state, (s.asked_at, s.snapshot_id)) AS state, "
            "nullif(arg_max(coalesce(s.reason, ''), (s.asked_at, s.snapshot_id)), '') AS reason "
            "FROM asked s SEMI JOIN members m USING (inn) GROUP BY s.inn, s.block"
        )
    return frame.cast(pl.Schema(KNOWN))


def unrepaired(warehouse: Warehouse, members: pl.DataFrame) -> pl.DataFrame:
    """Blocks of a portfolio's members that a run left silent because it was cut short before its repairs.

    `inn`, `block`, `method`, `state`, `reason` of the latest answer: of a full check, in a run that was interrupted,
    refused or ended by a fault. What was asked by its own method since is not among them.
    """
    with warehouse.frames(members=members.select("inn").unique()):
        return warehouse.frame(
            "SELECT s.inn, s.block, s.method, s.state, s.reason FROM ("
            "SELECT s.*, row_number() OVER (PARTITION BY s.inn, s.block ORDER BY s.asked_at DESC, s.snapshot_id DESC) "
            "AS place FROM lineage.snapshots s SEMI JOIN members m USING (inn)) s "
            "JOIN lineage.runs r USING (run_id) WHERE s.place = 1 AND s.method = $full_check "
            "AND s.state IN ('unconfirmed', 'unavailable') AND r.exit_code IN $codes ORDER BY s.inn, s.block",
            {"full_check": FULL_CHECK, "codes": [int(Exit.FAULT), int(Exit.REFUSED), int(Exit.INTERRUPTED)]},
        ).cast(pl.Schema(dict.fromkeys(("inn", "block", "method", "state", "reason"), pl.String)))


def versions_known(warehouse: Warehouse, pairs: pl.DataFrame) -> pl.DataFrame:
    """The latest version of each of these (inn, block) pairs that has one: `inn`, `block`, `version_id`, `whole`.

    `whole` says whether any answer so far was a whole one, found or clean; else all that is known is partial.
    """
    with warehouse.frames(pairs=pairs.select("inn", "block").unique()):
        frame = warehouse.frame(
            "SELECT s.inn, s.block, arg_max(s.version_id, (s.asked_at, s.snapshot_id)) AS version_id, "
            "bool_or(s.state IN ('found', 'clean')) AS whole "
            "FROM lineage.snapshots s SEMI JOIN pairs p USING (inn, block) "
            "WHERE s.version_id IS NOT NULL GROUP BY s.inn, s.block"
        )
    types = {"inn": pl.String, "block": pl.String, "version_id": pl.String, "whole": pl.Boolean}
    return frame.cast(pl.Schema(types))


def known_rows(warehouse: Warehouse, pairs: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """By table, the rows of the latest versions of these (inn, block) pairs: `inn`, ordinals, columns."""
    found: dict[str, pl.DataFrame] = {}
    for block in pairs["block"].unique(maintain_order=True).to_list():
        wanted = pairs.filter(pl.col("block") == block).select("inn").unique()
        with warehouse.frames(wanted=wanted):
            for table in tables_of(block):
                columns = [*table.ordinals, *(column.name for column in table.columns)]
                listed = ", ".join(f"t.{quoted(name)}" for name in columns)
                order = ", ".join(["t.inn", *(f"t.{quoted(name)}" for name in table.ordinals)])
                rows = warehouse.frame(
                    f"SELECT t.inn, {listed} FROM core.{quoted(table.name)} t "
                    f"JOIN ({latest(wanted_of(block))}) l "
                    f"ON l.version_id = t.version_id ORDER BY {order}"
                )
                types = {name: pl.UInt32() for name in table.ordinals}
                types |= {column.name: column.kind.frame for column in table.columns}
                found[table.name] = rows.cast(pl.Schema({"inn": pl.String(), **types}))
    return found


def wanted_of(block: str) -> str:
    """The condition on snapshots of one block and the INNs in `wanted`."""
    return f"block = '{block}' AND inn IN (SELECT inn FROM wanted)"
