"""Compaction and sealing after it; tombstones and erasure from archive and ledger."""

import json
import sqlite3
from datetime import datetime, timedelta

import polars as pl
import pytest

from innspect.extract.archive.archive import Archive
from innspect.extract.archive.compaction import compact
from innspect.extract.archive.erasure import erase_rows
from innspect.extract.home.tombstones import FILE_NAME, FORGOTTEN, Tombstones
from innspect.extract.ledger.ledger import Ledger
from innspect.extract.ledger.operations import Caps, Outcome, compress_response
from innspect.extract.portfolio.reader import read_portfolio
from innspect.schemas.errors import ArchiveDamaged, StoreError
from innspect.schemas.states import CallState
from tests.extract.test_archive import NOON, response_rows, run_row
from tests.support.ledger_calls import mark_sent, reserve, settle

INN, OTHER = "7707083893", "500100732259"


def test_adjacent_files_are_merged_in_loading_order(archive):
    archive.seal("answers", "b", response_rows(1, run_id="b"))
    archive.seal("answers", "a", response_rows(1, run_id="a", at=NOON + timedelta(days=1)))
    archive.seal("answers", "c", response_rows(1, 2, run_id="c"))
    before = pl.concat([archive.read_rows(file) for file in archive.files("answers")])
    (made,) = compact(archive, "answers")
    assert made.replaced == ("answers/b-00001.parquet", "answers/c-00001.parquet", "answers/a-00001.parquet")
    assert archive.files("answers") == [made.file]
    assert archive.read_rows(made.file).equals(before)
    assert [path.name for path in (archive.where / "answers").iterdir()] == [made.file.partition("/")[2]]
    assert list(compact(archive, "answers")) == []


def test_replaced_files_are_ignored_until_they_are_removed(archive):
    archive.seal("answers", "a", response_rows(1, run_id="a"))
    archive.seal("answers", "b", response_rows(2, run_id="b"))
    making = compact(archive, "answers")
    made = next(making)
    assert len(list((archive.where / "answers").iterdir())) == 3
    assert Archive(archive.where, read_only=True).files("answers") == [made.file]
    making.close()
    assert len(list((archive.where / "answers").iterdir())) == 3
    assert Archive(archive.where).files("answers") == [made.file]
    assert len(list((archive.where / "answers").iterdir())) == 1


def test_compacted_responses_are_not_sealed_again_and_file_names_are_unique(archive):
    archive.seal("answers", "run", response_rows(1))
    archive.seal("answers", "run", response_rows(2))
    archive.seal("runs", "run", run_row(None))
    archive.seal("runs", "run", run_row(0))
    for kind in ("answers", "runs"):
        assert len(list(compact(archive, kind))) == 1
    assert archive.seal("answers", "run", response_rows(1, 2)) is None
    assert archive.seal("runs", "run", run_row(0)) is None
    assert archive.run_ids("runs") == {"run"}
    assert archive.seal("answers", "run", response_rows(1, 2, 3)) == "answers/run-00003.parquet"
    assert archive.seal("runs", "run", run_row(None)) == "runs/run-00003.parquet"
    assert [name.partition("~")[1] for name in archive.files("answers")] == ["~", ""]
    (made,) = compact(archive, "answers")
    assert archive.read_metadata(made.file).replaces[-1] == "run-00003.parquet"
    assert archive.seal("answers", "run", response_rows(4)) == "answers/run-00004.parquet"


def test_damaged_file_stops_compaction_before_any_replacement(archive):
    archive.seal("answers", "a", response_rows(1, run_id="a"))
    path = archive.where / archive.seal("answers", "b", response_rows(2, run_id="b"))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(ArchiveDamaged, match=r"b-00001\.parquet"):
        list(compact(archive, "answers"))
    assert len(archive.files("answers")) == 2


def test_erasure_removes_rows_from_the_archive_and_keeps_all_others(archive, tmp_path):
    mixed = pl.concat([response_rows(1), response_rows(2).with_columns(inn=pl.lit(OTHER))])
    file = archive.seal("answers", "run", mixed)
    alone = archive.seal("answers", "alone", response_rows(3, run_id="alone").with_columns(inn=pl.lit(OTHER)))
    notes = archive.read_metadata(file)
    tombstones = Tombstones(tmp_path)
    tombstones.forget([OTHER], NOON)
    done = erase_rows(archive, tombstones)
    assert (done.files, done.answers, done.calls) == (2, 2, 0)
    assert archive.files("answers") == [file]
    assert archive.read_rows(file).equals(response_rows(1))
    assert archive.read_metadata(file) == notes
    assert not (archive.where / alone).exists()
    assert erase_rows(archive, tombstones).files == 0


def test_tombstone_contains_no_inn(tmp_path):
    tombstones = Tombstones(tmp_path)
    tombstones.forget([INN], NOON)
    said = (tmp_path / FILE_NAME).read_text()
    assert INN not in said
    assert json.loads(said)["unfinished"] is True
    assert (tmp_path / FILE_NAME).stat().st_mode & 0o777 == 0o600
    again = Tombstones(tmp_path)
    mark = again.find_forgotten([INN, OTHER])
    assert list(mark) == [INN]
    assert len(mark[INN]) not in (10, 12)
    other_home = tmp_path / "other"
    other_home.mkdir()
    Tombstones(other_home).forget([INN], NOON)
    assert Tombstones(other_home).find_forgotten([INN]) != mark
    again.mark_finished()
    assert not Tombstones(tmp_path).is_unfinished


def test_damaged_tombstone_file_stops_the_command(tmp_path):
    (tmp_path / FILE_NAME).write_text('{"key": "00"}')
    with pytest.raises(StoreError, match="restore"):
        Tombstones(tmp_path)


def test_portfolio_is_read_without_erased_inns(tmp_path):
    path = tmp_path / "some.csv"
    path.write_text(f"inn;name\n{INN};one\n {OTHER};two\n{OTHER}.0;again\n123;short\n")
    tombstones = Tombstones(tmp_path)
    assert tombstones.reject_forgotten(read_portfolio(path)).members.height == 2
    tombstones.forget([OTHER], NOON)
    portfolio = tombstones.reject_forgotten(read_portfolio(path))
    assert portfolio.members["inn"].to_list() == [INN]
    mark = tombstones.find_forgotten([OTHER])[OTHER]
    assert portfolio.rejected.rows() == [(3, mark, FORGOTTEN), (4, mark, "duplicate"), (5, "123", "wrong_length")]


def test_erasure_keeps_the_money_in_the_ledger_without_the_inn(tmp_path):
    path = tmp_path / "ledger.sqlite"
    ledger = Ledger.open(path, lambda: datetime(2026, 11, 20, 12), "UTC")
    ledger.start_run("run", portfolio="p", profile="f", budget=10_000, at=NOON, software_version="1")
    for inn in (INN, OTHER):
        call = reserve(ledger, "run", inn, "brief", 400, Caps(run=10_000))
        mark_sent(ledger, call)
        body = f'{{"inn": "{inn}", "street": "Distinctive {inn} lane"}}'.encode()
        settle(
            ledger, call, Outcome(CallState.SETTLED, 400, None, 200, None, compress_response(body, NOON, masked=False))
        )
    before = ledger.figures()
    tombstones = Tombstones(tmp_path)
    tombstones.forget([OTHER], NOON)
    assert ledger.erase(tombstones) == (1, 1)
    assert ledger.erase(tombstones) == (0, 0)
    assert (ledger.figures().settled, ledger.figures().outbox) == (before.settled, 1)
    assert ledger.find_faults() == []
    rows = ledger.call_rows("run").select("inn", "charged_rub").rows()
    assert [(inn, str(charged)) for inn, charged in rows] == [
        (INN, "4.00"),
        (tombstones.find_forgotten([OTHER])[OTHER], "4.00"),
    ]
    ledger.close()
    for file in tmp_path.glob("ledger.sqlite*"):
        assert OTHER.encode() not in file.read_bytes()


@pytest.mark.long
def test_reader_that_blocks_the_ledger_is_reported(tmp_path, monkeypatch):
    path = tmp_path / "ledger.sqlite"
    ledger = Ledger.open(path, lambda: datetime(2026, 11, 20, 12), "UTC")
    tombstones = Tombstones(tmp_path)
    tombstones.forget([OTHER], NOON)
    ledger.start_run("run", portfolio="p", profile="f", budget=10_000, at=NOON, software_version="1")
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM runs").fetchall()
    with pytest.raises(StoreError, match="innspect forget"):
        ledger.erase(tombstones)
    reader.close()
    assert ledger.erase(tombstones) == (0, 0)
