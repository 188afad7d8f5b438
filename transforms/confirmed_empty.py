"""The canonical row of a block whose absence is confirmed."""

from functools import cache

import numpy as np
import numpy.typing as npt
import polars as pl

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.column_names import HAS_PAYLOAD, IS_CLEAN, IS_NARROW
from innspect.schemas.declaration import UnknownIfAny, Zero
from innspect.schemas.frames import SNAP
from innspect.schemas.kinds import Form
from innspect.schemas.tables import Column, Table, tables
from innspect.transforms.split import BlockPayload


def add_clean_rows(
    root: Table, frame: pl.DataFrame, is_clean: npt.NDArray[np.bool_], payloads: list[BlockPayload]
) -> pl.DataFrame:
    """The rows of a block's root table, one canonical row for each clean snapshot (a boolean by its number).

    A flag that a clean payload omits stays NULL, because it was not checked.
    """
    snaps = np.array([payload.snap for payload in payloads], np.uint32)
    clean = snaps[is_clean[snaps]]
    if not len(clean):
        return frame
    with_payload = frame[SNAP].to_numpy()
    bare = np.setdiff1d(clean, with_payload, assume_unique=True)
    has_narrow_form = BLOCKS[root.block].is_narrow_in_full_check()
    narrow = [payload.snap for payload in payloads if payload.in_full_check and has_narrow_form]
    rows = pl.concat([frame, pl.DataFrame({SNAP: bare})], how="diagonal")
    numbers = rows[SNAP].to_numpy()
    marked = rows.hstack(
        [
            pl.Series(IS_CLEAN, is_clean[numbers]),
            pl.Series(HAS_PAYLOAD, np.arange(len(numbers)) < len(with_payload)),
            pl.Series(IS_NARROW, np.isin(numbers, narrow)),
        ]
    )
    return marked.select(_cells(root.name)).sort(SNAP)


@cache
def _cells(table_name: str) -> list[pl.Expr]:
    """The columns of the table, canonical for clean snapshots."""
    cells = [pl.col(SNAP)]
    for column in tables()[table_name].columns:
        cell = pl.col(column.name)
        if column.field.content:
            cell = pl.when(IS_CLEAN).then(_clean_cell(column)).otherwise(cell).cast(column.kind.frame)
        cells.append(cell.alias(column.name))
    return cells


def _clean_cell(column: Column) -> pl.Expr:
    has_real_zero = column.field.zero is Zero.REAL or isinstance(column.field.zero, UnknownIfAny)
    if column.is_total and has_real_zero:
        value = pl.lit(0)
    elif column.kind.form is Form.FLAG and len(column.getter) == 1 and not column.is_presence:
        value = pl.when(~pl.col(HAS_PAYLOAD) | pl.col(column.name).is_not_null()).then(pl.lit(value=False))
    else:
        value = pl.lit(None)
    if not column.field.full_check:
        value = pl.when(~pl.col(IS_NARROW)).then(value)
    return value.cast(column.kind.frame)
