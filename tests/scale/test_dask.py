"""`compute`: transforming on the workers of a cluster gives what transforming here gives, whatever befalls them."""

import logging
import subprocess
import time

import pytest

from innspect.extract.archive import file_format as sealed
from innspect.extract.home.tombstones import Tombstones
from innspect.flows import executors as computes
from innspect.flows.executors import batch_of, computing
from innspect.schemas.errors import ArchiveDamaged, SettingsError, UsageError
from innspect.schemas.settings import load_settings
from tests.extract.test_archive import NOON, answers
from tests.flows.conftest import House
from tests.scale.clusters import Cluster

ZONE = "Europe/Moscow"


def part(frame, file="answers/run-00001.parquet", first=0, rows=None):
    return file, sealed.packed(frame, sealed.notes("answers", frame)), first, rows


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with Cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


def tables(batch) -> dict:
    return {
        "answers": batch.answers,
        "snapshots": batch.snapshots,
        "violations": batch.violations,
        "drift": batch.drift,
        **batch.rows,
    }


def test_rows_of_a_file_and_what_is_forgotten(tmp_path):
    tombstones = Tombstones(tmp_path)
    assert batch_of([part(answers(1, 2, 3), first=1, rows=1)], None, ZONE).answers["call_id"].to_list() == ["call-2"]
    tombstones.forget(["7707083893"], NOON)
    assert batch_of([part(answers(1, 2, 3))], tombstones, ZONE).answers.is_empty()


def test_a_worker_gives_what_is_made_here(cluster):
    parts = [part(answers(1, 2)), part(answers(3), "answers/run-00002.parquet")]
    here = tables(batch_of(parts, None, ZONE))
    with computing(cluster.address) as compute:
        assert compute.width >= 2
        there = tables(compute.submit(parts, None, ZONE).result())
    assert [name for name in here if not here[name].equals(there[name])] == []
    assert here["snapshots"].height == 3


def test_damage_found_by_a_worker_names_the_file(cluster):
    file, content, *rows = part(answers(1))
    with computing(cluster.address) as compute, pytest.raises(ArchiveDamaged, match=file):
        compute.submit([(file, content[:60] + b"?" + content[61:], *rows)], None, ZONE).result()


def test_a_cluster_without_workers_does_not_hold_the_work_up(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(computes, "GLANCE_SECONDS", 0.2)
    with Cluster(tmp_path, workers=0) as empty, computing(empty.address) as compute:
        with caplog.at_level(logging.WARNING):
            batch = compute.submit([part(answers(1))], None, ZONE).result()
        assert batch.snapshots.height == 1
        assert "it is transformed here" in caplog.text


def test_a_scheduler_that_is_not_there_is_told(monkeypatch):
    monkeypatch.setattr(computes, "CONNECT_SECONDS", 1)
    with computing("tcp://127.0.0.1:9") as compute, pytest.raises(SettingsError, match="dask scheduler"):
        compute.start()


def test_without_the_extra_one_sentence_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "distributed", None)
    with computing("dask") as compute, pytest.raises(UsageError, match=r"innspect\[scale\]"):
        compute.start()


@pytest.mark.parametrize("value", ["spark", "tcp://", "http://host:8786", "tcp://a b"])
def test_a_setting_that_names_no_cluster_is_refused(value):
    with pytest.raises(SettingsError, match=r"compute in the environment.*tcp://HOST:8786"):
        load_settings(None, {"INNSPECT_COMPUTE": value}, {})


def test_what_goes_to_workers_with_a_task_holds_no_job():
    import cloudpickle

    from innspect.flows.prefect import job_registry as under_way
    from innspect.flows.prefect import run_flow as prefect_flow

    under_way.JOBS["run"] = "the API key of a job", None
    try:
        for sent in (prefect_flow.check_portfolio, prefect_flow.batch, prefect_flow.transform_file):
            assert b"the API key" not in cloudpickle.dumps(sent)
    finally:
        del under_way.JOBS["run"]


@pytest.mark.long
@pytest.mark.parametrize("words", [("--direct",), ()], ids=["direct", "prefect"])
def test_a_run_and_a_rebuild_over_a_cluster_that_loses_a_worker(tmp_path, service, portfolio, words):
    plain, spread = House(tmp_path / "plain", service.url), House(tmp_path / "spread", service.url)
    assert plain.run(portfolio).code == 0
    service.reset()
    with Cluster(tmp_path / "cluster") as cluster:
        environ = {"INNSPECT_COMPUTE": cluster.address, "INNSPECT_SERVICE__BATCH": "3", "DO_NOT_TRACK": "1"}
        running = spread.start("run", portfolio, "--json", *words, **environ)
        while running.poll() is None and not list((spread.home / "archive" / "answers").glob("[!.]*.parquet")):
            time.sleep(0.05)
        cluster.kill(cluster.workers[0])
        try:
            out, err = running.communicate(timeout=600)
        except subprocess.TimeoutExpired:
            running.kill()
            raise
        assert running.returncode == 0, out + err
        assert known(spread) == known(plain)
        before = spread.tables("core", "current", "lineage")
        assert spread("rebuild", **environ).code == 0
        assert spread.tables("core", "current", "lineage") == before


def known(house: House) -> dict:
    from tests.flows.test_kill import RUN_TIMES

    found = house.tables("core", "current", without=lambda *_: RUN_TIMES)
    assert sum(map(len, found.values())) > 100
    return found
