"""Decoded objects to raw columns: one frame per table, one row per element, values as received.

Frames carry `snap`, the ordinals of the path, and columns of text, integers, floats and booleans; amounts of the
lenient decoder are exact decimals. The frame of the root table also carries the marks and the columns by which
coverage and zeros are judged (`schemas/column_names.py`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
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
from innspect.schemas.column_names import FROM_FULL_CHECK, OF_PERSON, confirmed_column, count_column
from innspect.schemas.declaration import (
    PERSON_DIGITS,
    Duplicate,
    Field,
    Inline,
    Leaves,
    List,
    Map,
    Reserved,
    UnknownUnless,
    Zero,
)
from innspect.schemas.decoders import LEAVES
from innspect.schemas.frames import SNAP
from innspect.schemas.kinds import MONEY, Form, Kind
from innspect.schemas.states import SnapshotState
from innspect.schemas.tables import Column, Origin, Table, tables, tables_of
from innspect.transforms.decode import has_values
from innspect.transforms.flatten.leaves import is_content, leaves_of
from innspect.transforms.flatten.maps import map_flattener
from innspect.transforms.issues import Drift
from innspect.transforms.lenient_decoder import EXACT_JSON, MAX_SAMPLE_CHARS, text_of
from innspect.transforms.split import EMPTY_BODIES, BlockPayload

MAX_EXACT_FLOAT: Final = 8e12
"""Roubles below which a float represents every kopeck: its error times 100 stays below a tenth."""

Numbers = npt.NDArray[np.uint32]
_JSON = msgspec.json.Encoder(decimal_format="number", order="sorted")


@dataclass(slots=True)
class Level:
    """The objects of one table, with the snapshot and the ordinals of each."""

    objects: list[Any]
    snaps: Numbers
    ordinals: dict[str, Numbers]


@dataclass(slots=True)
class FlatBlock:
    """The raw frames of one block, by table."""

    frames: dict[str, pl.DataFrame] = field(default_factory=dict[str, pl.DataFrame])
    drift: list[Drift] = field(default_factory=list[Drift])
    missing: list[tuple[str, list[int]]] = field(default_factory=list[tuple[str, list[int]]])
    """Paths of documented keys that are absent or null, with the snapshots; drift if the snapshot is evidence."""
    too_large: set[int] = field(default_factory=set[int])
    """Snapshots with an amount that a float cannot represent exactly; they need the lenient decoder."""


def flatten(block: str, payloads: Sequence[BlockPayload], *, exact: bool) -> FlatBlock:
    """Raw frames of the block's tables for decoded payloads; `exact`: amounts are decimals (lenient decoder)."""
    return _Flattener(block, payloads, exact=exact).flatten()


class _Flattener:
    def __init__(self, block: str, payloads: Sequence[BlockPayload], *, exact: bool) -> None:
        self.block = BLOCKS[block]
        self.tables = {table.name: table for table in tables_of(block)}
        self.payloads = payloads
        self.exact = exact
        self.flat = FlatBlock()
        self.responses = {payload.snap: payload.response for payload in payloads}
        self.may_omit = {p.snap for p in payloads if p.is_person or p.state == SnapshotState.CLEAN}
        self.in_full_check = {payload.snap for payload in payloads if payload.in_full_check}

    def flatten(self) -> FlatBlock:
        snaps = np.array([payload.snap for payload in self.payloads], dtype=np.uint32)
        root = Level([payload.body for payload in self.payloads], snaps, {})
        self.add_rows(self.tables[self.block.block_name], root, self.root_extras(root))
        for table in self.tables.values():
            if table.origin is Origin.MAP:
                self.add_maps(table, root)
            elif table.origin is Origin.LEAVES:
                self.add_leaves(table, root)
        return self.flat

    def root_extras(self, root: Level) -> list[pl.Series]:
        """Columns of the raw root frame that are no columns of the table: marks, counts, confirmed zeros."""
        series: list[pl.Series] = []
        for name, mark, getter in self.tables[self.block.block_name].marks:
            values: list[Any] = _values(root.objects, getter)
            dtype = _raw_type(mark.kind)
            if mark.kind.form is Form.JSON:
                values = [None if value is None else _canonical_json(value) for value in values]
            new = _list_series(name, values, dtype) if mark.many else pl.Series(name, values, dtype=dtype, strict=True)
            series.append(new)
        for name, part in self.block.row_parts.items():
            if isinstance(part, Leaves):
                counts = [_count_leaves(value) for value in _values(root.objects, (name,))]
            elif isinstance(part, List | Map):
                counts = [len(value or ()) for value in _values(root.objects, (name,))]
            elif isinstance(part, Inline) and part.record:
                counts = [int(has_values(part, value)) for value in _values(root.objects, (name,))]
            elif isinstance(part, Field) and isinstance(part.zero, UnknownUnless):
                confirmed = [_is_newest_zero(getattr(obj, part.zero.rows), part.zero.value) for obj in root.objects]
                series.append(pl.Series(confirmed_column(name), confirmed, dtype=pl.Boolean))
                continue
            else:
                continue
            series.append(pl.Series(count_column(name), counts, dtype=pl.Int64))
        if self.block.undocumented:
            counts = [_count_leaves(obj.leaves) for obj in root.objects]
            series.append(pl.Series(count_column(LEAVES), counts, dtype=pl.Int64))
        if any(c.field.zero is Zero.UNKNOWN_OF_PERSON for c in self.tables[self.block.block_name].columns):
            of_person = [len(payload.inn) == PERSON_DIGITS for payload in self.payloads]
            series.append(pl.Series(OF_PERSON, of_person, dtype=pl.Boolean))
        from_full_check = [payload.in_full_check for payload in self.payloads]
        series.append(pl.Series(FROM_FULL_CHECK, from_full_check, dtype=pl.Boolean))
        return series

    def add_rows(self, table: Table, level: Level, extras: Iterable[pl.Series] = ()) -> None:
        """Add the frame of a table of objects, then those of the lists inside it."""
        assert table.row is not None
        for name, part in table.row.row_parts.items():
            if isinstance(part, Duplicate):
                _fill_empty(level.objects, part.of, name)
        series = [self.column(table, column, level) for column in table.columns]
        self.add_frame(table, level.snaps, level.ordinals, [*series, *extras])
        for name, part in table.row.row_parts.items():
            if isinstance(part, List):
                self.add_list(self.tables[f"{table.name}__{name}"], part, name, level)
            elif isinstance(part, Duplicate | Reserved):
                self.report_differences(table, name, part, level)

    def add_list(self, table: Table, part: List, name: str, level: Level) -> None:
        lists: list[Any] = list(map(attrgetter(name), level.objects))
        if lists.count(None):
            absent = [value is None for value in lists]
            if not part.optional:
                self.report_missing(table.path.rstrip(".").removesuffix("[]"), level.snaps, absent, table.in_full_check)
            lists = [() if value is None else value for value in lists]
        counts = np.fromiter(map(len, lists), dtype=np.uint32, count=len(lists))
        if not counts.any():
            self.add_empty(table)
            return
        ordinals = {key: np.repeat(values, counts) for key, values in level.ordinals.items()}
        ordinals[table.own_ordinal] = _ordinals(counts)
        inner = Level(list(chain.from_iterable(lists)), np.repeat(level.snaps, counts), ordinals)
        if isinstance(part.of, Kind):
            values = _series(table.columns[0], inner.objects, exact=self.exact)
            self.add_frame(table, inner.snaps, inner.ordinals, [values])
        else:
            self.add_rows(table, inner)

    def add_empty(self, table: Table) -> None:
        """Add empty frames for a list without elements and for all lists inside it."""
        self.flat.frames[table.name] = _empty_frame(table.name, exact=self.exact)
        for inner in self.tables.values():
            if inner.parent == table.name:
                self.add_empty(inner)

    def column(self, table: Table, column: Column, level: Level) -> pl.Series:
        values = _values(level.objects, column.getter)
        if column.is_presence:
            values = [None if value is None or value == "" else True for value in values]
        series = _series(column, values, exact=self.exact)
        is_expected = (
            not (column.field.optional or column.is_presence)
            and len(column.getter) == 1
            and column.kind.form is not Form.JSON
        )
        if is_expected and series.null_count():
            in_full_check = table.in_full_check and column.field.full_check
            self.report_missing(column.source, level.snaps, series.is_null().to_list(), in_full_check)
        return series

    def report_missing(self, path: str, snaps: Numbers, absent: list[bool], in_full_check: bool) -> None:
        """Record where a documented key is absent or null, except in payloads that may omit it."""
        hit = [int(snap) for snap, gone in zip(snaps, absent, strict=True) if gone and snap not in self.may_omit]
        if not in_full_check:
            hit = [snap for snap in hit if snap not in self.in_full_check]
        if hit:
            self.flat.missing.append((path, hit))

    def report_differences(self, table: Table, name: str, part: Duplicate | Reserved, level: Level) -> None:
        """Report drift if a reserved flag is set, or a duplicate differs from the field that it repeats."""
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
        found: dict[int, tuple[Any, int]] = {}
        for value, snap, differs in zip(values, level.snaps.tolist(), differing, strict=True):
            if differs:
                first, times = found.get(snap, (value, 0))
                found[snap] = (first, times + 1)
        path = table.path + name
        for snap, (value, times) in found.items():
            sample = text_of(value)[:MAX_SAMPLE_CHARS]
            self.flat.drift.append(Drift(self.block.block_name, path, kind, sample, self.responses[snap], times))

    def add_maps(self, table: Table, root: Level) -> None:
        """Add the rows of objects whose keys are data."""
        columns: dict[str, list[Any]] = {column.name: [] for column in table.columns}
        snaps: list[int] = []
        for feed in table.feeds:
            assert isinstance(feed.part, Map)
            add_rows = map_flattener(feed.part, columns)
            for snap, value in zip(root.snaps.tolist(), map(attrgetter(feed.attribute), root.objects), strict=True):
                if value:
                    snaps.extend(repeat(snap, add_rows(value)))
        series = [_series(column, columns[column.name], exact=self.exact) for column in table.columns]
        self.add_frame(table, np.array(snaps, dtype=np.uint32), {}, series)

    def add_leaves(self, table: Table, root: Level) -> None:
        """Add the leaves of parts without documented fields."""
        snaps: list[int] = []
        rows: list[tuple[str, str, str]] = []
        for feed in table.feeds:
            path = "$" if feed.attribute not in self.block.row_parts else f"$.{feed.attribute}"
            for snap, raw in zip(root.snaps.tolist(), map(attrgetter(feed.attribute), root.objects), strict=True):
                leaves = [] if bytes(raw) in EMPTY_BODIES else list(leaves_of(EXACT_JSON.decode(raw), path))
                if any(map(is_content, leaves)):
                    rows.extend(leaves)
                    snaps.extend(repeat(snap, len(leaves)))
        series = [
            pl.Series(column.name, [leaf[number] for leaf in rows], dtype=pl.String)
            for number, column in enumerate(table.columns)
        ]
        self.add_frame(table, np.array(snaps, dtype=np.uint32), {}, series)

    def add_frame(
        self, table: Table, snaps: Numbers, ordinals: Mapping[str, Numbers], columns: Iterable[pl.Series]
    ) -> None:
        numbers = [pl.Series(name, values, dtype=pl.UInt32) for name, values in ordinals.items()]
        frame = pl.DataFrame([pl.Series(SNAP, snaps, dtype=pl.UInt32), *numbers, *columns])
        self.flat.frames[table.name] = frame
        for column in table.columns:
            if column.kind.form is Form.MONEY and not self.exact:
                largest = frame[column.name].abs().max()
                bound = MAX_EXACT_FLOAT / column.field.full_check_unit
                if isinstance(largest, float) and largest >= bound:
                    self.flat.too_large.update(frame.filter(pl.col(column.name).abs() >= bound)[SNAP].to_list())


@cache
def _empty_frame(table_name: str, *, exact: bool) -> pl.DataFrame:
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


def _fill_empty(objects: list[Any], name: str, duplicate: str) -> None:
    """Give the field the value of its duplicate in objects where it is empty."""
    for obj in objects:
        if getattr(obj, name) in (None, ""):
            setattr(obj, name, getattr(obj, duplicate) or getattr(obj, name))


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
        values = [_canonical_json(value) for value in values]
    elif form in (Form.LABEL, Form.YEAR):
        values = [value if value is None or value.__class__ is str else str(value) for value in values]
    return pl.Series(column.name, values, dtype=_raw_type(column.kind, exact=exact), strict=True)


def _canonical_json(raw: msgspec.Raw) -> str | None:
    """JSON with sorted keys and without blanks, so that equal content is equal text; None if it is empty."""
    compact = b"" if bytes(raw) in EMPTY_BODIES else _JSON.encode(EXACT_JSON.decode(raw))
    return None if compact in EMPTY_BODIES else compact.decode()


def _count_leaves(raw: msgspec.Raw) -> int:
    """Number of leaves that are content."""
    return 0 if bytes(raw) in EMPTY_BODIES else sum(map(is_content, leaves_of(EXACT_JSON.decode(raw), "$")))


def _list_series(name: str, values: list[list[Any] | None], dtype: pl.DataType) -> pl.Series:
    """A column of lists from one flat series; polars itself would build one series per list."""
    lists = [value or () for value in values]
    flat = pl.Series(list(chain.from_iterable(lists)), dtype=dtype, strict=True)
    # As a polars series: with a numpy array pyarrow would import pandas where it is installed.
    offsets = pl.Series(np.cumsum([0, *map(len, lists)], dtype=np.int64)).to_arrow()
    column = pl.Series(name, pa.LargeListArray.from_arrays(offsets, flat.to_arrow()))
    return column.cast(pl.List(dtype))


def _ordinals(counts: Numbers) -> Numbers:
    """1, 2, … within each parent, given the number of elements of each."""
    total = int(counts.sum())
    starts = np.repeat(np.cumsum(counts, dtype=np.uint32) - counts, counts)
    return (np.arange(total, dtype=np.uint32) - starts + 1).astype(np.uint32)


def _is_newest_zero(history: list[Any] | None, value: str) -> bool:
    """Whether all entries of the newest year in a history are 0."""
    years = [(str(entry.year), getattr(entry, value)) for entry in history or () if entry.year is not None]
    newest = max((year for year, _ in years), default="")
    counts = [count for year, count in years if year == newest]
    return bool(counts) and all(count == 0 for count in counts)
