"""Rows of an answer whose source failed, or that names no source: they are known, and nothing else is."""

from datetime import timedelta
from typing import Any

import pytest

from innspect.warehouse.database import Warehouse
from tests.marts.bodies import PLAIN, START, add_members, all_blocks, full_check_response, load, rows
from tests.support.builders import INN, Response

COVERAGE = "SELECT state, reason, complete FROM mart.coverage WHERE block = ?"
SIGNAL = "SELECT state, confirmed FROM mart.risk_signals WHERE signal = ?"
HIT = {"source": "UK_FCDO", "name": "X", "match_confidence": "high", "raw_id": "1", "inn": INN}
OTHER_HIT = {**HIT, "raw_id": "2"}
LICENCES = [{"source": "ROSZ_LS", "license_number": number} for number in ("1", "2")]
ROWS: dict[str, tuple[str, dict[str, Any]]] = {
    "arbitration": ("arbitration", {"total_cases": 1, "cases": [{"case_number": "A1", "role": "respondent"}]}),
    "general_courts": ("general-courts", {"total_cases": 1, "cases": [{"case_number": "2-1", "role": "ответчик"}]}),
    "contracts": ("contracts", {"total_contracts": 1, "contracts": [{"reg_num": "1", "amount": 5}]}),
    "pledges": ("pledges", {"total_pledges": 1, "fetched": 1, "pledges": [{"id": "2026-001-000001-001"}]}),
}
LISTS = {"arbitration": "cases", "general_courts": "cases", "contracts": "contracts", "pledges": "pledges"}
OTHER_ROW: dict[str, dict[str, Any]] = {
    "arbitration": {"case_number": "A2", "role": "respondent"},
    "general_courts": {"case_number": "2-2", "role": "ответчик"},
    "contracts": {"reg_num": "2", "amount": 7},
    "pledges": {"id": "2026-001-000002-001"},
}


def full_check(hours: int, **changes: Any) -> Response:
    return full_check_response(INN, all_blocks(**changes), at=START + timedelta(hours=hours), name=str(hours))


def count_rows(warehouse: Warehouse, block: str) -> int:
    table = f"core.{block}__{LISTS[block]}"
    ((count,),) = rows(warehouse, f"SELECT count(*) FROM {table} JOIN lineage._latest USING (version_id)")
    return count


@pytest.mark.parametrize("place", ["payload", "envelope", "nested", "full check"])
@pytest.mark.parametrize("block", ROWS)
def test_rows_of_an_unavailable_source_are_known_and_no_other_is_gone(
    warehouse: Warehouse, block: str, place: str
) -> None:
    method, more = ROWS[block]
    body, other = {**PLAIN[block], **more}, {**PLAIN[block], **more, LISTS[block]: [OTHER_ROW[block]]}
    failed = {**body, "unavailable": True}
    envelope = {"status": "unavailable", "message": "later", "price": 0}
    answers = {
        "payload": Response(method, failed, INN),
        "envelope": Response(method, {**body, **envelope}, INN),
        "nested": Response(method, {**envelope, "data": failed}, INN),
        "full check": full_check(1, **{block: failed}),
    }
    add_members(warehouse, INN)
    load(warehouse, Response(method, other, INN))
    load(warehouse, answers[place], start=1)
    ((state, reason, complete),) = rows(warehouse, COVERAGE, block)
    assert (state, reason.split(",")[0], complete) == ("partial", "unavailable", False)
    assert count_rows(warehouse, block) == 2
    assert rows(warehouse, "SELECT DISTINCT change FROM lineage.changes WHERE column_name IS NULL") == [("added",)]


@pytest.mark.parametrize("block", ROWS)
def test_an_unavailable_source_without_rows_says_nothing(warehouse: Warehouse, block: str) -> None:
    method, _ = ROWS[block]
    add_members(warehouse, INN)
    failed = {**PLAIN[block], "unavailable": True}
    load(warehouse, Response(method, {**failed, "status": "unavailable", "message": "later", "price": 0}, INN))
    assert rows(warehouse, COVERAGE, block) == [("unavailable", "unavailable", None)]


def test_a_first_answer_of_an_unavailable_source_shows_its_cases(warehouse: Warehouse) -> None:
    add_members(warehouse, INN)
    case = {"case_number": "2-1", "role": "ответчик", "date": "01.02.2026"}
    stored = {"cases_from_store": 1, "courts_searched": 0, "from_store_only": True, "unavailable": True}
    load(warehouse, full_check(0, general_courts={"total_cases": 1, "cases": [case], **stored}))
    assert rows(warehouse, SIGNAL, "court_respondent") == [("present", True)]
    assert rows(warehouse, SIGNAL, "court_administrative") == [("unknown", False)]
    assert rows(warehouse, "SELECT complete FROM mart.litigation") == [(False,)]


def test_matches_of_a_full_check_that_names_no_list_are_not_all(warehouse: Warehouse) -> None:
    add_members(warehouse, INN)
    load(warehouse, full_check(0, sanctions={"hits": [HIT, OTHER_HIT]}))
    load(warehouse, full_check(1, sanctions={"hits": [OTHER_HIT], "sources_checked": []}), start=1)
    assert rows(warehouse, COVERAGE, "sanctions") == [("partial", "no_source_checked", False)]
    assert rows(warehouse, "SELECT list_entry_id, confirmed FROM mart.sanctions_hits ORDER BY 1") == [
        ("1", False), ("2", True)
    ]  # fmt: skip
    assert rows(warehouse, SIGNAL, "sanctions_name") == [("unknown", False)]


def test_the_own_method_of_sanctions_has_no_list_of_sources(warehouse: Warehouse) -> None:
    """The documents: reserved, always empty in the standalone method."""
    add_members(warehouse, INN)
    load(warehouse, Response("sanctions", {"inn": INN, "name": "X", "hits": [HIT], "sources_checked": []}, INN))
    assert rows(warehouse, COVERAGE, "sanctions") == [("found", None, True)]


@pytest.mark.parametrize("is_full_check", [False, True])
def test_licences_without_a_named_register_are_not_all(warehouse: Warehouse, is_full_check: bool) -> None:
    add_members(warehouse, INN)
    known = {"total": 2, "health": LICENCES}
    second = {"total": 1, "health": LICENCES[:1], "sources_checked": []}
    load(warehouse, full_check(0, licenses=known))
    own = Response("licenses", {**PLAIN["licenses"], **second}, INN)
    load(warehouse, full_check(1, licenses=second) if is_full_check else own, start=1)
    assert rows(warehouse, COVERAGE, "licenses") == [("partial", "no_register_checked", False)]
    assert rows(warehouse, "SELECT number, confirmed FROM mart.licences ORDER BY 1") == [
        ("1", True), ("2", False)
    ]  # fmt: skip
    assert rows(warehouse, SIGNAL, "licence_lost") == [("unknown", False)]


def test_foreign_agents_without_a_named_source_are_not_all(warehouse: Warehouse) -> None:
    add_members(warehouse, INN)
    load(warehouse, full_check(0, minjust_check={"hits": [{"name": "X"}], "sources_checked": []}))
    assert rows(warehouse, COVERAGE, "minjust_check") == [("partial", "no_source_checked", False)]
    assert rows(warehouse, SIGNAL, "foreign_agent") == [("present", True)]
