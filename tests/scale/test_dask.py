"""`compute`: workers of a cluster give the same batches as this process, even if workers are killed."""

import logging
import subprocess
import time

import pytest

from innspect.extract.archive import file_format
from innspect.extract.home.tombstones import Tombstones
from innspect.flows import executors
from innspect.flows.executors import open_executor, transform_parts
from innspect.schemas.errors import ArchiveDamaged, SettingsError, UsageError
from innspect.schemas.settings import load_settings
from tests.extract.test_archive import NOON, response_rows
from tests.scale.dask_cluster import Cluster
from tests.support.builders import CONVENTIONS
from tests.support.cli import Cli


def make_part(frame, file="answers/run-00001.parquet", first=0, rows=None):
    return file, file_format.encode_file(frame, file_format.new_metadata("answers", frame)), first, rows


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with Cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


def tables(batch) -> dict:
    return {
        "answers": batch.responses,
        "snapshots": batch.snapshots,
        "violations": batch.violations,
        "drift": batch.drift,
        **batch.rows,
    }


def test_part_of_a_file_without_erased_rows(tmp_path):
    tombstones = Tombstones(tmp_path)
    assert transform_parts([make_part(response_rows(1, 2, 3), first=1, rows=1)], None, CONVENTIONS).responses[
        "call_id"
    ].to_list() == ["call-2"]
    tombstones.forget(["7707083893"], NOON)
    assert transform_parts([make_part(response_rows(1, 2, 3))], tombstones, CONVENTIONS).responses.is_empty()


def test_worker_gives_the_same_batch(cluster):
    parts = [make_part(response_rows(1, 2)), make_part(response_rows(3), "answers/run-00002.parquet")]
    here = tables(transform_parts(parts, None, CONVENTIONS))
    with open_executor(cluster.address) as compute:
        assert compute.max_pending >= 2
        there = tables(compute.submit(parts, None, CONVENTIONS).result())
    assert [name for name in here if not here[name].equals(there[name])] == []
    assert here["snapshots"].height == 3


def test_damage_found_by_a_worker_names_the_file(cluster):
    file, content, *rows = make_part(response_rows(1))
    with open_executor(cluster.address) as compute, pytest.raises(ArchiveDamaged, match=file):
        compute.submit([(file, content[:60] + b"?" + content[61:], *rows)], None, CONVENTIONS).result()


def test_cluster_without_workers_falls_back_to_this_process(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(executors, "POLL_SECONDS", 0.2)
    with Cluster(tmp_path, workers=0) as empty, open_executor(empty.address) as compute:
        with caplog.at_level(logging.WARNING):
            batch = compute.submit([make_part(response_rows(1))], None, CONVENTIONS).result()
        assert batch.snapshots.height == 1
        assert "this process transforms it" in caplog.text


def test_unreachable_scheduler_is_reported(monkeypatch):
    monkeypatch.setattr(executors, "CONNECT_SECONDS", 1)
    with open_executor("tcp://127.0.0.1:9") as compute, pytest.raises(SettingsError, match="dask scheduler"):
        compute.start()


def test_missing_library_is_reported_with_the_extra_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "distributed", None)
    with open_executor("dask") as compute, pytest.raises(UsageError, match=r"innspect\[scale\]"):
        compute.start()


@pytest.mark.parametrize("value", ["spark", "tcp://", "http://host:8786", "tcp://a b"])
def test_setting_without_a_cluster_is_rejected(value):
    with pytest.raises(SettingsError, match=r"compute in the environment.*tcp://HOST:8786"):
        load_settings(None, {"INNSPECT_COMPUTE": value}, {})


def test_pickled_tasks_contain_no_job():
    import cloudpickle

    from innspect.flows.prefect import run_flow as prefect_flow
    from innspect.flows.prefect import run_registry

    run_registry.RUNS["run"] = "the API key of a job", None
    try:
        for sent in (prefect_flow.check_portfolio, prefect_flow.run_batch_task, prefect_flow.transform_file):
            assert b"the API key" not in cloudpickle.dumps(sent)
    finally:
        del run_registry.RUNS["run"]


@pytest.mark.long
@pytest.mark.parametrize("words", [("--direct",), ()], ids=["direct", "prefect"])
def test_run_and_rebuild_survive_a_killed_worker(tmp_path, service, portfolio, words):
    plain, spread = Cli(tmp_path / "plain", service.url), Cli(tmp_path / "spread", service.url)
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
        assert read_known_tables(spread) == read_known_tables(plain)
        before = spread.tables("core", "current", "lineage")
        assert spread("rebuild", **environ).code == 0
        assert spread.tables("core", "current", "lineage") == before


def read_known_tables(cli: Cli) -> dict:
    from tests.flows.test_kill import RUN_TIMES

    found = cli.tables("core", "current", without=lambda *_: RUN_TIMES)
    assert sum(map(len, found.values())) > 100
    return found
