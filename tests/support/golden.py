"""Golden frames: what every body of tests/data/bodies becomes, as text that can be read and reviewed.

`python -m tests.support.golden` from the root writes tests/data/golden/<block>.<sort>.txt anew.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from innspect.schemas.catalogue import BLOCKS, FULL_CHECK, METHODS
from innspect.schemas.tables import tables_of
from innspect.transforms.pipeline import Batch
from tests.support.answers import Answer, versioned

DATA = Path(__file__).parents[1] / "data"
BODIES, GOLDEN = DATA / "bodies", DATA / "golden"
SORTS = ("full", "empty", "quirks")
OWN_METHOD = {method.block: method.name for method in METHODS.values() if method.block and method.digits != 12}
SNAPSHOT = ("state", "reason", "collected_at", "from_local", "source_date", "marks", "version_id")


def answer(block: str, sort: str) -> Answer:
    """The body as its own method gives it; where only the full check brings the block, as part of one."""
    content = (BODIES / f"{block}.{sort}.json").read_bytes()
    if block in OWN_METHOD:
        return Answer(OWN_METHOD[block], content)
    return Answer(FULL_CHECK, b'{"%s": %s}' % (BLOCKS[block].full_check_key.encode(), content))


def _text(value: Any) -> str:
    return "NULL" if value is None else repr(value) if isinstance(value, str) else str(value)


def _rows(title: str, frame: pl.DataFrame) -> Iterator[str]:
    if frame.is_empty():
        return
    yield f"\n## {title}"
    for number, row in enumerate(frame.iter_rows(named=True), 1):
        yield f"{number}."
        yield from (f"   {name} = {_text(value)}" for name, value in row.items())


def rendered(block: str, batch: Batch) -> str:
    """The block's one snapshot, its rows, and all that was noticed."""
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


def goldens() -> Iterator[tuple[Path, str]]:
    """Every golden file and the text that it should hold."""
    for block in BLOCKS:
        for sort in SORTS:
            yield GOLDEN / f"{block}.{sort}.txt", rendered(block, versioned(answer(block, sort)))


def main() -> None:
    """Write them all."""
    GOLDEN.mkdir(exist_ok=True)
    for path, text in goldens():
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
