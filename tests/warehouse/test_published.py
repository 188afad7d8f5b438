"""The published copy, read: one file and nothing else, always the newest, and never changed."""

from pathlib import Path
from shutil import copyfile

import duckdb
import polars as pl
import pytest

from innspect.schemas.errors import UsageError, WarehouseError
from innspect.warehouse.publish.reader import PublishedCopy, as_csv, read_copy_in_bounds


@pytest.fixture
def copy(tmp_path, create_empty_warehouse) -> Path:
    return create_empty_warehouse(tmp_path / "innspect.duckdb")


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("DELETE FROM lineage.runs", "one SELECT"),
        ("SELECT 1; SELECT 2", "one SELECT"),
        ("COPY (SELECT 1) TO 'out.csv'", "one SELECT"),
        ("", "one SELECT"),
        ("SELECT nothing FROM lineage.runs", "nothing"),
        ("SELECT * FROM read_text('/etc/hostname')", "Permission"),
        ("SELECT * FROM '{path}.parquet'", "Permission"),
        ("SELECT * FROM glob('/*')", "Permission"),
    ],
)
def test_user_sql_can_read_only_the_copy(copy, query, words):
    with PublishedCopy(copy) as published, pytest.raises(UsageError, match=words):
        published.select_limited(query.format(path=copy), 10)


def test_query_is_interrupted_after_its_timeout(copy):
    with PublishedCopy(copy) as published:
        with pytest.raises(UsageError, match=r"more than 0\.2 seconds"):
            published.select_limited("SELECT count(*) FROM range(10000000000) a, range(1000000) b", 10, 0.2)
        assert published.select_limited("SELECT 1 AS one", 10).item() == 1


def test_rows_are_limited_and_comments_are_allowed(copy):
    with PublishedCopy(copy) as published:
        assert published.select_limited("SELECT * FROM range(100); -- all", 7).height == 7


def test_replaced_copy_is_read_at_the_next_opening(copy, tmp_path):
    with PublishedCopy(copy) as before:
        beside = copyfile(copy, tmp_path / "beside.duckdb")
        with duckdb.connect(str(beside)) as connection:
            connection.execute("INSERT INTO lineage.portfolio_members (portfolio, inn) VALUES ('new', '1')")
        beside.replace(copy)
        many = "SELECT count(*) FROM lineage.portfolio_members"
        with PublishedCopy(copy) as after:
            assert (before.query(many).item(), after.query(many).item()) == (0, 1)
            assert before.version != after.version


@pytest.mark.long
def test_copy_is_read_with_temporary_files_or_where_these_are_not_enough_without_a_limit(copy):
    limits: list[str] = []

    def read(query: str) -> int:
        def count(published: PublishedCopy) -> int:
            limits.append(published.query("SELECT current_setting('memory_limit')").item())
            return published.query(f"SELECT count(*) FROM ({query})").item()

        return read_copy_in_bounds(copy, count, "50MB")

    assert read("SELECT md5(range::VARCHAR) AS a FROM range(1_000_000) ORDER BY a LIMIT 900_000") == 900_000
    assert limits == ["47.6 MiB"]
    assert read("SELECT unnest(list(i)) FROM range(14_000_000) r(i)") == 14_000_000
    assert limits[1] == "47.6 MiB"
    assert limits[2] == "524.5 MiB"
    assert read("SELECT unnest(list(i)) FROM range(60_000_000) r(i)") == 60_000_000
    assert limits[5].endswith("GiB")
    assert [file.name for file in copy.parent.iterdir()] == [copy.name]


def test_missing_or_invalid_copy_is_one_sentence(tmp_path):
    with pytest.raises(UsageError, match="innspect publish"):
        PublishedCopy(tmp_path / "none.duckdb")
    (tmp_path / "text.duckdb").write_text("no database" * 1000)
    with pytest.raises(WarehouseError, match="innspect publish"):
        PublishedCopy(tmp_path / "text.duckdb")


def test_excluded_table_is_one_sentence(copy):
    with PublishedCopy(copy) as published, pytest.raises(WarehouseError, match=r"publish\.exclude"):
        published.query("SELECT * FROM mart.nothing")


def test_csv_contains_no_spreadsheet_formula():
    frame = pl.DataFrame({"text": ["=1+1", "@x", "plain", None], "number": [-1, 2, 3, None]})
    assert as_csv(frame).decode("utf-8-sig").splitlines() == ["text,number", "'=1+1,-1", "'@x,2", "plain,3", ","]
