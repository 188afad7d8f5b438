"""Storage backend of the archive: what the file system (`local`) and object stores (`s3`) implement."""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import polars as pl

from innspect.extract.archive.file_format import FileMetadata
from innspect.schemas.errors import StoreError


class ArchiveBackend(Protocol):
    """Files named `<kind>/<name>.parquet`; a file exists completely or not at all.

    Methods raise StoreError if the storage fails, and `file_format.READ_ERRORS` for a file that is not readable
    Parquet.
    """

    @property
    def where(self) -> Path | str:
        """The folder or the URL."""
        ...

    def exists(self) -> bool:
        """Whether anything was ever sealed here."""
        ...

    def prepare(self, kinds: Iterable[str]) -> None:
        """Create the folders of these kinds and remove temporary files of killed processes."""
        ...

    def names(self, kind: str) -> list[str]:
        """The names of the files of a kind, without folder, sorted."""
        ...

    def read_bytes(self, file: str) -> bytes:
        """The bytes of a file. Raises FileNotFoundError."""
        ...

    def read_metadata(self, files: Sequence[str]) -> list[FileMetadata]:
        """The metadata of each file; empty for a file that does not exist or cannot be read."""
        ...

    def read_columns(self, file: str, names: Sequence[str]) -> pl.DataFrame:
        """Some columns of a file, without checking its hash."""
        ...

    def write(self, file: str, content: bytes, *, overwrite: bool) -> None:
        """Write a file durably. Raises StoreError if it exists and `overwrite` is not set."""
        ...

    def remove(self, files: Sequence[str]) -> None:
        """Remove files; those that do not exist are ignored."""
        ...

    @contextmanager
    def rewrite_lock(self, home_id: str) -> Generator[None]:
        """Exclude rewrites by other homes. Raises StoresHeld while another home holds the lock."""
        ...


def name_conflict(where: Path | str, file: str) -> StoreError:
    """The error for a new file whose name exists with other content."""
    return StoreError(
        f"The archive {where} has another file {file}; two programs write under one name, stop one and run again.",
        path=str(where),
        file=file,
    )
