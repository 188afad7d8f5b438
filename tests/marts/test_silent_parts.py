"""A part of a complete response that the service leaves open removes nothing and reports nothing."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from innspect.warehouse.database import Warehouse
from tests.marts.bodies import PLAIN, START, load, rows
from tests.support.builders import Response

INTENTION = {"date": "2026-10-01", "type": "Намерение кредитора обратиться в суд", "number": "1"}
CHANGES = "SELECT table_name, change, column_name, old_value, new_value FROM mart.changes ORDER BY ALL"
NEWS = "SELECT sentence_en FROM mart.news ORDER BY ALL"


def card(**parts: Any) -> Response:
    return Response("brief", {**PLAIN["company"], **parts})


def publications(warehouse: Warehouse) -> list[tuple]:
    return rows(warehouse, "SELECT number, confirmed FROM mart.events WHERE kind = 'bankruptcy'")


@pytest.mark.long
def test_empty_list_of_publications_on_the_card_removes_none(warehouse: Warehouse) -> None:
    mention = [{"title": "Завод построен", "date": "2026-09-01"}]
    load(warehouse, card(efrsb_messages=[INTENTION], news=mention))
    assert publications(warehouse) == [("1", True)]
    for start, parts in ((10, {"efrsb_messages": []}), (20, {}), (30, {"efrsb_messages": [], "phone": "+70000000000"})):
        load(warehouse, card(news=mention, **parts), start=start)
        assert publications(warehouse) == [("1", False)]
        assert rows(warehouse, "SELECT confirmed FROM mart.events WHERE kind = 'news'") == [(True,)]
    assert rows(warehouse, CHANGES) == [("company", "changed", "phone", None, "+70000000000")]
    assert len(rows(warehouse, NEWS)) == 1
    # What the service does send is what it says: a list with other publications, and news without entries.
    load(warehouse, card(efrsb_messages=[{**INTENTION, "number": "2"}], phone="+70000000000"), start=40)
    assert publications(warehouse) == [("2", True)]
    assert rows(warehouse, "SELECT count(*) FROM mart.events WHERE kind = 'news'") == [(0,)]


CASE = {
    "case_number": "2-17/2026",
    "date": "10.02.2026",
    "category": "Гражданские",
    "court": "primerny--msk",
    "url": "https://p.example/17",
    "role": "ответчик",
    "claim_sum": 54321.1,
    "respondents": [{"name": "ООО"}],
}
CASES = "SELECT case_number, court, role, claim_rub, confirmed FROM mart.litigation ORDER BY ALL"


def courts(*cases: dict[str, Any], **marks: Any) -> Response:
    return Response("general-courts", {**PLAIN["general_courts"], "total_cases": len(cases), "cases": cases, **marks})


def stored(**cells: Any) -> dict[str, Any]:
    return {**CASE, "court": "", "url": "", "_from_store": True, **cells}


@pytest.mark.long
def test_stored_case_is_in_the_court_by_its_older_name(warehouse: Warehouse) -> None:
    load(warehouse, courts(CASE))
    older = {"court_name": CASE["court"], "court_url": CASE["url"], "case_type": CASE["category"]}
    load(warehouse, courts(stored(category="", **older)), start=10)
    assert rows(warehouse, CHANGES) == rows(warehouse, NEWS) == []
    assert rows(warehouse, "SELECT path, kind FROM lineage.drift WHERE kind = 'duplicate_differs'") == []
    assert rows(warehouse, "SELECT court, url, category FROM core.general_courts__cases") == [
        (CASE["court"], CASE["url"], CASE["category"])
    ]


@pytest.mark.long
def test_case_without_a_court_is_the_known_case_of_its_number(warehouse: Warehouse) -> None:
    load(warehouse, courts(CASE))
    load(warehouse, courts(stored(category="", role="", claim_sum=0, respondents=[])), start=10)
    assert rows(warehouse, "SELECT state, from_local FROM lineage.snapshots") == [("found", False)] * 2
    assert rows(warehouse, CHANGES) == rows(warehouse, NEWS) == []
    assert rows(warehouse, CASES) == [("2-17/2026", CASE["court"], "respondent", Decimal("54321.10"), True)]
    # The same number in two courts, one of which the response names.
    other = {**CASE, "court": "drugoy--spb"}
    load(warehouse, courts(CASE, other), start=20)
    load(warehouse, courts(other, stored()), start=30)
    load(warehouse, courts(CASE, other), start=40)
    assert rows(warehouse, "SELECT change, row_key FROM lineage.changes WHERE change <> 'changed'") == [
        ("added", "2-17/2026 | drugoy--spb")
    ]


DAY = (START - timedelta(days=20)).strftime("%d.%m.%Y")
ENRICHED = {
    "result_date": DAY,
    "plaintiffs": [{"name": "А", "inn": "7700000017", "ogrn": "1027700132195"}],
    "judge": "Судья",
    "is_force": True,
    "has_appeal": True,
    "movements": [{"date": DAY, "event": "Решение"}],
    "writs": [{"date": DAY, "number": "ФС 1", "status": "Выдан"}],
    "acts": [{"n": 1, "title": "Решение", "text_snippet": "Именем", "text_len": 100}],
}
PLAIN_PARTY = {"result_date": DAY, "plaintiffs": [{"name": "А"}]}
WRITS = "SELECT state, confirmed FROM mart.risk_signals WHERE signal = 'writs_issued'"
LISTS = ("movements", "writs", "acts", "plaintiffs")


def counts(warehouse: Warehouse) -> list[int]:
    """Rows of each list of the cases that are current."""
    return [rows(warehouse, f"SELECT count(*) FROM current.general_courts__cases__{name}")[0][0] for name in LISTS]


@pytest.mark.long
def test_what_a_case_without_enrichment_lacks_stays_known(warehouse: Warehouse) -> None:
    load(warehouse, courts({**CASE, **ENRICHED}))
    assert rows(warehouse, WRITS) == [("present", True)]
    other = {**CASE, "case_number": "2-18/2026"}
    load(warehouse, courts({**CASE, **PLAIN_PARTY}), start=10)
    assert rows(warehouse, CHANGES) == rows(warehouse, NEWS) == []
    # A new case, also without enrichment, in front of it.
    load(warehouse, courts(other, {**CASE, **PLAIN_PARTY, "result": "Отказано"}), start=20)
    assert counts(warehouse) == [1, 1, 1, 1]
    assert rows(
        warehouse, "SELECT case_number, judge, is_force, has_appeal, writs_known FROM current.general_courts__cases"
    ) == [("2-18/2026", None, None, None, None), ("2-17/2026", "Судья", True, True, True)]
    assert rows(warehouse, "SELECT cases_no, item_inn FROM current.general_courts__cases__plaintiffs") == [
        (2, "7700000017")
    ]
    assert rows(warehouse, WRITS) == [("present", True)]
    changes = "SELECT change, column_name FROM lineage.changes WHERE table_name <> 'general_courts' ORDER BY ALL"
    assert rows(warehouse, changes) == [("added", None), ("changed", "result")]
    # An empty list is what the response says; and a case that is gone takes its lists with it.
    load(warehouse, courts({**CASE, **PLAIN_PARTY, "writs": []}, other), start=30)
    assert counts(warehouse) == [1, 0, 1, 1]
    load(warehouse, courts(other), start=40)
    assert counts(warehouse) == [0, 0, 0, 0]


@pytest.mark.long
def test_lists_of_a_stored_case_are_not_empty_because_it_lacks_them(warehouse: Warehouse) -> None:
    load(warehouse, courts({**CASE, **ENRICHED}))
    load(warehouse, courts(stored(plaintiffs=[], respondents=[], writs=[])), start=10)
    assert counts(warehouse) == [1, 1, 1, 1]
    assert rows(warehouse, CHANGES) == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("cells", "state"),
    [
        ({}, "unknown"),
        ({"role": ""}, "unknown"),
        ({"role": "истец"}, "absent"),
        ({"writs": []}, "absent"),
        ({"writs": ENRICHED["writs"]}, "present"),
    ],
)
def test_writs_of_a_case_that_was_not_read_for_them_are_not_known(
    warehouse: Warehouse, cells: dict[str, Any], state: str
) -> None:
    load(warehouse, courts({**CASE, **cells}))
    assert [row[0] for row in rows(warehouse, WRITS)] == [state]
    # What the enrichment told once is known: that there was none, too.
    load(warehouse, courts({**CASE, **cells, "writs": []}), start=10)
    load(warehouse, courts({key: cell for key, cell in {**CASE, **cells}.items() if key != "writs"}), start=20)
    assert [row[0] for row in rows(warehouse, WRITS)] == ["absent"]
    assert rows(warehouse, "SELECT column_name FROM lineage.changes WHERE column_name LIKE '%known'") == []
