"""Results as files: CSV and JSON from the same text, Parquet exact; a reader's spreadsheet executes nothing of them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any

import duckdb
import msgspec
import polars as pl

from innspect.warehouse.ddl import quoted, text

CHUNK = 10_000
NESTED = ("STRUCT", "MAP", "UNION", "LIST")
WORDS = ("VARCHAR", "JSON", "ENUM", "UNION", "BLOB", "BIT", "UUID")
TRIGGER = r"^'*[=@＝＠＋－\t\r\n]"
SIGN = r"^'*[+-]"
NUMBER_OR_PHONE = r"'*[+-][0-9 ().,-]*"
"""The whole cell: signs, digits and what phone numbers are written with; no letter, so nothing that could be run."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A column of a result: its own name, one that no other column has, and its type."""

    name: str
    alias: str
    sql: str

    @property
    def nested(self) -> bool:
        """Whether a cell has cells of its own; as text it is JSON."""
        return self.sql.endswith("]") or self.sql.startswith(NESTED)

    @property
    def words(self) -> bool:
        """Whether cells are free text, not numbers, dates or flags."""
        return self.sql.startswith(WORDS) and not self.nested

    def text(self) -> str:
        """The cell as text."""
        cell = quoted(self.alias)
        return f"to_json({cell})::VARCHAR" if self.nested else f"{cell}::VARCHAR"

    def guarded(self) -> str:
        """The same, with an apostrophe before what a spreadsheet would take for a formula (see `runs`).

        One apostrophe before such text is always ours: text that has apostrophes there already gets one more.
        """
        if not self.words:
            return self.text()
        cell = self.text()
        signed = f"regexp_matches({cell}, {text(SIGN)}) AND NOT regexp_full_match({cell}, {text(NUMBER_OR_PHONE)})"
        return f"CASE WHEN regexp_matches({cell}, {text(TRIGGER)}) OR ({signed}) THEN '''' || {cell} ELSE {cell} END"


def cells(connection: duckdb.DuckDBPyConnection, query: str) -> list[Cell]:
    """The columns of a query."""
    rows = connection.execute(f"DESCRIBE SELECT * FROM ({query}\n)").fetchall()
    return [Cell(row[0], f"c{place}", row[1]) for place, row in enumerate(rows)]


def projected(query: str, columns: list[Cell], expressions: list[str]) -> str:
    """A query over a query; its columns are known by their aliases, so that two of one name are two."""
    names = ", ".join(quoted(cell.alias) for cell in columns)
    # The end of the line before the bracket closes a comment at the end of the query.
    return f"SELECT {', '.join(expressions)} FROM ({query}\n) AS result({names})"


def write_csv(connection: duckdb.DuckDBPyConnection, query: str, out: IO[bytes], *, raw_text: bool = False) -> int:
    """Write a result as CSV, piece by piece; how many rows. NULL is an empty cell, an empty text is `""`."""
    columns = cells(connection, query)
    expressions = [f"{cell.text() if raw_text else cell.guarded()} AS {quoted(cell.alias)}" for cell in columns]
    schema: dict[str, pl.DataType] = {cell.alias: pl.String() for cell in columns}
    names = [f"'{cell.name}" if runs(cell.name) and not raw_text else cell.name for cell in columns]
    out.write(_lines([tuple(names)], schema))
    rows = 0
    for chunk in chunks(connection, projected(query, columns, expressions)):
        out.write(_lines(chunk, schema))
        rows += len(chunk)
    return rows


def _lines(rows: list[tuple[Any, ...]], schema: dict[str, pl.DataType]) -> bytes:
    return pl.DataFrame(rows, schema=schema, orient="row").write_csv(include_header=False).encode()


def runs(cell: str) -> bool:
    """Whether a spreadsheet may take this text for a formula."""
    signed = re.match(SIGN, cell) and not re.fullmatch(NUMBER_OR_PHONE, cell)
    return bool(re.match(TRIGGER, cell) or signed)


def write_json(connection: duckdb.DuckDBPyConnection, query: str, out: IO[bytes]) -> int:
    """Write a result as one JSON array, an object a line; how many rows.

    Decimals are strings with all their digits, instants ISO 8601, JSON columns JSON.
    """
    columns = cells(connection, query)
    names = _distinct([cell.name for cell in columns])
    as_json = [place for place, cell in enumerate(columns) if cell.sql == "JSON"]
    whole = [place for place, cell in enumerate(columns) if cell.sql in ("HUGEINT", "UHUGEINT")]
    expressions = [_for_json(cell) for cell in columns]
    encoder = msgspec.json.Encoder(decimal_format="string")
    rows = 0
    out.write(b"[")
    for row in each(connection, projected(query, columns, expressions)):
        values: list[Any] = list(row)
        for place in chain(as_json, whole):
            if values[place] is not None:
                values[place] = msgspec.Raw(str(values[place]).encode())
        out.write(b",\n" if rows else b"\n")
        out.write(encoder.encode(dict(zip(names, values, strict=True))))
        rows += 1
    out.write(b"\n]\n")
    return rows


def _for_json(cell: Cell) -> str:
    if cell.sql == "TIMESTAMP WITH TIME ZONE":
        return f"strftime(timezone('UTC', {quoted(cell.alias)}), '%Y-%m-%dT%H:%M:%S.%fZ')"
    if cell.sql in ("BIT", "INTERVAL", "BLOB", "TIME WITH TIME ZONE"):
        return cell.text()
    return quoted(cell.alias)


def _distinct(names: list[str]) -> list[str]:
    found: list[str] = []
    for name in names:
        number = 0
        while (one := f"{name}_{number}" if number else name) in found:
            number += 1
        found.append(one)
    return found


def write_parquet(connection: duckdb.DuckDBPyConnection, query: str, path: Path) -> int:
    """Write a result as Parquet, exactly as it is; how many rows."""
    done = connection.execute(f"COPY ({query}\n) TO {text(str(path))} (FORMAT parquet, COMPRESSION zstd)").fetchone()
    return int(done[0]) if done else 0


def each(connection: duckdb.DuckDBPyConnection, query: str) -> Iterator[tuple[Any, ...]]:
    """The rows one after another, never all in memory."""
    for chunk in chunks(connection, query):
        yield from chunk


def chunks(connection: duckdb.DuckDBPyConnection, query: str) -> Iterator[list[tuple[Any, ...]]]:
    """The rows, some thousands at a time."""
    cursor = connection.execute(query)
    while chunk := cursor.fetchmany(CHUNK):
        yield chunk
