"""A limit of DuckDB's memory can be lifted for one query and holds again after it."""

from pathlib import Path

import duckdb
import pytest

from innspect.warehouse.database import Warehouse


def test_without_a_limit_an_inner_query_may_use_what_the_outer_limit_forbids(tmp_path: Path):
    large = "SELECT len(list(i)) AS n FROM range(10_000_000) r(i)"
    with Warehouse(tmp_path / "w.duckdb") as warehouse, warehouse.limited_memory("50MB"):
        with warehouse.limited_memory(None):
            assert warehouse.query(large)["n"].to_list() == [10_000_000]
        with pytest.raises(duckdb.OutOfMemoryException):
            warehouse.query(large)
