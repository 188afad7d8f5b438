"""Companies that share a director are judged together, however many they are."""

from pathlib import Path

import duckdb
import pytest

from innspect.sandbox.world.inn_samples import sample_inns
from innspect.warehouse.assessments import judge_inns
from innspect.warehouse.assessments.assessed_inns import AssessedRun, find_sharing
from innspect.warehouse.assessments.judge_inns import ASSESSED, judge_chunk
from innspect.warehouse.database import Warehouse
from tests.marts.bodies import START, all_blocks, full_check_response, load

INNS = sample_inns(30)
DIRECTOR = {"directors": [{"name": "ИВАНОВ ИВАН", "inn": "500100732259"}]}
RUN = AssessedRun("", START, is_now=True)
TOO_LITTLE = "24MB"


def test_without_a_limit_an_inner_query_may_use_what_the_outer_limit_forbids(tmp_path: Path):
    large = "SELECT len(list(i)) AS n FROM range(10_000_000) r(i)"
    with Warehouse(tmp_path / "w.duckdb") as warehouse, warehouse.limited_memory("50MB"):
        with warehouse.limited_memory(None):
            assert warehouse.query(large)["n"].to_list() == [10_000_000]
        with pytest.raises(duckdb.OutOfMemoryException):
            warehouse.query(large)


def test_more_linked_companies_than_the_limit_of_memory_allows_are_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with Warehouse(tmp_path / "w.duckdb") as warehouse:
        load(warehouse, *(full_check_response(inn, all_blocks(company=DIRECTOR), name=inn) for inn in INNS))
        with warehouse.limited_memory(TOO_LITTLE), warehouse.single_thread():
            find_sharing(warehouse, RUN)
            with pytest.raises(duckdb.OutOfMemoryException):
                judge_chunk(warehouse, RUN, INNS[:1], is_latest=True)
            monkeypatch.setattr(judge_inns, "MAX_CLOSURE", len(INNS) - 1)
            judge_chunk(warehouse, RUN, INNS[:1], is_latest=True)
            assert warehouse.query(f"SELECT inn FROM {ASSESSED}")["inn"].to_list() == INNS[:1]
