"""The language in which a block is declared: fields, lists, maps, marks, and the rules of coverage.

A block is a class and a field is one line of it. `schemas/decoders.py` derives the decoders, `schemas/tables.py` the
tables, `schemas/validation.py` the pandera schemas, and `warehouse/ddl.py` the DDL.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, ClassVar

import polars as pl

from innspect.schemas.column_names import FROM_FULL_CHECK, count_column
from innspect.schemas.kinds import COUNT, FLAG, RUB, STAMP, Kind, moment
from innspect.schemas.news.news_template import News


class Zero(Enum):
    """Meaning of a 0."""

    REAL = "real"
    UNKNOWN = "unknown"
    """The service sends 0 for a value that it did not obtain: NULL."""
    UNKNOWN_OF_PERSON = "unknown of a person"
    """A 0 is NULL if the checked INN is a person's: the service does not fill the field then."""


@dataclass(frozen=True, slots=True)
class UnknownUnless:
    """A 0 is NULL unless `value` is 0 in the newest element (by `year`) of the sibling list `rows`."""

    rows: str
    value: str


@dataclass(frozen=True, slots=True)
class UnknownIfAny:
    """A 0 is NULL unless the sibling field `count`, a figure too, is 0: none of what is summed up has an amount."""

    count: str


ZeroMeaning = Zero | UnknownUnless | UnknownIfAny


@dataclass(frozen=True, slots=True)
class Figure:
    """A count or sum of rows of the block's own lists; a merge computes it again from the merged rows.

    `column`: the field of the rows that is summed; empty: the rows are counted. `where`: which rows; None: all.
    """

    lists: tuple[str, ...]
    column: str = ""
    where: pl.Expr | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Field:
    """A scalar that becomes a column.

    `figure`: the rows that the service counts or sums to this value; it is 0 in a confirmed empty response.
    `false_with`: fields of the same row; where one of them is known, a merge sets this flag to false.
    `content=False`: describes the response and not the company; makes no version. `optional`: the key may be absent.
    `full_check=False`: the full check does not carry it. `full_check_unit`: factor for the full check's number.
    `given`: the meaning of a further column, true where the value is not empty, whether or not it can be read.
    `null_while`: the mark that says, if set, that the value was not checked. `null_without`: the text mark that
    confirms the check where the mark `null_while` is absent; with neither, the value was not checked.
    """

    kind: Kind
    description: str
    zero: ZeroMeaning = Zero.REAL
    figure: Figure | None = None
    false_with: tuple[str, ...] = ()
    content: bool = True
    optional: bool = False
    full_check: bool = True
    full_check_unit: int = 1
    given: str = ""
    null_while: str = ""
    null_without: str = ""

    def check_marks(self) -> set[str]:
        """The marks that say whether the value was checked."""
        return {self.null_while, self.null_without} - {""}


def count_of(rows: str, description: str, where: pl.Expr | None = None, *, optional: bool = False) -> Field:
    """A field with the number of rows of a list."""
    return Field(COUNT, description, figure=Figure((rows,), where=where), optional=optional)


def sum_of(
    rows: str, column: str, description: str, where: pl.Expr | None = None, zero: ZeroMeaning = Zero.REAL
) -> Field:
    """A field with the sum of a column of a list, in roubles."""
    return Field(RUB, description, zero, Figure((rows,), column, where))


@dataclass(frozen=True, slots=True)
class Mark:
    """A value that describes the response: no column; in `lineage.snapshots.marks`, and read by the coverage rules.

    `many`: a list of values. `dates`: the mark that says, if set, that the block comes from a store of the service; the
    value is when it was collected then. Of several such marks that are given the first of the block's counts.
    """

    kind: Kind
    description: str
    many: bool = False
    dates: str = ""


@dataclass(frozen=True, slots=True)
class Echo:
    """The requested INN, repeated in the response: checked, no column."""

    description: str = "The requested INN, repeated; a response about another INN is refused."


@dataclass(frozen=True, slots=True)
class Reserved:
    """A field that always has the value `empty`; any other value is drift."""

    empty: Any
    reason: str


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A field that repeats the field `of`, which it fills where that is empty; a difference is drift."""

    of: str
    kind: Kind
    reason: str


@dataclass(frozen=True, slots=True)
class Ignored:
    """A field that is not loaded; it is in the archive only."""

    reason: str


@dataclass(frozen=True, slots=True)
class Withheld:
    """Rows that the service may leave out of a list: such rows that a response lacks are not removed.

    `rows`: whether a row is one of them. `when`: whether a response may lack some, an aggregate of the list's rows.
    `max_rows`: the service gives no more of them; a list with as many may lack others, and is full.
    """

    rows: pl.Expr
    when: pl.Expr
    max_rows: int

    def is_full(self) -> pl.Expr:
        """Whether the list has as many of these rows as it can have, an aggregate of its rows."""
        return self.rows.sum() >= self.max_rows

    def may_lack(self) -> pl.Expr:
        """Whether a response may lack some of these rows, an aggregate of the list's rows."""
        return self.when | self.is_full()


@dataclass(frozen=True, slots=True)
class Followed:
    """Persons or companies through whom the service finds the rows of a list: it follows no more than `limit` of them.

    `names`: the fields that name one, of which the first that is given counts, in the rows and in those of the list
    `inside` them. With as many in either the list is full, as it is with `max_rows` rows in either.
    """

    names: tuple[str, ...]
    limit: int
    inside: str


@dataclass(frozen=True, slots=True)
class List:
    """A list, which becomes a table. `of`: the row, or the kind of a list of scalars (one column, `value`).

    `max_rows`: the service returns no more; a row that leaves a list of that length is not removed. In a list inside
    rows: of all rows together; the outer list is full then. `max_rows_each`, of a list inside rows: the same limit in
    each of them, and only the list that has reached it is full. `withheld`: rows that the service may leave out.
    `followed`: through whom it finds the rows. A full list that has one of these two is not complete, and leaves the
    rest of the response as it is. `window`: the column (`value` of scalars) of which the service lists the latest
    values only; a row with a value before the first of those that are listed is not removed.
    `optional`: the key may be absent; in rows, the list is then as it was known, and the column `<list>_known` says
    whether it is known.
    """

    of: "type[Row] | Kind"
    description: str
    full_check: bool = True
    optional: bool = False
    max_rows: int = 0
    max_rows_each: int = 0
    withheld: Withheld | None = field(default=None, compare=False)
    followed: Followed | None = None
    window: str = ""


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of a list's rows that a map counts and sums: the map's key by row, and the figure of each column."""

    rows: str
    key: pl.Expr
    figures: Mapping[str, Figure]


@dataclass(frozen=True, slots=True)
class Map:
    """An object whose keys are data; it becomes rows of the table `into`, or of a table with its own name.

    `keys`: the columns for the keys, one per level. `label`: constant columns, which distinguish several maps in one
    table. The value at the lowest level is a number (the row's remaining column), an object or, with `many`, a list
    of objects. `groups`: the map counts and sums rows of a list by its only key. `window`: the key of which the service
    gives the latest values only, see `List`.
    """

    of: "type[Row]"
    description: str
    into: str = ""
    keys: tuple[str, ...] = ("year",)
    label: tuple[tuple[str, str], ...] = ()
    many: bool = False
    full_check: bool = True
    groups: Groups | None = field(default=None, compare=False)
    window: str = ""


@dataclass(frozen=True, slots=True)
class Inline:
    """An object that becomes columns of its parent's row, with `prefix` before their names; it may be null.

    `or_text`: it may be an empty string. `record`: its presence is the block's content. `marks`: its fields are marks.
    `open`: undeclared keys are no drift.
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
    """A list whose elements have no documented fields: one row per leaf.

    `confirms_absence=False`: it is also empty if the source was not asked, so leaves known before stay.
    """

    description: str
    full_check: bool = True
    confirms_absence: bool = True


Part = Field | Mark | Echo | Reserved | Duplicate | Ignored | List | Map | Inline | Leaves


class Row:
    """An object in a response. `key`: the fields that identify it in its list; `a|b` is the first one that is given.

    Without a key, all columns identify it. `blank`: rows with an empty key are allowed. `may_lack`: a field of the key
    that one response has and another lacks; rows that differ in nothing else of the key are then the same. `sparse`:
    the flag of rows with fields missing: what is empty there stays as it was known.
    """

    row_parts: ClassVar[dict[str, Part]] = {}
    row_key: ClassVar[tuple[str, ...]] = ()
    blank_rows: ClassVar[bool] = False
    lacked_field: ClassVar[str] = ""
    sparse_flag: ClassVar[str] = ""

    def __init_subclass__(
        cls, *, key: tuple[str, ...] = (), blank: bool = False, may_lack: str = "", sparse: str = ""
    ) -> None:
        super().__init_subclass__()
        own = {name: part for name, part in vars(cls).items() if isinstance(part, Part)}
        cls.row_parts = {**cls.row_parts, **own}
        cls.row_key, cls.blank_rows, cls.lacked_field, cls.sparse_flag = key, blank, may_lack, sparse
        _check_references(cls)


def _check_references(row: type[Row]) -> None:
    """Raise TypeError if a part of the row names another part that the row does not have."""
    of_type = {kind: {name for name, part in row.row_parts.items() if isinstance(part, kind)} for kind in _REFERABLE}
    key = {name for entry in row.row_key for name in entry.split("|")}
    _require(row, "key", key, of_type[Field])
    _require(row, "may_lack", {row.lacked_field} - {""}, key)
    _require(row, "sparse", {row.sparse_flag} - {""}, of_type[Field])
    for name, part in row.row_parts.items():
        match part:
            case Duplicate():
                _require(row, name, {part.of}, of_type[Field])
            case List():
                _check_list(row, name, part)
            case Map():
                _require(row, name, {*part.keys, *(label for label, _ in part.label)}, {*part.of.row_parts})
                _require(row, f"window of {name}", {part.window} - {""}, {*part.keys})
                if part.groups:
                    _require(row, name, {part.groups.rows}, of_type[List])
                    _require(row, name, {*part.groups.figures}, {*part.of.row_parts})
                    _require_columns(row, name, part.groups.rows, {*part.groups.key.meta.root_names()})
                    for figure in part.groups.figures.values():
                        _require(row, name, {*figure.lists}, {part.groups.rows})
                        _check_figure(row, name, figure)
            case Mark(dates=str(stored)) if stored:
                _require(row, name, {stored}, of_type[Mark])
            case Field():
                _require(row, name, part.check_marks(), of_type[Mark])
                _require(row, name, {*part.false_with}, of_type[Field])
                if part.figure:
                    _require(row, name, {*part.figure.lists}, of_type[List] | of_type[Leaves])
                    _check_figure(row, name, part.figure)
                _check_zero(row, name, part.zero)
            case _:
                pass


def _check_list(row: type[Row], name: str, rows: List) -> None:
    """Raise TypeError if the limits of a list name a field that its rows, or those inside them, do not have."""
    if rows.withheld:
        for rule in (rows.withheld.rows, rows.withheld.when):
            _require_columns(row, name, name, {*rule.meta.root_names()})
    if rows.followed and isinstance(rows.of, type):
        _require_columns(row, name, name, {*rows.followed.names})
        _require(rows.of, name, {rows.followed.inside}, {*rows.of.row_parts})
        _require_columns(rows.of, name, rows.followed.inside, {*rows.followed.names})
    if rows.window and isinstance(rows.of, type):
        _require_columns(row, f"window of {name}", name, {rows.window})
    elif rows.window != "value":
        _require(row, f"window of {name}", {rows.window} - {""}, set())


_REFERABLE = (Field, Mark, List, Leaves)


def _check_zero(row: type[Row], what: str, zero: ZeroMeaning) -> None:
    """Raise TypeError if the meaning of a field's 0 names a part that the row does not have."""
    match zero:
        case UnknownUnless(rows, _):
            _require(row, what, {rows}, {name for name, part in row.row_parts.items() if isinstance(part, List)})
        case UnknownIfAny(count):
            figures = {name for name, part in row.row_parts.items() if isinstance(part, Field) and part.figure}
            _require(row, what, {count}, figures)
        case Zero():
            pass


def _check_figure(row: type[Row], what: str, figure: Figure) -> None:
    """Raise TypeError if the figure names a field that the rows of its lists do not have."""
    columns = {figure.column} - {""} | ({*figure.where.meta.root_names()} if figure.where is not None else set())
    for rows in figure.lists:
        _require_columns(row, what, rows, columns)


def _require_columns(row: type[Row], what: str, rows: str, columns: set[str]) -> None:
    part = row.row_parts[rows]
    of = part.of.row_parts if isinstance(part, List) and isinstance(part.of, type) else {}
    _require(row, f"{what} over {rows}", columns, {name for name, part in of.items() if isinstance(part, Field)})


def _require(row: type[Row], what: str, names: set[str], known: set[str]) -> None:
    if names - known:
        raise TypeError(f"{row.__name__}: {what} names {', '.join(sorted(names - known))}, which it does not have")


Rules = Mapping[str, pl.Expr]
IS_FULL_CHECK = pl.col(FROM_FULL_CHECK)
"""Whether the response is a full check."""
LIST_FULL = "list_full"
"""Reason of a partial response, and of one that was found: a list is at its cap, there may be more rows."""
LASTING_REASONS = frozenset({LIST_FULL, "not_all_fetched", "region_unknown", "shape"})
"""Reasons of a partial response that a repeated request does not remove."""
FLAG_REASONS = frozenset({"mass_check_unavailable", "mass_check_unknown"})
"""Reasons of a partial response that leave flags unknown, but no list incomplete."""


def has_passing_reason(name: str) -> pl.Expr:
    """Whether the column with the reasons of a partial response has one that is not lasting."""
    is_lasting = pl.element().str.strip_chars().is_in(["", *LASTING_REASONS])
    return pl.col(name).fill_null("").str.split(",").list.eval(~is_lasting).list.any()


@dataclass(frozen=True, slots=True)
class CoverageRules:
    """When a response is evidence of a block: named conditions over the block's own row, marks included.

    `unconfirmed` decides the state alone. `incomplete`: partial with content, unconfirmed without. `unavailable`: the
    same, but unavailable without content.
    `partial`: partial in both cases. `announced`: the payload says that it has rows; without them it is incomplete, as
    with a counter above 0. `content`: what counts as content besides rows, records and true flags;
    `content_only`: nothing else counts. `empty_is_clean`: an empty object in the full check is clean, even if
    `_verified_empty_blocks` does not name it.
    """

    unavailable: Rules = field(default_factory=dict[str, pl.Expr])
    unconfirmed: Rules = field(default_factory=dict[str, pl.Expr])
    incomplete: Rules = field(default_factory=dict[str, pl.Expr])
    partial: Rules = field(default_factory=dict[str, pl.Expr])
    announced: pl.Expr | None = None
    content: pl.Expr | None = None
    content_only: bool = False
    empty_is_clean: bool = False

    def columns(self) -> set[str]:
        """The columns that the rules read."""
        groups = (self.unavailable, self.unconfirmed, self.incomplete, self.partial)
        rules = [rule for group in groups for rule in group.values()]
        rules += [rule for rule in (self.announced, self.content) if rule is not None]
        return {name for rule in rules for name in rule.meta.root_names()}


def is_true(name: str) -> pl.Expr:
    """Whether the flag is given and true."""
    return pl.col(name).fill_null(value=False)


def is_unchecked(field: Field) -> pl.Expr:
    """Whether the marks of the field say that its value was not checked."""
    if not field.null_while:
        return pl.lit(value=False)
    return pl.col(field.null_while).fill_null(~has_text(field.null_without) if field.null_without else False)


def has_items(name: str) -> pl.Expr:
    """Whether the list of words has elements."""
    return pl.col(name).list.len().fill_null(0) > 0


def was_asked(code: str) -> pl.Expr:
    """Whether a list or register is named in the marks `sources_checked` or `sources_failed`."""
    return pl.any_horizontal(
        pl.col(mark).list.contains(code).fill_null(value=False) for mark in ("sources_checked", "sources_failed")
    )


def number_or_zero(name: str) -> pl.Expr:
    """The number, or 0 if it is absent."""
    return pl.col(name).fill_null(0)


def is_one_of(name: str, *values: str) -> pl.Expr:
    """Whether the text is one of these words."""
    return pl.col(name).is_in(values)


def is_full(name: str, rows: List, counter: str) -> pl.Expr:
    """Whether the list has as many elements as it can have, or its counter says so."""
    return (row_count(name) >= rows.max_rows) | (number_or_zero(counter) >= rows.max_rows)


def row_count(name: str) -> pl.Expr:
    """Number of elements of the list."""
    return pl.col(count_column(name))


def has_text(name: str) -> pl.Expr:
    """Whether the text is given and not empty."""
    return pl.col(name).fill_null("") != ""


COMPANY_DIGITS, PERSON_DIGITS, ANY_LENGTH, NO_INN = 10, 12, -1, 0


@dataclass(frozen=True, slots=True)
class Method:
    """A method of the service: its name, path, catalogue price in kopecks, and the block that it returns.

    `digits` is the length of the INNs that it takes (`ANY_LENGTH`: 10 or 12; `NO_INN`: none in the path).
    `free_if_unavailable`: a response whose status is `unavailable` is not charged.
    """

    name: str
    path: str
    price: int
    block: str = ""
    digits: int = COMPANY_DIGITS
    free_if_unavailable: bool = False


def company_method(
    name: str, roubles: int, *, digits: int = COMPANY_DIGITS, free_if_unavailable: bool = False
) -> Method:
    """A standalone method under `/company/`."""
    path = f"/api/v1/company/{{inn}}/{name}"
    return Method(name, path, roubles * 100, digits=digits, free_if_unavailable=free_if_unavailable)


def person_method(name: str, roubles: int) -> Method:
    """A standalone method under `/person/`, for INNs of 12 digits; its name has the prefix `person-`."""
    return Method(f"person-{name}", f"/api/v1/person/{{inn}}/{name}", roubles * 100, digits=PERSON_DIGITS)


class Block(Row):
    """A block: the payload of its standalone methods, and one key of the full check.

    `order`: its position among the blocks, and so among the tables. `title_en`, `title_ru`: its name in reports.
    `full_check`: its key in the full check; empty if the full check does not carry it. `methods`: its standalone
    methods. `rows_at_root`: the list's name, if the payload is an array. `undocumented`: the payload has no documented
    fields and becomes leaves.
    """

    # The attribute names are long so that no field of the service can have the same one.
    block_name: ClassVar[str] = ""
    block_order: ClassVar[int] = 0
    title_en: ClassVar[str] = ""
    title_ru: ClassVar[str] = ""
    full_check_key: ClassVar[str] = ""
    block_methods: ClassVar[tuple[Method, ...]] = ()
    rows_at_root: ClassVar[str] = ""
    undocumented: ClassVar[bool] = False
    coverage: ClassVar[CoverageRules] = CoverageRules()
    news_templates: ClassVar[tuple[News, ...]] = ()

    _from_local = Mark(FLAG, "Whether the block was served from the service's own store.")
    _local_fetched_at = Mark(moment(STAMP), "When a stored block was collected.", dates="_from_local")

    def __init_subclass__(  # one parameter for each property of a block
        cls,
        *,
        name: str,
        order: int,
        title_en: str,
        title_ru: str,
        full_check: str = "",
        methods: tuple[Method, ...] = (),
        rows_at_root: str = "",
        undocumented: bool = False,
    ) -> None:
        super().__init_subclass__()
        cls.block_name, cls.block_order, cls.full_check_key = name, order, full_check
        cls.title_en, cls.title_ru = title_en, title_ru
        cls.block_methods = tuple(replace(method, block=name) for method in methods)
        cls.rows_at_root, cls.undocumented = rows_at_root, undocumented
        _require(cls, "coverage", cls.coverage.columns(), {*_column_names(cls)})

    @classmethod
    def is_narrow_in_full_check(cls) -> bool:
        """Whether the full check carries fewer fields than the block has."""
        return any(not getattr(part, "full_check", True) for part in cls.row_parts.values())


def _column_names(block: type[Block]) -> Iterator[str]:
    """Columns that coverage rules may use: fields, marks, and the number of elements of lists, maps and leaves."""
    yield FROM_FULL_CHECK
    for name, part in block.row_parts.items():
        if isinstance(part, Inline):
            yield from (part.prefix + inner for inner in part.of.row_parts)
            yield from [count_column(name)] if part.record else []
        else:
            yield count_column(name) if isinstance(part, List | Map | Leaves) else name
