"""What an answer with an error denies is not denied: neither `false` nor 0 of a source that failed is a fact."""

from datetime import timedelta
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
from tests.support.builders import INN, Response

CHANGES = "SELECT block, column_name, old_value, new_value FROM mart.changes ORDER BY ALL"
NEWS = "SELECT sentence_en FROM mart.news ORDER BY ALL"
SIGNAL = "SELECT state, confirmed FROM mart.risk_signals WHERE signal = ?"
CHECKS = "SELECT left_value, right_value, agrees FROM mart.cross_checks WHERE check_name = ?"


def ask(warehouse: Warehouse, hours: int, content: dict[str, Any]) -> None:
    load(warehouse, full_check_response(INN, content, at=START + timedelta(hours=hours), name=str(hours)), start=hours)


@pytest.mark.parametrize("flag", ["invalid_data", "sanctions_founders", "sanctions"])
def test_a_flag_of_the_card_is_not_denied_by_an_answer_with_an_error(warehouse: Warehouse, flag: str) -> None:
    add_members(warehouse, INN)
    signal = {"sanctions": "card_sanctions"}.get(flag, flag)
    ask(warehouse, 0, all_blocks(company={flag: True}))
    level = rows(warehouse, "SELECT level, score FROM mart.risk_score")
    ask(warehouse, 1, all_blocks(company={flag: False, "error": "timeout"}))
    assert rows(warehouse, "SELECT state FROM mart.coverage WHERE block = 'company'") == [("partial",)]
    assert rows(warehouse, f"SELECT {flag} FROM core.company") == [(True,)]
    assert rows(warehouse, SIGNAL, signal) == [("present", False)]
    assert (rows(warehouse, CHANGES), rows(warehouse, NEWS)) == ([], [])
    assert rows(warehouse, "SELECT level_known, score FROM mart.risk_score") == level
    ask(warehouse, 2, all_blocks(company={flag: False}))
    assert rows(warehouse, SIGNAL, signal) == [("absent", True)]
    assert rows(warehouse, CHANGES) == [("company", flag, "true", "false")]


def test_a_known_false_stays_and_a_true_is_told_by_an_answer_with_an_error(warehouse: Warehouse) -> None:
    ask(warehouse, 0, all_blocks())
    ask(warehouse, 1, all_blocks(company={"error": "timeout", "sanctions": True}))
    assert rows(
        warehouse, "SELECT sanctions, invalid_data FROM core.company JOIN lineage._latest USING (version_id)"
    ) == [(True, False)]
    assert rows(warehouse, SIGNAL, "card_sanctions") == [("present", True)]
    assert rows(warehouse, SIGNAL, "invalid_data") == [("unknown", False)]
    assert rows(warehouse, CHANGES) == [("company", "sanctions", "false", "true")]


def test_a_procedure_is_not_over_because_the_register_failed(warehouse: Warehouse) -> None:
    known = {"has_bankruptcy": True, "status": "proceedings", "has_intention": True}
    ask(warehouse, 0, blocks(bankruptcy=known))
    ask(warehouse, 1, blocks(bankruptcy={"has_intention": True, "error": "timeout"}))
    assert rows(warehouse, "SELECT has_bankruptcy, status FROM core.bankruptcy") == [(True, "proceedings")]
    assert (rows(warehouse, CHANGES), rows(warehouse, NEWS)) == ([], [])


def test_a_first_answer_with_an_error_denies_nothing(warehouse: Warehouse) -> None:
    failed = {"error": "timeout"}
    content = all_blocks(
        company={**failed, "authorized_capital": 0},
        bankruptcy={**failed, "has_intention": True},
        freezes={**failed, "found": True},
        rnp={**failed, "total": 1, "historic": 1, "records": [{"reg_number": "1", "status": "Исключено"}]},
        sanctions={**failed, "hits": [{"source": "OFAC_SDN", "name": "X", "match_confidence": "low", "raw_id": "1"}]},
    )
    ask(warehouse, 0, content)
    flags = [name for name, value in PLAIN["company"].items() if value is False]
    assert rows(warehouse, f"SELECT {', '.join(flags)}, authorized_capital FROM core.company") == [
        (None,) * (len(flags) + 1)
    ]
    assert rows(warehouse, "SELECT has_bankruptcy, has_intention, total_cases FROM core.bankruptcy") == [
        (None, True, None)
    ]
    assert rows(warehouse, "SELECT found, count FROM core.freezes") == [(True, None)]
    # Of the entries that are listed, 0 are in force; it is not known whether there are others.
    assert rows(warehouse, "SELECT total, active, historic FROM core.rnp") == [(1, 0, 1)]
    for check in ("sanctions", "unfair supplier", "status"):
        assert {row[1:] for row in rows(warehouse, CHECKS, check)} <= {(None, None)}
    row = single_row(warehouse, "SELECT * FROM mart.company_profile WHERE inn = ?", INN)
    assert (row["bankruptcy_known"], row["freezes"], row["rnp_active"]) == (False, None, None)


def test_what_the_first_complete_answer_says_is_no_change(warehouse: Warehouse) -> None:
    ask(warehouse, 0, all_blocks(company={"error": "timeout"}, bankruptcy={"error": "timeout", "has_intention": True}))
    ask(warehouse, 1, all_blocks(bankruptcy={"has_intention": True}))
    assert (rows(warehouse, CHANGES), rows(warehouse, NEWS)) == ([], [])
    assert rows(
        warehouse, "SELECT has_bankruptcy, total_cases FROM core.bankruptcy JOIN lineage._latest USING (version_id)"
    ) == [(False, 0)]
    assert rows(warehouse, SIGNAL, "invalid_data") == [("absent", True)]


def test_a_flag_that_no_answer_has_told_is_not_new(warehouse: Warehouse) -> None:
    """Both answers are incomplete: it may have been set all along."""
    ask(warehouse, 0, all_blocks(company={"error": "timeout"}))
    ask(warehouse, 1, all_blocks(company={"error": "timeout", "invalid_data": True}))
    assert rows(warehouse, SIGNAL, "invalid_data") == [("present", True)]
    assert (rows(warehouse, CHANGES), rows(warehouse, NEWS)) == ([], [])


def test_a_lasting_reason_leaves_what_the_answer_denies(warehouse: Warehouse) -> None:
    """A list at its cap was collected in full, as far as the service gives it."""
    items = [{"decision_num": str(number), "decision_date": "01.03.2026", "bik": "044525999"} for number in range(30)]
    full = {**PLAIN["freezes"], "found": False, "count": 30, "items": items}
    load(warehouse, Response("freezes", full, INN))
    assert rows(warehouse, "SELECT reason FROM lineage.snapshots") == [("list_full",)]
    assert rows(warehouse, "SELECT found, count FROM core.freezes") == [(False, 30)]
