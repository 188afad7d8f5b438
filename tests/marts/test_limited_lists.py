"""Lists that end at a limit of persons or of uncertain matches: found, lasting, and not complete."""

from typing import Any

import pytest

from innspect.reports.i18n.catalog import translations
from innspect.warehouse.database import Warehouse
from tests.marts.bodies import PLAIN, add_members, all_blocks, full_check_response, load, rows
from tests.support.builders import Response

COMPANY = "7707083893"
STATES = "SELECT state, reason FROM lineage.snapshots WHERE block = ? ORDER BY asked_at"
REMOVED = "SELECT count(*) FROM lineage.changes WHERE change = 'removed'"
RECORD = {"matched_name": "ИВАНОВ И И", "birth_date": "01.01.1970", "end_date": "01.01.2096"}


def links(persons: range, *, inside: bool = False) -> list[dict[str, Any]]:
    """A company for each person, who is named by the row or only by the fact inside it."""
    found: list[dict[str, Any]] = []
    for number in persons:
        person = {"via_name": f"Лицо {number}", "via_inn": f"7700000{number:05d}" if number % 2 else ""}
        row = {} if inside else person
        fact = {"role": "учредитель", "source": "egrul", **(person if inside else {})}
        found.append({"inn": f"77070{number:05d}", "name": f"ООО {number}", **row, "connections": [fact]})
    return found


def flags(companies: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {**PLAIN["risk_flags"], "mass_source": "s", "linked_companies": companies, **more}


def own(companies: list[dict[str, Any]], **more: Any) -> Response:
    return Response("risk-flags", flags(companies, **more), COMPANY)


def narrow(companies: list[dict[str, Any]], **more: Any) -> Response:
    return full_check_response(COMPANY, all_blocks(risk_flags=flags(companies, **more)))


def coverage(warehouse: Warehouse, block: str) -> tuple[Any, ...]:
    return rows(warehouse, "SELECT state, reason, complete FROM mart.coverage WHERE block = ?", block)[0]


@pytest.mark.parametrize("inside", [False, True], ids=["rows", "facts"])
@pytest.mark.parametrize("method", [own, narrow])
def test_list_of_fifteen_persons_may_go_beyond_them(warehouse: Warehouse, method: Any, inside: bool) -> None:
    add_members(warehouse, COMPANY)
    load(warehouse, method(links(range(15), inside=inside)))
    load(warehouse, method(links(range(3, 18), inside=inside)), start=1)
    assert rows(warehouse, STATES, "risk_flags") == [("found", "list_full")] * 2
    assert rows(warehouse, REMOVED) == [(0,)]
    found = "SELECT confirmed, complete, count(*) FROM mart.related_companies GROUP BY ALL ORDER BY ALL"
    assert rows(warehouse, found) == [(False, False, 3), (True, False, 15)]
    assert coverage(warehouse, "risk_flags") == ("found", "list_full", False)
    # Below the limit the list is whole again.
    load(warehouse, method(links(range(4, 18), inside=inside)), start=2)
    assert rows(warehouse, found) == [(True, True, 14)]
    assert rows(warehouse, REMOVED) == [(4,)]
    assert coverage(warehouse, "risk_flags") == ("found", None, True)


def test_full_list_of_links_says_nothing_of_the_flags(warehouse: Warehouse) -> None:
    """The mass check ran: its flags are confirmed, and a record that is gone is gone."""
    add_members(warehouse, COMPANY)
    load(warehouse, own(links(range(15)), disqualified_persons=True, disqualified_records=[RECORD], status_name="x"))
    load(warehouse, narrow(links(range(3, 18))), start=1)
    signals = "SELECT signal, state, confirmed FROM mart.risk_signals WHERE block = 'risk_flags' ORDER BY signal"
    found = {signal: (state, confirmed) for signal, state, confirmed in rows(warehouse, signals)}
    assert found["disqualified_persons"] == found["mass_director"] == ("absent", True)
    assert found["linked_closed"] == ("unknown", False)
    assert rows(warehouse, "FROM mart.disqualifications") == []
    assert rows(warehouse, "SELECT status_name FROM current.risk_flags") == [("x",)]
    assert rows(warehouse, "SELECT count(*) FROM mart.related_companies") == [(18,)]


def test_unchecked_flags_do_not_hide_that_the_list_is_full(warehouse: Warehouse) -> None:
    add_members(warehouse, COMPANY)
    load(warehouse, own(links(range(15)), mass_check_unavailable=True, mass_source=None))
    assert coverage(warehouse, "risk_flags") == ("partial", "mass_check_unavailable,list_full", False)


def hits(*numbers: int, confidence: str = "low") -> list[dict[str, Any]]:
    of_list = {"source": "OFAC_SDN", "list_label": "OFAC SDN List", "match_confidence": confidence}
    return [{**of_list, "name": f"VEGA {number}", "raw_id": str(number)} for number in numbers]


def sanctions(found: list[dict[str, Any]]) -> Response:
    return full_check_response(COMPANY, all_blocks(sanctions={"hits": found}))


def test_twenty_five_uncertain_matches_are_at_least_so_many(warehouse: Warehouse) -> None:
    add_members(warehouse, COMPANY)
    load(warehouse, sanctions(hits(*range(25))))
    assert coverage(warehouse, "sanctions") == ("found", "list_full", False)
    complete = "SELECT confirmed, complete, count(*) FROM mart.sanctions_hits GROUP BY ALL ORDER BY ALL"
    assert rows(warehouse, complete) == [(True, False, 25)]
    signals = "SELECT state, confirmed, evidence FROM mart.risk_signals WHERE signal = ?"
    evidence = "matches of low confidence: at least 25 (the list is incomplete)"
    assert rows(warehouse, signals, "sanctions_namesake") == [("present", True, evidence)]
    russian = translations("ru", "UTC").signal_evidence(evidence)
    assert russian == "совпадений низкой уверенности: не менее 25 (список неполон)"
    # These are given only without an exact match, so that there is none is known.
    assert rows(warehouse, signals, "sanctions_hit") == [("absent", True, None)]
    load(warehouse, sanctions(hits(*range(1, 25))), start=1)
    assert coverage(warehouse, "sanctions") == ("found", None, True)
    assert rows(warehouse, complete) == [(True, True, 24)]
    assert rows(warehouse, signals, "sanctions_namesake") == [("present", True, "matches of low confidence: 24")]


def test_exact_match_is_gone_where_there_are_twenty_five_uncertain_ones(warehouse: Warehouse) -> None:
    add_members(warehouse, COMPANY)
    load(warehouse, sanctions(hits(99, confidence="high")))
    load(warehouse, sanctions(hits(*range(25))), start=1)
    assert rows(warehouse, "SELECT DISTINCT confidence FROM mart.sanctions_hits") == [("low",)]
    assert rows(warehouse, REMOVED) == [(1,)]


def test_same_bytes_again_are_as_full_as_before(warehouse: Warehouse) -> None:
    add_members(warehouse, COMPANY)
    for start in range(2):
        load(warehouse, sanctions(hits(*range(25))), own(links(range(15))), start=start)
    assert coverage(warehouse, "sanctions") == coverage(warehouse, "risk_flags") == ("found", "list_full", False)


def test_uncertain_matches_are_not_all_next_to_an_exact_one(warehouse: Warehouse) -> None:
    """The service gives them only without an exact match; of the exact ones it gives all."""
    add_members(warehouse, COMPANY)
    load(warehouse, sanctions(hits(1, 2)))
    complete = "SELECT confidence, confirmed, complete, count(*) FROM mart.sanctions_hits GROUP BY ALL ORDER BY ALL"
    assert rows(warehouse, complete) == [("low", True, True, 2)]
    load(warehouse, sanctions(hits(99, confidence="high")), start=1)
    assert rows(warehouse, complete) == [("high", True, True, 1), ("low", False, False, 2)]
    assert coverage(warehouse, "sanctions") == ("found", None, True)
    assert rows(warehouse, "SELECT sanction_hits, sanctions_complete FROM mart.company_profile") == [(1, True)]


def test_links_at_their_cap_leave_the_flags(warehouse: Warehouse) -> None:
    """250 facts that link few companies: the mass check ran, and a disqualification that is gone is gone."""
    facts = [{"role": f"роль {number}", "via_name": "Лицо"} for number in range(250)]
    full = [{**links(range(1))[0], "connections": facts}]
    add_members(warehouse, COMPANY)
    load(warehouse, own(full, disqualified_persons=True, disqualified_records=[RECORD], status_name="x"))
    load(warehouse, narrow([{**links(range(2))[1], "connections": facts}]), start=1)
    assert rows(warehouse, STATES, "risk_flags") == [("found", "list_full")] * 2
    signals = "SELECT signal, state, confirmed FROM mart.risk_signals WHERE block = 'risk_flags'"
    found = {signal: (state, confirmed) for signal, state, confirmed in rows(warehouse, signals)}
    assert found["disqualified_persons"] == found["mass_director"] == ("absent", True)
    assert found["linked_closed"] == ("unknown", False)
    assert rows(warehouse, "FROM mart.disqualifications") == []
    assert rows(warehouse, "SELECT confirmed, complete, count(*) FROM mart.related_companies GROUP BY ALL ORDER BY 1") == [
        (False, False, 1), (True, False, 1)
    ]  # fmt: skip
    assert coverage(warehouse, "risk_flags") == ("found", "list_full", False)
