"""What a body holds, counted from its JSON and the declarations alone, and whether a batch accounts for all of it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Any

import msgspec
import polars as pl

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.declaration import Field, Inline, Leaves, List, Map, Row, Zero
from innspect.schemas.decoders import ENVELOPE
from innspect.schemas.frames import SNAP, Batch
from innspect.schemas.kinds import INTEGER, Form, Kind
from innspect.schemas.tables import tables_of

UNREADABLE = ("shape", "type", "date", "instant", "year", "out_of_range")
"""Rules whose cell is NULL."""
EVIDENCE_STATES = ("found", "clean", "partial")
NOTHING = (None, "", [], {})
STRANGER = Field(INTEGER, "What stands where rows are due: an empty text as well is no row.")


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar in the place of a declared field."""

    table: str
    column: str
    field: Field
    value: Any

    @property
    def given(self) -> bool:
        """Whether it says something: then it must become a cell or a violation."""
        match self.field.kind.form:
            case Form.JSON:
                return self.value not in NOTHING or isinstance(self.value, bool)
            case Form.TEXT | Form.LABEL | Form.DATE | Form.INSTANT | Form.YEAR:
                return self.value is not None and self.value != ""
            case _:
                return self.value is not None

    @property
    def may_vanish(self) -> bool:
        """Whether it may be NULL by a rule of its own: a zero that stands for nothing, a flag that was not checked."""
        return bool(self.field.null_while) or (self.field.zero is not Zero.REAL and _is_zero(self.value))


@dataclass(slots=True)
class BodyContents:
    """What one body holds: rows and elements that cannot be rows by table, leaves, and keys that nobody declared."""

    rows: Counter[str] = field(default_factory=Counter[str])
    apart: Counter[str] = field(default_factory=Counter[str])
    leaves: list[Leaf] = field(default_factory=list[Leaf])
    unknown: set[str] = field(default_factory=set[str])


def _is_zero(value: Any) -> bool:
    try:
        return abs(Decimal(str(value))) < Decimal("0.005")
    except InvalidOperation:
        return False


def count_body(block_name: str, body: Any, *, standalone: bool = True) -> BodyContents:
    """What a body of the block holds."""
    held = BodyContents()
    block = BLOCKS[block_name]
    if block.undocumented:
        envelope = ENVELOPE if standalone else ()
        marks = (*block.row_parts, *envelope)
        inner: Any = {k: v for k, v in body.items() if k not in marks} if isinstance(body, dict) else body
        held.rows[f"{block_name}__leaves"] += _substantial(inner)
    elif block.rows_at_root:
        _object(block, {block.rows_at_root: body}, block_name, "", held)
    else:
        own = {k: v for k, v in body.items() if not (standalone and k in ENVELOPE and k not in block.row_parts)}
        _object(block, own, block_name, "", held)
    return held


def _object(
    row: type[Row], value: dict[str, Any], table: str, source: str, held: BodyContents, *, prefix: str = "",
    item: bool = False, open_: bool = False,
) -> None:  # fmt: skip
    if not open_:
        held.unknown |= {source + name for name in value if name not in row.row_parts}
    for name, part in row.row_parts.items():
        below = value.get(name)
        match part:
            case Field():
                column = prefix + ("item_inn" if item and name == "inn" else name)
                held.leaves.append(Leaf(table, column, part, below))
            case List():
                _list(part, below, f"{table}__{name}", f"{source}{name}[]", held)
            case Inline() if isinstance(below, dict):
                inside = held if not part.marks else BodyContents()
                where = f"{source}{name}."
                _object(part.of, below, table, where, inside, prefix=prefix + part.prefix, open_=part.open)
                held.unknown |= inside.unknown
            case Map():
                _map(part, len(part.keys), below, {}, f"{table}__{part.into or name}", f"{name}.*.", held)
            case Leaves():
                held.rows[f"{table}__leaves"] += _substantial(below)
            case _:
                pass


def _list(part: List, value: Any, table: str, source: str, held: BodyContents) -> None:
    elements: list[Any] = value if isinstance(value, list) else []
    for element in elements:
        if isinstance(part.of, Kind):
            held.rows[table] += 1
            held.leaves.append(Leaf(table, "value", Field(part.of, ""), element))
        elif isinstance(element, dict):
            held.rows[table] += 1
            _object(part.of, element, table, f"{source}.", held, item=True)
        else:
            held.apart[table] += 1


def _map(part: Map, depth: int, value: Any, keys: dict[str, str], table: str, source: str, held: BodyContents) -> None:
    """Rows and leaves below a mapping; `keys` are those on the way down."""
    if depth and isinstance(value, dict):
        name = part.keys[len(part.keys) - depth]
        for key, below in value.items():
            _map(part, depth - 1, below, {**keys, name: key}, table, source, held)
    elif depth or (part.many and not isinstance(value, list)):
        if value is not None:
            first = next(iter(_inner(part)))
            held.leaves.append(Leaf(table, first, STRANGER, value))
    else:
        for element in value if part.many else [value]:
            _bottom(part, element, keys, table, source, held)


def _bottom(part: Map, element: Any, keys: dict[str, str], table: str, source: str, held: BodyContents) -> None:
    """One row of a mapping, or what stands in its place."""
    inner = _inner(part)
    first = next(iter(inner))
    if len(inner) == 1 and not part.many:
        held.leaves.append(Leaf(table, first, inner[first], element))
    elif isinstance(element, dict):
        _object(type(part.of.__name__, (Row,), dict(inner)), element, table, source, held, item=True)
    else:
        if part.many:
            held.apart[table] += 1
        elif element is not None:
            held.leaves.append(Leaf(table, first, STRANGER, element))
        return
    held.rows[table] += 1
    for name, key in keys.items():
        declared = part.of.row_parts[name]
        assert isinstance(declared, Field)
        held.leaves.append(Leaf(table, name, declared, key))


@cache
def _inner(part: Map) -> dict[str, Field]:
    """The fields of a map's row that come below its keys."""
    taken = {*part.keys, *(name for name, _ in part.label)}
    return {name: f for name, f in part.of.row_parts.items() if name not in taken and isinstance(f, Field)}


def _substantial(value: Any) -> int:
    """How many leaves, an empty container being one of itself; none where all of them are empty."""
    found = list(_leaves(value))
    return len(found) if any(leaf not in NOTHING or isinstance(leaf, bool) for leaf in found) else 0


def _leaves(value: Any) -> Iterator[Any]:
    inside: list[Any] = []
    if isinstance(value, dict):
        inside = list(value.values())
    elif isinstance(value, list):
        inside = value
    if not inside:
        yield value
    for below in inside:
        yield from _leaves(below)


class BatchAccount:
    """A batch, counted once, so that each of its bodies can be held against it."""

    def __init__(self, batch: Batch) -> None:
        self.states: dict[int, str] = dict(batch.snapshots.select(SNAP, "state").iter_rows())
        self.rows: Counter[tuple[int, str]] = Counter()
        self.cells: Counter[tuple[int, str, str]] = Counter()
        for name, frame in batch.rows.items():
            counted = frame.group_by(SNAP).agg(
                pl.len().alias("#rows"), *(pl.col(c).count() for c in frame.columns if c != SNAP)
            )
            for each in counted.iter_rows(named=True):
                snap: int = each.pop(SNAP)
                self.rows[snap, name] = each.pop("#rows")
                self.cells.update({(snap, name, column): count for column, count in each.items()})
        self.apart: Counter[tuple[int, str]] = Counter()
        for snap, table, rule, row in batch.quarantine.select(SNAP, "table_name", "rule", "row").iter_rows():
            if rule == "not_an_object":
                self.apart[snap, table] += 1
                continue
            self.rows[snap, table] += 1
            kept = msgspec.json.decode(row)
            self.cells.update({(snap, table, column): 1 for column, value in kept.items() if value is not None})
        unreadable = batch.violations.filter(pl.col("rule").is_in(UNREADABLE))
        self.violations: Counter[tuple[int, str, str]] = Counter(
            unreadable.select(SNAP, "table_name", "column_name").iter_rows()
        )
        unknown = batch.drift.filter(pl.col("kind") == "unknown_field")
        self.unknown: set[tuple[str, str]] = set(unknown.select("block", "path").iter_rows())

    def missing(self, snap: int, block: str, body: Any, *, standalone: bool = True) -> list[str]:
        """What the batch does not account for; nothing, if all is well."""
        state = self.states[snap]
        if state not in EVIDENCE_STATES:
            return []
        held = count_body(block, body, standalone=standalone)
        found = [f"drift of {path}" for path in sorted(held.unknown) if (block, path) not in self.unknown]
        for table in tables_of(block):
            if table.name == block:
                continue
            rows, apart = self.rows[snap, table.name], self.apart[snap, table.name]
            if (rows, apart) != (held.rows[table.name], held.apart[table.name]):
                came = (held.rows[table.name], held.apart[table.name])
                found.append(f"{table.name}: {came} came, {(rows, apart)} are there")
        return found + self._leaves(snap, block, held, clean=state == "clean")

    def _leaves(self, snap: int, block: str, held: BodyContents, *, clean: bool) -> list[str]:
        came: Counter[tuple[str, str]] = Counter()
        slack: Counter[tuple[str, str]] = Counter()
        for leaf in held.leaves:
            came[leaf.table, leaf.column] += leaf.given
            slack[leaf.table, leaf.column] += leaf.given and leaf.may_vanish
        found: list[str] = []
        for (table, column), number in came.items():
            if clean and table == block:
                continue
            there = self.cells[snap, table, column] + self.violations[snap, table, column]
            if not number - slack[table, column] <= there <= number:
                found.append(f"{table}.{column}: {number} came, {there} are there")
        return found
