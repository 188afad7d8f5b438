"""Data-quality issues found by the transforms: violations, quarantined rows and drift, before they get their ids."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import polars as pl

from innspect.schemas.frames import QUARANTINED_ROWS, VIOLATIONS, Schema

UNREADABLE: Final = ("type", "shape", "out_of_range", "date", "instant", "year")
"""Rules whose violation leaves the cell NULL, because the value cannot be read. Other rules keep the value."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A cell that breaks a rule, or a row if `column_name` is None; `value` as received."""

    snap: int
    table_name: str
    row_path: str
    column_name: str | None
    rule: str
    value: str | None


@dataclass(frozen=True, slots=True)
class QuarantinedRow:
    """A row that cannot be loaded; `row` is its JSON."""

    snap: int
    table_name: str
    row_path: str
    rule: str
    row: str


@dataclass(frozen=True, slots=True)
class Drift:
    """A difference between a response and the declarations; `response` is its number in the batch."""

    block: str
    path: str
    kind: str
    sample: str | None
    response: int
    occurrences: int = 1


@dataclass(slots=True)
class Issues:
    """All issues of a batch: lists for those found cell by cell, frames for those found column-wise."""

    violations: list[Violation] = field(default_factory=list[Violation])
    quarantined: list[QuarantinedRow] = field(default_factory=list[QuarantinedRow])
    drift: list[Drift] = field(default_factory=list[Drift])
    violation_frames: list[pl.DataFrame] = field(default_factory=list[pl.DataFrame])
    quarantine_frames: list[pl.DataFrame] = field(default_factory=list[pl.DataFrame])
    wrong_shape: set[int] = field(default_factory=set[int])
    """Snapshots with an object or array in place of a scalar, or the reverse. Their state is partial at best."""

    def violation_frame(self) -> pl.DataFrame:
        """All violations (`VIOLATIONS`)."""
        return _frame(self.violations, self.violation_frames, VIOLATIONS)

    def quarantine_frame(self) -> pl.DataFrame:
        """All quarantined rows (`QUARANTINED_ROWS`)."""
        return _frame(self.quarantined, self.quarantine_frames, QUARANTINED_ROWS)


def _frame(items: Sequence[Any], frames: list[pl.DataFrame], schema: Schema) -> pl.DataFrame:
    single = pl.DataFrame({name: [getattr(item, name) for item in items] for name in schema}, schema=schema)
    return pl.concat([single, *(frame.select(list(schema)) for frame in frames)])
