"""Look up what is loaded: latest snapshots for the planner; versions and their rows for versioning and merging."""

from collections.abc import Sequence

import polars as pl

from innspect.schemas.catalogue import FULL_CHECK
from innspect.schemas.errors import Exit
from innspect.schemas.frames import LATEST_SNAPSHOTS
from innspect.schemas.states import SnapshotState, sql_list
from innspect.schemas.tables import tables_of
from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import identifier
from innspect.warehouse.latest import LATEST_TABLE, latest_attempts

SNAPSHOT_STATES = pl.Schema(dict.fromkeys(("inn", "block", "method", "state", "reason"), pl.String()))
REPAIRABLE = sql_list((SnapshotState.UNCONFIRMED, SnapshotState.UNAVAILABLE))


def latest_snapshots(warehouse: Warehouse, members: pl.DataFrame) -> pl.DataFrame:
    """The latest response, or later call without one, of each block of the members (columns of `LATEST_SNAPSHOTS`)."""
    with warehouse.register(members=members.select("inn").unique()):
        frame = warehouse.query(
            f"SELECT inn, block, asked_at, state, reason FROM ({latest_attempts()}) SEMI JOIN members m USING (inn)"
        )
    return frame.cast(pl.Schema(LATEST_SNAPSHOTS))


def find_unrepaired_blocks(warehouse: Warehouse, members: pl.DataFrame) -> pl.DataFrame:
    """Blocks of the members without evidence because a run ended before its repairs (columns of `SNAPSHOT_STATES`).

    Their latest response is a full check of a run that was interrupted, refused or failed.
    """
    with warehouse.register(members=members.select("inn").unique()):
        return warehouse.query(
            f"SELECT l.inn, l.block, l.method, l.state, l.reason FROM {LATEST_TABLE} l SEMI JOIN members m USING (inn) "
            "JOIN lineage.snapshots s ON s.snapshot_id = l.snapshot_id JOIN lineage.runs r ON r.run_id = s.run_id "
            f"WHERE l.method = $full_check AND l.state IN {REPAIRABLE} AND r.exit_code IN $codes "
            "ORDER BY l.inn, l.block",
            {"full_check": FULL_CHECK, "codes": [int(Exit.FAULT), int(Exit.REFUSED), int(Exit.INTERRUPTED)]},
        ).cast(SNAPSHOT_STATES)


def member_attributes(warehouse: Warehouse, portfolio: str, members: pl.DataFrame) -> pl.DataFrame:
    """What is known of these members of a portfolio: `inn`, `name`, `priority`, `tags`, `extra`; one row per INN."""
    with warehouse.register(members=members.select("inn")):
        return warehouse.query(
            "SELECT p.inn, p.name, p.priority, p.tags, p.extra::VARCHAR AS extra FROM lineage.portfolio_members p "
            "SEMI JOIN members m USING (inn) WHERE p.portfolio = $portfolio",
            {"portfolio": portfolio},
        )


def compare_members(warehouse: Warehouse, portfolio: str, members: pl.DataFrame) -> tuple[int | None, tuple[str, ...]]:
    """The number of new members of a portfolio, None if it has none so far, and the INNs that are not among them."""
    before = warehouse.query(
        "SELECT inn FROM lineage.portfolio_members WHERE portfolio = $portfolio AND left_at IS NULL ORDER BY inn",
        {"portfolio": portfolio},
    )
    if before.is_empty():
        return None, ()
    new = members.join(before, on="inn", how="anti")
    return new.height, tuple(before.join(members, on="inn", how="anti", maintain_order="left")["inn"])


def snapshot_states(warehouse: Warehouse, responses: pl.DataFrame) -> pl.DataFrame:
    """The snapshots of loaded responses (columns of `SNAPSHOT_STATES`)."""
    with warehouse.register(responses=responses.select("response_id")):
        return warehouse.query(
            "SELECT s.inn, s.block, s.method, s.state, s.reason FROM lineage.snapshots s "
            "SEMI JOIN responses r USING (response_id) ORDER BY ALL"
        ).cast(SNAPSHOT_STATES)


def find_unreadable_cells(warehouse: Warehouse, pairs: pl.DataFrame, rules: Sequence[str]) -> pl.DataFrame:
    """Cells of the latest versions of these (inn, block) pairs that violated one of the rules.

    `inn`, `block`, `table_name`, `row_path`, `column_name`.
    """
    with warehouse.register(pairs=pairs.select("inn", "block").unique()):
        frame = warehouse.query(
            "WITH evidence AS (FROM lineage.snapshots SEMI JOIN pairs USING (inn, block) "
            "WHERE version_id IS NOT NULL), "
            "latest AS (SELECT inn, block, arg_max(version_id, (asked_at, snapshot_id)) AS version_id FROM evidence "
            "GROUP BY inn, block) "
            "SELECT DISTINCT v.inn, v.block, v.table_name, v.row_path, v.column_name FROM lineage.violations v "
            "JOIN (FROM evidence JOIN latest USING (inn, block, version_id)) e USING (snapshot_id) "
            "WHERE v.column_name IS NOT NULL AND list_contains($rules, v.rule) ORDER BY ALL",
            {"rules": list(rules)},
        )
    names = ("inn", "block", "table_name", "row_path", "column_name")
    return frame.cast(pl.Schema(dict.fromkeys(names, pl.String)))


def last_readable_rows(warehouse: Warehouse, pairs: pl.DataFrame, rules: Sequence[str]) -> dict[str, pl.DataFrame]:
    """`version_rows` of the latest version of each (inn, block) pair in which no cell violated one of the rules."""
    with warehouse.register(pairs=pairs.select("inn", "block").unique()):
        versions = warehouse.query(
            "SELECT inn, block, arg_max(version_id, (asked_at, snapshot_id)) AS version_id "
            "FROM lineage.snapshots s SEMI JOIN pairs USING (inn, block) WHERE version_id IS NOT NULL AND NOT EXISTS ("
            "FROM lineage.violations v WHERE v.snapshot_id = s.snapshot_id AND list_contains($rules, v.rule)) "
            "GROUP BY inn, block",
            {"rules": list(rules)},
        )
    return version_rows(warehouse, versions)


def stored_rows(warehouse: Warehouse, versions: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """`version_rows` of those of these versions (`block`, `version_id`) that the warehouse has already."""
    if versions.is_empty():
        return {}
    with warehouse.register(versions=versions.select("version_id").unique()):
        known = warehouse.query("SELECT v.version_id FROM lineage.versions v SEMI JOIN versions USING (version_id)")
    return version_rows(warehouse, versions.join(known, on="version_id", how="semi"))


def version_rows(warehouse: Warehouse, versions: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Rows of these versions (`block`, `version_id`) by table: `inn`, ordinals, columns.

    Every table of the versions' blocks is a key, even without rows.
    """
    frames: dict[str, pl.DataFrame] = {}
    for block in versions["block"].unique(maintain_order=True).to_list():
        ids = versions.filter(pl.col("block") == block).select("version_id").unique()
        with warehouse.register(ids=ids):
            for table in tables_of(block):
                columns = [*table.ordinals, *(column.name for column in table.columns)]
                cells = "".join(f", t.{identifier(name)}" for name in columns)
                order = ", ".join(["t.inn", *(f"t.{identifier(name)}" for name in table.ordinals)])
                rows = warehouse.query(
                    f"SELECT t.inn{cells} FROM core.{identifier(table.name)} t "
                    f"SEMI JOIN ids USING (version_id) ORDER BY {order}"
                )
                types = {name: pl.UInt32() for name in table.ordinals}
                types |= {column.name: column.kind.frame for column in table.columns}
                frames[table.name] = rows.cast(pl.Schema({"inn": pl.String(), **types}))
    return frames
