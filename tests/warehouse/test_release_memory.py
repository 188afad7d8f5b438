"""Memory that DuckDB can do without is returned, and the data stay."""

import asyncio
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

from innspect.warehouse import database
from innspect.warehouse.database import LARGE_LOG_BYTES, Warehouse

ROWS = 6_000_000


def used_memory(warehouse) -> int:
    return warehouse.query("SELECT sum(memory_usage_bytes) FROM duckdb_memory()").item()


@pytest.mark.long
def test_pages_and_a_large_log_leave_the_memory(warehouse):
    log = warehouse.path.with_name(f"{warehouse.path.name}.wal")
    of_layout = used_memory(warehouse)
    rows = pl.DataFrame({"inn": [f"{number:010}" for number in range(ROWS)]})
    with warehouse.transaction():
        warehouse.connection.execute("CREATE TABLE lineage.many (inn VARCHAR, number DOUBLE)")
        warehouse.insert("lineage.many", rows)
        warehouse.connection.execute("UPDATE lineage.many SET number = random()")
    assert log.stat().st_size >= LARGE_LOG_BYTES
    before = used_memory(warehouse)
    warehouse.release_memory()
    assert used_memory(warehouse) - of_layout < (before - of_layout) / 2
    assert not log.exists()
    assert warehouse.query("SELECT count(*), count(number) FROM lineage.many").row(0) == (ROWS, ROWS)


def test_blocks_of_rows_are_merged_now_and_then(warehouse, monkeypatch):
    monkeypatch.setattr(database, "LARGE_LOG_BYTES", 0)
    monkeypatch.setattr(database, "MERGED_AFTER", 3)
    blocks: list[int] = []
    for number in range(6):
        with warehouse.transaction():
            warehouse.insert("lineage.runs", pl.DataFrame({"run_id": [f"r{number}"]}))
        warehouse.release_memory()
        groups = "SELECT count(DISTINCT row_group_id) FROM pragma_storage_info('lineage.runs')"
        blocks.append(warehouse.query(groups).item())
    steps = [after - before for before, after in pairwise(blocks)]
    assert 1 in steps, "a block was added"
    assert min(steps) < 0, "blocks were merged"
    assert warehouse.query("SELECT count(*) FROM lineage.runs").item() == 6


def write_and_end(path: Path, fault: BaseException) -> None:
    with Warehouse(path) as warehouse:
        warehouse.insert("lineage.runs", pl.DataFrame({"run_id": ["r"]}))
        raise fault


@pytest.mark.parametrize("fault", [KeyboardInterrupt, asyncio.CancelledError])
def test_ctrl_c_leaves_the_log_to_the_next_opening(tmp_path, create_empty_warehouse, fault):
    """Nobody waits until the log is written into the tables; what was committed is there."""
    path = create_empty_warehouse(tmp_path / "w.duckdb")
    log = path.with_name(f"{path.name}.wal")
    with pytest.raises(fault):
        write_and_end(path, fault())
    assert log.stat().st_size
    with Warehouse(path, read_only=True) as reader:
        assert reader.query("SELECT run_id FROM lineage.runs")["run_id"].to_list() == ["r"]
    assert log.exists()
    with Warehouse(path) as warehouse:
        assert warehouse.query("SELECT run_id FROM lineage.runs")["run_id"].to_list() == ["r"]
    assert not log.exists()


def test_an_error_writes_the_log_as_a_normal_end_does(tmp_path, create_empty_warehouse):
    path = create_empty_warehouse(tmp_path / "w.duckdb")
    with pytest.raises(ValueError, match="x"):
        write_and_end(path, ValueError("x"))
    assert not path.with_name(f"{path.name}.wal").exists()
