"""A sealed file: Parquet with the hash of all its bytes, and each answer with the hash of its own."""

import hashlib
import io
import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import polars as pl

from innspect.schemas.errors import ArchiveDamaged
from innspect.schemas.lineage import ARCHIVE

ANSWERS = "answers"
UNREADABLE = (OSError, KeyError, pl.exceptions.PolarsError, pl.exceptions.PanicException)
_FIRST_AT, _REPLACES = "innspect.first_at", "innspect.replaces"
_TIMES = {ANSWERS: "asked_at", "calls": "reserved_at", "runs": "started_at", "members": "seen_at"}
_ROWS_IN_GROUP = 512
_MARK = b"innspect sha256 "


@dataclass(frozen=True, slots=True)
class Notes:
    """What a file says of itself: the time of its first row, by which files are in order, and what it stands for.

    `replaces` are names (without folder) of files that were put together in it, those of their own past too.
    """

    first_at: str = ""
    replaces: tuple[str, ...] = ()


def notes(kind: str, frame: pl.DataFrame) -> Notes:
    """The notes of a new file with these rows."""
    time = _TIMES.get(kind)
    first = frame[time].min() if time is not None else None
    return Notes(first.isoformat(timespec="microseconds") if isinstance(first, datetime) else "")


def packed(frame: pl.DataFrame, said: Notes) -> bytes:
    """The bytes of a sealed file."""
    named = {_FIRST_AT: said.first_at} if said.first_at else {}
    if said.replaces:
        named[_REPLACES] = json.dumps(said.replaces)
    content = io.BytesIO()
    frame.write_parquet(content, compression="zstd", row_group_size=_ROWS_IN_GROUP, metadata=named)
    return _marked(content.getvalue())


def unpacked(file: str, content: bytes, first: int = 0, rows: int | None = None) -> pl.DataFrame:
    """The rows (frame of `ARCHIVE`) in the bytes of a file named `<kind>/<name>`: all, or so many from the first on.

    Raises ArchiveDamaged where the file, or the body of one of these answers, does not have its hash.
    """
    kind = file.partition("/")[0]
    # Before anything is parsed: what reads Parquet may take damaged pages for data, or break down over them.
    if not _is_whole(content):
        raise ArchiveDamaged(f"The archive file {file} is not what was sealed; restore it from a copy.", file=file)
    try:
        # Groups of rows outside of the slice are not decompressed.
        frame = pl.scan_parquet(io.BytesIO(content)).slice(first, rows).collect()
        frame = frame.match_to_schema(pl.Schema(ARCHIVE[kind]))
    except UNREADABLE as fault:
        raise unreadable(file, fault) from fault
    if kind == ANSWERS:
        _check_bodies(file, frame)
    return frame


def unreadable(file: str, fault: BaseException) -> ArchiveDamaged:
    """The error for a file that cannot be read at all."""
    return ArchiveDamaged(
        f"The archive file {file} cannot be read ({type(fault).__name__}); restore it from a copy.", file=file
    )


def _check_bodies(file: str, frame: pl.DataFrame) -> None:
    for response_id, wanted, size, body in frame.select("response_id", "sha256", "bytes", "body").iter_rows():
        if body is None or len(body) != size or hashlib.sha256(body).hexdigest() != wanted:
            raise ArchiveDamaged(
                f"The answer {response_id} in the archive file {file} is not what was sealed; restore the file from a "
                "copy.",
                file=file,
                response_id=response_id,
            )


def notes_of(source: Path | io.BytesIO) -> Notes:
    """The notes in a file; empty ones where it cannot be read: `unpacked` says what is wrong with it."""
    try:
        named = pl.read_parquet_metadata(source)
        return Notes(named.get(_FIRST_AT, ""), tuple(json.loads(named.get(_REPLACES, "[]"))))
    except (*UNREADABLE, ValueError):
        return Notes()


def notes_in(end: bytes) -> Notes:
    """The notes in the end of a file, of `tail_length(end)` bytes or more; what stands before has no part in them."""
    return notes_of(io.BytesIO(end))


def tail_length(end: bytes) -> int:
    """How many bytes at the end of a file tell its notes, by its last eight."""
    return 8 + int.from_bytes(end[-8:-4], "little")


def _marked(content: bytes) -> bytes:
    """The file with the hash of all its bytes just before its footer, where no reader of Parquet looks."""
    footer = _footer(content)
    return b"".join((content[:footer], _MARK, hashlib.sha256(content).digest(), content[footer:]))


def _is_whole(content: bytes) -> bool:
    footer = _footer(content)
    mark = footer - len(_MARK) - hashlib.sha256().digest_size
    if mark < 0:
        return False
    view = memoryview(content)
    summed = hashlib.sha256(view[:mark])
    summed.update(view[footer:])
    return content[mark:footer] == _MARK + summed.digest()


def _footer(content: bytes) -> int:
    """Where the footer begins: the last eight bytes are its length and four letters."""
    return len(content) - 8 - int.from_bytes(content[-8:-4], "little")
