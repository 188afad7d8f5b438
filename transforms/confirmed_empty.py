"""What the row of a block says of absence: all of it if that is confirmed, and nothing if not all was collected."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.column_names import HAS_PAYLOAD, IS_CLEAN, IS_INCOMPLETE, IS_NARROW, count_column
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


def drop_unconfirmed_absence(
    root: Table, frame: pl.DataFrame, is_incomplete: npt.NDArray[np.bool_], listed: Mapping[str, pl.Series]
) -> pl.DataFrame:
    """The rows of a block's root table, in which incomplete snapshots (a boolean by its number) deny nothing.

    What the source did not give is `false` or 0 there. `listed`: by list, the snapshot of each of its rows; a 0 that
    counts or sums rows which are listed stays.
    """
    snaps = frame[SNAP].to_numpy()
    if not is_incomplete[snaps].any():
        return frame
    marks = [pl.Series(IS_INCOMPLETE, is_incomplete[snaps])]
    marks += [pl.Series(count_column(name), np.isin(snaps, rows.to_numpy())) for name, rows in listed.items()]
    return frame.hstack(marks).select(
        SNAP, *(_stated_cell(column, listed).alias(column.name) for column in root.columns)
    )


_DENYING: Final = {Form.FLAG: False, Form.INTEGER: 0, Form.NUMBER: 0, Form.MONEY: 0}
"""What the service sends of a form where it has nothing."""


def _stated_cell(column: Column, listed: Iterable[str]) -> pl.Expr:
    cell = pl.col(column.name)
    # Fields of a record are those of an entry that the source gave.
    if column.kind.form not in _DENYING or not column.field.content or len(column.getter) > 1:
        return cell
    is_silent = pl.col(IS_INCOMPLETE) & (cell == _DENYING[column.kind.form])
    if figure := column.field.figure:
        is_silent &= ~pl.any_horizontal(pl.col(count_column(name)) for name in figure.lists if name in listed)
    return pl.when(~is_silent.fill_null(value=False)).then(cell)


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
