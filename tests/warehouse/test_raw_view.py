"""`raw.responses` reads the archive files that exist; it is created again only if it would read other ones."""

from pathlib import Path

import polars as pl

from innspect.extract.archive.archive import Archive
from innspect.schemas.lineage import ARCHIVE
from innspect.warehouse.database import Warehouse


def seal(folder: Path, response_id: str) -> None:
    row = {name: response_id if name in ("response_id", "run_id") else None for name in ARCHIVE["answers"]}
    Archive(folder).seal("answers", response_id, pl.DataFrame([row], schema=dict(ARCHIVE["answers"])))


def responses(warehouse: Warehouse) -> list[str]:
    return warehouse.query("SELECT response_id FROM raw.responses ORDER BY ALL")["response_id"].to_list()


def view_number(warehouse: Warehouse) -> int:
    query = "SELECT view_oid FROM duckdb_views() WHERE schema_name = 'raw' AND view_name = 'responses'"
    return warehouse.query(query)["view_oid"].item()


def test_raw_view_reads_the_files_that_exist(tmp_path):
    path, first, second = tmp_path / "warehouse.duckdb", tmp_path / "archive", tmp_path / "moved"
    with Warehouse(path, first) as warehouse:
        assert responses(warehouse) == []
        seal(first, "r1")
        warehouse.refresh_raw_view()
        assert responses(warehouse) == ["r1"]
        number = view_number(warehouse)
        seal(first, "r2")
        warehouse.refresh_raw_view()
        assert responses(warehouse) == ["r1", "r2"]
        assert view_number(warehouse) == number, "DuckDB would open all files to create it again"
    first.rename(second)
    with Warehouse(path, second) as warehouse:
        assert responses(warehouse) == ["r1", "r2"]
        for file in (second / "answers").iterdir():
            file.unlink()
        warehouse.refresh_raw_view()
        assert responses(warehouse) == []
