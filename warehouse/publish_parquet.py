"""The published copy as Parquet: a folder a table or view, and a manifest that tells what each column means."""

import os
import shutil
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import msgspec

from warehouse.ddl import quoted, text
from warehouse.publish import STAMP, told

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


@dataclass(frozen=True, slots=True)
class Before:
    """The folder of the publishing before, and the tables and views (schema, name) of which rows may be others by now.

    Each of them has the columns that it had.
    """

    folder: Path
    renewed: Collection[tuple[str, str]]


def write_parquet(copy: Path, folder: Path, left_out: list[str], before: Before | None = None) -> dict[str, Any]:
    """Write every table and view of a finished copy below an empty folder, all of it on disk at the end; the manifest.

    The copy is opened as any reader opens it. Files that `before` has already are one with them. Raises DiskFull and
    StoreError.
    """
    known = _known(before)
    with told(folder), duckdb.connect(str(copy), read_only=True) as connection:
        entries: list[dict[str, Any]] = []
        columns: dict[tuple[str, str], Any] = {}
        written: list[Path] = []
        for schema, name, kind, comment in connection.execute(RELATIONS).fetchall():
            path = folder / f"{schema}.{name}" / DATA
            path.parent.mkdir(mode=0o700)
            entry = known.get((schema, name))
            if before is not None and entry is not None:
                if (schema, name) not in before.renewed and _taken_over(before.folder / entry["file"], path, entry):
                    entries.append(entry)
                    continue
                columns[schema, name] = entry["columns"]
            if (schema, name) not in columns:
                columns |= {(schema, name): found for schema, name, found in connection.execute(COLUMNS).fetchall()}
            done = connection.execute(
                f"COPY {schema}.{quoted(name)} TO {text(str(path))} (FORMAT parquet, COMPRESSION zstd)"
            ).fetchone()
            path.chmod(0o600)
            written.append(path)
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
        folders = [(folder / str(entry["file"])).parent for entry in entries]
        _on_disk([*written, *folders, path, folder])
    return manifest


def _known(before: Before | None) -> dict[tuple[str, str], dict[str, Any]]:
    """What the manifest before says of each table and view."""
    if before is None:
        return {}
    entries = msgspec.json.decode((before.folder / MANIFEST).read_bytes())["tables"]
    return {(entry["schema"], entry["name"]): entry for entry in entries}


def _taken_over(old: Path, new: Path, entry: dict[str, Any]) -> bool:
    """Let a file of the folder before stand in the new one too; False where it is not what was written."""
    if not old.exists() or old.stat().st_size != entry["bytes"]:
        return False
    try:
        os.link(old, new)
    except OSError:
        # Not every file system has two names for one file.
        shutil.copyfile(old, new)
        new.chmod(0o600)
        sync(new)
    return True


def _on_disk(paths: list[Path]) -> None:
    """Wait until all of it would outlive a power cut. What was taken over has been waited for before."""
    with ThreadPoolExecutor(8) as many:
        list(many.map(sync, paths))


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
