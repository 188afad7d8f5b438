"""Compute marts from the rows of some INNs only: in bounded memory, and only for INNs of which something changed.

A mart declares in its SQL file what its rows of an INN depend on (`mart_dependencies`). If that is the INN, or the INN
and the day, its SQL gives the same rows on tables that have only the rows of that INN. So it runs, unchanged, on views
of the copy's tables that are restricted to a set of INNs.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache

import duckdb

from innspect.schemas.tables import tables
from innspect.warehouse.ddl import LATEST, SCHEMAS, UNANSWERED, create_views, identifier, literal, published_tables
from innspect.warehouse.latest import LATEST_TABLE, unanswered_calls
from innspect.warehouse.marts.registry import (
    STORED_MARTS,
    USED_TABLE,
    Dependency,
    MovingColumns,
    mart_blocks,
    mart_dependencies,
    queries_over_stored_marts,
)
from innspect.warehouse.publish.delta import NEW_SNAPSHOTS, QUIET_PAIRS, RENAMED_INNS, TOUCHED_RUNS
from innspect.warehouse.risk.stored_risk import SCORES_TABLE

SELECTION, RUN_SELECTION = "publish_selection", "publish_run_selection"
"""In-memory databases of views: the tables of the copy, of the INNs in `INNS`, and of the runs in `TOUCHED_RUNS`."""
FEW_SELECTION = "publish_few_selection"
"""Like `SELECTION`, of INNs that are computed at once: what several marts read is read of temporary tables."""
FULL_SELECTION = "publish_full_selection"
"""The same of the warehouse's tables, of the INNs in `INNS`, for marts that may depend on what the copy lacks."""
INNS = "publish_inns"
SELECTED_INNS = f"temp.{INNS}"
ALL_INNS, TOUCHED_INNS, JUDGED_INNS = "publish_all_inns", "publish_touched_inns", "publish_judged_inns"
"""Temporary tables of INNs and the chunk that each is computed in: all of the copy; those with changed rows; those
whose stored risk was computed again."""
INNS_OF_MART = "publish_mart_inns"
"""The same for one mart."""
TOUCHED_BLOCKS = "publish_touched_blocks"
"""Temporary table of INNs and their blocks with changed rows; without a block where rows of any mart may differ.
`is_quiet`: only by responses without news."""
CALLS_BEFORE, MEMBERS_BEFORE = "publish_calls_before", "publish_members_before"
MIN_CHUNK_INNS, MAX_CHUNK_INNS = 5_000, 10_000
MAX_CHUNKS = 20
"""Chunks of very many INNs are larger, because each of them reads the tables of all."""
CHUNK_BLOCKS = 125_000
"""INNs, and their blocks, whose rows of a mart are computed at once: memory grows with them."""
CHUNK_CHANGES = 25_000
"""Changes whose rows of a mart are computed at once."""
DIVIDED_INNS = "publish_divided_inns"
"""Temporary table of the INNs of a mart, in other chunks."""
MOVED_SHARE, MOVING_INNS = 300, 20_000
"""Of this many INNs or more, times are set in marts only if more than one in `MOVED_SHARE` has responses without news.

Setting them writes blocks of all INNs again; computing all rows of few INNs takes less.
"""
COMMON_USES = 3
"""Marts that read a table, from which on its rows of few INNs are copied once instead of found by each mart."""


def attach_selections(
    connection: duckdb.DuckDBPyConnection, rows: str, source: str, affected_marts: Collection[str]
) -> None:
    """Attach `SELECTION`, restricted to the INNs of the temporary table `INNS`, and the other databases of views.

    `rows`: the database with what is published. To be used outside of a transaction. The caller detaches them.
    """
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {INNS} (inn VARCHAR)")
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {TOUCHED_RUNS.removeprefix('temp.')} (run_id VARCHAR)")
    of_inns = {name for name, dependency in mart_dependencies().items() if dependency.is_of_one_inn}
    of_runs = {name for name, dependency in mart_dependencies().items() if dependency is Dependency.RUNS}
    copied = {(schema, name): _copied_table(name) for schema, name in _common_tables()}
    for (schema, name), table in copied.items():
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {table} AS FROM {_table(rows, schema, name)} LIMIT 0")
    for selection, database, marts, key, table, tables_of_few in (
        (SELECTION, rows, of_inns, "inn", SELECTED_INNS, {}),
        (FEW_SELECTION, rows, of_inns, "inn", SELECTED_INNS, copied),
        (RUN_SELECTION, rows, of_runs, "run_id", TOUCHED_RUNS, {}),
        (FULL_SELECTION, identifier(source), of_inns.intersection(affected_marts), "inn", SELECTED_INNS, {}),
    ):
        connection.execute(f"ATTACH ':memory:' AS {selection}")
        connection.execute(f"USE {selection}")
        for schema in SCHEMAS:
            connection.execute(f"CREATE SCHEMA {schema}")
        connection.execute(";\n".join(_create_selected_views(database, marts, key, table, tables_of_few)))


def _used_tables(marts: Collection[str]) -> Iterator[tuple[str, str]]:
    """Schema and name of the tables that each of these marts reads, once for each mart; views of `current` too."""
    for name in marts:
        used = set(USED_TABLE.findall(queries_over_stored_marts()[name]))
        yield from used | {("core", table) for schema, table in used if schema == "current"} | {("lineage", LATEST)}


def _create_selected_views(
    rows: str, marts: Collection[str], key: str, selected: str, copied: Mapping[tuple[str, str], str]
) -> Iterator[str]:
    """The views that these marts use: of a table with the column `key` the rows whose key is in `selected`.

    `copied`: the temporary tables that have the rows of tables.
    """
    used = {("lineage", LATEST), *_used_tables(marts)}
    columns = _columns()
    for schema, name in sorted(used):
        if schema == "current":
            continue
        restriction = f" SEMI JOIN {selected} USING ({key})" if key in columns[schema, name] else ""
        table = copied.get((schema, name), _table(rows, schema, name))
        yield f"CREATE VIEW {schema}.{identifier(name)} AS FROM {table}{restriction}"
    for name in sorted(name for schema, name in used if schema == "current"):
        yield next(iter(create_views(tables()[name])))


def _table(rows: str, schema: str, name: str) -> str:
    return f"{rows}.{schema}.{identifier(name)}"


def _copied_table(name: str) -> str:
    return f"temp.publish_few_{name}"


def _columns() -> dict[tuple[str, str], set[str]]:
    """The names of the columns of each table that marts may read."""
    columns = {key: {column.name for column in specs} for key, (_, specs) in published_tables().items()}
    return columns | {("lineage", name): {"inn"} for name in (LATEST, UNANSWERED)}


@cache
def _common_tables() -> tuple[tuple[str, str], ...]:
    """Schema and name of the tables with a column `inn` that `COMMON_USES` marts of single INNs or more read."""
    marts = [name for name, dependency in mart_dependencies().items() if dependency.is_of_one_inn]
    uses, columns = Counter(_used_tables(marts)), _columns()
    common = (key for key, count in uses.items() if key[0] != "current" and count >= COMMON_USES)
    return tuple(sorted(key for key in common if "inn" in columns[key]))


def copy_few_rows(connection: duckdb.DuckDBPyConnection, rows: str, inns: Sequence[str], chunk_inns: int) -> bool:
    """Copy what several marts read of the INNs of some temporary tables, for use in `FEW_SELECTION`.

    False, and nothing is copied, if they are more than are computed at once. `rows`: the database with what is
    published.
    """
    found = " UNION ".join(f"SELECT inn FROM {table}" for table in inns)
    connection.execute(f"DELETE FROM {INNS}")
    connection.execute(f"INSERT INTO {INNS} SELECT inn FROM ({found}) WHERE inn IS NOT NULL LIMIT {chunk_inns + 1}")
    if connection.execute(f"SELECT count(*) FROM {INNS}").fetchall()[0][0] > chunk_inns:
        return False
    for schema, name in _common_tables():
        of_inns = f"FROM {_table(rows, schema, name)} SEMI JOIN {SELECTED_INNS} USING (inn)"
        connection.execute(f"DELETE FROM {_copied_table(name)}")
        connection.execute(f"INSERT INTO {_copied_table(name)} {of_inns}")
    return True


def remember_rows_before(connection: duckdb.DuckDBPyConnection) -> None:
    """Keep what marts of single INNs read from rows that are replaced, in the database in use."""
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {CALLS_BEFORE} AS {unanswered_calls()}")
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {MEMBERS_BEFORE} AS {_members()}")


def choose_chunk_inns(connection: duckdb.DuckDBPyConnection) -> int:
    """How many INNs of the copy in use to compute at once: each chunk reads all tables, and few blocks need little."""
    query = f"SELECT count(*), approx_count_distinct(inn) FROM {LATEST_TABLE}"
    blocks, inns = connection.execute(query).fetchall()[0]
    largest = max(MAX_CHUNK_INNS, inns // MAX_CHUNKS)
    return max(MIN_CHUNK_INNS, min(largest, CHUNK_BLOCKS * inns // max(1, blocks)))


def find_inns(connection: duckdb.DuckDBPyConnection, chunk_inns: int, *, is_first: bool) -> None:
    """Fill `ALL_INNS`, and `TOUCHED_INNS` and `TOUCHED_BLOCKS` with what changed since `remember_rows_before`.

    Both are found in the database in use, which has what is published.
    """
    known = (
        f"SELECT inn FROM {LATEST_TABLE} UNION SELECT inn FROM lineage.portfolio_members "
        "UNION SELECT inn FROM lineage.calls"
    )
    _create_chunks(connection, ALL_INNS, known, chunk_inns)
    if is_first:
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {TOUCHED_INNS} AS FROM {ALL_INNS}")
        return
    connection.execute(
        f"DELETE FROM {QUIET_PAIRS} WHERE (SELECT count(*) FROM {ALL_INNS}) "
        f">= greatest({MOVING_INNS}, (SELECT count(DISTINCT inn) FROM {QUIET_PAIRS}) * {MOVED_SHARE})"
    )
    calls, members = (
        f"SELECT inn, {block} FROM (({before} EXCEPT {now}) UNION ALL ({now} EXCEPT {before}))"
        for block, before, now in (
            ("block", f"FROM {CALLS_BEFORE}", f"FROM ({unanswered_calls()})"),
            ("NULL", f"FROM {MEMBERS_BEFORE}", f"FROM ({_members()})"),
        )
    )
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {TOUCHED_BLOCKS} AS SELECT inn, block, bool_and(is_quiet) AS is_quiet FROM ("
        f"SELECT inn, block, (inn, block) IN (SELECT (inn, block) FROM {QUIET_PAIRS}) AS is_quiet FROM {NEW_SNAPSHOTS} "
        f"UNION ALL SELECT *, false FROM ({calls} UNION ALL {members} UNION ALL SELECT inn, NULL FROM {RENAMED_INNS})) "
        "GROUP BY inn, block"
    )
    _create_chunks(connection, TOUCHED_INNS, f"SELECT inn FROM {TOUCHED_BLOCKS}", chunk_inns)


def find_inns_of_mart(
    connection: duckdb.DuckDBPyConnection,
    rows: str,
    name: str,
    chunk_inns: int,
    moving: MovingColumns | None,
    *,
    others: Sequence[str] = (),
) -> str:
    """The table of the INNs whose rows of a mart have to be computed again, after `find_inns`.

    They are those with changed rows, of the blocks that the mart reads, and those of the tables `others`. `moving`: the
    columns that alone differ after a response without news, and are moved. `rows`: the database with what is published.
    """
    conditions, blocks = list[str](), blocks_of_mart(name)
    if moving is not None:
        together = f" OR inn NOT IN ({_moved_together(rows, blocks)})" if moving.are_together else ""
        conditions.append(f"(NOT is_quiet{together})")
    if blocks:
        conditions.append(f"(block IS NULL OR block IN {blocks})")
    inns = f"SELECT inn FROM {TOUCHED_BLOCKS} WHERE {' AND '.join(conditions) or 'true'}"
    inns += "".join(f" UNION SELECT inn FROM {other}" for other in others)
    _create_chunks(connection, INNS_OF_MART, inns, chunk_inns)
    return divide_by_changes(connection, rows, name, INNS_OF_MART, chunk_inns)


def blocks_of_mart(name: str) -> str:
    """An SQL list of the blocks that decide the rows of a mart; empty if any may."""
    blocks = mart_blocks().get(name)
    return f"({', '.join(map(literal, sorted(blocks)))})" if blocks else ""


def _moved_together(rows: str, blocks: str) -> str:
    """SQL of the INNs whose known blocks of these were requested at one time, and without news at one time again."""
    return (
        f"SELECT l.inn FROM {rows}.{LATEST_TABLE} l LEFT JOIN {QUIET_PAIRS} q ON q.inn = l.inn AND q.block = l.block "
        f"WHERE l.block IN {blocks} AND l.version_id IS NOT NULL GROUP BY l.inn HAVING count(*) = count(q.inn) "
        "AND min(q.asked_before) = max(q.asked_before) AND min(l.checked_at) = max(l.checked_at)"
    )


def find_judged_inns(connection: duckdb.DuckDBPyConnection, source: str, load_no: int, chunk_inns: int) -> None:
    """Fill `JUDGED_INNS`: transactions of the database `source` after this number judged them."""
    judged = f"SELECT inn FROM {identifier(source)}.{SCORES_TABLE} WHERE load_no > {load_no}"
    _create_chunks(connection, JUDGED_INNS, judged, chunk_inns)


def select_chunks(connection: duckdb.DuckDBPyConnection, inns: str) -> Iterator[int]:
    """Restrict `SELECTION` to each chunk of one of the tables of INNs in turn; numbers of the chunks, from 0."""
    for (number,) in connection.execute(f"SELECT DISTINCT chunk FROM {inns} ORDER BY chunk").fetchall():
        connection.execute(f"DELETE FROM {INNS}")
        connection.execute(f"INSERT INTO {INNS} SELECT inn FROM {inns} WHERE chunk = {number}")
        yield int(number)


def count_chunks(connection: duckdb.DuckDBPyConnection, inns: str) -> int:
    """The number of chunks of one of the tables of INNs."""
    return int(connection.execute(f"SELECT count(DISTINCT chunk) FROM {inns}").fetchall()[0][0])


def selected_query(name: str, rows: str) -> str:
    """The query of a mart of single INNs, for use in a selection; `rows`: the database with marts that it builds on."""
    query = queries_over_stored_marts()[name]
    for stored in STORED_MARTS.values():
        # Only these INNs: rows of all of them, with their lists, may be more than the memory of a join.
        query = query.replace(f"FROM mart.{stored}", f"FROM {rows}.mart.{stored} SEMI JOIN {SELECTED_INNS} USING (inn)")
    return query


def _create_chunks(connection: duckdb.DuckDBPyConnection, table: str, inns: str, chunk_inns: int) -> None:
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT inn, (row_number() OVER (ORDER BY inn) - 1) // {chunk_inns} "
        f"AS chunk FROM (SELECT DISTINCT inn FROM ({inns}))"
    )


def divide_by_changes(connection: duckdb.DuckDBPyConnection, rows: str, name: str, inns: str, chunk_inns: int) -> str:
    """The table of INNs of a mart whose rows are those of changes, in chunks of at most some `CHUNK_CHANGES`.

    An INN has from none to thousands of changes. For other marts the table `inns` as it is.
    """
    if "lineage.changes" not in queries_over_stored_marts()[name]:
        return inns
    share = f"coalesce(c.changes, 0) * {chunk_inns} / {CHUNK_CHANGES}"
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {DIVIDED_INNS} AS SELECT i.inn, floor((sum(1 + {share}) "
        f"OVER (ORDER BY i.inn ROWS UNBOUNDED PRECEDING) - 1) / {chunk_inns})::BIGINT AS chunk FROM {inns} i "
        f"LEFT JOIN (SELECT inn, count(*) AS changes FROM {rows}.lineage.changes GROUP BY inn) c ON c.inn = i.inn"
    )
    return DIVIDED_INNS


def _members() -> str:
    """Portfolio members; of the times when an INN was last seen there, only what was given last decides something."""
    given = (f"arg_max({cell}, last_seen_at) OVER (PARTITION BY inn) AS latest_{cell}" for cell in ("name", "extra"))
    return f"SELECT * EXCLUDE (last_seen_at), {', '.join(given)} FROM lineage.portfolio_members"
