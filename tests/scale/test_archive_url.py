"""`stores.archive = "s3://…"`, and nothing else different, through the command line."""

import json
from datetime import datetime

import polars as pl
import pytest

from innspect.extract.home.tombstones import Tombstones
from innspect.schemas.errors import SettingsError
from innspect.schemas.settings import load_settings
from tests.flows.conftest import House, money_holds, not_paid_twice, told
from tests.flows.test_kill import ONE_BY_ONE, RUN_TIMES


@pytest.fixture
def homes(tmp_path, service, store, bucket):
    """Homes that share an archive, each with a warehouse of its own."""
    shared = {**store, "INNSPECT_STORES__ARCHIVE": f"s3://{bucket}/innspect"}

    def home(name: str) -> House:
        return House(tmp_path / name, service.url, dict(shared))

    return home


def queried(house: House, query: str) -> list[dict]:
    done = house("sql", query, "--format", "json")
    assert done.code == 0, done
    return json.loads(done.out)


def known(house: House) -> dict:
    return house.tables("core", "current", without=lambda *_: RUN_TIMES)


def same(one: dict, other: dict) -> bool:
    assert list(one) == list(other)
    assert sum(map(len, one.values())) > 100
    return [name for name in one if one[name] != other[name]] == []


@pytest.mark.long
def test_a_run_a_rebuild_and_the_bytes_are_those_of_a_folder(homes, house, few, service, store, bucket):
    plain, far = house, homes("far")
    for one in (plain, far):
        # An answer names the balance, so the order of the calls is in the bytes.
        one.environ |= ONE_BY_ONE
    assert plain.run(few).code == 0
    service.reset()
    assert far.run(few).code == 0
    money_holds(far, service)
    assert same(known(plain), known(far))
    assert not (far.home / "archive").exists()

    asked = "SELECT inn, method, sha256(body) AS hash FROM raw.responses ORDER BY ALL"
    assert queried(far, asked) == queried(plain, asked) != []

    before = far.tables("core", "current", "lineage")
    done = far("rebuild", "--json")
    assert done.code == 0, done
    assert same(before, far.tables("core", "current", "lineage"))
    lines = far("doctor", "--json").json["checks"]
    (line,) = [one for one in lines if one["check"] == "archive"]
    assert line["ok"]
    assert "every hash holds" in line["says"]
    for path in far.home.rglob("*"):
        assert not path.is_file() or store["AWS_SECRET_ACCESS_KEY"].encode() not in path.read_bytes(), path


@pytest.mark.long
@pytest.mark.parametrize("point", ["before archive put 3", "after archive put 3"])
def test_killed_around_the_put_nothing_is_lost_or_sealed_twice(homes, few, service, point):
    # The first objects of a run name its members and who was refused; the next holds answers.
    far = homes("far")
    done = far.run(few, INNSPECT_FAULT_POINT=point)
    if done.code == 0:
        done = far.run(few, "--refresh", INNSPECT_FAULT_POINT=point.replace("3", "2"))
    assert done.code == -9, done
    assert far.run(few).code == 0
    money_holds(far, service)
    not_paid_twice(service)
    rows = queried(far, "SELECT count(*) AS n, count(DISTINCT response_id) AS ids FROM raw.responses")
    assert rows[0]["n"] == rows[0]["ids"] == len(service.charges())


@pytest.mark.long
def test_homes_share_an_archive_and_do_not_ask_what_another_knows(homes, few, service, s3, bucket):
    one, other = homes("one"), homes("other")
    assert one.run(few).code == 0
    billed = service.billed()
    done = other.run(few)
    assert done.code == 0, done
    assert (done.json["planned_calls"], service.billed()) == (0, billed)
    assert same(known(one), known(other))
    assert other.run(few, "--refresh").code == 0
    names = [key["Key"] for key in s3.list_objects_v2(Bucket=bucket)["Contents"]]
    homes_of = {(house.home / "innspect.id").read_text()[:8] for house in (one, other)}
    assert {home for home in homes_of for name in names if home in name} == homes_of

    assert one("archive", "compact").code == 0
    assert other.run(few).code == 0
    for house in (one, other):
        (row,) = queried(house, "SELECT count(*) AS n, count(DISTINCT response_id) AS ids FROM raw.responses")
        assert row["n"] == row["ids"] == len(service.charges())
        (files,) = queried(house, "SELECT count(DISTINCT archive_file) AS n FROM lineage.responses")
        assert files["n"] == 1
    assert same(known(one), known(other))


@pytest.mark.long
def test_forgotten_in_the_object_store_too(homes, few):
    far = homes("far")
    assert far.run(few).code == 0
    inn = few.read_text().split()[1]
    assert far("forget", inn, "--json").json["answers"] > 0
    assert queried(far, f"SELECT count(*) AS n FROM raw.responses WHERE inn = '{inn}'") == [{"n": 0}]
    assert queried(far, "SELECT count(*) AS n FROM raw.responses")[0]["n"] > 0
    rest = few.read_text().split()[2:]
    assert far("forget", *rest, "--json").json["answers"] > 0
    assert queried(far, "SELECT count(*) AS n FROM raw.responses") == [{"n": 0}]
    assert queried(far, "SELECT count(*) AS n FROM lineage.calls")[0]["n"] > 0


@pytest.mark.long
def test_answers_older_than_a_moment_leave_the_object_store(homes, few, s3, bucket):
    far = homes("far")
    assert far.run(few).code == 0
    assert far.run(few, "--refresh").code == 0
    before = queried(far, "SELECT count(*) AS n, sum(charged_rub) AS rub FROM lineage.calls")
    assert far("archive", "retain", "--days", "1", "--json").json["answers"] == 0
    (last,) = queried(far, "SELECT run_id, started_at FROM lineage.runs ORDER BY started_at DESC LIMIT 1")
    # As `retain` does, on a day when only the first run is too old.
    Tombstones(far.home).keep_since(datetime.fromisoformat(last["started_at"]))
    assert far("plan", few).code == 0
    assert not Tombstones(far.home).unfinished
    for table in ("raw.responses", "lineage.responses"):
        assert queried(far, f"SELECT DISTINCT run_id FROM {table}") == [{"run_id": last["run_id"]}]
    assert queried(far, "SELECT count(*) AS n, sum(charged_rub) AS rub FROM lineage.calls") == before
    kept = [one["Key"] for one in s3.list_objects_v2(Bucket=bucket)["Contents"] if "/answers/" in one["Key"]]
    assert kept
    for key in kept:
        held = pl.read_parquet(s3.get_object(Bucket=bucket, Key=key)["Body"].read(), columns=["run_id"])
        assert set(held["run_id"]) <= {last["run_id"]}
    known = far.tables("core", "current", "lineage")
    assert far("rebuild").code == 0
    assert same(known, far.tables("core", "current", "lineage"))


@pytest.mark.parametrize("where", ["s3://key:secret@stock/x", "gs://stock/x", "s3://", "s3://stock/x?key=secret"])
def test_an_address_that_is_none_is_refused_and_not_repeated(where):
    with pytest.raises(SettingsError, match=r"stores\.archive in the environment.*s3://BUCKET/PREFIX") as caught:
        load_settings(None, {"INNSPECT_STORES__ARCHIVE": where}, {})
    assert "secret" not in caught.value.message


def test_a_store_that_is_not_there_is_told_before_anything_is_spent(homes, few, service):
    told(homes("far").run(few, AWS_ENDPOINT_URL="http://127.0.0.1:9"), 1, "does not answer", "AWS_ENDPOINT_URL")
    assert service.charges() == []
