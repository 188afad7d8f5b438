"""The client: one GET a call, reserved before, settled after, and looked at only then.

Only what certainly cost nothing is repeated. What may have been charged is unknown, and is left alone in this run.
"""

import asyncio
import logging
import re
from collections.abc import Coroutine, Mapping
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit

import httpx
import stamina
from aiolimiter import AsyncLimiter
from pydantic import SecretStr

from innspect.extract.failpoints import reach
from innspect.extract.home.provenance import is_near
from innspect.extract.ledger.async_writer import LedgerFront
from innspect.extract.ledger.ledger import Clock
from innspect.extract.ledger.operations import Outcome, packed, response_id_of
from innspect.extract.planner.freshness import utc
from innspect.extract.service import stops
from innspect.extract.service.charging import OVERLOADED, Failure, State, Verdict, judge
from innspect.extract.service.concurrency_limiter import Gate
from innspect.extract.service.connection_pool import Lanes
from innspect.extract.service.envelope import blotted, blotted_end, read_envelope
from innspect.extract.service.response_reader import Intake, Reply, told_at, wait_asked
from innspect.extract.service.results import Account, CallResult
from innspect.schemas.catalogue import ACCOUNT, METHODS, PING, Method, takes
from innspect.schemas.errors import InnspectError, ServiceUnreachable, SettingsError, UsageError
from innspect.schemas.settings.sections import Service

T = TypeVar("T")
FIRST_WAIT, LONGEST_BACKOFF = 0.5, 30.0
LONGEST_CONNECT = 30.0
BREAKER = 10
"""So many calls in a row without an answer stop the run: each of them may have been charged."""
NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)
_MEGABYTE = 1024 * 1024
_LOGS_HEADERS, _LOGS_RETRIES = "hpack", "stamina"


class _AgainError(Exception):
    """The call cost nothing and may be repeated."""

    def __init__(self, result: CallResult, wait: float | None) -> None:
        super().__init__(result.reason)
        self.result, self.wait = result, wait


class Client:
    """Asks the service, many calls at once, as async context manager. `transport` stands in for the network.

    `prices` are kopecks by method, `ledger` is where every call is reserved and settled. A call that is under way is
    carried to its end even where the task that asked is cancelled; leaving waits for it. Raises SettingsError for a key
    or an address with which nothing can be asked.
    """

    def __init__(
        self,
        service: Service,
        key: SecretStr,
        ledger: LedgerFront,
        prices: Mapping[str, int],
        clock: Clock,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._service, self._key, self._ledger, self._prices, self._clock = service, key, ledger, prices, clock
        self._transport = transport
        if not re.fullmatch(r"[\x21-\x7e]+", key.get_secret_value()):
            raise SettingsError(
                "The API key is empty or has characters that no header can carry; set it anew in INNSPECT_API_KEY.",
                key="api_key",
            )
        if not urlsplit(service.base_url).hostname:
            raise SettingsError(
                "The service has no address; set service.base_url or --base-url, or use --sandbox.",
                key="service.base_url",
            )
        self._stop: InnspectError | None = None
        self._silent = 0
        self._under_way: set[asyncio.Task[Any]] = set()

    @property
    def stopped(self) -> InnspectError | None:
        """Why no further call is made; None while calls are made."""
        return self._stop

    async def __aenter__(self) -> Self:
        service = self._service
        # This library writes whole headers to its log, the key among them.
        logging.getLogger(_LOGS_HEADERS).setLevel(logging.WARNING)
        if not logging.getLogger(_LOGS_RETRIES).handlers:
            # Without a handler Python prints its warnings on the user's screen.
            logging.getLogger(_LOGS_RETRIES).addHandler(logging.NullHandler())
        # Connecting has to give up well before the whole exchange does, or a call never sent would count as one sent.
        connecting = min(LONGEST_CONNECT, service.timeout_seconds / 4)
        self._gate = Gate(service.concurrency, asyncio.get_running_loop().time)
        self._slowed = 0.0
        self._rate = AsyncLimiter(max(1.0, service.requests_per_second), max(1.0, 1 / service.requests_per_second))
        authorities = httpx.create_ssl_context()

        def lane() -> httpx.AsyncClient:
            return httpx.AsyncClient(
                base_url=service.base_url,
                headers={
                    "X-Api-Key": self._key.get_secret_value(),
                    "Accept": "application/json",
                    "Accept-Encoding": "gzip",
                    "User-Agent": "innspect",
                },
                http2=True,
                verify=authorities,
                timeout=httpx.Timeout(service.timeout_seconds, connect=connecting, pool=connecting),
                limits=httpx.Limits(max_connections=service.concurrency, keepalive_expiry=30),
                transport=self._transport,
                # A proxy of the environment's is for the outside, not for a sandbox next door.
                trust_env=not is_near(service.base_url),
            )

        # HTTP/2, which carries many calls over one connection, is only spoken over TLS.
        self._lanes = Lanes(lane, shared=urlsplit(service.base_url).scheme == "https")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self.drain()
        finally:
            for task in self._under_way:
                task.cancel()
            await asyncio.gather(*self._under_way, return_exceptions=True)
            for http in self._lanes.all:
                await http.aclose()

    async def drain(self) -> None:
        """Wait for the calls under way, those of cancelled tasks too: what they bring is in the outbox then."""
        if self._under_way:
            await asyncio.wait(self._under_way)

    async def check(self, run_id: str, inn: str, method: str) -> CallResult:
        """Reserve, send, settle one call, and repeat it where it certainly cost nothing.

        Raises BudgetEnded where a cap has no room for it, and KeyRefused or CreditRefused after the answer that says
        so is stored. After these, a changed price list or too many calls without an answer, every further call raises
        (PriceListChanged, ServiceUnreachable). UsageError for a method that cannot be asked about this INN.
        """
        described = METHODS.get(method)
        if described is None or not described.digits or not re.fullmatch("[0-9]+", inn) or not takes(described, inn):
            raise UsageError(f"The method {method} cannot be asked about {inn}; correct the call.", inn=inn)
        attempts = 0
        again = stamina.retry_context(
            on=_wait,
            attempts=self._service.retries + 1,
            timeout=None,
            wait_initial=FIRST_WAIT,
            wait_max=LONGEST_BACKOFF,
        )
        try:
            async for attempt in again:
                attempts += 1
                with attempt:
                    result, repeat = await self._attempt(run_id, inn, described, attempts)
                    if repeat is not None:
                        raise repeat
                    return self._noted(result)
        except _AgainError as last:
            return self._noted(last.result)
        raise AssertionError("there is at least one attempt")

    async def _attempt(
        self, run_id: str, inn: str, method: Method, number: int
    ) -> tuple[CallResult, _AgainError | None]:
        async with self._gate.slot():
            await self._gate.wait()
            await self._rate.acquire()
            if self._stop is not None:
                raise self._stop
            return await self._carried_out(self._carry_out(run_id, inn, method, number))

    async def _carried_out(self, call: Coroutine[Any, Any, T]) -> T:
        """Carry a call to its end even where whoever asked for it is cancelled: it may be paid for by then."""
        task = asyncio.create_task(call)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            # Nobody waits for its errors any more.
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
            raise

    async def _carry_out(
        self, run_id: str, inn: str, method: Method, number: int
    ) -> tuple[CallResult, _AgainError | None]:
        price = self._prices.get(method.name, method.price)
        call_id = await self._ledger.reserve(run_id, inn, method.name, price)
        began = asyncio.get_running_loop().time()
        reply = await self._sent(call_id, method, inn)
        envelope = read_envelope(reply.body)
        verdict = judge(method, price, reply.status, reply.failure, envelope, self._service.free_statuses)
        repeated = verdict.retry and number <= self._service.retries
        outcome = self._outcome(reply, verdict, envelope.balance, keep=not repeated)
        await self._ledger.settle(call_id, outcome)
        await self._adapt(reply, verdict, began)
        result = CallResult(
            call_id=call_id,
            response_id=None if outcome.answer is None else response_id_of(call_id),
            inn=inn,
            method=method.name,
            state=verdict.state,
            expected=price,
            charged=verdict.charged,
            http_status=reply.status,
            reason=verdict.reason,
            balance=envelope.balance,
            attempts=number,
        )
        return result, _AgainError(result, reply.retry_after) if repeated else None

    async def _sent(self, call_id: str, method: Method, inn: str) -> Reply:
        """The reply to a reserved call; if this very task is cancelled, the call is released or unknown."""
        interrupted = Outcome(State.RELEASED, 0, Failure.INTERRUPTED.value)
        try:
            await self._ledger.mark_sent(call_id)
            interrupted = Outcome(State.UNKNOWN, None, Failure.INTERRUPTED.value)
            reach("before send")
            reply = await self._get(method.path.format(inn=inn))
            reach("after receive")
        except BaseException:
            self._ledger.settle_soon(call_id, interrupted)
            raise
        return reply

    def _outcome(self, reply: Reply, verdict: Verdict, balance: int | None, *, keep: bool) -> Outcome:
        answer = None
        if keep and reply.status is not None and (reply.body or reply.failure is None):
            blot = blotted if reply.failure is None else blotted_end
            body, masked = blot(reply.body, self._key.get_secret_value())
            answer = packed(body, utc(self._clock()), masked=masked)
        return Outcome(verdict.state, verdict.charged, verdict.reason, reply.status, balance, answer)

    async def _adapt(self, reply: Reply, verdict: Verdict, began: float) -> None:
        """Slow down or quicken, and stop what has to stop."""
        if reply.status in OVERLOADED and began >= self._slowed:
            # One overload halves the pace once, however many calls under way met it.
            self._slowed = asyncio.get_running_loop().time()
            self._gate.slow_down(FIRST_WAIT if reply.retry_after is None else reply.retry_after)
        elif verdict.state in (State.SETTLED, State.FREE) and reply.status not in OVERLOADED:
            await self._gate.answered()
        if verdict.stop is not None:
            stop = stops.refused(verdict.stop, reply.status)
            self._stop = self._stop or stop
            if stops.at_once(verdict.stop):
                raise stop

    def _noted(self, result: CallResult) -> CallResult:
        """Count calls in a row that had no answer, and stop when they are too many."""
        if result.state in (State.UNKNOWN, State.RELEASED) or (result.http_status or 0) >= 500:
            self._silent += 1
        elif result.http_status not in OVERLOADED:
            self._silent = 0
        if self._silent >= BREAKER and self._stop is None:
            self._stop = stops.silent(BREAKER, result.reason)
        return result

    async def ping(self) -> float | None:
        """Ask whether the key is valid; free. Raises KeyRefused, CreditRefused or ServiceUnreachable.

        Gives how many seconds our clock is ahead of the service's, None where the answer does not tell.
        """
        said_at = (await self._ask_free(PING)).said_at
        return None if said_at is None else (utc(self._clock()) - said_at).total_seconds()

    async def account(self) -> Account:
        """Ask for the balance, free, and note it in the ledger. Raises as `ping` does."""
        sent_seq = await self._ledger.next_seq()
        balance = read_envelope((await self._ask_free(ACCOUNT)).body).balance
        if balance is not None:
            await self._ledger.read_balance(balance, sent_seq)
        return Account(balance)

    async def _ask_free(self, name: str) -> Reply:
        """The answer of a free method, asked again after any silence: nothing is charged for it."""
        again = stamina.retry_context(
            on=ServiceUnreachable,
            attempts=self._service.retries + 1,
            timeout=None,
            wait_initial=FIRST_WAIT,
            wait_max=LONGEST_BACKOFF,
        )
        async for attempt in again:
            with attempt:
                await self._rate.acquire()
                reply = await self._get(METHODS[name].path)
                if fault := stops.of_free_method(name, reply.status, reply.failure, read_envelope(reply.body)):
                    raise fault
                return reply
        raise AssertionError("there is at least one attempt")

    async def _get(self, path: str) -> Reply:
        """One GET, never repeated here; whatever goes wrong is in the reply."""
        status: int | None = None
        intake: Intake | None = None
        try:
            with self._lanes.lane() as http:
                async with asyncio.timeout(self._service.timeout_seconds), http.stream("GET", path) as response:
                    status, head = response.status_code, response.headers
                    self._lanes.shared = response.http_version == "HTTP/2"
                    intake = Intake(head.get("Content-Encoding", ""), self._service.max_body_mb * _MEGABYTE)
                    async for part in response.aiter_raw():
                        if failure := intake.take(part):
                            return Reply(status, intake.body, failure)
                    failure = intake.end(head.get("Content-Length"))
                    wait = wait_asked(head.get("Retry-After"), self._clock())
                    return Reply(status, intake.body, failure, wait, told_at(head.get("Date")))
        except NEVER_SENT:
            failure = Failure.NOT_CONNECTED
        except (httpx.TimeoutException, TimeoutError):
            failure = Failure.TIMEOUT
        except Exception:  # noqa: BLE001 (whatever broke, the call may have been charged, and must be settled as such)
            failure = Failure.BROKEN
        return Reply(status, b"" if intake is None else intake.body, failure)


def _wait(error: Exception) -> bool | float:
    if not isinstance(error, _AgainError):
        return False
    return True if error.wait is None else error.wait
