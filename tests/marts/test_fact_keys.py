"""Keys of the single facts behind a present signal: a further fact is a further key, whatever the order of the rows."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from innspect.warehouse.database import Warehouse
from innspect.warehouse.marts.fragments import block_states, fill_states
from innspect.warehouse.risk.policy_sql import RULES
from innspect.warehouse.risk.signals import INCOMPLETE, signal_ctes
from tests.marts.bodies import START, blocks, full_check_response, load
from tests.marts.risk_cases import CASES, LATELY, dotted
from tests.marts.test_risk_rules import SIGNALS, WHO, answer, first_answers
from tests.support.builders import INN

HAVE_FACTS = {rule.signal for rule in RULES if rule.facts}
Facts = dict[tuple[str, str], list[str] | None]


def facts(warehouse: Warehouse) -> Facts:
    query = fill_states(f"WITH {block_states()}, {signal_ctes()} SELECT inn, signal, state, facts FROM signals")
    frame = warehouse.query(query)
    assert frame.filter((frame["state"] != "present") & frame["facts"].is_not_null()).is_empty()
    return {(row["inn"], row["signal"]): row["facts"] for row in frame.iter_rows(named=True)}


@pytest.fixture(scope="module")
def known(opening: Callable[[], Warehouse]) -> Facts:
    warehouse = opening()
    load(warehouse, *first_answers())
    return facts(warehouse)


@pytest.mark.parametrize("signal", SIGNALS)
def test_present_signal_has_keys_where_rows_of_a_list_make_it_present(known: Facts, signal: str) -> None:
    keys = known[WHO[signal, "present"], signal]
    if signal not in HAVE_FACTS:
        assert keys is None
    else:
        assert keys
        assert keys == sorted(set(keys))


def freeze(number: str, day: str) -> dict[str, str]:
    return {"decision_num": number, "decision_date": day, "bank": "БАНК", "bik": "044525225"}


@pytest.mark.long
def test_further_row_is_a_further_key_and_the_order_of_rows_is_none(opening: Callable[[], Warehouse]) -> None:
    warehouse = opening()
    first, second = freeze("1", "01.10.2026"), freeze("2", "02.10.2026")
    found: list[list[str] | None] = []
    for start, items in enumerate(([first], [first, second], [second, first])):
        content = {"found": True, "count": len(items), "items": items}
        load(warehouse, full_check_response(INN, blocks(freezes=content)), start=start)
        found.append(facts(warehouse)[INN, "account_freeze"])
    one, two = "1, 2026-10-01, 044525225", "2, 2026-10-02, 044525225"
    assert found == [[one], [one, two], [one, two]]


def test_writs_without_a_number_are_numbered(opening: Callable[[], Warehouse]) -> None:
    warehouse = opening()
    issued = {"date": dotted(LATELY)}
    case = {
        "case_number": "2-1",
        "court": "с",
        "role": "ответчик",
        "writs": [issued, {**issued, "number": "ФС 1"}, issued],
    }
    load(warehouse, full_check_response(INN, blocks(general_courts={"total_cases": 1, "cases": [case]})))
    assert facts(warehouse)[INN, "writs_issued"] == ["without a key 1", "without a key 2", "ФС 1"]


def test_flag_without_rows_has_no_keys(opening: Callable[[], Warehouse]) -> None:
    warehouse = opening()
    load(warehouse, full_check_response(INN, blocks(freezes={"found": True, "count": 2})))
    assert facts(warehouse)[INN, "account_freeze"] == []


EARLIER = [signal for signal in SIGNALS if CASES[signal].unclear is not None and CASES[signal].earlier is None]


@pytest.mark.long
def test_signal_known_from_an_earlier_version_has_its_evidence_and_facts(
    opening: Callable[[], Warehouse], known: Facts
) -> None:
    warehouse = opening()
    load(warehouse, *(answer(signal, "present", CASES[signal].present) for signal in EARLIER))
    load(
        warehouse,
        *(
            replace(answer(signal, "present", CASES[signal].unclear), asked_at=START + timedelta(hours=9))
            for signal in EARLIER
        ),
    )
    rows = warehouse.query("FROM mart.risk_signals").iter_rows(named=True)
    states = {(row["inn"], row["signal"]): row for row in rows}
    kept = [signal for signal in EARLIER if states[WHO[signal, "present"], signal]["state"] == "present"]
    assert len(kept) > 20
    found = facts(warehouse)
    for signal in kept:
        who = WHO[signal, "present"], signal
        # The partial response itself still shows this one: its newest year is as old, but there may be a newer one.
        told = CASES[signal].evidence
        assert states[who]["evidence"] == (f"{told}{INCOMPLETE}" if signal == "statements_missing" else told)
        assert found[who] == known[who]
