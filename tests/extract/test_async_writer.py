"""Concurrent tasks share transactions, and every reservation is checked against the caps."""

import asyncio
import contextlib
import threading
from datetime import UTC, datetime

import pytest
from sqlalchemy.exc import OperationalError

from innspect.extract.ledger.async_writer import AsyncLedger
from innspect.extract.ledger.ledger import Ledger
from innspect.extract.ledger.operations import Caps, Outcome, compress_response
from innspect.schemas.errors import BudgetEnded, StoreError
from innspect.schemas.states import CallState

UNKNOWN = Outcome(CallState.UNKNOWN, None, "timeout")


def naive(*when: int) -> datetime:
    """An instant in UTC as a naive datetime."""
    return datetime(*when, tzinfo=UTC).replace(tzinfo=None)


class Counting(Ledger):
    """A ledger that counts its transactions and blocks them while its gate is locked."""

    commits = 0
    gate = contextlib.nullcontext()

    @contextlib.contextmanager
    def transaction(self):
        with self.gate, super().transaction() as transaction:
            yield transaction
        self.commits += 1


class FailingDatabase(contextlib.AbstractContextManager):
    """A gate of `Counting`: the database fails a number of times, and works then."""

    def __init__(self, failures):
        self.failures = failures

    def __enter__(self):
        if self.failures:
            self.failures -= 1
            raise StoreError("the ledger cannot be used") from OperationalError(
                "COMMIT", {}, Exception("disk I/O error")
            )

    def __exit__(self, *_):
        return None


@pytest.fixture
def ledger(tmp_path):
    ledger = Counting.open(tmp_path / "ledger.sqlite", lambda: naive(2026, 11, 20, 12), "UTC")
    ledger.start_run("run", portfolio="p", profile="f", budget=1, at=naive(2026, 11, 20, 12), software_version="1")
    yield ledger
    ledger.close()


async def test_hundreds_of_tasks_share_commits_and_never_exceed_a_cap(ledger):
    before = ledger.commits

    async def make_call(async_ledger, number):
        async with async_ledger.call("run", str(number), "m", 7 + number % 5) as call:
            await call.mark_sent()
            await call.settle(UNKNOWN)

    async with AsyncLedger(ledger, Caps(run=2000)) as async_ledger:
        results = await asyncio.gather(
            *(make_call(async_ledger, number) for number in range(300)), return_exceptions=True
        )
    refused = [error for error in results if error is not None]
    figures = ledger.run_figures("run")
    assert {type(error) for error in refused} == {BudgetEnded}
    assert figures.calls == 300 - len(refused)
    assert 2000 - 11 < figures.unknown <= 2000
    assert figures.reserved == 0
    assert ledger.commits - before < 100
    assert ledger.find_faults() == []


async def test_a_result_is_durable_when_its_await_ends(ledger):
    async with AsyncLedger(ledger, Caps()) as async_ledger, async_ledger.call("run", "a", "m", 5) as call:
        assert ledger.figures().reserved == 5
        assert await call.settle(UNKNOWN) is True
        assert ledger.figures().unknown == 5
        assert await call.settle(UNKNOWN) is False


async def test_cancelled_reservation_is_released(ledger):
    async def reserve(async_ledger):
        async with async_ledger.call("run", "a", "m", 5):
            pytest.fail("the task was cancelled before the reservation was written")

    async with AsyncLedger(ledger, Caps()) as async_ledger:
        ledger.gate = threading.Lock()
        ledger.gate.acquire()
        task = asyncio.create_task(reserve(async_ledger))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        ledger.gate.release()
    assert ledger.call_rows("run")["state"].to_list() == ["released"]
    assert ledger.figures().reserved == 0


@pytest.mark.parametrize(("is_sent", "state"), [(False, "released"), (True, "unknown")])
async def test_a_call_that_ends_without_outcome_is_settled_before_the_ledger_is_left(ledger, is_sent, state):
    async with AsyncLedger(ledger, Caps()) as async_ledger:
        for number in range(20):
            async with async_ledger.call("run", str(number), "m", 5) as call:
                if is_sent:
                    await call.mark_sent()
    assert ledger.call_rows("run").select("state", "reason").unique().rows() == [(state, "interrupted")]
    assert ledger.figures().unknown == (100 if is_sent else 0)
    with pytest.raises(RuntimeError, match="closed"):
        async with async_ledger.call("run", "a", "m", 5):
            pytest.fail("the ledger is closed")


async def test_a_failing_operation_does_not_fail_others_of_the_same_commit(ledger):
    async with AsyncLedger(ledger, Caps()) as async_ledger, async_ledger.call("run", "a", "m", 5) as call:
        ledger.gate = threading.Lock()
        ledger.gate.acquire()
        first = asyncio.create_task(async_ledger.next_seq())
        await asyncio.sleep(0)
        bad = asyncio.create_task(call.settle(Outcome(CallState.SETTLED, None)))
        good = asyncio.create_task(async_ledger.next_seq())
        await asyncio.sleep(0)
        ledger.gate.release()
        await first
        with pytest.raises(ValueError, match="CallState"):
            await bad
        await good
        assert ledger.figures().reserved == 5
    assert ledger.find_faults() == []


async def test_a_refusal_does_not_affect_others_of_the_same_commit(ledger):
    async def reserve(async_ledger, price):
        async with async_ledger.call("run", str(price), "m", price) as call:
            await call.mark_sent()

    async with AsyncLedger(ledger, Caps(run=10)) as async_ledger:
        results = await asyncio.gather(
            *(reserve(async_ledger, price) for price in (6, 5, 4, 1)), return_exceptions=True
        )
    assert [isinstance(result, BudgetEnded) for result in results] == [False, True, False, True]
    assert ledger.figures().unknown == 10


async def test_a_response_outlives_a_database_that_fails_for_a_moment(ledger):
    response = compress_response(b"paid", naive(2026, 11, 20, 12), masked=False)
    async with AsyncLedger(ledger, Caps()) as async_ledger, async_ledger.call("run", "a", "m", 5) as call:
        await call.mark_sent()
        ledger.gate = FailingDatabase(3)
        assert await call.settle(Outcome(CallState.SETTLED, 5, response=response)) is True
    assert ledger.outbox_responses()["body"].to_list() == [b"paid"]
    assert (ledger.figures().settled, ledger.figures().unknown) == (5, 0)


async def test_no_response_waits_for_what_is_not_the_database(ledger):
    async with AsyncLedger(ledger, Caps()) as async_ledger, async_ledger.call("run", "a", "m", 5) as call:
        await call.mark_sent()
        call.call_id = "unknown"
        async with asyncio.timeout(5):
            with pytest.raises(StoreError, match="has no call"):
                await call.settle(UNKNOWN)


async def test_the_kept_space_is_for_responses_also_if_the_system_does_not_say_that_the_disk_is_full(ledger):
    async with AsyncLedger(ledger, Caps(), 1) as async_ledger:
        async with async_ledger.call("run", "a", "m", 5) as call:
            await call.mark_sent()
            ledger.gate = FailingDatabase(1)
            await call.settle(UNKNOWN)
        with pytest.raises(StoreError, match="cannot be used"):
            async with async_ledger.call("run", "b", "m", 5):
                pytest.fail("the space is used up")
    assert ledger.call_rows("run")["inn"].to_list() == ["a"]
