"""Tables derived from the declarations: names, columns, keys, and the source of each in a response."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from types import MappingProxyType

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.column_names import given_column, presence_column
from innspect.schemas.declaration import Block, Echo, Field, Followed, Inline, Leaves, List, Map, Mark, Row, Withheld
from innspect.schemas.decoders import LEAVES
from innspect.schemas.kinds import FLAG, TEXT, Kind


class Origin(StrEnum):
    """The part of a response that a table holds."""

    ROOT = "root"
    """The block's own row."""
    ROWS = "rows"
    """A list of objects."""
    SCALARS = "scalars"
    """A list of scalars."""
    MAP = "map"
    """Objects whose keys are data."""
    LEAVES = "leaves"
    """Values without documented fields."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, declaration, path in the block, and the attributes from the row's object to the value."""

    name: str
    field: Field
    source: str
    getter: tuple[str, ...]
    is_presence: bool = False
    """Whether it is no value but says that an optional list, or the value of a field, was given: true or NULL."""

    @property
    def kind(self) -> Kind:
        """The kind of its values."""
        return self.field.kind

    @property
    def is_total(self) -> bool:
        """Whether it is a count or sum over the block: 0 if confirmed empty."""
        return self.field.figure is not None


@dataclass(frozen=True, slots=True)
class Feed:
    """A source of a table of maps or leaves: the block's attribute and its declaration."""

    attribute: str
    part: Map | Leaves


@dataclass(frozen=True, slots=True)
class Table:
    """A table of `core`: one row per version (the root) or one row per element."""

    name: str
    block: str
    origin: Origin
    description: str
    parent: str
    attribute: str
    path: str
    ordinals: tuple[str, ...]
    columns: tuple[Column, ...]
    key: tuple[tuple[str, ...], ...]
    """Columns that match rows of consecutive versions; of the alternatives in an entry, the first that is given."""
    lacked: str = field(default="", kw_only=True)
    """Column of the key that one version may have and another lack, see `Row`; empty: none."""
    has_declared_key: bool
    allows_blank_key: bool
    in_full_check: bool
    """Whether the full check carries it."""
    max_rows: int = 0
    """Rows of one response after which the service ends the list; 0: it has no such limit."""
    max_rows_each: int = 0
    """Rows of one parent row after which the service ends its list; 0: it has no such limit."""
    withheld: Withheld | None = field(default=None, compare=False)
    """Rows that the service may leave out of the list."""
    followed: Followed | None = None
    """Through whom the service finds the rows of the list."""
    window: str = ""
    """Column of which the service lists the latest values only; empty: none."""
    feeds: tuple[Feed, ...] = ()
    marks: tuple[tuple[str, Mark, tuple[str, ...]], ...] = ()
    row: type[Row] | None = None

    @property
    def optional_lists(self) -> bool:
        """Whether its rows may lack lists."""
        return self.origin is Origin.ROWS and any(column.is_presence for column in self.columns)

    @property
    def windows(self) -> tuple[str, ...]:
        """The columns that tell apart maps in it, each with a window of its own."""
        labels = (feed.part.label for feed in self.feeds if isinstance(feed.part, Map))
        return tuple(name for name, _ in next(labels, ()))

    @property
    def sparse_flag(self) -> str:
        """Column of the rows whose empty fields say nothing; empty: none."""
        return self.row.sparse_flag if self.row else ""

    @property
    def own_ordinal(self) -> str:
        """The ordinal of this table's own rows, or an empty string."""
        return self.ordinals[-1] if self.ordinals and self.origin in (Origin.ROWS, Origin.SCALARS) else ""

    @property
    def own_list(self) -> str:
        """The table of the block's own list that holds these rows or their parents; empty for other tables."""
        return f"{self.block}__{self.path.split('[')[0]}" if self.own_ordinal else ""

    @property
    def merged_list(self) -> str:
        """What a merge of single lists calls these rows: the block's own list, or the table of a map."""
        return self.own_list or (self.name if self.origin is Origin.MAP else "")


LEAF_COLUMNS = (
    ("path", "Position of the leaf, as a JSONPath into the block."),
    ("value", "The leaf as received."),
    ("type", "Its JSON type: string, number, boolean or null; object or array where it is empty."),
)


def item_column(name: str) -> str:
    """Column of an element's field; the element's own INN becomes `item_inn`."""
    return "item_inn" if name == "inn" else name


def _columns(row: type[Row], path: str, *, item: bool) -> Iterator[Column]:
    for name, part in row.row_parts.items():
        if isinstance(part, Field):
            column = item_column(name) if item else name
            yield Column(column, part, f"{path}{name}", (name,))
            if part.given:
                given = Field(FLAG, part.given, full_check=part.full_check)
                yield Column(given_column(column), given, f"{path}{name}", (name,), is_presence=True)
        elif isinstance(part, Inline) and not part.marks:
            for inner, field in part.of.row_parts.items():
                if isinstance(field, Field):
                    yield Column(part.prefix + inner, field, f"{path}{name}.{inner}", (name, inner))
        elif isinstance(part, List) and part.optional and item:
            known = Field(FLAG, f"Whether a response had `{name}`, even if empty; NULL: not known.", optional=True)
            yield Column(presence_column(name), known, f"{path}{name}", (name,), is_presence=True)


def _marks(row: type[Row]) -> Iterator[tuple[str, Mark, tuple[str, ...]]]:
    for name, part in row.row_parts.items():
        if isinstance(part, Mark):
            yield name, part, (name,)
        elif isinstance(part, Inline):
            for inner, mark in part.of.row_parts.items():
                if isinstance(mark, Mark):
                    yield part.prefix + inner, mark, (name, inner)


def _key(row: type[Row], columns: tuple[Column, ...]) -> tuple[tuple[str, ...], ...]:
    if row.row_key:
        return tuple(tuple(item_column(name) for name in entry.split("|")) for entry in row.row_key)
    return tuple((column.name,) for column in columns if column.field.content)


def _element_tables(block: str, row: type[Row], parent: Table) -> Iterator[Table]:
    for name, part in row.row_parts.items():
        if not isinstance(part, List):
            continue
        path = f"{parent.path}{name}[]"
        ordinals = (*parent.ordinals, f"{name}_no")
        carried = parent.in_full_check and part.full_check
        if isinstance(part.of, Kind):
            field = Field(part.of, part.description)
            columns = (Column("value", field, path, ()),)
            yield Table(
                f"{parent.name}__{name}", block, Origin.SCALARS, part.description, parent.name, name, path, ordinals,
                columns, (("value",),), has_declared_key=False, allows_blank_key=False, in_full_check=carried,
                max_rows=part.max_rows, max_rows_each=part.max_rows_each, window=part.window,
            )  # fmt: skip
            continue
        columns = tuple(_columns(part.of, f"{path}.", item=True))
        table = Table(
            f"{parent.name}__{name}", block, Origin.ROWS, part.description, parent.name, name, f"{path}.", ordinals,
            columns, _key(part.of, columns), has_declared_key=bool(part.of.row_key),
            lacked=item_column(part.of.lacked_field),
            allows_blank_key=part.of.blank_rows, in_full_check=carried, max_rows=part.max_rows,
            max_rows_each=part.max_rows_each, withheld=part.withheld, followed=part.followed, window=part.window,
            row=part.of,
        )  # fmt: skip
        yield table
        yield from _element_tables(block, part.of, table)


def _map_tables(block: type[Block]) -> Iterator[Table]:
    feeds: dict[str, list[Feed]] = {}
    for name, part in block.row_parts.items():
        if isinstance(part, Map):
            feeds.setdefault(part.into or name, []).append(Feed(name, part))
    for into, of in feeds.items():
        first = of[0].part
        assert isinstance(first, Map)
        columns = tuple(
            Column(item_column(name), field, f"{of[0].attribute if len(of) == 1 else into}.*.{name}", (name,))
            for name, field in first.of.row_parts.items()
            if isinstance(field, Field)
        )
        described = first.description if len(of) == 1 else (first.of.__doc__ or "").split("\n")[0]
        yield Table(
            f"{block.block_name}__{into}", block.block_name, Origin.MAP, described, block.block_name, into, into, (),
            columns, _key(first.of, columns), has_declared_key=True, allows_blank_key=False,
            in_full_check=all(feed.part.full_check for feed in of), window=first.window, feeds=tuple(of), row=first.of,
        )  # fmt: skip


def _leaf_tables(block: type[Block]) -> Iterator[Table]:
    feeds = [Feed(name, part) for name, part in block.row_parts.items() if isinstance(part, Leaves)]
    if block.undocumented:
        feeds.append(Feed(LEAVES, Leaves("The whole response.")))
    if feeds:
        columns = tuple(Column(name, Field(TEXT, text), name, (name,)) for name, text in LEAF_COLUMNS)
        yield Table(
            f"{block.block_name}__leaves", block.block_name, Origin.LEAVES,
            "Leaves of values without documented fields, one row each.", block.block_name, "leaves", "", (), columns,
            (("path",),), has_declared_key=True, allows_blank_key=False, in_full_check=True, feeds=tuple(feeds),
        )  # fmt: skip


@cache
def tables_of(block_name: str) -> tuple[Table, ...]:
    """The tables of a block: the root first, parents before children."""
    block = BLOCKS[block_name]
    columns = tuple(_columns(block, "", item=False))
    root = Table(
        block_name, block_name, Origin.ROOT, " ".join((block.__doc__ or "").split()), "", "", "", (), columns, (),
        has_declared_key=True, allows_blank_key=True, in_full_check=bool(block.full_check_key),
        marks=tuple(_marks(block)), row=block,
    )  # fmt: skip
    return (root, *_element_tables(block_name, block, root), *_map_tables(block), *_leaf_tables(block))


@cache
def tables() -> Mapping[str, Table]:
    """Every table of `core` by name, in the order of the blocks."""
    return MappingProxyType({table.name: table for block in BLOCKS for table in tables_of(block)})


@cache
def echo_paths(block_name: str) -> tuple[tuple[str, ...], ...]:
    """Attribute paths at which a block repeats the requested INN; a list on the path means each of its elements."""
    found: list[tuple[str, ...]] = []
    for name, part in BLOCKS[block_name].row_parts.items():
        if isinstance(part, Echo):
            found.append((name,))
        elif isinstance(part, Inline | List) and isinstance(part.of, type):
            found += [(name, inner) for inner, echo in part.of.row_parts.items() if isinstance(echo, Echo)]
    return tuple(found)
