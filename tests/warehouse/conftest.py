from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile

import pytest

from warehouse.store import Warehouse


@pytest.fixture(scope="session")
def empty_warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with all tables and no rows: making one takes longer than copying it."""
    path = tmp_path_factory.mktemp("warehouse") / "empty.duckdb"
    Warehouse(path).close()
    return path


@pytest.fixture
def warehouse(tmp_path: Path, empty_warehouse: Path) -> Iterator[Warehouse]:
    path = tmp_path / "warehouse.duckdb"
    copyfile(empty_warehouse, path)
    with Warehouse(path) as opened:
        yield opened
