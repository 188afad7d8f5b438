"""What a transformation notices on the way: violations, quarantine and drift, before they get their ids."""

from dataclasses import dataclass, field
from typing import Any, Final

import polars as pl

FOUND: dict[str, pl.DataType] = {
    "snap": pl.UInt32(),
    "table_name": pl.String(),
    "row_path": pl.String(),
    "column_name": pl.String(),
    "rule": pl.String(),
    "value": pl.String(),
}
UNREADABLE: Final = ("type", "shape", "out_of_range", "date", "instant", "year")
"""The rules under which a cell is NULL because what came could not be read; others keep the cell."""
QUARANTINED: dict[str, pl.DataType] = {
    "snap": pl.UInt32(),
    "table_name": pl.String(),
    "row_path": pl.String(),
    "rule": pl.String(),
    "row": pl.String(),
}


@dataclass(frozen=True, slots=True)
class Violation:
    """A cell (or, with `column_name` None, a row) that broke a rule; `value` is what came."""

    snap: int
    table_name: str
    row_path: str
    column_name: str | None
    rule: str
    value: str | None


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A row that came but cannot be loaded; `row` is its JSON."""

    snap: int
    table_name: str
    row_path: str
    rule: str
    row: str


@dataclass(frozen=True, slots=True)
class Drift:
    """A difference between an answer and what is declared; `answer` is the answer's number in the batch."""

    block: str
    path: str
    kind: str
    sample: str | None
    answer: int
    occurrences: int = 1


@dataclass(slots=True)
class Findings:
    """All that was noticed in a batch. Frames hold what was found column-wise, lists what was found cell by cell."""

    violations: list[Violation] = field(default_factory=list[Violation])
    quarantined: list[Quarantined] = field(default_factory=list[Quarantined])
    drift: list[Drift] = field(default_factory=list[Drift])
    violation_frames: list[pl.DataFrame] = field(default_factory=list[pl.DataFrame])
    quarantine_frames: list[pl.DataFrame] = field(default_factory=list[pl.DataFrame])
    misshapen: set[int] = field(default_factory=set[int])
    """Snapshots in which an object or array stood where a scalar is due, or the reverse: they are partial."""

    def violation_frame(self) -> pl.DataFrame:
        """All violations, in the columns of `FOUND`."""
        return pl.concat([_frame(self.violations, FOUND), *(f.select(list(FOUND)) for f in self.violation_frames)])

    def quarantine_frame(self) -> pl.DataFrame:
        """All quarantined rows, in the columns of `QUARANTINED`."""
        return pl.concat(
            [_frame(self.quarantined, QUARANTINED), *(f.select(list(QUARANTINED)) for f in self.quarantine_frames)]
        )


def _frame(items: list[Any], schema: dict[str, pl.DataType]) -> pl.DataFrame:
    return pl.DataFrame({name: [getattr(item, name) for item in items] for name in schema}, schema=schema)
