"""The archive: sealed Parquet files that are never changed, each answer with the hash of its exact bytes."""

import errno
import os
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import polars as pl

from extract import sealed
from extract.fault_points import reach
from extract.sealed import ANSWERS, UNREADABLE, Notes
from extract.tombstones import Tombstones
from schemas.errors import ArchiveDamaged, DiskFull, StoreError
from schemas.lineage import ARCHIVE

_TORN = ".torn"
TOGETHER = "~"
"""Stands in the name of a file that others were put together in: `<name of the first>~<number>.parquet`."""


class Archive:
    """A folder with one for each kind of `schemas.lineage.ARCHIVE`, of files named `<kind>/<run_id>-<number>.parquet`.

    Files that were put together (`extract.compaction`) say which ones they replace: those do not count from the moment
    that the large one is there. Opening makes the folders, and removes what a killed process left: files half
    written, and files that are replaced. Only for who holds the lock of
    the home, unless `read_only`, which changes nothing. Raises StoreError where the folder cannot be used.
    """

    def __init__(self, folder: Path, *, read_only: bool = False, tombstones: Tombstones | None = None) -> None:
        self.folder = folder
        self._tombstones = tombstones
        if read_only:
            return
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for kind in ARCHIVE:
                (folder / kind).mkdir(mode=0o700, exist_ok=True)
            for torn in folder.glob(f"*/.*{_TORN}"):
                torn.unlink()
            for kind in ARCHIVE:
                self.sweep(kind)
        except OSError as fault:
            raise _unusable(folder, fault) from fault

    def seal(self, kind: str, run_id: str, frame: pl.DataFrame) -> str | None:
        """Seal rows (frame of `ARCHIVE[kind]`) in a new file and return its name, relative to the folder.

        None where nothing is new: the answers are in sealed files of the run, or the records are those of its last
        file. Raises ValueError for a run id that is no file name, DiskFull, StoreError; then there is no new file.
        """
        if not run_id or Path(run_id).name != run_id or run_id.startswith(".") or TOGETHER in run_id:
            raise ValueError(f"{run_id!r} is no file name")
        frame = frame.select(list(ARCHIVE[kind])).match_to_schema(pl.Schema(ARCHIVE[kind]))
        former = self._former(kind, run_id)
        frame = self._new(kind, frame, list(former.values()))
        if frame.is_empty():
            return None
        number = 1 + max((int(Path(name).stem.rpartition("-")[2]) for name in former), default=0)
        file = f"{kind}/{run_id}-{number:05d}.parquet"
        self.write(file, sealed.packed(frame, sealed.notes(kind, frame)))
        return file

    def _former(self, kind: str, run_id: str) -> dict[str, Path]:
        """The names that files of the run were given, in order, and where each one's rows are now."""
        pattern = f"{_literal(run_id)}-[0-9][0-9][0-9][0-9][0-9].parquet"
        found = {path.name: path for path in (self.folder / kind).glob(pattern)}
        for large in self._together(kind):
            found |= {name: large for name in sealed.notes_of(large).replaces if fnmatchcase(name, pattern)}
        return {name: found[name] for name in sorted(found)}

    def _new(self, kind: str, frame: pl.DataFrame, former: list[Path]) -> pl.DataFrame:
        """What is not in the run's files yet. A damaged file counts for nothing: its answers are sealed anew."""
        if kind != ANSWERS:
            return frame.clear() if former and self._holds(former[-1], frame) else frame
        for path in dict.fromkeys(former):
            if frame.is_empty():
                break
            try:
                ids = pl.read_parquet(path, columns=["response_id"])["response_id"]
                if frame["response_id"].is_in(ids.implode()).any():
                    self.read(f"{kind}/{path.name}")
            except (*UNREADABLE, ArchiveDamaged):
                continue
            frame = frame.filter(~pl.col("response_id").is_in(ids.implode()))
        return frame

    def _holds(self, path: Path, frame: pl.DataFrame) -> bool:
        """Whether the last that the file says of the run is just this."""
        try:
            said = self.read(f"{path.parent.name}/{path.name}")
        except ArchiveDamaged:
            return False
        if TOGETHER in path.name and frame.height:
            said = said.filter(pl.col("run_id") == frame["run_id"][0]).tail(frame.height)
        return said.equals(frame)

    def write(self, file: str, content: bytes) -> None:
        """Put the bytes of a sealed file in its place, whole or not at all. Raises DiskFull, StoreError."""
        path = self.folder / file
        beside = path.with_name(f".{path.name}{_TORN}")
        try:
            handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle, "wb") as written:
                written.write(content)
                written.flush()
                reach("before archive fsync")
                os.fsync(written.fileno())
            reach("before archive rename")
            beside.rename(path)
            reach("after archive rename")
            _sync_folder(path.parent)
            reach("after archive seal")
        except OSError as fault:
            beside.unlink(missing_ok=True)
            raise _unusable(self.folder, fault) from fault

    def remove(self, files: Iterable[str]) -> None:
        """Take files away, those that are there. Raises StoreError."""
        try:
            for folder, paths in _by_folder(self.folder / file for file in files).items():
                for path in paths:
                    reach("before archive unlink")
                    path.unlink(missing_ok=True)
                _sync_folder(folder)
                reach("after archive unlink")
        except OSError as fault:
            raise _unusable(self.folder, fault) from fault

    def sweep(self, kind: str) -> None:
        """Remove the files that are replaced by a large one."""
        replaced = self._replaced(kind)
        self.remove(f"{kind}/{name}" for name in sorted(replaced) if (self.folder / kind / name).exists())

    def notes(self, file: str) -> Notes:
        """What a file says of itself."""
        return sealed.notes_of(self.folder / file)

    def run_ids(self, kind: str) -> set[str]:
        """The runs that files of a kind tell of. Raises ArchiveDamaged for a large one that cannot be read."""
        found: set[str] = set()
        for file in self.files(kind):
            if TOGETHER in file:
                found |= set(self.read(file)["run_id"].to_list())
            else:
                found.add(Path(file).stem.rpartition("-")[0])
        return found

    def _together(self, kind: str) -> list[Path]:
        return sorted((self.folder / kind).glob(f"[!.]*{TOGETHER}*.parquet"))

    def _replaced(self, kind: str) -> set[str]:
        return {name for large in self._together(kind) for name in sealed.notes_of(large).replaces}

    def files(self, kind: str) -> list[str]:
        """The sealed files of a kind, relative to the folder, by the time of their first row."""
        replaced = self._replaced(kind)
        paths = (path for path in (self.folder / kind).glob("[!.]*.parquet") if path.name not in replaced)
        dated = [(sealed.notes_of(path).first_at, path.name) for path in paths]
        return [f"{kind}/{name}" for _, name in sorted(dated)]

    def read(self, file: str) -> pl.DataFrame:
        """The rows of a sealed file (frame of `ARCHIVE`); the file, and the body of every answer, have their hash.

        Raises ArchiveDamaged, which names the file and the answer.
        """
        try:
            content = (self.folder / file).read_bytes()
        except OSError as fault:
            raise sealed.unreadable(file, fault) from fault
        return sealed.unpacked(file, content)

    def kept(self, file: str) -> pl.DataFrame:
        """The rows of a sealed file that may be loaded: without what the tombstones say. Raises as `read` does."""
        frame = self.read(file)
        return self._tombstones.kept(file.partition("/")[0], frame) if self._tombstones else frame

    def verify(self) -> Iterator[ArchiveDamaged]:
        """Read and hash every file, and give what is wrong with each that is damaged."""
        for kind in ARCHIVE:
            for file in self.files(kind):
                try:
                    self.read(file)
                except ArchiveDamaged as fault:
                    yield fault


def _literal(run_id: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in run_id)


def _by_folder(paths: Iterable[Path]) -> dict[Path, list[Path]]:
    found: dict[Path, list[Path]] = {}
    for path in paths:
        found.setdefault(path.parent, []).append(path)
    return found


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _unusable(folder: Path, fault: OSError) -> StoreError:
    if fault.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(
            f"No space is left for the archive {folder}; free some and run again, the answers wait in the ledger.",
            path=str(folder),
        )
    return StoreError(
        f"The archive {folder} cannot be used ({fault.strerror}); correct its rights or name another folder.",
        path=str(folder),
    )
