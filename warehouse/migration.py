"""Bring the tables, views and marts of an opened database up to the declarations."""

from collections.abc import Collection, Iterable

import duckdb

from innspect.schemas.errors import WarehouseError
from innspect.warehouse.ddl import COMPUTED_TYPES, LATEST, UNANSWERED, identifier, literal, stored_tables
from innspect.warehouse.marts.fingerprints import LATEST_ROWS, software_fingerprints

FINGERPRINT_TABLE = "_declarations"
"""Lineage table with `software_fingerprints` of the software that the database was migrated to, one row for each."""

TablesFound = dict[tuple[str, str], dict[str, str]]
"""Type of each column, by (schema, table)."""


def outdated_parts(connection: duckdb.DuckDBPyConnection) -> set[str]:
    """The parts of `software_fingerprints` that differ from what the database was last migrated to."""
    stored = _stored_fingerprints(connection)
    return {part for part, version in software_fingerprints().items() if stored.get(part) != version}


def _stored_fingerprints(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    exists = connection.execute(
        f"SELECT 1 FROM duckdb_tables() WHERE schema_name = 'lineage' AND table_name = {literal(FINGERPRINT_TABLE)} "
        "AND database_name = current_database()"
    ).fetchone()
    rows = connection.execute(f"FROM lineage.{identifier(FINGERPRINT_TABLE)}").fetchall() if exists else []
    # Earlier versions recorded one fingerprint of everything, which is none of these.
    return {str(row[0]): str(row[-1]) for row in rows}


def store_fingerprints() -> str:
    """The statement that records `software_fingerprints` in the database."""
    rows = ", ".join(f"({literal(part)}, {literal(version)})" for part, version in software_fingerprints().items())
    table = f"lineage.{identifier(FINGERPRINT_TABLE)}"
    return f"CREATE OR REPLACE TABLE {table} AS FROM (VALUES {rows}) versions (part, fingerprint)"


def find_tables(connection: duckdb.DuckDBPyConnection) -> TablesFound:
    """The stored tables of `core` and `lineage` in the database."""
    rows = connection.execute(
        "SELECT schema_name, table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal "
        "AND schema_name IN ('core', 'lineage') AND database_name = current_database()"
    ).fetchall()
    found: TablesFound = {}
    for schema, table, column, sql_type in rows:
        found.setdefault((schema, table), {})[column] = sql_type
    return found


def missing_columns(found: TablesFound, database: str) -> list[tuple[str, str, str, str]]:
    """Declared columns that existing tables lack: schema, table, column, SQL type.

    Raises WarehouseError for a stored column that is not declared, or declared with another type.
    """
    missing: list[tuple[str, str, str, str]] = []
    for (schema, table), (_, specs) in stored_tables().items():
        if (schema, table) not in found:
            continue
        stored = found[schema, table]
        declared = {spec.name: spec.sql for spec in specs}
        other = [column for column in stored if declared.get(column) != stored[column]]
        if other:
            raise WarehouseError(
                f"The table {schema}.{table} of {database} has a column {other[0]} that differs from the declarations; "
                "run `innspect rebuild`.",
                path=database,
                table=table,
                columns=other,
            )
        missing += [(schema, table, column, sql) for column, sql in declared.items() if column not in stored]
    return missing


def migrate(
    connection: duckdb.DuckDBPyConnection,
    database: str,
    schema_statements: Iterable[str],
    outdated: Collection[str],
    *,
    is_shared: bool,
) -> list[str]:
    """Add missing columns and create all tables, views and marts, inside the caller's transaction.

    Tables with rows that the warehouse computed remain, unless they belong to one of the `outdated` parts: then they
    are empty. Returns the added columns as `schema.table.column`. `is_shared`: a lake. Raises WarehouseError where a
    stored table contradicts the declarations.
    """
    missing = missing_columns(find_tables(connection), database)
    if missing:
        # A view is bound to the columns that existed when it was created: drop all, the DDL creates them again.
        views = (
            "SELECT schema_name, view_name FROM duckdb_views() "
            "WHERE NOT internal AND schema_name IN ('current', 'mart') AND database_name = current_database()"
        )
        for schema, view in connection.execute(views).fetchall():
            connection.execute(f"DROP VIEW IF EXISTS {schema}.{identifier(view)}{'' if is_shared else ' CASCADE'}")
    added = [
        f"ALTER TABLE {schema}.{identifier(table)} ADD COLUMN {identifier(column)} {sql}"
        for schema, table, column, sql in missing
    ]
    computed = [name for kind, types in COMPUTED_TYPES.items() if kind in outdated for name in types]
    if LATEST_ROWS in outdated and not is_shared:
        # In a lake they are views.
        computed += [LATEST, UNANSWERED]
    dropped = [f"DROP TABLE IF EXISTS lineage.{identifier(name)}" for name in computed]
    # One call with 2,500 statements, most of them comments, takes a third less time than one call for each.
    connection.execute(";\n".join((*added, *dropped, *schema_statements, store_fingerprints())))
    return [f"{schema}.{table}.{column}" for schema, table, column, _ in missing]
