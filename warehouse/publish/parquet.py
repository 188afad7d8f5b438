"""The published copy as Parquet: one folder for each table or view, and a manifest with comments of columns."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import msgspec

from innspect.warehouse.ddl import identifier, literal
from innspect.warehouse.publish.full_copy import INFO_TABLE, translate_publish_errors

MANIFEST = "manifest.json"
DATA = "data.parquet"
RELATIONS = """
SELECT schema_name, table_name, 'table' AS kind, comment FROM duckdb_tables() WHERE NOT internal
UNION ALL SELECT schema_name, view_name, 'view', comment FROM duckdb_views() WHERE NOT internal
ORDER BY ALL
"""
COLUMNS = """
SELECT schema_name, table_name, list({'name': column_name, 'type': data_type, 'comment': comment} ORDER BY column_index)
FROM duckdb_columns() WHERE NOT internal GROUP BY ALL
"""


def write_parquet_files(copy: Path, folder: Path, left_out: list[str]) -> dict[str, Any]:
    """Write every table and view of a finished copy below an empty folder and sync it to disk; returns the manifest.

    Raises DiskFull and StoreError.
    """
    with translate_publish_errors(folder), duckdb.connect(str(copy), read_only=True) as connection:
        entries: list[dict[str, Any]] = []
        columns = {(schema, name): specs for schema, name, specs in connection.execute(COLUMNS).fetchall()}
        for schema, name, kind, comment in connection.execute(RELATIONS).fetchall():
            path = folder / f"{schema}.{name}" / DATA
            path.parent.mkdir(mode=0o700)
            copied = connection.execute(
                f"COPY {schema}.{identifier(name)} TO {literal(str(path))} (FORMAT parquet, COMPRESSION zstd)"
            ).fetchone()
            path.chmod(0o600)
            entries.append(
                {
                    "schema": schema,
                    "name": name,
                    "kind": kind,
                    "comment": comment,
                    "file": str(path.relative_to(folder)),
                    "rows": copied[0] if copied else 0,
                    "bytes": path.stat().st_size,
                    "columns": columns[schema, name],
                }
            )
        info = connection.execute(f"SELECT * FROM lineage.{INFO_TABLE}").fetchall()[0]
        published_at, run_id, software_version, exclude = info
        manifest = {
            "published_at": published_at.isoformat(timespec="seconds") + "Z",
            "run_id": run_id,
            "software_version": software_version,
            "exclude": exclude,
            "left_out": left_out,
            "tables": entries,
        }
        path = folder / MANIFEST
        path.write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")
        path.chmod(0o600)
        files = [folder / str(entry["file"]) for entry in entries]
        _sync([*files, *(file.parent for file in files), path, folder])
    return manifest


def _sync(paths: list[Path]) -> None:
    """Sync files and folders to disk, eight at a time."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(fsync_path, paths))


def fsync_path(path: Path) -> None:
    """Sync a file, or the entries of a folder, to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
