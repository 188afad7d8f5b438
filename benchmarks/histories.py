"""Growth of the warehouse by a nightly check, with versions and with full copies of every snapshot.

`python -m benchmarks.histories [INNS] [DAYS]` checks a portfolio in full on each day of the sandbox and prints rows of
`core` and bytes of the file for both, and what the days after the first added.
"""

import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import polars as pl

from benchmarks.archives import ZONE, full_checks
from innspect.flows.load import load_batch
from innspect.sandbox.options import DEFAULT_DAY
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.frames import Batch
from innspect.transforms.pipeline import transform
from innspect.transforms.split import split_responses
from innspect.transforms.versions.versioning import add_versions, split_rounds
from innspect.warehouse.database import Warehouse
from innspect.warehouse.load.latest_responses import latest_rows, latest_versions
from innspect.warehouse.load.load import LoadResult, insert_batch
from innspect.warehouse.load.lookups import version_rows


def load_full_snapshots(warehouse: Warehouse, batch: Batch) -> LoadResult:
    """Store every snapshot as a version of its own, as a warehouse without versions does."""
    loaded = LoadResult()
    with warehouse.transaction():
        for part in split_rounds(batch):
            latest = latest_rows(warehouse, part.snapshots)
            merged = latest_versions(latest).join(part.merges, on=["inn", "block"], how="semi")
            versioned = add_versions(part, version_rows(warehouse, merged))
            own = pl.when(pl.col("version_id").is_not_null()).then("snapshot_id").alias("version_id")
            snapshots = versioned.snapshots.with_columns(own)
            loaded += insert_batch(warehouse, replace(versioned, snapshots=snapshots), latest)
    return loaded


def file_bytes(warehouse: Warehouse) -> int:
    warehouse.connection.execute("CHECKPOINT")
    return warehouse.path.stat().st_size


def compare(inns: list[str], days: int) -> None:
    start = perf_counter()
    json_bytes = 0
    with (
        TemporaryDirectory() as folder,
        Warehouse(Path(folder) / "versions.duckdb") as versions,
        Warehouse(Path(folder) / "full.duckdb") as full,
    ):
        empty = file_bytes(versions)
        rows, grown = {"versions": [0], "full": [0]}, {"versions": [empty], "full": [empty]}
        snapshots = changes = new = 0
        for number in range(days):
            frame = full_checks(inns, DEFAULT_DAY + timedelta(days=number))
            json_bytes += int(frame["bytes"].sum())
            batch = transform(split_responses(frame), ZONE)
            with versions.transaction():
                done = load_batch(versions, batch).loaded
            snapshots, changes, new = (
                snapshots + done.snapshots,
                changes + done.changes,
                new + (done.new_versions if number else 0),
            )
            for name, loaded, store in (("versions", done, versions), ("full", load_full_snapshots(full, batch), full)):
                rows[name].append(loaded.core_rows)
                grown[name].append(file_bytes(store))
            print(
                f"day {number + 1}: {rows['versions'][-1]} rows against {rows['full'][-1]}, "
                f"{grown['versions'][-1] / 1e6:.1f} MB against {grown['full'][-1] / 1e6:.1f} MB",
                flush=True,
            )
    later = {name: sum(each[2:]) for name, each in rows.items()}
    added = {name: each[-1] - each[1] for name, each in grown.items()}
    seconds = perf_counter() - start
    print(f"{len(inns)} INNs, {days} days, {snapshots} snapshots, {json_bytes / 1e6:.0f} MB of JSON, {seconds:.0f} s")
    print(f"rows of core: {sum(rows['versions'])} with versions, {sum(rows['full'])} in full")
    print(f"file: {grown['versions'][-1] / 1e6:.1f} MB with versions, {grown['full'][-1] / 1e6:.1f} MB in full")
    print(
        f"after the first day: {later['versions']} rows against {later['full']} "
        f"({later['full'] / max(1, later['versions']):.0f} times), {added['versions'] / 1e6:.1f} MB against "
        f"{added['full'] / 1e6:.1f} MB; {new} new versions, {changes} changes"
    )


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    compare(sample_inns(numbers[0] if numbers else 1000, 0), numbers[1] if len(numbers) > 1 else 30)
