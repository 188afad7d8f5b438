"""Required blocks that are unknown for longer than the policy allows: from when, since when, and which are none."""

from datetime import datetime, timedelta

import pytest

from innspect.reports.alert_query import describe_causes
from innspect.reports.overdue_blocks import OverdueBlock, find_checked_portfolios, find_overdue_blocks
from innspect.schemas.risk_policy.policy_file import load_policies
from innspect.warehouse.database import Warehouse
from tests.marts.bodies import KEYS, add_members, all_blocks, full_check_response, load
from tests.support.builders import lose_call

COMPANY, PERSON = "7707083893", "770000000017"
DAY_0 = datetime(2026, 1, 1, 12)
REQUIRED = load_policies(None).default.required
ALERT_DAYS, MAX_AGE, FREEZES_AGE = 14, 35, 7
"""Limits of the default policy, in days."""


def day(number: float) -> datetime:
    return DAY_0 + timedelta(days=number)


def check(
    warehouse: Warehouse, number: float, *silent: str, inn: str = COMPANY, collected: float | None = None
) -> None:
    """Load a full check of that day in which these blocks are missing; `collected`: the day of its data."""
    content = {key: value for key, value in all_blocks().items() if key not in {KEYS[block] for block in silent}}
    if collected is not None:
        mark = {"_from_local": True, "_local_fetched_at": f"{day(collected):%Y-%m-%d %H:%M:%S}"}
        content[KEYS["fssp"]] |= mark
    load(warehouse, full_check_response(inn, content, at=day(number), name=f"{inn}-{number}"))


def find(warehouse: Warehouse, number: float, *portfolios: str) -> list[OverdueBlock]:
    """What is overdue on a day, as it is judged then."""
    warehouse.connection.execute(f"SET VARIABLE assessed_at = TIMESTAMP '{day(number)}'")
    return find_overdue_blocks(warehouse, portfolios or ("p",), day(number))


def spans(warehouse: Warehouse, number: float) -> dict[str, tuple[float, float]]:
    """By overdue block: since which day it is unknown, and on which day the limit was reached."""
    hours = timedelta(days=1)
    return {
        str(block.cause.block): ((block.cause.since - DAY_0) / hours, (block.due_at - DAY_0) / hours)
        for block in find(warehouse, number)
        if block.cause.since
    }


@pytest.fixture
def member(warehouse: Warehouse) -> Warehouse:
    """A warehouse of one member, all of whose blocks were answered on day 0."""
    add_members(warehouse, COMPANY)
    check(warehouse, 0)
    return warehouse


def test_silent_block_is_overdue_after_the_days_of_the_policy(member: Warehouse) -> None:
    check(member, 10, "fssp")
    assert spans(member, 13.9) == {}
    assert spans(member, 14) == {"fssp": (0, ALERT_DAYS)}
    check(member, 15, "fssp")
    assert spans(member, 16) == {"fssp": (0, ALERT_DAYS)}


def test_block_that_falls_silent_late_is_overdue_at_once(member: Warehouse) -> None:
    check(member, 20, "fssp")
    check(member, 21, "fssp")
    assert spans(member, 21) == {"fssp": (0, 20)}


def test_answered_block_is_not_overdue_any_more(member: Warehouse) -> None:
    check(member, 10, "fssp")
    check(member, 20)
    assert spans(member, 21) == {}
    # A later silence is a new one.
    check(member, 30, "fssp")
    assert spans(member, 35)["fssp"] == (20, 34)


def test_block_that_is_not_requested_again_is_overdue_when_its_answer_is_stale(member: Warehouse) -> None:
    assert spans(member, 13) == {}
    assert spans(member, 15) == {"freezes": (0, ALERT_DAYS)}
    assert spans(member, 36)["fssp"] == (0, MAX_AGE)


def test_block_that_never_answered_counts_from_its_first_request(warehouse: Warehouse) -> None:
    add_members(warehouse, COMPANY)
    for number in (0, 5, 10):
        check(warehouse, number, "fssp")
    assert spans(warehouse, 13) == {}
    assert spans(warehouse, 15) == {"fssp": (0, ALERT_DAYS)}


def test_old_data_of_the_store_of_the_service_are_no_answer(warehouse: Warehouse) -> None:
    add_members(warehouse, COMPANY)
    check(warehouse, 0, collected=-60)
    assert spans(warehouse, 1) == {}
    check(warehouse, 20, collected=-30)
    # The data are younger, and still too old: it is the same time without an answer.
    assert spans(warehouse, 20)["fssp"] == (0, ALERT_DAYS)


def test_call_without_a_response_is_no_answer(member: Warehouse) -> None:
    lose_call(member, COMPANY, "fssp", day(10))
    assert spans(member, 14)["fssp"] == (0, ALERT_DAYS)


def test_never_requested_blocks_are_not_overdue(warehouse: Warehouse) -> None:
    add_members(warehouse, COMPANY)
    assert spans(warehouse, 100) == {}


def test_only_required_blocks_of_the_kind_of_inn_are_overdue(warehouse: Warehouse) -> None:
    add_members(warehouse, COMPANY, PERSON)
    warehouse.connection.execute("UPDATE lineage.portfolio_members SET last_seen_at = ?", [day(0)])
    for inn in (COMPANY, PERSON):
        check(warehouse, 0, *KEYS, inn=inn)
    found = find(warehouse, 20)
    assert {block.cause.block for block in found if block.cause.inn == COMPANY} == {*REQUIRED.company}
    assert {block.cause.block for block in found if block.cause.inn == PERSON} == {*REQUIRED.person}


def test_only_present_members_of_the_portfolios_are_searched(member: Warehouse) -> None:
    check(member, 10, "fssp")
    assert find(member, 16, "q") == []
    assert [block.portfolios for block in find(member, 14, "p", "q")] == [("p",)]
    member.connection.execute("UPDATE lineage.portfolio_members SET left_at = ?", [day(9)])
    add_members(member, PERSON)
    assert find(member, 14) == []
    assert find_checked_portfolios(member, day(10)) == ["p"]
    assert find_checked_portfolios(member, datetime.max) == []


@pytest.mark.long
def test_partial_answer_that_hides_nothing_is_described_as_answered(member: Warehouse) -> None:
    partial = {**all_blocks()[KEYS["arbitration"]], "sources_failed": ["main"], "cases": [], "total_cases": 0}
    partial |= {"cases": [{"case_number": "А40-1/2025", "role": "plaintiff", "date": "01.02.2025"}], "total_cases": 1}
    for number in (1, 15):
        content = all_blocks() | {KEYS["arbitration"]: partial}
        load(member, full_check_response(COMPANY, content, at=day(number), name=f"partial-{number}"))
    found = [block.cause for block in find(member, 16)]
    assert [cause.block for cause in found] == ["arbitration"]
    described = describe_causes(member, found)
    unknown = member.query("SELECT unnest(unknown_blocks) AS block FROM mart.risk_score")["block"].to_list()
    assert [alert is None for alert in described] == ["arbitration" not in unknown]


def test_description_of_an_unknown_block(member: Warehouse) -> None:
    check(member, 10, "fssp")
    (cause,) = (block.cause for block in find(member, 14))
    (alert,) = describe_causes(member, [cause])
    assert alert is not None
    assert {name: alert[name] for name in ("kind", "severity", "inn", "name", "portfolios", "signal", "block")} == {
        "kind": "unknown", "severity": "alert", "inn": COMPANY, "name": "ООО", "portfolios": ["p"], "signal": None,
        "block": "fssp",
    }  # fmt: skip
    assert (alert["from_state"], alert["to_state"]) == (None, "unknown")
    assert alert["evidence"] == "missing: absent"
    assert alert["since"] == "2026-01-01T12:00:00Z"
    assert (alert["level"], alert["level_known"], alert["unknown_blocks"]) == ("unknown", "low", ["fssp"])
    assert alert["title"].startswith("Required block unknown for too long: ")
    assert alert["title_ru"].startswith("Обязательный раздел слишком долго неизвестен: ")
    assert (alert["run_id"], alert["version_id"]) == (None, None)
    assert alert["assessed_at"] == "2026-01-15T12:00:00Z"
