"""A licence is lost when no response lists it in force any more, from the first one that does not."""

from datetime import timedelta

import pytest

from innspect.warehouse.database import Warehouse
from tests.marts.bodies import PLAIN, START, load, rows
from tests.support.builders import Response

Entry = tuple[str, str, str]
IN_FORCE, REISSUED, STOPPED = "Действует", "Переоформлена", "Прекращена"


def licences(*entries: Entry) -> dict[str, object]:
    health = [{"source": source, "license_number": number, "status": status} for source, number, status in entries]
    return {**PLAIN["licenses"], "total": len(health), "health": health}


def lost(warehouse: Warehouse, *responses: tuple[Entry, ...]) -> tuple[object, ...]:
    """State, day of the start and evidence of the signal after responses on one day after another."""
    for day, entries in enumerate(responses):
        load(warehouse, Response("licenses", licences(*entries), asked_at=START + timedelta(days=day)), start=day)
    ((state, since, is_seen, evidence),) = rows(
        warehouse,
        "SELECT state, since, since_seen, evidence FROM mart.risk_signals WHERE signal = 'licence_lost'",
    )
    assert is_seen == (None if since is None else True)
    return state, None if since is None else (since - START).days, evidence


A, A_REISSUED, A_STOPPED = (("ROSZ_LS", "А", status) for status in (IN_FORCE, REISSUED, STOPPED))
B, OTHER = ("ROSZ_LS", "Б", IN_FORCE), ("ROSZ_NARK", "В", IN_FORCE)


@pytest.mark.parametrize(
    ("responses", "expected"),
    [
        # The start is the first response without it, not the last one with it.
        (((A,), (A,), (), ()), ("present", 2, "licences: 1, No. А")),
        (((A,), (A_STOPPED,), (A_STOPPED,)), ("present", 1, "licences: 1, No. А")),
        (((A, B), (B,), ()), ("present", 2, "licences: 2, No. А")),
        (((A,), (), (A,)), ("absent", None, None)),
        # A reissued licence stays in force as another one of the same register.
        (((A,), (A_REISSUED, B)), ("absent", None, None)),
        (((A,), (A_REISSUED,)), ("present", 1, "licences: 1, No. А")),
        (((A,), (A_REISSUED, OTHER)), ("present", 1, "licences: 1, No. А")),
    ],
)
def test_licence_is_lost_from_the_first_response_without_it(
    warehouse: Warehouse, responses: tuple[tuple[Entry, ...], ...], expected: tuple[object, ...]
) -> None:
    assert lost(warehouse, *responses) == expected
