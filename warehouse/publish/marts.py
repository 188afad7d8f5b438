"""Marts of the published copy: tables, computed only from what is published."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

import duckdb

from innspect.schemas.tables import tables
from innspect.warehouse.ddl import SCHEMAS, create_views, identifier, literal, published_tables
from innspect.warehouse.latest import LATEST_TABLE, create_latest_views
from innspect.warehouse.links.links_sql import LINK_COLUMNS
from innspect.warehouse.links.stored_links import ENDS_TABLE, LINKS_TABLE
from innspect.warehouse.marts.fragments import fill_states, requested_states, years_since_registration
from innspect.warehouse.marts.registry import (
    STORED_RISK_MARTS,
    Dependency,
    mart_comments,
    mart_dependencies,
    mart_moving_columns,
    queries_of_stored_risk,
    queries_over_stored_marts,
    queries_without_findings,
    query_of_stored_news,
)
from innspect.warehouse.news.stored_news import NEWS_TABLE
from innspect.warehouse.publish.delta import ASSESSED_INNS, QUIET_PAIRS, ROWS_PER_COMMIT, TOUCHED_RUNS
from innspect.warehouse.publish.exclude import Exclusion
from innspect.warehouse.publish.inn_marts import (
    ALL_INNS,
    JUDGED_INNS,
    RUN_SELECTION,
    SELECTED_INNS,
    SELECTION,
    TOUCHED_INNS,
    attach_selections,
    blocks_of_mart,
    count_chunks,
    divide_by_changes,
    find_inns_of_mart,
    select_chunks,
    selected_query,
)
from innspect.warehouse.risk.version_findings import read_findings_from

REDUCED, FULL = "publish_public", "publish_whole"
"""In-memory databases of views: of what is published, and of the whole warehouse. Also temporary tables' names."""
STAGING = (SELECTION, RUN_SELECTION, REDUCED, FULL)
"""All databases that `attach_staging` may attach."""
LIVE_COLUMNS: Mapping[str, tuple[frozenset[str], str]] = {
    "age_days": (frozenset({"collected_at"}), "(epoch(now()) - epoch(collected_at)) / 86400.0"),
    "age_years": (frozenset({"registration_date", "liquidation_date"}), years_since_registration()),
}
"""Ages, which grow after the copy is made: the columns from which they are counted, and the expression.

It needs neither an extension nor the reader's time zone.
"""
EXCLUDED_NOTE = "Excluded from this copy by publish.exclude, directly or because it depends on excluded data."
COMPUTED_NOTE = "Computed when this copy was made (lineage.published)."


def live_columns(columns: Collection[str]) -> dict[str, str]:
    """The columns that can be computed when they are read, and their expressions, if a mart has these columns."""
    return {
        name: expression
        for name, (counted_from, expression) in LIVE_COLUMNS.items()
        if {name, *counted_from} <= set(columns)
    }


MOVED_ROWS = 1_000_000
"""Rows of a mart in which times are set at once."""
COMMITTED_CHUNKS = 5
"""Chunks of INNs whose rows of a mart are committed together."""


@dataclass(frozen=True, slots=True)
class StoredRisk:
    """The risk that the warehouse has stored, and the moment (UTC) at which all of it is valid.

    `load_no`: what transactions up to this number stored is in the copy.
    """

    moment: datetime
    load_no: int


@dataclass(frozen=True, slots=True)
class StoredRows:
    """The links and news that the warehouse has stored, all of them valid; `load_no`: see `StoredRisk`."""

    load_no: int


def write_marts(
    connection: duckdb.DuckDBPyConnection,
    source: str,
    copy: str,
    exclusion: Exclusion,
    risk: StoredRisk | None,
    stored: StoredRows | None,
    commit_part: Callable[[], None],
    *,
    is_first: bool,
    chunk_inns: int,
) -> list[str]:
    """Bring every mart up to date as a table, inside the caller's transaction; returns sentences about those left out.

    Stored risk, links and news are read from `source`; without stored risk, what rules find in versions; with an
    exclusion rules are evaluated from what is published. With more INNs than are computed at once, `commit_part` is
    called before each mart, and with many more between the chunks of one. `is_first`: the copy has no marts yet.
    `chunk_inns`: INNs that are computed at once.
    """
    sentences: list[str] = []
    is_continued = not exclusion and not is_first
    touched_chunks = 0 if exclusion else count_chunks(connection, TOUCHED_INNS)
    all_chunks = 0 if exclusion else count_chunks(connection, ALL_INNS)
    for name, (comment, columns) in mart_comments().items():
        if exclusion.excludes_table("mart", name):
            continue
        if stored is not None and name == "links":
            _copy_links(connection, source, copy, stored)
            _comment(connection, copy, name, comment, columns)
            continue
        is_across_inns = mart_dependencies()[name] is Dependency.INNS
        if is_continued and is_across_inns and not touched_chunks:
            continue
        # A mart of all INNs of many needs the memory that uncommitted rows take.
        if touched_chunks > 1 or (is_across_inns and all_chunks > 1):
            commit_part()
        if is_continued and _continue_mart(connection, source, copy, name, risk, stored, commit_part, chunk_inns):
            continue
        connection.execute(f"DROP TABLE IF EXISTS {identifier(copy)}.mart.{identifier(name)}")
        if risk is not None and name in STORED_RISK_MARTS:
            connection.execute(f"USE {identifier(source)}")
            query = queries_of_stored_risk(_timestamp(risk.moment))[name]
            _create_table(connection, copy, name, query, live_columns(columns))
            _comment(connection, copy, name, comment, columns)
            continue
        if not exclusion:
            # The copy has everything that a mart needs, and earlier marts as tables.
            queries = _MartQueries(name, source, copy, has_news=stored is not None)
            _create_complete(connection, queries, live_columns(columns), commit_part, chunk_inns)
            _comment(connection, copy, name, comment, columns)
            continue
        _compute(connection, REDUCED, name)
        hidden: list[str] | None = []
        if exclusion.affects_stored_tables():
            _compute(connection, FULL, name)
            hidden = _differing_columns(connection)
        if hidden is None:
            sentences.append(
                f"The mart {name} is not in the published copy: its rows depend on data that publish.exclude names."
            )
            continue
        published = _store_computed(connection, copy, name, set(hidden), exclusion.excluded_columns("mart", name))
        meanings = {column: EXCLUDED_NOTE if column in hidden else columns[column] for column in published}
        _comment(connection, copy, name, comment, meanings)
    return sentences


def _continue_mart(
    connection: duckdb.DuckDBPyConnection,
    source: str,
    copy: str,
    name: str,
    risk: StoredRisk | None,
    stored: StoredRows | None,
    commit_part: Callable[[], None],
    chunk_inns: int,
) -> bool:
    """Compute the rows again that may differ from the previous copy; False, without any change, if all may."""
    if mart_dependencies()[name] is Dependency.RUNS:
        if _has_null(connection, TOUCHED_RUNS):
            return False
        _compute_runs(connection, copy, name)
        return True
    inns = _changed_inns(connection, copy, name, risk, chunk_inns)
    if not inns:
        return False
    _move_columns(connection, copy, name, commit_part)
    if risk is not None and name in STORED_RISK_MARTS:
        _copy_risk(connection, source, copy, name, risk, inns, commit_part)
    else:
        _compute_rows(connection, _MartQueries(name, source, copy, has_news=stored is not None), inns, commit_part)
    return True


@dataclass(frozen=True, slots=True)
class _MartQueries:
    """The queries of a mart for a copy; `has_news`: the warehouse `source` has stored all news."""

    name: str
    source: str
    copy: str
    has_news: bool

    @property
    def complete_query(self) -> str:
        """The query for use in the copy, which has everything that a mart needs, and earlier marts as tables."""
        if self._is_stored:
            return query_of_stored_news(self._stored_news)
        return read_findings_from(queries_over_stored_marts()[self.name], self.source)

    @property
    def chunk_query(self) -> str:
        """The query for use in `SELECTION`."""
        if self._is_stored:
            return query_of_stored_news(f"(FROM {self._stored_news} SEMI JOIN {SELECTED_INNS} USING (inn))")
        return selected_query(self.name, self.copy)

    @property
    def _is_stored(self) -> bool:
        return self.has_news and self.name == "news"

    @property
    def _stored_news(self) -> str:
        return f"{identifier(self.source)}.{NEWS_TABLE}"


def _create_complete(
    connection: duckdb.DuckDBPyConnection,
    queries: _MartQueries,
    live: Mapping[str, str],
    commit_part: Callable[[], None],
    chunk_inns: int,
) -> None:
    """Create a mart of all INNs, in chunks of INNs if its rows depend on one INN each."""
    name, copy = queries.name, queries.copy
    connection.execute(f"USE {copy}")
    is_of_one_inn = mart_dependencies()[name].is_of_one_inn
    inns = divide_by_changes(connection, copy, name, ALL_INNS, chunk_inns) if is_of_one_inn else ALL_INNS
    if not is_of_one_inn or count_chunks(connection, inns) < 2:
        _create_table(connection, copy, name, queries.complete_query, live)
        return
    query = queries.chunk_query
    for position, _ in enumerate(select_chunks(connection, inns)):
        connection.execute(f"USE {SELECTION}")
        if position == 0:
            _create_table(connection, copy, name, query, live)
        else:
            _insert_rows(connection, copy, name, query)
        _commit_chunks(position, commit_part)
    connection.execute(f"USE {copy}")


def _commit_chunks(number: int, commit_part: Callable[[], None]) -> None:
    """Call `commit_part` after the chunk of this number, if it is one of some: until then their rows take memory."""
    if number % COMMITTED_CHUNKS == COMMITTED_CHUNKS - 1:
        commit_part()


def _changed_inns(
    connection: duckdb.DuckDBPyConnection, copy: str, name: str, risk: StoredRisk | None, chunk_inns: int
) -> str:
    """The table of the INNs whose rows of a mart may differ from the previous copy; empty if any row may.

    What the day does to the rows of an INN, it does to its stored risk too, or it is a live column.
    """
    dependency = mart_dependencies()[name]
    if dependency is Dependency.INN:
        return find_inns_of_mart(connection, copy, name, chunk_inns)
    if dependency is Dependency.INN_AND_ASSESSMENTS:
        if _has_null(connection, ASSESSED_INNS):
            return ""
        return find_inns_of_mart(connection, copy, name, chunk_inns, others=(ASSESSED_INNS,))
    if risk is not None and (dependency is Dependency.INN_AND_DAY or name in STORED_RISK_MARTS):
        return find_inns_of_mart(connection, copy, name, chunk_inns, others=(JUDGED_INNS,))
    return ""


def _compute_rows(
    connection: duckdb.DuckDBPyConnection, queries: _MartQueries, inns: str, commit_part: Callable[[], None]
) -> None:
    """Compute the rows of some INNs again."""
    if not count_chunks(connection, inns):
        return
    connection.execute(f"USE {queries.copy}")
    connection.execute(f"DELETE FROM mart.{identifier(queries.name)} WHERE inn IN (SELECT inn FROM {inns})")
    query = queries.chunk_query
    for position, _ in enumerate(select_chunks(connection, inns)):
        connection.execute(f"USE {SELECTION}")
        _insert_rows(connection, queries.copy, queries.name, query)
        _commit_chunks(position, commit_part)
    connection.execute(f"USE {queries.copy}")


def _has_null(connection: duckdb.DuckDBPyConnection, table: str) -> bool:
    """Whether a temporary table of INNs or runs says that it may be any of them."""
    query = f"SELECT 1 FROM (SELECT COLUMNS(*) AS value FROM {table}) WHERE value IS NULL LIMIT 1"
    return connection.execute(query).fetchone() is not None


def _compute_runs(connection: duckdb.DuckDBPyConnection, copy: str, name: str) -> None:
    """Compute the rows of the runs in `TOUCHED_RUNS` again."""
    connection.execute(f"USE {copy}")
    connection.execute(f"DELETE FROM mart.{identifier(name)} WHERE run_id IN (FROM {TOUCHED_RUNS})")
    connection.execute(f"USE {RUN_SELECTION}")
    _insert_rows(connection, copy, name, queries_over_stored_marts()[name])
    connection.execute(f"USE {copy}")


def _move_columns(connection: duckdb.DuckDBPyConnection, copy: str, name: str, commit_part: Callable[[], None]) -> None:
    """Set what responses without news change, as the mart declares it; of rows that are computed again, for nothing.

    In parts of some `MOVED_ROWS` rows: until they are committed, their old and new values are in memory.
    """
    moving = mart_moving_columns().get(name)
    if moving is None or not moving.columns:
        return
    connection.execute(f"USE {copy}")
    sizes = f"SELECT (SELECT count(*) FROM {QUIET_PAIRS}), (SELECT count(*) FROM mart.{identifier(name)})"
    pairs, rows = connection.execute(sizes).fetchall()[0]
    parts = 1 + rows // MOVED_ROWS if pairs else 0
    blocks = blocks_of_mart(name)
    cells = ", ".join(f"{column} = l.{column}" for column in moving.columns)
    # Rows have to be met in the order of the table: one at a time in each of its blocks takes thirty times as long.
    # The setting is one of the whole database: after an error the caller resets it.
    connection.execute("SET disabled_optimizers = 'join_order,build_side_probe_side'")
    for part in range(parts):
        quiet = f"SELECT * FROM {QUIET_PAIRS} WHERE number * {parts} // {pairs} = {part}"
        moved, same = _moved_rows(name, moving.keys, f"{quiet} AND block IN {blocks}" if blocks else quiet)
        connection.execute(f"UPDATE mart.{identifier(name)} m SET {cells} FROM ({moved}) l WHERE {same}")
        if rows > ROWS_PER_COMMIT:
            commit_part()
    connection.execute("RESET disabled_optimizers")


def _moved_rows(name: str, keys: tuple[str, ...], pairs: str) -> tuple[str, str]:
    """SQL of what responses without news say, and the condition under which a row `m` of a mart rests on a row `l`.

    `pairs`: SQL of rows of `QUIET_PAIRS`.
    """
    if keys == ("inn",):
        ages = "max(checked_at) AS checked_at, min(checked_at) AS oldest_checked_at, min(collected_at) AS collected_at"
        states = f"FROM requested_states SEMI JOIN ({pairs}) USING (inn)"
        return f"WITH {fill_states(requested_states())} SELECT inn, {ages} {states} GROUP BY inn", "l.inn = m.inn"
    if keys == ("left_source", "right_source"):
        # A source is named as block.field.
        times = (f"CASE WHEN c.{side}_value IS NOT NULL THEN {side}_block.checked_at END" for side in ("left", "right"))
        joins = " ".join(
            f"LEFT JOIN {LATEST_TABLE} {side}_block ON {side}_block.inn = c.inn "
            f"AND {side}_block.block = split_part(c.{side}_source, '.', 1)"
            for side in ("left", "right")
        )
        rows = f"FROM mart.{identifier(name)} c SEMI JOIN ({pairs}) q ON q.inn = c.inn {joins}"
        return f"SELECT c.rowid AS number, least({', '.join(times)}) AS checked_at {rows}", "l.number = m.rowid"
    # A signal that its block does not have for this kind of INN names the block, but has no evidence.
    same = " AND ".join((*(f"l.{key} = m.{key}" for key in keys), "m.checked_at IS NOT NULL"))
    return f"SELECT *, checked_at AS last_seen_at FROM ({pairs})", same


def _copy_risk(
    connection: duckdb.DuckDBPyConnection,
    source: str,
    copy: str,
    name: str,
    risk: StoredRisk,
    inns: str,
    commit_part: Callable[[], None],
) -> None:
    """Copy the stored risk of the INNs in the temporary table `inns`."""
    connection.execute(f"USE {identifier(source)}")
    table = f"{identifier(copy)}.mart.{identifier(name)}"
    connection.execute(f"DELETE FROM {table} WHERE inn IN (SELECT inn FROM {inns})")
    query = queries_of_stored_risk(_timestamp(risk.moment), SELECTED_INNS)[name]
    for position, _ in enumerate(select_chunks(connection, inns)):
        if position:
            # Until they are committed, 15,000 rows with their lists take 100 to 160 MB.
            commit_part()
        _insert_rows(connection, copy, name, query)
    if name == "risk_score":
        # The others are valid at this moment too.
        connection.execute(f"UPDATE {table} SET assessed_at = {_timestamp(risk.moment)}")


def _copy_links(connection: duckdb.DuckDBPyConnection, source: str, copy: str, stored: StoredRows) -> None:
    """Copy the stored links: those with an end whose links were stored since, or all."""
    connection.execute(f"USE {identifier(source)}")
    table, columns = f"{identifier(copy)}.mart.links", ", ".join(LINK_COLUMNS)
    is_later = f"load_no > {stored.load_no}"
    since = f"SELECT count(*), count(*) FILTER (inn IS NULL) FROM {ENDS_TABLE} WHERE {is_later}"
    ends, complete = connection.execute(since).fetchall()[0]
    if complete or not stored.load_no:
        connection.execute(f"CREATE OR REPLACE TABLE {table} AS SELECT {columns} FROM {LINKS_TABLE}")
    elif ends:
        of_ends = f"IN (SELECT inn FROM {ENDS_TABLE} WHERE {is_later})"
        condition = f"WHERE inn {of_ends} OR other_inn {of_ends}"
        connection.execute(f"DELETE FROM {table} {condition}")
        connection.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM {LINKS_TABLE} {condition}")


def _timestamp(moment: datetime) -> str:
    return f"TIMESTAMP {literal(moment.isoformat(' '))}"


def _insert_rows(connection: duckdb.DuckDBPyConnection, copy: str, name: str, query: str) -> None:
    live = ", ".join(map(identifier, live_columns(mart_comments()[name][1])))
    table = f"{identifier(copy)}.mart.{identifier(name)}"
    stored = f"* EXCLUDE ({live})" if live else "*"
    # By name: finding the columns of the query would take as long as planning it, half of the time for a few INNs.
    connection.execute(f"INSERT INTO {table} BY NAME SELECT {stored} FROM ({query})")


def attach_staging(connection: duckdb.DuckDBPyConnection, source: str, copy: str, exclusion: Exclusion) -> None:
    """Attach the in-memory databases in which marts are computed; to be used outside of a transaction.

    The caller detaches `STAGING` after closing the connection, which accepts no statement after a full disk.
    """
    if not exclusion:
        attach_selections(connection, copy)
        return
    _attach_views(connection, REDUCED, copy, exclusion)
    if exclusion.affects_stored_tables():
        _attach_views(connection, FULL, source, Exclusion())


def _attach_views(connection: duckdb.DuckDBPyConnection, staging: str, database: str, exclusion: Exclusion) -> None:
    """Views of all tables, `current` views and marts; excluded columns are NULL and excluded tables empty.

    The SQL of marts names schemas without a database: they are resolved in the database in use.
    """
    connection.execute(f"ATTACH ':memory:' AS {staging}")
    connection.execute(f"USE {staging}")
    for schema in SCHEMAS:
        connection.execute(f"CREATE SCHEMA {schema}")
    for (schema, name), (_, columns) in published_tables().items():
        is_empty = exclusion.excludes_table(schema, name)
        null = {column.name for column in columns} if is_empty else set(exclusion.excluded_columns(schema, name))
        cells = ", ".join(
            f"NULL::{column.sql} AS {identifier(column.name)}" if column.name in null else identifier(column.name)
            for column in columns
        )
        rows = "WHERE false" if is_empty else f"FROM {identifier(database)}.{schema}.{identifier(name)}"
        connection.execute(f"CREATE VIEW {schema}.{identifier(name)} AS SELECT {cells} {rows}")
    connection.execute("; ".join(create_latest_views()))
    views = (statement for table in tables().values() for statement in create_views(table))
    marts = (
        f"CREATE OR REPLACE VIEW mart.{identifier(name)} AS {query}"
        for name, query in queries_without_findings().items()
    )
    for statement in (*views, *marts):
        if statement.startswith("CREATE OR REPLACE VIEW"):
            connection.execute(statement)


def _compute(connection: duckdb.DuckDBPyConnection, staging: str, name: str) -> None:
    connection.execute(f"USE {staging}")
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {staging} AS SELECT * FROM mart.{identifier(name)}")


def _column_types(connection: duckdb.DuckDBPyConnection, query: str) -> dict[str, str]:
    return {row[0]: row[1] for row in connection.execute(f"DESCRIBE {query}").fetchall()}


def _differing_columns(connection: duckdb.DuckDBPyConnection) -> list[str] | None:
    """Columns whose values differ between the reduced and the complete mart; None if the rows differ."""
    names = list(_column_types(connection, f"FROM temp.{FULL}"))
    column_hashes = ", ".join(f"sum(hash({identifier(name)})::HUGEINT)" for name in names)

    def hashes(expressions: str) -> list[tuple[object, ...]]:
        return [
            tuple(connection.execute(f"SELECT count(*), {expressions} FROM temp.{table}").fetchall()[0])
            for table in (REDUCED, FULL)
        ]

    reduced, complete = hashes(column_hashes)
    if reduced[0] != complete[0]:
        return None
    differing = [name for name, a, b in zip(names, reduced[1:], complete[1:], strict=True) if a != b]
    same = [identifier(name) for name in names if name not in differing]
    if not same or len(set(hashes(f"sum(hash({', '.join(same)})::HUGEINT)"))) != 1:
        return None
    return differing


def _store_computed(
    connection: duckdb.DuckDBPyConnection, copy: str, name: str, hidden: set[str], excluded: list[str]
) -> list[str]:
    """Store the reduced mart as a table, hidden columns as NULL, without the excluded ones; returns its columns."""
    computed = _column_types(connection, f"FROM temp.{REDUCED}")
    types = {column: sql_type for column, sql_type in computed.items() if column not in excluded}
    cells = ", ".join(
        f"NULL::{sql_type} AS {identifier(column)}" if column in hidden else identifier(column)
        for column, sql_type in types.items()
    )
    query = f"SELECT {cells} FROM temp.{REDUCED}"
    _create_table(connection, copy, name, query, live_columns(types.keys() - hidden))
    return list(types)


def _create_table(
    connection: duckdb.DuckDBPyConnection, copy: str, name: str, query: str, live: Mapping[str, str]
) -> None:
    """Create a mart as a table with the rows of a query; the `live` columns are generated columns."""
    table = f"{identifier(copy)}.mart.{identifier(name)}"
    if not live:
        connection.execute(f"CREATE TABLE {table} AS {query}")
        return
    types = _column_types(connection, query)
    types |= {column: f"{types[column]} GENERATED ALWAYS AS ({sql}) VIRTUAL" for column, sql in live.items()}
    columns = ", ".join(f"{identifier(column)} {sql_type}" for column, sql_type in types.items())
    connection.execute(f"CREATE TABLE {table} ({columns})")
    names = ", ".join(identifier(column) for column in types if column not in live)
    connection.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM ({query})")


def _comment(
    connection: duckdb.DuckDBPyConnection, copy: str, name: str, comment: str, columns: dict[str, str]
) -> None:
    table = f"{identifier(copy)}.mart.{identifier(name)}"
    statements = [f"COMMENT ON TABLE {table} IS {literal(f'{comment} {COMPUTED_NOTE}')}"]
    statements += [
        f"COMMENT ON COLUMN {table}.{identifier(column)} IS {literal(meaning)}" for column, meaning in columns.items()
    ]
    connection.execute(";\n".join(statements))
