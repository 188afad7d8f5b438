"""What changes from day to day, and what does not."""

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import date, timedelta

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from innspect.sandbox.options import DEFAULT_DAY
from innspect.sandbox.world.inn_samples import sample_inns
from tests.sandbox.samples import COMPANIES, DAY, standalone_block

LATER = DAY + 60
MIDDLE = range(DAY + 3, LATER, 3)


def days(block: str, inn: str) -> list[dict]:
    return [standalone_block(block, inn, day) for day in MIDDLE]


def went(block: str, name: str) -> Callable[[str], bool]:
    """Whether a field that is there on both days differs, in answers without error."""

    def changed(inn: str) -> bool:
        first, last = standalone_block(block, inn), standalone_block(block, inn, LATER)
        return not first["error"] and not last["error"] and first[name] != last[name]

    return changed


def grew(block: str, rows: str, key: str) -> Callable[[str], bool]:
    """Whether rows came that had not been there, and none was lost."""

    def more(inn: str) -> bool:
        first, last = ({row[key] for row in standalone_block(block, inn, day)[rows]} for day in (DAY, LATER))
        return first < last

    return more


def an_enforcement_ended(inn: str) -> bool:
    first, last = (
        {one["exe_production"]: one["is_active"] for one in standalone_block("fssp", inn, day)["proceedings"]}
        for day in (DAY, LATER)
    )
    return any(first[name] and not last.get(name, True) for name in first)


def a_case_was_decided(inn: str) -> bool:
    first, last = (
        {case["case_number"]: case["result"] for case in standalone_block("arbitration", inn, day)["cases"]}
        for day in (DAY, LATER)
    )
    return any(not first[number] and last.get(number) for number in first)


def a_freeze_set_and_lifted(inn: str) -> bool:
    ends = (standalone_block("freezes", inn), standalone_block("freezes", inn, LATER))
    if any(not one["available"] or one["count"] for one in ends):
        return False
    return any(one.get("count", 0) > 0 for one in days("freezes", inn))


def an_intention_then_a_stage(inn: str) -> bool:
    first, last = standalone_block("bankruptcy", inn), standalone_block("bankruptcy", inn, LATER)
    if first["has_intention"] or not last["has_bankruptcy"]:
        return False
    return any(one["has_intention"] and not one["has_bankruptcy"] for one in days("bankruptcy", inn))


CHANGES: dict[str, Callable[[str], bool]] = {
    "director": went("company", "director"),
    "address": went("company", "address"),
    "status": went("company", "status"),
    "liquidation": lambda inn: (
        standalone_block("company", inn)["status"] in ("active", "liquidating")
        and standalone_block("company", inn, LATER)["status"] == "liquidated"
    ),
    "enforcement": grew("fssp", "proceedings", "exe_production"),
    "ended enforcement": an_enforcement_ended,
    "arbitration case": grew("arbitration", "cases", "case_number"),
    "case result": a_case_was_decided,
    "freeze set and lifted": a_freeze_set_and_lifted,
    "intention then stage": an_intention_then_a_stage,
    "sanctions hit": grew("sanctions", "hits", "raw_id"),
    "rnp record": grew("rnp", "records", "detail_url"),
    "contract": grew("contracts", "contracts", "reg_num"),
    "next year's statements": lambda inn: (
        bool(standalone_block("financial", inn)["years"])
        and (standalone_block("financial", inn, LATER)["years"] or [0])[0]
        == standalone_block("financial", inn)["years"][0] + 1
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("change", CHANGES)
def test_every_kind_of_change_occurs_within_sixty_days(change):
    assert any(CHANGES[change](inn) for inn in COMPANIES)


def bare(value):
    """A payload without the marks of the answer."""
    marks = ("_local_fetched_at", "_meta", "price", "balance", "last_updated_at")
    if isinstance(value, dict):
        return {name: bare(inner) for name, inner in value.items() if name not in marks}
    return [bare(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.long
async def test_most_responses_are_equal_two_days_later(client):
    inns = sample_inns(250, 3)
    async with client(day=date(2026, 11, 20)) as first, client(day=date(2026, 11, 22)) as second:
        changed = 0
        for inn in inns:
            one, two = [(await service.get(f"/api/v1/company/{inn}")).json() for service in (first, second)]
            assert one["_meta"]["fetched_at"] < two["_meta"]["fetched_at"]
            changed += bare(one) != bare(two)
    assert 0.01 < changed / len(inns) < 0.12


@pytest.mark.long
async def test_same_seed_inn_and_day_give_the_same_bytes(client):
    async with client(seed=5) as first, client(seed=5) as second, client(seed=6) as other:
        for inn in sample_inns(40, 2):
            for method in ("/timeline", "/arbitration", "/brief", ""):
                path = f"/api/v1/company/{inn}{method}"
                assert (await first.get(path)).content == (await second.get(path)).content
            assert bare((await other.get(path)).json()) != bare((await first.get(path)).json())
            await second.get(path)


@pytest.mark.long
def test_every_process_gives_the_same_bytes():
    script = (
        "import hashlib, msgspec; from innspect.sandbox.response_cache import ResponseCache; "
        "from innspect.sandbox.world.inn_samples import sample_inns; "
        f"bodies = ResponseCache(3, {DAY}, 1 << 20); "
        "parts = (bodies.body(inn, 'full-check').payload for inn in sample_inns(60, 9)); "
        "print(hashlib.sha256(b''.join(parts)).hexdigest())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, "PYTHONHASHSEED": seed}, check=True, capture_output=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(COMPANIES), st.integers(0, 1200), st.integers(1, 400))
def test_published_statements_stay(inn, start, span):
    """Cases and contracts that an answer without gaps brought are in every later one."""
    first, last = DAY + start, DAY + start + span
    for block, rows, key in (("arbitration", "cases", "case_number"), ("contracts", "contracts", "reg_num")):
        before, after = standalone_block(block, inn, first), standalone_block(block, inn, last)
        if after["sources_failed"] or len(after[rows]) == 5000:
            continue
        assert {row[key] for row in before[rows]} <= {row[key] for row in after[rows]}


@pytest.mark.parametrize(
    "day", [date(2026, 10, 1), DEFAULT_DAY + timedelta(900), date(2030, 12, 31), date(2040, 2, 29)]
)
async def test_any_later_day_has_responses(client, day):
    async with client(day=day) as service:
        for inn in sample_inns(25, 4):
            answer = await service.get(f"/api/v1/company/{inn}")
            assert answer.status_code == 200
            assert msgspec.json.decode(answer.content)["_meta"]["inn"] == inn
