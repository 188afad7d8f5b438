"""Where sealed files stand: a folder here, an object store in `innspect.extract.archive.s3`."""

import errno
import os
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import polars as pl

from innspect.extract.archive import file_format as sealed
from innspect.extract.archive.file_format import Notes
from innspect.extract.failpoints import reach
from innspect.schemas.errors import DiskFull, StoreError

_TORN = ".torn"


class Place(Protocol):
    """Files named `<kind>/<name>.parquet`, each there whole or not at all. Where it fails it raises StoreError.

    What can be reached but is no sealed file raises what `innspect.extract.archive.file_format.UNREADABLE` lists.
    """

    @property
    def where(self) -> Path | str:
        """The folder, or the URL."""
        ...

    def exists(self) -> bool:
        """Whether anything was ever sealed here."""
        ...

    def prepare(self, kinds: Iterable[str]) -> None:
        """Make room for files of these kinds, and remove what a killed process left half written."""
        ...

    def names(self, kind: str) -> list[str]:
        """The names of the files of a kind, without its folder, sorted."""
        ...

    def content(self, file: str) -> bytes:
        """The bytes of a file. Raises FileNotFoundError where it is not there."""
        ...

    def notes(self, files: Sequence[str]) -> list[Notes]:
        """What each file says of itself; empty notes where it is not there or cannot be read."""
        ...

    def columns(self, file: str, names: Sequence[str]) -> pl.DataFrame:
        """Some columns of a file, its hash unchecked."""
        ...

    def write(self, file: str, content: bytes, *, anew: bool) -> None:
        """Put a file there, durable when this returns. `anew`: in place of the one of that name, which else stays."""
        ...

    def remove(self, files: Sequence[str]) -> None:
        """Take files away, those that are there."""
        ...

    @contextmanager
    def alone(self, home: str) -> Generator[None]:
        """Keep other homes from rewriting files while this lasts. Raises StoresHeld where one is at it."""
        ...


class Folder:
    """A folder with one for each kind. Its home's lock keeps others away."""

    where: Path

    def __init__(self, where: Path) -> None:
        self.where = where

    def exists(self) -> bool:
        """Whether the folder is there."""
        return self.where.exists()

    def prepare(self, kinds: Iterable[str]) -> None:
        """Make the folders, for their owner alone, and remove files half written."""
        try:
            self.where.mkdir(mode=0o700, parents=True, exist_ok=True)
            for kind in kinds:
                (self.where / kind).mkdir(mode=0o700, exist_ok=True)
            for torn in self.where.glob(f"*/.*{_TORN}"):
                torn.unlink()
        except OSError as fault:
            raise self._unusable(fault) from fault

    def names(self, kind: str) -> list[str]:
        """The names of the files of a kind."""
        return sorted(path.name for path in (self.where / kind).glob("[!.]*.parquet"))

    def content(self, file: str) -> bytes:
        """The bytes of a file."""
        return (self.where / file).read_bytes()

    def notes(self, files: Sequence[str]) -> list[Notes]:
        """What each file says of itself."""
        return [sealed.notes_of(self.where / file) for file in files]

    def columns(self, file: str, names: Sequence[str]) -> pl.DataFrame:
        """Some columns of a file."""
        return pl.read_parquet(self.where / file, columns=list(names))

    def write(self, file: str, content: bytes, *, anew: bool) -> None:
        """Write beside, sync and rename. Raises DiskFull, StoreError."""
        path = self.where / file
        if not anew and path.exists():
            raise taken(self.where, file)
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
            raise self._unusable(fault) from fault

    def remove(self, files: Sequence[str]) -> None:
        """Unlink the files, and sync their folders."""
        by_folder: dict[Path, list[Path]] = {}
        for file in files:
            path = self.where / file
            by_folder.setdefault(path.parent, []).append(path)
        try:
            for folder, paths in by_folder.items():
                for path in paths:
                    reach("before archive unlink")
                    path.unlink(missing_ok=True)
                _sync_folder(folder)
                reach("after archive unlink")
        except OSError as fault:
            raise self._unusable(fault) from fault

    @contextmanager
    def alone(self, home: str) -> Generator[None]:
        """The lock of the home is enough."""
        del home
        yield

    def _unusable(self, fault: OSError) -> StoreError:
        if fault.errno in (errno.ENOSPC, errno.EDQUOT):
            return DiskFull(
                f"No space is left for the archive {self.where}; free some and run again, the answers wait in the "
                "ledger.",
                path=str(self.where),
            )
        return StoreError(
            f"The archive {self.where} cannot be used ({fault.strerror}); correct its rights or name another folder.",
            path=str(self.where),
        )


def place_at(where: Path | str) -> Place:
    """The place of that path or URL. Raises UsageError where what a URL needs is not installed."""
    if "://" not in str(where):
        return Folder(Path(where))
    from innspect.extract.archive.s3 import Bucket  # noqa: PLC0415 (only who has an object store has the library for it)

    return Bucket(str(where))


def taken(where: Path | str, file: str) -> StoreError:
    """The error for a new file whose name another one has."""
    return StoreError(
        f"The archive {where} has another file {file}; two programs write under one name, stop one and run again.",
        path=str(where),
        file=file,
    )


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
