"""The published marts as one workbook: a sheet a mart, and before them one that tells what their columns mean."""

from pathlib import Path

import duckdb

from innspect.warehouse.ddl import quoted, text
from innspect.warehouse.export.xlsx import workbook

ABOUT = """
SELECT table_name AS sheet, '' AS "column", '' AS type, comment AS meaning, 0 AS place
FROM duckdb_tables() WHERE schema_name = 'mart'
UNION ALL
SELECT table_name, column_name, data_type, comment, column_index FROM duckdb_columns() WHERE schema_name = 'mart'
"""


def write_workbook(copy: Path, path: Path) -> int:
    """Write the marts of a finished copy; how many texts were too long for a cell. Raises duckdb.Error and OSError."""
    with duckdb.connect(str(copy), read_only=True) as connection, workbook(path) as book:
        marts = connection.execute(
            "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'mart' ORDER BY ALL"
        ).fetchall()
        stamp = "SELECT 'published ' || strftime(published_at, '%Y-%m-%d %H:%M:%S') || ' UTC' FROM lineage.published"
        (made,) = connection.execute(stamp).fetchall()[0]
        first = f"SELECT 'about' AS sheet, '' AS \"column\", '' AS type, {text(made)} AS meaning, -1 AS place"
        book.add(
            connection,
            f"SELECT * EXCLUDE (place) FROM ({first} UNION ALL {ABOUT}) ORDER BY place >= 0, sheet, place",
            "about",
        )
        for (name,) in marts:
            book.add(connection, f"SELECT * FROM mart.{quoted(name)} ORDER BY ALL", name)
    path.chmod(0o600)
    return book.cut
