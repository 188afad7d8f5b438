"""Asyncio access to the ledger: one writer thread, group commit."""

import asyncio
import queue
import threading
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Self, TypeVar

import stamina

from innspect.extract.ledger import operations
from innspect.extract.ledger.account import AccountResponse, record_account
from innspect.extract.ledger.disk_reserve import DiskReserve
from innspect.extract.ledger.ledger import Ledger
from innspect.extract.ledger.operations import RELEASED, UNKNOWN, Caps, Outcome
from innspect.extract.ledger.tables import may_pass
from innspect.extract.ledger.transaction import LedgerTransaction
from innspect.schemas.errors import InnspectError, StoreError

T = TypeVar("T")
Operation = Callable[[LedgerTransaction], Any]
MAX_GROUP_OPERATIONS = 128
"""Operations in one transaction."""
SETTLE_SECONDS = 60.0
"""How long a database that fails is tried again for an outcome: a server is restarted, or its twin takes over."""
FIRST_WAIT_SECONDS, MAX_WAIT_SECONDS = 0.1, 2.0


class OpenCall:
    """A reserved call. `AsyncLedger.call` settles it if its block ends early."""

    def __init__(self, ledger: "AsyncLedger", call_id: str) -> None:
        self.call_id = call_id
        self._ledger = ledger
        self._outcome_if_interrupted: Outcome | None = RELEASED

    async def mark_sent(self) -> None:
        """Record that the call is about to be sent: it may be charged from now on. Raises StoreError."""
        self._ledger.check_space()
        await self._ledger.execute(lambda transaction: operations.mark_sent(transaction, self.call_id))
        self._outcome_if_interrupted = UNKNOWN

    async def settle(self, outcome: Outcome) -> bool:
        """Store the outcome of the call. False if it had one before. If that fails the call is unknown.

        A database that fails is tried again for `SETTLE_SECONDS`: a response was paid for, and only memory holds it.
        """
        is_new = False
        async for attempt in stamina.retry_context(
            on=may_pass,
            attempts=None,
            timeout=SETTLE_SECONDS,
            wait_initial=FIRST_WAIT_SECONDS,
            wait_max=MAX_WAIT_SECONDS,
        ):
            with attempt:
                is_new = await self._ledger.execute(
                    lambda transaction: operations.settle(transaction, self.call_id, outcome)
                )
        self._outcome_if_interrupted = None
        return is_new

    def settle_interrupted(self) -> None:
        """Release a call that is not sent, make one that may be sent unknown; does nothing if it is settled."""
        if (outcome := self._outcome_if_interrupted) is not None:
            self._outcome_if_interrupted = None
            self._ledger.submit(lambda transaction: operations.settle(transaction, self.call_id, outcome))


class AsyncLedger:
    """Async context manager that writes to a ledger; a result is durable when its await ends.

    Operations of concurrent tasks share a transaction, but every reservation is checked against all `caps` in the
    order of submission. Leaving the context writes all submitted operations.

    While it is open, disk space is kept free for the responses of `calls_at_once` calls, where the ledger is a file.
    Once the file cannot be written, these are stored there, and no further call is reserved or sent. Entering raises
    DiskFull.
    """

    def __init__(self, ledger: Ledger, caps: Caps, calls_at_once: int = 0) -> None:
        self.caps = caps
        self._ledger = ledger
        self._calls_at_once = calls_at_once
        self._reserve_file: DiskReserve | None = None
        self._failure: StoreError | None = None
        self._queue: queue.SimpleQueue[tuple[Operation, Future[Any]] | None] = queue.SimpleQueue()
        self._writer: threading.Thread | None = None

    async def __aenter__(self) -> Self:
        if self._calls_at_once and (path := self._ledger.path) is not None:
            self._reserve_file = DiskReserve(path, self._calls_at_once)
        self._writer = threading.Thread(target=self._write, name="ledger", daemon=True)
        self._writer.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        writer, self._writer = self._writer, None
        self._queue.put(None)
        if writer is not None:
            await asyncio.shield(asyncio.to_thread(writer.join))
        if self._reserve_file is not None:
            self._reserve_file.release()

    @asynccontextmanager
    async def call(self, run_id: str, inn: str, method: str, price: int) -> AsyncGenerator[OpenCall]:
        """Reserve the price of one call, in kopecks; the block marks it as sent and settles it.

        If the block ends without settling, the call is released, or unknown if it was marked as sent. Raises
        BudgetEnded.
        """
        call = OpenCall(self, await self._reserve(run_id, inn, method, price))
        try:
            yield call
        finally:
            call.settle_interrupted()

    def check_space(self) -> None:
        """Raise the error if the file could not be written: the space is for the responses of calls in progress."""
        if self._failure is not None:
            raise self._failure

    async def _reserve(self, run_id: str, inn: str, method: str, price: int) -> str:
        self.check_space()
        future = self.submit(lambda transaction: operations.reserve(transaction, run_id, inn, method, price, self.caps))
        try:
            return await asyncio.shield(asyncio.wrap_future(future))
        except asyncio.CancelledError:
            future.add_done_callback(self._release)
            raise

    def _release(self, reserved: "Future[str]") -> None:
        if reserved.exception() is None:
            call_id = reserved.result()
            # Called in the writer thread, maybe after the context was left: put it into the queue directly.
            self._queue.put((lambda transaction: operations.settle(transaction, call_id, RELEASED), Future()))

    async def execute(self, operation: Callable[[LedgerTransaction], T]) -> T:
        """The result of an operation. It is executed even if the waiting task is cancelled."""
        return await asyncio.shield(asyncio.wrap_future(self.submit(operation)))

    def submit(self, operation: Callable[[LedgerTransaction], T]) -> "Future[T]":
        """Queue an operation; it is executed at the latest when the context is left."""
        if self._writer is None:
            raise RuntimeError("the ledger's writer is closed")
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()
        self._queue.put((operation, future))
        return future

    async def next_seq(self) -> int:
        """The number of a new event, for `record_account`."""
        return await self.execute(lambda transaction: transaction.next_seq())

    async def record_account(self, response: AccountResponse, sent_seq: int, opening_run: str | None = None) -> None:
        """Record a response of `account` that was requested at event `sent_seq`; see `account.record_account`."""
        await self.execute(lambda transaction: record_account(transaction, response, sent_seq, opening_run))

    def _write(self) -> None:
        is_open = True
        # A commit may release a cancelled reservation, and so queue one more operation after the last.
        while is_open or not self._queue.empty():
            group = [self._queue.get()]
            while len(group) < MAX_GROUP_OPERATIONS and not self._queue.empty():
                group.append(self._queue.get())
            is_open = is_open and None not in group
            self._commit([entry for entry in group if entry is not None])

    def _commit(self, group: list[tuple[Operation, "Future[Any]"]]) -> None:
        if not group:
            return
        results: list[tuple[Any, InnspectError | None]] = []
        try:
            with self._ledger.transaction() as transaction:
                results += [_try_operation(operation, transaction) for operation, _ in group]
        except Exception as fault:  # noqa: BLE001 (every waiting task must receive the error)
            # Any error of the file: SQLite reports an exceeded quota as an I/O error.
            if isinstance(fault, StoreError) and self._reserve_file is not None and self._reserve_file.release():
                self._failure = fault
                self._commit(group)
            elif len(group) == 1:
                group[0][1].set_exception(fault)
            else:
                # One failing operation, such as a response that finds no space, must not fail the others.
                for entry in group:
                    self._commit([entry])
            return
        for (_, future), (result, refusal) in zip(group, results, strict=True):
            if refusal is None:
                future.set_result(result)
            else:
                future.set_exception(refusal)


def _try_operation(operation: Operation, transaction: LedgerTransaction) -> tuple[Any, InnspectError | None]:
    """The result of an operation, or the error that it raised before it changed anything."""
    try:
        return operation(transaction), None
    except operations.REFUSALS as refusal:
        return None, refusal
