"""`compute`: workers of a cluster give the same batches as this process, even if workers are killed."""

import contextlib
import logging
import socket
import subprocess
import sys
import time

import pytest

from innspect.extract.archive import file_format
from innspect.extract.home.tombstones import Tombstones
from innspect.flows import executors
from innspect.flows.executors import (
    MIN_RESPONSES_FOR_CLUSTER,
    WORKER_BYTES,
    AutoWorkers,
    auto_workers,
    open_executor,
    transform_parts,
)
from innspect.schemas.errors import ArchiveDamaged, SettingsError, UsageError
from innspect.schemas.settings import load_settings
from tests.extract.test_archive import NOON, response_rows
from tests.scale.dask_cluster import Cluster
from tests.support.builders import CONVENTIONS
from tests.support.cli import INNS, ROOT, Cli, write_portfolio


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
    assert transform_parts([[make_part(response_rows(1, 2, 3), first=1, rows=1)]], None, CONVENTIONS).responses[
        "call_id"
    ].to_list() == ["call-2"]
    tombstones.forget(["7707083893"], NOON)
    assert transform_parts([[make_part(response_rows(1, 2, 3))]], tombstones, CONVENTIONS).responses.is_empty()


@pytest.mark.long
def test_worker_gives_the_same_batch(cluster):
    parts = [[make_part(response_rows(1, 2))], [make_part(response_rows(3), "answers/run-00002.parquet")]]
    here = tables(transform_parts(parts, None, CONVENTIONS))
    with open_executor(cluster.address) as compute:
        assert compute.max_pending >= 2
        there = tables(compute.submit(parts, None, CONVENTIONS).result())
    assert [name for name in here if not here[name].equals(there[name])] == []
    assert here["snapshots"].height == 3


def test_damage_found_by_a_worker_names_the_file(cluster):
    file, content, *rows = make_part(response_rows(1))
    with open_executor(cluster.address) as compute, pytest.raises(ArchiveDamaged, match=file):
        compute.submit([[(file, content[:60] + b"?" + content[61:], *rows)]], None, CONVENTIONS).result()


def test_cluster_without_workers_falls_back_to_this_process(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(executors, "POLL_SECONDS", 0.2)
    with Cluster(tmp_path, workers=0) as empty, open_executor(empty.address) as compute:
        with caplog.at_level(logging.WARNING):
            batch = compute.submit([[make_part(response_rows(1))]], None, CONVENTIONS).result()
        assert batch.snapshots.height == 1
        assert "this process transforms it" in caplog.text


def test_unreachable_scheduler_is_reported(monkeypatch):
    monkeypatch.setattr(executors, "CONNECT_SECONDS", 1)
    with open_executor("tcp://127.0.0.1:9") as compute, pytest.raises(SettingsError, match="dask scheduler"):
        compute.start()


def test_missing_library_is_reported_with_the_extra_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with open_executor("dask") as compute, pytest.raises(UsageError, match=r"innspect\[scale\]"):
        compute.start()


@pytest.mark.parametrize("value", ["spark", "tcp://", "http://host:8786", "tcp://a b"])
def test_setting_without_a_cluster_is_rejected(value):
    with pytest.raises(SettingsError, match=r"compute in the environment.*tcp://HOST:8786"):
        load_settings(None, {"INNSPECT_COMPUTE": value}, {})


@pytest.fixture
def eight_cores(monkeypatch) -> None:
    monkeypatch.setattr(executors, "usable_cores", lambda: 8)
    monkeypatch.setattr(executors, "usable_memory", lambda: 64 * 2**30)


@pytest.mark.parametrize(
    ("cores", "memory", "workers"),
    [
        (3, 64 * 2**30, 0),
        (4, 64 * 2**30, 3),
        (16, 64 * 2**30, 15),
        (16, 10 * WORKER_BYTES, 5),
        (16, 4 * WORKER_BYTES, 2),
        (16, 4 * WORKER_BYTES - 1, 0),
    ],
)
def test_auto_leaves_a_core_to_loading_and_half_of_the_memory(monkeypatch, cores, memory, workers):
    monkeypatch.setattr(executors, "usable_cores", lambda: cores)
    monkeypatch.setattr(executors, "usable_memory", lambda: memory)
    found = auto_workers()
    assert found.number == workers
    assert bool(found.reason) == (workers == 0)


def test_auto_is_the_default_and_stays_in_this_process_without_the_extra(monkeypatch, eight_cores):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert auto_workers() == AutoWorkers(0, "a cluster needs the extra `scale`")
    with open_executor(load_settings(None, {}, {}).compute, [10 * MIN_RESPONSES_FOR_CLUSTER]) as compute:
        assert compute.is_local


def test_auto_starts_no_cluster_for_few_responses(eight_cores):
    with open_executor("auto") as compute:
        assert compute.is_local
    with open_executor("auto", [MIN_RESPONSES_FOR_CLUSTER - 2, 1]) as compute:
        assert compute.is_local


def test_auto_stays_in_this_process_if_the_cluster_does_not_start(monkeypatch, caplog, eight_cores):
    asked_for = []

    def refuse(**options):
        asked_for.append(options["n_workers"])
        raise OSError("no sockets")

    monkeypatch.setattr("distributed.LocalCluster", refuse)
    counts = iter([MIN_RESPONSES_FOR_CLUSTER - 1, 1, 5])
    with caplog.at_level(logging.WARNING), open_executor("auto", counts) as compute:
        assert compute.is_local
    assert asked_for == [7]
    assert "this process transforms" in caplog.text
    assert list(counts) == [5]


REBUILD_WITH_THREE_CORES = """
import sys
from innspect.flows import executors, rebuild
from innspect.cli.main import main

submit = executors.Executor.submit

def report_submit(self, *arguments):
    print("task for", len(self.start().nthreads()), "workers", file=sys.stderr)
    return submit(self, *arguments)

executors.Executor.submit = report_submit
executors.usable_cores = lambda: 3
executors.MIN_CORES_FOR_CLUSTER = 3
executors.MIN_RESPONSES_FOR_CLUSTER = 20
rebuild.MAX_PORTION_ROWS = 2
main(["rebuild", "--json"])
"""


@pytest.mark.long
def test_auto_rebuild_on_a_cluster_has_the_rows_of_the_run(tmp_path, service):
    cli = Cli(tmp_path / "home", service.url)
    for number, inns in enumerate((INNS[:6], INNS[:9], INNS[:4], INNS)):
        assert cli.run(write_portfolio(tmp_path / f"{number}.csv", inns), "--refresh").code == 0
    before = cli.tables("core", "current", "lineage")
    _, environ = cli.command()
    # Another program has the port that a scheduler prefers; if it cannot be taken, that is so already.
    with socket.socket() as taken:
        with contextlib.suppress(OSError):
            taken.bind(("127.0.0.1", 8787))
            taken.listen()
        done = subprocess.run(
            [sys.executable, "-c", REBUILD_WITH_THREE_CORES], cwd=ROOT, env=environ, capture_output=True, text=True,
            timeout=cli.timeout_seconds, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    # Only portions of new INNs are for workers, and nothing else is reported.
    assert set(done.stderr.splitlines()) == {"task for 2 workers"}
    assert cli.tables("core", "current", "lineage") == before
    assert sum(map(len, before.values())) > 1000


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
@pytest.mark.parametrize("words", [("--direct",), ("--prefect",)], ids=["direct", "prefect"])
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
