"""Archive backend in a local folder."""

import errno
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from innspect.extract.archive import file_format
from innspect.extract.archive.backend import name_conflict
from innspect.extract.archive.file_format import FileMetadata
from innspect.extract.failpoints import failpoint
from innspect.extract.home.atomic_file import TEMPORARY_SUFFIX, sync_folder, write_atomically
from innspect.schemas.errors import DiskFull, StoreError


class FileSystemBackend:
    """A folder with one subfolder per kind. The lock of the home excludes other processes."""

    where: Path

    def __init__(self, where: Path) -> None:
        self.where = where

    def exists(self) -> bool:
        """Whether the folder exists."""
        return self.where.exists()

    def prepare(self, kinds: Iterable[str]) -> None:
        """Create the folders, accessible to their owner only, and remove temporary files."""
        try:
            self.where.mkdir(mode=0o700, parents=True, exist_ok=True)
            for kind in kinds:
                (self.where / kind).mkdir(mode=0o700, exist_ok=True)
            for temporary in self.where.glob(f"*/.*{TEMPORARY_SUFFIX}"):
                temporary.unlink()
        except OSError as fault:
            raise self._store_error(fault) from fault

    def names(self, kind: str) -> list[str]:
        """The names of the files of a kind, sorted."""
        return sorted(path.name for path in (self.where / kind).glob("[!.]*.parquet"))

    def read_bytes(self, file: str) -> bytes:
        """The bytes of a file."""
        return (self.where / file).read_bytes()

    def read_metadata(self, files: Sequence[str]) -> list[FileMetadata]:
        """The metadata of each file."""
        return [file_format.read_metadata(self.where / file) for file in files]

    def read_columns(self, file: str, names: Sequence[str]) -> pl.DataFrame:
        """Some columns of a file."""
        return pl.read_parquet(self.where / file, columns=list(names))

    def write(self, file: str, content: bytes, *, overwrite: bool) -> None:
        """Write the file atomically. Raises DiskFull, StoreError."""
        path = self.where / file
        if not overwrite and path.exists():
            raise name_conflict(self.where, file)
        try:
            write_atomically(path, content, failpoint_name="archive")
        except OSError as fault:
            raise self._store_error(fault) from fault
        failpoint("after archive seal")

    def remove(self, files: Sequence[str]) -> None:
        """Unlink the files and sync their folders."""
        by_folder: dict[Path, list[Path]] = {}
        for file in files:
            path = self.where / file
            by_folder.setdefault(path.parent, []).append(path)
        try:
            for folder, paths in by_folder.items():
                for path in paths:
                    failpoint("before archive unlink")
                    path.unlink(missing_ok=True)
                sync_folder(folder)
                failpoint("after archive unlink")
        except OSError as fault:
            raise self._store_error(fault) from fault

    @contextmanager
    def rewrite_lock(self, home_id: str) -> Generator[None]:
        """Does nothing: the lock of the home is sufficient."""
        del home_id
        yield

    def _store_error(self, fault: OSError) -> StoreError:
        if fault.errno in (errno.ENOSPC, errno.EDQUOT):
            return DiskFull(
                f"No space is left for the archive {self.where}; free some and run again, the responses are safe in "
                "the ledger.",
                path=str(self.where),
            )
        return StoreError(
            f"The archive {self.where} cannot be used ({fault.strerror}); correct its permissions or name another "
            "folder.",
            path=str(self.where),
        )
