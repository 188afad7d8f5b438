"""Matches in sanctions lists: those that the service withholds, and those of managers."""

from typing import Any

import pytest

from innspect.warehouse.database import Warehouse
from tests.marts.bodies import add_members, load, rows
from tests.support.builders import Response

COMPANY = "7707083893"
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


def test_exact_match_tells_nothing_of_low_ones(warehouse: Warehouse) -> None:
    answer(warehouse, [hit("1", "medium")])
    assert signal(warehouse, "sanctions_namesake")[:2] == ("unknown", False)
    assert signal(warehouse, "sanctions_hit")[:2] == ("absent", True)


def test_exact_match_that_is_gone_is_removed(warehouse: Warehouse) -> None:
    answer(warehouse, [hit("1", "high"), hit("2", "medium")], [hit("2", "medium")])
    assert rows(warehouse, HITS) == [("2", "medium", True)]
    assert rows(warehouse, REMOVED) == [(1,)]
    assert signal(warehouse, "sanctions_hit")[:2] == ("absent", True)


def test_low_match_that_becomes_exact_is_one_match(warehouse: Warehouse) -> None:
    answer(warehouse, [hit("1", "low")], [hit("1", "medium")])
    assert rows(warehouse, HITS) == [("1", "medium", True)]


@pytest.mark.parametrize(("listed", "removed"), [(25, 0), (24, 1)])
def test_full_list_of_low_matches_removes_none(warehouse: Warehouse, listed: int, removed: int) -> None:
    answer(warehouse, [hit("0", "low")], [hit(str(number), "low") for number in range(1, listed + 1)])
    assert rows(warehouse, REMOVED) == [(removed,)]
    assert signal(warehouse, "sanctions_namesake")[:2] == ("present", True)
