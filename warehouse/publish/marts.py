"""Marts in the published copy: tables with the figures of the warehouse, made from what is published and no more."""

from collections.abc import Collection, Generator
from contextlib import contextmanager

import duckdb

from innspect.schemas.tables import tables
from innspect.warehouse.ddl import SCHEMAS, base_tables, create_views, quoted, text
from innspect.warehouse.latest import view
from innspect.warehouse.marts.registry import mart_comments, mart_queries, stored_queries
from innspect.warehouse.publish.exclude import Exclusion

PUBLIC, WHOLE = "publish_public", "publish_whole"
"""Databases of views: of what is published, and of the whole warehouse; also the names of what is computed there."""
AGE, AGE_OF = "age_days", "checked_at"
AGE_NOW = f"(epoch(now()) - epoch({AGE_OF})) / 86400.0"
"""An age goes on growing after the copy is made; this needs no extension and no time zone of the reader's."""
HIDDEN = "Left out of this copy (publish.exclude), or resting on what is."
MADE = "Computed when this copy was made (lineage.published)."


def is_live(columns: Collection[str]) -> bool:
    """Whether a mart of these columns has an age that goes on growing: it needs the instant that it counts from."""
    return {AGE, AGE_OF} <= set(columns)


def write_marts(connection: duckdb.DuckDBPyConnection, copy: str, out: Exclusion) -> list[str]:
    """Make every mart as a table of the copy, in one transaction; sentences about those that are left out."""
    sentences: list[str] = []
    for name, (comment, columns) in mart_comments().items():
        if out.whole("mart", name):
            continue
        hidden: list[str] | None = []
        if out:
            _compute(connection, PUBLIC, name)
            if out.touches():
                _compute(connection, WHOLE, name)
                hidden = _differing(connection)
            if hidden is None:
                sentences.append(
                    f"The mart {name} is not in the published copy: its rows rest on what publish.exclude names."
                )
                continue
            there = _store(connection, copy, name, set(hidden), out.of("mart", name))
            told = {column: HIDDEN if column in hidden else columns[column] for column in there}
        else:
            # The copy has all that a mart rests on, and the marts before it as tables.
            connection.execute(f"USE {copy}")
            _fill(connection, copy, name, stored_queries()[name], live=is_live(columns))
            told = columns
        _comment(connection, copy, name, comment, told)
    return sentences


@contextmanager
def staging(connection: duckdb.DuckDBPyConnection, source: str, copy: str, out: Exclusion) -> Generator[None]:
    """The databases of views that marts are computed in, in memory; outside any transaction.

    Where nothing is left out there are none: the copy has all that a mart rests on.
    """
    if not out:
        yield
        return
    try:
        _stage(connection, PUBLIC, copy, out)
        if out.touches():
            _stage(connection, WHOLE, source, Exclusion())
        yield
    finally:
        connection.execute(f"USE {quoted(source)}")
        for database in (PUBLIC, WHOLE):
            connection.execute(f"DROP TABLE IF EXISTS temp.{database}")
            connection.execute(f"DETACH DATABASE IF EXISTS {database}")


def _stage(connection: duckdb.DuckDBPyConnection, staging: str, database: str, out: Exclusion) -> None:
    """Views of all tables, of today and of the marts; what is out is NULL or empty there, and no mart can show it."""
    # SQL of ours names schemas only: they are those of the database in use.
    connection.execute(f"ATTACH ':memory:' AS {staging}")
    connection.execute(f"USE {staging}")
    for schema in SCHEMAS:
        connection.execute(f"CREATE SCHEMA {schema}")
    for (schema, name), (_, columns) in base_tables().items():
        whole = out.whole(schema, name)
        gone = {column.name for column in columns} if whole else set(out.of(schema, name))
        cells = ", ".join(
            f"NULL::{column.sql} AS {quoted(column.name)}" if column.name in gone else quoted(column.name)
            for column in columns
        )
        rows = "WHERE false" if whole else f"FROM {quoted(database)}.{schema}.{quoted(name)}"
        connection.execute(f"CREATE VIEW {schema}.{quoted(name)} AS SELECT {cells} {rows}")
    connection.execute(view())
    views = (statement for table in tables().values() for statement in create_views(table))
    marts = (f"CREATE OR REPLACE VIEW mart.{quoted(name)} AS {query}" for name, query in mart_queries().items())
    for statement in (*views, *marts):
        if statement.startswith("CREATE OR REPLACE VIEW"):
            connection.execute(statement)


def _compute(connection: duckdb.DuckDBPyConnection, staging: str, name: str) -> None:
    connection.execute(f"USE {staging}")
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {staging} AS SELECT * FROM mart.{quoted(name)}")


def _columns(connection: duckdb.DuckDBPyConnection, query: str) -> dict[str, str]:
    """The columns of a query and their types."""
    return {row[0]: row[1] for row in connection.execute(f"DESCRIBE {query}").fetchall()}


def _differing(connection: duckdb.DuckDBPyConnection) -> list[str] | None:
    """The columns that are not as in the whole warehouse; None where the rows differ."""
    names = list(_columns(connection, f"FROM temp.{WHOLE}"))
    sums = ", ".join(f"sum(hash({quoted(name)})::HUGEINT)" for name in names)

    def summed(what: str) -> list[tuple[object, ...]]:
        return [
            tuple(connection.execute(f"SELECT count(*), {what} FROM temp.{table}").fetchall()[0])
            for table in (PUBLIC, WHOLE)
        ]

    here, there = summed(sums)
    if here[0] != there[0]:
        return None
    differing = [name for name, a, b in zip(names, here[1:], there[1:], strict=True) if a != b]
    same = [quoted(name) for name in names if name not in differing]
    if not same or len(set(summed(f"sum(hash({', '.join(same)})::HUGEINT)"))) != 1:
        return None
    return differing


def _store(
    connection: duckdb.DuckDBPyConnection, copy: str, name: str, hidden: set[str], absent: list[str]
) -> list[str]:
    """The computed mart as a table; its columns."""
    computed = _columns(connection, f"FROM temp.{PUBLIC}")
    kinds = {column: kind for column, kind in computed.items() if column not in absent}
    cells = ", ".join(
        f"NULL::{kind} AS {quoted(column)}" if column in hidden else quoted(column) for column, kind in kinds.items()
    )
    _fill(connection, copy, name, f"SELECT {cells} FROM temp.{PUBLIC}", live=is_live(kinds.keys() - hidden))
    return list(kinds)


def _fill(connection: duckdb.DuckDBPyConnection, copy: str, name: str, query: str, *, live: bool) -> None:
    """A mart as a table with the rows of a query; where it is `live`, its age goes on by the reader's clock."""
    full = f"{quoted(copy)}.mart.{quoted(name)}"
    connection.execute(f"DROP TABLE IF EXISTS {full}")
    if not live:
        connection.execute(f"CREATE TABLE {full} AS {query}")
        return
    kinds = _columns(connection, query)
    kinds[AGE] += f" GENERATED ALWAYS AS ({AGE_NOW}) VIRTUAL"
    connection.execute(f"CREATE TABLE {full} ({', '.join(f'{quoted(one)} {kind}' for one, kind in kinds.items())})")
    listed = ", ".join(quoted(column) for column in kinds if column != AGE)
    connection.execute(f"INSERT INTO {full} ({listed}) SELECT {listed} FROM ({query})")


def _comment(
    connection: duckdb.DuckDBPyConnection, copy: str, name: str, comment: str, columns: dict[str, str]
) -> None:
    full = f"{quoted(copy)}.mart.{quoted(name)}"
    said = [f"COMMENT ON TABLE {full} IS {text(f'{comment} {MADE}')}"]
    said += [f"COMMENT ON COLUMN {full}.{quoted(column)} IS {text(meaning)}" for column, meaning in columns.items()]
    connection.execute(";\n".join(said))
