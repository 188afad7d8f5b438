from statistics import median

import msgspec
import pytest
from stdnum.ru import inn as inn_number

from innspect.sandbox.response_cache import ResponseCache
from tests.sandbox.samples import COMPANIES, DAY, PEOPLE, standalone_block


@pytest.mark.long
def test_most_companies_are_small_and_clean_and_a_few_are_heavy():
    bodies = ResponseCache(0, DAY, 1 << 30)
    sizes = sorted(len(bodies.body(inn, "full-check").payload) for inn in COMPANIES[:300])
    assert 15_000 < median(sizes) < 60_000
    assert sizes[-1] > 2_000_000
    assert 0 < sum(size > 500_000 for size in sizes) < 15
    cases = [standalone_block("arbitration", inn)["total_cases"] for inn in COMPANIES]
    contracts = [standalone_block("contracts", inn)["total_contracts"] for inn in COMPANIES]
    assert cases.count(0) > 1000
    assert max(cases) > 300
    assert sum(count > 1000 for count in contracts) >= 5
    clean = sum(not standalone_block("fssp", inn)["total_proceedings"] for inn in COMPANIES)
    assert clean > 1000


def test_some_companies_are_liquidated_bankrupt_or_without_statements():
    statuses = [standalone_block("company", inn)["status"] for inn in COMPANIES]
    assert 60 < statuses.count("liquidated") < 400
    assert 5 < statuses.count("bankruptcy") < 100
    assert statuses.count("active") > 1500
    banks = [inn for inn in COMPANIES if standalone_block("company", inn).get("okved_main") in ("64.19", "65.12")]
    assert 10 < len(banks) < 100
    assert not any(standalone_block("financial", inn)["has_data"] for inn in banks)
    assert not any(standalone_block("revexp", inn)["record"] for inn in banks)


def test_sole_proprietors_have_a_card_of_their_kind():
    cards = [card for inn in PEOPLE if not (card := standalone_block("company", inn))["error"]]
    assert all(card["kpp"] == "" and not card["founders"] and not card["directors"] for card in cards)
    assert all(len(card["ogrn"]) in (0, 15) for card in cards)
    assert all(card["ip_records"] for card in cards)
    assert any(len(card["ip_records"]) > 1 for card in cards)
    for card in cards:
        flags = [record["active"] for record in card["ip_records"]]
        assert flags == sorted(flags, reverse=True)
        assert all(bool(record["termination_date"]) != record["active"] for record in card["ip_records"])
    assert any(card["birth_date"] for card in cards)
    entries = [entry for inn in PEOPLE if (entry := standalone_block("msp", inn)["record"])]
    assert entries
    assert all(entry["is_ip"] for entry in entries)


def test_blocks_of_one_company_are_consistent():
    for inn in COMPANIES[:500]:
        card, bailiffs = standalone_block("company", inn), standalone_block("bankruptcy", inn)
        if card["error"] or bailiffs["error"]:
            continue
        if card["status"] == "bankruptcy":
            assert bailiffs["has_bankruptcy"]
        if not standalone_block("rnp", inn)["filter_bypassed"] and not standalone_block("rnp", inn)["error"]:
            assert card["unfair_supplier"] == bool(standalone_block("rnp", inn)["records"])
        if not standalone_block("sanctions", inn)["error"]:
            assert card["sanctions"] == bool(standalone_block("sanctions", inn)["hits"])
        assert bool(card["liquidation_date"]) == (card["status"] == "liquidated")


def test_every_inn_in_a_payload_has_valid_check_digits():
    named: set[str] = set()

    def collect(value) -> None:
        if isinstance(value, dict):
            named.update(v for k, v in value.items() if k.endswith("inn") and isinstance(v, str) and v)
            for inner in value.values():
                collect(inner)
        elif isinstance(value, list):
            for inner in value:
                collect(inner)

    bodies = ResponseCache(0, DAY, 1 << 30)
    for inn in COMPANIES[:100]:
        collect(msgspec.json.decode(bodies.body(inn, "full-check").payload))
    assert len(named) > 500
    assert all(inn_number.is_valid(inn) for inn in named)
