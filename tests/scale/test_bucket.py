"""The archive in an object store: the same promises as in a folder, and homes that share it."""

import sys
import threading
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer

import polars as pl
import pytest

from innspect.extract.archive.archive import Archive
from innspect.extract.archive.compaction import compact
from innspect.extract.archive.erasure import rewrite
from innspect.extract.archive.s3 import LOCK, Bucket
from innspect.extract.home.tombstones import Tombstones
from innspect.schemas.errors import ArchiveChanged, ArchiveDamaged, StoreError, StoresHeld, UsageError
from tests.extract.test_archive import NOON, answers, runs

pytestmark = pytest.mark.usefixtures("reached")


@pytest.fixture
def url(bucket):
    return f"s3://{bucket}/some/prefix"


@pytest.fixture
def archive(url):
    return Archive(url)


def keys(s3, bucket) -> list[str]:
    return [one["Key"] for one in s3.list_objects_v2(Bucket=bucket).get("Contents", [])]


def test_what_is_sealed_is_read_back_and_lies_below_the_prefix(archive, s3, bucket):
    assert not archive.exists()
    file = archive.seal("answers", "20261120T1-Портфель~"[:-1], answers(1, 2))
    assert archive.exists()
    assert archive.read(file).equals(answers(1, 2))
    assert archive.columns(file, ["bytes", "asked_at"]).equals(answers(1, 2).select("bytes", "asked_at"))
    assert keys(s3, bucket) == [f"some/prefix/{file}"]
    assert list(archive.verify()) == []


def test_an_answer_is_sealed_once_by_this_process_and_by_the_next(archive, url):
    archive.seal("answers", "run", answers(1, 2))
    archive.seal("answers", "run", answers(3))
    for again in (archive, Archive(url)):
        assert again.seal("answers", "run", answers(1, 2, 3)) is None
    file = Archive(url).seal("answers", "run", answers(2, 3, 4))
    assert file == "answers/run-00003.parquet"
    assert archive.read(file).equals(answers(4))
    assert archive.seal("answers", "run-2", answers(1, run_id="run-2")) == "answers/run-2-00001.parquet"


def test_records_are_sealed_again_only_when_they_changed(archive):
    assert archive.seal("runs", "run", runs(None)) == "runs/run-00001.parquet"
    assert archive.seal("runs", "run", runs(None)) is None
    assert archive.seal("runs", "run", runs(0)) == "runs/run-00002.parquet"


def test_files_come_in_the_order_of_time(archive):
    late = archive.seal("answers", "a", answers(1, run_id="a", at=NOON + timedelta(days=1)))
    early = archive.seal("answers", "b", answers(1, run_id="b"))
    assert archive.files("answers") == [early, late]


def test_a_put_whose_answer_was_lost_is_repeated_and_another_file_never_overwritten(url):
    place = Bucket(url)
    place.write("answers/run-00001.parquet", b"the bytes", anew=False)
    place.write("answers/run-00001.parquet", b"the bytes", anew=False)
    with pytest.raises(StoreError, match="has another file"):
        place.write("answers/run-00001.parquet", b"other bytes", anew=False)
    assert place.content("answers/run-00001.parquet") == b"the bytes"


def test_a_store_without_conditions_does_not_overwrite_either(url, monkeypatch):
    monkeypatch.setenv("AWS_CONDITIONAL_PUT", "disabled")
    place = Bucket(url)
    place.write("answers/run-00001.parquet", b"the bytes", anew=False)
    with pytest.raises(StoreError, match="has another file"):
        place.write("answers/run-00001.parquet", b"other bytes", anew=False)
    assert place.content("answers/run-00001.parquet") == b"the bytes"


def test_damage_is_named_and_its_answers_are_sealed_anew(archive, s3, bucket, url):
    file = archive.seal("answers", "run", answers(1))
    key = f"some/prefix/{file}"
    content = bytearray(s3.get_object(Bucket=bucket, Key=key)["Body"].read())
    content[60] ^= 0xFF
    s3.put_object(Bucket=bucket, Key=key, Body=bytes(content))
    assert [damage.facts["file"] for damage in archive.verify()] == [file]
    again = Archive(url).seal("answers", "run", answers(1))
    assert archive.read(again).equals(answers(1))
    s3.put_object(Bucket=bucket, Key=key, Body=b"no Parquet at all")
    with pytest.raises(ArchiveDamaged, match=file):
        Archive(url).read(file)
    with pytest.raises(ArchiveDamaged, match=file):
        Archive(url).columns(file, ["bytes"])
    assert file in Archive(url).files("answers")


def test_files_are_put_together_and_the_small_ones_go(archive, url, s3, bucket):
    for number in range(5):
        archive.seal("answers", "run", answers(number))
    (made,) = compact(archive, "answers")
    assert keys(s3, bucket) == [f"some/prefix/{made.file}"]
    after = Archive(url)
    assert after.files("answers") == [made.file]
    assert after.read(made.file).equals(answers(*range(5)))
    assert after.seal("answers", "run", answers(3, 4, 5)) == "answers/run-00006.parquet"


def test_notes_longer_than_the_first_look_are_read_whole(archive, url):
    for number in range(40):
        archive.seal("answers", "r" * 80 + "-" + "n" * 80, answers(number))
    for made in compact(archive, "answers"):
        notes = Archive(url, read_only=True).notes(made.file)
        assert len(notes.replaces) == 40
    place = Bucket(url)
    assert place._notes_in_tail(made.file, 16) == notes


def test_a_process_that_died_before_removing_the_small_ones_leaves_nothing_twice(archive, url, s3, bucket):
    for number in range(3):
        archive.seal("answers", "run", answers(number))
    made = next(compact(archive, "answers"))
    assert len(keys(s3, bucket)) == 4
    assert Archive(url, read_only=True).files("answers") == [made.file]
    assert len(keys(s3, bucket)) == 4
    assert Archive(url).files("answers") == [made.file]
    assert keys(s3, bucket) == [f"some/prefix/{made.file}"]


def test_who_reads_while_another_home_puts_files_together_is_told(archive, url):
    for number in range(3):
        archive.seal("answers", "run", answers(number))
    reader = Archive(url, read_only=True)
    listed = reader.files("answers")
    list(compact(archive, "answers"))
    with pytest.raises(ArchiveChanged, match="meanwhile"):
        reader.read(listed[0])
    (large,) = reader.files("answers")
    assert reader.read(large).height == 3


def test_one_home_at_a_time_rewrites(archive, url):
    with archive.alone("a" * 32):
        with pytest.raises(StoresHeld, match="aaaaaaaa"), Archive(url).alone("b" * 32):
            pytest.fail("two at once")
        # What a killed process of the same home left is its own.
        with Archive(url).alone("a" * 32):
            pass
    with Archive(url).alone("b" * 32):
        pass


def test_the_lock_of_nobody_known_names_the_object(archive, s3, bucket):
    s3.put_object(Bucket=bucket, Key=f"some/prefix/{LOCK}", Body=b"?")
    with pytest.raises(StoresHeld, match=LOCK), archive.alone("a" * 32):
        pytest.fail("held")


def test_what_is_forgotten_is_written_out_of_the_object(archive, tmp_path, url):
    tombstones = Tombstones(tmp_path)
    file = archive.seal("answers", "run", answers(1, 2, 3))
    other = answers(4).with_columns(inn=pl.lit("7736050003"))
    alone = archive.seal("answers", "run", other)
    tombstones.forget(["7736050003"], NOON)
    assert rewrite(archive, tombstones).answers == 1
    assert Archive(url).files("answers") == [file]
    assert alone not in Archive(url).files("answers")


def test_a_missing_bucket_is_told():
    with pytest.raises(StoreError, match="There is no bucket for the archive s3://not-there/x"):
        Archive("s3://not-there/x")


def test_refused_credentials_are_told_without_naming_them(monkeypatch):
    class Refusing(BaseHTTPRequestHandler):
        def do_GET(self):
            said = b"<Error><Code>InvalidAccessKeyId</Code><AWSAccessKeyId>scale-tests-key</AWSAccessKeyId></Error>"
            self.send_response(403)
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Refusing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
    try:
        with pytest.raises(StoreError, match="is not open to us") as caught:
            Archive("s3://stock/x")
    finally:
        server.shutdown()
        server.server_close()
    told = caught.value
    assert "scale-tests" not in f"{told.message}{told.facts}{told.__cause__!r}"
    assert told.__suppress_context__


def test_without_the_library_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.delitem(sys.modules, "innspect.extract.archive.s3")
    monkeypatch.setitem(sys.modules, "obstore", None)
    with pytest.raises(UsageError, match=r"install `innspect\[scale\]`"):
        Archive("s3://stock/x")
