"""Bring the stored tables of a copy up to the warehouse: rows above the watermark are appended.

Row ids make that cheap: a table to which rows are only ever added gives its new rows the next ids, in a DuckDB file and
in a lake, and a condition on the row id skips everything before. A watermark of 0 copies all rows: the first copy is
built by the same statements.
"""

from collections.abc import Callable, Collection, Iterable, Mapping

import duckdb

from innspect.schemas.lineage import LINEAGE
from innspect.schemas.states import COMPLETE, sql_list
from innspect.warehouse.ddl import LATEST_COLUMNS, UNANSWERED_COLUMNS, identifier, published_tables
from innspect.warehouse.latest import LATEST_TABLE, UNANSWERED_TABLE, unanswered_calls
from innspect.warehouse.publish.exclude import Exclusion, excluded_of_latest, lineage_expressions
from innspect.warehouse.publish.watermark import TableMark

NEW_SNAPSHOTS = "temp.publish_snapshots"
"""Temporary table: the distinct INN, block, version, state, reason and method of the snapshots above the watermark.

`first_asked_at`: the time of the first of these requests of the INN and block."""
QUIET_PAIRS = "temp.publish_quiet"
"""Temporary table: the latest responses of the pairs (INN, block) without news, see `_find_quiet_pairs`.

`asked_before`: the time of the latest request before; `number`: from 0, by INN."""
RENAMED_INNS = "temp.publish_renamed"
"""Temporary table: INNs whose known card is another version than in the copy before, so that their name may differ."""
ASSESSED_INNS = "temp.publish_assessed"
"""Temporary table: INNs with more rows of `ASSESSMENTS` than in the copy before; NULL if any INN may have others."""
TOUCHED_RUNS = "temp.publish_runs"
"""Temporary table: runs with calls, snapshots or changes that the copy before does not have, or described otherwise, or
whose snapshots show versions that were first seen earlier; NULL if any run may be one of them."""
RUNS_BEFORE, MOVED_VERSIONS = "publish_runs_before", "publish_moved_versions"
ASSESSMENTS = ("assessments", "signal_changes")
PARTS_OF_RUNS = ("calls", "snapshots", "changes")
ROWS_PER_COMMIT = 50_000
"""New rows after which a part is committed: until then an unfinished block of every column stays in memory."""
SNAPSHOTS_KEY, VERSIONS_KEY = "lineage.snapshots", "lineage.versions"
RUN_COLUMNS = "run_id, started_at, portfolio, profile"
"""What marts of runs say about a run besides its calls."""


def copy_new_rows(
    connection: duckdb.DuckDBPyConnection,
    source: str,
    copy: str,
    exclusion: Exclusion,
    marks: Mapping[str, TableMark],
    commit: Callable[[], None],
    rows_before: str = "",
) -> dict[str, TableMark]:
    """Copy what was added or changed above `marks` in all published tables, in the caller's transaction.

    `commit` is called between tables, after some `ROWS_PER_COMMIT` rows, and may begin another transaction. Returns the
    new marks. Afterwards `NEW_SNAPSHOTS` has the snapshots that were added; `ASSESSED_INNS` and `TOUCHED_RUNS` are
    filled. `rows_before`: a database with all columns of the copy's tables, if the copy lacks some.
    """
    _select_new_snapshots(connection, source, marks.get(SNAPSHOTS_KEY, TableMark()))
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {ASSESSED_INNS.removeprefix('temp.')} (inn VARCHAR)")
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {TOUCHED_RUNS.removeprefix('temp.')} (run_id VARCHAR)")
    _remember_runs(connection, source, rows_before or copy)
    new_marks: dict[str, TableMark] = {}
    uncommitted = 0
    published = [key for key in published_tables() if not exclusion.excludes_table(*key)]
    next_rows = _find_next_rows(connection, source, [key for key in published if _only_grows(*key)], marks)
    for schema, name in published:
        key = f"{schema}.{name}"
        rows = _TableRows(connection, source, copy, schema, name, exclusion)
        mark = marks.get(key, TableMark())
        if key == VERSIONS_KEY:
            new_marks[key] = rows.copy_versions(mark)
        elif _only_grows(schema, name):
            new_marks[key] = rows.append_rows(mark, next_rows[key])
        else:
            new_marks[key] = rows.replace_or_append_rows(mark)
            if name in ASSESSMENTS:
                connection.execute(f"INSERT INTO {ASSESSED_INNS} {rows.changed_values('inn', mark)}")
        if schema == "lineage" and name in PARTS_OF_RUNS:
            connection.execute(f"INSERT INTO {TOUCHED_RUNS} {rows.changed_values('run_id', mark)}")
        uncommitted += new_marks[key].next_row - mark.next_row
        if uncommitted >= ROWS_PER_COMMIT:
            commit()
            uncommitted = 0
    _find_described_runs(connection, source)
    return new_marks


def mark_all_rows(connection: duckdb.DuckDBPyConnection, source: str) -> dict[str, TableMark]:
    """The marks of a copy that has all rows of the database `source`."""
    marks: dict[str, TableMark] = {}
    next_rows = _find_next_rows(connection, source, list(published_tables()), {})
    for schema, name in published_tables():
        key = f"{schema}.{name}"
        has_digest = not _only_grows(schema, name) and key != VERSIONS_KEY
        rows = _TableRows(connection, source, source, schema, name, Exclusion())
        marks[key] = TableMark(next_rows[key], rows.digest() if has_digest else "")
    return marks


def _remember_runs(connection: duckdb.DuckDBPyConnection, source: str, copy: str) -> None:
    """Keep how the copy describes runs, and which versions of `NEW_SNAPSHOTS` it has with a later first sight."""
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {RUNS_BEFORE} AS SELECT {RUN_COLUMNS} FROM {copy}.lineage.runs")
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {MOVED_VERSIONS} AS SELECT n.version_id "
        f"FROM {identifier(source)}.lineage.versions n JOIN ("
        f"FROM {copy}.lineage.versions SEMI JOIN {NEW_SNAPSHOTS} USING (version_id)) o "
        "ON o.version_id = n.version_id WHERE o.first_seen_at <> n.first_seen_at"
    )


def _find_described_runs(connection: duckdb.DuckDBPyConnection, source: str) -> None:
    """Add to `TOUCHED_RUNS` what `_remember_runs` found."""
    before, now = f"FROM {RUNS_BEFORE}", f"SELECT {RUN_COLUMNS} FROM {identifier(source)}.lineage.runs"
    connection.execute(
        f"INSERT INTO {TOUCHED_RUNS} SELECT run_id FROM (({before} EXCEPT {now}) UNION ({now} EXCEPT {before})) "
        f"UNION SELECT run_id FROM {identifier(source)}.{SNAPSHOTS_KEY} SEMI JOIN {MOVED_VERSIONS} USING (version_id)"
    )


def _only_grows(schema: str, name: str) -> bool:
    return schema == "core" or LINEAGE[name].is_append_only


def _find_next_rows(
    connection: duckdb.DuckDBPyConnection, source: str, grown: list[tuple[str, str]], marks: Mapping[str, TableMark]
) -> dict[str, int]:
    """The next row id of tables by `schema.name`, in one statement: one for each would take ten times as long."""
    database = identifier(source)
    firsts = {(schema, name): marks.get(f"{schema}.{name}", TableMark()).next_row for schema, name in grown}
    queries = (
        f"SELECT '{schema}.{name}', coalesce(max(rowid) + 1, {first}) FROM {database}.{schema}.{identifier(name)} "
        f"WHERE rowid >= {first}"
        for (schema, name), first in firsts.items()
    )
    rows = connection.execute(" UNION ALL ".join(queries)).fetchall() if grown else []
    return {str(key): int(next_row) for key, next_row in rows}


def copy_latest(
    connection: duckdb.DuckDBPyConnection, source: str, copy: str, exclusion: Exclusion, *, is_first: bool
) -> None:
    """Bring the tables of latest responses and of unanswered calls up to date, without what is excluded.

    Latest responses of the pairs (INN, block) of `NEW_SNAPSHOTS` are copied. `is_first`: the tables are empty and all
    rows are new. Afterwards `RENAMED_INNS` and `QUIET_PAIRS` are filled.
    """
    hidden_calls = exclusion.excluded_columns("lineage", "calls")
    calls = _copied_cells((column.name for column in UNANSWERED_COLUMNS), hidden_calls)
    connection.execute(
        f"DELETE FROM {copy}.{UNANSWERED_TABLE}; "
        f"INSERT INTO {copy}.{UNANSWERED_TABLE} BY NAME SELECT {calls} FROM {identifier(source)}.{UNANSWERED_TABLE}"
    )
    pairs = "" if is_first else f" SEMI JOIN {NEW_SNAPSHOTS} USING (inn, block)"
    table = f"{copy}.{LATEST_TABLE}"
    cards = f"SELECT inn, version_id FROM {table} SEMI JOIN {NEW_SNAPSHOTS} USING (inn, block) WHERE block = 'company'"
    renamed = RENAMED_INNS.removeprefix("temp.")
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {renamed} AS {cards}")
    _find_quiet_pairs(connection, source, copy, is_first=is_first)
    if not is_first:
        connection.execute(f"DELETE FROM {table} WHERE (inn, block) IN (SELECT (inn, block) FROM {NEW_SNAPSHOTS})")
    cells = _copied_cells((column.name for column in LATEST_COLUMNS), excluded_of_latest(exclusion))
    connection.execute(f"INSERT INTO {table} BY NAME SELECT {cells} FROM {identifier(source)}.{LATEST_TABLE}{pairs}")
    # A table, because many marts are joined with it, one after the other.
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {QUIET_PAIRS.removeprefix('temp.')} AS SELECT l.*, q.asked_before, "
        f"row_number() OVER (ORDER BY l.inn, l.block) - 1 AS number "
        f"FROM {table} l JOIN {QUIET_PAIRS} q ON q.inn = l.inn AND q.block = l.block"
    )
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {renamed} AS SELECT inn FROM (({cards}) EXCEPT (FROM {RENAMED_INNS}))"
    )


def _copied_cells(columns: Iterable[str], excluded: Collection[str]) -> str:
    return ", ".join(f"NULL AS {name}" if name in excluded else name for name in columns)


def _select_new_snapshots(connection: duckdb.DuckDBPyConnection, source: str, mark: TableMark) -> None:
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {NEW_SNAPSHOTS.removeprefix('temp.')} AS "
        "SELECT DISTINCT inn, block, version_id, state, reason, method, min(asked_at) OVER pair AS first_asked_at "
        f"FROM {identifier(source)}.{SNAPSHOTS_KEY} WHERE rowid >= {mark.next_row} "
        "WINDOW pair AS (PARTITION BY inn, block)"
    )


def _find_quiet_pairs(connection: duckdb.DuckDBPyConnection, source: str, copy: str, *, is_first: bool) -> None:
    """Fill `QUIET_PAIRS` from `NEW_SNAPSHOTS` and the latest responses of the copy before them.

    Such a pair was requested again after all responses that the copy has, and each new response shows the version of
    the latest one, complete, in the same state and by the same method, with the same rows carried over; and no call is
    of unknown outcome. Then only times and the number of the snapshot differ.
    """
    is_same = (
        "n.version_id = l.version_id AND n.state = l.state AND n.reason IS NOT DISTINCT FROM l.reason "
        "AND n.method = l.method AND n.first_asked_at > l.asked_at AND l.snapshot_id = l.evidence_id "
        f"AND l.state IN {sql_list(COMPLETE)}"
    )
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {QUIET_PAIRS.removeprefix('temp.')} AS "
        f"SELECT n.inn, n.block, any_value(l.asked_at) AS asked_before FROM {NEW_SNAPSHOTS} n "
        f"JOIN {copy}.{LATEST_TABLE} l ON l.inn = n.inn AND l.block = n.block "
        f"WHERE {not is_first} GROUP BY n.inn, n.block HAVING bool_and(coalesce({is_same}, false))"
    )
    latest = " UNION ALL ".join(
        f"SELECT snapshot_id FROM {table} SEMI JOIN {QUIET_PAIRS} USING (inn, block)"
        for table in (f"{copy}.{LATEST_TABLE}", f"{identifier(source)}.{LATEST_TABLE}")
    )
    carried_by_one = (
        f"SELECT inn, block FROM lineage.kept_rows WHERE snapshot_id IN ({latest}) "
        "GROUP BY inn, block, table_name, row_no HAVING count(*) = 1"
    )
    for news in (carried_by_one, unanswered_calls()):
        connection.execute(f"DELETE FROM {QUIET_PAIRS} WHERE (inn, block) IN (SELECT (inn, block) FROM ({news}))")


class _TableRows:
    """One stored table in the warehouse and in the copy."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        source: str,
        copy: str,
        schema: str,
        name: str,
        exclusion: Exclusion,
    ) -> None:
        self.connection = connection
        self.source = f"{identifier(source)}.{schema}.{identifier(name)}"
        self.copy = f"{copy}.{schema}.{identifier(name)}"
        self.all_columns = [column.name for column in published_tables()[schema, name][1]]
        excluded = exclusion.excluded_columns(schema, name)
        self.columns = [column for column in self.all_columns if column not in excluded]
        self.expressions = lineage_expressions(name, exclusion) if schema == "lineage" else {}
        self.is_replaced = False
        """Whether all rows were replaced."""

    def append_rows(self, mark: TableMark, next_row: int) -> TableMark:
        """Append the rows from the mark to `next_row` of a table that only grows."""
        if next_row > mark.next_row:
            self._insert(f"WHERE rowid >= {mark.next_row}")
        return TableMark(next_row)

    def replace_or_append_rows(self, mark: TableMark) -> TableMark:
        """Append the rows above the mark if those below are unchanged; otherwise replace all."""
        below = self._sums(f"WHERE rowid < {mark.next_row}") if mark.next_row else (0, 0)
        if mark.next_row and _digest(*below) != mark.digest:
            self.connection.execute(f"DELETE FROM {self.copy}")
            self.is_replaced, mark, below = True, TableMark(), (0, 0)
        above = f"WHERE rowid >= {mark.next_row}"
        next_row = self._next_row(mark)
        if next_row != mark.next_row:
            self._insert(above)
        # Not the sums of all rows: those below have just been read.
        count, hashes = self._sums(above)
        return TableMark(next_row, _digest(below[0] + count, below[1] + hashes))

    def changed_values(self, column: str, mark: TableMark) -> str:
        """SQL of the values of a column in rows above the mark, after these were copied; NULL if all rows differ."""
        if self.is_replaced:
            return "SELECT NULL"
        return f"SELECT DISTINCT {column} FROM {self.source} WHERE rowid >= {mark.next_row}"

    def copy_versions(self, mark: TableMark) -> TableMark:
        """Replace the versions that new snapshots show: new ones, and those whose times of sight changed."""
        condition = ""
        if mark.next_row:
            if "version_id" in self.columns:
                condition = f"WHERE version_id IN (SELECT version_id FROM {NEW_SNAPSHOTS})"
            self.connection.execute(f"DELETE FROM {self.copy} {condition}")
        self._insert(condition)
        return TableMark(self._next_row(mark))

    def _insert(self, condition: str) -> None:
        names = ", ".join(map(identifier, self.columns))
        cells = ", ".join(
            f"{self.expressions.get(column, identifier(column))} AS {identifier(column)}" for column in self.columns
        )
        self.connection.execute(f"INSERT INTO {self.copy} ({names}) SELECT {cells} FROM {self.source} {condition}")

    def _next_row(self, mark: TableMark) -> int:
        query = f"SELECT max(rowid) + 1 FROM {self.source} WHERE rowid >= {mark.next_row}"
        (next_row,) = self.connection.execute(query).fetchall()[0]
        return mark.next_row if next_row is None else int(next_row)

    def digest(self) -> str:
        """A hash of the rows in the warehouse, independent of their order."""
        return _digest(*self._sums())

    def _sums(self, condition: str = "") -> tuple[int, int]:
        """The number of rows in the warehouse, and the sum of their hashes."""
        cells = ", ".join(map(identifier, self.all_columns))
        query = f"SELECT count(*), coalesce(sum(hash({cells})::HUGEINT), 0) FROM {self.source} {condition}"
        count, hashes = self.connection.execute(query).fetchall()[0]
        return int(count), int(hashes)


def _digest(count: int, hashes: int) -> str:
    return f"{count} {hashes}"
