"""A batch into the tables, in one transaction, keyed by answer: loading it again changes nothing."""

from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Protocol

import duckdb
import polars as pl

from innspect.schemas.errors import WarehouseError
from innspect.schemas.lineage import DRIFT, LINEAGE, QUARANTINE, RESPONSES, SNAPSHOTS, VIOLATIONS, LineageTable
from innspect.schemas.tables import tables
from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import quoted
from innspect.warehouse.latest import move_on
from innspect.warehouse.load.block_digests import remember

SNAP = "snap"


class Loadable(Protocol):
    """What a transformed batch hands over: see `innspect.transforms.pipeline.Batch`."""

    @property
    def answers(self) -> pl.DataFrame:
        """Answers, without bodies."""
        ...

    @property
    def snapshots(self) -> pl.DataFrame:
        """Snapshots with `snap`, `content_hash` and `version_id`."""
        ...

    @property
    def rows(self) -> dict[str, pl.DataFrame]:
        """Rows of `core` by table, keyed by `snap`."""
        ...

    @property
    def violations(self) -> pl.DataFrame:
        """Violations, keyed by `snap`."""
        ...

    @property
    def quarantine(self) -> pl.DataFrame:
        """Quarantined rows, keyed by `snap`."""
        ...

    @property
    def drift(self) -> pl.DataFrame:
        """Drift, once per block, path and kind."""
        ...

    @property
    def came(self) -> pl.DataFrame:
        """How many rows of each table each snapshot brought."""
        ...

    @property
    def bodies(self) -> pl.DataFrame:
        """Numbers of the bytes of blocks, keyed by `snap`, for those that need not be read again."""
        ...

    @property
    def merging(self) -> pl.DataFrame:
        """Snapshots whose rows were merged over what was known."""
        ...


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a load did: counts of snapshots, versions and findings, and the changes' count."""

    snapshots: int = 0
    new_versions: int = 0
    unchanged: int = 0
    core_rows: int = 0
    violations: int = 0
    quarantined: int = 0
    changes: int = 0

    def __add__(self, other: "Loaded") -> "Loaded":
        return Loaded(
            self.snapshots + other.snapshots,
            self.new_versions + other.new_versions,
            self.unchanged + other.unchanged,
            self.core_rows + other.core_rows,
            self.violations + other.violations,
            self.quarantined + other.quarantined,
            self.changes + other.changes,
        )


def loaded_files(warehouse: Warehouse) -> set[str]:
    """The archive files of which the warehouse has the answers."""
    return set(warehouse.frame("SELECT DISTINCT archive_file FROM lineage.responses")["archive_file"].to_list())


def not_loaded(warehouse: Warehouse, answers: pl.DataFrame) -> pl.DataFrame:
    """Those of the answers that the warehouse has not, from whatever file."""
    with warehouse.frames(arriving=answers.select("response_id")):
        known = warehouse.frame("SELECT r.response_id FROM lineage.responses r SEMI JOIN arriving USING (response_id)")
    return answers.join(known, on="response_id", how="anti", maintain_order="left") if known.height else answers


def move_answers(warehouse: Warehouse, answers: pl.DataFrame) -> None:
    """Let loaded answers name the archive file that holds them now (`response_id`, `archive_file`)."""
    with warehouse.frames(arriving=answers.select("response_id", "archive_file")):
        warehouse.connection.execute(
            "UPDATE lineage.responses r SET archive_file = a.archive_file FROM arriving a "
            "WHERE r.response_id = a.response_id"
        )


def load(warehouse: Warehouse, batch: Loadable, changes: pl.DataFrame | None = None, *, is_new: bool = False) -> Loaded:
    """Load one part of a batch, inside the caller's transaction; its answers name their archive files.

    `is_new`: there is nothing yet of any of its INNs.

    Raises `WarehouseError` where rows that came are neither in `core` nor in `quarantine`.
    """
    conserve(batch)
    with _one_thread(warehouse):
        append(warehouse, RESPONSES, batch.answers)
        append(warehouse, SNAPSHOTS, batch.snapshots)
        move_on(warehouse, batch.snapshots, is_new=is_new)
        new = _versions(warehouse, batch.snapshots, is_new=is_new)
        remember(warehouse, batch.bodies, batch.snapshots, is_new=is_new)
        written = _core(warehouse, batch.rows, new)
        named = batch.snapshots.select(SNAP, "snapshot_id", "inn", "block")
        for table, frame in ((VIOLATIONS, batch.violations), (QUARANTINE, batch.quarantine)):
            append(warehouse, table, frame.join(named, on=SNAP, how="inner", maintain_order="left"))
        drift(warehouse, batch.drift)
        if changes is not None and changes.height:
            append(warehouse, LINEAGE["changes"], changes)
    versioned = batch.snapshots.filter(pl.col("version_id").is_not_null()).height
    return Loaded(
        snapshots=batch.snapshots.height,
        new_versions=new.height,
        unchanged=versioned - new.height,
        core_rows=written,
        violations=batch.violations.height,
        quarantined=batch.quarantine.height,
        changes=0 if changes is None else changes.height,
    )


@contextmanager
def _one_thread(warehouse: Warehouse) -> Generator[None]:
    """Rows of one frame are appended in order: several threads would mostly wait for one another, at half the speed."""
    warehouse.connection.execute("SET threads = 1")
    try:
        yield
    finally:
        # Where the transaction has failed nothing more can be set in it: the connection is closed then.
        with suppress(duckdb.Error):
            warehouse.connection.execute("RESET threads")


def append(warehouse: Warehouse, table: LineageTable, frame: pl.DataFrame) -> None:
    """Add rows to a lineage table."""
    if frame.is_empty():
        return
    names = list(table.schema())
    warehouse.insert(f"lineage.{table.name}", frame.select(names).cast(pl.Schema(table.schema())))


def conserve(batch: Loadable) -> None:
    """Rows that came = rows on their way to `core` + rows in quarantine, table by table and snapshot by snapshot.

    A merged answer may have more rows than came, never fewer. Raises `WarehouseError`.
    """
    numbers = {name: number for number, name in enumerate(batch.rows)}
    one = [frame.select(SNAP, pl.lit(numbers[name], pl.UInt16).alias("table")) for name, frame in batch.rows.items()]
    kept = (
        pl.concat([pl.DataFrame(schema={SNAP: pl.UInt32, "table": pl.UInt16}), *one])
        .group_by(SNAP, "table")
        .len("kept")
    )
    names = pl.DataFrame(
        {"table": numbers.values(), "table_name": numbers.keys()}, {"table": pl.UInt16, "table_name": pl.String}
    )
    apart = batch.quarantine.filter(pl.col("rule") != "not_an_object").group_by(SNAP, "table_name").len("apart")
    counted = (
        batch.came.join(names, on="table_name", how="left")
        .join(kept, on=[SNAP, "table"], how="left")
        .join(apart, on=[SNAP, "table_name"], how="left")
    )
    here = pl.col("kept").fill_null(0) + pl.col("apart").fill_null(0)
    merged = pl.col(SNAP).is_in(batch.merging[SNAP].to_list())
    wrong = counted.filter(pl.when(merged).then(here < pl.col("rows")).otherwise(here != pl.col("rows")))
    if wrong.height:
        first = wrong.row(0, named=True)
        raise WarehouseError(
            f"{first['rows']} rows came for {first['table_name']}, {first['kept'] or 0} would be loaded and "
            f"{first['apart'] or 0} set apart; this is a fault of innspect's, nothing was loaded, the answers are in "
            "the archive.",
            **first,
        )


def _versions(warehouse: Warehouse, snapshots: pl.DataFrame, *, is_new: bool) -> pl.DataFrame:
    """Note the batch's versions; the frame (snap, version_id, inn) of those that were not known."""
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
    new = seen if is_new else seen.join(_moved_on(warehouse, seen), on="version_id", how="anti", maintain_order="left")
    append(warehouse, LINEAGE["versions"], new)
    return new.select(SNAP, "version_id", "inn")


def _moved_on(warehouse: Warehouse, seen: pl.DataFrame) -> pl.DataFrame:
    """Note when known versions were seen; those of them that are known (`version_id`)."""
    with warehouse.frames(seen=seen):
        known = warehouse.frame("SELECT v.version_id FROM lineage.versions v SEMI JOIN seen s USING (version_id)")
        warehouse.connection.execute(
            "UPDATE lineage.versions v SET first_seen_at = least(v.first_seen_at, s.first_seen_at), "
            "last_seen_at = greatest(v.last_seen_at, s.last_seen_at) FROM seen s WHERE v.version_id = s.version_id"
        )
    return known


def _core(warehouse: Warehouse, rows: dict[str, pl.DataFrame], new: pl.DataFrame) -> int:
    """Write the rows of new versions; how many. Raises `WarehouseError` where not all of them arrive."""
    written = 0
    for name, frame in rows.items():
        fresh = frame.join(new, on=SNAP, how="inner", maintain_order="left")
        if fresh.is_empty():
            continue
        table = tables()[name]
        columns = ["version_id", "inn", *table.ordinals, *(column.name for column in table.columns)]
        done = warehouse.insert(f"core.{quoted(name)}", fresh.select(columns))
        if done != fresh.height:
            raise WarehouseError(f"{fresh.height} rows were to be written to core.{name}, {done} were.", table=name)
        written += fresh.height
    return written


def drift(warehouse: Warehouse, frame: pl.DataFrame) -> None:
    """Add to what is known of drift: counts add up, the sample is the earliest."""
    if frame.is_empty():
        return
    names = list(DRIFT.schema())
    with warehouse.frames(incoming=frame.select(names)):
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
