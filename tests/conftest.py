"""Fixtures and settings of all tests."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copyfile

import pytest
from hypothesis import settings

from innspect.warehouse.database import Warehouse

pytest_plugins = ["tests.support.cli_fixtures", "tests.support.store_fixtures"]

# No deadlines: a machine under load must not fail a test.
settings.register_profile("tests", deadline=None)
settings.load_profile("tests")

SMALL_DISK_BYTES = 20 * 2**20


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the tests that take minutes start first: a worker that starts one at the end keeps the other waiting."""
    items.sort(key=lambda item: not any(mark.kwargs.get("first") for mark in item.iter_markers("long")))


@pytest.fixture(scope="session")
def create_empty_warehouse(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """Create a warehouse with all tables and no rows at a path, by copying one: that is faster."""
    empty = tmp_path_factory.mktemp("warehouse") / "empty.duckdb"
    Warehouse(empty).close()

    def create(path: Path) -> Path:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        return copyfile(empty, path)

    return create


@pytest.fixture
def warehouse(tmp_path: Path, create_empty_warehouse: Callable[[Path], Path]) -> Iterator[Warehouse]:
    """An empty warehouse."""
    with Warehouse(create_empty_warehouse(tmp_path / "warehouse.duckdb")) as warehouse:
        yield warehouse


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of `SMALL_DISK_BYTES`."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK_BYTES}", "tmpfs", str(folder)]
    if os.getuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("mounting a file system requires root")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)
