"""Many tasks at once: one transaction for many entries, each held against the caps by itself."""

import asyncio
import contextlib
import threading
from datetime import UTC, datetime

import pytest

from innspect.extract.ledger.async_writer import LedgerFront
from innspect.extract.ledger.ledger import Ledger
from innspect.extract.ledger.operations import Caps, Outcome
from innspect.extract.service.charging import State
from innspect.schemas.errors import BudgetEnded

UNKNOWN = Outcome(State.UNKNOWN, None, "timeout")


def naive(*when: int) -> datetime:
    """A moment in UTC as the stores hold it."""
    return datetime(*when, tzinfo=UTC).replace(tzinfo=None)


class Counting(Ledger):
    """A ledger that counts its transactions, and holds them up while somebody has its gate."""

    commits = 0
    gate = contextlib.nullcontext()

    @contextlib.contextmanager
    def transaction(self):
        with self.gate, super().transaction() as books:
            yield books
        self.commits += 1


@pytest.fixture
def ledger(tmp_path):
    ledger = Counting.open(tmp_path / "ledger.sqlite", lambda: naive(2026, 11, 20, 12), "UTC")
    ledger.start_run("run", portfolio="p", profile="f", budget=1, at=naive(2026, 11, 20, 12), software_version="1")
    yield ledger
    ledger.close()


async def test_hundreds_of_tasks_never_exceed_a_cap_and_share_commits(ledger):
    before = ledger.commits

    async def one(front, number):
        call_id = await front.reserve("run", str(number), "m", 7 + number % 5)
        await front.mark_sent(call_id)
        await front.settle(call_id, UNKNOWN)

    async with LedgerFront(ledger, Caps(run=2000)) as front:
        done = await asyncio.gather(*(one(front, number) for number in range(300)), return_exceptions=True)
    refused = [error for error in done if error is not None]
    figures = ledger.run_figures("run")
    assert {type(error) for error in refused} == {BudgetEnded}
    assert figures.calls == 300 - len(refused)
    assert 2000 - 11 < figures.unknown <= 2000
    assert figures.reserved == 0
    assert ledger.commits - before < 100
    assert ledger.faults() == []


async def test_a_result_is_there_for_others_when_its_await_ends(ledger):
    async with LedgerFront(ledger, Caps()) as front:
        call_id = await front.reserve("run", "a", "m", 5)
        assert ledger.figures().reserved == 5
        assert await front.settle(call_id, UNKNOWN) is True
        assert ledger.figures().unknown == 5
        assert await front.settle(call_id, UNKNOWN) is False


async def test_a_cancelled_reservation_is_released(ledger):
    async with LedgerFront(ledger, Caps()) as front:
        ledger.gate = threading.Lock()
        ledger.gate.acquire()
        task = asyncio.create_task(front.reserve("run", "a", "m", 5))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        ledger.gate.release()
    assert ledger.call_rows("run")["state"].to_list() == ["released"]
    assert ledger.figures().reserved == 0


async def test_what_was_handed_over_is_written_before_the_front_is_left(ledger):
    async with LedgerFront(ledger, Caps()) as front:
        calls = [await front.reserve("run", str(number), "m", 5) for number in range(20)]
        for call_id in calls:
            front.settle_soon(call_id, UNKNOWN)
    assert ledger.figures().unknown == 100
    with pytest.raises(RuntimeError):
        await front.reserve("run", "a", "m", 5)


async def test_one_broken_entry_does_not_take_the_others_down(ledger):
    async with LedgerFront(ledger, Caps()) as front:
        call_id = await front.reserve("run", "a", "m", 5)
        ledger.gate = threading.Lock()
        ledger.gate.acquire()
        first = asyncio.create_task(front.next_seq())
        await asyncio.sleep(0)
        bad = asyncio.create_task(front.settle(call_id, Outcome(State.SETTLED, None)))
        good = asyncio.create_task(front.reserve("run", "b", "m", 5))
        await asyncio.sleep(0)
        ledger.gate.release()
        await first
        with pytest.raises(ValueError, match="State"):
            await bad
        await good
    assert ledger.figures().reserved == 10
    assert ledger.faults() == []


async def test_refusals_of_one_do_not_touch_others_of_the_same_commit(ledger):
    async with LedgerFront(ledger, Caps(run=10)) as front:
        prices = (6, 5, 4, 1)
        results = await asyncio.gather(
            *(front.reserve("run", str(price), "m", price) for price in prices), return_exceptions=True
        )
    assert [isinstance(result, BudgetEnded) for result in results] == [False, True, False, True]
    assert ledger.figures().reserved == 10
