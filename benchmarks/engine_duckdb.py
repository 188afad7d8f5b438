"""The practical limit: an archive into the same tables with SQL alone, parsed once, cast, unnested, written.

No validation, coverage states, versions, lineage or lenient decoder: a value that cannot be cast becomes NULL. The SQL
is generated from the declarations, so that it reads the same fields.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.declaration import Field, Inline, Leaves, List, Map, Mark, Row
from innspect.schemas.kinds import ISO, YEAR_END, Form, Kind
from innspect.schemas.tables import Column, Origin, Table, tables, tables_of
from innspect.warehouse.database import STORAGE_VERSION

WIRE = {
    Form.INTEGER: "BIGINT",
    Form.UNIX: "BIGINT",
    Form.NUMBER: "DOUBLE",
    Form.MONEY: "DECIMAL(18,2)",
    Form.FLAG: "BOOLEAN",
    Form.JSON: "JSON",
}


def quote(name: str) -> str:
    return f'"{name}"'


def wire_type(kind: Kind) -> str:
    return WIRE.get(kind.form, "VARCHAR")


def _struct(row: type[Row]) -> dict[str, Any]:
    """The structure for `json_transform`, which ignores keys that it does not name."""
    fields: dict[str, Any] = {}
    for name, part in row.row_parts.items():
        if isinstance(part, Field):
            fields[name] = wire_type(part.kind)
        elif isinstance(part, Mark):
            fields[name] = [wire_type(part.kind)] if part.many else wire_type(part.kind)
        elif isinstance(part, Inline):
            # An empty string may replace the object.
            fields[name] = "JSON" if part.or_text else _struct(part.of)
        elif isinstance(part, List):
            fields[name] = [wire_type(part.of) if isinstance(part.of, Kind) else _struct(part.of)]
        elif isinstance(part, Map):
            fields[name] = _map(part)
        elif isinstance(part, Leaves):
            fields[name] = "JSON"
    return fields


def _map(part: Map) -> str:
    bottom = _bottom(part)
    for _ in part.keys:
        bottom = f"MAP(VARCHAR, {bottom})"
    return bottom


def _inner(part: Map) -> list[str]:
    taken = {*part.keys, *(name for name, _ in part.label)}
    return [name for name in part.of.row_parts if name not in taken]


def _bottom(part: Map) -> str:
    inner = _inner(part)
    if len(inner) == 1 and not part.many:
        field = part.of.row_parts[inner[0]]
        assert isinstance(field, Field)
        return wire_type(field.kind)
    fields = ", ".join(
        f"{quote(name)} {wire_type(field.kind)}"
        for name in inner
        if isinstance(field := part.of.row_parts[name], Field)
    )
    return f"STRUCT({fields}){'[]' if part.many else ''}"


def staging() -> str:
    """The statement that parses every block of the bodies to its type, in one pass."""
    fields: dict[str, Any] = {}
    for block in BLOCKS.values():
        if not block.full_check_key:
            continue
        kind: Any = "JSON" if block.undocumented else _struct(block)
        if block.rows_at_root:
            part = block.row_parts[block.rows_at_root]
            assert isinstance(part, List)
            assert not isinstance(part.of, Kind)
            kind = [_struct(part.of)]
        fields[block.full_check_key] = kind
    return (
        "CREATE TEMP TABLE parsed AS SELECT response_id AS version_id, inn, "
        f"json_transform(decode(body), '{json.dumps(fields)}') AS p FROM answers"
    )


def cell(column: Column, value: str) -> str:
    """SQL of the value in the type and unit of the warehouse."""
    kind, given = column.kind, f"nullif({value}, '')"
    if column.is_presence:
        return f"CASE WHEN {value}::VARCHAR <> '' THEN true END"
    match kind.form:
        case Form.DATE:
            days = [f"try_strptime({given}, '{layout}')::DATE" for layout in kind.formats if layout != YEAR_END]
            if YEAR_END in kind.formats:
                days.append(f"make_date(TRY_CAST({given} AS INTEGER), 12, 31)")
            return f"coalesce({', '.join(days)})"
        case Form.INSTANT:
            stamps = [
                f"TRY_CAST({given} AS TIMESTAMP)" if layout == ISO else f"try_strptime({given}, '{layout}')"
                for layout in kind.formats
            ]
            return f"coalesce({', '.join(stamps)})"
        case Form.UNIX:
            return f"make_timestamp({value} * 1000000)"
        case Form.YEAR:
            return f"TRY_CAST({given} AS BIGINT)"
        case Form.MONEY if column.field.full_check_unit != 1:
            return f"({value} * {column.field.full_check_unit})::DECIMAL(18,2)"
        case Form.TEXT | Form.LABEL:
            return given
        case _:
            return value


def _cells(table: Table, base: str) -> str:
    cells: list[str] = []
    for column in table.columns:
        value = base if not column.getter else f"{base}.{quote(column.getter[0])}"
        if len(column.getter) == 2:
            part = table.row.row_parts[column.getter[0]] if table.row else None
            if isinstance(part, Inline) and part.or_text:
                value = f"({value} ->> '{column.getter[1]}')"
            else:
                value = f"{value}.{quote(column.getter[1])}"
        cells.append(f"{cell(column, value)} AS {quote(column.name)}")
    return ", ".join(cells)


def _elements(table: Table, known: dict[str, str]) -> Iterator[str]:
    """Statements for a list: unnest it with its ordinals, for the items inside it; then create its rows."""
    block = BLOCKS[table.block]
    if table.parent == table.block:
        items = f"p.{quote(block.full_check_key)}"
        source, above = "parsed", ["version_id", "inn"]
        items = items if block.rows_at_root else f"{items}.{quote(table.attribute)}"
    else:
        source, above = known[table.parent], ["version_id", "inn", *table.ordinals[:-1]]
        items = f"r.{quote(table.attribute)}"
    named = ", ".join(map(quote, above))
    ordinal = quote(table.ordinals[-1])
    query = f"SELECT {named}, generate_subscripts({items}, 1) AS {ordinal}, unnest({items}) AS r FROM {source}"
    if any(other.parent == table.name for other in tables_of(table.block)):
        known[table.name] = f"stage_{table.name}"
        yield f"CREATE TEMP TABLE stage_{table.name} AS {query}"
        query = f"SELECT * FROM stage_{table.name}"
    ordinals = ", ".join(map(quote, table.ordinals))
    yield _create_table(table, f"SELECT version_id, inn, {ordinals}, {_cells(table, 'r')} FROM ({query})")


def _map_rows(table: Table) -> Iterator[str]:
    parts: list[str] = []
    key = BLOCKS[table.block].full_check_key
    for feed in table.feeds:
        assert isinstance(feed.part, Map)
        value, source = f"p.{quote(key)}.{quote(feed.attribute)}", "parsed"
        keys: list[str] = []
        for name in feed.part.keys:
            kept = "".join(f", {quote(one)}" for one in keys)
            query = f"SELECT version_id, inn{kept}, unnest(map_entries({value})) AS e FROM {source}"
            source = f"(SELECT version_id, inn{kept}, e.key AS {quote(name)}, e.value AS v FROM ({query}))"
            value = "v"
            keys.append(name)
        if feed.part.many:
            kept = "".join(f", {quote(one)}" for one in keys)
            source = f"(SELECT version_id, inn{kept}, unnest(v) AS v FROM {source})"
        labels = dict(feed.part.label)
        inner = _inner(feed.part)
        single = len(inner) == 1 and not feed.part.many
        cells: list[str] = []
        for column in table.columns:
            if column.name in labels:
                value = f"'{labels[column.name]}'"
            elif column.name in keys:
                value = cell(column, quote(column.name))
            else:
                value = cell(column, "v" if single else f"v.{quote(column.getter[0])}")
            cells.append(f"{value} AS {quote(column.name)}")
        parts.append(f"SELECT version_id, inn, {', '.join(cells)} FROM {source}")
    yield _create_table(table, " UNION ALL ".join(parts))


def _leaves(table: Table) -> Iterator[str]:
    block = BLOCKS[table.block]
    parts: list[str] = []
    for feed in table.feeds:
        value = f"p.{quote(block.full_check_key)}"
        value = value if block.undocumented else f"{value}.{quote(feed.attribute)}"
        parts.append(
            "SELECT version_id, inn, t.fullkey AS path, t.atom ->> '$' AS value, lower(t.type) AS type "
            f"FROM (SELECT version_id, inn, {value} AS j FROM parsed WHERE json_array_length({value}) > 0 "
            f"OR json_type({value}) = 'OBJECT'), json_tree(j) t WHERE t.atom IS NOT NULL"
        )
    yield _create_table(table, " UNION ALL ".join(parts))


def _create_table(table: Table, query: str) -> str:
    return f"CREATE TABLE core.{quote(table.name)} AS {query}"


def statements() -> Iterator[str]:
    """All statements, in order."""
    yield "CREATE SCHEMA core"
    yield staging()
    known: dict[str, str] = {}
    for table in tables().values():
        block = BLOCKS[table.block]
        if not block.full_check_key:
            continue
        match table.origin:
            case Origin.ROOT:
                if table.columns:
                    given = f"p.{quote(block.full_check_key)}"
                    cells = _cells(table, given)
                    yield _create_table(table, f"SELECT version_id, inn, {cells} FROM parsed WHERE {given} IS NOT NULL")
            case Origin.ROWS | Origin.SCALARS:
                yield from _elements(table, known)
            case Origin.MAP:
                yield from _map_rows(table)
            case Origin.LEAVES:
                yield from _leaves(table)


def load(archive: Path, out: Path) -> None:
    """Load the archive into the file `out`; DuckDB parallelises and spills by itself."""
    # The storage format of the warehouse; it halves the time of the checkpoint.
    with duckdb.connect(str(out), config={"storage_compatibility_version": STORAGE_VERSION}) as connection:
        connection.execute("SET preserve_insertion_order = false")
        files = f"{archive}/answers/*.parquet"
        connection.execute(f"CREATE TEMP VIEW answers AS SELECT response_id, inn, body FROM read_parquet('{files}')")
        for statement in statements():
            connection.execute(statement)
        connection.execute("CHECKPOINT")
