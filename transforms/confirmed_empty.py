"""The one canonical form that a confirmed nothing has in a block's own table."""

from functools import cache

import numpy as np
import numpy.typing as npt
import polars as pl

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.declaration import UnknownBeside, Zero
from innspect.schemas.kinds import Form
from innspect.schemas.tables import Column, Table, tables
from innspect.transforms.flatten.columns import SNAP
from innspect.transforms.split import Piece

_CLEAN, _CAME, _NARROW = "clean#", "came#", "narrow#"


def with_clean(root: Table, frame: pl.DataFrame, is_clean: npt.NDArray[np.bool_], pieces: list[Piece]) -> pl.DataFrame:
    """The rows of a block's own table, those of clean snapshots (marked by their numbers) in their one form.

    A flag that an answer with a body does not bring was not told, so it stays NULL.
    """
    snaps = np.array([piece.snap for piece in pieces], np.uint32)
    clean = snaps[is_clean[snaps]]
    if not len(clean):
        return frame
    came = frame[SNAP].to_numpy()
    bare = np.setdiff1d(clean, came, assume_unique=True)
    narrow = [piece.snap for piece in pieces if piece.full] if BLOCKS[root.block].narrow_in_full_check() else []
    whole = pl.concat([frame, pl.DataFrame({SNAP: bare})], how="diagonal")
    every = whole[SNAP].to_numpy()
    marked = whole.hstack(
        [
            pl.Series(_CLEAN, is_clean[every]),
            pl.Series(_CAME, np.arange(len(every)) < len(came)),
            pl.Series(_NARROW, np.isin(every, narrow)),
        ]
    )
    return marked.select(_cells(root.name)).sort(SNAP)


@cache
def _cells(table_name: str) -> list[pl.Expr]:
    """The columns of the table, told of clean snapshots what is told of every one of them: made once a process."""
    cells = [pl.col(SNAP)]
    for column in tables()[table_name].columns:
        cell = pl.col(column.name)
        if column.field.content:
            cell = pl.when(_CLEAN).then(_clean(column)).otherwise(cell).cast(column.kind.frame).alias(column.name)
        cells.append(cell)
    return cells


def _clean(column: Column) -> pl.Expr:
    real = column.field.zero is Zero.REAL or isinstance(column.field.zero, UnknownBeside)
    if column.total and real:
        value = pl.lit(0)
    elif column.kind.form is Form.FLAG and len(column.getter) == 1:
        value = pl.when(~pl.col(_CAME) | pl.col(column.name).is_not_null()).then(pl.lit(value=False))
    else:
        value = pl.lit(None)
    if not column.field.full_check:
        value = pl.when(~pl.col(_NARROW)).then(value)
    return value.cast(column.kind.frame)
