"""Rows that the latest response contains are confirmed; figures over a partial or capped list are marked."""

from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any

import pytest

from innspect.warehouse.database import Warehouse
from tests.marts.bodies import (
    PLAIN,
    START,
    add_members,
    all_blocks,
    blocks,
    full_check_response,
    load,
    rows,
    single_row,
)
from tests.support.builders import Response

COMPANY = "7707083893"
PROFILE = "FROM mart.company_profile WHERE inn = ?"
CASES = [{"case_number": f"А40-{n}", "date": "02.03.2024", "role": "respondent"} for n in (1, 2)]
CIVIL = [{"case_number": f"2-{n}", "date": "05.06.2025", "role": "ответчик", "court": "суд"} for n in (1, 2)]
PROCEEDINGS = [{"exe_production": f"{n}/24", "process_date": "01.02.2024", "is_active": True, "sum": 5} for n in (1, 2)]
CONTRACTS = [{"reg_num": str(n), "amount": 7, "sign_date": "2025-01-02", "role": "supplier"} for n in (1, 2)]

LISTS: dict[str, tuple[str, str, str, str, list[dict[str, Any]], dict[str, Any]]] = {
    "arbitration": (
        "litigation", "case_number", "total_cases", "cases", CASES, {"sources_failed": ["main"]},
    ),
    "general_courts": ("litigation", "case_number", "total_cases", "cases", CIVIL, {"errors": 1}),
    "fssp": (
        "enforcement", "proceeding", "total_proceedings", "proceedings", PROCEEDINGS, {"sources_failed": ["site_inn"]},
    ),
    "contracts": (
        "state_contracts", "reg_num", "total_contracts", "contracts", CONTRACTS, {"sources_failed": ["plan_44"]},
    ),
}  # fmt: skip
"""By block: mart, its key, counter, list, two rows, and what makes a response partial."""


def response(block: str, content: list[dict[str, Any]], **marks: Any):
    _, _, counter, name, _, _ = LISTS[block]
    return full_check_response(COMPANY, blocks(**{block: {counter: len(content), name: content, **marks}}))


def listed(warehouse: Warehouse, block: str) -> list[tuple[str, bool, bool]]:
    mart, key, *_ = LISTS[block]
    return rows(warehouse, f"SELECT {key}, confirmed, complete FROM mart.{mart} ORDER BY {key}")


@pytest.mark.long
@pytest.mark.parametrize("block", LISTS)
def test_row_is_confirmed_only_if_the_latest_evidence_contains_it(warehouse: Warehouse, block: str) -> None:
    _, key, _, _, content, marks = LISTS[block]
    first, second = sorted(str(row.get(key) or row["exe_production"]) for row in content)
    load(warehouse, response(block, content))
    assert listed(warehouse, block) == [(first, True, True), (second, True, True)]
    load(warehouse, response(block, content[1:], **marks), start=10)
    assert listed(warehouse, block) == [(first, False, False), (second, True, False)]
    # The same partial response again: its version is known, and the kept row is still not confirmed.
    load(warehouse, response(block, content[1:], **marks), start=20)
    assert listed(warehouse, block) == [(first, False, False), (second, True, False)]
    load(warehouse, full_check_response(COMPANY, {}), start=30)
    assert listed(warehouse, block) == [(first, False, False), (second, False, False)]
    load(warehouse, response(block, content[1:]), start=40)
    assert listed(warehouse, block) == [(second, True, True)]


def test_partial_response_that_contains_every_row_confirms_all(warehouse: Warehouse) -> None:
    load(warehouse, response("fssp", PROCEEDINGS))
    load(warehouse, response("fssp", PROCEEDINGS, sources_failed=["site_inn"]), start=10)
    assert listed(warehouse, "fssp") == [("1/24", True, False), ("2/24", True, False)]


def test_row_without_its_key_removes_no_known_row(warehouse: Warehouse) -> None:
    load(warehouse, response("fssp", PROCEEDINGS))
    load(warehouse, response("fssp", [{**PROCEEDINGS[0], "exe_production": ""}, PROCEEDINGS[1]]), start=10)
    assert listed(warehouse, "fssp") == [("1/24", False, True), ("2/24", True, True)]
    assert rows(warehouse, "SELECT change FROM lineage.changes WHERE table_name = 'fssp__proceedings'") == []
    load(warehouse, response("fssp", PROCEEDINGS[1:]), start=20)
    assert listed(warehouse, "fssp") == [("2/24", True, True)]


def test_capped_and_partial_lists_are_marked_in_the_profile(warehouse: Warehouse) -> None:
    freeze = [{"number": str(n), "date": "01.02.2026"} for n in range(30)]
    content = all_blocks(
        freezes={"found": True, "count": 30, "items": freeze},
        fssp={"total_proceedings": 2, "proceedings": PROCEEDINGS, "sources_failed": ["site_inn"]},
        risk_flags={"mass_check_unavailable": True, "linked_companies": [{"inn": "7707083894", "name": "Б"}]},
    )
    content.pop("bankruptcy")
    add_members(warehouse, COMPANY)
    load(warehouse, full_check_response(COMPANY, content))
    row = single_row(warehouse, PROFILE, COMPANY)
    marks = {name.removesuffix("_complete"): row[name] for name in row if name.endswith("_complete")}
    assert {block for block, complete in marks.items() if complete is False} == {"freezes", "fssp"}
    assert {block for block, complete in marks.items() if complete is None} == {"trademarks"}
    found = dict(rows(warehouse, "SELECT block, complete FROM mart.coverage"))
    assert (found["freezes"], found["bankruptcy"], found["timeline"]) == (False, None, None)
    # The flags are unknown, the list of linked companies is whole.
    assert found["risk_flags"] is True
    # A later silence keeps the mark of the evidence.
    load(warehouse, full_check_response(COMPANY, {}), start=10)
    assert single_row(warehouse, PROFILE, COMPANY)["freezes_complete"] is False


def test_capped_list_of_links_is_not_complete(warehouse: Warehouse) -> None:
    linked = [{"inn": f"77{n:08}", "name": f"Б{n}"} for n in range(250)]
    add_members(warehouse, COMPANY)
    load(warehouse, full_check_response(COMPANY, blocks(risk_flags={"linked_companies": linked})))
    assert rows(warehouse, "SELECT complete FROM mart.coverage WHERE block = 'risk_flags'") == [(False,)]


def linked_companies(numbers: Iterable[int], facts: int, persons: int = 1) -> list[dict[str, Any]]:
    """Linked companies with so many facts each, of which the first 60 are closed."""
    return [
        {
            "inn": f"77{n:08}",
            "name": f"К{n}",
            "historic": n < 60,
            "connections": [
                {"role": "учредитель", "via_name": f"П{(n + m) % persons}", "source": f"с{m}"} for m in range(facts)
            ],
        }
        for n in numbers
    ]


def load_links(warehouse: Warehouse, *days: list[dict[str, Any]]) -> None:
    add_members(warehouse, COMPANY)
    for number, linked in enumerate(days):
        body = {**PLAIN["risk_flags"], "mass_source": "ФНС", "linked_companies": linked}
        load(warehouse, Response("risk-flags", body), start=number)


def linked_closed(warehouse: Warehouse) -> list[tuple]:
    return rows(warehouse, "SELECT state, confirmed FROM mart.risk_signals WHERE signal = 'linked_closed'")


def test_list_of_links_is_capped_by_its_facts(warehouse: Warehouse) -> None:
    # 250 facts on both days: of 125 companies, then of 50, of which none was lost.
    load_links(warehouse, linked_companies(range(125), 2), linked_companies(range(50), 5))
    assert (
        rows(warehouse, "SELECT state, reason FROM lineage.snapshots WHERE block = 'risk_flags'")
        == [("found", "list_full")] * 2
    )
    query = "SELECT confirmed, complete, count(*) FROM mart.related_companies GROUP BY ALL ORDER BY ALL"
    assert rows(warehouse, query) == [(False, False, 75), (True, False, 50)]
    assert rows(warehouse, "SELECT DISTINCT change FROM lineage.changes WHERE change = 'removed'") == []
    assert linked_closed(warehouse) == [("unknown", False)]


def test_list_of_links_below_its_cap_is_whole(warehouse: Warehouse) -> None:
    load_links(warehouse, linked_companies(range(124), 2), linked_companies(range(49), 5))
    assert (
        rows(warehouse, "SELECT state, reason FROM lineage.snapshots WHERE block = 'risk_flags'")
        == [("found", None)] * 2
    )
    query = "SELECT confirmed, complete, count(*) FROM mart.related_companies GROUP BY ALL"
    assert rows(warehouse, query) == [(True, True, 49)]
    removed = "SELECT count(*) FROM lineage.changes WHERE change = 'removed' AND table_name LIKE '%companies'"
    assert rows(warehouse, removed) == [(75,)]
    assert linked_closed(warehouse) == [("present", True)]


@pytest.mark.parametrize(("persons", "state"), [(14, "present"), (15, "unknown")])
def test_share_of_closed_companies_is_not_known_where_not_all_persons_may_be_followed(
    warehouse: Warehouse, persons: int, state: str
) -> None:
    load_links(warehouse, linked_companies(range(30), 1, persons))
    assert linked_closed(warehouse) == [(state, state == "present")]


def test_contract_sums_have_both_parts_and_the_planned_payment_is_named_so(warehouse: Warehouse) -> None:
    contracts = [
        {"reg_num": "1", "amount": 100, "role": "supplier", "paid_sum": 40},
        {"reg_num": "2", "amount": 11, "role": "customer", "paid_sum": 0},
    ]
    sums = {"total_contracts": 2, "total_amount": 111, "supplier_amount": 100, "customer_amount": 11}
    load(warehouse, full_check_response(COMPANY, blocks(contracts={**sums, "contracts": contracts})))
    row = single_row(warehouse, PROFILE, COMPANY)
    assert row["contracts_rub"] == row["contracts_as_supplier_rub"] + row["contracts_as_customer_rub"] == 111
    assert rows(warehouse, "SELECT planned_payment_rub FROM mart.state_contracts ORDER BY reg_num") == [(40,), (None,)]


def test_name_of_the_activity_falls_back_to_the_list(warehouse: Warehouse) -> None:
    activities = [
        {"code": "01.1", "name": "Второй вид", "is_main": False},
        {"code": "10.1", "name": "Основной вид", "is_main": True},
    ]
    card = {"okved_main": "10.1", "okved_name": "", "okved_list": activities}
    load(warehouse, full_check_response(COMPANY, blocks(company=card)))
    assert single_row(warehouse, PROFILE, COMPANY)["okved_name"] == "Основной вид"
    load(warehouse, full_check_response(COMPANY, blocks(company={**card, "okved_name": "По карточке"})), start=10)
    assert single_row(warehouse, PROFILE, COMPANY)["okved_name"] == "По карточке"


def test_counter_is_not_compared_with_an_incomplete_list(warehouse: Warehouse) -> None:
    query = "SELECT left_value, right_value, agrees FROM mart.cross_checks WHERE check_name = 'proceeding count'"
    load(warehouse, response("fssp", PROCEEDINGS))
    assert rows(warehouse, query) == [("2", "2", True)]
    load(warehouse, response("fssp", PROCEEDINGS[:1], sources_failed=["site_inn"]), start=10)
    assert rows(warehouse, query) == [("2", None, None)]


def test_links_say_whether_the_latest_response_contains_them(warehouse: Warehouse) -> None:
    linked = [{"inn": f"77{n:08}", "name": f"Б{n}"} for n in range(249)]
    query = (
        "SELECT confirmed, complete, count(*) FROM mart.links WHERE kind = 'linked company' GROUP BY ALL ORDER BY ALL"
    )
    load(warehouse, full_check_response(COMPANY, blocks(risk_flags={"linked_companies": linked})))
    assert rows(warehouse, query) == [(True, True, 249)]
    # At the cap a row that is not listed may still exist.
    capped = [{"inn": f"78{n:08}", "name": f"В{n}"} for n in range(250)]
    load(warehouse, full_check_response(COMPANY, blocks(risk_flags={"linked_companies": capped})), start=10)
    known = {(confirmed, complete): n for confirmed, complete, n in rows(warehouse, query)}
    assert known == {(True, False): 250, (False, False): 249}
    load(warehouse, full_check_response(COMPANY, {}), start=20)
    assert {confirmed for confirmed, *_ in rows(warehouse, query)} == {False}


CHECK_MARKS = (
    "SELECT checked_at, collected_at, source_date, confirmed, complete FROM mart.cross_checks "
    "WHERE check_name = ? AND period IS NOT DISTINCT FROM ?"
)


def test_cross_checks_are_as_old_as_the_older_source(warehouse: Warehouse) -> None:
    card = {"employees_history": [{"year": 2025, "count": 12}], "authorized_capital": 10000}
    content = blocks(
        company=card,
        employees={"snapshot_date": "20260925"},
        msp={"snapshot_date": "10.10.2026"},
        financial={"balance_lines": {str(START.year - 1): {"1310": 10000}}},
    )
    later = START + timedelta(hours=5)
    load(warehouse, full_check_response(COMPANY, content, at=START))
    for check, period, day in (
        ("headcount", "2025", date(2026, 9, 25)),
        ("headcount msp", None, date(2026, 9, 25)),
        ("capital", None, None),
    ):
        assert rows(warehouse, CHECK_MARKS, check, period) == [(START, START, day, True, True)], check
    load(warehouse, full_check_response(COMPANY, blocks(company=card, msp={}), at=later))
    # Of the sources of this one the later response has one.
    assert rows(warehouse, CHECK_MARKS, "headcount", "2025") == [(START, START, date(2026, 9, 25), False, True)]
    # The other one is not known.
    assert rows(warehouse, CHECK_MARKS, "size", None) == [(later, later, None, True, True)]


def test_cross_checks_of_kept_rows_are_not_confirmed(warehouse: Warehouse) -> None:
    query = "SELECT confirmed, complete FROM mart.cross_checks WHERE check_name = ? AND period IS NOT DISTINCT FROM ?"
    load(warehouse, response("fssp", PROCEEDINGS))
    assert rows(warehouse, query, "proceeding count", None) == [(True, True)]
    load(warehouse, response("fssp", PROCEEDINGS[:1], sources_failed=["site_inn"]), start=10)
    assert rows(warehouse, query, "proceeding count", None) == [(False, False)]
    # A year that leaves the statements stays known, and no response confirms it any more.
    years = [START.year - 3, START.year - 2, START.year - 1]
    for start, listed_years in ((20, years), (30, years[1:])):
        statements = {"years": listed_years, "revenue": {str(year): 100 for year in listed_years}}
        load(warehouse, full_check_response(COMPANY, blocks(financial=statements)), start=start)
    for start, year, is_listed in ((40, years[0], False), (50, years[1], True)):
        revenue = {"record": {"revenue": 0.1, "expense": 0.1, "period": str(year)}}
        load(warehouse, full_check_response(COMPANY, blocks(financial=statements, revexp=revenue)), start=start)
        assert rows(warehouse, query, "revenue", str(year)) == [(is_listed, True)]
