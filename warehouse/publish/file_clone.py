"""Copy a file by the file system: with shared blocks where that is supported, otherwise inside the kernel."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from threading import Event

CLONE_BYTES = 2**26
"""Bytes of one call, some 0.2 s: a clone can be ended between two. Sharing blocks needs no time for them."""
READ_BYTES = 2**20


class FileClone:
    """A new file that gets the content of another one on a thread of its own."""

    def __init__(self, source: Path, target: Path) -> None:
        self._is_cancelled = Event()
        thread = ThreadPoolExecutor(1, "file-clone")
        self._copying = thread.submit(clone_file, source, target, self._is_cancelled.is_set)
        thread.shutdown(wait=False)

    def finish(self) -> None:
        """Wait for the file. Raises OSError."""
        self._copying.result()

    def cancel(self) -> None:
        """End the thread; the file, if it is not complete, is unusable."""
        self._is_cancelled.set()
        wait([self._copying])


def clone_file(source: Path, target: Path, is_cancelled: Callable[[], bool] = lambda: False) -> None:
    """Copy the content of a file to a new file with mode 0600. Raises OSError."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
    with source.open("rb", buffering=0) as reader, os.fdopen(os.open(target, flags, 0o600), "wb", 0) as writer:
        if not _clone_in_kernel(reader.fileno(), writer.fileno(), is_cancelled):
            reader.seek(0)
            writer.seek(0)
            writer.truncate()
            while not is_cancelled() and (part := reader.read(READ_BYTES)):
                writer.write(part)


def _clone_in_kernel(reader: int, writer: int, is_cancelled: Callable[[], bool]) -> bool:
    """Whether the kernel could copy the content between these files."""
    if not hasattr(os, "copy_file_range"):
        return False
    try:
        while not is_cancelled() and os.copy_file_range(reader, writer, CLONE_BYTES):
            pass
    except OSError:
        return False
    return True
