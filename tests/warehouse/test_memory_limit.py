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


def test_limit_below_what_is_in_use_does_not_fail(tmp_path: Path):
    with Warehouse(tmp_path / "w.duckdb") as warehouse:
        warehouse.connection.execute("SET temp_directory = ''")
        warehouse.connection.execute("CREATE TEMP TABLE large AS SELECT hash(range) AS value FROM range(5_000_000)")
        with pytest.raises(duckdb.OutOfMemoryException):
            warehouse.connection.execute("SET memory_limit = '5MB'")
        with warehouse.limited_memory("5MB"):
            assert warehouse.query("SELECT count(*) AS n FROM large")["n"].to_list() == [5_000_000]
