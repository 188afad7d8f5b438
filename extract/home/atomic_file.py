"""Write a file so that a crash leaves either the old content or the new, never a part."""

import os
from pathlib import Path

from innspect.extract.failpoints import failpoint

TEMPORARY_SUFFIX = ".torn"
"""Temporary files are named `.<name>.torn`; a killed process leaves them."""


def write_atomically(path: Path, data: bytes, mode: int = 0o600, *, failpoint_name: str = "") -> None:
    """Write a temporary file in the same folder, sync it, rename it, and sync the folder. Raises OSError.

    With `failpoint_name`, tests can kill the process `before <name> fsync`, `before <name> rename` and
    `after <name> rename`.
    """
    temporary = path.with_name(f".{path.name}{TEMPORARY_SUFFIX}")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if failpoint_name:
                failpoint(f"before {failpoint_name} fsync")
            os.fsync(descriptor)
        if failpoint_name:
            failpoint(f"before {failpoint_name} rename")
        temporary.rename(path)
        if failpoint_name:
            failpoint(f"after {failpoint_name} rename")
        sync_folder(path.parent)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Make created, renamed and removed names in a folder durable. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
