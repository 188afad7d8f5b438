"""The copy made from the one before, where only what a run notes of itself has moved on since; else None of it.

A copy says what the warehouse said, table by table: equal counts and sums of row hashes show that it still does. What
differs is written anew, and with it every mart that rests on it, on another day, or on the moment.
"""

import shutil
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import duckdb

from warehouse.ddl import base_tables, quoted, text
from warehouse.mart_needs import MEMBERS, SIGHT, mart_needs
from warehouse.publish import COPY, STAMP, Stamp, all_or_nothing, copy_rows, detach, fill_stamp, told
from warehouse.publish_exclude import Exclusion
from warehouse.publish_marts import write_marts
from warehouse.store import Warehouse, made_by

MOVING = frozenset(("lineage", name) for name in ("runs", "calls", "portfolio_members", "rejected_inputs"))
"""What a run writes that asks for nothing. Answers move all else, and then a whole copy is no slower."""
ORDER_OF_SIGHT = "rank() OVER (PARTITION BY inn ORDER BY last_seen_at)"
GROWTH = 1.5
"""What is written anew leaves gaps in the file; at such a size it is made whole."""
SOURCES = ("ddl", "latest", "mart_files", "mart_needs", "publish", "publish_again", "publish_marts", "publish_parquet")

Relation = tuple[str, str]
Sums = dict[str, list[int | None]]
"""By the name of a stored table (`schema.name`), how many rows it has and the sum of their hashes."""


@dataclass(frozen=True, slots=True)
class Basis:
    """What has to be known of a copy to go on from it: its file, what made it, when, and of how many answers."""

    size: int
    modified_ns: int
    inode: int
    made_with: str
    day: str
    answers: int
    whole_size: int
    """Of the copy when it was last made whole."""
    sums: Sums

    def fits(self, copy: Path) -> bool:
        """Whether this is of the file that is there, made as this program would, and not full of gaps."""
        try:
            found = copy.stat()
        except OSError:
            return False
        same = (self.size, self.modified_ns, self.inode) == (found.st_size, found.st_mtime_ns, found.st_ino)
        return same and self.made_with == made_with() and self.size <= GROWTH * self.whole_size


@dataclass(frozen=True, slots=True)
class Renewed:
    """The tables and marts in which a copy may differ from the one before, and the sums of what is in it."""

    relations: frozenset[Relation]
    sums: Sums


def basis_of(
    copy: Path, warehouse: Warehouse, day: date, sums: Sums | None = None, whole_size: int | None = None
) -> Basis:
    """The basis of a copy that was just made and is on disk, wherever it will be renamed to.

    The warehouse has not been written since; its `sums` are worked out where they are not known.
    """
    found = copy.stat()
    return Basis(
        found.st_size,
        found.st_mtime_ns,
        found.st_ino,
        made_with(),
        day.isoformat(),
        _answers(warehouse),
        whole_size or found.st_size,
        sums or _sums(warehouse.connection),
    )


@cache
def made_with() -> str:
    """DuckDB, declarations, marts and the code of publishing: a copy that others made is not gone on from."""
    code = sha256(b"".join(files("warehouse").joinpath(f"{name}.py").read_bytes() for name in SOURCES))
    return f"{duckdb.__version__}-{made_by()}-{code.hexdigest()[:12]}"


def renew_copy(warehouse: Warehouse, before: Path, basis: Basis, path: Path, stamp: Stamp) -> Renewed | None:
    """Write the copy to a new file, complete and closed.

    None where more has moved on than may; there is no file then. Only for a warehouse of one process of which nothing
    is left out. Raises DiskFull and StoreError; the file is of no use then.
    """
    if _answers(warehouse) != basis.answers:
        return None
    connection = warehouse.cursor()
    try:
        with told(path):
            sums = _sums(connection)
            moved = frozenset(key for key, name in _named().items() if sums[name] != basis.sums.get(name))
            if moved - MOVING - {SIGHT}:
                return None
            source = str(connection.execute("SELECT current_database()").fetchall()[0][0])
            shutil.copyfile(before, path)
            path.chmod(0o600)
            connection.execute(f"ATTACH {text(str(path))} AS {COPY}")
            try:
                return Renewed(_renew(connection, source, moved, basis, stamp), sums)
            finally:
                detach(warehouse, connection)
    finally:
        connection.close()


def _answers(warehouse: Warehouse) -> int:
    return int(warehouse.connection.execute("SELECT count(*) FROM lineage.responses").fetchall()[0][0])


@cache
def _named() -> dict[Relation, str]:
    """The stored tables by name; the members as the marts read them, and `SIGHT` for anything of them."""
    return {key: ".".join(key) for key in (*base_tables(), SIGHT)}


def _sums(connection: duckdb.DuckDBPyConnection) -> Sums:
    """The sums of the database in use: they are the same whatever the order of the rows."""
    asked = {key: _cells(*key) for key in base_tables()}
    seen = [cell for cell in asked[MEMBERS] if cell != quoted("last_seen_at")]
    found = {key: _summed(key, cells) for key, cells in asked.items()}
    found |= {SIGHT: found[MEMBERS], MEMBERS: _summed(MEMBERS, [*seen, "place"])}
    rows = connection.execute(" UNION ALL ".join(found.values())).fetchall()
    return {_named()[key]: list(row) for key, row in zip(found, rows, strict=True)}


def _cells(schema: str, name: str) -> list[str]:
    return [quoted(column.name) for column in base_tables()[schema, name][1]]


def _summed(key: Relation, cells: list[str]) -> str:
    """The query of how many rows a table has and of the sum of their hashes."""
    table = f"{key[0]}.{quoted(key[1])}"
    rows = f"(SELECT *, {ORDER_OF_SIGHT} AS place FROM {table})" if "place" in cells else table
    return f"SELECT count(*), sum(hash({', '.join(cells)})::HUGEINT) FROM {rows}"


def _renew(
    connection: duckdb.DuckDBPyConnection, source: str, moved: frozenset[Relation], basis: Basis, stamp: Stamp
) -> frozenset[Relation]:
    """Write the tables that moved, and the marts that are another by now; what may differ from the copy before."""
    tables = {MEMBERS if key == SIGHT else key for key in moved if key != MEMBERS}
    ageing = _ageing(connection)
    due = _due(moved, ageing, is_other_day=stamp.published_at.date().isoformat() != basis.day)
    with all_or_nothing(connection):
        for schema, name in sorted(tables):
            connection.execute(f"DELETE FROM {COPY}.{schema}.{quoted(name)}")
            copy_rows(connection, source, schema, name, Exclusion())
        connection.execute(f"DELETE FROM {COPY}.lineage.{STAMP}")
        fill_stamp(connection, stamp)
        write_marts(connection, COPY, Exclusion(), due)
    return frozenset({*tables, ("lineage", STAMP), *(("mart", name) for name in {*due, *ageing})})


def _ageing(connection: duckdb.DuckDBPyConnection) -> set[str]:
    """The marts of the copy whose age is counted when they are read."""
    found = connection.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = ? AND schema_name = 'mart' "
        "AND sql LIKE '%GENERATED ALWAYS AS%'",
        [COPY],
    )
    return {name for (name,) in found.fetchall()}


def _due(moved: frozenset[Relation], ageing: Collection[str], *, is_other_day: bool) -> set[str]:
    """The marts of which a row may be another than in the copy before."""
    due = set[str]()
    for name, needs in mart_needs().items():
        is_older = needs.moment or (needs.day and is_other_day) or (needs.age and name not in ageing)
        if is_older or needs.tables & moved or needs.marts & due:
            due.add(name)
    return due
