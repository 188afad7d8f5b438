"""Erase from the archive what the tombstones name."""

from dataclasses import dataclass

from innspect.extract.archive import file_format
from innspect.extract.archive.archive import Archive
from innspect.extract.home.tombstones import Tombstones

ERASURE_COLUMNS = {
    "answers": ["inn", "asked_at"],
    "calls": ["inn"],
    "members": ["inn", "extra"],
    "rejected": ["value"],
}
"""Kinds of file from which rows may be erased, with the columns that decide it."""


@dataclass(frozen=True, slots=True)
class ErasedRows:
    """Numbers of rewritten files and of erased rows; `calls` remain under a pseudonym."""

    files: int = 0
    answers: int = 0
    members: int = 0
    rejected: int = 0
    calls: int = 0


def erase_rows(archive: Archive, tombstones: Tombstones) -> ErasedRows:
    """Rewrite every file that holds erased rows under its own name; remove files without remaining rows.

    Remaining rows keep their bytes, hashes and order. Can be interrupted after any file and repeated. The caller holds
    the lock of the home and the `rewrite_lock` of the archive. Raises ArchiveDamaged, DiskFull, StoreError.
    """
    files = 0
    erased = dict.fromkeys(ERASURE_COLUMNS, 0)
    for kind in ERASURE_COLUMNS:
        for file in find_files_to_erase(archive, kind, tombstones):
            rows = archive.read_rows(file)
            remaining = tombstones.drop_erased(kind, rows)
            if remaining.is_empty():
                archive.remove([file])
            else:
                archive.write(file, file_format.encode_file(remaining, archive.read_metadata(file)))
            dropped = rows.height - remaining.height
            erased[kind] += dropped or int((rows["inn"] != remaining["inn"]).sum())
            files += 1
    return ErasedRows(files, **erased)


def find_files_to_erase(archive: Archive, kind: str, tombstones: Tombstones) -> list[str]:
    """The files of a kind that hold erased rows. Raises ArchiveDamaged if a file cannot be read."""
    files = archive.files(kind) if tombstones else []
    return [
        file for file in files if tombstones.has_erased_rows(kind, archive.read_columns(file, ERASURE_COLUMNS[kind]))
    ]
