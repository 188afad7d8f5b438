"""Format of an archive file: Parquet with the hash of all its bytes, and with the hash of each response body."""

import hashlib
import io
import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import polars as pl

from innspect.schemas.errors import ArchiveDamaged
from innspect.schemas.lineage import ADDED_ARCHIVE_COLUMNS, ARCHIVE

ANSWERS = "answers"
"""The kind of the files of responses."""
READ_ERRORS = (OSError, KeyError, pl.exceptions.PolarsError, pl.exceptions.PanicException)
_FIRST_AT_KEY, _REPLACES_KEY = "innspect.first_at", "innspect.replaces"
_TIME_COLUMNS = {ANSWERS: "asked_at", "calls": "reserved_at", "runs": "started_at", "members": "seen_at"}
_ROW_GROUP_ROWS = 512
_HASH_PREFIX = b"innspect sha256 "


@dataclass(frozen=True, slots=True)
class FileMetadata:
    """Metadata of an archive file: the time of its first row, which orders the files, and the files it replaces.

    `replaces` are names without folder of the files that were compacted into it, also those of earlier compactions.
    """

    first_at: str = ""
    replaces: tuple[str, ...] = ()


def new_metadata(kind: str, frame: pl.DataFrame) -> FileMetadata:
    """The metadata of a new file with these rows."""
    column = _TIME_COLUMNS.get(kind)
    first = frame[column].min() if column is not None else None
    return FileMetadata(first.isoformat(timespec="microseconds") if isinstance(first, datetime) else "")


def encode_file(frame: pl.DataFrame, metadata: FileMetadata) -> bytes:
    """The bytes of an archive file."""
    entries = {_FIRST_AT_KEY: metadata.first_at} if metadata.first_at else {}
    if metadata.replaces:
        entries[_REPLACES_KEY] = json.dumps(metadata.replaces)
    content = io.BytesIO()
    frame.write_parquet(content, compression="zstd", row_group_size=_ROW_GROUP_ROWS, metadata=entries)
    return _insert_hash(content.getvalue())


def decode_file(file: str, content: bytes, first: int = 0, rows: int | None = None) -> pl.DataFrame:
    """The rows (frame of `ARCHIVE`) of a file `<kind>/<name>`: all, or `rows` rows from row `first` on.

    Raises ArchiveDamaged if the file, or the body of one of these responses, does not match its hash.
    """
    kind = file.partition("/")[0]
    # Check before parsing: a Parquet reader may return wrong values from damaged pages, or crash.
    if not _has_valid_hash(content):
        raise ArchiveDamaged(f"The archive file {file} does not match its hash; restore it from a copy.", file=file)
    try:
        # Row groups outside the slice are not decompressed.
        frame = pl.scan_parquet(io.BytesIO(content)).slice(first, rows).collect()
        added = {name: pl.lit(value) for name, value in ADDED_ARCHIVE_COLUMNS.get(kind, {}).items()}
        frame = frame.match_to_schema(pl.Schema(ARCHIVE[kind]), missing_columns=added)
    except READ_ERRORS as fault:
        raise damaged_file_error(file, fault) from fault
    if kind == ANSWERS:
        _check_bodies(file, frame)
    return frame


def damaged_file_error(file: str, fault: BaseException) -> ArchiveDamaged:
    """The error for a file that cannot be read."""
    return ArchiveDamaged(
        f"The archive file {file} cannot be read ({type(fault).__name__}); restore it from a copy.", file=file
    )


def _check_bodies(file: str, frame: pl.DataFrame) -> None:
    for response_id, digest, size, body in frame.select("response_id", "sha256", "bytes", "body").iter_rows():
        if body is None or len(body) != size or hashlib.sha256(body).hexdigest() != digest:
            raise ArchiveDamaged(
                f"The response {response_id} in the archive file {file} does not match its hash; restore the file from "
                "a copy.",
                file=file,
                response_id=response_id,
            )


def read_metadata(source: Path | io.BytesIO) -> FileMetadata:
    """The metadata of a file; empty if it cannot be read, since `decode_file` reports the damage."""
    try:
        entries = pl.read_parquet_metadata(source)
        return FileMetadata(entries.get(_FIRST_AT_KEY, ""), tuple(json.loads(entries.get(_REPLACES_KEY, "[]"))))
    except (*READ_ERRORS, ValueError):
        return FileMetadata()


def footer_bytes(tail: bytes) -> int:
    """The size of the Parquet footer, read from the last eight bytes of a file; the footer holds the metadata."""
    return 8 + int.from_bytes(tail[-8:-4], "little")


def _insert_hash(content: bytes) -> bytes:
    """The file with the hash of all its bytes inserted before the footer, where Parquet readers do not look."""
    footer = len(content) - footer_bytes(content)
    return b"".join((content[:footer], _HASH_PREFIX, hashlib.sha256(content).digest(), content[footer:]))


def _has_valid_hash(content: bytes) -> bool:
    footer = len(content) - footer_bytes(content)
    start = footer - len(_HASH_PREFIX) - hashlib.sha256().digest_size
    if start < 0:
        return False
    view = memoryview(content)
    digest = hashlib.sha256(view[:start])
    digest.update(view[footer:])
    return content[start:footer] == _HASH_PREFIX + digest.digest()
