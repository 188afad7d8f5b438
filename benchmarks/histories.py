"""How much a nightly check grows the warehouse, against storing every answer whole.

`python -m benchmarks.histories [INNS] [DAYS]` checks a portfolio of the sandbox's in full on each day and prints, for
both ways, rows of `core` and bytes of the file, and what the days after the first added.
"""

import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import polars as pl

from benchmarks.archives import ZONE, answers
from innspect.flows.load import load_batch
from innspect.sandbox.options import DEFAULT_DAY
from innspect.sandbox.world.inn_samples import sample
from innspect.transforms.pipeline import Batch, transform
from innspect.transforms.versions.versioning import rounds, with_versions
from innspect.warehouse.database import Warehouse
from innspect.warehouse.load.load import Loaded, load
from innspect.warehouse.load.lookups import known_rows, versions_known


def load_whole(warehouse: Warehouse, batch: Batch) -> Loaded:
    """Store every snapshot as a version of its own, as a warehouse without versions would."""
    loaded = Loaded()
    with warehouse.transaction():
        for part in rounds(batch):
            versioned = with_versions(part, known_rows(warehouse, versions_known(warehouse, part.merging)))
            own = pl.when(pl.col("version_id").is_not_null()).then("snapshot_id").alias("version_id")
            loaded += load(warehouse, replace(versioned, snapshots=versioned.snapshots.with_columns(own)))
    return loaded


def size(warehouse: Warehouse) -> int:
    warehouse.connection.execute("CHECKPOINT")
    return warehouse.path.stat().st_size


def compare(inns: list[str], days: int) -> None:
    begun = monotonic()
    came = 0
    with (
        TemporaryDirectory() as folder,
        Warehouse(Path(folder) / "versions.duckdb") as versions,
        Warehouse(Path(folder) / "whole.duckdb") as whole,
    ):
        empty = size(versions)
        rows, grown = {"versions": [0], "whole": [0]}, {"versions": [empty], "whole": [empty]}
        snapshots = changes = new = 0
        for number in range(days):
            frame = answers(inns, DEFAULT_DAY + timedelta(days=number))
            came += int(frame["bytes"].sum())
            batch = transform(frame, ZONE)
            with versions.transaction():
                done = load_batch(versions, batch).loaded
            snapshots, changes, new = (
                snapshots + done.snapshots,
                changes + done.changes,
                new + (done.new_versions if number else 0),
            )
            for name, loaded, store in (("versions", done, versions), ("whole", load_whole(whole, batch), whole)):
                rows[name].append(loaded.core_rows)
                grown[name].append(size(store))
            print(
                f"day {number + 1}: {rows['versions'][-1]} rows against {rows['whole'][-1]}, "
                f"{grown['versions'][-1] / 1e6:.1f} MB against {grown['whole'][-1] / 1e6:.1f} MB",
                flush=True,
            )
    later = {name: sum(each[2:]) for name, each in rows.items()}
    added = {name: each[-1] - each[1] for name, each in grown.items()}
    seconds = monotonic() - begun
    print(f"{len(inns)} INNs, {days} days, {snapshots} snapshots, {came / 1e6:.0f} MB of JSON, {seconds:.0f} s")
    print(f"rows of core: {sum(rows['versions'])} with versions, {sum(rows['whole'])} whole")
    print(f"file: {grown['versions'][-1] / 1e6:.1f} MB with versions, {grown['whole'][-1] / 1e6:.1f} MB whole")
    print(
        f"after the first day: {later['versions']} rows against {later['whole']} "
        f"({later['whole'] / max(1, later['versions']):.0f} times), {added['versions'] / 1e6:.1f} MB against "
        f"{added['whole'] / 1e6:.1f} MB; {new} new versions, {changes} changes"
    )


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    compare(sample(numbers[0] if numbers else 1000, 0), numbers[1] if len(numbers) > 1 else 30)
