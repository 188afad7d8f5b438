"""What the warehouse knows already: for the planner, how fresh; for a partial answer, the rows it stands on."""

from collections.abc import Sequence

import polars as pl

from innspect.schemas.catalogue import FULL_CHECK
from innspect.schemas.errors import Exit
from innspect.schemas.lineage import KNOWN
from innspect.schemas.tables import tables_of
from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import quoted
from innspect.warehouse.latest import FULL, last_asked, latest_of


def freshness(warehouse: Warehouse, members: pl.DataFrame) -> pl.DataFrame:
    """The latest answer, or call without one, of each INN and block (columns of `KNOWN`) for a portfolio's members."""
    with warehouse.frames(members=members.select("inn").unique()):
        frame = warehouse.frame(
            f"SELECT inn, block, asked_at, state, reason FROM ({last_asked()}) SEMI JOIN members m USING (inn)"
        )
    return frame.cast(pl.Schema(KNOWN))


def unrepaired(warehouse: Warehouse, members: pl.DataFrame) -> pl.DataFrame:
    """Blocks of a portfolio's members that a run left silent because it was cut short before its repairs.

    `inn`, `block`, `method`, `state`, `reason` of the latest answer: of a full check, in a run that was interrupted,
    refused or ended by a fault. What was asked by its own method since is not among them.
    """
    with warehouse.frames(members=members.select("inn").unique()):
        return warehouse.frame(
            f"SELECT l.inn, l.block, l.method, l.state, l.reason FROM {FULL} l SEMI JOIN members m USING (inn) "
            "JOIN lineage.snapshots s ON s.snapshot_id = l.snapshot_id JOIN lineage.runs r ON r.run_id = s.run_id "
            "WHERE l.method = $full_check AND l.state IN ('unconfirmed', 'unavailable') AND r.exit_code IN $codes "
            "ORDER BY l.inn, l.block",
            {"full_check": FULL_CHECK, "codes": [int(Exit.FAULT), int(Exit.REFUSED), int(Exit.INTERRUPTED)]},
        ).cast(pl.Schema(dict.fromkeys(("inn", "block", "method", "state", "reason"), pl.String)))


def states_of(warehouse: Warehouse, answers: pl.DataFrame) -> pl.DataFrame:
    """What became of answers that are loaded: `inn`, `block`, `method`, `state`, `reason` of their snapshots."""
    with warehouse.frames(answers=answers.select("response_id")):
        return warehouse.frame(
            "SELECT s.inn, s.block, s.method, s.state, s.reason FROM lineage.snapshots s "
            "SEMI JOIN answers a USING (response_id) ORDER BY ALL"
        ).cast(pl.Schema(dict.fromkeys(("inn", "block", "method", "state", "reason"), pl.String)))


def versions_known(warehouse: Warehouse, pairs: pl.DataFrame) -> pl.DataFrame:
    """The latest version of each of these (inn, block) pairs that has one: `inn`, `block`, `version_id`, `whole`.

    `whole` says whether any answer so far was a whole one, found or clean; else all that is known is partial.
    """
    with warehouse.frames(pairs=pairs.select("inn", "block").unique()):
        frame = warehouse.frame(
            "SELECT inn, block, version_id, is_whole AS whole "
            f"FROM ({latest_of(warehouse, 'pairs')}) WHERE version_id IS NOT NULL"
        )
    types = {"inn": pl.String, "block": pl.String, "version_id": pl.String, "whole": pl.Boolean}
    return frame.cast(pl.Schema(types))


def unread_before(warehouse: Warehouse, pairs: pl.DataFrame, rules: Sequence[str]) -> pl.DataFrame:
    """Cells of the latest versions of these (inn, block) pairs that broke one of the rules.

    `inn`, `block`, `table_name`, `row_path`, `column_name`.
    """
    with warehouse.frames(pairs=pairs.select("inn", "block").unique()):
        frame = warehouse.frame(
            "WITH mine AS (FROM lineage.snapshots SEMI JOIN pairs USING (inn, block) WHERE version_id IS NOT NULL), "
            "before AS (SELECT inn, block, arg_max(version_id, (asked_at, snapshot_id)) AS version_id FROM mine "
            "GROUP BY inn, block) "
            "SELECT DISTINCT v.inn, v.block, v.table_name, v.row_path, v.column_name FROM lineage.violations v "
            "JOIN (FROM mine JOIN before USING (inn, block, version_id)) m USING (snapshot_id) "
            "WHERE v.column_name IS NOT NULL AND list_contains($rules, v.rule) ORDER BY ALL",
            {"rules": list(rules)},
        )
    names = ("inn", "block", "table_name", "row_path", "column_name")
    return frame.cast(pl.Schema(dict.fromkeys(names, pl.String)))


def sound_rows(warehouse: Warehouse, pairs: pl.DataFrame, rules: Sequence[str]) -> dict[str, pl.DataFrame]:
    """Like `known_rows`, of the latest versions of these (inn, block) pairs in which no cell broke one of the rules."""
    with warehouse.frames(pairs=pairs.select("inn", "block").unique()):
        versions = warehouse.frame(
            "SELECT inn, block, arg_max(version_id, (asked_at, snapshot_id)) AS version_id "
            "FROM lineage.snapshots s SEMI JOIN pairs USING (inn, block) WHERE version_id IS NOT NULL AND NOT EXISTS ("
            "FROM lineage.violations v WHERE v.snapshot_id = s.snapshot_id AND list_contains($rules, v.rule)) "
            "GROUP BY inn, block",
            {"rules": list(rules)},
        )
    return known_rows(warehouse, versions)


def known_rows(warehouse: Warehouse, versions: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """By table, the rows of these versions (`block`, `version_id`): `inn`, ordinals, columns.

    Every table of a block is there, those of other blocks are not.
    """
    found: dict[str, pl.DataFrame] = {}
    for block in versions["block"].unique(maintain_order=True).to_list():
        wanted = versions.filter(pl.col("block") == block).select("version_id").unique()
        with warehouse.frames(wanted=wanted):
            for table in tables_of(block):
                columns = [*table.ordinals, *(column.name for column in table.columns)]
                listed = "".join(f", t.{quoted(name)}" for name in columns)
                order = ", ".join(["t.inn", *(f"t.{quoted(name)}" for name in table.ordinals)])
                rows = warehouse.frame(
                    f"SELECT t.inn{listed} FROM core.{quoted(table.name)} t "
                    f"SEMI JOIN wanted USING (version_id) ORDER BY {order}"
                )
                types = {name: pl.UInt32() for name in table.ordinals}
                types |= {column.name: column.kind.frame for column in table.columns}
                found[table.name] = rows.cast(pl.Schema({"inn": pl.String(), **types}))
    return found
