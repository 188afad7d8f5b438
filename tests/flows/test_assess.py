"""A run of many INNs is assessed in several transactions: memory has a bound, and a crash between two leaves nothing."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from innspect.flows.assess import assess_loaded_runs
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.warehouse.assessments import assess_runs as runs_module
from innspect.warehouse.assessments.store_risk import CHUNKS_AT_ONCE
from innspect.warehouse.database import Warehouse
from tests.marts.bodies import START, all_blocks, full_check_response, load, rows

INNS = [inn for inn in sample_inns(20, 0) if len(inn) == 10][:7]
RESULTS = {
    "assessments": "FROM lineage.assessments ORDER BY ALL",
    "changes": "FROM lineage.signal_changes ORDER BY ALL",
    "scores": "SELECT * EXCLUDE (load_no) FROM lineage._risk_scores ORDER BY inn",
    "runs": "FROM lineage._assessed_runs",
}


def results(warehouse: Warehouse) -> dict[str, list[tuple[Any, ...]]]:
    return {name: rows(warehouse, query) for name, query in RESULTS.items()}


def load_run(warehouse: Warehouse) -> None:
    for number, inn in enumerate(INNS):
        response = full_check_response(inn, all_blocks(), at=START + timedelta(minutes=number), name=inn)
        load(warehouse, replace(response, run_id="run-1"))


@pytest.mark.long
def test_killed_between_two_parts_it_is_assessed_again_from_the_beginning(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_run(warehouse)
    assert assess_loaded_runs(warehouse) == 1
    expected = results(warehouse)
    assert [len(found) for found in expected.values()] == [len(INNS), len(INNS), len(INNS), 1]
    warehouse.connection.execute("DELETE FROM lineage._assessed_runs")
    warehouse.connection.execute("DELETE FROM lineage._risk_scores")

    monkeypatch.setattr(runs_module, "CHUNK_INNS", 1)
    judged = runs_module.judge_chunk
    chunks = 0

    def judge_until_killed(*arguments: Any, **options: Any) -> None:
        nonlocal chunks
        chunks += 1
        if chunks > CHUNKS_AT_ONCE + 1:
            raise KeyboardInterrupt
        judged(*arguments, **options)

    with monkeypatch.context() as patched:
        patched.setattr(runs_module, "judge_chunk", judge_until_killed)
        with pytest.raises(KeyboardInterrupt):
            assess_loaded_runs(warehouse)
    # The first part is committed; the chunk after it is rolled back, and the run is not recorded as assessed.
    assert rows(warehouse, "SELECT count(*) FROM lineage.assessments") == [(CHUNKS_AT_ONCE,)]
    assert rows(warehouse, RESULTS["runs"]) == []

    assert assess_loaded_runs(warehouse) == 1
    assert results(warehouse) == expected
    assert assess_loaded_runs(warehouse) == 0


@pytest.mark.long
def test_memory_is_limited_meanwhile_and_not_afterwards(warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    load_run(warehouse)
    limits = []

    def limit() -> str:
        return str(warehouse.query("SELECT current_setting('memory_limit') AS memory")["memory"].item())

    warehouse.set_memory_limit("2GiB")
    before, judged = limit(), runs_module.judge_chunk

    def note_limit(*arguments: Any, **options: Any) -> None:
        limits.append(limit())
        judged(*arguments, **options)

    monkeypatch.setattr(runs_module, "judge_chunk", note_limit)
    assess_loaded_runs(warehouse)
    assert limits == ["381.4 MiB"]
    assert limit() == before
