"""The DDL of the warehouse, derived from the declarations: tables, comments, views of today, macros of any day."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256

from innspect.schemas.catalogue import brings
from innspect.schemas.lineage import LINEAGE
from innspect.schemas.tables import Table, tables

SCHEMAS = {
    "core": "Every version of every block.",
    "current": "The latest confirmed version of each INN and block.",
    "as_of": "Table macros: what was known at a moment, by when it was asked.",
    "lineage": "Where every row came from: runs, calls, answers, snapshots, versions, and what was noticed.",
    "mart": "Views for people and BI.",
    "raw": "The archive.",
}
RECORD_FILES = "_record_files"
"""A table beside the lineage: the archive files of runs, calls, members and rejected lines that are loaded."""
BODIES = "_bodies"
"""A table beside the lineage: the number of the bytes that a block of an answer came with, see `innspect.warehouse.load.block_digests`."""
LATEST = "_latest"
"""A table beside the lineage: the latest answer of each INN and block, see `innspect.warehouse.latest`."""
VERSION_ID = ("version_id", "VARCHAR", "Version that the row belongs to.")
INN = ("inn", "VARCHAR", "INN that was checked.")
CHECKED_AT = ("checked_at", "TIMESTAMP", "When this was last asked and found so, UTC.")
COLLECTED_AT = ("collected_at", "TIMESTAMP", "When the service had collected that answer, UTC.")


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """A column of the warehouse: name, type, comment."""

    name: str
    sql: str
    comment: str


def quoted(name: str) -> str:
    """An identifier in double quotes: fields are named as the service names them, also `date`, `type` and `sum`."""
    return f'"{name}"'


def text(value: str) -> str:
    """A string literal."""
    return "'" + value.replace("'", "''") + "'"


def core_columns(table: Table) -> list[ColumnSpec]:
    """All columns of a core table: version, INN, ordinals, fields."""
    columns = [ColumnSpec(*VERSION_ID), ColumnSpec(*INN)]
    columns += [
        ColumnSpec(name, "INTEGER", f"Place in {name.removesuffix('_no')}, counted from 1.") for name in table.ordinals
    ]
    for column in table.columns:
        unit = f" [{column.kind.unit}]" if column.kind.unit else ""
        columns.append(ColumnSpec(column.name, column.kind.sql, column.field.description + unit))
    return columns


@cache
def base_tables() -> dict[tuple[str, str], tuple[str, list[ColumnSpec]]]:
    """(schema, table) of every stored table, with its comment and columns."""
    found: dict[tuple[str, str], tuple[str, list[ColumnSpec]]] = {}
    for table in tables().values():
        found["core", table.name] = (table.description, core_columns(table))
    for lineage in LINEAGE.values():
        columns = [ColumnSpec(c.name, c.sql, c.description) for c in lineage.columns]
        found["lineage", lineage.name] = (lineage.description, columns)
    return found


LATEST_COLUMNS = (
    ColumnSpec(*INN),
    ColumnSpec("block", "VARCHAR", "Block."),
    ColumnSpec("asked_at", "TIMESTAMP", "When it was last asked, UTC."),
    ColumnSpec("snapshot_id", "VARCHAR", "The latest answer."),
    ColumnSpec("state", "VARCHAR", "State of the latest answer."),
    ColumnSpec("reason", "VARCHAR", "Why the latest answer is not plainly found or clean."),
    ColumnSpec("method", "VARCHAR", "Method that brought the latest answer."),
    ColumnSpec("version_id", "VARCHAR", "Version that is known; NULL where no answer was evidence."),
    ColumnSpec("evidence_id", "VARCHAR", "The latest answer that is evidence."),
    ColumnSpec(*CHECKED_AT),
    ColumnSpec(*COLLECTED_AT),
    ColumnSpec("is_whole", "BOOLEAN", "Whether any answer so far was a whole one, found or clean."),
)


def create_table(schema: str, name: str) -> Iterator[str]:
    """The statements that make one stored table with its comments."""
    comment, columns = base_tables()[schema, name]
    yield from _created("CREATE TABLE IF NOT EXISTS", f"{schema}.{quoted(name)}", comment, columns)


def create_latest() -> Iterator[str]:
    """The statements that make the table `LATEST`, with nothing in it."""
    comment = "The latest answer and what is known, one row per INN and block: worked out from lineage.snapshots."
    yield from _created("CREATE OR REPLACE TABLE", f"lineage.{quoted(LATEST)}", comment, LATEST_COLUMNS)


def _created(how: str, full: str, comment: str, columns: Iterable[ColumnSpec]) -> Iterator[str]:
    columns = list(columns)
    body = ", ".join(f"{quoted(column.name)} {column.sql}" for column in columns)
    yield f"{how} {full} ({body})"
    yield f"COMMENT ON TABLE {full} IS {text(comment)}"
    for column in columns:
        yield f"COMMENT ON COLUMN {full}.{quoted(column.name)} IS {text(column.comment)}"


def silent_calls() -> str:
    """A query of calls whose outcome is unknown, block by block: asked, but nothing came that could be archived."""
    pairs = ", ".join(f"({text(method)}, {text(block)})" for method, block in brings())
    return (
        "SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, "
        "coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c "
        f"JOIN (VALUES {pairs}) b (method, block) ON b.method = c.method "
        "WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)"
    )


def create_views(table: Table) -> Iterator[str]:
    """The `current` view and the `as_of` macro of a table."""
    name = quoted(table.name)
    shown = f"SELECT t.*, l.checked_at, l.collected_at FROM core.{name} t"
    of_block = f"block = {text(table.block)}"
    then = (
        "SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, "
        "arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots "
        f"WHERE version_id IS NOT NULL AND {of_block} AND asked_at <= moment GROUP BY inn, block"
    )
    yield (
        f"CREATE OR REPLACE VIEW current.{name} AS {shown} "
        f"JOIN lineage.{quoted(LATEST)} l ON l.version_id = t.version_id AND l.{of_block}"
    )
    yield f"COMMENT ON VIEW current.{name} IS {text('Latest confirmed: ' + table.description)}"
    for column in [*core_columns(table), ColumnSpec(*CHECKED_AT), ColumnSpec(*COLLECTED_AT)]:
        yield f"COMMENT ON COLUMN current.{name}.{quoted(column.name)} IS {text(column.comment)}"
    yield (
        f"CREATE OR REPLACE MACRO as_of.{name}(moment) AS TABLE {shown} JOIN ({then}) l ON l.version_id = t.version_id"
    )


def statements() -> Iterator[str]:
    """The whole DDL, in order; running it twice changes nothing but `LATEST`, which is to be filled again."""
    for schema in SCHEMAS:
        yield f"CREATE SCHEMA IF NOT EXISTS {schema}"
    for schema, name in base_tables():
        yield from create_table(schema, name)
    yield f"CREATE TABLE IF NOT EXISTS lineage.{quoted(RECORD_FILES)} (archive_file VARCHAR)"
    yield f"CREATE TABLE IF NOT EXISTS lineage.{quoted(BODIES)} (response_id VARCHAR, block VARCHAR, digest UBIGINT)"
    yield from create_latest()
    for table in tables().values():
        yield from create_views(table)


@cache
def fingerprint() -> str:
    """The version of the declarations: a hash of the DDL that they make."""
    return sha256("\n".join(statements()).encode()).hexdigest()[:12]
