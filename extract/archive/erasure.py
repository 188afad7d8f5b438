"""What the tombstones say, done to the archive: files written anew, without what is not kept."""

from dataclasses import dataclass

from innspect.extract.archive import file_format as sealed
from innspect.extract.archive.archive import Archive
from innspect.extract.home.tombstones import Tombstones

LOOKED_AT = {
    "answers": ["inn", "asked_at"],
    "calls": ["inn"],
    "members": ["inn"],
    "rejected": ["value"],
}
"""Kinds of file that may have something to remove, and the columns that show it."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What was taken out of the archive, in rows; `calls` were not removed, but do not name the INN any more."""

    files: int = 0
    answers: int = 0
    members: int = 0
    rejected: int = 0
    calls: int = 0


def rewrite(archive: Archive, tombstones: Tombstones) -> Rewritten:
    """Write every file anew that holds what is not kept, under its own name; one that has nothing left is removed.

    What stays has the bytes, the hashes and the order that it had. File by file, so it can be cut short anywhere and
    repeated. Only for who holds the lock of the home and has the archive `alone`. Raises ArchiveDamaged, DiskFull,
    StoreError.
    """
    files = 0
    removed = dict.fromkeys(LOOKED_AT, 0)
    for kind in LOOKED_AT:
        for file in touched(archive, kind, tombstones):
            frame = archive.read(file)
            kept = tombstones.kept(kind, frame)
            if kept.is_empty():
                archive.remove([file])
            else:
                archive.write(file, sealed.packed(kept, archive.notes(file)))
            changed = frame.height - kept.height
            removed[kind] += changed or int((frame["inn"] != kept["inn"]).sum())
            files += 1
    return Rewritten(files, **removed)


def touched(archive: Archive, kind: str, tombstones: Tombstones) -> list[str]:
    """The files of a kind that hold what is not kept. Raises ArchiveDamaged where one cannot be read."""
    files = archive.files(kind) if tombstones else []
    return [file for file in files if tombstones.touches(kind, archive.columns(file, LOOKED_AT[kind]))]
