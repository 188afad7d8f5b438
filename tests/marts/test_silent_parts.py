"""A part of a complete response that the service leaves open removes nothing and reports nothing."""

from typing import Any

from innspect.warehouse.database import Warehouse
from tests.marts.bodies import PLAIN, load, rows
from tests.support.builders import Response

INTENTION = {"date": "2026-10-01", "type": "Намерение кредитора обратиться в суд", "number": "1"}
CHANGES = "SELECT table_name, change, column_name, old_value, new_value FROM mart.changes ORDER BY ALL"
NEWS = "SELECT sentence_en FROM mart.news ORDER BY ALL"


def card(**parts: Any) -> Response:
    return Response("brief", {**PLAIN["company"], **parts})


def publications(warehouse: Warehouse) -> list[tuple]:
    return rows(warehouse, "SELECT number, confirmed FROM mart.events WHERE kind = 'bankruptcy'")


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


def test_stored_case_is_in_the_court_by_its_older_name(warehouse: Warehouse) -> None:
    load(warehouse, courts(CASE))
    older = {"court_name": CASE["court"], "court_url": CASE["url"], "case_type": CASE["category"]}
    load(warehouse, courts(stored(category="", **older)), start=10)
    assert rows(warehouse, CHANGES) == rows(warehouse, NEWS) == []
    assert rows(warehouse, "SELECT path, kind FROM lineage.drift WHERE kind = 'duplicate_differs'") == []
    assert rows(warehouse, "SELECT court, url, category FROM core.general_courts__cases") == [
        (CASE["court"], CASE["url"], CASE["category"])
    ]


def test_case_without_a_court_is_the_known_case_of_its_number(warehouse: Warehouse) -> None:
    load(warehouse, courts(CASE))
    load(warehouse, courts(stored()), start=10)
    load(warehouse, courts(CASE), start=15)
    assert rows(warehouse, "SELECT count(*) FROM lineage.changes WHERE change <> 'changed'") == [(0,)]
    # The same number in two courts, one of which the response names.
    other = {**CASE, "court": "drugoy--spb"}
    load(warehouse, courts(CASE, other), start=20)
    load(warehouse, courts(other, stored()), start=30)
    load(warehouse, courts(CASE, other), start=40)
    assert rows(warehouse, "SELECT change, row_key FROM lineage.changes WHERE change <> 'changed'") == [
        ("added", "2-17/2026 | drugoy--spb")
    ]
