"""The types of the marts' columns, which only the database knows: it works them out from the queries."""

from functools import cache

import duckdb

from innspect.warehouse.ddl import statements
from innspect.warehouse.marts.registry import mart_statements


@cache
def mart_columns() -> dict[str, dict[str, str]]:
    """The type of each column by mart, in the order of the view; all is made once in an empty database in memory."""
    with duckdb.connect() as connection:
        for statement in (*statements(), *mart_statements()):
            connection.execute(statement)
        rows = connection.execute(
            "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE schema_name = 'mart' "
            "ORDER BY table_name, column_index"
        ).fetchall()
    found: dict[str, dict[str, str]] = {}
    for mart, column, kind in rows:
        found.setdefault(mart, {})[column] = kind
    return found
