"""Query results as CSV, JSON and Parquet; text that a spreadsheet would run as a formula is escaped in CSV."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import duckdb
import msgspec
import polars as pl

from innspect.warehouse.ddl import identifier, literal

StartedQuery = tuple[duckdb.DuckDBPyConnection, list[tuple[Any, ...]]]
"""What further rows of a query are read from, and its first `CHUNK_ROWS` rows."""
Start = Callable[[Callable[[], StartedQuery]], StartedQuery]
CHUNK_ROWS = 10_000
NESTED_TYPES = ("STRUCT", "MAP", "UNION", "LIST")
TEXT_TYPES = ("VARCHAR", "JSON", "ENUM", "UNION", "BLOB", "BIT", "UUID")
FORMULA_START = r"^'*[=@＝＠＋－\t\r\n]"
SIGN_START = r"^'*[+-]"
NUMBER_OR_PHONE = r"'*[+-][0-9 ().,-]*"
"""A whole cell of a sign, digits and punctuation of phone numbers: without a letter it cannot be a formula."""


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of a result: its name, a unique alias, and its SQL type."""

    name: str
    alias: str
    sql: str

    @property
    def is_nested(self) -> bool:
        """Whether values are structs, maps or lists, which are written as JSON."""
        return self.sql.endswith("]") or self.sql.startswith(NESTED_TYPES)

    @property
    def is_text(self) -> bool:
        """Whether values are free text."""
        return self.sql.startswith(TEXT_TYPES) and not self.is_nested

    def text_expression(self) -> str:
        """The SQL expression of the value as text."""
        cell = identifier(self.alias)
        return f"to_json({cell})::VARCHAR" if self.is_nested else f"{cell}::VARCHAR"

    def escaped_expression(self) -> str:
        """The same with an apostrophe before what a spreadsheet would take for a formula (see `is_formula`).

        Reversible: text that already starts with apostrophes before a formula gets one more.
        """
        if not self.is_text:
            return self.text_expression()
        cell = self.text_expression()
        starts, sign, number = (literal(pattern) for pattern in (FORMULA_START, SIGN_START, NUMBER_OR_PHONE))
        signed = f"regexp_matches({cell}, {sign}) AND NOT regexp_full_match({cell}, {number})"
        return f"CASE WHEN regexp_matches({cell}, {starts}) OR ({signed}) THEN '''' || {cell} ELSE {cell} END"


def start_at_once(start: Callable[[], StartedQuery]) -> StartedQuery:
    """Start a query, without a limit of memory of its own."""
    return start()


def start_query(connection: duckdb.DuckDBPyConnection, query: str) -> StartedQuery:
    """Execute a query and read its first rows."""
    cursor = connection.execute(query)
    return cursor, cursor.fetchmany(CHUNK_ROWS)


def result_columns(connection: duckdb.DuckDBPyConnection, query: str) -> list[ResultColumn]:
    """The columns of a query's result."""
    rows = connection.execute(f"DESCRIBE SELECT * FROM ({query}\n)").fetchall()
    return [ResultColumn(row[0], f"c{number}", row[1]) for number, row in enumerate(rows)]


def select_expressions(query: str, columns: list[ResultColumn], expressions: list[str]) -> str:
    """A query of expressions over a query, whose columns have their aliases: result names may occur twice."""
    names = ", ".join(identifier(column.alias) for column in columns)
    # The line break ends a comment at the end of the query.
    return f"SELECT {', '.join(expressions)} FROM ({query}\n) AS result({names})"


def write_csv(
    connection: duckdb.DuckDBPyConnection,
    query: str,
    out: IO[bytes],
    start: Start = start_at_once,
    *,
    raw_text: bool = False,
) -> int:
    """Write a result as CSV in chunks; returns the number of rows. NULL is an empty cell, an empty text is `""`."""
    columns = result_columns(connection, query)
    expressions = [
        f"{column.text_expression() if raw_text else column.escaped_expression()} AS {identifier(column.alias)}"
        for column in columns
    ]
    schema: dict[str, pl.DataType] = {column.alias: pl.String() for column in columns}
    names = [f"'{column.name}" if is_formula(column.name) and not raw_text else column.name for column in columns]
    out.write(_csv_lines([tuple(names)], schema))
    rows = 0
    for chunk in iterate_chunks(connection, select_expressions(query, columns, expressions), start):
        out.write(_csv_lines(chunk, schema))
        rows += len(chunk)
    return rows


def _csv_lines(rows: list[tuple[Any, ...]], schema: dict[str, pl.DataType]) -> bytes:
    return pl.DataFrame(rows, schema=schema, orient="row").write_csv(include_header=False).encode()


def is_formula(cell: str) -> bool:
    """Whether a spreadsheet may run this text as a formula."""
    signed = re.match(SIGN_START, cell) and not re.fullmatch(NUMBER_OR_PHONE, cell)
    return bool(re.match(FORMULA_START, cell) or signed)


def write_json(connection: duckdb.DuckDBPyConnection, query: str, out: IO[bytes], start: Start = start_at_once) -> int:
    """Write a result as a JSON array with one object per line; returns the number of rows.

    Decimals are strings with all their digits, timestamps ISO 8601, JSON columns JSON.
    """
    columns = result_columns(connection, query)
    names = _unique_names([column.name for column in columns])
    raw_types = ("JSON", "HUGEINT", "UHUGEINT")
    raw = [number for number, column in enumerate(columns) if column.sql in raw_types]
    expressions = [_json_expression(column) for column in columns]
    encoder = msgspec.json.Encoder(decimal_format="string")
    rows = 0
    out.write(b"[")
    for row in iterate_rows(connection, select_expressions(query, columns, expressions), start):
        values: list[Any] = list(row)
        for number in raw:
            if values[number] is not None:
                values[number] = msgspec.Raw(str(values[number]).encode())
        out.write(b",\n" if rows else b"\n")
        out.write(encoder.encode(dict(zip(names, values, strict=True))))
        rows += 1
    out.write(b"\n]\n")
    return rows


def _json_expression(column: ResultColumn) -> str:
    if column.sql == "TIMESTAMP WITH TIME ZONE":
        return f"strftime(timezone('UTC', {identifier(column.alias)}), '%Y-%m-%dT%H:%M:%S.%fZ')"
    if column.sql in ("BIT", "INTERVAL", "BLOB", "TIME WITH TIME ZONE"):
        return column.text_expression()
    return identifier(column.alias)


def _unique_names(names: list[str]) -> list[str]:
    unique: list[str] = []
    for name in names:
        number = 0
        while (candidate := f"{name}_{number}" if number else name) in unique:
            number += 1
        unique.append(candidate)
    return unique


def write_parquet(connection: duckdb.DuckDBPyConnection, query: str, path: Path) -> int:
    """Write a result as Parquet with exact types, JSON as text; returns the number of rows."""
    columns = connection.execute(f"DESCRIBE SELECT * FROM ({query}\n)").fetchall()
    cells = select_json_as_text([str(name) for name, sql_type, *_ in columns if sql_type == "JSON"])
    copied = connection.execute(
        f"COPY (SELECT {cells} FROM ({query}\n)) TO {literal(str(path))} (FORMAT parquet, COMPRESSION zstd)"
    ).fetchone()
    return int(copied[0]) if copied else 0


def select_json_as_text(names: Sequence[str]) -> str:
    """All columns of a SELECT, those of these names as text: most readers of Parquet get bytes for JSON."""
    texts = ", ".join(f"{identifier(name)}::VARCHAR AS {identifier(name)}" for name in names)
    return f"* REPLACE ({texts})" if names else "*"


def iterate_rows(
    connection: duckdb.DuckDBPyConnection, query: str, start: Start = start_at_once
) -> Iterator[tuple[Any, ...]]:
    """The rows, read in chunks; `start` as for `iterate_chunks`."""
    for chunk in iterate_chunks(connection, query, start):
        yield from chunk


def iterate_chunks(
    connection: duckdb.DuckDBPyConnection, query: str, start: Start = start_at_once
) -> Iterator[list[tuple[Any, ...]]]:
    """The rows, `CHUNK_ROWS` at a time; `start` calls `start_query`."""
    cursor, chunk = start(lambda: start_query(connection, query))
    while chunk:
        yield chunk
        chunk = cursor.fetchmany(CHUNK_ROWS)
