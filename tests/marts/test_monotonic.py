"""Less evidence never improves an assessment: generated companies, each with one block silent in a drawn way."""

from collections.abc import Callable
from datetime import timedelta
from random import Random

import pytest

from benchmarks.monotonic import BROKEN, WAYS, compare_rounds
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.warehouse.database import Warehouse
from tests.marts.bodies import KEYS, START, add_members, all_blocks, full_check_response, load, rows
from tests.marts.risk_cases import CASES, VERIFIED_EMPTY
from tests.support.builders import Response

PAIRS = 1_000
COMPANIES = sample_inns(200, 31)


def draw_company(inn: str, chance: Random) -> list[Response]:
    """One or two full checks of a company; each block says what a random case of it says, or nothing special."""
    answers: list[Response] = []
    for days in (100, 0) if chance.random() < 0.3 else (0,):
        content: dict[str, dict] = {}
        for block in KEYS:
            cases = [case for case in CASES.values() if case.block == block and not case.method]
            contents = [body for case in cases for body in (case.present, case.absent) if body != VERIFIED_EMPTY]
            if contents and chance.random() < 0.25:
                content[block] = chance.choice(contents)
        answers.append(full_check_response(inn, all_blocks(**content), at=START - timedelta(days=days)))
    return answers


@pytest.fixture(scope="module")
def companies(opening: Callable[[], Warehouse]) -> Warehouse:
    warehouse, chance = opening(), Random(7)
    load(warehouse, *(answer for inn in COMPANIES for answer in draw_company(inn, chance)))
    add_members(warehouse, *COMPANIES)
    return warehouse


def test_less_evidence_never_improves_an_assessment(companies: Warehouse) -> None:
    outcome = compare_rounds(companies, PAIRS)
    assert outcome.broken == []
    assert outcome.pairs >= PAIRS
    assert set(outcome.ways) == set(WAYS)
    levels = {level for (level,) in rows(companies, "SELECT DISTINCT level FROM before")}
    assert levels == {"low", "medium", "high", "critical"}


def test_the_comparison_finds_an_improvement(companies: Warehouse) -> None:
    connection = companies.connection
    connection.execute("CREATE OR REPLACE TEMP TABLE after AS FROM before")
    connection.execute("UPDATE after SET level_at_most = 'low', score = 0")
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE drawn AS "
        "SELECT inn, 'rnp' AS block, 'stale' AS way, false AS forgets, false AS is_required FROM before"
    )
    assert len(connection.execute(BROKEN).fetchall()) == len(COMPANIES)
