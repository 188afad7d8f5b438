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
