"""The words in which a block is declared: fields, lists, maps, marks, and when an answer is evidence.

A block is a class; a field is one line of it. `schemas/wire.py` derives the decoders, `schemas/tables.py` the tables,
`schemas/frames.py` the pandera schemas, and `warehouse/` the DDL, so nothing about a field is written twice.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar

import polars as pl

from innspect.schemas.kinds import FLAG, STAMP, Kind, moment


class Zero(Enum):
    """What a 0 says where the documents give it a second meaning; everywhere else it is a real zero."""

    REAL = "real"
    UNKNOWN = "unknown"
    """0 stands for 'not obtained': NULL."""


@dataclass(frozen=True, slots=True)
class UnknownUnless:
    """A 0 is NULL unless the newest element of a sibling list (by `year`) says 0 as well."""

    rows: str
    value: str


@dataclass(frozen=True, slots=True)
class UnknownBeside:
    """A 0 is NULL when the sibling list has rows."""

    rows: str


ZeroMeaning = Zero | UnknownUnless | UnknownBeside


@dataclass(frozen=True, slots=True)
class Field:
    """A scalar that becomes a column.

    `total`: a sum or a count over the whole block, 0 in a confirmed empty answer, and never lowered by a partial one
    (a `COUNT` is one by itself). `content=False`: a column that describes the answer rather than the company; it makes
    no version. `optional`: the key may be absent. `full_check=False`: the full check does not carry it.
    `full_check_unit`: what the full check's number is multiplied by. `null_while`: the mark that, when set, says that
    the value was not checked.
    """

    kind: Kind
    description: str
    zero: ZeroMeaning = Zero.REAL
    total: bool = False
    content: bool = True
    optional: bool = False
    full_check: bool = True
    full_check_unit: int = 1
    null_while: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A value that describes the answer: kept in `lineage.snapshots.marks`, used by the coverage rules, no column.

    `many` is a list of them.
    """

    kind: Kind
    description: str
    many: bool = False


@dataclass(frozen=True, slots=True)
class Echo:
    """The INN that was asked, repeated by the answer: a check, not a column."""

    description: str = "The INN asked, repeated; an answer about another one is refused."


@dataclass(frozen=True, slots=True)
class Reserved:
    """A field that the service keeps empty, zero or false; drift as soon as it is not. `empty` is that value."""

    empty: Any
    reason: str


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A field that repeats another; drift where it differs."""

    of: str
    kind: Kind
    reason: str


@dataclass(frozen=True, slots=True)
class Ignored:
    """A field that is never loaded; it stays in the archive."""

    reason: str


@dataclass(frozen=True, slots=True)
class List:
    """A list: a table of its own. `of` is a row, or the kind of a list of scalars (one column, `value`).

    `optional`: the key may be absent.
    """

    of: "type[Row] | Kind"
    description: str
    full_check: bool = True
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Map:
    """An object whose keys are data: it melts into rows of the table `into`.

    `keys` name the columns that take the keys, one per nesting; `label` are constant columns that tell apart several
    maps melted into one table. What is left at the bottom is a number (the row's remaining column), an object or,
    with `many`, a list of objects.
    """

    of: "type[Row]"
    description: str
    into: str = ""
    keys: tuple[str, ...] = ("year",)
    label: tuple[tuple[str, str], ...] = ()
    many: bool = False
    full_check: bool = True


@dataclass(frozen=True, slots=True)
class Inline:
    """An object that becomes columns of its parent's row, with `prefix` before their names.

    It may come as null or, with `or_text`, as an empty string. `record`: its presence is the block's content.
    `marks`: its fields are marks, not columns. `open`: it is free-form, keys that are not declared are no drift.
    """

    of: "type[Row]"
    description: str
    prefix: str = ""
    or_text: bool = False
    record: bool = False
    marks: bool = False
    open: bool = False


@dataclass(frozen=True, slots=True)
class Leaves:
    """Something whose fields are not documented: one row a leaf, nothing invented."""

    description: str
    full_check: bool = True


Part = Field | Mark | Echo | Reserved | Duplicate | Ignored | List | Map | Inline | Leaves


class Row:
    """An object on the wire. `key` names what identifies a row in its list, `a|b` meaning the first that is given.

    Without a key all columns together identify a row. `blank` allows rows in which the whole key is empty.
    """

    row_parts: ClassVar[dict[str, Part]] = {}
    row_key: ClassVar[tuple[str, ...]] = ()
    blank_rows: ClassVar[bool] = False

    def __init_subclass__(cls, *, key: tuple[str, ...] = (), blank: bool = False, **more: Any) -> None:
        super().__init_subclass__(**more)
        own = {name: part for name, part in vars(cls).items() if isinstance(part, Part)}
        cls.row_parts = {**cls.row_parts, **own}
        cls.row_key, cls.blank_rows = key, blank


Rules = Mapping[str, pl.Expr]
LASTING = frozenset({"list_full", "not_all_fetched", "shape"})
"""Reasons of a partial answer that asking again would not mend; every other one is passing."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """When an answer is evidence: named conditions over the block's own row, marks included.

    `unavailable` and `unconfirmed` decide by themselves; `incomplete` makes an answer with content partial and one
    without unconfirmed; `partial` makes it partial either way. `content` is what besides rows, records and true flags
    counts as something; `content_only` says that nothing else does. `empty_is_clean`: an empty object in the full
    check is a confirmed nothing, even where it is not named as verified.
    """

    unavailable: Rules = field(default_factory=dict[str, pl.Expr])
    unconfirmed: Rules = field(default_factory=dict[str, pl.Expr])
    incomplete: Rules = field(default_factory=dict[str, pl.Expr])
    partial: Rules = field(default_factory=dict[str, pl.Expr])
    content: pl.Expr | None = None
    content_only: bool = False
    empty_is_clean: bool = False


def yes(name: str) -> pl.Expr:
    """The flag is there and true."""
    return pl.col(name).fill_null(value=False)


def named(name: str) -> pl.Expr:
    """The list of words is not empty."""
    return pl.col(name).list.len().fill_null(0) > 0


def value_of(name: str) -> pl.Expr:
    """The number; 0 where it is absent."""
    return pl.col(name).fill_null(0)


def row_count(name: str) -> pl.Expr:
    """How many elements the list of that name brought."""
    return pl.col(f"{name}#")


def filled(name: str) -> pl.Expr:
    """The text is there and not empty."""
    return pl.col(name).fill_null("") != ""


class Block(Row):
    """A block: what one standalone method answers, and one key of the full check.

    `full_check_key` is its key there (empty: the full check does not bring it). `rows_at_root` names the list for an
    answer that is an array; `undocumented` says that the whole body is leaves. The names of these attributes are
    longer than they need be, so that no field of the service's can collide with them.
    """

    block_name: ClassVar[str] = ""
    full_check_key: ClassVar[str] = ""
    rows_at_root: ClassVar[str] = ""
    undocumented: ClassVar[bool] = False
    evidence: ClassVar[Coverage] = Coverage()

    _from_local = Mark(FLAG, "Whether the block was served from the service's own store.")
    _local_fetched_at = Mark(moment(STAMP), "When a stored block was really collected.")

    def __init_subclass__(
        cls, *, name: str = "", full_check: str = "", rows_at_root: str = "", undocumented: bool = False, **more: Any
    ) -> None:
        super().__init_subclass__(**more)
        cls.block_name, cls.full_check_key = name, full_check
        cls.rows_at_root, cls.undocumented = rows_at_root, undocumented

    @classmethod
    def narrow_in_full_check(cls) -> bool:
        """Whether the full check carries fewer fields than the block has."""
        return any(not getattr(part, "full_check", True) for part in cls.row_parts.values())
