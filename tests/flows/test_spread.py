"""A rebuild in portions gives the same rows as loading file by file."""

from datetime import timedelta

import duckdb
import polars as pl
import pytest

from innspect.extract.archive.archive import Archive
from innspect.flows import background_loader, rebuild
from innspect.flows.assess import assess_loaded_inns
from innspect.flows.load import load_batch, load_responses
from innspect.flows.rebuild import rebuild_warehouse, split_into_portions
from innspect.sandbox.options import DEFAULT_DAY
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.errors import ArchiveDamaged, WarehouseError
from innspect.schemas.settings import Settings
from innspect.warehouse.database import Warehouse
from innspect.warehouse.links.refresh_links import refresh_links
from innspect.warehouse.load.block_digests import find_unchanged_blocks
from tests.support.builders import CONVENTIONS, response_frame, sandbox_responses
from tests.support.cli import TIMED_TABLES

DAYS = (0, 40, 90)


@pytest.fixture
def archive(tmp_path):
    """Six companies on three days, a file a day."""
    made = Archive(tmp_path / "archive")
    for day in DAYS:
        made.seal(
            "answers",
            f"day{day}",
            response_frame(sandbox_responses(sample_inns(6, 3), DEFAULT_DAY + timedelta(days=day))).drop(
                "archive_file"
            ),
        )
    return made


@pytest.fixture
def small(monkeypatch):
    """Portions of four responses, so that files are split and combined."""
    monkeypatch.setattr(rebuild, "MAX_PORTION_ROWS", 4)


def tables(path):
    with duckdb.connect(str(path), read_only=True) as connection:
        names = connection.execute(
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE schema_name IN ('core', 'lineage') "
            f"AND table_name NOT IN {TIMED_TABLES} ORDER BY ALL"
        ).fetchall()
        return {
            # A run dates the first use of its policy; no run loaded one of the two.
            f"{schema}.{name}": connection.sql(
                f"SELECT COLUMNS(c -> c <> 'first_used_at') FROM {schema}.\"{name}\" ORDER BY ALL"
            ).pl()
            for schema, name in names
        }


def rebuilt_both_ways(tmp_path, archive):
    """The tables after each file was loaded, and those of a rebuild."""
    one, other = tmp_path / "one.duckdb", tmp_path / "other.duckdb"
    with Warehouse(one) as warehouse:
        for file in archive.files("answers"):
            load_responses(
                warehouse,
                archive.read_retained_rows(file).with_columns(pl.lit(file).alias("archive_file")),
                CONVENTIONS,
            )
        assess_loaded_inns(warehouse)
    stores = {"warehouse": str(other), "archive": str(archive.where)}
    _, files = rebuild_warehouse(Settings(stores=stores), archive)
    assert files == len(DAYS)
    return tables(one), tables(other)


@pytest.mark.long
@pytest.mark.parametrize(("rows", "portions"), [(1, 1), (1_000_000, 2)], ids=["each", "together"])
def test_portions_give_the_same_rows_as_single_responses(tmp_path, archive, small, monkeypatch, rows, portions):
    monkeypatch.setattr(background_loader, "MIN_ROWS_PER_LOAD", rows)
    monkeypatch.setattr(rebuild, "MAX_KNOWN_PORTIONS", portions)
    expected, found = rebuilt_both_ways(tmp_path, archive)
    assert expected["lineage.changes"].height > 0
    assert expected["lineage.signal_changes"].height > 0
    assert list(found) == list(expected)
    assert [name for name in expected if not found[name].equals(expected[name])] == []


@pytest.mark.long
def test_re_checks_that_lack_memory_are_loaded_without_a_limit(tmp_path, archive, small, monkeypatch):
    refused, limits = [], []

    def load_at_the_second_attempt(warehouse, batch, *, is_new):
        loaded = load_batch(warehouse, batch, is_new=is_new)
        if not is_new:
            limits.append(memory_limit(warehouse))
            if not any(batch is other for other in refused):
                refused.append(batch)
                refuse_memory(warehouse)
        return loaded

    monkeypatch.setattr(background_loader, "load_batch", load_at_the_second_attempt)
    expected, found = rebuilt_both_ways(tmp_path, archive)
    assert len(refused) == len(DAYS) - 1
    assert limits[0] == limits[2] != limits[1] == limits[3]
    assert [name for name in expected if not found[name].equals(expected[name])] == []


@pytest.mark.long
def test_payloads_that_lack_memory_are_looked_up_after_the_load(tmp_path, archive, small, monkeypatch):
    limits = []

    def find_at_the_second_attempt(warehouse, digests):
        limits.append(memory_limit(warehouse))
        if len(limits) % 2:
            raise duckdb.OutOfMemoryException("no memory")
        return find_unchanged_blocks(warehouse, digests)

    monkeypatch.setattr(background_loader, "find_unchanged_blocks", find_at_the_second_attempt)
    expected, found = rebuilt_both_ways(tmp_path, archive)
    assert limits[0] == limits[2] != limits[1]
    assert [name for name in expected if not found[name].equals(expected[name])] == []


@pytest.mark.long
def test_assessing_that_lacks_memory_is_repeated_without_a_limit(tmp_path, archive, monkeypatch):
    limits = []

    def store_at_the_second_attempt(warehouse, commit):
        refresh_links(warehouse, commit)
        limits.append(memory_limit(warehouse))
        if len(limits) == 1:
            refuse_memory(warehouse)

    monkeypatch.setattr(rebuild, "refresh_links", store_at_the_second_attempt)
    expected, found = rebuilt_both_ways(tmp_path, archive)
    assert limits[0] != limits[1]
    assert found["lineage.signal_changes"].height > 0
    assert [name for name in expected if not found[name].equals(expected[name])] == []


def memory_limit(warehouse):
    return warehouse.connection.execute("SELECT current_setting('memory_limit')").fetchone()


def refuse_memory(warehouse):
    """Raise what DuckDB raises; the transaction accepts nothing after that."""
    with pytest.raises(duckdb.Error):
        warehouse.connection.execute("SELECT error('no memory')")
    raise duckdb.OutOfMemoryException("no memory")


def test_portions_contain_every_response_once_in_order(archive, small):
    cut = [[(file, first, count) for file, _, first, count in parts] for parts, _ in split_into_portions(archive)]
    first, second, third = archive.files("answers")
    assert cut == [
        [(first, 0, 4)],
        [(first, 4, 2)],
        [(second, 0, 4)],
        [(second, 4, 2)],
        [(third, 0, 4)],
        [(third, 4, 2)],
    ]


def test_damaged_file_is_reported_and_the_old_warehouse_kept(tmp_path, archive, small):
    file = archive.files("answers")[1]
    path = archive.where / file
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    old = tmp_path / "old.duckdb"
    old.write_bytes(b"as it was")
    with pytest.raises(ArchiveDamaged, match=file):
        rebuild_warehouse(Settings(stores={"warehouse": str(old), "archive": str(archive.where)}), archive)
    assert old.read_bytes() == b"as it was"
    assert [path.name for path in tmp_path.iterdir() if "rebuild" in path.name] == []


@pytest.mark.parametrize("rows", [1, 1_000_000], ids=["during the transforms", "at the end"])
def test_failed_load_is_reported_and_the_old_warehouse_kept(tmp_path, archive, small, monkeypatch, rows):
    def refuse(*_, **__):
        raise WarehouseError("no room", path="here")

    monkeypatch.setattr(background_loader, "MIN_ROWS_PER_LOAD", rows)
    monkeypatch.setattr(background_loader, "load_batch", refuse)
    old = tmp_path / "old.duckdb"
    old.write_bytes(b"as it was")
    with pytest.raises(WarehouseError, match="no room"):
        rebuild_warehouse(Settings(stores={"warehouse": str(old), "archive": str(archive.where)}), archive)
    assert old.read_bytes() == b"as it was"
    assert [path.name for path in tmp_path.iterdir() if "rebuild" in path.name] == []
