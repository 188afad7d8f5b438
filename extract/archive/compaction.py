"""Many small sealed files put together into large ones: the same rows in the same order, the same bytes in each body.

The large file names those that it replaces, and they do not count from the moment that it has its name. So a process
may die at any point: before that there are only the small ones, after it only the large one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from innspect.extract.archive import file_format as sealed
from innspect.extract.archive.archive import TOGETHER, Archive
from innspect.extract.archive.file_format import ANSWERS, Notes
from innspect.schemas.errors import ArchiveDamaged

LARGE_BYTES = 96 * 2**20
"""A large file holds so many bytes of bodies at most."""
LARGE_ROWS = 100_000
"""And so many rows."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """A large file, and the files that it took the place of (both as `<kind>/<name>`)."""

    file: str
    replaced: tuple[str, ...]
    rows: int


def compact(archive: Archive, kind: str) -> Iterator[Compacted]:
    """Put neighbouring files of a kind together; each large file is in its place when it is given, the small ones too.

    Whoever takes it has told the warehouse before asking for the next: then the small ones are removed. Only for who
    holds the lock of the home and has the archive `alone`. Raises ArchiveDamaged, before anything is replaced by
    damaged bytes; DiskFull, StoreError.
    """
    for files in _groups(archive, kind):
        frames = [archive.read(file) for file in files]
        made = _put_together(archive, kind, files, pl.concat(frames))
        yield made
        archive.remove(made.replaced)


def _put_together(archive: Archive, kind: str, files: list[str], frame: pl.DataFrame) -> Compacted:
    said = [archive.notes(file) for file in files]
    names = [Path(file).name for file in files]
    replaces = dict.fromkeys(name for note, own in zip(said, names, strict=True) for name in (*note.replaces, own))
    file = f"{kind}/{_name(names[0])}"
    content = sealed.packed(frame, Notes(said[0].first_at, tuple(replaces)))
    # What was sealed goes only when these very bytes give it back.
    if not sealed.unpacked(file, content).equals(frame):
        raise ArchiveDamaged(
            f"The files from {files[0]} to {files[-1]} do not come back whole when they are put together; they stay as "
            "they are, check the machine's memory.",
            file=file,
        )
    archive.write(file, content)
    return Compacted(file, tuple(files), frame.height)


def _name(first: str) -> str:
    """The name of a large file: it stands where the first of its files stood, also among files of the same moment."""
    stem, _, number = Path(first).stem.partition(TOGETHER)
    return f"{stem}{TOGETHER}{int(number or 0) + 1:05d}.parquet"


def _groups(archive: Archive, kind: str) -> Iterator[list[str]]:
    """Files in order, as many neighbours as a large file holds; none alone."""
    waiting: list[str] = []
    rows = size = 0
    for file in archive.files(kind):
        more_rows, more = _extent(archive, file)
        if waiting and (rows + more_rows > LARGE_ROWS or size + more > LARGE_BYTES):
            if len(waiting) > 1:
                yield waiting
            waiting, rows, size = [], 0, 0
        waiting.append(file)
        rows, size = rows + more_rows, size + more
    if len(waiting) > 1:
        yield waiting


def _extent(archive: Archive, file: str) -> tuple[int, int]:
    """Rows and bytes of bodies of a file. Raises ArchiveDamaged where it cannot be read."""
    column = "bytes" if file.startswith(f"{ANSWERS}/") else "run_id"
    said = archive.columns(file, [column])[column]
    return said.len(), int(said.sum()) if column == "bytes" else 0
