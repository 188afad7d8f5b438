"""Archive backend in an object store with the S3 protocol; puts are atomic and conditional.

Endpoint and credentials come from the usual environment variables: AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID,
AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, or from the machine's cloud.
"""

import io
import json
import os
import re
import socket
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import polars as pl
import pyarrow.parquet

from innspect.extract.archive import file_format
from innspect.extract.archive.backend import name_conflict
from innspect.extract.archive.file_format import READ_ERRORS, FileMetadata
from innspect.extract.failpoints import failpoint
from innspect.schemas.errors import StoreError, StoresHeld, UsageError

try:
    import obstore
    from obstore.exceptions import (
        AlreadyExistsError,
        BaseError,
        NotSupportedError,
        PermissionDeniedError,
        UnauthenticatedError,
    )
    from obstore.store import S3Store
except ImportError as _missing:
    raise UsageError(
        "An archive in an object store needs the libraries of the extra `scale`; install `innspect[scale]`."
    ) from _missing

LOCK_OBJECT = "innspect.lock"
"""Object that exists while a home rewrites files of the archive."""
_TAIL_BYTES = 64 * 1024
_METADATA_THREADS = 16
_READ_AHEAD_BYTES = 256 * 1024
_RETRIES = {"max_retries": 5, "retry_timeout": timedelta(seconds=30)}
T = TypeVar("T")


class S3Backend:
    """A prefix of a bucket, `s3://bucket/prefix`. Overwriting a file keeps its metadata, so metadata is cached."""

    where: str

    def __init__(self, where: str) -> None:
        self.where = where.rstrip("/")
        bucket, _, prefix = self.where.removeprefix("s3://").partition("/")
        endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL", "")
        self._store = S3Store(
            bucket,
            prefix=prefix or None,
            # Large files over slow lines need time; a refused connection fails at once in any case.
            client_options={"allow_http": endpoint.startswith("http://"), "timeout": timedelta(minutes=10)},
            retry_config=_RETRIES,  # pyright: ignore[reportArgumentType] (a plain dict of its keys)
        )
        self._metadata: dict[str, FileMetadata] = {}

    def exists(self) -> bool:
        """Whether any object exists."""
        return self._call(lambda: any(chunk for chunk in obstore.list(self._store, chunk_size=1)))

    def prepare(self, kinds: Iterable[str]) -> None:
        """Does nothing: an object store has no folders and no temporary files."""

    def names(self, kind: str) -> list[str]:
        """The names of the files of a kind, sorted."""

        def list_names() -> list[str]:
            listing = obstore.list(self._store, kind, chunk_size=1000)
            return [meta["path"].rpartition("/")[2] for chunk in listing for meta in chunk]

        return sorted(name for name in self._call(list_names) if name.endswith(".parquet") and not name.startswith("."))

    def read_bytes(self, file: str) -> bytes:
        """The bytes of a file."""
        return self._call(lambda: obstore.get(self._store, file).bytes().to_bytes(), may_be_missing=True)

    def read_metadata(self, files: Sequence[str]) -> list[FileMetadata]:
        """The metadata of each file, requested concurrently and cached."""
        missing = [file for file in dict.fromkeys(files) if file not in self._metadata]
        if missing:
            with ThreadPoolExecutor(min(_METADATA_THREADS, len(missing))) as threads:
                found = zip(missing, threads.map(self._request_metadata, missing), strict=True)
                self._metadata.update((file, metadata) for file, metadata in found if metadata is not None)
        return [self._metadata.get(file, FileMetadata()) for file in files]

    def _request_metadata(self, file: str) -> FileMetadata | None:
        try:
            return self._read_tail_metadata(file, _TAIL_BYTES)
        except FileNotFoundError:
            return None

    def _read_tail_metadata(self, file: str, length: int) -> FileMetadata:
        def tail() -> bytes:
            return obstore.get(self._store, file, options={"range": {"suffix": length}}).bytes().to_bytes()

        content = self._call(tail, may_be_missing=True)
        footer = file_format.footer_bytes(content)
        if len(content) == length and footer > length:
            return self._read_tail_metadata(file, footer)
        return file_format.read_metadata(io.BytesIO(content))

    def read_columns(self, file: str, names: Sequence[str]) -> pl.DataFrame:
        """Some columns of a file; only their byte ranges are requested."""
        size = self._call(lambda: obstore.head(self._store, file)["size"], may_be_missing=True)
        source = io.BufferedReader(_ObjectReader(self._range_reader(file), size), _READ_AHEAD_BYTES)
        try:
            found = pl.from_arrow(pyarrow.parquet.ParquetFile(source).read(columns=list(names)))
        except (StoreError, FileNotFoundError):
            raise
        except (*READ_ERRORS, ValueError) as fault:
            raise file_format.damaged_file_error(file, fault) from fault
        assert isinstance(found, pl.DataFrame)
        return found.select(names)

    def _range_reader(self, file: str) -> Callable[[int, int], bytes]:
        def read(start: int, end: int) -> bytes:
            return self._call(
                lambda: obstore.get_range(self._store, file, start=start, end=end).to_bytes(), may_be_missing=True
            )

        return read

    def write(self, file: str, content: bytes, *, overwrite: bool) -> None:
        """Put the object, durable on return. Writing the same bytes twice is not a conflict."""
        failpoint("before archive put")
        try:
            self._put(file, content, overwrite=overwrite)
        except AlreadyExistsError:
            # A retry after a lost response of the store, or a put by another program.
            if self.read_bytes(file) != content:
                raise name_conflict(self.where, file) from None
        failpoint("after archive put")

    def _put(self, file: str, content: bytes, *, overwrite: bool) -> None:
        def put(mode: str) -> None:
            obstore.put(self._store, file, content, mode=mode, use_multipart=False)  # pyright: ignore[reportArgumentType]

        try:
            self._call(lambda: put("overwrite" if overwrite else "create"))
        except (NotSupportedError, NotImplementedError):
            # AWS_CONDITIONAL_PUT=disabled, for a store without conditional puts: file names are unique anyway.
            if self._has_object(file):
                raise AlreadyExistsError(file) from None
            self._call(lambda: put("overwrite"))

    def _has_object(self, file: str) -> bool:
        try:
            self._call(lambda: obstore.head(self._store, file), may_be_missing=True)
        except FileNotFoundError:
            return False
        return True

    def remove(self, files: Sequence[str]) -> None:
        """Delete the objects in one request."""
        for file in files:
            self._metadata.pop(file, None)
        failpoint("before archive delete")
        if files:
            try:
                self._call(lambda: obstore.delete(self._store, list(files)), may_be_missing=True)
            except FileNotFoundError:
                # Another process has deleted one of them.
                for file in files:
                    self._remove_one(file)
        failpoint("after archive delete")

    def _remove_one(self, file: str) -> None:
        try:
            self._call(lambda: obstore.delete(self._store, file), may_be_missing=True)
        except FileNotFoundError:
            return

    @contextmanager
    def rewrite_lock(self, home_id: str) -> Generator[None]:
        """Hold a lock object with the id of this home; take over one that a killed process of this home left."""
        lock = {
            "home": home_id,
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "since": f"{datetime.now(UTC):%F %T} UTC",
        }
        content = json.dumps(lock).encode()
        try:
            self._put(LOCK_OBJECT, content, overwrite=False)
        except AlreadyExistsError:
            other = self._read_lock()
            if other.get("home") != home_id:
                name, host = str(other.get("home", "unknown"))[:8], other.get("host", "another machine")
                raise StoresHeld(
                    f"The home {name} on {host} has been rewriting the archive {self.where} since "
                    f"{other.get('since', 'an unknown time')}; wait for it, or if it died repeat its command there (or "
                    f"delete the object {LOCK_OBJECT}).",
                    path=self.where,
                ) from None
            self._put(LOCK_OBJECT, content, overwrite=True)
        try:
            yield
        finally:
            self._remove_one(LOCK_OBJECT)

    def _read_lock(self) -> dict[str, Any]:
        try:
            lock = json.loads(self.read_bytes(LOCK_OBJECT))
        except (FileNotFoundError, ValueError):
            return {}
        return lock if isinstance(lock, dict) else {}

    def _call(self, request: Callable[[], T], *, may_be_missing: bool = False) -> T:
        """The result of a request. Messages of the store may contain the access key, so none is passed on."""
        try:
            return request()
        except (AlreadyExistsError, NotSupportedError):
            raise
        except FileNotFoundError:
            if may_be_missing:
                raise FileNotFoundError(self.where) from None
            raise self._bucket_error() from None
        except BaseError as fault:
            raise self._store_error(fault) from None

    def _store_error(self, fault: BaseError) -> StoreError:
        message = str(fault)
        if "NoSuchBucket" in message:
            return self._bucket_error()
        # The library has no class for a refused listing.
        if isinstance(fault, PermissionDeniedError | UnauthenticatedError) or re.search(
            r"status code: 40[13]\b", message
        ):
            return StoreError(
                f"The archive {self.where} refuses access; correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the "
                "environment, or the permissions of that key.",
                path=self.where,
            )
        return StoreError(
            f"The object store of the archive {self.where} does not respond ({type(fault).__name__}); check that it "
            "runs, and check AWS_ENDPOINT_URL and AWS_REGION, then run again: nothing is lost.",
            path=self.where,
        )

    def _bucket_error(self) -> StoreError:
        return StoreError(
            f"There is no bucket for the archive {self.where}; create it, or correct stores.archive.", path=self.where
        )


class _ObjectReader(io.RawIOBase):
    """An object as a seekable file that reads byte ranges."""

    def __init__(self, read: Callable[[int, int], bytes], size: int) -> None:
        super().__init__()
        self._read, self._size, self._position = read, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        self._position = base + offset
        return self._position

    def tell(self) -> int:
        return self._position

    def readinto(self, buffer: Any) -> int:
        end = min(self._position + len(buffer), self._size)
        if end <= self._position:
            return 0
        content = self._read(self._position, end)
        buffer[: len(content)] = content
        self._position += len(content)
        return len(content)
