"""The published marts as one workbook: a sheet with the comments of all columns, then one sheet for each mart."""

from pathlib import Path

import duckdb

from innspect.warehouse.ddl import identifier, literal
from innspect.warehouse.export.xlsx import open_workbook

ABOUT = """
SELECT table_name AS sheet, '' AS "column", '' AS type, comment AS meaning, 0 AS pos
FROM duckdb_tables() WHERE schema_name = 'mart'
UNION ALL
SELECT table_name, column_name, data_type, comment, column_index FROM duckdb_columns() WHERE schema_name = 'mart'
"""


def write_workbook(copy: Path, path: Path) -> int:
    """Write the marts of a finished copy; returns the number of truncated texts. Raises duckdb.Error and OSError."""
    with duckdb.connect(str(copy), read_only=True) as connection, open_workbook(path) as book:
        marts = connection.execute(
            "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'mart' ORDER BY ALL"
        ).fetchall()
        info = "SELECT 'published ' || strftime(published_at, '%Y-%m-%d %H:%M:%S') || ' UTC' FROM lineage.published"
        (published,) = connection.execute(info).fetchall()[0]
        first = f"SELECT 'about' AS sheet, '' AS \"column\", '' AS type, {literal(published)} AS meaning, -1 AS pos"
        book.add_sheets(
            connection,
            f"SELECT * EXCLUDE (pos) FROM ({first} UNION ALL {ABOUT}) ORDER BY pos >= 0, sheet, pos",
            "about",
        )
        for (name,) in marts:
            book.add_sheets(connection, f"SELECT * FROM mart.{identifier(name)} ORDER BY ALL", name)
    path.chmod(0o600)
    return book.truncated_texts
