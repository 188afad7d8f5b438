"""Compaction: merge many small files into large ones, with the same rows, order and bodies.

A compacted file names the files that it replaces, and they no longer count as soon as it exists. The process may
therefore die at any point: either only the small files count, or only the compacted one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from innspect.extract.archive import file_format
from innspect.extract.archive.archive import COMPACTION_SEPARATOR, Archive
from innspect.extract.archive.file_format import ANSWERS, FileMetadata
from innspect.schemas.errors import ArchiveDamaged

MAX_BODY_BYTES = 96 * 2**20
"""Limit of a compacted file: bytes of bodies."""
MAX_ROWS = 100_000
"""Limit of a compacted file: rows."""


@dataclass(frozen=True, slots=True)
class CompactedFile:
    """A compacted file and the files that it replaces (all as `<kind>/<name>`)."""

    file: str
    replaced: tuple[str, ...]
    rows: int


def compact(archive: Archive, kind: str) -> Iterator[CompactedFile]:
    """Merge adjacent files of a kind; yield each compacted file while the files that it replaces still exist.

    They are removed when the next one is requested; the caller updates the warehouse before that. The caller holds the
    lock of the home and the `rewrite_lock` of the archive. Raises ArchiveDamaged before anything is replaced, DiskFull,
    StoreError.
    """
    for files in _groups(archive, kind):
        compacted = _merge(archive, kind, files, pl.concat([archive.read_rows(file) for file in files]))
        yield compacted
        archive.remove(compacted.replaced)


def _merge(archive: Archive, kind: str, files: list[str], frame: pl.DataFrame) -> CompactedFile:
    metadata = [archive.read_metadata(file) for file in files]
    names = [Path(file).name for file in files]
    replaces = dict.fromkeys(
        name for entry, own_name in zip(metadata, names, strict=True) for name in (*entry.replaces, own_name)
    )
    file = f"{kind}/{_compacted_name(names[0])}"
    content = file_format.encode_file(frame, FileMetadata(metadata[0].first_at, tuple(replaces)))
    # The originals are removed later, so verify the written bytes first.
    if not file_format.decode_file(file, content).equals(frame):
        raise ArchiveDamaged(
            f"The files from {files[0]} to {files[-1]} change when they are compacted; they stay as they are, check "
            "the machine's memory.",
            file=file,
        )
    archive.write(file, content)
    return CompactedFile(file, tuple(files), frame.height)


def _compacted_name(first: str) -> str:
    """The name of a compacted file; it sorts where its first file did, also among files of the same time."""
    stem, _, number = Path(first).stem.partition(COMPACTION_SEPARATOR)
    return f"{stem}{COMPACTION_SEPARATOR}{int(number or 0) + 1:05d}.parquet"


def _groups(archive: Archive, kind: str) -> Iterator[list[str]]:
    """Two or more adjacent files that fit into one compacted file, in order."""
    group: list[str] = []
    rows = size = 0
    for file in archive.files(kind):
        file_rows, file_size = _file_size(archive, file)
        if group and (rows + file_rows > MAX_ROWS or size + file_size > MAX_BODY_BYTES):
            if len(group) > 1:
                yield group
            group, rows, size = [], 0, 0
        group.append(file)
        rows, size = rows + file_rows, size + file_size
    if len(group) > 1:
        yield group


def _file_size(archive: Archive, file: str) -> tuple[int, int]:
    """Rows and bytes of bodies of a file. Raises ArchiveDamaged if it cannot be read."""
    column = "bytes" if file.startswith(f"{ANSWERS}/") else "run_id"
    values = archive.read_columns(file, [column])[column]
    return values.len(), int(values.sum()) if column == "bytes" else 0
