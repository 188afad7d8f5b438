"""What each run changed in signals and levels: the same in whatever order responses are loaded."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.risk_policy.policy_file import built_in_file, load_policies
from innspect.warehouse.assessments.assess_runs import assess_runs
from innspect.warehouse.database import Warehouse
from innspect.warehouse.risk.policy_store import store_policies
from tests.marts.bodies import KEYS, START, all_blocks, full_check_response, load, rows
from tests.support.builders import Response, sandbox_responses

COMPANY, OTHER, THIRD = "7707083893", "7736050003", "7704407589"
TABLES = ("assessments", "signal_changes")
CHANGES = (
    "SELECT signal, from_state, to_state, severity FROM lineage.signal_changes WHERE inn = ? AND run_id = ? ORDER BY 1"
)
HISTORY = (
    "SELECT run_id, change, level_before, level, appeared, disappeared, unknown_blocks FROM mart.risk_history "
    "WHERE inn = ? ORDER BY assessed_at"
)
FREEZE = {"found": True, "count": 1, "items": [{"decision_num": "1", "decision_date": "01.10.2026"}]}
FLAGGED = {"illegal_finance": True, "invalid_data": True}


def check(number: float, content: dict[str, Any], inn: str = COMPANY) -> Response:
    """A full check by the run of that number, three hours after that of the run before it."""
    at = START + timedelta(hours=3 * number)
    response = full_check_response(inn, content, at=at, name=f"{number}-{inn}")
    return replace(response, run_id=f"run-{int(number)}")


def without_freezes(content: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in content.items() if key != KEYS["freezes"]}


def assess(warehouse: Warehouse, *responses: Response) -> int:
    """Load responses, assess what is not assessed yet; the number of runs."""
    if responses:
        load(warehouse, *responses)
    return warehouse.run_in_transaction(lambda: assess_runs(warehouse))


def add_members(warehouse: Warehouse, *inns: str) -> None:
    for inn in inns:
        warehouse.connection.execute(
            "INSERT INTO lineage.portfolio_members VALUES ('p', $inn, NULL, NULL, NULL, NULL, $at, $at, NULL)",
            {"inn": inn, "at": START - timedelta(days=1)},
        )


def judgements(warehouse: Warehouse) -> dict[str, list[tuple[Any, ...]]]:
    return {table: sorted(rows(warehouse, f"FROM lineage.{table}"), key=repr) for table in TABLES}


def test_first_assessment_lists_what_is_present(warehouse: Warehouse) -> None:
    assert assess(warehouse, check(1, all_blocks(freezes=FREEZE))) == 1
    assert rows(warehouse, CHANGES, COMPANY, "run-1") == [
        ("account_freeze", None, "present", "alert"),
        ("level", None, "high", "info"),
    ]
    ((evidence, snapshot, block),) = rows(
        warehouse,
        "SELECT c.evidence, snapshot_id, s.block FROM lineage.signal_changes c JOIN lineage.snapshots s "
        "USING (snapshot_id) WHERE c.signal = 'account_freeze'",
    )
    assert (evidence, block) == ("decisions: 1, No. 1 of 2026-10-01", "freezes")
    assert rows(warehouse, "SELECT evidence, snapshot_id FROM lineage.signal_changes WHERE signal = 'level'") == [
        ("account_freeze", snapshot)
    ]
    assert rows(warehouse, HISTORY, COMPANY) == [("run-1", "first", None, "high", ["account_freeze"], [], [])]


def test_changes_between_runs(warehouse: Warehouse) -> None:
    assess(warehouse, check(1, all_blocks()))
    assert rows(warehouse, CHANGES, COMPANY, "run-1") == [("level", None, "low", "info")]
    assess(warehouse, check(2, all_blocks(company=FLAGGED)))
    assert rows(warehouse, CHANGES, COMPANY, "run-2") == [
        ("illegal_finance", "absent", "present", "notice"),
        ("invalid_data", "absent", "present", "notice"),
        ("level", "low", "high", "alert"),
    ]
    assess(warehouse, check(3, without_freezes(all_blocks(company=FLAGGED))))
    assert rows(warehouse, CHANGES, COMPANY, "run-3") == [("account_freeze", "absent", "unknown", "alert")]
    assess(warehouse, check(4, all_blocks(company={"illegal_finance": True})))
    assert rows(warehouse, CHANGES, COMPANY, "run-4") == [
        ("account_freeze", "unknown", "absent", "alert"),
        ("invalid_data", "present", "absent", "notice"),
        ("level", "high", "medium", "info"),
    ]
    assert [row[:4] for row in rows(warehouse, HISTORY, COMPANY)] == [
        ("run-1", "first", None, "low"),
        ("run-2", "worse", "low", "high"),
        ("run-4", "better", "high", "medium"),
    ]


@pytest.mark.long
def test_further_fact_of_a_present_signal(warehouse: Warehouse) -> None:
    """A second decision is a change, also after a silent response; the same decisions again are none."""
    second = {"decision_num": "2", "decision_date": "05.10.2026"}
    two = {"found": True, "count": 2, "items": [*FREEZE["items"], second]}
    bodies = (
        all_blocks(freezes=FREEZE),
        without_freezes(all_blocks()),
        all_blocks(freezes=two),
        all_blocks(freezes=FREEZE),
    )
    for number, body in enumerate((*bodies, all_blocks(freezes=two))):
        assess(warehouse, check(number, body))
    assert rows(
        warehouse,
        "SELECT run_id, from_state, to_state, evidence FROM lineage.signal_changes WHERE signal = 'account_freeze' "
        "AND from_state IS NOT NULL ORDER BY 1",
    ) == [("run-2", "present", "present", "new: 2, 2026-10-05")]


def test_unknown_level_is_neither_worse_nor_better(warehouse: Warehouse) -> None:
    for number, body in enumerate((all_blocks(), without_freezes(all_blocks()), all_blocks())):
        assess(warehouse, check(number, body))
    assert [(row[1], *row[2:4], row[6]) for row in rows(warehouse, HISTORY, COMPANY)] == [
        ("first", None, "low", []),
        ("unknown", "low", "unknown", ["freezes"]),
        ("known", "unknown", "low", []),
    ]
    levels = "SELECT severity FROM lineage.signal_changes WHERE signal = 'level'"
    assert rows(warehouse, levels) == [("info",)] * 3


def test_recheck_without_news_is_not_assessed(warehouse: Warehouse) -> None:
    assert assess(warehouse, check(1, all_blocks(freezes=FREEZE))) == 1
    before = judgements(warehouse)
    assert assess(warehouse) == 0
    assert assess(warehouse, check(2, all_blocks(freezes=FREEZE))) == 1
    assert judgements(warehouse) == before
    assert assess(warehouse) == 0


@pytest.mark.long
def test_fresh_evidence_in_place_of_stale_is_news(warehouse: Warehouse) -> None:
    """A response from the service's own store may be old; the next one has the same content and is fresh."""
    old = check(1, all_blocks())
    late = replace(full_check_response(COMPANY, all_blocks(), at=START - timedelta(days=60), name="old"), run_id="run-1",
                   asked_at=old.asked_at)  # fmt: skip
    assess(warehouse, late)
    assess(warehouse, check(2, all_blocks()))
    stale = rows(warehouse, "SELECT run_id, len(stale_blocks::VARCHAR[]) > 5 FROM lineage.assessments ORDER BY 1")
    assert stale == [("run-1", True), ("run-2", False)]
    assert [row[1:4] for row in rows(warehouse, HISTORY, COMPANY)] == [
        ("first", None, "unknown"),
        ("known", "unknown", "low"),
    ]


@pytest.mark.long
def test_link_to_an_inn_that_became_high_is_a_change_of_the_other(warehouse: Warehouse) -> None:
    """The other one was not asked again: its assessment changes with the run that found its neighbour high."""
    director = {"directors": [{"name": "ИВАНОВ ИВАН ИВАНОВИЧ", "inn": "770000000017"}]}
    add_members(warehouse, COMPANY, OTHER, THIRD)
    calm = all_blocks(company=director)
    assess(warehouse, check(1, calm), check(1, calm, OTHER), check(1, all_blocks(), THIRD))
    link = (
        "SELECT run_id, from_state, to_state, evidence FROM lineage.signal_changes "
        "WHERE signal = 'linked_to_high_risk' AND inn = ? ORDER BY 1"
    )
    assert rows(warehouse, link, OTHER) == []
    assess(warehouse, check(2, all_blocks(company=director, freezes=FREEZE)))
    assert rows(warehouse, link, OTHER) == [("run-2", "unknown", "present", f"linked to {COMPANY}")]
    assert rows(warehouse, link, COMPANY) == []
    assert rows(warehouse, "SELECT DISTINCT inn FROM lineage.assessments WHERE run_id = 'run-2' ORDER BY 1") == [
        (COMPANY,),
        (OTHER,),
    ]
    other_director = {"directors": [{"name": "ПЕТРОВ ПЕТР ПЕТРОВИЧ", "inn": "770000000025"}]}
    assess(warehouse, check(3, all_blocks(company=other_director, freezes=FREEZE)))
    assert rows(warehouse, link, OTHER)[1:] == [("run-3", "present", "absent", None)]


def generated_history(days: int) -> list[Response]:
    """Several runs over companies of the sandbox: one asks some of them, another brings little of what was known."""
    inns = sample_inns(24, 41)
    chosen = random.Random(4)
    responses: list[Response] = []
    for number in range(days):
        at = START - timedelta(days=9 * (days - number))
        for response in sandbox_responses(inns, at.date(), asked_at=at):
            if chosen.random() < 0.8 or number == 0:
                at += timedelta(seconds=7)
                body = json.loads(response.body)
                kept = {key: value for key, value in body.items() if chosen.random() > 0.1 or key[0] == "_"}
                name = f"{number}-{response.inn}"
                responses.append(replace(response, body=kept, asked_at=at, run_id=f"run-{number}", name=name))
    return responses


@pytest.mark.long
def test_order_of_loading_makes_no_difference(opening: Callable[[], Warehouse]) -> None:
    """Each run on its own, all at once as in a rebuild, and the files of another home that arrive late."""
    history = generated_history(4)
    runs = [[response for response in history if response.run_id == f"run-{number}"] for number in range(4)]
    results = []
    for batches in (
        runs,
        [history],
        [runs[0][:9], runs[1], runs[0][9:], runs[3], runs[2]],
        [runs[3], runs[2], runs[1], runs[0]],
    ):
        warehouse = opening()
        add_members(warehouse, *{response.inn for response in history})
        for batch in batches:
            assess(warehouse, *batch)
        results.append(judgements(warehouse))
    assert results[0]["signal_changes"]
    assert {row[2] for row in results[0]["signal_changes"] if row[3] is not None} > {"level"}
    assert results[1] == results[0]
    # Versions depend on the order of loading where a response is merged; what is judged of them does not.
    assert results[2] == results[0]
    assert results[3] == results[0]


@pytest.mark.long
def test_assessment_is_that_of_the_marts(opening: Callable[[], Warehouse]) -> None:
    """At its moment the last assessment of every INN has the level and score of `mart.risk_score`."""
    warehouse = opening()
    history = generated_history(3)
    add_members(warehouse, *{response.inn for response in history})
    assess(warehouse, *history)
    (moment,) = rows(warehouse, "SELECT max(assessed_at) FROM lineage.assessments")[0]
    warehouse.connection.execute("SET VARIABLE assessed_at = $moment::TIMESTAMP", {"moment": moment})
    columns = (
        "inn, level, level_known, level_at_most, score, score_at_most, to_json(unknown_blocks)::VARCHAR, "
        "to_json(stale_blocks)::VARCHAR"
    )
    stored = rows(warehouse, f"SELECT {columns} FROM lineage.assessments WHERE assessed_at = ? ORDER BY 1", moment)
    assert len(stored) > 10
    marts = rows(warehouse, f"SELECT {columns} FROM mart.risk_score ORDER BY 1")
    inns = {row[0] for row in stored}
    assert stored == [row for row in marts if row[0] in inns]


@pytest.mark.long
@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("high = 30", "high = 20", id="threshold", marks=pytest.mark.long),
        pytest.param("default = 35", "default = 12", id="age limit"),
    ],
)
def test_policy_edit_judges_every_run_again(
    opening: Callable[[], Warehouse], tmp_path: Path, old: str, new: str
) -> None:
    text = built_in_file().read_text("utf-8")
    assert text.count(old) == 1
    path = tmp_path / "risk.toml"
    path.write_text(text.replace(old, new), "utf-8")
    history = generated_history(3)
    warehouse, other = opening(), opening()
    assess(warehouse, *history)
    before = judgements(warehouse)
    for each in (warehouse, other):
        store_policies(each.connection, load_policies(path))
    assert assess(warehouse) == 3
    assess(other, *history)
    assert judgements(warehouse) == judgements(other)
    assert judgements(warehouse) != before
    store_policies(warehouse.connection, load_policies(None))
    assert assess(warehouse) == 3
    assert judgements(warehouse) == before
