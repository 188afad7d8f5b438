"""Memory that DuckDB can do without is returned, and the data stay."""

import polars as pl

from innspect.warehouse.database import LARGE_LOG_BYTES

ROWS = 2_000_000


def used_memory(warehouse) -> int:
    return warehouse.query("SELECT sum(memory_usage_bytes) FROM duckdb_memory()").item()


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
