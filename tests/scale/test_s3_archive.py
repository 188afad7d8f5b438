"""The archive in an object store behaves as in a folder, and several homes share it."""

import sys
import threading
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer

import polars as pl
import pytest

from innspect.extract.archive.archive import Archive
from innspect.extract.archive.compaction import compact
from innspect.extract.archive.erasure import erase_rows
from innspect.extract.archive.s3 import LOCK_OBJECT, S3Backend
from innspect.extract.home.tombstones import Tombstones
from innspect.schemas.errors import ArchiveChanged, ArchiveDamaged, StoreError, StoresHeld, UsageError
from tests.extract.test_archive import NOON, response_rows, run_row

pytestmark = pytest.mark.usefixtures("object_store_environment")


@pytest.fixture
def url(bucket):
    return f"s3://{bucket}/some/prefix"


@pytest.fixture
def archive(url):
    return Archive(url)


def list_keys(s3, bucket) -> list[str]:
    return [one["Key"] for one in s3.list_objects_v2(Bucket=bucket).get("Contents", [])]


def test_sealed_rows_are_read_back_from_below_the_prefix(archive, s3, bucket):
    assert not archive.exists()
    file = archive.seal("answers", "20261120T1-Портфель~"[:-1], response_rows(1, 2))
    assert archive.exists()
    assert archive.read_rows(file).equals(response_rows(1, 2))
    assert archive.read_columns(file, ["bytes", "asked_at"]).equals(response_rows(1, 2).select("bytes", "asked_at"))
    assert list_keys(s3, bucket) == [f"some/prefix/{file}"]
    assert list(archive.verify()) == []


def test_response_is_sealed_once_across_processes(archive, url):
    archive.seal("answers", "run", response_rows(1, 2))
    archive.seal("answers", "run", response_rows(3))
    for again in (archive, Archive(url)):
        assert again.seal("answers", "run", response_rows(1, 2, 3)) is None
    file = Archive(url).seal("answers", "run", response_rows(2, 3, 4))
    assert file == "answers/run-00003.parquet"
    assert archive.read_rows(file).equals(response_rows(4))
    assert archive.seal("answers", "run-2", response_rows(1, run_id="run-2")) == "answers/run-2-00001.parquet"


def test_records_are_sealed_again_only_after_a_change(archive):
    assert archive.seal("runs", "run", run_row(None)) == "runs/run-00001.parquet"
    assert archive.seal("runs", "run", run_row(None)) is None
    assert archive.seal("runs", "run", run_row(0)) == "runs/run-00002.parquet"


def test_files_are_ordered_by_time(archive):
    late = archive.seal("answers", "a", response_rows(1, run_id="a", at=NOON + timedelta(days=1)))
    early = archive.seal("answers", "b", response_rows(1, run_id="b"))
    assert archive.files("answers") == [early, late]


def test_repeated_upload_succeeds_and_another_file_is_not_overwritten(url):
    backend = S3Backend(url)
    backend.write("answers/run-00001.parquet", b"the bytes", overwrite=False)
    backend.write("answers/run-00001.parquet", b"the bytes", overwrite=False)
    with pytest.raises(StoreError, match="has another file"):
        backend.write("answers/run-00001.parquet", b"other bytes", overwrite=False)
    assert backend.read_bytes("answers/run-00001.parquet") == b"the bytes"


def test_store_without_conditional_put_does_not_overwrite(url, monkeypatch):
    monkeypatch.setenv("AWS_CONDITIONAL_PUT", "disabled")
    backend = S3Backend(url)
    backend.write("answers/run-00001.parquet", b"the bytes", overwrite=False)
    with pytest.raises(StoreError, match="has another file"):
        backend.write("answers/run-00001.parquet", b"other bytes", overwrite=False)
    assert backend.read_bytes("answers/run-00001.parquet") == b"the bytes"


def test_damaged_file_is_named_and_its_responses_are_sealed_again(archive, s3, bucket, url):
    file = archive.seal("answers", "run", response_rows(1))
    key = f"some/prefix/{file}"
    content = bytearray(s3.get_object(Bucket=bucket, Key=key)["Body"].read())
    content[60] ^= 0xFF
    s3.put_object(Bucket=bucket, Key=key, Body=bytes(content))
    assert [damage.facts["file"] for damage in archive.verify()] == [file]
    again = Archive(url).seal("answers", "run", response_rows(1))
    assert archive.read_rows(again).equals(response_rows(1))
    s3.put_object(Bucket=bucket, Key=key, Body=b"no Parquet at all")
    with pytest.raises(ArchiveDamaged, match=file):
        Archive(url).read_rows(file)
    with pytest.raises(ArchiveDamaged, match=file):
        Archive(url).read_columns(file, ["bytes"])
    assert file in Archive(url).files("answers")


def test_compaction_replaces_small_files(archive, url, s3, bucket):
    for number in range(5):
        archive.seal("answers", "run", response_rows(number))
    (made,) = compact(archive, "answers")
    assert list_keys(s3, bucket) == [f"some/prefix/{made.file}"]
    after = Archive(url)
    assert after.files("answers") == [made.file]
    assert after.read_rows(made.file).equals(response_rows(*range(5)))
    assert after.seal("answers", "run", response_rows(3, 4, 5)) == "answers/run-00006.parquet"


def test_metadata_longer_than_the_first_read_is_complete(archive, url):
    for number in range(40):
        archive.seal("answers", "r" * 80 + "-" + "n" * 80, response_rows(number))
    for made in compact(archive, "answers"):
        metadata = Archive(url, read_only=True).read_metadata(made.file)
        assert len(metadata.replaces) == 40
    backend = S3Backend(url)
    assert backend._read_tail_metadata(made.file, 16) == metadata


def test_interrupted_compaction_duplicates_nothing(archive, url, s3, bucket):
    for number in range(3):
        archive.seal("answers", "run", response_rows(number))
    made = next(compact(archive, "answers"))
    assert len(list_keys(s3, bucket)) == 4
    assert Archive(url, read_only=True).files("answers") == [made.file]
    assert len(list_keys(s3, bucket)) == 4
    assert Archive(url).files("answers") == [made.file]
    assert list_keys(s3, bucket) == [f"some/prefix/{made.file}"]


def test_read_during_compaction_by_another_home_raises(archive, url):
    for number in range(3):
        archive.seal("answers", "run", response_rows(number))
    reader = Archive(url, read_only=True)
    listed = reader.files("answers")
    list(compact(archive, "answers"))
    with pytest.raises(ArchiveChanged, match="compacted by another home"):
        reader.read_rows(listed[0])
    (large,) = reader.files("answers")
    assert reader.read_rows(large).height == 3


def test_only_one_home_rewrites_at_a_time(archive, url):
    with archive.rewrite_lock("a" * 32):
        with pytest.raises(StoresHeld, match="aaaaaaaa"), Archive(url).rewrite_lock("b" * 32):
            pytest.fail("two at once")
        # A lock left by a killed process of the same home is reused.
        with Archive(url).rewrite_lock("a" * 32):
            pass
    with Archive(url).rewrite_lock("b" * 32):
        pass


def test_unreadable_lock_is_reported_with_its_object(archive, s3, bucket):
    s3.put_object(Bucket=bucket, Key=f"some/prefix/{LOCK_OBJECT}", Body=b"?")
    with pytest.raises(StoresHeld, match=LOCK_OBJECT), archive.rewrite_lock("a" * 32):
        pytest.fail("held")


def test_erased_rows_are_removed_from_objects(archive, tmp_path, url):
    tombstones = Tombstones(tmp_path)
    file = archive.seal("answers", "run", response_rows(1, 2, 3))
    other = response_rows(4).with_columns(inn=pl.lit("7736050003"))
    other_file = archive.seal("answers", "run", other)
    tombstones.forget(["7736050003"], NOON)
    assert erase_rows(archive, tombstones).answers == 1
    assert Archive(url).files("answers") == [file]
    assert other_file not in Archive(url).files("answers")


def test_missing_bucket_is_reported():
    with pytest.raises(StoreError, match="There is no bucket for the archive s3://not-there/x"):
        Archive("s3://not-there/x")


def test_refused_credentials_are_reported_without_their_values(monkeypatch):
    class Refusing(BaseHTTPRequestHandler):
        def do_GET(self):
            body = b"<Error><Code>InvalidAccessKeyId</Code><AWSAccessKeyId>scale-tests-key</AWSAccessKeyId></Error>"
            self.send_response(403)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Refusing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
    try:
        with pytest.raises(StoreError, match="refuses access") as caught:
            Archive("s3://stock/x")
    finally:
        server.shutdown()
        server.server_close()
    error = caught.value
    assert "scale-tests" not in f"{error.message}{error.facts}{error.__cause__!r}"
    assert error.__suppress_context__


def test_missing_library_is_reported_with_the_extra_to_install(monkeypatch):
    monkeypatch.delitem(sys.modules, "innspect.extract.archive.s3")
    monkeypatch.setitem(sys.modules, "obstore", None)
    with pytest.raises(UsageError, match=r"install `innspect\[scale\]`"):
        Archive("s3://stock/x")
