"""The ledger for many tasks at once: one thread writes, and commits together whatever waits."""

import asyncio
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Self, TypeVar

from innspect.extract.ledger import operations as entries
from innspect.extract.ledger.ledger import Ledger
from innspect.extract.ledger.operations import Caps, Outcome
from innspect.extract.ledger.transaction import Books
from innspect.extract.service.charging import Failure, State
from innspect.schemas.errors import InnspectError

T = TypeVar("T")
Entry = Callable[[Books], Any]
TOGETHER = 128
"""Entries that one transaction takes at most."""


class LedgerFront:
    """An asyncio front of a ledger, as async context manager; every result is durable when its await ends.

    Entries of concurrent tasks share a transaction, but each reservation is held against all caps by itself, in the
    order of asking. Leaving writes what still waits. `caps` bind every reservation made here.
    """

    def __init__(self, ledger: Ledger, caps: Caps) -> None:
        self.caps = caps
        self._ledger = ledger
        self._waiting: queue.SimpleQueue[tuple[Entry, Future[Any]] | None] = queue.SimpleQueue()
        self._writer: threading.Thread | None = None

    async def __aenter__(self) -> Self:
        self._writer = threading.Thread(target=self._write, name="ledger", daemon=True)
        self._writer.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        writer, self._writer = self._writer, None
        self._waiting.put(None)
        if writer is not None:
            await asyncio.shield(asyncio.to_thread(writer.join))

    async def reserve(self, run_id: str, inn: str, method: str, price: int) -> str:
        """Reserve the price of one call, in kopecks, and return the call's id.

        Raises BudgetEnded. Where the task is cancelled meanwhile, the reservation is released again.
        """
        reserved = self._submit(lambda books: entries.reserve(books, run_id, inn, method, price, self.caps))
        try:
            return await asyncio.shield(asyncio.wrap_future(reserved))
        except asyncio.CancelledError:
            reserved.add_done_callback(self._release)
            raise

    async def mark_sent(self, call_id: str) -> None:
        """Note that the call is about to be sent. Raises StoreError where it is not open."""
        await self._done(lambda books: entries.mark_sent(books, call_id))

    async def settle(self, call_id: str, outcome: Outcome) -> bool:
        """Store what became of a call. False where that was known already."""
        return await self._done(lambda books: entries.resolve(books, call_id, outcome))

    def settle_soon(self, call_id: str, outcome: Outcome) -> None:
        """Store what became of a call without waiting for it; at the latest when the front is left."""
        self._submit(lambda books: entries.resolve(books, call_id, outcome))

    async def next_seq(self) -> int:
        """The number of a new event, for `read_balance`."""
        return await self._done(lambda books: books.next_seq())

    async def read_balance(self, balance: int, sent_seq: int) -> None:
        """Note a balance, in kopecks, that the account method named when asked at event `sent_seq`."""
        await self._done(lambda books: entries.read_balance(books, balance, sent_seq, books.next_seq()))

    async def _done(self, entry: Callable[[Books], T]) -> T:
        # Once handed over, an entry is written even if the task that waits for it is cancelled.
        return await asyncio.shield(asyncio.wrap_future(self._submit(entry)))

    def _submit(self, entry: Callable[[Books], T]) -> "Future[T]":
        if self._writer is None:
            raise RuntimeError("the front of the ledger is closed")
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()
        self._waiting.put((entry, future))
        return future

    def _release(self, reserved: "Future[str]") -> None:
        if reserved.exception() is None:
            outcome = Outcome(State.RELEASED, 0, Failure.INTERRUPTED.value)
            call_id = reserved.result()
            released: Future[Any] = Future()
            self._waiting.put((lambda books: entries.resolve(books, call_id, outcome), released))

    def _write(self) -> None:
        going = True
        # A commit may release a cancelled reservation, and so put one more entry behind the last.
        while going or not self._waiting.empty():
            group = [self._waiting.get()]
            while len(group) < TOGETHER and not self._waiting.empty():
                group.append(self._waiting.get())
            going = going and None not in group
            self._commit([one for one in group if one is not None])

    def _commit(self, group: list[tuple[Entry, "Future[Any]"]]) -> None:
        if not group:
            return
        results: list[tuple[Any, InnspectError | None]] = []
        try:
            with self._ledger.transaction() as books:
                results += [_entered(entry, books) for entry, _ in group]
        except Exception as fault:  # noqa: BLE001 (whatever it is, every waiting task has to hear of it)
            if len(group) == 1:
                group[0][1].set_exception(fault)
            else:
                # One entry must not take the others' down: an answer that finds no room, say.
                for one in group:
                    self._commit([one])
            return
        for (_, future), (result, refusal) in zip(group, results, strict=True):
            if refusal is None:
                future.set_result(result)
            else:
                future.set_exception(refusal)


def _entered(entry: Entry, books: Books) -> tuple[Any, InnspectError | None]:
    """The result, or the refusal of an entry that has changed nothing."""
    try:
        return entry(books), None
    except entries.REFUSALS as refusal:
        return None, refusal
