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
