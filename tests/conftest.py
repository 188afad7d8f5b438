"""Fixtures and settings of all tests."""

import os
import subprocess
import sys
import zlib
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

MAIN_MODULE = sys.modules["__main__"]
SMALL_DISK_BYTES = 20 * 2**20


def parse_part(text: str) -> tuple[int, int]:
    """The number of a part and how many there are, from `1/2`. Raises ValueError."""
    part, parts = map(int, text.split("/"))
    if not 1 <= part <= parts:
        raise ValueError(text)
    return part, parts


def find_part(test: str, parts: int) -> int:
    """The part, from 1 on, of a test: always the same one, and one for all parameters of a test function."""
    return zlib.crc32(test.partition("[")[0].encode()) % parts + 1


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option by which `.ci/run` runs one half of the long tests."""
    parser.addoption("--part", type=parse_part, default="1/1", help="run one part of the tests: 1/2 or 2/2 is a half")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests of the part that was asked for, and let those that take minutes start first.

    A worker that starts one at the end keeps the others waiting.
    """
    part, parts = config.getoption("part")
    numbers = {item: find_part(item.nodeid, parts) for item in items}
    config.hook.pytest_deselected(items=[item for item, number in numbers.items() if number != part])
    items[:] = [item for item, number in numbers.items() if number == part]
    items.sort(key=lambda item: not any(mark.kwargs.get("first") for mark in item.iter_markers("long")))


@pytest.fixture(autouse=True)
def main_module() -> Iterator[None]:
    """Streamlit leaves its script as the main module, which each process that a later test spawns would run first."""
    yield
    sys.modules["__main__"] = MAIN_MODULE


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
