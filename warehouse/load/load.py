"""Load one transformed batch into the tables, inside the caller's transaction."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

import polars as pl

from innspect.schemas.errors import WarehouseError
from innspect.schemas.frames import SNAP, Batch
from innspect.schemas.lineage import (
    DRIFT,
    FINDINGS,
    KEPT_ROWS,
    LINEAGE,
    QUARANTINE,
    RESPONSES,
    SNAPSHOTS,
    VIOLATIONS,
    LineageTable,
)
from innspect.schemas.states import CallState
from innspect.schemas.tables import tables
from innspect.warehouse.assessments.risk_news import note_news
from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import identifier
from innspect.warehouse.latest import UNANSWERED_TABLE
from innspect.warehouse.load.block_digests import store_block_digests
from innspect.warehouse.load.latest_responses import update_latest
from innspect.warehouse.news.refresh_news import note_other_names
from innspect.warehouse.risk.stored_risk import ANSWERS
from innspect.warehouse.risk.version_findings import READ_TABLES, find_in_rows


@dataclass(frozen=True, slots=True)
class LoadResult:
    """Numbers of rows that a load added; `unchanged` counts snapshots of known versions."""

    snapshots: int = 0
    new_versions: int = 0
    unchanged: int = 0
    core_rows: int = 0
    violations: int = 0
    quarantined: int = 0
    changes: int = 0

    def __add__(self, other: "LoadResult") -> "LoadResult":
        return LoadResult(
            self.snapshots + other.snapshots,
            self.new_versions + other.new_versions,
            self.unchanged + other.unchanged,
            self.core_rows + other.core_rows,
            self.violations + other.violations,
            self.quarantined + other.quarantined,
            self.changes + other.changes,
        )


def loaded_response_files(warehouse: Warehouse) -> set[str]:
    """Archive files of the loaded responses."""
    return set(warehouse.query("SELECT DISTINCT archive_file FROM lineage.responses")["archive_file"].to_list())


def count_lost_responses(warehouse: Warehouse, retained_since: datetime | None = None) -> tuple[int, Decimal]:
    """Paid calls whose usable response is not in the warehouse, and their price in roubles.

    Not those of erased INNs, nor those from before `retained_since` (UTC). After a rebuild the archive lacks them.
    """
    query = """
        SELECT count(*), coalesce(sum(charged_rub), 0) FROM lineage.calls c ANTI JOIN lineage.responses USING (call_id)
        WHERE state = $settled AND reason IS NULL AND reserved_at >= coalesce($since, reserved_at)
            AND length(inn) <= 12  -- of an erased INN there is a pseudonym, which is longer
    """
    parameters = {"settled": CallState.SETTLED, "since": retained_since}
    count, price = warehouse.query(query, parameters).row(0)
    return count, Decimal(price)


def select_unloaded(warehouse: Warehouse, responses: pl.DataFrame) -> pl.DataFrame:
    """The responses that are not in the warehouse, whatever archive file they were loaded from."""
    with warehouse.register(incoming=responses.select("response_id")):
        known = warehouse.query("SELECT r.response_id FROM lineage.responses r SEMI JOIN incoming USING (response_id)")
    return responses.join(known, on="response_id", how="anti", maintain_order="left") if known.height else responses


def update_archive_files(warehouse: Warehouse, responses: pl.DataFrame) -> None:
    """Store the current archive file of loaded responses (`response_id`, `archive_file`)."""
    with warehouse.register(incoming=responses.select("response_id", "archive_file")):
        warehouse.connection.execute(
            "UPDATE lineage.responses r SET archive_file = i.archive_file FROM incoming i "
            "WHERE r.response_id = i.response_id"
        )


def insert_batch(
    warehouse: Warehouse,
    batch: Batch,
    latest: pl.DataFrame,
    changes: pl.DataFrame | None = None,
    *,
    is_new: bool = False,
) -> LoadResult:
    """Insert a versioned batch, inside the caller's transaction; its responses have `archive_file`.

    `latest`: the rows of `latest_rows` for its snapshots. `is_new`: the warehouse has no rows of any of its INNs.
    Raises WarehouseError if rows of the batch were lost or duplicated.
    """
    check_row_counts(batch)
    with warehouse.single_thread():
        append_rows(warehouse, RESPONSES, batch.responses)
        _remove_answered(warehouse, batch.responses)
        append_rows(warehouse, SNAPSHOTS, batch.snapshots)
        note_news(warehouse, ANSWERS, pl.concat([batch.responses["inn"], batch.snapshots["inn"]]))
        update_latest(warehouse, batch.snapshots, latest)
        new = _insert_versions(warehouse, batch.snapshots, is_new=is_new)
        store_block_digests(warehouse, batch.digests, batch.snapshots, is_new=is_new)
        core_rows, read_rows = _insert_core_rows(warehouse, batch.rows, new)
        note_other_names(warehouse, new)
        append_rows(warehouse, FINDINGS, find_in_rows(warehouse.connection, new, read_rows))
        del read_rows
        ids = batch.snapshots.select(SNAP, "snapshot_id", "inn", "block")
        own = ((VIOLATIONS, batch.violations), (QUARANTINE, batch.quarantine), (KEPT_ROWS, batch.kept_rows))
        for table, frame in own:
            append_rows(warehouse, table, frame.join(ids, on=SNAP, how="inner", maintain_order="left"))
        _copy_kept_rows(warehouse, batch.snapshots)
        _add_drift(warehouse, batch.drift)
        if changes is not None and changes.height:
            append_rows(warehouse, LINEAGE["changes"], changes)
    versioned = batch.snapshots.filter(pl.col("version_id").is_not_null()).height
    return LoadResult(
        snapshots=batch.snapshots.height,
        new_versions=new.height,
        unchanged=versioned - new.height,
        core_rows=core_rows,
        violations=batch.violations.height,
        quarantined=batch.quarantine.height,
        changes=0 if changes is None else changes.height,
    )


def append_rows(warehouse: Warehouse, table: LineageTable, frame: pl.DataFrame) -> None:
    """Append rows to a lineage table; other columns of the frame are ignored."""
    if frame.height:
        schema = pl.Schema(table.schema())
        warehouse.insert(f"lineage.{table.name}", frame.select(schema.names()).cast(schema))


def check_row_counts(batch: Batch) -> None:
    """Check by table and snapshot that rows received = rows for `core` + quarantined rows.

    A merged snapshot may have more rows than were received, never fewer. Raises WarehouseError.
    """
    numbers = {name: number for number, name in enumerate(batch.rows)}
    rows = [frame.select(SNAP, pl.lit(numbers[name], pl.UInt16).alias("table")) for name, frame in batch.rows.items()]
    loaded = (
        pl.concat([pl.DataFrame(schema={SNAP: pl.UInt32, "table": pl.UInt16}), *rows])
        .group_by(SNAP, "table")
        .len("loaded")
    )
    names = pl.DataFrame(
        {"table": numbers.values(), "table_name": numbers.keys()}, {"table": pl.UInt16, "table_name": pl.String}
    )
    is_row = pl.col("rule") != "not_an_object"
    quarantined = batch.quarantine.filter(is_row).group_by(SNAP, "table_name").len("quarantined")
    counts = (
        batch.received_rows.join(names, on="table_name", how="left")
        .join(loaded, on=[SNAP, "table"], how="left")
        .join(quarantined, on=[SNAP, "table_name"], how="left")
        .with_columns(pl.col("loaded", "quarantined").fill_null(0))
    )
    kept = pl.col("loaded") + pl.col("quarantined")
    is_merged = pl.col(SNAP).is_in(batch.merges[SNAP].to_list())
    wrong = counts.filter(pl.when(is_merged).then(kept < pl.col("rows")).otherwise(kept != pl.col("rows")))
    if wrong.height:
        first = wrong.row(0, named=True)
        raise WarehouseError(
            f"Rows received for {first['table_name']}: {first['rows']}, but {first['loaded']} would be loaded and "
            f"{first['quarantined']} quarantined. This is an error of innspect: nothing was loaded, the responses are "
            "in the archive.",
            **first,
        )


def _remove_answered(warehouse: Warehouse, responses: pl.DataFrame) -> None:
    """Remove the calls of responses from the table of unanswered calls; a lake has no such table."""
    find_one = f"SELECT 1 FROM {UNANSWERED_TABLE} LIMIT 1"
    if warehouse.is_shared or warehouse.connection.execute(find_one).fetchone() is None:
        return
    with warehouse.register(answered=responses.select("call_id")):
        warehouse.connection.execute(f"DELETE FROM {UNANSWERED_TABLE} WHERE call_id IN (SELECT call_id FROM answered)")


def _insert_versions(warehouse: Warehouse, snapshots: pl.DataFrame, *, is_new: bool) -> pl.DataFrame:
    """Insert new versions and update known ones; returns the new ones (`snap`, `version_id`, `inn`, `block`)."""
    seen = (
        snapshots.filter(pl.col("version_id").is_not_null())
        .sort("asked_at", SNAP)
        .group_by("version_id", maintain_order=True)
        .agg(
            pl.col(SNAP).first(),
            pl.col("inn", "block", "content_hash").first(),
            pl.col("asked_at").min().alias("first_seen_at"),
            pl.col("asked_at").max().alias("last_seen_at"),
        )
    )
    if not is_new:
        known = _update_known_versions(warehouse, seen)
        seen = seen.join(known, on="version_id", how="anti", maintain_order="left")
    append_rows(warehouse, LINEAGE["versions"], seen)
    return seen.select(SNAP, "version_id", "inn", "block")


def _update_known_versions(warehouse: Warehouse, seen: pl.DataFrame) -> pl.DataFrame:
    """Extend first and last sight of the known versions in `seen`; returns their `version_id`."""
    with warehouse.register(seen=seen):
        known = warehouse.query("SELECT v.version_id FROM lineage.versions v SEMI JOIN seen s USING (version_id)")
        warehouse.connection.execute(
            "UPDATE lineage.versions v SET first_seen_at = least(v.first_seen_at, s.first_seen_at), "
            "last_seen_at = greatest(v.last_seen_at, s.last_seen_at) FROM seen s WHERE v.version_id = s.version_id"
        )
    return known


def _insert_core_rows(
    warehouse: Warehouse, rows: dict[str, pl.DataFrame], new: pl.DataFrame
) -> tuple[int, dict[str, pl.DataFrame]]:
    """Insert the rows of new versions; returns their number, and those of tables that stored rules read.

    Raises WarehouseError if DuckDB inserted fewer.
    """
    total = 0
    read_rows: dict[str, pl.DataFrame] = {}
    versions = new.select(SNAP, "version_id", "inn")
    for name, frame in rows.items():
        new_rows = frame.join(versions, on=SNAP, how="inner", maintain_order="left")
        if new_rows.is_empty():
            continue
        table = tables()[name]
        columns = ["version_id", "inn", *table.ordinals, *(column.name for column in table.columns)]
        inserted = warehouse.insert(f"core.{identifier(name)}", new_rows.select(columns))
        if name in READ_TABLES:
            read_rows[name] = new_rows.select(columns)
        if inserted != new_rows.height:
            raise WarehouseError(
                f"Rows for core.{name}: {new_rows.height}, of which {inserted} were written.", table=name
            )
        total += inserted
    return total, read_rows


def _copy_kept_rows(warehouse: Warehouse, snapshots: pl.DataFrame) -> None:
    """Give snapshots with the bytes and the version of an earlier one the kept rows of that one."""
    repeated = snapshots.filter(pl.col("known_version_id").is_not_null()).select("snapshot_id", "known_snapshot_id")
    if repeated.is_empty():
        return
    columns = ", ".join(KEPT_ROWS.schema())
    with warehouse.register(repeated=repeated):
        warehouse.connection.execute(
            f"INSERT INTO lineage.{KEPT_ROWS.name} ({columns}) SELECT r.snapshot_id, k.inn, k.block, k.table_name, "
            f"k.row_no FROM lineage.{KEPT_ROWS.name} k JOIN repeated r ON k.snapshot_id = r.known_snapshot_id"
        )


def _add_drift(warehouse: Warehouse, frame: pl.DataFrame) -> None:
    """Add drift findings to the stored ones: occurrences add up, the earliest sample is kept."""
    if frame.is_empty():
        return
    names = list(DRIFT.schema())
    with warehouse.register(incoming=frame.select(names)):
        warehouse.connection.execute(
            "UPDATE lineage.drift d SET occurrences = d.occurrences + i.occurrences, "
            "sample = CASE WHEN i.first_seen_at < d.first_seen_at THEN i.sample ELSE d.sample END, "
            "first_seen_at = least(d.first_seen_at, i.first_seen_at), "
            "last_seen_at = greatest(d.last_seen_at, i.last_seen_at) "
            "FROM incoming i WHERE d.block = i.block AND d.path = i.path AND d.kind = i.kind"
        )
        warehouse.connection.execute(
            f"INSERT INTO lineage.drift ({', '.join(names)}) SELECT {', '.join(names)} FROM incoming i "
            "ANTI JOIN lineage.drift d ON d.block = i.block AND d.path = i.path AND d.kind = i.kind"
        )
