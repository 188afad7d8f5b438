"""What holds for all tests."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copyfile

import pytest
from hypothesis import settings

from innspect.warehouse.database import Warehouse

# Nothing is timed in tests: a machine under load is no fault.
settings.register_profile("house", deadline=None)
settings.load_profile("house")

SMALL_DISK = 12 * 2**20


@pytest.fixture(scope="session")
def laid_out(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """Put a warehouse with all tables and no rows at a path: making one takes longer than copying it."""
    empty = tmp_path_factory.mktemp("warehouse") / "empty.duckdb"
    Warehouse(empty).close()

    def put(path: Path) -> Path:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        return copyfile(empty, path)

    return put


@pytest.fixture
def warehouse(tmp_path: Path, laid_out: Callable[[Path], Path]) -> Iterator[Warehouse]:
    """An empty warehouse."""
    with Warehouse(laid_out(tmp_path / "warehouse.duckdb")) as opened:
        yield opened


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of `SMALL_DISK` bytes."""
    place = tmp_path / "disk"
    place.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK}", "tmpfs", str(place)]
    if os.getuid() != 0 or subprocess.run(mounting, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small disk takes root")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)
