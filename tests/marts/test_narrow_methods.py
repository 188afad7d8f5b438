"""Risk flags by the full check, which carries a part of them: what it carries it answers as the method does."""

from typing import Any

import pytest

from innspect.warehouse.database import Warehouse
from tests.marts.bodies import PLAIN, add_members, all_blocks, full_check_response, load, rows
from tests.support.builders import Response

COMPANY = "7707083893"
RECORD = {
    "matched_name": "ИВАНОВ И И",
    "birth_date": "01.01.1970",
    "start_date": "01.01.2026",
    "end_date": "01.01.2096",
}
ALONE = {
    "authorized_capital": 10000,
    "status_name": "Действующее",
    "employee_count": 5,
    "okved_list": [{"code": "62.01", "name": "x"}, {"code": "62.02", "name": "y"}],
    "founder_shares": [{"name": "А", "inn": "", "share_pct": 50, "share_rub": 5000, "date": ""}],
    "efrsb_messages": [],
}
"""What only the method of its own carries."""
SIGNALS = """
    SELECT signal, state, confirmed FROM mart.risk_signals
    WHERE signal IN ('disqualified_persons', 'linked_closed', 'mass_director') ORDER BY ALL
"""
CHANGES = "SELECT table_name, change, row_key, column_name FROM lineage.changes WHERE block = 'risk_flags' ORDER BY ALL"
KEPT = "SELECT DISTINCT table_name, row_no FROM lineage.kept_rows ORDER BY ALL"


def linked(*numbers: int, historic: bool = True) -> list[dict[str, Any]]:
    fact = {"role": "учредитель", "via_name": "П", "via_inn": "770000000017"}
    return [
        {"inn": f"77070{n:05d}", "name": f"ООО {n}", "historic": historic, "connections": [{**fact, "source": "с"}]}
        for n in numbers
    ]


def flags(**changes: Any) -> dict[str, Any]:
    return {**PLAIN["risk_flags"], "mass_source": "ФНС", **changes}


FOUND = flags(disqualified_persons=True, disqualified_records=[RECORD], linked_companies=linked(1, 2, 3, 4))
CLEARED = flags(linked_companies=linked(9, historic=False))
UNCHECKED = {"mass_check_unavailable": True, "mass_check_reason": "no_fio", "mass_source": None}


def narrow(body: dict[str, Any]) -> Response:
    return full_check_response(COMPANY, all_blocks(risk_flags=body))


def own(body: dict[str, Any]) -> Response:
    return Response("risk-flags", {**body, **ALONE}, COMPANY)


@pytest.mark.parametrize("is_one_batch", [False, True], ids=["apart", "together"])
@pytest.mark.parametrize("second", [narrow, own], ids=["full check", "own method"])
def test_what_a_response_no_longer_names_is_gone_by_every_method(
    warehouse: Warehouse, second: Any, is_one_batch: bool
) -> None:
    add_members(warehouse, COMPANY)
    answers = narrow(FOUND), second(CLEARED)
    if is_one_batch:
        load(warehouse, *answers)
    else:
        for start, answer in enumerate(answers):
            load(warehouse, answer, start=start)
    assert rows(warehouse, SIGNALS) == [
        ("disqualified_persons", "absent", True), ("linked_closed", "absent", True), ("mass_director", "absent", True)
    ]  # fmt: skip
    assert rows(warehouse, "SELECT level FROM mart.risk_score") == [("low",)]
    assert rows(warehouse, "FROM mart.disqualifications") == []
    found = "SELECT related_name, link_facts, confirmed, complete FROM mart.related_companies"
    assert rows(warehouse, found) == [("ООО 9", 1, True, True)]
    change = (
        "SELECT table_name, change, count(*) FROM lineage.changes WHERE column_name IS NULL GROUP BY ALL ORDER BY ALL"
    )
    assert rows(warehouse, change) == [
        ("risk_flags__disqualified_records", "removed", 1),
        ("risk_flags__linked_companies", "added", 1),
        ("risk_flags__linked_companies", "removed", 4),
    ]


def test_full_check_keeps_only_what_it_does_not_carry(warehouse: Warehouse) -> None:
    add_members(warehouse, COMPANY)
    load(warehouse, own(FOUND))
    load(warehouse, narrow(CLEARED), start=1)
    assert rows(warehouse, KEPT) == [("risk_flags__founder_shares", None), ("risk_flags__okved_list", None)]
    values = "SELECT authorized_capital, status_name, employee_count FROM current.risk_flags"
    assert rows(warehouse, values) == [(10000, "Действующее", 5)]
    assert rows(warehouse, "SELECT count(*) FROM current.risk_flags__linked_companies__connections") == [(1,)]
    changed = rows(warehouse, CHANGES)
    assert {table for table, *_ in changed} == {
        "risk_flags", "risk_flags__disqualified_records", "risk_flags__linked_companies"
    }  # fmt: skip
    # The method says the same, and then the full check again: nothing has changed.
    load(warehouse, own(CLEARED), start=2)
    load(warehouse, narrow(CLEARED), own(CLEARED), start=3)
    assert rows(warehouse, CHANGES) == changed
    versions = "SELECT count(DISTINCT version_id) FROM lineage.snapshots WHERE block = 'risk_flags'"
    assert rows(warehouse, versions) == [(2,)]


def test_full_check_without_the_mass_check_removes_nothing(warehouse: Warehouse) -> None:
    add_members(warehouse, COMPANY)
    load(warehouse, own(FOUND))
    load(warehouse, narrow({**CLEARED, **UNCHECKED}), start=1)
    assert rows(warehouse, "SELECT person_name, confirmed FROM mart.disqualifications") == [("ИВАНОВ И И", False)]
    assert rows(warehouse, "SELECT count(*) FROM mart.related_companies") == [(5,)]
    assert rows(warehouse, "SELECT count(*) FROM lineage.changes WHERE change = 'removed'") == [(0,)]
    assert rows(warehouse, SIGNALS)[0] == ("disqualified_persons", "present", False)


def test_full_check_that_names_the_block_as_empty_clears_what_it_carries(warehouse: Warehouse) -> None:
    add_members(warehouse, COMPANY)
    load(warehouse, own(FOUND))
    load(warehouse, full_check_response(COMPANY, {"risk_flags": {"verified": True}}), start=1)
    assert rows(warehouse, "SELECT state FROM lineage.snapshots WHERE block = 'risk_flags' ORDER BY asked_at") == [
        ("found",), ("clean",)
    ]  # fmt: skip
    assert rows(warehouse, "FROM mart.disqualifications") == rows(warehouse, "FROM mart.related_companies") == []
    assert rows(warehouse, SIGNALS)[0] == ("disqualified_persons", "absent", True)
    assert rows(warehouse, "SELECT count(*) FROM current.risk_flags__okved_list") == [(2,)]


@pytest.mark.parametrize("second", [narrow, own], ids=["full check", "own method"])
def test_flag_that_a_response_does_not_state_is_not_known(warehouse: Warehouse, second: Any) -> None:
    add_members(warehouse, COMPANY)
    load(warehouse, own(FOUND))
    load(warehouse, second({**CLEARED, "disqualified_persons": None}), start=1)
    assert rows(warehouse, "SELECT disqualified_persons FROM current.risk_flags") == [(None,)]
    assert rows(warehouse, SIGNALS)[0] == ("disqualified_persons", "present", False)
