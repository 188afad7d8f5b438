"""Sealed files in an object store that speaks S3: put whole or not at all, and never over one another.

Where it is and who asks comes from the environment, as everywhere with S3: AWS_ENDPOINT_URL, AWS_REGION,
AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, or what the machine is given by its cloud.
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

from innspect.extract.archive import file_format as sealed
from innspect.extract.archive.backend import taken
from innspect.extract.archive.file_format import UNREADABLE, Notes
from innspect.extract.failpoints import reach
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
        "An archive in an object store needs what the extra `scale` brings; install `innspect[scale]`."
    ) from _missing

LOCK = "innspect.lock"
"""An object that stands in the archive while a home rewrites files."""
_TAIL = 64 * 1024
_AT_ONCE = 16
_READ_AHEAD = 256 * 1024
_RETRIES = {"max_retries": 5, "retry_timeout": timedelta(seconds=30)}
T = TypeVar("T")


class Bucket:
    """A prefix of a bucket, `s3://bucket/prefix`. Files never change but in `write(anew=True)`, which keeps notes."""

    where: str

    def __init__(self, where: str) -> None:
        self.where = where.rstrip("/")
        bucket, _, prefix = self.where.removeprefix("s3://").partition("/")
        endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL", "")
        self._store = S3Store(
            bucket,
            prefix=prefix or None,
            # A large file takes its time on a thin line; being refused is known at once.
            client_options={"allow_http": endpoint.startswith("http://"), "timeout": timedelta(minutes=10)},
            retry_config=_RETRIES,  # pyright: ignore[reportArgumentType] (a plain dict of its keys)
        )
        self._notes: dict[str, Notes] = {}

    def exists(self) -> bool:
        """Whether any object is there."""
        return self._asked(lambda: any(chunk for chunk in obstore.list(self._store, chunk_size=1)))

    def prepare(self, kinds: Iterable[str]) -> None:
        """An object store has no folders, and nothing in it is half written."""

    def names(self, kind: str) -> list[str]:
        """The names of the files of a kind."""

        def listed() -> list[str]:
            listing = obstore.list(self._store, kind, chunk_size=1000)
            return [meta["path"].rpartition("/")[2] for chunk in listing for meta in chunk]

        return sorted(name for name in self._asked(listed) if name.endswith(".parquet") and not name.startswith("."))

    def content(self, file: str) -> bytes:
        """The bytes of a file."""
        return self._asked(lambda: obstore.get(self._store, file).bytes().to_bytes(), may_be_gone=True)

    def notes(self, files: Sequence[str]) -> list[Notes]:
        """What each file says of itself, of many at once; what was read is kept in mind, for it does not change."""
        unknown = [file for file in dict.fromkeys(files) if file not in self._notes]
        if unknown:
            with ThreadPoolExecutor(min(_AT_ONCE, len(unknown))) as threads:
                read = zip(unknown, threads.map(self._read_notes, unknown), strict=True)
                self._notes.update((file, notes) for file, notes in read if notes is not None)
        return [self._notes.get(file, Notes()) for file in files]

    def _read_notes(self, file: str) -> Notes | None:
        try:
            return self._notes_in_tail(file, _TAIL)
        except FileNotFoundError:
            return None

    def _notes_in_tail(self, file: str, length: int) -> Notes:
        def tail() -> bytes:
            return obstore.get(self._store, file, options={"range": {"suffix": length}}).bytes().to_bytes()

        content = self._asked(tail, may_be_gone=True)
        whole = sealed.tail_length(content)
        if len(content) == length and whole > length:
            return self._notes_in_tail(file, whole)
        return sealed.notes_in(content)

    def columns(self, file: str, names: Sequence[str]) -> pl.DataFrame:
        """Some columns of a file; only their bytes are fetched."""
        size = self._asked(lambda: obstore.head(self._store, file)["size"], may_be_gone=True)
        source = io.BufferedReader(_Ranges(self._range_of(file), size), _READ_AHEAD)
        try:
            found = pl.from_arrow(pyarrow.parquet.ParquetFile(source).read(columns=list(names)))
        except (StoreError, FileNotFoundError):
            raise
        except (*UNREADABLE, ValueError) as fault:
            raise sealed.unreadable(file, fault) from fault
        assert isinstance(found, pl.DataFrame)
        return found.select(names)

    def _range_of(self, file: str) -> Callable[[int, int], bytes]:
        def read(start: int, end: int) -> bytes:
            return self._asked(
                lambda: obstore.get_range(self._store, file, start=start, end=end).to_bytes(), may_be_gone=True
            )

        return read

    def write(self, file: str, content: bytes, *, anew: bool) -> None:
        """One put: the object is whole and durable when it is answered. The same bytes twice are one file."""
        reach("before archive put")
        try:
            self._put(file, content, anew=anew)
        except AlreadyExistsError:
            # A put that was repeated since its answer got lost, or that of another program.
            if self.content(file) != content:
                raise taken(self.where, file) from None
        reach("after archive put")

    def _put(self, file: str, content: bytes, *, anew: bool) -> None:
        def put(mode: str) -> None:
            obstore.put(self._store, file, content, mode=mode, use_multipart=False)  # pyright: ignore[reportArgumentType]

        try:
            self._asked(lambda: put("overwrite" if anew else "create"))
        except (NotSupportedError, NotImplementedError):
            # AWS_CONDITIONAL_PUT=disabled, for a store that knows no conditions: names are unique without them.
            if self._is_there(file):
                raise AlreadyExistsError(file) from None
            self._asked(lambda: put("overwrite"))

    def _is_there(self, file: str) -> bool:
        try:
            self._asked(lambda: obstore.head(self._store, file), may_be_gone=True)
        except FileNotFoundError:
            return False
        return True

    def remove(self, files: Sequence[str]) -> None:
        """Delete the objects, each kind's in one go."""
        for file in files:
            self._notes.pop(file, None)
        reach("before archive delete")
        if files:
            try:
                self._asked(lambda: obstore.delete(self._store, list(files)), may_be_gone=True)
            except FileNotFoundError:
                # Somebody was faster with one of them.
                for file in files:
                    self._remove_one(file)
        reach("after archive delete")

    def _remove_one(self, file: str) -> None:
        try:
            self._asked(lambda: obstore.delete(self._store, file), may_be_gone=True)
        except FileNotFoundError:
            return

    @contextmanager
    def alone(self, home: str) -> Generator[None]:
        """A lock object of this home's; one that a killed process of ours left is taken over."""
        said = {
            "home": home,
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "since": f"{datetime.now(UTC):%F %T} UTC",
        }
        content = json.dumps(said).encode()
        try:
            self._put(LOCK, content, anew=False)
        except AlreadyExistsError:
            other = self._holder()
            if other.get("home") != home:
                name, host = str(other.get("home", "unknown"))[:8], other.get("host", "another machine")
                raise StoresHeld(
                    f"The home {name} on {host} rewrites the archive {self.where} since {other.get('since', 'long')}; "
                    f"wait for it, or if it died repeat its command there (else delete the object {LOCK}).",
                    path=self.where,
                ) from None
            self._put(LOCK, content, anew=True)
        try:
            yield
        finally:
            self._remove_one(LOCK)

    def _holder(self) -> dict[str, Any]:
        try:
            said = json.loads(self.content(LOCK))
        except (FileNotFoundError, ValueError):
            return {}
        return said if isinstance(said, dict) else {}

    def _asked(self, ask: Callable[[], T], *, may_be_gone: bool = False) -> T:
        """What the store answers. Its own words may name the key that asked: none of them is told."""
        try:
            return ask()
        except (AlreadyExistsError, NotSupportedError):
            raise
        except FileNotFoundError:
            if may_be_gone:
                raise FileNotFoundError(self.where) from None
            raise self._no_bucket() from None
        except BaseError as fault:
            raise self._unusable(fault) from None

    def _unusable(self, fault: BaseError) -> StoreError:
        said = str(fault)
        if "NoSuchBucket" in said:
            return self._no_bucket()
        # What a listing is refused with has no class of its own.
        if isinstance(fault, PermissionDeniedError | UnauthenticatedError) or re.search(r"status code: 40[13]\b", said):
            return StoreError(
                f"The archive {self.where} is not open to us; correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in "
                "the environment, or the rights of that key.",
                path=self.where,
            )
        return StoreError(
            f"The object store of the archive {self.where} does not answer ({type(fault).__name__}); see that it "
            "runs and that AWS_ENDPOINT_URL and AWS_REGION name it, then run again: nothing is lost.",
            path=self.where,
        )

    def _no_bucket(self) -> StoreError:
        return StoreError(
            f"There is no bucket for the archive {self.where}; make it, or correct stores.archive.", path=self.where
        )


class _Ranges(io.RawIOBase):
    """An object as a file to be read here and there."""

    def __init__(self, read: Callable[[int, int], bytes], size: int) -> None:
        super().__init__()
        self._read, self._size, self._at = read, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = base + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        end = min(self._at + len(buffer), self._size)
        if end <= self._at:
            return 0
        content = self._read(self._at, end)
        buffer[: len(content)] = content
        self._at += len(content)
        return len(content)
