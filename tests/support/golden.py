"""Golden frames: every body of tests/data/bodies after the transforms, as text for review.

`make generate` writes them to tests/data/golden/<block>.<sort>.txt.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.frames import Batch
from innspect.schemas.tables import tables_of
from tests.support.builders import BODIES, DATA, SORTS, Response, block_response, version_responses

GOLDEN = DATA / "golden"
SNAPSHOT = ("state", "reason", "collected_at", "from_local", "source_date", "marks", "version_id")


def golden_response(block: str, sort: str) -> Response:
    """The response whose body is in tests/data/bodies."""
    return block_response(block, (BODIES / f"{block}.{sort}.json").read_bytes())


def _text(value: Any) -> str:
    return "NULL" if value is None else repr(value) if isinstance(value, str) else str(value)


def _rows(title: str, frame: pl.DataFrame) -> Iterator[str]:
    if frame.is_empty():
        return
    yield f"\n## {title}"
    for number, row in enumerate(frame.iter_rows(named=True), 1):
        yield f"{number}."
        yield from (f"   {name} = {_text(value)}" for name, value in row.items())


def render_batch(block: str, batch: Batch) -> str:
    """The block's one snapshot, its rows, violations, quarantine and drift."""
    one = batch.snapshots.filter(pl.col("block") == block)
    snap = pl.col("snap") == one["snap"][0]
    lines = ["# snapshot", *(f"{name} = {_text(one[name][0])}" for name in SNAPSHOT)]
    for table in tables_of(block):
        lines += _rows(table.name, batch.rows[table.name].filter(snap).drop("snap"))
    lines += _rows("violations", batch.violations.filter(snap).drop("snap"))
    lines += _rows("quarantine", batch.quarantine.filter(snap).drop("snap"))
    lines += _rows(
        "drift", batch.drift.filter(pl.col("block") == block).select("path", "kind", "sample", "occurrences")
    )
    return "\n".join(lines) + "\n"


def golden_texts() -> Iterator[tuple[Path, str]]:
    """Every golden file with the text that it should have."""
    for block in BLOCKS:
        for sort in SORTS:
            yield GOLDEN / f"{block}.{sort}.txt", render_batch(block, version_responses(golden_response(block, sort)))
