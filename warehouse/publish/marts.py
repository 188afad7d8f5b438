"""Marts of the published copy: tables, computed only from what is published."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

import duckdb

from innspect.schemas.tables import tables
from innspect.warehouse.ddl import LATEST, SCHEMAS, UNANSWERED, create_views, identifier, literal, published_tables
from innspect.warehouse.latest import LATEST_TABLE
from innspect.warehouse.links.links_sql import LINK_COLUMNS
from innspect.warehouse.links.stored_links import ENDS_TABLE, LINKS_TABLE
from innspect.warehouse.marts.fragments import fill_states, requested_states, years_since_registration
from innspect.warehouse.marts.registry import (
    STORED_MARTS,
    STORED_RISK_MARTS,
    Dependency,
    MovingColumns,
    mart_comments,
    mart_dependencies,
    mart_moving_columns,
    queries_of_stored_risk,
    queries_over_stored_marts,
    query_of_stored_news,
)
from innspect.warehouse.news.stored_news import NEWS_TABLE
from innspect.warehouse.publish.delta import ASSESSED_INNS, QUIET_PAIRS, ROWS_PER_COMMIT, TOUCHED_RUNS
from innspect.warehouse.publish.exclude import Exclusion, find_affected_marts, find_left_out, find_unfollowed
from innspect.warehouse.publish.inn_marts import (
    ALL_INNS,
    FEW_SELECTION,
    FULL_SELECTION,
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

PUBLIC = "publish_public"
"""In-memory database of views of what is published, with all tables and columns that the SQL of marts names."""
STAGING = (SELECTION, FEW_SELECTION, RUN_SELECTION, FULL_SELECTION, PUBLIC)
"""All databases that `attach_staging` may attach; those of selections use the last."""
PUBLIC_ROWS, FULL_ROWS = "publish_public_rows", "publish_full_rows"
"""Temporary tables: rows of a mart of some INNs, computed from what is published and from the whole warehouse."""
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


SIDES = ("left", "right")
"""The two sources that a row of `mart.cross_checks` compares."""
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
    write_mart: Callable[[Callable[[], bool]], bool],
    new_marts: Collection[str],
    *,
    chunk_inns: int,
    are_few: bool,
) -> list[str]:
    """Bring every mart up to date as a table, inside the caller's transaction; returns sentences about those left out.

    Stored risk, links and news are read from `source`; without stored risk, what rules find in versions. `new_marts`:
    those that the copy lacks, or that were computed in another way: they get all rows, and marts that are no longer
    declared are dropped. `chunk_inns`: INNs that are computed at once. `are_few`: see `copy_few_rows`. If the
    copy has more INNs than are computed at once, `commit_part` is called before each mart and between many chunks of
    one, and `write_mart` calls the function that writes one, which may be called again after a rollback.
    """
    writer = _MartWriter(connection, source, copy, exclusion, risk, stored, commit_part, chunk_inns, are_few)
    sentences: list[str] = []
    touched_chunks = count_chunks(connection, TOUCHED_INNS)
    all_chunks = count_chunks(connection, ALL_INNS)
    writer.drop_undeclared()
    for name in mart_comments():
        if exclusion.excludes_table("mart", name):
            continue
        is_first = name in new_marts
        is_written = not writer.is_left_out(name, is_first=is_first)
        if is_written:
            is_stored = stored is not None and name == "links"
            is_across_inns = mart_dependencies()[name] is Dependency.INNS and not is_stored
            if is_across_inns and not is_first and not touched_chunks:
                continue
            # Until they are committed, rows that were added or deleted take memory.
            if all_chunks > 1:
                commit_part()
            write = partial(writer.write, name, is_first=is_first)
            is_written = write_mart(write) if all_chunks > 1 else write()
        if not is_written:
            connection.execute(f"DROP TABLE IF EXISTS {identifier(copy)}.mart.{identifier(name)}")
            sentences.append(
                f"The mart {name} is not in the published copy: its rows depend on data that publish.exclude names."
            )
    return sentences


@dataclass(frozen=True, slots=True)
class _MartWriter:
    """Writes the marts of a copy."""

    connection: duckdb.DuckDBPyConnection
    source: str
    copy: str
    exclusion: Exclusion
    risk: StoredRisk | None
    stored: StoredRows | None
    commit_part: Callable[[], None]
    chunk_inns: int
    are_few: bool
    hidden_before: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """The columns that are NULL because they depend on excluded data, of each affected mart that is in the copy."""
    hidden: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """The same of the marts that were written."""

    def __post_init__(self) -> None:
        affected = find_affected_marts(self.exclusion)
        if not affected:
            return
        rows = self.connection.execute(
            "SELECT table_name, list(column_name) FILTER (comment = $note) FROM duckdb_columns() "
            "WHERE database_name = $copy AND schema_name = 'mart' GROUP BY table_name",
            {"note": EXCLUDED_NOTE, "copy": self.copy},
        ).fetchall()
        self.hidden_before.update({name: set(columns or ()) for name, columns in rows if name in affected})

    @property
    def _rows(self) -> str:
        """The database with all tables and columns that marts read, as far as they are published."""
        return PUBLIC if self.exclusion else self.copy

    def drop_undeclared(self) -> None:
        """Drop the tables of marts that this software does not have."""
        query = "SELECT table_name FROM duckdb_tables() WHERE database_name = $copy AND schema_name = 'mart'"
        for (name,) in self.connection.execute(query, {"copy": self.copy}).fetchall():
            if name not in mart_comments():
                self.connection.execute(f"DROP TABLE {self._table(name)}")

    def is_left_out(self, name: str, *, is_first: bool) -> bool:
        """Whether an affected mart is left out: what it lacks once, it lacks until the copy is built from nothing."""
        if name in find_left_out(self.exclusion):
            return True
        return not is_first and self._is_affected(name) and name not in self.hidden_before

    def write(self, name: str, *, is_first: bool) -> bool:
        """Bring a mart up to date; False, and it is unusable, if its rows depend on excluded data.

        `is_first`: it gets all rows, whatever the copy has of it.
        After an error it can be called again, once the transaction is rolled back, whatever was committed meanwhile.
        """
        if self.stored is not None and name == "links":
            self._copy_links(StoredRows(0) if is_first else self.stored)
            self._comment(name)
            return True
        self.hidden[name] = set() if is_first else set(self.hidden_before.get(name, ()))
        is_written = None if is_first else self._continue(name)
        if is_written is not None:
            return is_written
        self.connection.execute(f"DROP TABLE IF EXISTS {self._table(name)}")
        return self._create(name)

    def _is_affected(self, name: str) -> bool:
        return name in find_affected_marts(self.exclusion)

    def _table(self, name: str) -> str:
        return f"{identifier(self.copy)}.mart.{identifier(name)}"

    def _columns(self, name: str) -> list[str]:
        """The columns of a mart that are in the copy, live ones too."""
        excluded = self.exclusion.excluded_columns("mart", name)
        return [column for column in mart_comments()[name][1] if column not in excluded]

    def _moving(self, name: str) -> MovingColumns | None:
        """The columns that are moved after responses without news; None if the copy lacks one that this needs."""
        moving = mart_moving_columns().get(name)
        there = set(self._columns(name)) - self.hidden[name]
        return moving if moving is not None and there.issuperset((*moving.columns, *moving.keys)) else None

    def _create(self, name: str) -> bool:
        """Create a mart with all rows; see `write`."""
        connection = self.connection
        if self.risk is not None and name in STORED_RISK_MARTS:
            connection.execute(f"USE {identifier(self.source)}")
            self._create_table(name, queries_of_stored_risk(_timestamp(self.risk.moment))[name])
            self._comment(name)
            return True
        is_of_one_inn = mart_dependencies()[name].is_of_one_inn
        inns = divide_by_changes(connection, self._rows, name, ALL_INNS, self.chunk_inns) if is_of_one_inn else ALL_INNS
        connection.execute(f"USE {self._rows}")
        if not is_of_one_inn or (count_chunks(connection, inns) < 2 and not self._is_affected(name)):
            self._create_table(name, self._complete_query(name))
            self._comment(name)
            return True
        # In chunks of INNs, if rows depend on one INN each.
        connection.execute(f"USE {SELECTION}")
        self._create_table(name, f"{self._chunk_query(name)} LIMIT 0")
        self._comment(name)
        return self._insert_chunks(name, inns, SELECTION)

    def _continue(self, name: str) -> bool | None:
        """Compute the rows again that may differ from the previous copy; see `write`.

        None, without any change, if all may.
        """
        if mart_dependencies()[name] is Dependency.RUNS:
            return self._compute_runs(name)
        if name in find_unfollowed(self.exclusion) or "inn" not in self._columns(name):
            return None
        inns = self._changed_inns(name)
        if not inns:
            return None
        self._move_columns(name)
        if self.risk is not None and name in STORED_RISK_MARTS:
            self._copy_risk(name, self.risk, inns)
            return True
        if count_chunks(self.connection, inns):
            self.connection.execute(f"DELETE FROM {self._table(name)} WHERE inn IN (SELECT inn FROM {inns})")
        return self._insert_chunks(name, inns, FEW_SELECTION if self.are_few else SELECTION)

    def _changed_inns(self, name: str) -> str:
        """The table of the INNs whose rows of a mart may differ from the previous copy; empty if any row may.

        What the day does to the rows of an INN, it does to its stored risk too, or it is a live column.
        """
        dependency, others = mart_dependencies()[name], tuple[str, ...]()
        if dependency is Dependency.INN_AND_ASSESSMENTS:
            if self._has_null(ASSESSED_INNS):
                return ""
            others = (ASSESSED_INNS,)
        elif self.risk is not None and (dependency is Dependency.INN_AND_DAY or name in STORED_RISK_MARTS):
            others = (JUDGED_INNS,)
        elif dependency is not Dependency.INN:
            return ""
        return find_inns_of_mart(self.connection, self._rows, name, self.chunk_inns, self._moving(name), others=others)

    def _has_null(self, table: str) -> bool:
        """Whether a temporary table of INNs or runs says that it may be any of them."""
        query = f"SELECT 1 FROM (SELECT COLUMNS(*) AS value FROM {table}) WHERE value IS NULL LIMIT 1"
        return self.connection.execute(query).fetchone() is not None

    def _complete_query(self, name: str) -> str:
        """The query of all rows for use in the database with what is published."""
        if self._is_stored_news(name):
            return query_of_stored_news(self._stored_news)
        return read_findings_from(queries_over_stored_marts()[name], self.source)

    def _chunk_query(self, name: str) -> str:
        """The query for use in `SELECTION` or `FEW_SELECTION`."""
        if self._is_stored_news(name) and not self._is_affected(name):
            return self._selected_news
        return selected_query(name, self._rows)

    def _full_query(self, name: str) -> str:
        """The query for use in `FULL_SELECTION`."""
        return self._selected_news if self._is_stored_news(name) else selected_query(name, identifier(self.source))

    def _is_stored_news(self, name: str) -> bool:
        return self.stored is not None and name == "news"

    @property
    def _stored_news(self) -> str:
        return f"{identifier(self.source)}.{NEWS_TABLE}"

    @property
    def _selected_news(self) -> str:
        return query_of_stored_news(f"(FROM {self._stored_news} SEMI JOIN {SELECTED_INNS} USING (inn))")

    def _create_table(self, name: str, query: str) -> None:
        """Create a mart with the rows of a query; live columns are generated columns."""
        columns = self._columns(name)
        live = live_columns(columns)
        cells = ", ".join(identifier(column) for column in columns if column not in live)
        if not live:
            self.connection.execute(f"CREATE TABLE {self._table(name)} AS SELECT {cells} FROM ({query})")
            return
        described = self.connection.execute(f"DESCRIBE {query}").fetchall()
        types = {row[0]: str(row[1]) for row in described if row[0] in columns}
        types |= {column: f"{types[column]} GENERATED ALWAYS AS ({sql}) VIRTUAL" for column, sql in live.items()}
        specs = ", ".join(f"{identifier(column)} {sql_type}" for column, sql_type in types.items())
        self.connection.execute(f"CREATE TABLE {self._table(name)} ({specs})")
        self.connection.execute(f"INSERT INTO {self._table(name)} BY NAME SELECT {cells} FROM ({query})")

    def _insert_chunks(self, name: str, inns: str, selection: str) -> bool:
        """Insert the rows of the INNs in a temporary table, chunk by chunk; see `write`.

        `selection`: the database in which their rows are computed.
        """
        query = self._chunk_query(name)
        for number, _ in enumerate(select_chunks(self.connection, inns)):
            self.connection.execute(f"USE {selection}")
            if not self._is_affected(name):
                self._insert(name, query)
            elif not self._compare_and_insert(name, query):
                return False
            if number % COMMITTED_CHUNKS == COMMITTED_CHUNKS - 1:
                # Until then their rows take memory.
                self.commit_part()
        return True

    def _insert(self, name: str, query: str) -> None:
        """Insert the rows of a query; of an affected mart without the values of hidden columns."""
        excluded = self.exclusion.excluded_columns("mart", name)
        absent = ", ".join(map(identifier, (*live_columns(self._columns(name)), *excluded)))
        nulls = ", ".join(f"NULL AS {identifier(n)}" for n in sorted(self.hidden[name] - self._live(name)))
        stored = f"*{f' EXCLUDE ({absent})' if absent else ''}{f' REPLACE ({nulls})' if nulls else ''}"
        # By name: finding the columns of the query would take as long as planning it, half of the time for a few INNs.
        self.connection.execute(f"INSERT INTO {self._table(name)} BY NAME SELECT {stored} FROM ({query})")

    def _live(self, name: str) -> set[str]:
        return set(live_columns(self._columns(name)))

    def _compare_and_insert(self, name: str, query: str) -> bool:
        """Insert the rows of `SELECTED_INNS`, and hide columns that differ from those of the whole warehouse.

        False if rows differ.
        """
        connection = self.connection
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {PUBLIC_ROWS} AS {query}")
        connection.execute(f"USE {FULL_SELECTION}")
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {FULL_ROWS} AS {self._full_query(name)}")
        differing = _differing_columns(connection)
        if differing is None or "inn" in differing:
            return False
        new = {*differing}.intersection(self._columns(name)) - self.hidden[name]
        if new:
            self.hidden[name] |= new
            if cells := ", ".join(f"{identifier(column)} = NULL" for column in sorted(new - self._live(name))):
                connection.execute(f"UPDATE {self._table(name)} SET {cells}")
            self._comment(name)
        self._insert(name, f"FROM temp.{PUBLIC_ROWS}")
        return True

    def _compute_runs(self, name: str) -> bool | None:
        """Compute the rows of the runs in `TOUCHED_RUNS` again; None if that may be any run."""
        if self._has_null(TOUCHED_RUNS) or "run_id" not in self._columns(name):
            return None
        self.connection.execute(f"DELETE FROM {self._table(name)} WHERE run_id IN (FROM {TOUCHED_RUNS})")
        self.connection.execute(f"USE {RUN_SELECTION}")
        self._insert(name, queries_over_stored_marts()[name])
        return True

    def _move_columns(self, name: str) -> None:
        """Set what responses without news change, as the mart declares it; in vain for rows that are computed again.

        In parts of some `MOVED_ROWS` rows: until they are committed, their old and new values are in memory.
        """
        moving, connection, table = self._moving(name), self.connection, self._table(name)
        if moving is None or not moving.columns:
            return
        connection.execute(f"USE {self._rows}")
        counts = (f"{QUIET_PAIRS}", f"(SELECT DISTINCT inn FROM {QUIET_PAIRS})", ALL_INNS, table)
        sizes = f"SELECT {', '.join(f'(SELECT count(*) FROM {counted})' for counted in counts)}"
        pairs, quiet_inns, all_inns, rows = connection.execute(sizes).fetchall()[0]
        moved_rows = rows * quiet_inns // max(1, all_inns)
        parts = 1 + moved_rows // MOVED_ROWS if pairs else 0
        blocks = blocks_of_mart(name)
        cells = ", ".join(f"{column} = l.{column}" for column in moving.columns)
        # Rows have to be met in the order of the table: one at a time in each of its blocks takes thirty times as long.
        # The setting is one of the whole database: after an error the caller resets it.
        connection.execute("SET disabled_optimizers = 'join_order,build_side_probe_side'")
        for part in range(parts):
            quiet = f"SELECT * FROM {QUIET_PAIRS} WHERE number * {parts} // {pairs} = {part}"
            moved, same = _moved_rows(table, moving.keys, f"{quiet} AND block IN {blocks}" if blocks else quiet)
            connection.execute(f"UPDATE {table} m SET {cells} FROM ({moved}) l WHERE {same}")
            if moved_rows > ROWS_PER_COMMIT:
                self.commit_part()
        connection.execute("RESET disabled_optimizers")

    def _copy_risk(self, name: str, risk: StoredRisk, inns: str) -> None:
        """Copy the stored risk of the INNs in the temporary table `inns`."""
        connection, table = self.connection, self._table(name)
        connection.execute(f"USE {identifier(self.source)}")
        connection.execute(f"DELETE FROM {table} WHERE inn IN (SELECT inn FROM {inns})")
        query = queries_of_stored_risk(_timestamp(risk.moment), SELECTED_INNS)[name]
        for position, _ in enumerate(select_chunks(connection, inns)):
            if position:
                # Until they are committed, 15,000 rows with their lists take 100 to 160 MB.
                self.commit_part()
            self._insert(name, query)
        if name == "risk_score" and "assessed_at" in self._columns(name):
            # The others are valid at this moment too.
            connection.execute(f"UPDATE {table} SET assessed_at = {_timestamp(risk.moment)}")

    def _copy_links(self, stored: StoredRows) -> None:
        """Copy the stored links: those with an end whose links were stored since, or all."""
        self.connection.execute(f"USE {identifier(self.source)}")
        table = self._table("links")
        published = [column for column in LINK_COLUMNS if column in self._columns("links")]
        columns = ", ".join(published)
        is_later = f"load_no > {stored.load_no}"
        since = f"SELECT count(*), count(*) FILTER (inn IS NULL) FROM {ENDS_TABLE} WHERE {is_later}"
        ends, complete = self.connection.execute(since).fetchall()[0]
        if complete or not stored.load_no or not {"inn", "other_inn"} <= set(published):
            self.connection.execute(f"CREATE OR REPLACE TABLE {table} AS SELECT {columns} FROM {LINKS_TABLE}")
        elif ends:
            of_ends = f"IN (SELECT inn FROM {ENDS_TABLE} WHERE {is_later})"
            condition = f"WHERE inn {of_ends} OR other_inn {of_ends}"
            self.connection.execute(f"DELETE FROM {table} {condition}")
            self.connection.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM {LINKS_TABLE} {condition}")

    def _comment(self, name: str) -> None:
        comment, columns = mart_comments()[name]
        table, hidden = self._table(name), self.hidden.get(name, set())
        statements = [f"COMMENT ON TABLE {table} IS {literal(f'{comment} {COMPUTED_NOTE}')}"]
        for column in self._columns(name):
            meaning = EXCLUDED_NOTE if column in hidden else columns[column]
            statements.append(f"COMMENT ON COLUMN {table}.{identifier(column)} IS {literal(meaning)}")
        self.connection.execute(";\n".join(statements))


def _moved_rows(table: str, keys: tuple[str, ...], pairs: str) -> tuple[str, str]:
    """SQL of what responses without news say, and the condition under which a row `m` of a mart rests on a row `l`.

    `pairs`: SQL of rows of `QUIET_PAIRS`.
    """
    if keys == ("inn",):
        ages = (
            "max(checked_at) AS newest_checked_at, min(checked_at) AS oldest_checked_at, "
            "min(collected_at) AS collected_at"
        )
        states = f"FROM requested_states SEMI JOIN ({pairs}) USING (inn)"
        return f"WITH {fill_states(requested_states())} SELECT inn, {ages} {states} GROUP BY inn", "l.inn = m.inn"
    if keys == ("left_source", "right_source"):
        # A source is named as block.field.
        known = "CASE WHEN c.{0}_value IS NOT NULL THEN {0}_block.{1} END"
        times = (
            f"least({', '.join(known.format(side, time) for side in SIDES)}) AS {time}"
            for time in ("checked_at", "collected_at", "source_date")
        )
        joins = " ".join(
            f"LEFT JOIN {LATEST_TABLE} {side}_block ON {side}_block.inn = c.inn "
            f"AND {side}_block.block = split_part(c.{side}_source, '.', 1)"
            for side in SIDES
        )
        rows = f"FROM {table} c SEMI JOIN ({pairs}) q ON q.inn = c.inn {joins}"
        return f"SELECT c.rowid AS number, {', '.join(times)} {rows}", "l.number = m.rowid"
    # A signal that its block does not have for this kind of INN names the block, but has no evidence.
    same = " AND ".join((*(f"l.{key} = m.{key}" for key in keys), "m.checked_at IS NOT NULL"))
    return f"SELECT *, checked_at AS last_seen_at FROM ({pairs})", same


def _timestamp(moment: datetime) -> str:
    return f"TIMESTAMP {literal(moment.isoformat(' '))}"


def attach_staging(connection: duckdb.DuckDBPyConnection, source: str, copy: str, exclusion: Exclusion) -> str:
    """Attach the in-memory databases in which marts are computed; the name of the one with what is published.

    To be used outside of a transaction. The caller detaches `STAGING` after closing the connection, which accepts no
    statement after a full disk.
    """
    if exclusion:
        _attach_public(connection, source, copy, exclusion)
    rows = PUBLIC if exclusion else copy
    attach_selections(connection, rows, source, find_affected_marts(exclusion))
    return rows


def _attach_public(connection: duckdb.DuckDBPyConnection, source: str, copy: str, exclusion: Exclusion) -> None:
    """Attach `PUBLIC`: excluded columns are NULL there, excluded tables empty.

    The SQL of marts names schemas without a database: they are resolved in the database in use.
    """
    connection.execute(f"ATTACH ':memory:' AS {PUBLIC}")
    connection.execute(f"USE {PUBLIC}")
    for schema in SCHEMAS:
        connection.execute(f"CREATE SCHEMA {schema}")
    for (schema, name), (_, columns) in published_tables().items():
        is_empty = exclusion.excludes_table(schema, name)
        null = {column.name for column in columns} if is_empty else set(exclusion.excluded_columns(schema, name))
        cells = ", ".join(
            f"NULL::{column.sql} AS {identifier(column.name)}" if column.name in null else identifier(column.name)
            for column in columns
        )
        rows = "WHERE false" if is_empty else f"FROM {copy}.{schema}.{identifier(name)}"
        connection.execute(f"CREATE VIEW {schema}.{identifier(name)} AS SELECT {cells} {rows}")
    for name in (LATEST, UNANSWERED):
        connection.execute(f"CREATE VIEW lineage.{identifier(name)} AS FROM {copy}.lineage.{identifier(name)}")
    for table in tables().values():
        connection.execute(next(iter(create_views(table))))
    affected = find_affected_marts(exclusion)
    for name in STORED_MARTS.values():
        # Other marts may need columns of it that the copy lacks.
        condition = "WHERE false" if name in affected else ""
        connection.execute(f"CREATE VIEW mart.{name} AS FROM {identifier(source)}.mart.{name} {condition}")


def _differing_columns(connection: duckdb.DuckDBPyConnection) -> list[str] | None:
    """Columns whose values differ between `PUBLIC_ROWS` and `FULL_ROWS`; None if the rows differ."""
    names = [row[0] for row in connection.execute(f"DESCRIBE temp.{FULL_ROWS}").fetchall()]
    # An empty list has the hash of NULL.
    cells = {name: f"{identifier(name)} IS NULL, {identifier(name)}" for name in names}
    column_hashes = ", ".join(f"sum(hash({cell})::HUGEINT)" for cell in cells.values())

    def hashes(expressions: str) -> list[tuple[object, ...]]:
        return [
            tuple(connection.execute(f"SELECT count(*), {expressions} FROM temp.{table}").fetchall()[0])
            for table in (PUBLIC_ROWS, FULL_ROWS)
        ]

    reduced, complete = hashes(column_hashes)
    if reduced[0] != complete[0]:
        return None
    differing = [name for name, a, b in zip(names, reduced[1:], complete[1:], strict=True) if a != b]
    same = [cell for name, cell in cells.items() if name not in differing]
    if not same or len(set(hashes(f"sum(hash({', '.join(same)})::HUGEINT)"))) != 1:
        return None
    return differing
