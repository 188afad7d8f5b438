"""Metadata of a snapshot: what describes the response and not the company."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from types import MappingProxyType
from typing import Any, Final

import msgspec
import polars as pl

from innspect.schemas.declaration import Zero, has_text, is_true
from innspect.schemas.frames import SNAP, Schema
from innspect.schemas.kinds import Form
from innspect.schemas.tables import Table, tables
from innspect.transforms.normalise import mark_value

_JSON = msgspec.json.Encoder(order="deterministic")
MARKS_WITH_COLUMN: Final = frozenset({"error", "_from_local", "_local_fetched_at"})
"""Marks that have columns of their own in `lineage.snapshots`."""
SOURCE_DAY: Final = "snapshot_date"
"""Column with the date of the source's data set, in the blocks that have one."""
SNAPSHOT_METADATA: Final[Schema] = MappingProxyType(
    {
        SNAP: pl.UInt32(),
        "from_local": pl.Boolean(),
        "fetched_at": pl.Datetime("us"),
        "marks": pl.String(),
    }
)


def snapshot_metadata(root: Table, raw: pl.DataFrame, zone: str) -> pl.DataFrame:
    """Local store, collection time and marks, one row per row of the block's raw root frame (`SNAPSHOT_METADATA`).

    The marks include columns that are no content, such as how many courts were searched: in `core` such a column
    keeps the value of the response that first made the version.
    """
    plan = _plan(root.name, zone)
    values = raw.select(plan.values)
    names = list(plan.paths)
    rows = values[names].iter_rows() if names else repeat((), values.height)
    marks = [_marks_json(plan.paths.values(), row) for row in rows]
    return values[[SNAP, "from_local", "fetched_at"]].hstack([pl.Series("marks", marks, dtype=pl.String)])


@dataclass(frozen=True, slots=True)
class _Plan:
    """Expressions that read the marks of a block, and the path of each mark in the payload."""

    values: list[pl.Expr]
    paths: dict[str, tuple[str, ...]]


@cache
def _plan(root_name: str, zone: str) -> _Plan:
    root = tables()[root_name]
    marks = [(name, mark, getter) for name, mark, getter in root.marks if name not in MARKS_WITH_COLUMN]
    no_content = [column for column in root.columns if not column.field.content and column.name != SOURCE_DAY]
    values = [
        pl.col(SNAP),
        *_collection(root, zone),
        *(pl.col(name) if mark.many else mark_value(mark.kind, name, zone).alias(name) for name, mark, _ in marks),
        *(
            pl.when(pl.col(c.name) != 0).then(c.name).alias(c.name) if c.field.zero is Zero.UNKNOWN else pl.col(c.name)
            for c in no_content
        ),
    ]
    paths = {name: getter for name, _, getter in marks} | {column.name: column.getter for column in no_content}
    return _Plan(values, paths)


def _collection(root: Table, zone: str) -> tuple[pl.Expr, pl.Expr]:
    """Whether the block comes from a store of the service, and when it was collected then."""
    kinds = {name: mark.kind for name, mark, _ in root.marks}
    stored = {
        name: is_true(mark.dates) if kinds[mark.dates].form is Form.FLAG else has_text(mark.dates)
        for name, mark, _ in root.marks
        if mark.dates
    }
    dates = [mark_value(kinds[name], name, zone) for name in stored]
    return pl.any_horizontal(stored.values()).alias("from_local"), pl.coalesce(dates).alias("fetched_at")


def _marks_json(paths: Iterable[tuple[str, ...]], values: tuple[Any, ...]) -> str | None:
    """The marks that are given, nested as the service nests them."""
    marks: dict[str, Any] = {}
    for path, value in zip(paths, values, strict=True):
        if value is not None and value != []:
            parent = marks
            for step in path[:-1]:
                parent = parent.setdefault(step, {})
            parent[path[-1]] = value
    return _JSON.encode(marks).decode() if marks else None
