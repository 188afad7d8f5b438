"""Matches in sanctions lists: those that the service withholds, and those of managers."""

from typing import Any

import pytest

from innspect.reports.i18n.catalog import translations
from innspect.warehouse.database import Warehouse
from tests.marts.bodies import PLAIN, add_members, all_blocks, full_check_response, load, rows
from tests.support.builders import Response

COMPANY, PERSON = "7707083893", "770000000017"
HITS = "SELECT list_entry_id, confidence, confirmed FROM mart.sanctions_hits ORDER BY ALL"
REMOVED = "SELECT count(*) FROM lineage.changes WHERE change = 'removed'"


def hit(entry: str, confidence: str | None, **more: str) -> dict[str, Any]:
    return {
        "source": "OFAC_SDN",
        "list_label": "OFAC SDN List",
        "name": f"VEGA {entry}",
        "match_confidence": confidence,
        "raw_id": entry,
        **more,
    }


def answer(warehouse: Warehouse, *days: list[dict[str, Any]], inn: str = COMPANY, start: int = 0) -> None:
    """Load a response of the method for each of the days."""
    if start == 0:
        add_members(warehouse, inn)
    for number, hits in enumerate(days, start):
        load(warehouse, Response("sanctions", {"inn": inn, "name": "ООО ВЕГА", "hits": hits}, inn), start=number)


def signal(warehouse: Warehouse, name: str) -> tuple:
    query = "SELECT state, confirmed, evidence FROM mart.risk_signals WHERE signal = ?"
    return rows(warehouse, query, name)[0]


@pytest.mark.long
@pytest.mark.parametrize("exact", ["high", "medium", None])
def test_low_matches_are_kept_while_there_is_an_exact_one(warehouse: Warehouse, exact: str | None) -> None:
    answer(warehouse, [hit("1", "low"), hit("2", "low")], [hit("3", exact)])
    assert rows(warehouse, HITS) == [("1", "low", False), ("2", "low", False), ("3", exact, True)]
    assert rows(warehouse, REMOVED) == [(0,)]
    assert rows(warehouse, "SELECT sentence_en FROM mart.news WHERE sentence_en LIKE '%no longer%'") == []
    assert signal(warehouse, "sanctions_namesake")[:2] == ("present", False)
    # Without the exact match the list tells of all matches again.
    answer(warehouse, [hit("2", "low")], start=2)
    assert rows(warehouse, HITS) == [("2", "low", True)]
    assert rows(warehouse, REMOVED) == [(2,)]
    assert signal(warehouse, "sanctions_namesake")[:2] == ("present", True)


@pytest.mark.long
def test_exact_match_tells_nothing_of_low_ones(warehouse: Warehouse) -> None:
    answer(warehouse, [hit("1", "medium")])
    assert signal(warehouse, "sanctions_namesake")[:2] == ("unknown", False)
    assert signal(warehouse, "sanctions_hit")[:2] == ("absent", True)


@pytest.mark.long
def test_exact_match_that_is_gone_is_removed(warehouse: Warehouse) -> None:
    answer(warehouse, [hit("1", "high"), hit("2", "medium")], [hit("2", "medium")])
    assert rows(warehouse, HITS) == [("2", "medium", True)]
    assert rows(warehouse, REMOVED) == [(1,)]
    assert signal(warehouse, "sanctions_hit")[:2] == ("absent", True)


@pytest.mark.long
def test_low_match_that_becomes_exact_is_one_match(warehouse: Warehouse) -> None:
    answer(warehouse, [hit("1", "low")], [hit("1", "medium")])
    assert rows(warehouse, HITS) == [("1", "medium", True)]


@pytest.mark.long
@pytest.mark.parametrize(("listed", "removed"), [(25, 0), (24, 1)])
def test_full_list_of_low_matches_removes_none(warehouse: Warehouse, listed: int, removed: int) -> None:
    answer(warehouse, [hit("0", "low")], [hit(str(number), "low") for number in range(1, listed + 1)])
    assert rows(warehouse, REMOVED) == [(removed,)]
    assert signal(warehouse, "sanctions_namesake")[:2] == ("present", True)


BORN, OF_ANOTHER = {"dob": "1980-12-31"}, {"inn": PERSON}
MARK = "SELECT of_manager FROM mart.sanctions_hits ORDER BY list_entry_id"


@pytest.mark.long
@pytest.mark.parametrize("manager", [BORN, OF_ANOTHER, {**BORN, **OF_ANOTHER}], ids=["born", "inn", "both"])
@pytest.mark.parametrize(("confidence", "name"), [("high", "sanctions_hit"), ("medium", "sanctions_name")])
def test_match_of_a_manager_is_told_as_such(
    warehouse: Warehouse, confidence: str, name: str, manager: dict[str, str]
) -> None:
    answer(warehouse, [], [hit("1", confidence, **manager)])
    evidence = "OFAC SDN List: VEGA 1 (manager or founder)"
    assert signal(warehouse, name) == ("present", True, evidence)
    russian = translations("ru", "UTC").signal_evidence(evidence)
    assert russian == "OFAC SDN List: VEGA 1 (руководитель или участник)"
    assert rows(warehouse, MARK) == [(True,)]
    ((russian, english),) = rows(warehouse, "SELECT sentence_ru, sentence_en FROM mart.news")
    assert "руководителя или участника" in russian
    assert "of a manager or founder" in english
    answer(warehouse, [], start=2)
    query = (
        "SELECT sentence_en FROM mart.news WHERE sentence_en LIKE '%no longer has the match of a manager or founder%'"
    )
    assert len(rows(warehouse, query)) == 1


@pytest.mark.long
def test_own_match_comes_before_that_of_a_manager(warehouse: Warehouse) -> None:
    answer(warehouse, [], [hit("1", "high", **BORN), hit("2", "high", inn=COMPANY), hit("3", "medium")])
    assert signal(warehouse, "sanctions_hit")[2] == "OFAC SDN List: VEGA 2"
    assert signal(warehouse, "sanctions_name")[2] == "OFAC SDN List: VEGA 3"
    assert rows(warehouse, MARK) == [(True,), (False,), (False,)]
    query = "SELECT sentence_en FROM mart.news WHERE sentence_en NOT LIKE '%manager%' ORDER BY 1"
    assert [sentence for (sentence,) in rows(warehouse, query)] == [
        "Match in the sanctions list OFAC SDN List: VEGA 2, match by INN",
        "Match in the sanctions list OFAC SDN List: VEGA 3, match by the full name",
    ]


@pytest.mark.long
def test_match_with_a_birth_date_is_a_persons_own(warehouse: Warehouse) -> None:
    answer(warehouse, [], [hit("1", "high", **BORN, inn=PERSON)], inn=PERSON)
    assert signal(warehouse, "sanctions_hit") == ("present", True, "OFAC SDN List: VEGA 1")
    assert rows(warehouse, MARK) == [(False,)]
    assert rows(warehouse, "SELECT sentence_en FROM mart.news WHERE sentence_en LIKE '%manager%'") == []


@pytest.mark.long
@pytest.mark.parametrize(("more", "listed"), [(BORN, "no"), (OF_ANOTHER, "no"), ({"inn": COMPANY}, "yes")])
def test_flag_of_the_card_is_compared_with_the_companys_own_matches(
    warehouse: Warehouse, more: dict[str, str], listed: str
) -> None:
    add_members(warehouse, COMPANY)
    content = all_blocks(sanctions={**PLAIN["sanctions"], "hits": [hit("1", "high", **more)]})
    load(warehouse, full_check_response(COMPANY, content))
    query = "SELECT left_value, right_value, agrees FROM mart.cross_checks WHERE check_name = 'sanctions'"
    assert rows(warehouse, query) == [("no", listed, listed == "no")]
    # A manager's match weighs as much, and stops as well.
    assert rows(warehouse, "SELECT level FROM mart.risk_score") == [("critical",)]
    condition = "SELECT condition FROM mart.risk_rules WHERE signal IN ('sanctions_hit', 'sanctions_name')"
    assert all("manager or founder" in text for (text,) in rows(warehouse, condition))
