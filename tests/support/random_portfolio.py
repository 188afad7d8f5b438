"""A portfolio of a dozen companies that changes at random: their cards, flags, names and calls."""

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from random import Random
from typing import Any

from innspect.sandbox.world.inn_samples import sample_inns
from innspect.warehouse.database import Warehouse
from tests.marts.bodies import blocks, full_check_response
from tests.support.builders import load_record, load_responses

START = datetime(2026, 11, 1)
COMPANIES = sample_inns(12, 3)
PEOPLE = ("770000000017", "500100732259", "")
NAMES = ("Иванов Пётр Ильич", "ИВАНОВ ПЕТР ИЛЬИЧ", "Рюмин Семён Львович", "ООО М")
PHONES = ("+7 495 111-22-33", "8 (495) 111-22-33", "84951112234")


class RandomPortfolio:
    """A warehouse that changes at random, of which something is stored again after each step."""

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

    def answer(self, inn: str, *, day: int | None = None, **changed: dict[str, Any]) -> None:
        number = next(self.numbers)
        at = START + timedelta(days=number if day is None else day, minutes=number)
        body = blocks(**(changed or {"company": self.card(), "risk_flags": self.flags()}))
        response = full_check_response(inn, body)
        load_responses(self.warehouse, replace(response, asked_at=at, name=f"{number}-{inn}"))

    def load_record(self, kind: str, row: dict[str, Any]) -> None:
        load_record(self.warehouse, kind, row, file=f"{kind}/{next(self.numbers)}.parquet")

    # Steps

    def answer_some(self) -> None:
        for inn in self.random.sample(COMPANIES, 2):
            self.answer(inn)

    def answer_late(self) -> None:
        """A response that is loaded later than others that were requested after it."""
        self.answer(self.random.choice(COMPANIES), day=self.random.choice((-next(self.numbers), 1, 2, 3, 4)))

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
