"""What describes an answer and not the company: the local store, when it was collected, and the marks."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from typing import Any, Final

import msgspec
import polars as pl

from innspect.schemas.declaration import Zero
from innspect.schemas.tables import Table, tables
from innspect.transforms.flatten.columns import SNAP
from innspect.transforms.normalise import read_mark

_JSON = msgspec.json.Encoder(order="deterministic")
NOT_MARKS: Final = frozenset({"error", "_from_local", "_local_fetched_at"})
"""Marks that have columns of their own in `lineage.snapshots`."""
SOURCE_DAY: Final = "snapshot_date"
"""The column that dates the source's own data set, in the blocks that have one."""
FACTS: dict[str, pl.DataType] = {
    SNAP: pl.UInt32(),
    "from_local": pl.Boolean(),
    "fetched_at": pl.Datetime("us"),
    "marks": pl.String(),
}


def facts(root: Table, raw: pl.DataFrame, zone: str) -> pl.DataFrame:
    """What the snapshot keeps of the answer: local store, collection time, marks (columns of `FACTS`).

    Among the marks is how far this answer's walk got: its column shows the answer that first made the version.
    """
    plan = _plan(root.name, zone)
    read = raw.select(plan.values)
    names = list(plan.paths)
    rows = read[names].iter_rows() if names else repeat((), read.height)
    marks = [_marks(plan.paths.values(), row) for row in rows]
    told = read[[SNAP, "from_local", "fetched_at"]]
    return told.hstack([pl.Series("marks", marks, dtype=pl.String)])


@dataclass(frozen=True, slots=True)
class _Plan:
    """How the marks of a block are read, and where each stands in the answer: made once a process."""

    values: list[pl.Expr]
    paths: dict[str, tuple[str, ...]]


@cache
def _plan(root_name: str, zone: str) -> _Plan:
    root = tables()[root_name]
    kept = [(name, mark, getter) for name, mark, getter in root.marks if name not in NOT_MARKS]
    walked = [column for column in root.columns if not column.field.content and column.name != SOURCE_DAY]
    fetched = next(mark for name, mark, _ in root.marks if name == "_local_fetched_at")
    values = [
        pl.col(SNAP),
        pl.col("_from_local").fill_null(value=False).alias("from_local"),
        read_mark(fetched.kind, "_local_fetched_at", zone).alias("fetched_at"),
        *(pl.col(name) if mark.many else read_mark(mark.kind, name, zone).alias(name) for name, mark, _ in kept),
        *(
            pl.when(pl.col(c.name) != 0).then(c.name).alias(c.name) if c.field.zero is Zero.UNKNOWN else pl.col(c.name)
            for c in walked
        ),
    ]
    paths = {name: getter for name, _, getter in kept} | {column.name: column.getter for column in walked}
    return _Plan(values, paths)


def _marks(paths: Iterable[tuple[str, ...]], values: tuple[Any, ...]) -> str | None:
    """The marks that are given, as the service nests them."""
    given: dict[str, Any] = {}
    for path, value in zip(paths, values, strict=True):
        if value is not None and value != []:
            holder = given
            for step in path[:-1]:
                holder = holder.setdefault(step, {})
            holder[path[-1]] = value
    return _JSON.encode(given).decode() if given else None
