from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from innspect.warehouse.database import Warehouse


@pytest.fixture(scope="module")
def opening(
    create_empty_warehouse: Callable[[Path], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[], Warehouse]]:
    """Open an empty warehouse; it is closed with the module."""
    opened: list[Warehouse] = []

    def new() -> Warehouse:
        opened.append(Warehouse(create_empty_warehouse(tmp_path_factory.mktemp("marts") / "warehouse.duckdb")))
        return opened[-1]

    yield new
    for warehouse in opened:
        warehouse.close()


@pytest.fixture
def warehouse(opening: Callable[[], Warehouse]) -> Warehouse:
    """An empty warehouse."""
    return opening()
