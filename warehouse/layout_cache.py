"""Layouts of empty warehouses, stored as files: to copy one takes a twentieth of the time of creating all its tables.

The cache is the folder `innspect` in the user's cache folder. A layout has tables, views and comments, and no rows.
Everything here is optional: without a usable cache the warehouse is laid out in place.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory

MAX_LAYOUTS = 4
"""Layouts of other declarations or DuckDB versions that are kept; one takes 3 MB."""
DIGEST_BYTES = 16
TEMPORARY_SUFFIX = ".layout"
"""A copy in progress is named `.<name>.layout`; a killed process leaves it."""


def cache_folder() -> Path:
    """The folder of the layouts, created with 0700. Raises OSError if it cannot be, or if others may write to it."""
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    try:
        folder = (base if base.is_absolute() else Path.home() / ".cache") / "innspect"
    except RuntimeError as error:
        raise FileNotFoundError(str(error)) from error
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = folder.stat()
    if status.st_uid != os.getuid() or status.st_mode & 0o022:
        raise PermissionError(f"{folder} can be written by others")
    return folder


def copy_layout(path: Path, key: str, create: Callable[[Path], None]) -> bool:
    """Make `path` a copy of the layout of this key, unless something exists there; whether it is one now.

    `create` lays out a new file, or raises OSError; it is called where the cache lacks the key. `path` appears complete
    or not at all.
    """
    if os.path.lexists(path) or path.with_name(f"{path.name}.wal").exists():
        # DuckDB removes the log of a file that does not exist, but would apply it to a copy.
        return False
    temporary = path.with_name(f".{path.name}{TEMPORARY_SUFFIX}")
    try:
        folder = cache_folder()
        content = _read_layout(folder, key) or _create_layout(folder, key, create)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        # Unlike a rename, this fails if another process has created the warehouse meanwhile.
        path.hardlink_to(temporary)
    except OSError:
        return False
    finally:
        temporary.unlink(missing_ok=True)
    return True


def _read_layout(folder: Path, key: str) -> bytes | None:
    """The stored layout of this key, None if there is none; one that is not as it was written is removed."""
    for file in folder.glob(f"layout-{key}-*.duckdb"):
        content = file.read_bytes()
        if file.stem.rpartition("-")[2] == _digest(content):
            with suppress(OSError):
                os.utime(file)
            return content
        file.unlink(missing_ok=True)
    return None


def _create_layout(folder: Path, key: str, create: Callable[[Path], None]) -> bytes:
    """Create a layout and store it; the least recently used of the others are removed."""
    with TemporaryDirectory(prefix=".new-", dir=folder, ignore_cleanup_errors=True) as temporary:
        new = Path(temporary) / "layout.duckdb"
        create(new)
        new.chmod(0o600)
        content = new.read_bytes()
        new.replace(folder / f"layout-{key}-{_digest(content)}.duckdb")
    by_use = sorted(folder.glob("layout-*.duckdb"), key=lambda file: file.stat().st_mtime)
    for file in by_use[: -MAX_LAYOUTS - 1]:
        file.unlink(missing_ok=True)
    return content


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=DIGEST_BYTES).hexdigest()
