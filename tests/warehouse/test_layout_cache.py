"""A new warehouse is a copy of a cached layout, which nobody can tell from one that was laid out in place."""

from collections.abc import Callable
from pathlib import Path

import pytest

from innspect.warehouse.database import Warehouse, cache_layout
from innspect.warehouse.layout_cache import MAX_LAYOUTS, cache_folder, copy_layout

CATALOGUE = (
    "SELECT schema_name, table_name, column_name, data_type, comment FROM duckdb_columns() WHERE NOT internal",
    "SELECT schema_name, table_name, comment FROM duckdb_tables() WHERE NOT internal",
    "SELECT schema_name, view_name, column_count, comment FROM duckdb_views() WHERE NOT internal",
    "SELECT schema_name, function_name, parameters, macro_definition FROM duckdb_functions() WHERE NOT internal",
    "FROM lineage.policies",
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder, which does not exist yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "innspect"


def catalogue(path: Path) -> list[list[tuple[object, ...]]]:
    with Warehouse(path) as warehouse:
        assert warehouse.added_columns == []
        return [warehouse.connection.execute(f"FROM ({query}) ORDER BY ALL").fetchall() for query in CATALOGUE]


def layouts(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def write(content: bytes) -> Callable[[Path], None]:
    """In place of the tables: what a layout contains does not matter to the cache."""

    def create(path: Path) -> None:
        path.write_bytes(content)

    return create


def refuse(_: Path) -> None:
    raise AssertionError("the cache has this layout")


@pytest.mark.long
def test_copy_equals_what_is_laid_out_in_place(folder, tmp_path, monkeypatch):
    first, second = catalogue(tmp_path / "a" / "w.duckdb"), catalogue(tmp_path / "b" / "w.duckdb")
    (cached,) = layouts(folder)
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    in_place = catalogue(tmp_path / "c" / "w.duckdb")
    assert first == second == in_place
    assert all(in_place)
    assert layouts(folder) == [cached]


@pytest.mark.long
def test_nobody_else_reads_a_layout_or_its_copy(folder, tmp_path):
    Warehouse(tmp_path / "w.duckdb").close()
    (cached,) = layouts(folder)
    modes = [path.stat().st_mode & 0o777 for path in (folder, cached, tmp_path / "w.duckdb")]
    assert modes == [0o700, 0o600, 0o600]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "w.duckdb"]


@pytest.mark.long
def test_installation_fills_the_cache(folder, tmp_path):
    cache_layout()
    (cached,) = layouts(folder)
    Warehouse(tmp_path / "w.duckdb").close()
    assert layouts(folder) == [cached]


def test_damaged_layout_is_replaced(folder, tmp_path):
    assert copy_layout(tmp_path / "a", "key", write(b"whole"))
    (cached,) = layouts(folder)
    cached.write_bytes(b"who")
    assert copy_layout(tmp_path / "b", "key", write(b"whole"))
    assert copy_layout(tmp_path / "c", "key", refuse)
    assert {(tmp_path / name).read_bytes() for name in "abc"} == {b"whole"}
    assert layouts(folder) == [cached]


def test_layout_of_another_key_is_not_used(folder, tmp_path):
    assert copy_layout(tmp_path / "a", "key", write(b"one"))
    assert copy_layout(tmp_path / "b", "key-2", write(b"two"))
    assert ((tmp_path / "a").read_bytes(), (tmp_path / "b").read_bytes()) == (b"one", b"two")
    assert len(layouts(folder)) == 2


def test_least_recently_used_layouts_are_removed(folder, tmp_path):
    for number in range(MAX_LAYOUTS + 3):
        assert copy_layout(tmp_path / str(number), f"k{number}", write(b"%d" % number))
        assert copy_layout(tmp_path / f"{number} again", "k0", refuse)
    assert len(layouts(folder)) == MAX_LAYOUTS + 1
    assert layouts(folder)[0].name.startswith("layout-k0-")


def test_folder_that_others_can_write_is_not_used(folder, tmp_path):
    folder.mkdir(parents=True)
    folder.chmod(0o770)
    assert not copy_layout(tmp_path / "w", "key", refuse)
    with pytest.raises(PermissionError, match="written by others"):
        cache_folder()
    assert not (tmp_path / "w").exists()


def test_cache_is_in_the_home_folder_without_xdg(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    for value in ("", "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", value)
        assert cache_folder() == tmp_path / ".cache" / "innspect"


def test_what_exists_is_not_touched(folder, tmp_path):
    path = tmp_path / "w.duckdb"
    path.write_bytes(b"mine")
    assert not copy_layout(path, "key", refuse)
    assert path.read_bytes() == b"mine"
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    assert not copy_layout(path, "key", refuse)
    assert path.is_symlink()


@pytest.mark.long
def test_log_of_a_deleted_warehouse_is_not_applied_to_a_copy(folder, tmp_path):
    path = tmp_path / "w.duckdb"
    with Warehouse(path) as warehouse:
        log = tmp_path / "w.duckdb.wal"
        warehouse.connection.execute("INSERT INTO lineage._record_files VALUES ('old')")
        kept = log.read_bytes()
    path.unlink()
    log.write_bytes(kept)
    with Warehouse(path) as warehouse:
        assert warehouse.connection.execute("FROM lineage._record_files").fetchall() == []


def test_failed_layout_leaves_nothing(folder, tmp_path):
    def fail(path: Path) -> None:
        path.write_bytes(b"half")
        raise OSError("disk full")

    assert not copy_layout(tmp_path / "w", "key", fail)
    assert layouts(folder) == []
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]
