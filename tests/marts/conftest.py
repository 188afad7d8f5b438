from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copyfile

import pytest

from warehouse.store import Warehouse


@pytest.fixture(scope="session")
def _empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("marts") / "empty.duckdb"
    Warehouse(path).close()
    return path


@pytest.fixture(scope="module")
def opening(_empty: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Warehouse]]:
    """Open an empty warehouse; it is closed with the module."""
    opened: list[Warehouse] = []

    def new() -> Warehouse:
        path = tmp_path_factory.mktemp("marts") / "warehouse.duckdb"
        copyfile(_empty, path)
        opened.append(Warehouse(path))
        return opened[-1]

    yield new
    for warehouse in opened:
        warehouse.close()


@pytest.fixture
def warehouse(opening: Callable[[], Warehouse]) -> Warehouse:
    """An empty warehouse."""
    return opening()
