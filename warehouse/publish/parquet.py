"""The published copy as Parquet: a folder a table or view, and a manifest that tells what each column means."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import msgspec

from innspect.warehouse.ddl import quoted, text
from innspect.warehouse.publish.build import STAMP, told

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


def write_parquet(copy: Path, folder: Path, left_out: list[str]) -> dict[str, Any]:
    """Write every table and view of a finished copy below an empty folder, all of it on disk at the end; the manifest.

    The copy is opened as any reader opens it. Raises DiskFull and StoreError.
    """
    with told(folder), duckdb.connect(str(copy), read_only=True) as connection:
        entries: list[dict[str, Any]] = []
        columns = {(schema, name): found for schema, name, found in connection.execute(COLUMNS).fetchall()}
        for schema, name, kind, comment in connection.execute(RELATIONS).fetchall():
            path = folder / f"{schema}.{name}" / DATA
            path.parent.mkdir(mode=0o700)
            done = connection.execute(
                f"COPY {schema}.{quoted(name)} TO {text(str(path))} (FORMAT parquet, COMPRESSION zstd)"
            ).fetchone()
            path.chmod(0o600)
            entries.append(
                {
                    "schema": schema,
                    "name": name,
                    "kind": kind,
                    "comment": comment,
                    "file": str(path.relative_to(folder)),
                    "rows": done[0] if done else 0,
                    "bytes": path.stat().st_size,
                    "columns": columns[schema, name],
                }
            )
        stamp = connection.execute(f"SELECT * FROM lineage.{STAMP}").fetchall()[0]
        published_at, run_id, software_version, exclude = stamp
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
        written = [folder / str(entry["file"]) for entry in entries]
        _on_disk([*written, *(file.parent for file in written), path, folder])
    return manifest


def _on_disk(paths: list[Path]) -> None:
    """Wait until all of it would outlive a power cut."""
    with ThreadPoolExecutor(8) as many:
        list(many.map(sync, paths))


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
