"""Disk space that is kept free for the responses of calls in progress, next to the ledger's file."""

import os
from pathlib import Path
from tempfile import TemporaryFile

from innspect.schemas.errors import DiskFull

BYTES_PER_CALL = 256 * 1024
"""Space that a paid response takes at most, compressed, with the pages of the database around it: usually a tenth."""


class DiskReserve:
    """An unnamed file, so that the space is free again at the latest when the process ends, however it ends."""

    def __init__(self, ledger: Path, calls: int) -> None:
        """Reserve the space of the responses of some calls. Raises DiskFull, before any call is made."""
        size = calls * BYTES_PER_CALL
        try:
            self._file = TemporaryFile(dir=ledger.parent)  # noqa: SIM115 (closed by `release`)
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(self._file.fileno(), 0, size)
            else:
                self._file.write(bytes(size))
                self._file.flush()
        except OSError as fault:
            raise DiskFull(
                f"The disk of the ledger {ledger} has less than {size // 2**20 + 1} MB of space ({fault.strerror}), "
                "which paid responses need; free some and run again.",
                path=str(ledger),
            ) from fault

    def release(self) -> bool:
        """Free the space; False if it was free before."""
        is_held = not self._file.closed
        self._file.close()
        return is_held
