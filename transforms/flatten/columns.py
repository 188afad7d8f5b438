"""Typed objects to columns: one frame a table, one row an element, before any value is changed.

Frames carry `snap` (the snapshot's number in the batch), the ordinals of the path, and the columns as they came: text,
whole numbers, floats, booleans; amounts of the careful lane are exact decimals.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, repeat
from operator import attrgetter
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.declaration import Duplicate, Field, Inline, Leaves, List, Map, Reserved, UnknownUnless
from innspect.schemas.kinds import MONEY, Form, Kind
from innspect.schemas.tables import Column, Origin, Table, tables, tables_of
from innspect.transforms.flatten.leaves import leaves_of, says
from innspect.transforms.flatten.maps import melter
from innspect.transforms.issues import Drift
from innspect.transforms.lenient_decoder import EXACT, SAMPLE, text_of
from innspect.transforms.split import EMPTY, Piece

SNAP: Final = "snap"
FLOAT_BOUND: Final = 8e12
"""Below it a float tells every kopeck apart: its error times 100 stays under a tenth."""

Numbers = npt.NDArray[np.uint32]
_JSON = msgspec.json.Encoder(decimal_format="number", order="sorted")


@dataclass(slots=True)
class Level:
    """The objects of one table, with the snapshot and the ordinals of each."""

    objects: list[Any]
    snaps: Numbers
    ordinals: dict[str, Numbers]


@dataclass(slots=True)
class Flat:
    """The frames of one block and lane, and the drift that shows only column-wise."""

    frames: dict[str, pl.DataFrame]
    drift: list[Drift]
    missing: list[tuple[str, list[int]]]
    """Paths of documented keys that were absent or null, with the snapshots: drift, if the answer is evidence."""
    too_large: set[int]
    """Snapshots with an amount that a float cannot hold exactly: they go to the careful lane."""


def flatten(block: str, pieces: Sequence[Piece], *, exact: bool) -> Flat:
    """Frames of the block's tables for pieces that have a body; `exact` for those of the careful lane."""
    return _Flattening(block, pieces, exact=exact).run()


class _Flattening:
    def __init__(self, block: str, pieces: Sequence[Piece], *, exact: bool) -> None:
        self.block = BLOCKS[block]
        self.tables = {table.name: table for table in tables_of(block)}
        self.pieces = pieces
        self.exact = exact
        self.flat = Flat({}, [], [], set())
        self.answer_of = {piece.snap: piece.answer for piece in pieces}
        self.lax = {p.snap for p in pieces if p.person or p.given == "clean"}
        self.full = {p.snap for p in pieces if p.full}

    def run(self) -> Flat:
        snaps = np.array([piece.snap for piece in self.pieces], dtype=np.uint32)
        root = Level([piece.body for piece in self.pieces], snaps, {})
        self.rows(self.tables[self.block.block_name], root, self.marks(root))
        for table in self.tables.values():
            if table.origin is Origin.MAP:
                self.maps(table, root)
            elif table.origin is Origin.LEAVES:
                self.leaves(table, root)
        return self.flat

    def marks(self, root: Level) -> list[pl.Series]:
        """Marks, list lengths and the confirmation of zeros: columns of the root that are no columns of the table."""
        series: list[pl.Series] = []
        for name, mark, getter in self.tables[self.block.block_name].marks:
            values = _values(root.objects, getter)
            kind = _raw_type(mark.kind)
            series.append(_lists(name, values, kind) if mark.many else pl.Series(name, values, dtype=kind, strict=True))
        for name, part in self.block.row_parts.items():
            if isinstance(part, List | Map | Leaves):
                values = _values(root.objects, (name,))
                lengths = map(_says, values) if isinstance(part, Leaves) else (len(value or ()) for value in values)
                series.append(pl.Series(f"{name}#", list(lengths), dtype=pl.Int64))
            elif isinstance(part, Inline) and part.record:
                present = [_holds(value) for value in _values(root.objects, (name,))]
                series.append(pl.Series(f"{name}#", present, dtype=pl.Boolean).cast(pl.Int64))
            elif isinstance(part, Field) and isinstance(part.zero, UnknownUnless):
                confirmed = [_confirms(getattr(obj, part.zero.rows), part.zero.value) for obj in root.objects]
                series.append(pl.Series(f"{name}?", confirmed, dtype=pl.Boolean))
        if self.block.undocumented:
            series.append(pl.Series("leaves#", [_says(obj.leaves) for obj in root.objects], dtype=pl.Int64))
        series.append(pl.Series("full?", [piece.full for piece in self.pieces], dtype=pl.Boolean))
        return series

    def rows(self, table: Table, level: Level, more: Iterable[pl.Series] = ()) -> None:
        """The frame of a list's table, then those of the lists inside it."""
        series = [self.column(table, column, level) for column in table.columns]
        self.frame(table, level.snaps, level.ordinals, [*series, *more])
        assert table.row is not None
        for name, part in table.row.row_parts.items():
            if isinstance(part, List):
                self.elements(self.tables[f"{table.name}__{name}"], part, name, level)
            elif isinstance(part, Duplicate | Reserved):
                self.compare(table, name, part, level)

    def elements(self, table: Table, part: List, name: str, level: Level) -> None:
        lists: list[Any] = list(map(attrgetter(name), level.objects))
        if lists.count(None):
            absent = [value is None for value in lists]
            if not part.optional:
                self.missing(table.path.rstrip(".").removesuffix("[]"), level.snaps, absent, table.full_check)
            lists = [() if value is None else value for value in lists]
        counts = np.fromiter(map(len, lists), dtype=np.uint32, count=len(lists))
        if not counts.any():
            self.nothing(table)
            return
        ordinals = {key: np.repeat(values, counts) for key, values in level.ordinals.items()}
        ordinals[table.own_ordinal] = _counting(counts)
        inner = Level(list(chain.from_iterable(lists)), np.repeat(level.snaps, counts), ordinals)
        if isinstance(part.of, Kind):
            values = _series(table.columns[0], inner.objects, exact=self.exact)
            self.frame(table, inner.snaps, inner.ordinals, [values])
        else:
            self.rows(table, inner)

    def nothing(self, table: Table) -> None:
        """The frames of a list that is empty wherever it came, and of all lists inside it."""
        self.flat.frames[table.name] = _bare(table.name, exact=self.exact)
        for inner in self.tables.values():
            if inner.parent == table.name:
                self.nothing(inner)

    def column(self, table: Table, column: Column, level: Level) -> pl.Series:
        values = _values(level.objects, column.getter)
        series = _series(column, values, exact=self.exact)
        expected = not column.field.optional and len(column.getter) == 1 and column.kind.form is not Form.JSON
        if expected and series.null_count():
            mask = series.is_null().to_list()
            self.missing(column.source, level.snaps, mask, table.full_check and column.field.full_check)
        return series

    def missing(self, path: str, snaps: Numbers, absent: list[bool], carried: bool) -> None:
        """Note where a documented key was absent or null, save where the documents do not show the answer."""
        hit = [int(snap) for snap, gone in zip(snaps, absent, strict=True) if gone and snap not in self.lax]
        if not carried:
            hit = [snap for snap in hit if snap not in self.full]
        if hit:
            self.flat.missing.append((path, hit))

    def compare(self, table: Table, name: str, part: Duplicate | Reserved, level: Level) -> None:
        """Drift where a reserved flag is set, or a duplicate differs from what it repeats."""
        values = list(map(attrgetter(name), level.objects))
        if isinstance(part, Reserved):
            if part.empty is not False or True not in values:
                return
            kind, differing = "reserved_filled", [value is True for value in values]
        else:
            others = list(map(attrgetter(part.of), level.objects))
            if values == others:
                return
            kind = "duplicate_differs"
            differing = [a not in (None, "") and a != b for a, b in zip(values, others, strict=True)]
        seen: dict[int, tuple[Any, int]] = {}
        for value, snap, differs in zip(values, level.snaps.tolist(), differing, strict=True):
            if differs:
                first, times = seen.get(snap, (value, 0))
                seen[snap] = (first, times + 1)
        path = table.path + name
        for snap, (value, times) in seen.items():
            found = Drift(self.block.block_name, path, kind, text_of(value)[:SAMPLE], self.answer_of[snap], times)
            self.flat.drift.append(found)

    def maps(self, table: Table, root: Level) -> None:
        """The rows that objects with data for keys melt into."""
        columns: dict[str, list[Any]] = {column.name: [] for column in table.columns}
        snaps: list[int] = []
        for feed in table.feeds:
            assert isinstance(feed.part, Map)
            melt = melter(feed.part, columns)
            for snap, value in zip(root.snaps.tolist(), map(attrgetter(feed.attribute), root.objects), strict=True):
                if value:
                    snaps.extend(repeat(snap, melt(value)))
        series = [_series(column, columns[column.name], exact=self.exact) for column in table.columns]
        self.frame(table, np.array(snaps, dtype=np.uint32), {}, series)

    def leaves(self, table: Table, root: Level) -> None:
        """The leaves of what has no documented fields."""
        snaps: list[int] = []
        found: list[tuple[str, str, str]] = []
        for feed in table.feeds:
            path = "$" if feed.attribute not in self.block.row_parts else f"$.{feed.attribute}"
            for snap, raw in zip(root.snaps.tolist(), map(attrgetter(feed.attribute), root.objects), strict=True):
                leaves = [] if bytes(raw) in EMPTY else list(leaves_of(EXACT.decode(raw), path))
                if any(map(says, leaves)):
                    found.extend(leaves)
                    snaps.extend(repeat(snap, len(leaves)))
        series = [
            pl.Series(column.name, [leaf[place] for leaf in found], dtype=pl.String)
            for place, column in enumerate(table.columns)
        ]
        self.frame(table, np.array(snaps, dtype=np.uint32), {}, series)

    def frame(
        self, table: Table, snaps: Numbers, ordinals: Mapping[str, Numbers], columns: Iterable[pl.Series]
    ) -> None:
        numbers = [pl.Series(name, values, dtype=pl.UInt32) for name, values in ordinals.items()]
        frame = pl.DataFrame([pl.Series(SNAP, snaps, dtype=pl.UInt32), *numbers, *columns])
        self.flat.frames[table.name] = frame
        for column in table.columns:
            if column.kind.form is Form.MONEY and not self.exact:
                largest = frame[column.name].abs().max()
                bound = FLOAT_BOUND / column.field.full_check_unit
                if isinstance(largest, float) and largest >= bound:
                    self.flat.too_large.update(frame.filter(pl.col(column.name).abs() >= bound)[SNAP].to_list())


@cache
def _bare(table_name: str, *, exact: bool) -> pl.DataFrame:
    """The frame of a list's table without rows."""
    table = tables()[table_name]
    columns = {column.name: _raw_type(column.kind, exact=exact) for column in table.columns}
    return pl.DataFrame(schema={SNAP: pl.UInt32, **dict.fromkeys(table.ordinals, pl.UInt32), **columns})


def _values(objects: list[Any], getter: tuple[str, ...]) -> list[Any]:
    if not getter:
        return objects
    values = list(map(attrgetter(getter[0]), objects))
    for name in getter[1:]:
        values = [None if value is None or value.__class__ is str else getattr(value, name) for value in values]
    return values


def _raw_type(kind: Kind, *, exact: bool = False) -> pl.DataType:
    match kind.form:
        case Form.MONEY if exact:
            return MONEY
        case Form.TEXT | Form.LABEL | Form.YEAR | Form.DATE | Form.INSTANT | Form.JSON:
            return pl.String()
        case Form.INTEGER | Form.UNIX:
            return pl.Int64()
        case Form.NUMBER | Form.MONEY:
            return pl.Float64()
        case Form.FLAG:
            return pl.Boolean()


def _series(column: Column, values: list[Any], *, exact: bool) -> pl.Series:
    form = column.kind.form
    if form is Form.JSON:
        values = [_canonical(value) for value in values]
    elif form in (Form.LABEL, Form.YEAR):
        values = [value if value is None or value.__class__ is str else str(value) for value in values]
    return pl.Series(column.name, values, dtype=_raw_type(column.kind, exact=exact), strict=True)


def _canonical(raw: msgspec.Raw) -> str | None:
    """JSON with sorted keys and no blanks, so that only content makes a difference; None where there is nothing."""
    compact = b"" if bytes(raw) in EMPTY else _JSON.encode(EXACT.decode(raw))
    return None if compact in EMPTY else compact.decode()


def _holds(record: Any) -> bool:
    """Whether a record is there: an empty object is none, just as null."""
    return record is not None and any(getattr(record, name) is not None for name in record.__struct_fields__)


def _says(raw: msgspec.Raw) -> int:
    """How many leaves of it are content."""
    return 0 if bytes(raw) in EMPTY else sum(map(says, leaves_of(EXACT.decode(raw), "$")))


def _lists(name: str, values: list[list[Any] | None], kind: pl.DataType) -> pl.Series:
    """Short lists as one column, made of one flat series: polars makes a series of each list otherwise."""
    lists = [value or () for value in values]
    flat = pl.Series(list(chain.from_iterable(lists)), dtype=kind, strict=True)
    # Given numpy's numbers pyarrow would import pandas, where it is installed, to see whether they are pandas'.
    offsets = pl.Series(np.cumsum([0, *map(len, lists)], dtype=np.int64)).to_arrow()
    column = pl.Series(name, pa.LargeListArray.from_arrays(offsets, flat.to_arrow()))
    return column.cast(pl.List(kind))


def _counting(counts: Numbers) -> Numbers:
    """1, 2, … within each parent."""
    total = int(counts.sum())
    starts = np.repeat(np.cumsum(counts, dtype=np.uint32) - counts, counts)
    return (np.arange(total, dtype=np.uint32) - starts + 1).astype(np.uint32)


def _confirms(history: list[Any] | None, value: str) -> bool:
    """Whether the newest year of the history says 0."""
    years = [(str(entry.year), getattr(entry, value)) for entry in history or () if entry.year is not None]
    newest = max((year for year, _ in years), default="")
    counts = [count for year, count in years if year == newest]
    return bool(counts) and all(count == 0 for count in counts)
