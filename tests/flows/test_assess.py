"""A run of many INNs is assessed in several transactions: memory has a bound, and a crash between two leaves nothing."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import duckdb
import pytest

from innspect.flows.assess import assess_loaded_inns, assess_loaded_runs
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.warehouse.assessments import assess_runs as runs_module
from innspect.warehouse.assessments import store_risk
from innspect.warehouse.assessments.store_risk import CHUNKS_AT_ONCE
from innspect.warehouse.database import Warehouse
from innspect.warehouse.links import refresh_links
from innspect.warehouse.news import refresh_news
from tests.marts.bodies import START, all_blocks, full_check_response, load, rows

INNS = [inn for inn in sample_inns(20, 0) if len(inn) == 10][:7]
STEPS = {
    "runs": (runs_module, "judge_chunk"),
    "risk": (store_risk, "judge_chunk"),
    "links": (refresh_links, "link_ctes"),
    "news": (refresh_news, "_are_stored"),
}
AT_ANY_TIME = {"scores": "SELECT * EXCLUDE (load_no, judged_at) FROM lineage._risk_scores ORDER BY inn"}
"""Scores whenever they were judged: a refresh does so now, and the assessment of a run as of its end."""
RESULTS = {
    "assessments": "FROM lineage.assessments ORDER BY ALL",
    "changes": "FROM lineage.signal_changes ORDER BY ALL",
    "scores": "SELECT * EXCLUDE (load_no) FROM lineage._risk_scores ORDER BY inn",
    "runs": "FROM lineage._assessed_runs",
}


def results(warehouse: Warehouse, others: dict[str, str] | None = None) -> dict[str, list[tuple[Any, ...]]]:
    return {name: rows(warehouse, query) for name, query in (RESULTS | (others or {})).items()}


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
@pytest.mark.parametrize(("module", "name"), STEPS.values(), ids=STEPS)
def test_what_lacks_memory_is_repeated_with_higher_limits_and_then_without(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch, module: Any, name: str
) -> None:
    load_run(warehouse)
    assess_loaded_inns(warehouse)
    others = AT_ANY_TIME if module is store_risk else {}
    expected = results(warehouse, others)
    for table in ("_assessed_runs", "_links_state", "_news_state"):
        warehouse.connection.execute(f"DELETE FROM lineage.{table}")
    warehouse.connection.execute("UPDATE lineage._risk_scores SET basis = NULL")
    limits: list[str] = []

    def refuse_thrice(*arguments: Any, **options: Any) -> Any:
        limits.append(limit(warehouse))
        if len(limits) <= 3:
            raise duckdb.OutOfMemoryException
        return step(*arguments, **options)

    step = getattr(module, name)
    warehouse.set_memory_limit("2GiB")
    before = limit(warehouse)
    monkeypatch.setattr(module, name, refuse_thrice)
    if module is store_risk:
        store_risk.refresh_risk(warehouse)
    assess_loaded_inns(warehouse)
    assert limits[:4] == ["343.3 MiB", "524.5 MiB", "1.0 GiB", before]
    assert results(warehouse, others) == expected
    assert limit(warehouse) == before


def limit(warehouse: Warehouse) -> str:
    return str(warehouse.query("SELECT current_setting('memory_limit') AS memory")["memory"].item())
