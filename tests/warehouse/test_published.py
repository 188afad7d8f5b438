"""The published copy, read: one file and nothing else, always the newest, and never changed."""

from pathlib import Path
from shutil import copyfile

import duckdb
import polars as pl
import pytest

from innspect.schemas.errors import UsageError, WarehouseError
from innspect.warehouse.publish.reader import Published, as_csv


@pytest.fixture
def copy(tmp_path, laid_out) -> Path:
    return laid_out(tmp_path / "innspect.duckdb")


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
def test_what_is_typed_reads_the_copy_and_no_more(copy, query, words):
    with Published(copy) as published, pytest.raises(UsageError, match=words):
        published.select(query.format(path=copy), 10)


def test_a_query_that_takes_too_long_is_ended(copy):
    with Published(copy) as published:
        with pytest.raises(UsageError, match=r"more than 0\.2 seconds"):
            published.select("SELECT count(*) FROM range(10000000000) a, range(1000000) b", 10, 0.2)
        assert published.select("SELECT 1 AS one", 10).item() == 1


def test_rows_are_limited_and_a_comment_is_no_fault(copy):
    with Published(copy) as published:
        assert published.select("SELECT * FROM range(100); -- all", 7).height == 7


def test_the_next_opening_sees_a_copy_that_was_swapped_in(copy, tmp_path):
    with Published(copy) as before:
        beside = copyfile(copy, tmp_path / "beside.duckdb")
        with duckdb.connect(str(beside)) as connection:
            connection.execute("INSERT INTO lineage.portfolio_members (portfolio, inn) VALUES ('new', '1')")
        beside.replace(copy)
        many = "SELECT count(*) FROM lineage.portfolio_members"
        with Published(copy) as after:
            assert (before.frame(many).item(), after.frame(many).item()) == (0, 1)
            assert before.stamp != after.stamp


def test_no_copy_or_no_database_is_told_in_a_sentence(tmp_path):
    with pytest.raises(UsageError, match="innspect publish"):
        Published(tmp_path / "none.duckdb")
    (tmp_path / "text.duckdb").write_text("no database" * 1000)
    with pytest.raises(WarehouseError, match="innspect publish"):
        Published(tmp_path / "text.duckdb")


def test_what_the_copy_lacks_is_told_in_a_sentence(copy):
    with Published(copy) as published, pytest.raises(WarehouseError, match=r"publish\.exclude"):
        published.frame("SELECT * FROM mart.nothing")


def test_csv_runs_nothing_in_a_spreadsheet():
    frame = pl.DataFrame({"text": ["=1+1", "@x", "plain", None], "number": [-1, 2, 3, None]})
    assert as_csv(frame).decode("utf-8-sig").splitlines() == ["text,number", "'=1+1,-1", "'@x,2", "plain,3", ","]
