"""Paid calls: reserve the price, send one GET, settle, then interpret the response.

Only a call that certainly cost nothing is repeated. A call that may have been charged is unknown, and is not repeated
in the same run.
"""

import asyncio
import logging
import re
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import TracebackType
from typing import Any, Self, TypeVar

from innspect.extract.failpoints import failpoint
from innspect.extract.ledger.async_writer import AsyncLedger
from innspect.extract.ledger.operations import CompressedResponse, Outcome, compress_response, response_id_of
from innspect.extract.log_events import log_event
from innspect.extract.service.charging import OVERLOADED, Stop, breaker_error, decide_outcome, stop_error
from innspect.extract.service.client import ServiceClient, retry_context
from innspect.extract.service.envelope import read_envelope
from innspect.extract.service.response_reader import ServiceResponse
from innspect.schemas.catalogue import accepts_inn, service_methods
from innspect.schemas.declaration import Method
from innspect.schemas.errors import InnspectError, UsageError
from innspect.schemas.states import CallState

T = TypeVar("T")
BREAKER_CALLS = 10
"""Consecutive calls without a response that stop the run, since each of them may have been charged."""


@dataclass(frozen=True, slots=True)
class CallResult:
    """Result of a requested call, of its last attempt. Money in kopecks, `charged` None while unknown.

    `response_id` is the response in the outbox, None if none is stored. `reason` is None for a usable response.
    `attempts` counts the GETs.
    """

    call_id: str
    response_id: str | None
    inn: str
    method: str
    state: CallState
    expected: int
    charged: int | None
    http_status: int | None
    reason: str | None
    balance: int | None
    attempts: int


class _RetryError(Exception):
    """The call cost nothing and is repeated, after `wait` seconds if the service named a time."""

    def __init__(self, result: CallResult, wait: float | None) -> None:
        super().__init__(result.reason)
        self.result, self.wait = result, wait


class PaidCalls:
    """Makes paid calls concurrently, as async context manager; `prices` are kopecks by method.

    A call in progress is completed even if the task that requested it is cancelled. Leaving the context waits for all
    calls; cancelled while it waits, it makes them unknown.
    """

    def __init__(self, client: ServiceClient, ledger: AsyncLedger, prices: Mapping[str, int]) -> None:
        self.client = client
        self._ledger, self._prices = ledger, prices
        self._stop: InnspectError | None = None
        self._consecutive_failures = 0
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def stop(self) -> InnspectError | None:
        """The error because of which no further call is made, None while calls are made."""
        return self._stop

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self.drain()
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def drain(self) -> None:
        """Wait until the responses of all calls in progress, also of cancelled tasks, are in the outbox."""
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def update_balance(self, opening_run: str | None = None) -> int | None:
        """Request `account`, record it in the ledger, and return the balance in kopecks, None if it is not reported.

        It becomes the opening balance of `opening_run` if that run has no calls yet. Raises as `ServiceClient.ping`.
        """
        sent_seq = await self._ledger.next_seq()
        response = await self.client.account()
        await self._ledger.record_account(response, sent_seq, opening_run)
        return response.balance

    async def request(self, run_id: str, inn: str, method: str, *, any_length: bool = False) -> CallResult:
        """Make one call, and repeat it after failures that certainly cost nothing.

        `any_length` sends it even if the method is for INNs of another length: a probe shows what the service does.

        Raises BudgetEnded if a cap is exceeded, and KeyRefused or CreditRefused after the refusal is stored. After
        these, after a changed price list and after too many calls without a response, every further call raises
        (PriceListChanged, ServiceUnreachable). Raises UsageError for a method that does not accept this INN.
        """
        described = service_methods(self.client.service.person_methods).get(method)
        if (
            described is None
            or not described.digits
            or not re.fullmatch("[0-9]+", inn)
            or not (any_length or accepts_inn(described, inn))
        ):
            raise UsageError(f"The method {method} does not accept {inn}; correct the call.", inn=inn)
        attempts = 0
        try:
            async for attempt in retry_context(on=_retry_wait, attempts=self.client.service.retries + 1):
                attempts += 1
                with attempt:
                    return self._check_breaker(await self._attempt(run_id, inn, described, attempts))
        except _RetryError as last:
            return self._check_breaker(last.result)
        raise AssertionError("there is at least one attempt")

    async def _attempt(self, run_id: str, inn: str, method: Method, number: int) -> CallResult:
        async with self.client.slot():
            if self._stop is not None:
                raise self._stop
            return await self._run_to_completion(self._call(run_id, inn, method, number))

    async def _run_to_completion(self, call: Coroutine[Any, Any, T]) -> T:
        """Complete a call even if the task that requested it is cancelled: it may be charged by then."""
        task = asyncio.create_task(call)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            # Retrieve the exception, which no task waits for any more.
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
            raise

    async def _call(self, run_id: str, inn: str, method: Method, number: int) -> CallResult:
        price, service = self._prices.get(method.name, method.price), self.client.service
        async with self._ledger.call(run_id, inn, method.name, price) as call:
            await call.mark_sent()
            failpoint("before send")
            response = await self.client.get(method, inn)
            failpoint("after receive")
            envelope = read_envelope(response.body)
            decision = decide_outcome(method, price, response.status, response.failure, envelope, service.free_statuses)
            is_repeated = decision.can_retry and number <= service.retries
            stored = None if is_repeated else self._compress(response)
            await call.settle(
                Outcome(decision.state, decision.charged, decision.reason, response.status, envelope.balance, stored)
            )
        log_event(
            "call.repeated" if is_repeated else "call.finished",
            level=logging.INFO if decision.reason is None else logging.WARNING,
            run_id=run_id,
            inn=inn,
            method=method.name,
            call_id=call.call_id,
            state=decision.state,
            charged_rub=None if decision.charged is None else f"{Decimal(decision.charged).scaleb(-2):.2f}",
            http_status=response.status,
            reason=decision.reason,
            attempt=number,
        )
        if decision.stop is not None:
            error = stop_error(decision.stop, response.status)
            self._stop = self._stop or error
            # A response that cost too much is still a response: only the next call raises.
            if decision.stop is not Stop.PRICE_LIST:
                raise error
        result = CallResult(
            call_id=call.call_id,
            response_id=None if stored is None else response_id_of(call.call_id),
            inn=inn,
            method=method.name,
            state=decision.state,
            expected=price,
            charged=decision.charged,
            http_status=response.status,
            reason=decision.reason,
            balance=envelope.balance,
            attempts=number,
        )
        if is_repeated:
            raise _RetryError(result, response.retry_after)
        return result

    def _compress(self, response: ServiceResponse) -> CompressedResponse | None:
        """The body to store; None if no body was received."""
        if response.status is None or (response.failure is not None and not response.body):
            return None
        body, is_masked = self.client.mask_body(response)
        return compress_response(body, response.received_at, masked=is_masked)

    def _check_breaker(self, result: CallResult) -> CallResult:
        """Count consecutive calls without a response, and stop the run after `BREAKER_CALLS` of them."""
        if result.state in (CallState.UNKNOWN, CallState.RELEASED) or (result.http_status or 0) >= 500:
            self._consecutive_failures += 1
        elif result.http_status not in OVERLOADED:
            self._consecutive_failures = 0
        if self._consecutive_failures >= BREAKER_CALLS and self._stop is None:
            self._stop = breaker_error(BREAKER_CALLS, result.reason)
        return result


def _retry_wait(error: Exception) -> bool | float:
    if not isinstance(error, _RetryError):
        return False
    return True if error.wait is None else error.wait
