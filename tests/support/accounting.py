"""Oracle of rows: counts what a body contains from its JSON and the declarations, and compares it with a batch."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Any

import msgspec
import polars as pl

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.declaration import LASTING_REASONS, Duplicate, Field, Inline, Leaves, List, Map, Row, Zero
from innspect.schemas.decoders import ENVELOPE
from innspect.schemas.frames import SNAP, Batch
from innspect.schemas.kinds import INTEGER, Form, Kind
from innspect.schemas.tables import tables_of

UNREADABLE = ("shape", "type", "date", "instant", "year", "out_of_range")
"""Rules of violations whose cell is NULL."""
EVIDENCE_STATES = ("found", "clean", "partial")
EMPTY_VALUES = (None, "", [], {})
NOT_A_ROW = Field(INTEGER, "A value in place of rows; an empty string is not a row either.")


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar value of a declared field."""

    table: str
    column: str
    field: Field
    value: Any

    @property
    def has_value(self) -> bool:
        """Whether it is not empty; then it must become a cell or a violation."""
        match self.field.kind.form:
            case Form.JSON:
                return self.value not in EMPTY_VALUES or isinstance(self.value, bool)
            case Form.TEXT | Form.LABEL | Form.DATE | Form.INSTANT | Form.YEAR:
                return self.value is not None and self.value != ""
            case _:
                return self.value is not None

    @property
    def can_be_null(self) -> bool:
        """Whether a rule may replace it by NULL: an unconfirmed zero, an unchecked flag."""
        return bool(self.field.null_while) or (self.field.zero is not Zero.REAL and _is_zero(self.value))

    def is_denial(self, block: str) -> bool:
        """Whether it is a `false` or 0 of the block's own row, which an incomplete answer does not confirm."""
        is_countable = self.field.kind.form in (Form.FLAG, Form.INTEGER, Form.NUMBER, Form.MONEY)
        return self.table == block and is_countable and (self.value in (False, "false") or _is_zero(self.value))


@dataclass(slots=True)
class BodyContents:
    """Contents of one body: rows and elements that are no objects, by table; leaves; undeclared keys."""

    rows: Counter[str] = field(default_factory=Counter[str])
    not_objects: Counter[str] = field(default_factory=Counter[str])
    leaves: list[Leaf] = field(default_factory=list[Leaf])
    unknown: set[str] = field(default_factory=set[str])


def lacks_something(state: str, reason: str | None) -> bool:
    """Whether a partial answer lacks what another request may bring."""
    return state == "partial" and not {*(reason or "").split(",")} <= LASTING_REASONS


def _is_zero(value: Any) -> bool:
    try:
        return abs(Decimal(str(value))) < Decimal("0.005")
    except InvalidOperation:
        return False


def count_body(block_name: str, body: Any, *, standalone: bool = True) -> BodyContents:
    """Count the contents of a body of the block."""
    contents = BodyContents()
    block = BLOCKS[block_name]
    if block.undocumented:
        envelope = ENVELOPE if standalone else ()
        marks = (*block.row_parts, *envelope)
        inner: Any = {k: v for k, v in body.items() if k not in marks} if isinstance(body, dict) else body
        contents.rows[f"{block_name}__leaves"] += _count_leaves(inner)
    elif block.rows_at_root:
        _object(block, {block.rows_at_root: body}, block_name, "", contents)
    else:
        own = {k: v for k, v in body.items() if not (standalone and k in ENVELOPE and k not in block.row_parts)}
        _object(block, own, block_name, "", contents)
    return contents


def _object(
    row: type[Row], value: dict[str, Any], table: str, source: str, contents: BodyContents, *, prefix: str = "",
    item: bool = False, open_: bool = False,
) -> None:  # fmt: skip
    if not open_:
        contents.unknown |= {source + name for name in value if name not in row.row_parts}
    duplicates = {part.of: name for name, part in row.row_parts.items() if isinstance(part, Duplicate)}
    for name, part in row.row_parts.items():
        below = value.get(name)
        copy = value.get(duplicates[name]) if name in duplicates else None
        is_filled = copy is not None and not isinstance(copy, dict | list) and copy != ""
        if is_filled and below in (None, ""):
            below = copy
        elif is_filled and isinstance(below, dict | list):
            # A violation, and the value that stands in for what cannot be read.
            contents.leaves.append(Leaf(table, prefix + name, part, copy))
        match part:
            case Field():
                column = prefix + ("item_inn" if item and name == "inn" else name)
                contents.leaves.append(Leaf(table, column, part, below))
            case List():
                _list(part, below, f"{table}__{name}", f"{source}{name}[]", contents)
            case Inline() if isinstance(below, dict):
                inside = contents if not part.marks else BodyContents()
                where = f"{source}{name}."
                _object(part.of, below, table, where, inside, prefix=prefix + part.prefix, open_=part.open)
                contents.unknown |= inside.unknown
            case Map():
                _map(part, len(part.keys), below, {}, f"{table}__{part.into or name}", f"{name}.*.", contents)
            case Leaves():
                contents.rows[f"{table}__leaves"] += _count_leaves(below)
            case _:
                pass


def _list(part: List, value: Any, table: str, source: str, contents: BodyContents) -> None:
    elements: list[Any] = value if isinstance(value, list) else []
    for element in elements:
        if isinstance(part.of, Kind):
            contents.rows[table] += 1
            contents.leaves.append(Leaf(table, "value", Field(part.of, ""), element))
        elif isinstance(element, dict):
            contents.rows[table] += 1
            _object(part.of, element, table, f"{source}.", contents, item=True)
        else:
            contents.not_objects[table] += 1


def _map(
    part: Map, depth: int, value: Any, keys: dict[str, str], table: str, source: str, contents: BodyContents
) -> None:
    """Count rows and leaves below a mapping; `keys` are the keys above."""
    if depth and isinstance(value, dict):
        name = part.keys[len(part.keys) - depth]
        for key, below in value.items():
            _map(part, depth - 1, below, {**keys, name: key}, table, source, contents)
    elif depth or (part.many and not isinstance(value, list)):
        if value is not None:
            first = next(iter(_inner(part)))
            contents.leaves.append(Leaf(table, first, NOT_A_ROW, value))
    else:
        for element in value if part.many else [value]:
            _bottom(part, element, keys, table, source, contents)


def _bottom(part: Map, element: Any, keys: dict[str, str], table: str, source: str, contents: BodyContents) -> None:
    """Count one row of a mapping, or the value in place of it."""
    inner = _inner(part)
    first = next(iter(inner))
    if len(inner) == 1 and not part.many:
        contents.leaves.append(Leaf(table, first, inner[first], element))
    elif isinstance(element, dict):
        _object(type(part.of.__name__, (Row,), dict(inner)), element, table, source, contents, item=True)
    else:
        if part.many:
            contents.not_objects[table] += 1
        elif element is not None:
            contents.leaves.append(Leaf(table, first, NOT_A_ROW, element))
        return
    contents.rows[table] += 1
    for name, key in keys.items():
        declared = part.of.row_parts[name]
        assert isinstance(declared, Field)
        contents.leaves.append(Leaf(table, name, declared, key))


@cache
def _inner(part: Map) -> dict[str, Field]:
    """The fields of a map's row below its keys."""
    above = {*part.keys, *(name for name, _ in part.label)}
    return {name: f for name, f in part.of.row_parts.items() if name not in above and isinstance(f, Field)}


def _count_leaves(value: Any) -> int:
    """The number of leaves, with an empty container as one leaf; 0 if all are empty and none is in a list."""
    leaves = list(_leaves(value))
    is_filled = any(leaf not in EMPTY_VALUES or isinstance(leaf, bool) for leaf in leaves)
    return len(leaves) if is_filled or _has_element(value) else 0


def _has_element(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value)
    return isinstance(value, dict) and any(map(_has_element, value.values()))


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
    """The counts of a batch, for comparison with its bodies."""

    def __init__(self, batch: Batch) -> None:
        self.states: dict[int, str] = dict(batch.snapshots.select(SNAP, "state").iter_rows())
        self.reasons: dict[int, str | None] = dict(batch.snapshots.select(SNAP, "reason").iter_rows())
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
        self.not_objects: Counter[tuple[int, str]] = Counter()
        for snap, table, rule, row in batch.quarantine.select(SNAP, "table_name", "rule", "row").iter_rows():
            if rule == "not_an_object":
                self.not_objects[snap, table] += 1
                continue
            self.rows[snap, table] += 1
            cells = msgspec.json.decode(row)
            self.cells.update({(snap, table, column): 1 for column, value in cells.items() if value is not None})
        unreadable = batch.violations.filter(pl.col("rule").is_in(UNREADABLE))
        self.violations: Counter[tuple[int, str, str]] = Counter(
            unreadable.select(SNAP, "table_name", "column_name").iter_rows()
        )
        unknown = batch.drift.filter(pl.col("kind") == "unknown_field")
        self.unknown: set[tuple[str, str]] = set(unknown.select("block", "path").iter_rows())

    def find_missing(self, snap: int, block: str, body: Any, *, standalone: bool = True) -> list[str]:
        """Differences between a body and the batch, as sentences."""
        state = self.states[snap]
        if state not in EVIDENCE_STATES:
            return []
        contents = count_body(block, body, standalone=standalone)
        found = [f"drift of {path}" for path in sorted(contents.unknown) if (block, path) not in self.unknown]
        for table in tables_of(block):
            if table.name == block:
                continue
            rows, not_objects = self.rows[snap, table.name], self.not_objects[snap, table.name]
            if (rows, not_objects) != (contents.rows[table.name], contents.not_objects[table.name]):
                expected = (contents.rows[table.name], contents.not_objects[table.name])
                found.append(f"{table.name}: {expected} in the body, {(rows, not_objects)} in the batch")
        return found + self._leaves(snap, block, contents, clean=state == "clean")

    def _leaves(self, snap: int, block: str, contents: BodyContents, *, clean: bool) -> list[str]:
        given: Counter[tuple[str, str]] = Counter()
        slack: Counter[tuple[str, str]] = Counter()
        is_incomplete = lacks_something(self.states[snap], self.reasons[snap])
        for leaf in contents.leaves:
            given[leaf.table, leaf.column] += leaf.has_value
            is_no_status = leaf.table == block and leaf.column == "status" and leaf.value not in leaf.field.kind.values
            is_denied = is_incomplete and leaf.is_denial(block)
            slack[leaf.table, leaf.column] += leaf.has_value and (leaf.can_be_null or is_no_status or is_denied)
        found: list[str] = []
        for (table, column), number in given.items():
            if clean and table == block:
                continue
            actual = self.cells[snap, table, column] + self.violations[snap, table, column]
            if not number - slack[table, column] <= actual <= number:
                found.append(f"{table}.{column}: {number} in the body, {actual} in the batch")
        return found
