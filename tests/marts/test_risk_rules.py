"""Every rule of risk: present, absent, not confirmed and never asked, each on an INN of its own."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest

from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.catalogue import BLOCKS, available_blocks
from innspect.schemas.risk_policy.policy_file import load_policies
from innspect.warehouse.database import Warehouse
from innspect.warehouse.risk.policy_sql import RULES, SIGNAL_LIMITS
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
from tests.marts.risk_cases import CASES, arbitration, case, fssp, proceeding
from tests.support.builders import Response

POLICY = load_policies(None).default
SIGNALS = [rule.signal for rule in RULES if rule.signal in CASES]
KINDS = ("present", "absent", "unclear", "never", "stale")
INNS = sample_inns(len(KINDS) * len(SIGNALS), 11)
WHO = {
    (signal, kind): INNS[len(KINDS) * number + place]
    for number, signal in enumerate(SIGNALS)
    for place, kind in enumerate(KINDS)
}
ELSEWHERE = {"terminated_registrations", "court_accused", "linked_to_high_risk"}
"""Rules of persons and of other members have tests of their own."""
Row = dict[str, object]


def answer(signal: str, kind: str, content: object, at: datetime | None = None) -> Response:
    """The answer about the INN of this signal and kind."""
    case, inn = CASES[signal], WHO[signal, kind]
    if case.method:
        return Response(case.method, {**PLAIN[case.block], **content}, inn, asked_at=at)
    return full_check_response(inn, blocks(**{**case.more, case.block: content}), at=at)


def first_answers() -> list[Response]:
    known: list[Response] = []
    for signal in SIGNALS:
        case = CASES[signal]
        contents = {"present": case.present, "absent": case.absent, "unclear": case.unclear, "stale": case.absent}
        for kind, content in contents.items():
            if content is None:
                continue
            if case.earlier is not None and kind != "unclear":
                known.append(
                    answer(signal, kind, case.earlier, START - timedelta(days=200 if kind != "present" else 100))
                )
            known.append(answer(signal, kind, content, START - timedelta(days=150) if kind == "stale" else None))
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
        start=50,
    )
    return Results(known, signals(warehouse))


def test_every_rule_has_a_case_and_every_case_a_rule() -> None:
    signals = {rule.signal for rule in RULES}
    assert set(CASES) == signals - ELSEWHERE
    assert len(signals) == len(RULES)
    assert {rule.signal: rule.block for rule in RULES if rule.signal not in ELSEWHERE} == {
        signal: case.block for signal, case in CASES.items()
    }


def test_rules_and_policy_have_the_same_signals_and_limits() -> None:
    assert {signal: frozenset(rule.limits) for signal, rule in POLICY.rules.items()} == SIGNAL_LIMITS


@pytest.mark.parametrize("signal", SIGNALS)
def test_signal_is_present(results: Results, signal: str) -> None:
    row, case = results.known[WHO[signal, "present"], signal], CASES[signal]
    assert (row["state"], row["confirmed"], row["reason"]) == ("present", True, None)
    assert row["evidence"] == case.evidence
    began = row["checked_at"] if case.since is None else datetime.combine(case.since, datetime.min.time())
    assert (row["since"], row["since_seen"]) == (began, case.since is None)
    assert None not in (row["version_id"], row["snapshot_id"])


@pytest.mark.parametrize("signal", SIGNALS)
def test_signal_is_absent(results: Results, signal: str) -> None:
    row = results.known[WHO[signal, "absent"], signal]
    assert (row["state"], row["confirmed"], row["reason"]) == ("absent", True, None)
    assert (row["since"], row["since_seen"], row["evidence"]) == (None, None, None)
    assert None not in (row["version_id"], row["snapshot_id"])


@pytest.mark.parametrize("signal", [signal for signal, case in CASES.items() if case.unclear is not None])
def test_signal_without_its_field_is_unknown(results: Results, signal: str) -> None:
    row = results.known[WHO[signal, "unclear"], signal]
    assert (row["state"], row["confirmed"]) == ("unknown", False)
    assert row["reason"] in (
        "not told",
        "unconfirmed: no_identity",
        "partial: mass_check_unknown",
        "partial: counted_not_listed",
    )
    assert (row["evidence"], row["since"], row["version_id"]) == (None, None, None)


@pytest.mark.parametrize("signal", SIGNALS)
def test_stale_absence_is_unknown(results: Results, signal: str) -> None:
    row = results.known[WHO[signal, "stale"], signal]
    assert (row["state"], row["confirmed"], row["reason"]) == ("unknown", False, "stale")
    assert row["age_days"] > 150


@pytest.mark.parametrize("signal", SIGNALS)
def test_signal_was_never_requested(results: Results, signal: str) -> None:
    row = results.known[WHO[signal, "never"], signal]
    assert (row["state"], row["confirmed"], row["reason"]) == ("never requested", False, None)
    assert (row["checked_at"], row["age_days"], row["snapshot_id"]) == (None, None, None)


@pytest.mark.parametrize("signal", SIGNALS)
def test_signal_after_a_response_without_evidence(results: Results, signal: str) -> None:
    was, now = (each[WHO[signal, "present"], signal] for each in (results.known, results.silent))
    assert (now["state"], now["confirmed"], now["reason"]) == ("present", False, "missing: absent")
    same = ("since", "evidence", "version_id", "snapshot_id", "checked_at")
    assert [now[name] for name in same] == [was[name] for name in same]
    was, now = (each[WHO[signal, "absent"], signal] for each in (results.known, results.silent))
    assert (now["state"], now["confirmed"], now["reason"]) == ("unknown", False, "missing: absent")
    assert now["checked_at"] == was["checked_at"]
    assert now["snapshot_id"] != was["snapshot_id"]


def test_signals_of_persons(warehouse: Warehouse) -> None:
    company, person = INNS[0], sample_inns(1, 5, persons=1.0)[0]
    add_members(warehouse, company, person)
    for inn in (company, person):
        available = available_blocks(len(inn))
        expected = {
            rule.signal: "never requested" if rule.block in available else "not offered"
            for rule in RULES
            if len(inn) in rule.digits
        }
        assert dict(rows(warehouse, "SELECT signal, state FROM mart.risk_signals WHERE inn = ?", inn)) == expected


def test_rules_of_persons(warehouse: Warehouse) -> None:
    person = sample_inns(1, 5, persons=1.0)[0]

    def state(registrations: list[dict[str, object]], hour: int) -> str:
        body = {"ogrn": "304770000000010", "name": "ИП", "status": "active", "ip_records": registrations}
        load(warehouse, Response("person-brief", body, person), start=hour)
        return single_row(
            warehouse, "FROM mart.risk_signals WHERE inn = ? AND signal = 'terminated_registrations'", person
        )["state"]

    ended = {"ogrnip": "304770000000011", "termination_date": "2020-01-01", "active": False}
    assert state([{**ended, "termination_kind": "voluntary"}], 1) == "absent"
    assert state([{**ended, "termination_kind": "unknown"}], 2) == "unknown"
    assert state([{**ended, "termination_kind": "forced"}], 3) == "present"
    # The end of the registration that the card is about is no earlier one: the status says it.
    own = {**ended, "ogrnip": "304770000000010", "termination_kind": "forced"}
    assert state([own, {**ended, "termination_kind": "voluntary"}], 4) == "absent"


def test_amounts_that_are_not_given_are_no_zero(warehouse: Warehouse) -> None:
    """Proceedings that are not about money have no amount, and the service gives 0 for it."""
    none, some, large = INNS[:3]
    add_members(warehouse, none, some, large)
    lost = [case(number, result="lost", claim_sum=claim) for number, claim in enumerate((9e6, 0, 1e6))]
    load(
        warehouse,
        full_check_response(none, blocks(fssp=fssp(proceeding(), active_proceedings=1, active_debt_rub=0))),
        full_check_response(
            some, blocks(fssp=fssp(proceeding(sum=500), proceeding(), active_proceedings=2, active_debt_rub=500))
        ),
        full_check_response(
            large,
            blocks(
                fssp=fssp(proceeding(sum=9e6), proceeding(), active_proceedings=2, active_debt_rub=9e6),
                arbitration=arbitration(*lost, lost=3),
            ),
        ),
    )
    query = "SELECT evidence FROM mart.risk_signals WHERE inn = ? AND signal = ?"
    evidence = {
        (inn, signal): rows(warehouse, query, inn, signal)[0][0]
        for inn in (none, some, large)
        for signal in ("enforcement_active", "enforcement_large", "claims_lost_large")
    }
    assert {key: text for key, text in evidence.items() if text is not None} == {
        (none, "enforcement_active"): "proceedings: 1, without an amount: 1",
        (some, "enforcement_active"): "proceedings: 2, 500.00 RUB, without an amount: 1",
        (large, "enforcement_active"): "proceedings: 2, 9 000 000.00 RUB, without an amount: 1",
        (large, "enforcement_large"): "at least 9 000 000.00 RUB",
        (large, "claims_lost_large"): "cases lost: 3, at least 10 000 000.00 RUB",
    }


def test_link_to_a_member_of_high_risk(warehouse: Warehouse) -> None:
    bad, linked, unnamed, alone = INNS[:4]
    director = {"name": "ИВАНОВ ИВАН ИВАНОВИЧ", "position": "директор"}
    shared = {"directors": [{**director, "inn": "770000000017"}]}
    add_members(warehouse, bad, linked, unnamed, alone)
    load(
        warehouse,
        full_check_response(bad, all_blocks(company={**shared, "status": "liquidated"})),
        full_check_response(linked, all_blocks(company=shared)),
        full_check_response(unnamed, all_blocks(company={"directors": [director]})),
        full_check_response(alone, all_blocks(company={"directors": [{**director, "inn": "770000000025"}]})),
    )
    found = dict(rows(warehouse, "SELECT inn, state FROM mart.risk_signals WHERE signal = 'linked_to_high_risk'"))
    # The level of the linked member may be high: its full check does not carry the messages of the bankruptcy register.
    assert found == {bad: "unknown", linked: "present", unnamed: "unknown", alone: "absent"}


def test_link_to_a_founder_of_high_risk_goes_both_ways(warehouse: Warehouse) -> None:
    """What an expansion brings in: the founder and the director are members with cards of their own."""
    company, founder, calm = INNS[:3]
    founders = {"founders": [{"name": "ООО", "inn": founder}]}
    add_members(warehouse, company, founder, calm)
    load(
        warehouse,
        full_check_response(company, all_blocks(company=founders)),
        full_check_response(founder, all_blocks(company={"status": "liquidated"})),
        full_check_response(calm, all_blocks()),
    )
    query = "SELECT inn, state, evidence FROM mart.risk_signals WHERE signal = 'linked_to_high_risk'"
    found = {inn: (state, evidence) for inn, state, evidence in rows(warehouse, query)}
    assert found[company] == ("present", f"linked to {founder}")
    assert found[founder][0] == "unknown"  # the company may be high: its messages were not requested
    assert found[calm][0] == "absent"
    linked = rows(warehouse, "SELECT inn, other_inn, kind FROM mart.links WHERE NOT shared")
    assert linked == [(*sorted((company, founder)), "founder")]


def test_signals_follow_the_table_of_rules(results: Results, warehouse: Warehouse) -> None:
    table = {row["signal"]: row for row in warehouse.query("FROM mart.risk_rules").iter_rows(named=True)}
    assert list(table) == [rule.signal for rule in RULES]
    for rule in RULES:
        row, policy = table[rule.signal], POLICY.rules[rule.signal]
        assert row["condition"] == rule.condition
        assert rule.condition.endswith(".")
        assert rule.block in BLOCKS
        assert row["group"] == (policy.group or rule.signal)
        for name in ("title", "title_ru", "severity", "weight"):
            assert row[name] == getattr(policy, name)
            if rule.signal in CASES:
                assert results.known[WHO[rule.signal, "present"], rule.signal][name] == row[name]
