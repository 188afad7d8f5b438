"""The lock of a home folder: one run at a time holds its stores."""

import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout

from innspect.schemas.errors import StoresHeld

ACQUIRE_SECONDS, POLL_SECONDS = 1.0, 0.05


class Lock:
    """A lock file with the process id of its holder, held inside a `with` block.

    The kernel releases the lock when the process ends, however it ends. Entering raises StoresHeld, which names the
    holder's process id, while another process holds it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: FileLock | None = None
        self._descriptor = -1

    def __enter__(self) -> Self:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Without flock a file system has only marker files, and those survive a killed holder: fail instead.
        lock = FileLock(
            self.path, mode=0o600, thread_local=False, fallback_to_soft=False, on_acquired=self._write_process_id
        )
        try:
            # Retry while the file names no live process: `find_holder` may be probing the lock.
            lock.acquire(ACQUIRE_SECONDS, POLL_SECONDS, cancel_check=lambda: _live_process_id(self.path) is not None)
        except Timeout:
            pid = _live_process_id(self.path)
            raise StoresHeld(
                f"Process {pid or 'unknown'} holds the stores in {self.path.parent}; wait until it ends, or name "
                "another folder with --home.",
                pid=pid,
                path=str(self.path),
            ) from None
        self._lock = lock
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._lock is None:
            return
        try:
            os.ftruncate(self._descriptor, 0)
        finally:
            self._lock.release()
            self._lock, self._descriptor = None, -1

    def _write_process_id(self, descriptor: int) -> None:
        self._descriptor = descriptor
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)


def find_holder(path: Path) -> int | None:
    """The process id of the run that holds this lock, None if no process does, 0 if the holder is unknown."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        # A shared lock: two concurrent probes do not see each other as the holder.
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _live_process_id(path) or 0
    else:
        return None
    finally:
        os.close(descriptor)


def read_process_id(path: Path) -> int | None:
    """The process id in the lock file: of the holder, or of a run that died holding it; None if it was released."""
    try:
        text = path.read_bytes()[:32].strip()
    except FileNotFoundError:
        return None
    return int(text) if text.isdigit() else None


def _live_process_id(path: Path) -> int | None:
    """The process id in the lock file if that process is alive, else None."""
    pid = read_process_id(path)
    if pid is None:
        return None
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return None
    except PermissionError:
        return pid
    return pid
