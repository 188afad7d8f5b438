"""Counters and sums that the declarations derive from lists, computed again from merged rows.

A figure may be larger than its listed rows, because the list is capped or not all of it was fetched. So each side's
figure is first corrected by what the merge changed in the rows that this side lists (a proceeding that has ended leaves
the active ones). The largest of the two and of the figure of the merged rows is the merged figure.
"""

from collections.abc import Mapping, Sequence

import polars as pl

from innspect.schemas.column_names import (
    FRESH,
    GROUP,
    IN_KNOWN,
    IN_RESPONSE,
    KNOWN,
    LISTED,
    OF_ROWS,
)
from innspect.schemas.declaration import Figure, Groups, Map, UnknownIfAny, Zero
from innspect.schemas.frames import SNAP
from innspect.schemas.tables import Column, Origin, Table

Frames = Mapping[str, pl.DataFrame]


def recompute_figures(
    tables: Sequence[Table], merged: Frames, new: Frames, known: Frames, merges: pl.DataFrame
) -> dict[str, pl.DataFrame]:
    """The merged frames of one block with figures that agree with their rows.

    `new`, `known`: the frames before the merge. `merges`: `snap` and `lists`, see `Batch.merges`. A figure that neither
    side gives stays NULL, except a sum over none: it is 0.
    """
    result = dict(merged)
    for table in tables:
        if table.origin is Origin.ROOT:
            figures = {column.name: column.field.figure for column in table.columns if column.field.figure}
            groups = None
        elif groups := groups_of(table):
            figures = dict(groups.figures)
        else:
            continue
        if figures:
            result[table.name] = _Recomputation(table, figures, groups, merged, new, known).frame(merges)
    return result


def groups_of(table: Table) -> Groups | None:
    """How the map of this table is derived from a list, if it is."""
    part = table.feeds[0].part if len(table.feeds) == 1 else None
    return part.groups if isinstance(part, Map) else None


class _Recomputation:
    """The figures of one table: of the block's own row, or of a map of groups."""

    def __init__(
        self,
        table: Table,
        figures: Mapping[str, Figure],
        groups: Groups | None,
        merged: Frames,
        new: Frames,
        known: Frames,
    ) -> None:
        self._table, self._figures, self._groups = table, figures, groups
        self._merged, self._new, self._known = merged, new, known
        self._on = [SNAP, *(name for entry in table.key for name in entry)] if groups else [SNAP]

    def frame(self, merges: pl.DataFrame) -> pl.DataFrame:
        """The merged rows of the table, with their figures."""
        names, merged = list(self._figures), self._merged[self._table.name]
        of_rows = self._count(self._merged)
        if self._groups:
            # Of a map that neither side gives nothing is known.
            mapped = of_rows.join(merged, on=SNAP, how="semi").join(merged, on=self._on, how="anti")
            merged = pl.concat([merged, mapped.sort(self._on).select(self._on)], how="diagonal_relaxed")
        fresh = self._side_figures(self._new, IN_RESPONSE).select(*self._on, pl.col(names).name.suffix(FRESH))
        known = self._side_figures(self._known, IN_KNOWN).select(*self._on, pl.col(names).name.suffix(KNOWN))
        rows = merged.join(merges.select(SNAP, "lists"), on=SNAP, how="left", maintain_order="left")
        for side in (of_rows.select(*self._on, pl.col(names).name.suffix(OF_ROWS)), fresh, known):
            rows = rows.join(side, on=self._on, how="left", maintain_order="left", nulls_equal=True)
        rows = rows.with_columns(self._value(column) for column in self._table.columns if column.name in names)
        if self._groups:
            # A group that has lost its rows in the merge, and that the response does not name.
            is_empty = [(pl.col(name) == 0) & pl.col(name + FRESH).is_null() for name in names]
            rows = rows.filter(~pl.all_horizontal(is_empty).fill_null(value=False))
        return rows.select(merged.columns)

    def _value(self, column: Column) -> pl.Expr:
        name, figure = column.name, self._figures[column.name]
        value = self._total(name)
        match column.field.zero:
            case UnknownIfAny(count):
                value = pl.when(value != 0).then(value).when(self._total(count) == 0).then(0)
            case Zero.REAL:
                pass
            case _:
                value = pl.when(value != 0).then(value)
        lists = [self._rows_table(rows) for rows in figure.lists]
        is_merged = pl.col("lists").is_null() | pl.any_horizontal(pl.col("lists").list.contains(rows) for rows in lists)
        return pl.when(is_merged).then(value).otherwise(name).cast(column.kind.frame).alias(name)

    def _total(self, name: str) -> pl.Expr:
        of_rows, fresh, known = pl.col(name + OF_ROWS).fill_null(0), pl.col(name + FRESH), pl.col(name + KNOWN)
        is_given = pl.lit(value=True) if self._groups else fresh.is_not_null() | known.is_not_null()
        return pl.when(is_given).then(pl.max_horizontal(of_rows, fresh, known))

    def _side_figures(self, side: Frames, in_side: str) -> pl.DataFrame:
        """The figures that one side gives, changed as its own rows were changed by the merge."""
        given, names = side[self._table.name].select(*self._on, *self._figures), list(self._figures)
        own_rows = {name: rows.filter(in_side) for name, rows in self._merged.items()}
        for frames, suffix in ((own_rows, OF_ROWS), (side, LISTED)):
            counted = self._count(frames).select(*self._on, pl.col(names).name.suffix(suffix))
            given = given.join(counted, on=self._on, how="left", maintain_order="left", nulls_equal=True)
        return given.select(
            *self._on,
            *((pl.col(n) + pl.col(n + OF_ROWS).fill_null(0) - pl.col(n + LISTED).fill_null(0)).alias(n) for n in names),
        )

    def _count(self, frames: Frames) -> pl.DataFrame:
        """The figures of the rows in the frames, by snapshot and group."""
        types = self._merged[self._table.name].schema
        counted = [pl.DataFrame(schema={name: types[name] for name in (*self._on, *self._figures)})]
        for name in dict.fromkeys(name for figure in self._figures.values() for name in figure.lists):
            rows = self._rows(frames, name)
            if self._groups:
                rows = rows.with_columns(self._groups.key.alias(GROUP)).filter(pl.col(GROUP).is_not_null())
            keys = [SNAP, *((GROUP,) if self._groups else ())]
            cells = [
                _aggregate(figure).cast(types[column]).alias(column)
                for column, figure in self._figures.items()
                if name in figure.lists
            ]
            found = rows.group_by(keys).agg(cells)
            counted.append(found.rename({GROUP: self._on[1]}) if self._groups else found)
        return pl.concat(counted, how="diagonal").group_by(self._on).agg(pl.col(list(self._figures)).sum())

    def _rows_table(self, rows: str) -> str:
        """The table of one of the block's lists."""
        name = f"{self._table.block}__{rows}"
        return name if name in self._merged else f"{self._table.block}__leaves"

    def _rows(self, frames: Frames, rows: str) -> pl.DataFrame:
        """The rows of one of the block's lists; one for each element of a list without documented fields."""
        frame = frames[self._rows_table(rows)]
        if self._rows_table(rows).endswith("__leaves"):
            element = pl.col("path").str.extract(rf"^\$\.{rows}\[(\d+)\]")
            return frame.select(SNAP, element.alias("element")).drop_nulls().unique()
        return frame


def _aggregate(figure: Figure) -> pl.Expr:
    rows = pl.lit(value=True) if figure.where is None else figure.where.fill_null(value=False)
    if figure.column:
        return pl.col(figure.column).filter(rows).sum()
    return pl.len() if figure.where is None else rows.sum()
