"""The archive in a folder: sealing, repeated sealing, temporary files, damage, a full disk."""

import contextlib
import errno
import hashlib
import os
import stat
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import duckdb
import polars as pl
import pytest

from innspect.extract.archive.archive import Archive
from innspect.schemas.errors import ArchiveDamaged, DiskFull, StoreError
from innspect.schemas.lineage import ARCHIVE

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC).replace(tzinfo=None)


def response_rows(*numbers: int, run_id: str = "run", at: datetime = NOON) -> pl.DataFrame:
    bodies = [f'{{"number": {number}}}'.encode() for number in numbers]
    rows = [
        {
            "response_id": f"response-{run_id}-{number}",
            "call_id": f"call-{number}",
            "run_id": run_id,
            "inn": "7707083893",
            "method": "brief",
            "asked_at": at + timedelta(seconds=number),
            "received_at": at + timedelta(seconds=number + 1),
            "http_status": 200,
            "charged_rub": Decimal("4.00"),
            "balance_rub": None,
            "bytes": len(body),
            "sha256": hashlib.sha256(body).hexdigest(),
            "masked": False,
            "body": body,
        }
        for number, body in zip(numbers, bodies, strict=True)
    ]
    return pl.DataFrame(rows, schema=ARCHIVE["answers"])


def run_row(exit_code: int | None) -> pl.DataFrame:
    row = dict.fromkeys(ARCHIVE["runs"]) | {"run_id": "run", "started_at": NOON, "exit_code": exit_code}
    return pl.DataFrame([row], schema=ARCHIVE["runs"])


def test_sealed_rows_are_read_back(archive):
    file = archive.seal("answers", "run", response_rows(1, 2))
    assert file == "answers/run-00001.parquet"
    assert archive.read_rows(file).equals(response_rows(1, 2))
    assert archive.files("answers") == [file]
    assert list(archive.verify()) == []


def test_files_are_private_to_the_owner(archive):
    file = archive.where / archive.seal("answers", "run", response_rows(1))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(archive.where.stat().st_mode) == 0o700


def test_response_is_sealed_once(archive):
    archive.seal("answers", "run", response_rows(1, 2))
    archive.seal("answers", "run", response_rows(3))
    assert archive.seal("answers", "run", response_rows(1, 2, 3)) is None
    file = archive.seal("answers", "run", response_rows(2, 3, 4))
    assert archive.read_rows(file).equals(response_rows(4))
    other = archive.seal("answers", "run-2", response_rows(1, run_id="run-2"))
    assert other == "answers/run-2-00001.parquet"
    assert [archive.read_rows(name).height for name in archive.files("answers")] == [2, 1, 1, 1]


def test_records_are_sealed_again_only_after_a_change(archive):
    assert archive.seal("runs", "run", run_row(None)) == "runs/run-00001.parquet"
    assert archive.seal("runs", "run", run_row(None)) is None
    assert archive.seal("runs", "run", run_row(0)) == "runs/run-00002.parquet"


def test_empty_frame_writes_no_file(archive):
    assert archive.seal("answers", "run", response_rows()) is None
    assert archive.files("answers") == []


def test_files_are_ordered_by_time_not_by_name(archive):
    late = archive.seal("answers", "a", response_rows(1, run_id="a", at=NOON + timedelta(days=1)))
    early = archive.seal("answers", "b", response_rows(1, run_id="b"))
    assert archive.files("answers") == [early, late]


def test_incomplete_files_are_removed_and_never_listed(archive):
    torn = archive.where / "answers" / ".run-00001.parquet.torn"
    torn.write_bytes(b"PAR1 and then nothing")
    assert archive.files("answers") == []
    Archive(archive.where, read_only=True)
    assert torn.exists()
    Archive(archive.where)
    assert not torn.exists()


def flip(path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 0xFF
    path.write_bytes(content)


def test_every_flipped_byte_of_a_body_is_detected(archive):
    sealed = response_rows(*range(5))
    file = archive.seal("answers", "run", sealed)
    path = archive.where / file
    whole = path.read_bytes()
    for at in range(0, len(whole), 7):
        flip(path, at)
        with contextlib.suppress(ArchiveDamaged):
            assert archive.read_rows(file)["body"].to_list() == sealed["body"].to_list()
        path.write_bytes(whole)


def test_damage_names_the_file_and_the_response(archive):
    frame = response_rows(1, 2).with_columns(sha256=pl.lit("0" * 64))
    file = archive.seal("answers", "run", frame)
    with pytest.raises(ArchiveDamaged) as caught:
        archive.read_rows(file)
    assert caught.value.facts == {"file": file, "response_id": "response-run-1"}
    assert [damage.facts["file"] for damage in archive.verify()] == [file]


def test_responses_of_a_damaged_file_are_sealed_again(archive):
    path = archive.where / archive.seal("answers", "run", response_rows(1))
    path.write_bytes(path.read_bytes()[:-20])
    file = archive.seal("answers", "run", response_rows(1))
    assert archive.read_rows(file).equals(response_rows(1))


def test_responses_with_damaged_bytes_are_sealed_again(archive):
    archive.seal("answers", "run", response_rows(1).with_columns(body=pl.lit(b"something else")))
    file = archive.seal("answers", "run", response_rows(1))
    assert archive.read_rows(file).equals(response_rows(1))
    assert [damage.facts["file"] for damage in archive.verify()] == ["answers/run-00001.parquet"]


@pytest.mark.parametrize("call", ["fsync", "rename"])
@pytest.mark.parametrize(("number", "error"), [(errno.ENOSPC, DiskFull), (errno.EIO, StoreError)])
def test_failed_write_leaves_no_file(archive, monkeypatch, call, number, error):
    def fail(*_):
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patched:
        patched.setattr(os, call, fail)
        with pytest.raises(error) as caught:
            archive.seal("answers", "run", response_rows(1))
        assert type(caught.value) is error
    assert [path for path in archive.where.rglob("*") if path.is_file()] == []
    assert archive.seal("answers", "run", response_rows(1)) == "answers/run-00001.parquet"


@pytest.mark.parametrize("run_id", ["../run", "a/b", ".run", ""])
def test_run_id_that_is_not_a_file_name_is_rejected(archive, run_id):
    with pytest.raises(ValueError, match="not a file name"):
        archive.seal("answers", run_id, response_rows(1))


def test_frame_with_other_columns_is_rejected(archive):
    with pytest.raises(pl.exceptions.PolarsError):
        archive.seal("answers", "run", response_rows(1).with_columns(http_status=pl.lit("200")))


def test_duckdb_reads_sealed_files(archive):
    archive.seal("answers", "run", response_rows(1, 2))
    archive.seal("answers", "run", response_rows(3))
    glob = str(archive.where / "answers" / "*.parquet")
    kinds = "min(typeof(charged_rub)), min(typeof(asked_at)), min(typeof(body))"
    query = f"SELECT sum(charged_rub), {kinds} FROM read_parquet(?)"
    assert duckdb.execute(query, [glob]).fetchall() == [(Decimal("12.00"), "DECIMAL(18,2)", "TIMESTAMP", "BLOB")]


def test_responses_of_a_file_that_cannot_be_read_count_as_none(archive):
    file = archive.seal("answers", "run", response_rows(1, 2, 3))
    assert archive.count_responses(file) == 3
    (archive.where / file).write_bytes(b"no Parquet")
    assert archive.count_responses(file) == 0
    assert archive.count_responses("answers/absent-00001.parquet") == 0
