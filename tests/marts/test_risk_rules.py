"""Every rule of risk: present, absent, not confirmed and never asked, each on an INN of its own."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import pytest

from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.catalogue import BLOCKS, available_blocks
from innspect.warehouse.database import Warehouse
from innspect.warehouse.risk.policy_sql import RULES
from tests.marts.bodies import PLAIN, add_members, blocks, full_check_response, load, rows
from tests.marts.risk_cases import CASES
from tests.support.builders import Response

SIGNALS = [rule.signal for rule in RULES]
INNS = sample_inns(4 * len(SIGNALS), 11)
WHO = {
    (signal, kind): INNS[4 * number + place]
    for number, signal in enumerate(SIGNALS)
    for place, kind in enumerate(("present", "absent", "unclear", "never"))
}
Row = dict[str, object]


def contents(signal: str) -> dict[str, dict]:
    case = CASES[signal]
    found = {"present": case.present, "absent": case.absent, "unclear": case.unclear}
    return {kind: blocks(**{case.block: content}) for kind, content in found.items() if content is not None}


def first_answers() -> list[Response]:
    known = [
        full_check_response(WHO[signal, kind], body) for signal in SIGNALS for kind, body in contents(signal).items()
    ]
    other = {signal: "rnp" if CASES[signal].block != "rnp" else "freezes" for signal in SIGNALS}
    return [*known, *(answer_about(WHO[signal, "never"], other[signal]) for signal in SIGNALS)]


def answer_about(inn: str, block: str) -> Response:
    """The block alone, by its own method."""
    return Response(block, {**PLAIN[block], "inn": inn}, inn)


@dataclass(frozen=True)
class Results:
    """The signals after the first answers, and after a full check that lacks every block."""

    known: dict[tuple[str, str], Row]
    silent: dict[tuple[str, str], Row]


def signals(warehouse: Warehouse) -> dict[tuple[str, str], Row]:
    frame = warehouse.query("FROM mart.risk_signals")
    return {(row["inn"], row["signal"]): row for row in frame.iter_rows(named=True)}


@pytest.fixture(scope="module")
def results(opening: Callable[[], Warehouse]) -> Results:
    warehouse = opening()
    answers = first_answers()
    load(warehouse, *answers)
    known = signals(warehouse)
    load(
        warehouse,
        *(full_check_response(WHO[signal, kind], {}) for signal, kind in WHO if kind != "never"),
        start=10_000,
    )
    return Results(known, signals(warehouse))


def test_every_rule_has_a_case_and_every_case_a_rule() -> None:
    assert sorted(SIGNALS) == sorted(CASES)
    assert len(set(SIGNALS)) == len(SIGNALS)
    assert {rule.signal: rule.block for rule in RULES} == {signal: case.block for signal, case in CASES.items()}


@pytest.mark.parametrize("signal", SIGNALS)
def test_signal_is_present(results: Results, signal: str) -> None:
    row, case = results.known[WHO[signal, "present"], signal], CASES[signal]
    assert (row["state"], row["confirmed"], row["reason"]) == ("present", True, None)
    assert row["evidence"] == case.evidence
    began = row["checked_at"] if case.since is None else datetime.combine(case.since, datetime.min.time())
    assert row["since"] == began
    assert None not in (row["version_id"], row["snapshot_id"])


@pytest.mark.parametrize("signal", SIGNALS)
def test_signal_is_absent(results: Results, signal: str) -> None:
    row = results.known[WHO[signal, "absent"], signal]
    assert (row["state"], row["confirmed"], row["reason"]) == ("absent", True, None)
    assert (row["since"], row["evidence"]) == (None, None)
    assert None not in (row["version_id"], row["snapshot_id"])


@pytest.mark.parametrize("signal", [signal for signal, case in CASES.items() if case.unclear is not None])
def test_signal_without_its_field_is_not_confirmed(results: Results, signal: str) -> None:
    row = results.known[WHO[signal, "unclear"], signal]
    assert (row["state"], row["confirmed"], row["reason"]) == ("not confirmed", False, "not stated in the response")
    assert (row["evidence"], row["since"], row["version_id"]) == (None, None, None)


@pytest.mark.parametrize("signal", SIGNALS)
def test_signal_was_never_requested(results: Results, signal: str) -> None:
    row = results.known[WHO[signal, "never"], signal]
    assert (row["state"], row["confirmed"], row["reason"]) == ("never asked", False, None)
    assert (row["checked_at"], row["age_days"], row["snapshot_id"]) == (None, None, None)


@pytest.mark.parametrize("signal", SIGNALS)
def test_signal_after_a_response_without_evidence(results: Results, signal: str) -> None:
    was, now = (each[WHO[signal, "present"], signal] for each in (results.known, results.silent))
    assert (now["state"], now["confirmed"], now["reason"]) == ("present", False, "missing: absent")
    same = ("since", "evidence", "version_id", "snapshot_id", "checked_at")
    assert [now[name] for name in same] == [was[name] for name in same]
    was, now = (each[WHO[signal, "absent"], signal] for each in (results.known, results.silent))
    assert (now["state"], now["confirmed"], now["reason"]) == ("not confirmed", False, "missing: absent")
    assert now["checked_at"] == was["checked_at"]
    assert now["snapshot_id"] != was["snapshot_id"]


def test_signals_of_sole_proprietors(warehouse: Warehouse) -> None:
    company, person = INNS[0], sample_inns(1, 5, persons=1.0)[0]
    add_members(warehouse, company, person)
    for inn in (company, person):
        expected = {rule.signal for rule in RULES if len(inn) in rule.digits}
        found = rows(warehouse, "SELECT signal, state FROM mart.risk_signals WHERE inn = ?", inn)
        assert len(found) == len(expected)
        assert dict(found) == dict.fromkeys(expected, "never asked")
    for rule in RULES:
        assert all(rule.block in available_blocks(digits) for digits in rule.digits), rule.signal


def test_signals_follow_the_table_of_rules(results: Results, warehouse: Warehouse) -> None:
    table = {row["signal"]: row for row in warehouse.query("FROM mart.risk_rules").iter_rows(named=True)}
    assert list(table) == SIGNALS
    for rule in RULES:
        row, signal = table[rule.signal], results.known[WHO[rule.signal, "present"], rule.signal]
        assert row["condition"] == rule.condition
        assert rule.condition.endswith(".")
        assert rule.block in BLOCKS
        for name in ("title", "title_ru", "severity", "weight", "block"):
            assert row[name] == signal[name] == getattr(rule, name)
