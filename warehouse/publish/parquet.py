"""The published copy as Parquet: one folder for each table or view, and a manifest with comments of columns.

A table whose rows are only ever added has a file for each publication that added some, named after its number of the
last load; other relations have one file, which is written again if it has changed. Files that stay are hard links
to those of the previous publication: each publication is a folder of its own, complete and consistent.
"""

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import duckdb
import msgspec

from innspect.schemas.lineage import LINEAGE
from innspect.schemas.tables import tables
from innspect.warehouse.database import log_lifted_limit, rising_limits
from innspect.warehouse.ddl import identifier, literal
from innspect.warehouse.export.csv_json import select_json_as_text
from innspect.warehouse.latest import memory_for_inns
from innspect.warehouse.marts.portfolio_views import SCHEMA as PORTFOLIO_VIEWS
from innspect.warehouse.publish.copy_builder import INFO_TABLE, BuiltCopy, translate_publish_errors
from innspect.warehouse.publish.marts import live_columns

MEMORY_MEGABYTES = 256
"""A writer of Parquet has buffers of its own besides, and the process has just made the copy."""
REOPENED_ROWS = 2_000_000
"""Rows that were read, after which the copy is opened again: DuckDB keeps in memory which of them were deleted."""
MANIFEST = "manifest.json"
FORMAT = "FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1"
"""The files are as large as with the default level, 3, and take 7 % less time."""
ROW_GROUP_SIZE = 30_720
"""Rows of a row group, a quarter of DuckDB's default: each thread has one in memory before it is written."""
DATA = "data.parquet"
JSON, JSON_NOTE = "JSON", "JSON as text."
"""Type of a column that is text in Parquet, and the end of its comment in the manifest."""
MAX_FILES = 30
"""Files of a table from which on they are written as one."""
Scope = Literal["none", "marts", "all"]
RELATIONS = """
SELECT schema_name, table_name, 'table' AS kind, comment FROM duckdb_tables() WHERE NOT internal
UNION ALL SELECT schema_name, view_name, 'view', comment FROM duckdb_views() WHERE NOT internal
ORDER BY ALL
"""
COLUMNS = """
SELECT schema_name, table_name, list({'name': column_name, 'type': data_type, 'comment': comment} ORDER BY column_index)
FROM duckdb_columns() WHERE NOT internal GROUP BY ALL
"""


class DataFile(msgspec.Struct, frozen=True):
    """A Parquet file of the manifest; `file` is relative to the manifest's folder.

    `digest`: number and hash of all rows, independent of their order, of a relation whose rows may change; else empty.
    """

    file: str
    rows: int
    bytes: int
    digest: str = ""


@dataclass(frozen=True, slots=True)
class PreviousFiles:
    """The Parquet files of the copy that the new copy continues, by `schema.name`."""

    folder: Path
    files: Mapping[str, list[DataFile]] = field(default_factory=dict[str, list[DataFile]])


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of a folder; None if there is none that can be read."""
    try:
        return msgspec.json.decode((folder / MANIFEST).read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.MsgspecError):
        return None


def has_files(folder: Path, manifest: Mapping[str, Any]) -> bool:
    """Whether all files that a manifest lists are in its folder, with their sizes."""
    files = (file for entry in manifest["tables"] for file in entry["files"])
    try:
        return all((folder / file["file"]).stat().st_size == file["bytes"] for file in files)
    except OSError:
        return False


def find_previous_files(folder: Path, token: str) -> PreviousFiles | None:
    """The files that the manifest of a folder lists, if it was written for the load of this token; else None."""
    manifest = read_manifest(folder)
    if manifest is None or manifest.get("load_token") != token:
        return None
    try:
        files = {
            f"{entry['schema']}.{entry['name']}": msgspec.convert(entry["files"], list[DataFile])
            for entry in manifest["tables"]
        }
    except (msgspec.MsgspecError, KeyError, TypeError):
        return None
    return PreviousFiles(folder, files)


def write_parquet_files(
    copy: Path,
    folder: Path,
    built: BuiltCopy,
    scope: Scope = "all",
    previous: PreviousFiles | None = None,
    max_files: int = MAX_FILES,
) -> dict[str, Any]:
    """Write tables and views of a finished copy below an empty folder and sync it to disk; returns the manifest.

    `previous`: files of the copy that this one continues; what did not change is linked. A table of `max_files` files
    is written as one. Raises DiskFull and StoreError.
    """
    with translate_publish_errors(folder), ExitStack() as stack:
        connection = stack.enter_context(_open(copy))
        columns = {(schema, name): specs for schema, name, specs in connection.execute(COLUMNS).fetchall()}
        relations = connection.execute(RELATIONS).fetchall()
        rows = _count_all_rows(connection, [(schema, name) for schema, name, kind, _ in relations if kind == "table"])
        info = connection.execute(f"SELECT * FROM lineage.{INFO_TABLE}").fetchall()[0]
        types = {key: {spec["name"]: spec["type"] for spec in specs} for key, specs in columns.items()}
        own_limit = str(connection.execute("SELECT current_setting('memory_limit')").fetchall()[0][0])
        previous = previous if built.is_delta else None
        writer = _FolderWriter(connection, folder, built, previous, max_files, types, own_limit)
        entries: list[dict[str, Any]] = []
        limit = memory_for_inns(connection, MEMORY_MEGABYTES)
        # To count rows, DuckDB keeps in memory which were deleted.
        rows_read = rows
        for schema, name, kind, comment in relations:
            if scope == "none" or (scope == "marts" and schema not in ("mart", PORTFOLIO_VIEWS)):
                continue
            if rows_read > REOPENED_ROWS:
                connection.close()
                connection = writer.connection = stack.enter_context(_open(copy))
                writer.limit = own_limit
                rows_read = 0
            specs = [_describe(spec) for spec in columns[schema, name]]
            files = _write_in_bounds(writer, schema, name, limit, own_limit)
            entries.append(
                {
                    "schema": schema,
                    "name": name,
                    "kind": kind,
                    "comment": comment,
                    "files": [msgspec.to_builtins(file) for file in files],
                    "rows": sum(file.rows for file in files),
                    "bytes": sum(file.bytes for file in files),
                    "columns": specs,
                }
            )
            rows_read += sum(file.rows for file in files)
        # Other connections of this process to the copy have the same limit.
        writer.limit_memory(own_limit)
        published_at, run_id, software_version, exclude = info
        manifest = {
            "published_at": published_at.isoformat(timespec="seconds") + "Z",
            "run_id": run_id,
            "software_version": software_version,
            "exclude": exclude,
            "left_out": built.left_out,
            "load_token": built.watermark.token,
            "software": built.watermark.version,
            "scope": scope,
            "copy": {"relations": len(relations), "rows": rows},
            "tables": entries,
        }
        path = folder / MANIFEST
        path.write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")
        path.chmod(0o600)
        folders = [folder / _folder_name(entry["schema"], entry["name"]) for entry in entries]
        _sync([*writer.written, *folders, path, folder])
    return manifest


def _open(copy: Path) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(str(copy), read_only=True)
    # No reader may rely on an order. To keep one, finished row groups wait in memory for those before them.
    connection.execute("SET preserve_insertion_order = false")
    return connection


class _FolderWriter:
    """Writes the files of one publication; `written` are those that are no links.

    `types`: the types of the columns of each relation. `limit`: the limit of memory that is in effect.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        folder: Path,
        built: BuiltCopy,
        previous: PreviousFiles | None,
        max_files: int,
        types: Mapping[tuple[str, str], Mapping[str, str]],
        limit: str,
    ) -> None:
        self.types, self.limit = types, limit
        self.connection, self.folder, self.built = connection, folder, built
        self.previous, self.max_files = previous, max_files
        self.written: list[Path] = []

    def limit_memory(self, limit: str) -> None:
        """Limit the memory of DuckDB, unless this limit is in effect: to set it takes as long as a small relation."""
        if limit != self.limit:
            _limit_memory(self.connection, limit)
            self.limit = limit

    def write(self, schema: str, name: str) -> Iterator[DataFile]:
        """Write or link the files of a table or view."""
        key = f"{schema}.{name}"
        folder = _folder_name(schema, name)
        (self.folder / folder).mkdir(mode=0o700)
        known = [] if self.previous is None else list(self.previous.files.get(key, ()))
        is_appended = schema == "core" or (schema == "lineage" and name in LINEAGE and LINEAGE[name].is_append_only)
        own_name = f"{self.built.watermark.load_no:06d}.parquet" if is_appended else DATA
        is_hashed = not is_appended and schema != "current" and not self._has_age(schema, name)
        digest = _digest(self.connection, schema, name, self.types[schema, name]) if is_hashed else ""
        differs = digest not in {file.digest for file in known} or not self._can_link(schema, name)
        if not known or (not is_appended and differs) or len(known) >= self.max_files:
            yield self._copy(schema, name, f"{folder}/{own_name}", digest)
            return
        for file in known:
            yield self._link(file)
        if is_appended:
            # The copy, too, has the rows in the order in which they were added.
            first = sum(file.rows for file in known)
            if _count_rows(self.connection, schema, name) > first:
                yield self._copy(schema, name, f"{folder}/{own_name}", first_row=first)

    def _has_age(self, schema: str, name: str) -> bool:
        """Whether a mart or view has a column that grows with time."""
        return schema in ("mart", PORTFOLIO_VIEWS) and bool(live_columns(self.types[schema, name]))

    def _can_link(self, schema: str, name: str) -> bool:
        """Whether the files of a relation may stay: those of a mart with an age never do.

        Those of a view of `current` do if its block has no new snapshots. Neither has a digest.
        """
        if schema == "current":
            return tables()[name].block not in self.built.new_blocks
        return not self._has_age(schema, name)

    def _copy(self, schema: str, name: str, file: str, digest: str = "", first_row: int = 0) -> DataFile:
        """Write a relation, from a row on; a JSON column as text: without it most readers get bytes."""
        path, options = self.folder / file, f"{FORMAT}, ROW_GROUP_SIZE {ROW_GROUP_SIZE}"
        types = self.types[schema, name]
        if names := [column for column, type_ in types.items() if type_ == JSON]:
            options += f", KV_METADATA {{json_columns: {literal(','.join(names))}}}"
        query = f"SELECT {select_json_as_text(names)} FROM {schema}.{identifier(name)}" + (
            f" WHERE rowid >= {first_row}" if first_row else ""
        )
        copied = self.connection.execute(f"COPY ({query}) TO {literal(str(path))} ({options})").fetchone()
        path.chmod(0o600)
        self.written.append(path)
        return DataFile(file, copied[0] if copied else 0, path.stat().st_size, digest)

    def _link(self, file: DataFile) -> DataFile:
        assert self.previous is not None
        path = self.folder / file.file
        try:
            path.hardlink_to(self.previous.folder / file.file)
        except OSError:
            # A file system without links.
            shutil.copyfile(self.previous.folder / file.file, path)
            path.chmod(0o600)
            self.written.append(path)
        return file


def _write_in_bounds(writer: _FolderWriter, schema: str, name: str, limit: str, own_limit: str) -> list[DataFile]:
    """Write or link the files of a relation; if its query cannot keep to the limit of memory, with a higher one.

    Not every query can use the disk for all that it needs, and publishing must not fail by our own limit: the last one
    is DuckDB's own.
    """
    for bound in rising_limits(limit):
        writer.limit_memory(bound)
        try:
            return list(writer.write(schema, name))
        except duckdb.OutOfMemoryException as error:
            log_lifted_limit(bound, error)
            shutil.rmtree(writer.folder / _folder_name(schema, name))
    writer.limit_memory(own_limit)
    return list(writer.write(schema, name))


def _limit_memory(connection: duckdb.DuckDBPyConnection, limit: str) -> None:
    """Limit the memory of DuckDB, unless more is in use now."""
    with suppress(duckdb.OutOfMemoryException):
        connection.execute(f"SET memory_limit = {literal(limit)}")


def _describe(spec: dict[str, Any]) -> dict[str, Any]:
    """A column for the manifest, as it is in the file."""
    if spec["type"] != JSON:
        return spec
    return {**spec, "type": "VARCHAR", "comment": f"{spec['comment'] or ''} {JSON_NOTE}".strip()}


def _folder_name(schema: str, name: str) -> str:
    """The folder of a relation; of a portfolio whose name a file system may not accept, with a hash of the name."""
    safe = re.sub(r"[^\w-]+", "_", name)[:60]
    return f"{schema}.{name}" if safe == name else f"{schema}.{safe}-{sha256(name.encode()).hexdigest()[:8]}"


def _count_rows(connection: duckdb.DuckDBPyConnection, schema: str, name: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM {schema}.{identifier(name)}").fetchall()[0][0])


def _digest(connection: duckdb.DuckDBPyConnection, schema: str, name: str, types: Mapping[str, str]) -> str:
    """A hash of the rows and columns. Hashing the rows takes a sixth of the time of writing them."""
    query = f"SELECT count(*) || ' ' || coalesce(sum(hash(t)::HUGEINT), 0) FROM {schema}.{identifier(name)} t"
    rows = str(connection.execute(query).fetchall()[0][0])
    return f"{rows} {sha256(repr(list(types.items())).encode()).hexdigest()[:8]}"


def _count_all_rows(connection: duckdb.DuckDBPyConnection, stored: list[tuple[str, str]]) -> int:
    """The rows of all tables together: one statement takes less time than one for each of hundreds of tables."""
    counts = " UNION ALL ".join(f"SELECT count(*) AS n FROM {schema}.{identifier(name)}" for schema, name in stored)
    return int(connection.execute(f"SELECT sum(n) FROM ({counts})").fetchall()[0][0])


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
