"""A date of termination that cannot be read is a termination all the same: a non-empty value alone means liquidation."""

from datetime import timedelta
from typing import Any

import pytest

from innspect.warehouse.database import Warehouse
from tests.marts.bodies import START, add_members, all_blocks, full_check_response, load, rows
from tests.support.builders import INN

SIGNAL = "SELECT state, confirmed, reason FROM mart.risk_signals WHERE signal = 'liquidated'"
LEVEL = "SELECT level, unknown_blocks FROM mart.risk_score"
CARD = (
    "SELECT liquidation_date::VARCHAR, liquidation_date_given FROM core.company JOIN lineage._latest USING (version_id)"
)


def ask(warehouse: Warehouse, hours: int, **card: Any) -> None:
    content = all_blocks(company=card)
    at = START + timedelta(hours=hours)
    load(warehouse, full_check_response(INN, content, at=at, name=str(hours)), start=hours)


@pytest.mark.parametrize(
    "date", ["2020-05-12", "12.05.2020", "2020-05-12 00:00:00", "20200512", "12052020", "1589241600", 1589241600]
)
def test_a_termination_is_read_in_every_layout_that_the_service_has(warehouse: Warehouse, date: str | int) -> None:
    add_members(warehouse, INN)
    ask(warehouse, 0, liquidation_date=date)
    assert rows(warehouse, CARD) == [("2020-05-12", True)]
    assert rows(warehouse, SIGNAL) == [("present", True, None)]
    assert rows(warehouse, "SELECT count(*) FROM lineage.violations") == [(0,)]


@pytest.mark.parametrize("date", ["05.2020", "12.05.2020 г.", "99999999", "1", True, 0.5])
def test_a_termination_that_cannot_be_read_is_a_termination(warehouse: Warehouse, date: Any) -> None:
    add_members(warehouse, INN)
    ask(warehouse, 0, liquidation_date=date)
    assert rows(warehouse, CARD) == [(None, True)]
    assert rows(warehouse, SIGNAL) == [("present", True, None)]
    assert rows(warehouse, LEVEL) == [("critical", [])]
    assert rows(warehouse, "SELECT column_name, rule FROM lineage.violations") == [("liquidation_date", "date")]
    ask(warehouse, 1, liquidation_date="")
    assert rows(warehouse, CARD) == [(None, None)]
    assert rows(warehouse, SIGNAL) == [("absent", True, None)]
    assert rows(warehouse, LEVEL) == [("low", [])]


def test_a_termination_of_another_shape_is_not_denied(warehouse: Warehouse) -> None:
    add_members(warehouse, INN)
    ask(warehouse, 0, liquidation_date=["2020-05-12"])
    assert rows(warehouse, SIGNAL) == [("unknown", False, "partial: shape")]
    assert rows(warehouse, LEVEL) == [("unknown", ["company"])]


def test_a_date_that_can_be_read_again_is_no_change(warehouse: Warehouse) -> None:
    add_members(warehouse, INN)
    for hours, date in enumerate(("12.05.2020", "12.05.2020 г.", "2020-05-12")):
        ask(warehouse, hours, liquidation_date=date)
        assert rows(warehouse, SIGNAL) == [("present", True, None)]
    assert rows(warehouse, "SELECT * FROM mart.changes") == []
    ask(warehouse, 4, liquidation_date="")
    assert rows(warehouse, "SELECT column_name, old_value, new_value FROM mart.changes") == [
        ("liquidation_date", "2020-05-12", None)
    ]


def test_an_answer_with_an_error_does_not_withdraw_a_termination(warehouse: Warehouse) -> None:
    add_members(warehouse, INN)
    ask(warehouse, 0, liquidation_date="05.2020")
    ask(warehouse, 1, liquidation_date="", error="timeout")
    assert rows(warehouse, CARD) == [(None, True)]
    assert rows(warehouse, SIGNAL) == [("present", False, "partial: timeout")]
    assert rows(warehouse, "SELECT level FROM mart.risk_score") == [("critical",)]


def test_a_card_without_a_date_says_nothing_new(warehouse: Warehouse) -> None:
    ask(warehouse, 0)
    ask(warehouse, 1, liquidation_date="")
    assert rows(warehouse, "SELECT count(*) FROM core.company") == [(1,)]
