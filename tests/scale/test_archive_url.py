"""Commands with `stores.archive = "s3://…"` behave as with a folder."""

import json
from datetime import datetime

import polars as pl
import pytest

from innspect.extract.home.tombstones import Tombstones
from innspect.schemas.errors import SettingsError
from innspect.schemas.settings import load_settings
from tests.flows.test_kill import ONE_BY_ONE, RUN_TIMES
from tests.support.cli import Cli, assert_fails, assert_money_adds_up, assert_no_call_paid_twice


@pytest.fixture
def homes(tmp_path, service, object_store, bucket):
    """Homes that share an archive, each with a warehouse of its own."""
    shared = {**object_store, "INNSPECT_STORES__ARCHIVE": f"s3://{bucket}/innspect"}

    def home(name: str) -> Cli:
        return Cli(tmp_path / name, service.url, dict(shared))

    return home


def query_json(cli: Cli, query: str) -> list[dict]:
    done = cli("sql", query, "--format", "json")
    assert done.code == 0, done
    return json.loads(done.out)


def read_known_tables(cli: Cli) -> dict:
    return cli.tables("core", "current", without=lambda *_: RUN_TIMES)


def assert_same_tables(one: dict, other: dict) -> None:
    assert list(one) == list(other)
    assert sum(map(len, one.values())) > 100
    assert [name for name in one if one[name] != other[name]] == []


@pytest.mark.long
def test_run_and_rebuild_give_the_tables_and_bytes_of_a_folder(
    homes, cli, small_portfolio, service, object_store, bucket
):
    local, remote = cli, homes("remote")
    for one in (local, remote):
        # A response contains the balance, so its bytes depend on the order of the calls.
        one.environ |= ONE_BY_ONE
    assert local.run(small_portfolio).code == 0
    service.reset()
    assert remote.run(small_portfolio).code == 0
    assert_money_adds_up(remote, service)
    assert_same_tables(read_known_tables(local), read_known_tables(remote))
    assert not (remote.home / "archive").exists()

    asked = "SELECT inn, method, sha256(body) AS hash FROM raw.responses ORDER BY ALL"
    assert query_json(remote, asked) == query_json(local, asked) != []

    before = remote.tables("core", "current", "lineage")
    done = remote("rebuild", "--json")
    assert done.code == 0, done
    assert_same_tables(before, remote.tables("core", "current", "lineage"))
    lines = remote("doctor", "--json").json["checks"]
    (line,) = [one for one in lines if one["check"] == "archive"]
    assert line["ok"]
    assert "all hashes match" in line["says"]
    for path in remote.home.rglob("*"):
        assert not path.is_file() or object_store["AWS_SECRET_ACCESS_KEY"].encode() not in path.read_bytes(), path


@pytest.mark.long
@pytest.mark.parametrize("point", ["before archive put 3", "after archive put 3"])
def test_kill_around_an_upload_loses_and_duplicates_nothing(homes, small_portfolio, service, point):
    # The first objects of a run hold its members and rejected lines; the next one holds responses.
    remote = homes("remote")
    done = remote.run(small_portfolio, INNSPECT_FAULT_POINT=point)
    if done.code == 0:
        done = remote.run(small_portfolio, "--refresh", INNSPECT_FAULT_POINT=point.replace("3", "2"))
    assert done.code == -9, done
    assert remote.run(small_portfolio).code == 0
    assert_money_adds_up(remote, service)
    assert_no_call_paid_twice(service)
    rows = query_json(remote, "SELECT count(*) AS n, count(DISTINCT response_id) AS ids FROM raw.responses")
    assert rows[0]["n"] == rows[0]["ids"] == len(service.charges())


@pytest.mark.long
def test_homes_that_share_an_archive_do_not_request_the_same_block_twice(homes, small_portfolio, service, s3, bucket):
    one, other = homes("one"), homes("other")
    assert one.run(small_portfolio).code == 0
    billed = service.bill_total()
    done = other.run(small_portfolio)
    assert done.code == 0, done
    assert (done.json["planned_calls"], service.bill_total()) == (0, billed)
    assert_same_tables(read_known_tables(one), read_known_tables(other))
    assert other.run(small_portfolio, "--refresh").code == 0
    names = [key["Key"] for key in s3.list_objects_v2(Bucket=bucket)["Contents"]]
    homes_of = {(cli.home / "innspect.id").read_text()[:8] for cli in (one, other)}
    assert {home for home in homes_of for name in names if home in name} == homes_of

    assert one("archive", "compact").code == 0
    assert other.run(small_portfolio).code == 0
    for cli in (one, other):
        (row,) = query_json(cli, "SELECT count(*) AS n, count(DISTINCT response_id) AS ids FROM raw.responses")
        assert row["n"] == row["ids"] == len(service.charges())
        (files,) = query_json(cli, "SELECT count(DISTINCT archive_file) AS n FROM lineage.responses")
        assert files["n"] == 1
    assert_same_tables(read_known_tables(one), read_known_tables(other))


@pytest.mark.long
def test_erasure_reaches_the_object_store(homes, small_portfolio):
    remote = homes("remote")
    assert remote.run(small_portfolio).code == 0
    inn = small_portfolio.read_text().split()[1]
    assert remote("forget", "--yes", inn, "--json").json["answers"] > 0
    assert query_json(remote, f"SELECT count(*) AS n FROM raw.responses WHERE inn = '{inn}'") == [{"n": 0}]
    assert query_json(remote, "SELECT count(*) AS n FROM raw.responses")[0]["n"] > 0
    rest = small_portfolio.read_text().split()[2:]
    assert remote("forget", "--yes", *rest, "--json").json["answers"] > 0
    assert query_json(remote, "SELECT count(*) AS n FROM raw.responses") == [{"n": 0}]
    assert query_json(remote, "SELECT count(*) AS n FROM lineage.calls")[0]["n"] > 0


@pytest.mark.long
def test_retention_removes_old_responses_from_the_object_store(homes, small_portfolio, s3, bucket):
    remote = homes("remote")
    assert remote.run(small_portfolio).code == 0
    assert remote.run(small_portfolio, "--refresh").code == 0
    before = query_json(remote, "SELECT count(*) AS n, sum(charged_rub) AS rub FROM lineage.calls")
    assert remote("archive", "retain", "--days", "1", "--json").json["answers"] == 0
    (last,) = query_json(remote, "SELECT run_id, started_at FROM lineage.runs ORDER BY started_at DESC LIMIT 1")
    # As `retain` does on a day when only the first run is too old.
    Tombstones(remote.home).set_retention(datetime.fromisoformat(last["started_at"]))
    assert remote("plan", small_portfolio).code == 0
    assert not Tombstones(remote.home).is_unfinished
    for table in ("raw.responses", "lineage.responses"):
        assert query_json(remote, f"SELECT DISTINCT run_id FROM {table}") == [{"run_id": last["run_id"]}]
    assert query_json(remote, "SELECT count(*) AS n, sum(charged_rub) AS rub FROM lineage.calls") == before
    objects = [one["Key"] for one in s3.list_objects_v2(Bucket=bucket)["Contents"] if "/answers/" in one["Key"]]
    assert objects
    for key in objects:
        rows = pl.read_parquet(s3.get_object(Bucket=bucket, Key=key)["Body"].read(), columns=["run_id"])
        assert set(rows["run_id"]) <= {last["run_id"]}
    before = remote.tables("core", "current", "lineage")
    assert remote("rebuild").code == 0
    assert_same_tables(before, remote.tables("core", "current", "lineage"))


@pytest.mark.parametrize("where", ["s3://key:secret@stock/x", "gs://stock/x", "s3://", "s3://stock/x?key=secret"])
def test_invalid_url_is_rejected_without_its_secret(where):
    with pytest.raises(SettingsError, match=r"stores\.archive in the environment.*s3://BUCKET/PREFIX") as caught:
        load_settings(None, {"INNSPECT_STORES__ARCHIVE": where}, {})
    assert "secret" not in caught.value.message


def test_unreachable_store_is_reported_before_any_call(homes, small_portfolio, service):
    assert_fails(
        homes("remote").run(small_portfolio, AWS_ENDPOINT_URL="http://127.0.0.1:9"),
        1,
        "does not respond",
        "AWS_ENDPOINT_URL",
    )
    assert service.charges() == []
