"""Disk space that is kept free for the responses of calls in progress, next to the ledger's file."""

import errno
import os
from pathlib import Path
from tempfile import TemporaryFile

from innspect.schemas.errors import DiskFull, StoreError

BYTES_PER_CALL = 256 * 1024
"""Space for a paid response, compressed, with the pages of the database: many times what a response usually takes."""


class DiskReserve:
    """An unnamed file, so that the space is free again at the latest when the process ends, however it ends."""

    def __init__(self, ledger: Path, calls: int) -> None:
        """Reserve the space for the responses of some calls. Raises DiskFull, or StoreError without the permission."""
        size = calls * BYTES_PER_CALL
        try:
            self._file = TemporaryFile(dir=ledger.parent)  # noqa: SIM115 (closed by `release`)
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(self._file.fileno(), 0, size)
            else:
                self._file.write(bytes(size))
                self._file.flush()
        except OSError as fault:
            if fault.errno in (errno.ENOSPC, errno.EDQUOT):
                raise DiskFull(
                    f"The disk of the ledger {ledger} has less than {size // 2**20 + 1} MB of space, which paid "
                    "responses need; free some and run again.",
                    path=str(ledger),
                ) from fault
            raise StoreError(
                f"No file can be written next to the ledger {ledger} ({fault.strerror}); correct the permissions of "
                "its folder and run again.",
                path=str(ledger),
            ) from fault

    def release(self) -> bool:
        """Free the space; False if it was free before."""
        is_held = not self._file.closed
        self._file.close()
        return is_held
