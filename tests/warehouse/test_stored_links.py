"""Stored links equal all links computed from nothing, after whatever was loaded."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from random import Random
from typing import Any

import polars as pl
import pytest

from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.lineage import ARCHIVE
from innspect.warehouse.database import Warehouse
from innspect.warehouse.links import links_sql
from innspect.warehouse.links import refresh_links as refresh_module
from innspect.warehouse.links.refresh_links import refresh_links
from innspect.warehouse.load.records import load_records
from tests.marts.bodies import blocks, full_check_response
from tests.support.builders import Response, load_responses
from tests.support.stored_links import wrong_links

START = datetime(2026, 11, 1)
COMPANIES = sample_inns(12, 3)
PEOPLE = ("770000000017", "500100732259", "")
NAMES = ("Иванов Пётр Ильич", "ИВАНОВ ПЕТР ИЛЬИЧ", "Рюмин Семён Львович", "ООО М")
PHONES = ("+7 495 111-22-33", "8 (495) 111-22-33", "84951112234")


class Portfolio:
    """A warehouse that changes at random, and whose stored links are refreshed after each step."""

    def __init__(self, warehouse: Warehouse, seed: int) -> None:
        self.warehouse, self.random, self.numbers = warehouse, Random(seed), count(1)

    def person(self) -> dict[str, str]:
        return {"name": self.random.choice(NAMES), "inn": self.random.choice((*PEOPLE, *COMPANIES[:3]))}

    def card(self) -> dict[str, Any]:
        draw = self.random
        return {
            "directors": [self.person() for _ in range(draw.randint(0, 2))],
            "founders": [self.person() for _ in range(draw.randint(0, 2))],
            "phone": draw.choice(PHONES),
            "address": draw.choice(("г. Москва, ул. Мира, д. 1", "город Москва, улица Мира, дом 1", "")),
        }

    def flags(self) -> dict[str, Any]:
        linked = [
            {
                "inn": self.random.choice(COMPANIES),
                "name": "ООО С",
                "role": "учредитель",
                "via_name": "И",
                "via_inn": "",
            }
            for _ in range(self.random.randint(0, 2))
        ]
        return {"linked_companies": linked, "mass_source": "x", "founder_shares": [self.person()]}

    def answer(self, inn: str, *, late: bool = False, **changed: dict[str, Any]) -> None:
        number = next(self.numbers)
        at = START + timedelta(days=-number if late else number)
        body = blocks(**(changed or {"company": self.card(), "risk_flags": self.flags()}))
        response = full_check_response(inn, body)
        load_responses(self.warehouse, replace(response, asked_at=at, name=f"{number}-{inn}"))

    def load_record(self, kind: str, row: dict[str, Any]) -> None:
        frame = pl.DataFrame([row], schema_overrides={name: ARCHIVE[kind][name] for name in row})
        frame = frame.select(
            pl.col(name) if name in frame.columns else pl.lit(None, dtype).alias(name)
            for name, dtype in ARCHIVE[kind].items()
        )
        with self.warehouse.transaction():
            load_records(self.warehouse, kind, frame, f"{kind}/{next(self.numbers)}.parquet")

    # Steps

    def answer_some(self) -> None:
        for inn in self.random.sample(COMPANIES, 2):
            self.answer(inn)

    def answer_late(self) -> None:
        self.answer(self.random.choice(COMPANIES), late=True)

    def answer_nothing(self) -> None:
        self.answer(self.random.choice(COMPANIES), company={}, risk_flags={})

    def name_member(self) -> None:
        number = next(self.numbers)
        row = {"portfolio": self.random.choice("pq"), "inn": self.random.choice(COMPANIES), "name": f"Имя {number}"}
        self.load_record("members", {**row, "seen_at": START + timedelta(days=number)})

    def lose_call(self) -> None:
        number = next(self.numbers)
        call = {"call_id": "lost", "run_id": "r1", "inn": COMPANIES[-1], "method": "brief", "state": "unknown"}
        self.load_record("calls", {**call, "reserved_at": START + timedelta(days=number), "expected_rub": 4})

    def settle_call(self) -> None:
        call = {"call_id": "lost", "run_id": "r1", "inn": COMPANIES[-1], "method": "brief", "state": "settled"}
        self.load_record("calls", {**call, "reserved_at": START, "charged_rub": 4})

    def do_nothing(self) -> None:
        assert self.warehouse


STEPS: tuple[Callable[[Portfolio], None], ...] = (
    Portfolio.answer_some, Portfolio.answer_some, Portfolio.answer_late, Portfolio.answer_nothing, Portfolio.name_member,
    Portfolio.lose_call, Portfolio.settle_call, Portfolio.do_nothing,
)  # fmt: skip


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 6))])
def test_stored_links_equal_computed_ones_after_every_step(warehouse, seed):
    portfolio = Portfolio(warehouse, seed)
    for number in range(10):
        step = portfolio.random.choice(STEPS)
        step(portfolio)
        assert wrong_links(warehouse, "mart.links") == [], f"{number} {step.__name__}, before the refresh"
        assert refresh_links(warehouse, chunk_inns=portfolio.random.choice((2, 100)))
        assert wrong_links(warehouse) == [], f"{number} {step.__name__}"
        assert wrong_links(warehouse, "mart.links") == [], f"{number} {step.__name__}, after the refresh"


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 6))])
def test_keys_that_become_common_or_cease_to_be_link_nobody_or_again(warehouse, seed, monkeypatch):
    # The view has the limit of 25 INNs, so only the stored links are compared.
    for module in (links_sql, refresh_module):
        monkeypatch.setattr(module, "MAX_SHARING_INNS", 3)
    portfolio = Portfolio(warehouse, seed)
    shared: set[int] = set()
    for number in range(14):
        portfolio.answer(portfolio.random.choice(COMPANIES[:6]))
        assert refresh_links(warehouse)
        assert wrong_links(warehouse) == [], number
        shared.add(warehouse.query("SELECT count(*) FROM lineage._links WHERE matched_by <> 'inn'").item())
    assert len(shared) > 2


class Killed(Exception):
    """In place of the end of a process."""


def test_links_are_right_after_a_refresh_that_was_killed_between_two_parts(warehouse, monkeypatch):
    portfolio = Portfolio(warehouse, 1)
    for inn in COMPANIES[:6]:
        portfolio.answer(inn)
    assert refresh_links(warehouse)
    for inn in COMPANIES[2:5]:
        portfolio.answer(inn)
    real = refresh_module._commit_part

    def commit_and_die(one: Warehouse) -> None:
        real(one)
        raise Killed

    monkeypatch.setattr(refresh_module, "_commit_part", commit_and_die)
    with pytest.raises(Killed):
        refresh_links(warehouse, chunk_inns=1)
    monkeypatch.undo()
    assert wrong_links(warehouse), "a part was stored"
    assert wrong_links(warehouse, "mart.links") == []
    assert refresh_links(warehouse)
    assert wrong_links(warehouse) == []


def test_an_inn_that_becomes_known_by_a_block_without_links_gets_a_name(warehouse):
    named, naming = sorted(COMPANIES)[:2]
    card = {"founders": [{"name": "ООО Н", "inn": named}]}
    load_responses(warehouse, replace(full_check_response(naming, blocks(company=card)), asked_at=START, name="naming"))
    assert refresh_links(warehouse)
    load_responses(
        warehouse,
        Response("msp", {"status": "loaded", "record": None}, named, asked_at=START + timedelta(days=1), name="named"),
    )
    assert refresh_links(warehouse)
    assert wrong_links(warehouse, "mart.links") == []
    assert warehouse.query("SELECT inn FROM mart.links")["inn"].to_list() == [named], "the smaller INN comes first"
