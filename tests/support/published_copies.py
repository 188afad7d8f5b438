"""Compare published copies cell by cell."""

import json
from pathlib import Path

import duckdb

LIVE_COLUMNS = {"age_days", "age_years", "assessed_at", "published_at"}
"""Columns that depend on the moment of reading or of publishing."""


def differing_relations(one: Path, other: Path) -> list[str]:
    """Tables and views whose rows or columns differ between two copies, and relations that only one of them has.

    A view with the same query in both has the same rows if the tables have: its rows are not read.
    """
    with duckdb.connect(":memory:") as connection:
        for name, path in (("one", one), ("other", other)):
            connection.execute(f"ATTACH '{path}' AS {name} (READ_ONLY)")
        columns = connection.execute(
            "SELECT schema_name, table_name, database_name, list({'name': column_name, 'type': data_type, "
            "'comment': comment} ORDER BY column_index) FROM duckdb_columns() "
            "WHERE database_name IN ('one', 'other') AND NOT internal GROUP BY ALL ORDER BY ALL"
        ).fetchall()
        found: dict[tuple[str, str], dict[str, list[dict[str, str]]]] = {}
        for schema, table, database, cells in columns:
            found.setdefault((schema, table), {})[database] = cells
        same_views = set(
            connection.execute(
                "SELECT schema_name, view_name FROM duckdb_views() WHERE database_name IN ('one', 'other') "
                "AND NOT internal GROUP BY ALL HAVING count(*) = 2 AND count(DISTINCT sql) = 1"
            ).fetchall()
        )
        differing: list[str] = []
        for (schema, table), described in found.items():
            if described.get("one") != described.get("other"):
                differing.append(f"{schema}.{table} (columns)")
                continue
            if (schema, table) in same_views:
                continue
            names = ", ".join(f'"{cell["name"]}"' for cell in described["one"] if cell["name"] not in LIVE_COLUMNS)
            if _differ(connection, names, *(f'{database}.{schema}."{table}"' for database in ("one", "other"))):
                differing.append(f"{schema}.{table}")
        return differing


def differing_parquet(copy: Path, folder: Path) -> list[str]:
    """Relations of a manifest whose files have other rows than the copy."""
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    differing: list[str] = []
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"ATTACH '{copy}' AS copy (READ_ONLY)")
        connection.execute("USE copy")
        for entry in manifest["tables"]:
            names = ", ".join(f'"{cell["name"]}"' for cell in entry["columns"] if cell["name"] not in LIVE_COLUMNS)
            files = [str(folder / file["file"]) for file in entry["files"]]
            if _differ(connection, names, f'{entry["schema"]}."{entry["name"]}"', f"read_parquet({files})"):
                differing.append(f"{entry['schema']}.{entry['name']}")
    return differing


def _differ(connection: duckdb.DuckDBPyConnection, names: str, one: str, other: str) -> bool:
    """Whether some row is not as many times in one relation as in the other, by columns with these names.

    Each relation is read once; EXCEPT ALL in both directions would plan and read it twice.
    """
    query = f"""
        SELECT count(*) FROM (
            SELECT {names} FROM (SELECT 1 AS _times, {names} FROM {one} UNION ALL SELECT -1, {names} FROM {other})
            GROUP BY ALL HAVING sum(_times) <> 0
        )
    """
    return connection.execute(query).fetchall() != [(0,)]
