"""Make the calls of a probe, one after the other, through the ledger; and the free methods, for their bodies."""

import math
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from innspect.extract.clock import check_clock
from innspect.extract.ledger.async_writer import AsyncLedger
from innspect.extract.ledger.ledger import Ledger
from innspect.extract.ledger.operations import Caps
from innspect.extract.service.charging import free_method_error
from innspect.extract.service.client import ServiceClient
from innspect.extract.service.envelope import read_envelope
from innspect.extract.service.paid_calls import CallResult, PaidCalls
from innspect.extract.service.response_reader import ServiceResponse
from innspect.flows.open_home import utc_now
from innspect.flows.probe.probe_plan import ProbeCall, Purpose
from innspect.schemas.catalogue import ACCOUNT, METHODS, PING
from innspect.schemas.errors import (
    BudgetEnded,
    InnspectError,
    KeyRefused,
    Refused,
    ServiceUnreachable,
    SettingsError,
)
from innspect.schemas.settings import Settings

MAX_UNANSWERED_CALLS = 3
"""Consecutive calls without a response that end a probe, since each of them may have been charged."""


@dataclass(slots=True)
class ProbeProgress:
    """What the calls of a probe change; money in kopecks."""

    stop: InnspectError | None = None
    """The error after which no further call is made."""
    results: dict[ProbeCall, CallResult] = field(default_factory=dict[ProbeCall, CallResult])
    balances: dict[str, tuple[int | None, int | None]] = field(default_factory=dict[str, tuple[int | None, int | None]])
    """By call id, the account's balance before and after the call; None where the service does not report it."""
    above_budget: list[ProbeCall] = field(default_factory=list[ProbeCall])
    """Calls that the budget did not cover after calls had cost more than planned."""
    free: dict[str, ServiceResponse] = field(default_factory=dict[str, ServiceResponse])
    """The responses of `ping` and `account`."""
    price_factor: float = 1.0
    """Highest ratio of a charge to its expected price; a further call needs room for its price times this."""


class ProbeCaller:
    """Makes the calls of one probe; `report` is called after each."""

    def __init__(
        self,
        settings: Settings,
        ledger: Ledger,
        run_id: str,
        caps: Caps,
        report: Callable[[ProbeCall, CallResult], None],
    ) -> None:
        self.progress = ProbeProgress()
        self._settings, self._ledger, self._run_id, self._caps, self._report = settings, ledger, run_id, caps, report
        self._unanswered = 0
        self._hidden = 0
        """Kopecks by which the balance fell and that no response named: they count as spent."""

    async def call_all(self, calls: tuple[ProbeCall, ...]) -> None:
        """Make the calls in order. What ends them early is `progress.stop`. Raises StoreError and SettingsError."""
        progress = self.progress
        async with self._connect() as (client, writer):
            try:
                await self._request_free_methods(client)
                balance = await self._update_balance(client, writer, self._run_id)
                for call in calls:
                    balance = await self._make_call(client, writer, call, balance)
            except (Refused, ServiceUnreachable) as error:
                progress.stop = error

    @asynccontextmanager
    async def _connect(self) -> AsyncGenerator[tuple[ServiceClient, AsyncLedger]]:
        settings = self._settings
        if settings.api_key is None:
            raise SettingsError("There is no API key; set INNSPECT_API_KEY, or try `--sandbox`.", key="api_key")
        async with (
            AsyncLedger(self._ledger, self._caps, settings.service.concurrency) as writer,
            ServiceClient(settings.service, settings.api_key, utc_now) as client,
        ):
            yield client, writer

    async def _request_free_methods(self, client: ServiceClient) -> None:
        """Request `ping` and `account`, and keep what they returned. Raises as `ping`, and UsageError."""
        for name in (PING, ACCOUNT):
            async with client.slot():
                response = await client.get(METHODS[name], "")
            self.progress.free[name] = response
            error = free_method_error(name, response.status, response.failure, read_envelope(response.body))
            if error is not None:
                raise error
            check_clock(response.clock_ahead, self._settings.service.max_clock_skew_seconds)

    async def _update_balance(self, client: ServiceClient, writer: AsyncLedger, opening_run: str = "") -> int | None:
        """The balance of the account, which the ledger records. Raises as `ServiceClient.ping`."""
        async with PaidCalls(client, writer, {}) as paid_calls:
            return await paid_calls.update_balance(opening_run or None)

    async def _make_call(
        self, client: ServiceClient, writer: AsyncLedger, call: ProbeCall, balance: int | None
    ) -> int | None:
        """Make one call; the balance after it. Raises the error that ends the probe."""
        progress = self.progress
        left = self._ledger.remaining_budget(self._run_id, self._caps)
        if left is not None and math.ceil(call.price * progress.price_factor) > left - self._hidden:
            progress.above_budget.append(call)
            return balance
        try:
            # One context per call: a refusal of one method, or a changed price, is what a probe looks for.
            async with PaidCalls(client, writer, {call.method: call.price}) as paid_calls:
                result = await paid_calls.request(self._run_id, call.inn, call.method, any_length=True)
        except BudgetEnded:
            progress.above_budget.append(call)
            return balance
        except KeyRefused:
            # The refusal is stored. Some services refuse an INN with the statuses that mean a wrong key.
            if call.purpose is Purpose.METHOD:
                raise
            await client.ping()
            return await self._update_balance(client, writer)
        progress.results[call] = result
        if call.price and result.charged is not None:
            progress.price_factor = max(progress.price_factor, result.charged / call.price)
        self._report(call, result)
        after = await self._update_balance(client, writer)
        progress.balances[result.call_id] = balance, after
        if balance is not None and after is not None and result.charged is not None:
            self._hidden += max(0, balance - after - result.charged)
        self._count_unanswered(result)
        return after

    def _count_unanswered(self, result: CallResult) -> None:
        self._unanswered = self._unanswered + 1 if result.response_id is None else 0
        if self._unanswered >= MAX_UNANSWERED_CALLS:
            raise ServiceUnreachable(
                f"The last calls ({self._unanswered}) returned no response ({result.reason}), and each may have been "
                "charged; check the service, then probe again.",
                calls=self._unanswered,
                reason=result.reason,
            )
