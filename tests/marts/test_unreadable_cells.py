"""A cell of a list that cannot be read is neither "yes" nor "no": a rule that reads it does not deny."""

from typing import Any

import pytest

from innspect.warehouse.database import Warehouse
from tests.marts.bodies import PLAIN, add_members, all_blocks, full_check_response, load, rows
from tests.support.builders import INN, Response

PERSON = "770000000017"
SIGNAL = "SELECT state, confirmed FROM mart.risk_signals WHERE signal = ?"
INSPECTION = {"number": "77200000000001", "type": "Плановая проверка", "status": "Завершена"}
PROCEEDING = {"exe_production": "1/26", "process_date": "05.02.2026", "sum": 90_000_000}
ENDED = {**PROCEEDING, "is_active": False, "end_reason": "ст. 46", "completion_reason": "paid"}
GOING = {**PROCEEDING, "is_active": True, "end_reason": "", "completion_reason": ""}
HIT = {"source": "UK_FCDO", "name": "X", "raw_id": "1"}
OTHER_INSPECTION = {**INSPECTION, "number": "77200000000002", "has_violations": True}


def inspections(*listed: dict[str, Any], **counts: int) -> Response:
    content = {"total": len(listed), "completed": len(listed), "inspections": list(listed), **counts}
    return full_check_response(INN, all_blocks(inspections=content))


def fssp(*listed: dict[str, Any], **counts: int) -> Response:
    content = {"total_proceedings": len(listed), "proceedings": list(listed), **counts}
    return full_check_response(INN, all_blocks(fssp=content))


def timeline(**event: Any) -> Response:
    return Response("timeline", [{"date": "2026-01-01", "event": "x", **event}], INN)


def signal(warehouse: Warehouse, name: str, answer: Response) -> tuple[str, bool]:
    add_members(warehouse, answer.inn)
    load(warehouse, answer)
    ((state, confirmed),) = rows(warehouse, SIGNAL, name)
    return state, confirmed


@pytest.mark.parametrize("value", ["да", 2, None])
def test_violations_that_cannot_be_read_are_not_denied(warehouse: Warehouse, value: Any) -> None:
    answer = inspections({**INSPECTION, "has_violations": value}, with_violations=0)
    assert signal(warehouse, "inspection_violations", answer) == ("unknown", False)


def test_violations_of_another_inspection_are_present(warehouse: Warehouse) -> None:
    answer = inspections({**INSPECTION, "has_violations": "да"}, OTHER_INSPECTION, with_violations=1)
    assert signal(warehouse, "inspection_violations", answer) == ("present", True)


def test_inspections_that_say_no_deny(warehouse: Warehouse) -> None:
    answer = inspections({**INSPECTION, "has_violations": False}, with_violations=0)
    assert signal(warehouse, "inspection_violations", answer) == ("absent", True)


@pytest.mark.parametrize(
    ("cells", "active", "large", "no_assets"),
    [
        ({}, "absent", "absent", "absent"),
        ({"is_active": "нет"}, "absent", "absent", "absent"),
        ({"is_active": "нет", "end_reason": "", "completion_reason": ""}, "unknown", "unknown", "unknown"),
        ({"completion_reason": 5}, "absent", "absent", "unknown"),
        ({"completion_reason": "нет имущества"}, "absent", "absent", "unknown"),
    ],
)
def test_proceedings_that_cannot_be_read_are_not_denied(
    warehouse: Warehouse, cells: dict[str, Any], active: str, large: str, no_assets: str
) -> None:
    add_members(warehouse, INN)
    load(warehouse, fssp({**ENDED, **cells}, completed_proceedings=1, completed_paid=1))
    found = {
        name: state
        for name in ("active", "large", "no_assets")
        for state, _ in rows(warehouse, SIGNAL, f"enforcement_{name}")
    }
    assert found == {"active": active, "large": large, "no_assets": no_assets}


def test_an_active_proceeding_has_no_reason_of_its_end(warehouse: Warehouse) -> None:
    answer = fssp(GOING, active_proceedings=1, active_debt_rub=90_000_000)
    assert signal(warehouse, "enforcement_no_assets", answer) == ("absent", True)


@pytest.mark.parametrize("confidence", [None, "точное", 5])
def test_a_match_of_unknown_confidence_may_be_an_exact_one(warehouse: Warehouse, confidence: Any) -> None:
    answer = full_check_response(INN, all_blocks(sanctions={"hits": [{**HIT, "match_confidence": confidence}]}))
    assert signal(warehouse, "sanctions_hit", answer) == ("unknown", False)
    assert rows(warehouse, SIGNAL, "sanctions_name") == [("present", True)]


@pytest.mark.parametrize("confidence", ["medium", "low"])
def test_a_match_of_known_confidence_is_not_an_exact_one(warehouse: Warehouse, confidence: str) -> None:
    answer = full_check_response(INN, all_blocks(sanctions={"hits": [{**HIT, "match_confidence": confidence}]}))
    assert signal(warehouse, "sanctions_hit", answer) == ("absent", True)


@pytest.mark.parametrize(
    ("event", "state"),
    [
        ({"type": 5}, "unknown"),
        ({"type": "ликвидация"}, "unknown"),
        ({"type": "registration", "source": 5}, "absent"),
        ({"type": 5, "source": "efrsb"}, "present"),
        ({"type": "status_change"}, "absent"),
    ],
)
def test_an_event_of_unknown_kind_may_be_a_bankruptcy(warehouse: Warehouse, event: dict[str, Any], state: str) -> None:
    assert signal(warehouse, "bankruptcy_event", timeline(**event))[0] == state


@pytest.mark.parametrize(
    ("record", "state"),
    [
        ({"termination_date": "05.2020"}, "unknown"),
        ({"termination_date": "2020-05-12", "termination_kind": "принудительно"}, "unknown"),
        ({"termination_date": "05.2020", "termination_kind": "voluntary"}, "absent"),
    ],
)
def test_a_termination_of_unknown_kind_may_be_forced(warehouse: Warehouse, record: dict[str, Any], state: str) -> None:
    own = {"ogrnip": "304770000000017", "active": True}
    card = {**PLAIN["company"], "inn": PERSON, "ogrn": "304770000000017"}
    card["ip_records"] = [own, {"ogrnip": "304770000000025", "active": False, **record}]
    answer = Response("person-brief", card, PERSON)
    assert signal(warehouse, "terminated_registrations", answer)[0] == state
