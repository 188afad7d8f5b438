"""An answer that the service collected before what is known confirms nothing else, and removes nothing."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.marts.bodies import PLAIN, START, all_blocks, full_check_response, load, rows, single_row
from tests.support.builders import INN, Response

ENTRY = {"total": 1, "active": 1, "historic": 0, "records": [{"reg_number": "Р1", "status": "Размещено"}]}
NO_ENTRY = {"total": 0, "active": 0, "historic": 0, "records": []}


def stored(days: float | None) -> dict:
    """The marks of an answer of the service's store, collected some days before the first response."""
    moment = None if days is None else f"{START + timedelta(hours=3) - timedelta(days=days):%Y-%m-%d %H:%M:%S}"
    return {"_from_local": True, **({} if moment is None else {"_local_fetched_at": moment})}


def rnp(content: dict, hours: int = 0) -> Response:
    response = full_check_response(INN, all_blocks(rnp=content), at=START + timedelta(hours=hours))
    return replace(response, name=f"rnp-{hours}")


def known(warehouse) -> tuple:
    row = single_row(
        warehouse,
        "SELECT s.state, s.reason, g.state AS signal, g.confirmed FROM lineage.snapshots s "
        "JOIN mart.risk_signals g ON g.inn = s.inn WHERE s.block = 'rnp' AND g.signal = 'rnp_active' "
        "ORDER BY s.asked_at DESC LIMIT 1",
    )
    return tuple(row.values())


def changes(warehouse) -> list[tuple]:
    return rows(warehouse, "SELECT table_name, change FROM lineage.changes WHERE block = 'rnp'")


@pytest.mark.parametrize("days", [12, 1000, None])
def test_an_older_answer_removes_no_entry(warehouse, days):
    load(warehouse, rnp(ENTRY))
    load(warehouse, rnp({**NO_ENTRY, **stored(days)}, 10), start=10)
    assert known(warehouse) == ("unconfirmed", "older_answer", "present", False)
    assert changes(warehouse) == []
    assert rows(warehouse, "SELECT count(*) FROM current.rnp__records") == [(1,)]


def test_an_older_answer_adds_no_entry(warehouse):
    load(warehouse, rnp(NO_ENTRY))
    load(warehouse, rnp({**ENTRY, **stored(12)}, 10), start=10)
    assert known(warehouse) == ("unconfirmed", "older_answer", "unknown", False)
    assert changes(warehouse) == []
    load(warehouse, rnp(NO_ENTRY, 20), start=20)
    assert known(warehouse) == ("clean", None, "absent", True)
    assert changes(warehouse) == []


def test_an_older_answer_with_the_same_content_confirms_it(warehouse):
    load(warehouse, rnp(ENTRY))
    load(warehouse, rnp({**ENTRY, **stored(2)}, 10), start=10)
    assert known(warehouse) == ("found", None, "present", True)


def test_a_later_collected_answer_of_the_store_counts(warehouse):
    load(warehouse, rnp({**ENTRY, **stored(5)}))
    load(warehouse, rnp({**NO_ENTRY, **stored(4)}, 10), start=10)
    assert known(warehouse) == ("clean", None, "absent", True)
    assert ("rnp__records", "removed") in changes(warehouse)


def test_an_answer_that_is_loaded_late_is_history(warehouse):
    load(warehouse, rnp(ENTRY, 10))
    load(warehouse, rnp(NO_ENTRY, 0), start=20)
    assert rows(warehouse, "SELECT state, reason FROM lineage.snapshots WHERE block = 'rnp' ORDER BY asked_at") == [
        ("clean", None),
        ("found", None),
    ]


@pytest.mark.parametrize(("day", "debt"), [("20260725", "100.50"), ("20261125", "0.00")])
def test_an_older_data_set_repays_no_debt(warehouse, day, debt):
    record = {"debt_type": "Налог", "sum": 100.5}
    owed = {**PLAIN["tax_debts"], "total": 1, "total_sum": 100.5, "records": [record], "snapshot_date": "20261025"}
    load(warehouse, Response("tax-debts", {"inn": INN, **owed}, INN))
    load(warehouse, Response("tax-debts", {"inn": INN, **PLAIN["tax_debts"], "snapshot_date": day}, INN), start=10)
    assert [str(sum_) for (sum_,) in rows(warehouse, "SELECT total_sum FROM current.tax_debts")] == [debt]
