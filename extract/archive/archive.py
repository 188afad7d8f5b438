"""The archive: immutable Parquet files of responses and of records of runs."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

import polars as pl

from innspect.extract.archive import file_format
from innspect.extract.archive.backend import ArchiveBackend
from innspect.extract.archive.file_format import ANSWERS, READ_ERRORS, FileMetadata
from innspect.extract.archive.local import FileSystemBackend
from innspect.extract.home.tombstones import Tombstones
from innspect.schemas.errors import ArchiveChanged, ArchiveDamaged
from innspect.schemas.lineage import ARCHIVE

COMPACTION_SEPARATOR = "~"
"""Separator in the name of a compacted file: `<name of its first file>~<number>.parquet`."""

_MAX_CHUNKS = 64


class Archive:
    """Files `<kind>/<run_id>-<number>.parquet` in a folder or an object store (`s3://bucket/prefix`).

    The kinds are those of `ARCHIVE`. A compacted file lists the files that it replaces; they no longer count as soon
    as it exists. Opening removes what a killed process left: temporary files and replaced files. The caller holds the
    lock of the home, except with `read_only`, which changes nothing. Homes may share an object store; run ids are
    unique across them. Raises StoreError, or UsageError if the library for a URL is not installed.
    """

    def __init__(self, where: Path | str, *, read_only: bool = False, tombstones: Tombstones | None = None) -> None:
        self._backend = _open_backend(where)
        self._tombstones = tombstones
        self._runs: dict[str, _RunIndex] = {}
        if read_only:
            return
        self._backend.prepare(ARCHIVE)
        for kind in ARCHIVE:
            self._remove_replaced(kind)

    @property
    def where(self) -> Path | str:
        """The folder or the URL."""
        return self._backend.where

    @property
    def tombstones(self) -> Tombstones | None:
        """The tombstones that `read_retained_rows` applies."""
        return self._tombstones

    def exists(self) -> bool:
        """Whether anything was ever sealed here."""
        return self._backend.exists()

    def rewrite_lock(self, home_id: str) -> AbstractContextManager[None]:
        """Exclude rewrites by other homes that share the archive. Raises StoresHeld."""
        return self._backend.rewrite_lock(home_id)

    def seal(self, kind: str, run_id: str, frame: pl.DataFrame) -> str | None:
        """Write rows (frame of `ARCHIVE[kind]`) to a new file; its name relative to the archive.

        None if nothing is new: the responses are in files of the run, or the records equal those of its last file.
        Raises ValueError for a run id that is not a file name, DiskFull, StoreError; sealing can then be repeated.
        """
        if not run_id or Path(run_id).name != run_id or run_id.startswith(".") or COMPACTION_SEPARATOR in run_id:
            raise ValueError(f"{run_id!r} is not a file name")
        frame = frame.select(list(ARCHIVE[kind])).match_to_schema(pl.Schema(ARCHIVE[kind]))
        run = self._runs.get(run_id) if kind == ANSWERS else None
        if run is None or run.may_contain(frame):
            run, frame = self._find_new_rows(kind, run_id, frame)
        if frame.is_empty():
            return None
        file = f"{kind}/{run_id}-{run.last_number + 1:05d}.parquet"
        content = file_format.encode_file(frame, file_format.new_metadata(kind, frame))
        self._backend.write(file, content, overwrite=False)
        if kind == ANSWERS:
            run.last_number += 1
            run.add(frame)
            self._runs[run_id] = run
        return file

    def _find_new_rows(self, kind: str, run_id: str, frame: pl.DataFrame) -> tuple["_RunIndex", pl.DataFrame]:
        """The index of the run's files, and the rows that are in none of them."""
        while True:
            files = self._files_of_run(kind, run_id)
            run = _RunIndex(max((int(Path(name).stem.rpartition("-")[2]) for name in files), default=0))
            try:
                return run, self._drop_sealed(kind, frame, list(files.values()), run)
            except ArchiveChanged:
                # Another home compacts; the compacted file is listed by now.
                continue

    def _files_of_run(self, kind: str, run_id: str) -> dict[str, str]:
        """The names that were given to files of the run, in order, each with the file that holds its rows now."""
        pattern = f"{_escape_pattern(run_id)}-[0-9][0-9][0-9][0-9][0-9].parquet"
        names = self._backend.names(kind)
        files = {name: f"{kind}/{name}" for name in names if fnmatchcase(name, pattern)}
        for compacted, metadata in self._read_compacted_metadata(kind, names).items():
            files |= {name: compacted for name in metadata.replaces if fnmatchcase(name, pattern)}
        return {name: files[name] for name in sorted(files)}

    def _drop_sealed(self, kind: str, frame: pl.DataFrame, files: list[str], run: "_RunIndex") -> pl.DataFrame:
        """The rows that are not in the run's files. Damaged files are skipped: their responses are sealed again."""
        if kind != ANSWERS:
            return frame.clear() if files and self._ends_with(files[-1], frame) else frame
        for file in dict.fromkeys(files):
            try:
                ids = self._backend.read_columns(file, ["response_id"])
                if frame["response_id"].is_in(ids["response_id"].implode()).any():
                    self.read_rows(file)
            except FileNotFoundError as fault:
                raise _changed_error(self.where, file) from fault
            except (*READ_ERRORS, ArchiveDamaged):
                continue
            run.add(ids)
            frame = frame.filter(~pl.col("response_id").is_in(ids["response_id"].implode()))
        return frame

    def _ends_with(self, file: str, frame: pl.DataFrame) -> bool:
        """Whether the last rows of the run in a file equal these."""
        try:
            rows = self.read_rows(file)
        except ArchiveDamaged:
            return False
        if COMPACTION_SEPARATOR in file and frame.height:
            rows = rows.filter(pl.col("run_id") == frame["run_id"][0]).tail(frame.height)
        return rows.equals(frame)

    def write(self, file: str, content: bytes) -> None:
        """Write a file atomically, replacing one of that name. Raises DiskFull, StoreError."""
        self._backend.write(file, content, overwrite=True)

    def remove(self, files: Iterable[str]) -> None:
        """Remove files; those that do not exist are ignored. Raises StoreError."""
        self._backend.remove(list(files))

    def _remove_replaced(self, kind: str) -> None:
        names = self._backend.names(kind)
        replaced = _replaced_names(self._read_compacted_metadata(kind, names).values())
        if remaining := [f"{kind}/{name}" for name in names if name in replaced]:
            self.remove(remaining)

    def read_metadata(self, file: str) -> FileMetadata:
        """The metadata of a file."""
        return self._backend.read_metadata([file])[0]

    def run_ids(self, kind: str) -> set[str]:
        """The runs that have rows of a kind. Raises ArchiveDamaged for a compacted file that cannot be read."""
        found: set[str] = set()
        for file in self.files(kind):
            if COMPACTION_SEPARATOR in file:
                found |= set(self.read_rows(file)["run_id"].to_list())
            else:
                found.add(Path(file).stem.rpartition("-")[0])
        return found

    def _read_compacted_metadata(self, kind: str, names: Sequence[str]) -> dict[str, FileMetadata]:
        """The compacted files among these names, with their metadata."""
        compacted = [f"{kind}/{name}" for name in names if COMPACTION_SEPARATOR in name]
        return dict(zip(compacted, self._backend.read_metadata(compacted), strict=True))

    def files(self, kind: str) -> list[str]:
        """The files of a kind, relative to the archive, by the time of their first row."""
        files = [f"{kind}/{name}" for name in self._backend.names(kind)]
        metadata = self._backend.read_metadata(files)
        replaced = {f"{kind}/{name}" for name in _replaced_names(metadata)}
        dated = sorted((entry.first_at, file) for entry, file in zip(metadata, files, strict=True))
        return [file for _, file in dated if file not in replaced]

    def read_bytes(self, file: str) -> bytes:
        """The bytes of a file.

        Raises ArchiveDamaged if it cannot be read, ArchiveChanged if another home has compacted it.
        """
        try:
            return self._backend.read_bytes(file)
        except FileNotFoundError as fault:
            kind, _, name = file.partition("/")
            if name in _replaced_names(self._read_compacted_metadata(kind, self._backend.names(kind)).values()):
                raise _changed_error(self.where, file) from fault
            raise file_format.damaged_file_error(file, fault) from fault
        except OSError as fault:
            raise file_format.damaged_file_error(file, fault) from fault

    def read_columns(self, file: str, names: Sequence[str]) -> pl.DataFrame:
        """Some columns of a file, without checking its hash. Raises ArchiveDamaged if it cannot be read."""
        try:
            return self._backend.read_columns(file, names)
        except READ_ERRORS as fault:
            raise file_format.damaged_file_error(file, fault) from fault

    def count_responses(self, file: str) -> int:
        """The number of responses of a file; 0 if it cannot be read, since `read_rows` reports the damage."""
        try:
            return self._backend.read_columns(file, ["bytes"]).height
        except (*READ_ERRORS, ArchiveDamaged):
            return 0

    def read_rows(self, file: str) -> pl.DataFrame:
        """The rows of a file (frame of `ARCHIVE`), after checking the hash of the file and of every body.

        Raises ArchiveDamaged with the file and the response, ArchiveChanged as `read_bytes` does.
        """
        return file_format.decode_file(file, self.read_bytes(file))

    def read_retained_rows(self, file: str) -> pl.DataFrame:
        """The rows of a file without those that the tombstones erase. Raises as `read_rows` does."""
        return decode_retained_rows(file, self.read_bytes(file), self._tombstones)

    def verify(self) -> Iterator[ArchiveDamaged]:
        """Check the hashes of every file; one error for each damaged file."""
        for kind in ARCHIVE:
            for file in self.files(kind):
                try:
                    self.read_rows(file)
                except ArchiveDamaged as fault:
                    yield fault


@dataclass(slots=True)
class _RunIndex:
    """Index of the response files of a run: the last number, and hashes of all response ids.

    It avoids reading all earlier files on every seal. After a hash match the files are read.
    """

    last_number: int
    ids: pl.Series = field(default_factory=lambda: pl.Series(dtype=pl.UInt64))

    def add(self, frame: pl.DataFrame) -> None:
        self.ids = self.ids.append(frame["response_id"].hash())
        if self.ids.n_chunks() > _MAX_CHUNKS:
            self.ids = self.ids.rechunk()

    def may_contain(self, frame: pl.DataFrame) -> bool:
        return self.ids.is_in(frame["response_id"].hash().implode()).any()


def decode_retained_rows(
    file: str, content: bytes, tombstones: Tombstones | None, first: int = 0, rows: int | None = None
) -> pl.DataFrame:
    """`decode_file`, without the rows that the tombstones erase. Raises ArchiveDamaged."""
    frame = file_format.decode_file(file, content, first, rows)
    return tombstones.drop_erased(file.partition("/")[0], frame) if tombstones else frame


def _open_backend(where: Path | str) -> ArchiveBackend:
    if "://" not in str(where):
        return FileSystemBackend(Path(where))
    from innspect.extract.archive.s3 import S3Backend  # noqa: PLC0415 (its library is an optional dependency)

    return S3Backend(str(where))


def _changed_error(where: Path | str, file: str) -> ArchiveChanged:
    return ArchiveChanged(
        f"The file {file} of the archive {where} was compacted by another home during the command; run the command "
        "again.",
        path=str(where),
        file=file,
    )


def _escape_pattern(run_id: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in run_id)


def _replaced_names(metadata: Iterable[FileMetadata]) -> set[str]:
    return {name for entry in metadata for name in entry.replaces}
