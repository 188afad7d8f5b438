"""The lock of a home folder: one run at a time holds its stores."""

import fcntl
import os
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from schemas.errors import StoresHeld

_GLANCES, _GLANCE_SECONDS = 20, 0.05


class Lock:
    """A lock file, held while the context lasts. The kernel lets it go when the process ends, however it ends.

    Entering raises `StoresHeld`, which names the holder's process id, where another process has it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: int | None = None

    def __enter__(self) -> Self:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            self._take(handle)
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        except BaseException:
            os.close(handle)
            raise
        self._handle = handle
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._handle is not None:
            os.ftruncate(self._handle, 0)
            os.close(self._handle)
            self._handle = None

    def _take(self, handle: int) -> None:
        for _ in range(_GLANCES):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                pid = _written(handle)
                if pid is not None and _is_alive(pid):
                    break
                # Nobody has signed it: someone only looks whether it is held, and will be gone at once.
                time.sleep(_GLANCE_SECONDS)
            else:
                return
        pid = _written(handle)
        raise StoresHeld(
            f"Process {pid or 'unknown'} holds the stores in {self.path.parent}; wait until it ends, or name another "
            "folder with --home.",
            pid=pid,
            path=str(self.path),
        )


def hold(path: Path) -> Lock:
    """A lock at that path, to be entered."""
    return Lock(path)


def holder(path: Path) -> int | None:
    """The process id of the run that holds this lock, or None where nobody does (0: held, but not signed)."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _written(handle) or 0
    else:
        return None
    finally:
        os.close(handle)


def left_by(path: Path) -> int | None:
    """The process id of a run that died with the lock in its hand; None where the last one let it go."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        return _written(handle)
    finally:
        os.close(handle)


def _written(handle: int) -> int | None:
    text = os.pread(handle, 32, 0).strip()
    return int(text) if text.isdigit() else None


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
