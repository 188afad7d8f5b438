"""A card of the service's stored base is as old as its record, whatever mark says so."""

from datetime import timedelta
from typing import Any

import pytest

from innspect.warehouse.database import Warehouse
from tests.marts.bodies import START, add_members, all_blocks, full_check_response, load, rows
from tests.support.builders import INN, Response

OLD, RECENT = "2024-01-10 00:00:00", f"{START - timedelta(days=2):%Y-%m-%d} 00:00:00"
SNAPSHOT = "SELECT from_local, strftime(collected_at, '%Y-%m') FROM lineage.snapshots WHERE block = 'company'"
LEVEL = "SELECT level, stale_blocks FROM mart.risk_score"
RECORD = {"_source_local": "egrul_dump", "_source_fetched_at": OLD}


def ask(warehouse: Warehouse, **marks: Any) -> None:
    add_members(warehouse, INN)
    load(warehouse, full_check_response(INN, all_blocks(company=marks), at=START))


@pytest.mark.parametrize("marks", [RECORD, {**RECORD, "_from_local": False}, {**RECORD, "_from_local": True}])
def test_a_stored_record_was_collected_when_it_entered_the_base(warehouse: Warehouse, marks: dict[str, Any]) -> None:
    ask(warehouse, **marks)
    assert rows(warehouse, SNAPSHOT) == [(True, "2024-01")]
    assert rows(warehouse, "SELECT stale FROM mart.coverage WHERE block = 'company'") == [(True,)]
    assert rows(warehouse, LEVEL) == [("unknown", ["company"])]


def test_the_last_collection_is_the_age_of_a_record_that_has_both_dates(warehouse: Warehouse) -> None:
    """The documents call it the honest date: the record may have entered the base long before."""
    ask(warehouse, **RECORD, _from_local=True, _local_fetched_at=RECENT)
    assert rows(warehouse, SNAPSHOT) == [(True, RECENT[:7])]
    assert rows(warehouse, LEVEL) == [("low", [])]


@pytest.mark.parametrize("date", ["", "10.01.2024"])
def test_a_stored_record_without_a_date_may_be_of_any_age(warehouse: Warehouse, date: str) -> None:
    ask(warehouse, _source_local="egrul_dump", _source_fetched_at=date)
    assert rows(warehouse, SNAPSHOT) == [(True, None)]
    assert rows(warehouse, LEVEL) == [("unknown", ["company"])]


@pytest.mark.parametrize("marks", [{}, {"_source_local": ""}, {"_source_local": "", "_source_fetched_at": OLD}])
def test_a_card_without_the_origin_of_a_record_was_fetched_live(warehouse: Warehouse, marks: dict[str, Any]) -> None:
    ask(warehouse, **marks)
    assert rows(warehouse, SNAPSHOT) == [(False, f"{START:%Y-%m}")]
    assert rows(warehouse, LEVEL) == [("low", [])]


def test_an_older_record_does_not_replace_a_later_card(warehouse: Warehouse) -> None:
    ask(warehouse, status="liquidating")
    later = full_check_response(INN, all_blocks(company=RECORD), at=START + timedelta(hours=1), name="later")
    load(warehouse, later, start=1)
    assert rows(warehouse, "SELECT status FROM current.company") == [("liquidating",)]
    assert rows(warehouse, "SELECT count(*) FROM mart.changes") == [(0,)]


def test_the_same_bytes_are_as_old_when_they_return(warehouse: Warehouse) -> None:
    for hours in (0, 1):
        response = Response("brief", {"inn": INN, **all_blocks(company=RECORD)["company"]}, INN, name=str(hours))
        load(warehouse, response, start=hours)
    assert rows(warehouse, SNAPSHOT) == [(True, "2024-01")] * 2
