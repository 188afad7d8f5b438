"""An INN of a person that the register discloses or withholds is a detail of that person, and nobody new."""

from datetime import timedelta

import pytest

from innspect.warehouse.database import Warehouse
from tests.marts.bodies import PLAIN, START, load, rows
from tests.support.builders import Response

IVANOV, PETROV, OTHER = "770000000025", "770000000033", "770000000041"
Person = tuple[str, str]
LONG_AGO = START - timedelta(days=200)


def card(*founders: Person, **parts: object) -> dict[str, object]:
    return {**PLAIN["company"], "founders": [{"name": name, "inn": inn} for name, inn in founders], **parts}


def founder_signal(warehouse: Warehouse) -> tuple[str, str | None]:
    ((state, evidence),) = rows(
        warehouse, "SELECT state, evidence FROM mart.risk_signals WHERE signal = 'founder_changed'"
    )
    return state, evidence


@pytest.mark.long
@pytest.mark.parametrize(
    ("before", "after", "state"),
    [
        ([("Иванов Пётр", "")], [("ИВАНОВ  ПЕТР", IVANOV)], "absent"),
        ([("Иванов Пётр", IVANOV)], [("Иванов Пётр", "")], "absent"),
        # Two of that name: one of them may be the known one.
        ([("Иванов", ""), ("Иванов", IVANOV)], [("Иванов", OTHER), ("Иванов", IVANOV)], "absent"),
        # A namesake more, another person, and another person of the same name.
        ([("Иванов", "")], [("Иванов", OTHER), ("Иванов", IVANOV)], "present"),
        ([("Иванов", "")], [("Петров", PETROV)], "present"),
        ([("Иванов", IVANOV)], [("Иванов", OTHER)], "present"),
    ],
)
def test_founder_changed_only_if_somebody_else_is_one(
    warehouse: Warehouse, before: list[Person], after: list[Person], state: str
) -> None:
    load(warehouse, Response("brief", card(*before), asked_at=LONG_AGO))
    load(warehouse, Response("brief", card(*after)), start=10)
    names = sorted(inn or name for name, inn in before)
    assert founder_signal(warehouse) == (state, f"before: {', '.join(names)}" if state == "present" else None)


def shares(inn: str) -> dict[str, object]:
    return {
        "director": "Петров Пётр",
        "directors": [{"name": "Петров Пётр", "inn": inn and PETROV, "position": "Директор"}],
        "founder_shares": [{"name": "Иванов Пётр", "inn": inn, "share_pct": 100, "share_rub": 10000}],
    }


@pytest.mark.long
@pytest.mark.parametrize(("old", "new"), [("", IVANOV), (IVANOV, "")])
def test_inn_that_appears_or_disappears_is_a_detail_of_the_same_person(
    warehouse: Warehouse, old: str, new: str
) -> None:
    load(warehouse, Response("brief", card(("Иванов Пётр", old), **shares(old))))
    load(warehouse, Response("brief", card(("ИВАНОВ ПЕТР", new), **shares(new))), start=10)
    changes = (
        "SELECT table_name, change, row_key, old_value, new_value, severity FROM mart.changes "
        "WHERE column_name = 'item_inn' ORDER BY table_name"
    )
    assert rows(warehouse, changes) == [
        (
            "company__directors",
            "changed",
            f"{PETROV} | Директор",
            (old and PETROV) or None,
            (new and PETROV) or None,
            "info",
        ),
        ("company__founder_shares", "changed", IVANOV, old or None, new or None, "info"),
        ("company__founders", "changed", IVANOV, old or None, new or None, "info"),
    ]
    assert rows(warehouse, "SELECT count(*) FROM lineage.changes WHERE change <> 'changed'") == [(0,)]
    founder, manager = (
        (f"INN {IVANOV} is given: Иванов Пётр", f"INN {PETROV} is given: Директор")
        if new
        else ("an INN is no longer given: Иванов Пётр", "an INN is no longer given: Директор")
    )
    assert rows(warehouse, "SELECT sentence_en FROM mart.news ORDER BY ALL") == [
        (f"The data on a manager changed: {manager}",),
        (f"The data on founders changed: {founder}",),
    ]


@pytest.mark.long
def test_two_persons_of_one_name_are_not_taken_for_one(warehouse: Warehouse) -> None:
    load(warehouse, Response("brief", card(("Иванов", ""))))
    load(warehouse, Response("brief", card(("Иванов", IVANOV), ("Иванов", OTHER))), start=10)
    changes = "SELECT change, row_key FROM lineage.changes ORDER BY ALL"
    assert rows(warehouse, changes) == [("added", IVANOV), ("added", OTHER), ("removed", "Иванов")]
