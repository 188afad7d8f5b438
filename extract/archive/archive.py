"""The archive: sealed Parquet files that are never changed, each answer with the hash of its exact bytes."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

import polars as pl

from innspect.extract.archive import file_format as sealed
from innspect.extract.archive.backend import place_at
from innspect.extract.archive.file_format import ANSWERS, UNREADABLE, Notes
from innspect.extract.home.tombstones import Tombstones
from innspect.schemas.errors import ArchiveChanged, ArchiveDamaged
from innspect.schemas.lineage import ARCHIVE

TOGETHER = "~"
"""Stands in the name of a file that others were put together in: `<name of the first>~<number>.parquet`."""

_CHUNKS = 64


class Archive:
    """A folder, or an object store (`s3://bucket/prefix`), of files named `<kind>/<run_id>-<number>.parquet`.

    The kinds are those of `innspect.schemas.lineage.ARCHIVE`. Files that were put together (`innspect.extract.archive.compaction`) say which ones
    they replace: those do not count from the moment that the large one is there. Opening removes what a killed process
    left: files half written, and files that are replaced. Only for who holds the lock of the home, unless `read_only`,
    which changes nothing. Homes may share an object store; no two of them have a run of the same id.
    Raises StoreError where it cannot be used, UsageError where what a URL needs is not installed.
    """

    def __init__(self, where: Path | str, *, read_only: bool = False, tombstones: Tombstones | None = None) -> None:
        self._place = place_at(where)
        self._tombstones = tombstones
        self._runs: dict[str, _Run] = {}
        if read_only:
            return
        self._place.prepare(ARCHIVE)
        for kind in ARCHIVE:
            self.sweep(kind)

    @property
    def where(self) -> Path | str:
        """The folder, or the URL."""
        return self._place.where

    @property
    def tombstones(self) -> Tombstones | None:
        """What `kept` leaves out."""
        return self._tombstones

    def exists(self) -> bool:
        """Whether anything was sealed here yet."""
        return self._place.exists()

    def alone(self, home: str) -> AbstractContextManager[None]:
        """Keep other homes from rewriting files while this lasts; `home` names ours. Raises StoresHeld."""
        return self._place.alone(home)

    def seal(self, kind: str, run_id: str, frame: pl.DataFrame) -> str | None:
        """Seal rows (frame of `ARCHIVE[kind]`) in a new file and return its name, relative to the archive.

        None where nothing is new: the answers are in sealed files of the run, or the records are those of its last
        file. Raises ValueError for a run id that is no file name, DiskFull, StoreError; then there is no new file, or
        it is found when the same is sealed again.
        """
        if not run_id or Path(run_id).name != run_id or run_id.startswith(".") or TOGETHER in run_id:
            raise ValueError(f"{run_id!r} is no file name")
        frame = frame.select(list(ARCHIVE[kind])).match_to_schema(pl.Schema(ARCHIVE[kind]))
        run = self._runs.get(run_id) if kind == ANSWERS else None
        if run is None or run.may_have(frame):
            run, frame = self._unsealed(kind, run_id, frame)
        if frame.is_empty():
            return None
        file = f"{kind}/{run_id}-{run.last + 1:05d}.parquet"
        self._place.write(file, sealed.packed(frame, sealed.notes(kind, frame)), anew=False)
        if kind == ANSWERS:
            run.last += 1
            run.add(frame)
            self._runs[run_id] = run
        return file

    def _unsealed(self, kind: str, run_id: str, frame: pl.DataFrame) -> tuple["_Run", pl.DataFrame]:
        """What the files know of the run, and what of the rows is not in them yet."""
        while True:
            former = self._former(kind, run_id)
            numbers = (int(Path(name).stem.rpartition("-")[2]) for name in former)
            run = _Run(max(numbers, default=0))
            try:
                return run, self._new(kind, frame, list(former.values()), run)
            except ArchiveChanged:
                # Another home puts files together: what replaced them is listed by now.
                continue

    def _former(self, kind: str, run_id: str) -> dict[str, str]:
        """The names that files of the run were given, in order, and the file that has each one's rows now."""
        pattern = f"{_literal(run_id)}-[0-9][0-9][0-9][0-9][0-9].parquet"
        names = self._place.names(kind)
        found = {name: f"{kind}/{name}" for name in names if fnmatchcase(name, pattern)}
        for large, notes in self._together(kind, names).items():
            found |= {name: large for name in notes.replaces if fnmatchcase(name, pattern)}
        return {name: found[name] for name in sorted(found)}

    def _new(self, kind: str, frame: pl.DataFrame, former: list[str], run: "_Run") -> pl.DataFrame:
        """What is not in the run's files yet. A damaged file counts for nothing: its answers are sealed anew."""
        if kind != ANSWERS:
            return frame.clear() if former and self._holds(former[-1], frame) else frame
        for file in dict.fromkeys(former):
            try:
                ids = self._place.columns(file, ["response_id"])
                if frame["response_id"].is_in(ids["response_id"].implode()).any():
                    self.read(file)
            except FileNotFoundError as fault:
                raise _moved(self.where, file) from fault
            except (*UNREADABLE, ArchiveDamaged):
                continue
            run.add(ids)
            frame = frame.filter(~pl.col("response_id").is_in(ids["response_id"].implode()))
        return frame

    def _holds(self, file: str, frame: pl.DataFrame) -> bool:
        """Whether the last that the file says of the run is just this."""
        try:
            said = self.read(file)
        except ArchiveDamaged:
            return False
        if TOGETHER in file and frame.height:
            said = said.filter(pl.col("run_id") == frame["run_id"][0]).tail(frame.height)
        return said.equals(frame)

    def write(self, file: str, content: bytes) -> None:
        """Put a sealed file in its place, whole or not at all, over one of that name. Raises DiskFull, StoreError."""
        self._place.write(file, content, anew=True)

    def remove(self, files: Iterable[str]) -> None:
        """Take files away, those that are there. Raises StoreError."""
        self._place.remove(list(files))

    def sweep(self, kind: str) -> None:
        """Remove the files that are replaced by a large one."""
        names = self._place.names(kind)
        replaced = _replaced(self._together(kind, names).values())
        if left := [f"{kind}/{name}" for name in names if name in replaced]:
            self.remove(left)

    def notes(self, file: str) -> Notes:
        """What a file says of itself."""
        return self._place.notes([file])[0]

    def run_ids(self, kind: str) -> set[str]:
        """The runs that files of a kind tell of. Raises ArchiveDamaged for a large one that cannot be read."""
        found: set[str] = set()
        for file in self.files(kind):
            if TOGETHER in file:
                found |= set(self.read(file)["run_id"].to_list())
            else:
                found.add(Path(file).stem.rpartition("-")[0])
        return found

    def _together(self, kind: str, names: Sequence[str]) -> dict[str, Notes]:
        """The large files among those, and what they say of themselves."""
        large = [f"{kind}/{name}" for name in names if TOGETHER in name]
        return dict(zip(large, self._place.notes(large), strict=True))

    def files(self, kind: str) -> list[str]:
        """The sealed files of a kind, relative to the archive, by the time of their first row."""
        files = [f"{kind}/{name}" for name in self._place.names(kind)]
        notes = self._place.notes(files)
        replaced = {f"{kind}/{name}" for name in _replaced(notes)}
        dated = sorted((note.first_at, file) for note, file in zip(notes, files, strict=True))
        return [file for _, file in dated if file not in replaced]

    def content(self, file: str) -> bytes:
        """The bytes of a sealed file, as they are.

        Raises ArchiveDamaged where it cannot be read, ArchiveChanged where another home put it together with others.
        """
        try:
            return self._place.content(file)
        except FileNotFoundError as fault:
            kind, _, name = file.partition("/")
            if name in _replaced(self._together(kind, self._place.names(kind)).values()):
                raise _moved(self.where, file) from fault
            raise sealed.unreadable(file, fault) from fault
        except OSError as fault:
            raise sealed.unreadable(file, fault) from fault

    def columns(self, file: str, names: Sequence[str]) -> pl.DataFrame:
        """Some columns of a sealed file, its hash unchecked. Raises ArchiveDamaged where it cannot be read."""
        try:
            return self._place.columns(file, names)
        except UNREADABLE as fault:
            raise sealed.unreadable(file, fault) from fault

    def read(self, file: str) -> pl.DataFrame:
        """The rows of a sealed file (frame of `ARCHIVE`); the file, and the body of every answer, have their hash.

        Raises ArchiveDamaged, which names the file and the answer; ArchiveChanged as `content` does.
        """
        return sealed.unpacked(file, self.content(file))

    def kept(self, file: str) -> pl.DataFrame:
        """The rows of a sealed file that may be loaded: without what the tombstones say. Raises as `read` does."""
        return kept(file, self.content(file), self._tombstones)

    def verify(self) -> Iterator[ArchiveDamaged]:
        """Read and hash every file, and give what is wrong with each that is damaged."""
        for kind in ARCHIVE:
            for file in self.files(kind):
                try:
                    self.read(file)
                except ArchiveDamaged as fault:
                    yield fault


@dataclass(slots=True)
class _Run:
    """What this process knows of the answers' files of a run: the number of the last, and hashes of all ids in them.

    It saves reading every former file at each sealing. Where it may be that an answer was sealed, the files decide.
    """

    last: int
    ids: pl.Series = field(default_factory=lambda: pl.Series(dtype=pl.UInt64))

    def add(self, frame: pl.DataFrame) -> None:
        self.ids = self.ids.append(frame["response_id"].hash())
        if self.ids.n_chunks() > _CHUNKS:
            self.ids = self.ids.rechunk()

    def may_have(self, frame: pl.DataFrame) -> bool:
        return self.ids.is_in(frame["response_id"].hash().implode()).any()


def kept(
    file: str, content: bytes, tombstones: Tombstones | None, first: int = 0, rows: int | None = None
) -> pl.DataFrame:
    """The rows in the bytes of a sealed file that may be loaded; so many from the first named, or all.

    Raises ArchiveDamaged.
    """
    frame = sealed.unpacked(file, content, first, rows)
    return tombstones.kept(file.partition("/")[0], frame) if tombstones else frame


def _moved(where: Path | str, file: str) -> ArchiveChanged:
    return ArchiveChanged(
        f"The file {file} of the archive {where} was put together with others meanwhile; run the command again.",
        path=str(where),
        file=file,
    )


def _literal(run_id: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in run_id)


def _replaced(notes: Iterable[Notes]) -> set[str]:
    return {name for note in notes for name in note.replaces}
