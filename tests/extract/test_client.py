"""Paid calls over a mock transport: outcomes, money, retries, limits, the key, stops and interruptions."""

import asyncio
import gzip
import itertools
import json
import logging
import zlib
from contextlib import AsyncExitStack
from datetime import UTC, datetime

import httpx
import pytest
from hpack import Encoder
from pydantic import SecretStr

from innspect.extract.ledger.async_writer import AsyncLedger
from innspect.extract.ledger.operations import Caps
from innspect.extract.service.client import ServiceClient
from innspect.extract.service.paid_calls import BREAKER_CALLS, PaidCalls
from innspect.sandbox.app import create_app
from innspect.sandbox.faults import Entry, Fault, FaultPlan
from innspect.sandbox.options import SandboxOptions
from innspect.schemas.catalogue import METHODS
from innspect.schemas.errors import (
    BudgetEnded,
    CreditRefused,
    KeyRefused,
    PriceListChanged,
    ServiceUnreachable,
    SettingsError,
    UsageError,
)
from innspect.schemas.settings.sections import Budget, Service
from innspect.schemas.states import CallState

INN, PERSON = "7707083893", "500100732259"
KEY = "s3cret-key/with+signs"
SERVICE = Service(base_url="http://service.test", requests_per_second=10_000, max_body_mb=1)


pytestmark = pytest.mark.usefixtures("retry_without_waiting")


def now() -> datetime:
    return datetime(2026, 11, 20, 12, tzinfo=UTC)


class Stream(httpx.AsyncByteStream):
    """A body in parts that counts how many of them were read."""

    def __init__(self, *parts, endless=False, fault=None):
        self.parts, self.endless, self.fault, self.taken = parts, endless, fault, 0

    async def __aiter__(self):
        for part in itertools.cycle(self.parts) if self.endless else self.parts:
            self.taken += 1
            yield part
        if self.fault:
            raise self.fault


class FakeService:
    """Returns the given responses in turn and repeats the last one; records the requests."""

    def __init__(self, *responses):
        self.responses = itertools.chain(responses[:-1], itertools.repeat(responses[-1]))
        self.requests = []

    async def __call__(self, request):
        self.requests.append(request)
        response = next(self.responses)
        if callable(response):
            response = await response(request)
        if isinstance(response, Exception):
            raise response
        if isinstance(response.stream, Stream):
            return response
        # A new, unread response, as the network delivers it.
        return httpx.Response(response.status_code, headers=response.headers, stream=httpx.ByteStream(response.content))


def ok(**fields) -> httpx.Response:
    return httpx.Response(200, json={"name": "x", **fields})


class Connection:
    """Paid calls to a service that returns these responses, as async context manager."""

    def __init__(self, ledger, *responses, service=SERVICE, caps=None, prices=None):
        self.service = FakeService(*responses)
        self.async_ledger = AsyncLedger(ledger, caps or Caps())
        self.client = ServiceClient(service, SecretStr(KEY), now, httpx.MockTransport(self.service))
        self.calls = PaidCalls(self.client, self.async_ledger, Budget().price_kopecks | (prices or {}))
        self.stack = AsyncExitStack()

    async def __aenter__(self):
        for context in (self.async_ledger, self.client, self.calls):
            await self.stack.enter_async_context(context)
        return self.calls

    async def __aexit__(self, *error):
        return await self.stack.__aexit__(*error)


def states(ledger) -> list[str]:
    return ledger.call_rows("run")["state"].to_list()


async def test_response_is_settled_and_stored_byte_for_byte(ledger):
    body = b'{ "price": 3.5,\n "balance": 99.5, "name": "\xd0\x9e\xd0\x9e\xd0\x9e" }'
    connection = Connection(ledger, httpx.Response(200, content=body))
    async with connection as calls:
        result = await calls.request("run", INN, "brief")
    assert (result.state, result.charged, result.expected, result.balance) == (CallState.SETTLED, 350, 400, 9950)
    assert (result.http_status, result.reason, result.attempts) == (200, None, 1)
    response = ledger.outbox_responses().row(0, named=True)
    assert (response["body"], response["masked"], response["response_id"]) == (body, False, result.response_id)
    [request] = connection.service.requests
    assert str(request.url) == f"http://service.test/api/v1/company/{INN}/brief"
    assert (request.method, request.headers["X-Api-Key"]) == ("GET", KEY)


async def test_response_without_price_costs_the_catalogue_price_or_its_override(ledger):
    async with Connection(ledger, ok(), prices={"fssp": 777}) as calls:
        assert (await calls.request("run", INN, "brief")).charged == 400
        assert (await calls.request("run", INN, "fssp")).charged == 777


OUTCOMES = [
    (httpx.ConnectError("x"), CallState.RELEASED, "not_connected", 4),
    (httpx.ConnectTimeout("x"), CallState.RELEASED, "not_connected", 4),
    (httpx.PoolTimeout("x"), CallState.RELEASED, "not_connected", 4),
    (httpx.ReadTimeout("x"), CallState.UNKNOWN, "timeout", 1),
    (httpx.WriteTimeout("x"), CallState.UNKNOWN, "timeout", 1),
    (httpx.RemoteProtocolError("x"), CallState.UNKNOWN, "broken", 1),
    (httpx.ReadError("x"), CallState.UNKNOWN, "broken", 1),
    (httpx.WriteError("x"), CallState.UNKNOWN, "broken", 1),
    (ConnectionResetError("x"), CallState.UNKNOWN, "broken", 1),
    (RuntimeError("x"), CallState.UNKNOWN, "broken", 1),
    (httpx.Response(200, content=b'{"name": "cut'), CallState.UNKNOWN, "not_json", 1),
    (httpx.Response(200, content=b""), CallState.UNKNOWN, "not_json", 1),
    (httpx.Response(200, content=b"{}", headers={"Content-Length": "900"}), CallState.UNKNOWN, "broken", 1),
    (httpx.Response(500), CallState.UNKNOWN, "http_500", 1),
    (httpx.Response(503), CallState.UNKNOWN, "http_503", 1),
    (httpx.Response(302, headers={"Location": "/elsewhere"}), CallState.UNKNOWN, "http_302", 1),
    (httpx.Response(404), CallState.FREE, "http_404", 1),
    (httpx.Response(429, headers={"Retry-After": "0"}), CallState.FREE, "http_429", 4),
]


@pytest.mark.parametrize(("response", "state", "reason", "gets"), OUTCOMES, ids=lambda value: str(value)[:30])
async def test_outcomes_and_number_of_attempts(ledger, response, state, reason, gets):
    connection = Connection(ledger, response)
    async with connection as calls:
        result = await calls.request("run", INN, "brief")
    assert (result.state, result.reason, result.attempts) == (state, reason, gets)
    assert len(connection.service.requests) == gets
    assert states(ledger) == [state] * gets
    assert ledger.run_figures("run").unknown == (400 if state is CallState.UNKNOWN else 0)
    # Only the last response is stored, not the refusals that were retried.
    assert ledger.figures().outbox == (result.response_id is not None) <= 1


async def test_timeout_leaves_the_call_unknown(ledger):
    async def never(_):
        await asyncio.Event().wait()

    quick = SERVICE.model_copy(update={"timeout_seconds": 0.05})
    async with Connection(ledger, never, service=quick) as calls:
        assert (await calls.request("run", INN, "brief")).reason == "timeout"


@pytest.mark.parametrize("free", [httpx.ConnectError("x"), httpx.Response(429)])
async def test_free_failure_is_retried_with_a_new_call(ledger, free):
    connection = Connection(ledger, free, free, ok(price=4))
    async with connection as calls:
        result = await calls.request("run", INN, "brief")
    assert (result.state, result.attempts) == (CallState.SETTLED, 3)
    assert len(set(ledger.call_rows("run")["call_id"])) == 3
    assert ledger.figures().outbox == 1


async def test_setting_makes_statuses_free_and_retried(ledger):
    service = SERVICE.model_copy(update={"free_statuses": (503,), "retries": 1})
    async with Connection(ledger, httpx.Response(503), ok(), service=service) as calls:
        assert (await calls.request("run", INN, "brief")).state is CallState.SETTLED
    assert states(ledger) == ["free", "settled"]


async def test_every_retry_is_checked_against_the_caps(ledger):
    connection = Connection(ledger, httpx.Response(429, json={"price": 0}), ok(price=4), caps=Caps(run=400))
    async with connection as calls:
        assert (await calls.request("run", INN, "brief")).charged == 400
        with pytest.raises(BudgetEnded):
            await calls.request("run", PERSON, "msp")
    assert len(connection.service.requests) == 2


async def test_charged_refusal_is_not_retried(ledger):
    connection = Connection(ledger, httpx.Response(429, json={"price": 4}))
    async with connection as calls:
        assert (await calls.request("run", INN, "brief")).charged == 400
    assert len(connection.service.requests) == 1


async def test_unavailable_response_is_free_and_stored(ledger):
    async with Connection(ledger, ok(status="unavailable", unavailable=True)) as calls:
        assert (await calls.request("run", INN, "pledges")).state is CallState.FREE
        assert (await calls.request("run", INN, "brief")).state is CallState.SETTLED
    assert ledger.outbox_responses()["charged_rub"].to_list() == [0, 4]


@pytest.mark.parametrize(
    ("response", "error"),
    [
        (httpx.Response(401), KeyRefused),
        (httpx.Response(403, json={"message": "blocked"}), KeyRefused),
        (httpx.Response(402), CreditRefused),
        (httpx.Response(400, json={"error": {"code": "insufficient_funds"}}), CreditRefused),
    ],
)
async def test_refused_key_or_credit_stops_the_run(ledger, response, error):
    connection = Connection(ledger, response, ok())
    async with connection as calls:
        for _ in range(2):
            with pytest.raises(error):
                await calls.request("run", INN, "brief")
        assert isinstance(calls.stop, error)
    assert len(connection.service.requests) == 1
    assert (states(ledger), ledger.figures().outbox) == (["free"], 1)


async def test_price_increase_is_recorded_and_stops_the_next_call(ledger):
    connection = Connection(ledger, ok(price=5))
    async with connection as calls:
        assert (await calls.request("run", INN, "brief")).charged == 500
        with pytest.raises(PriceListChanged):
            await calls.request("run", INN, "fssp")
    assert ledger.run_figures("run").settled == 500
    assert len(connection.service.requests) == 1


@pytest.mark.parametrize("fault", [httpx.Response(500), httpx.ReadTimeout("x"), httpx.ConnectError("x")])
async def test_consecutive_failures_stop_the_run_before_the_budget_is_spent(ledger, fault):
    connection = Connection(ledger, ok(), fault, service=SERVICE.model_copy(update={"retries": 0}))
    async with connection as calls:
        for _ in range(BREAKER_CALLS + 1):
            await calls.request("run", INN, "brief")
        with pytest.raises(ServiceUnreachable):
            await calls.request("run", INN, "brief")
    assert len(connection.service.requests) == BREAKER_CALLS + 1


async def test_success_between_failures_continues_the_run(ledger):
    connection = Connection(ledger, *([httpx.Response(500)] * (BREAKER_CALLS - 1) + [httpx.Response(404)]) * 2, ok())
    async with connection as calls:
        for _ in range(2 * BREAKER_CALLS + 1):
            await calls.request("run", INN, "brief")
        assert calls.stop is None


async def test_endless_body_is_aborted(ledger):
    stream = Stream(b"x" * 65536, endless=True)
    async with Connection(ledger, httpx.Response(200, stream=stream)) as calls:
        result = await calls.request("run", INN, "brief")
    assert (result.state, result.reason) == (CallState.UNKNOWN, "too_large")
    assert stream.taken == 17
    assert ledger.outbox_responses()["body"].to_list() == [b"x" * 1024 * 1024]


async def test_beginning_of_a_too_large_body_is_stored_and_its_price_counts(ledger):
    stream = Stream(b'{"price": 3, "data": {"name": "', b"x" * 65536, endless=True)
    async with Connection(ledger, httpx.Response(200, stream=stream)) as calls:
        result = await calls.request("run", INN, "brief")
    assert (result.state, result.charged, result.reason) == (CallState.SETTLED, 300, "too_large")
    (body,) = ledger.outbox_responses()["body"].to_list()
    assert (body[:31], len(body)) == (b'{"price": 3, "data": {"name": "', 1024 * 1024)


@pytest.mark.parametrize("packing", ["gzip", "deflate"])
async def test_decompression_bomb_is_aborted(ledger, packing):
    pack = gzip.compress if packing == "gzip" else zlib.compress
    response = httpx.Response(200, stream=Stream(pack(b" " * 200_000_000)), headers={"Content-Encoding": packing})
    async with Connection(ledger, response) as calls:
        result = await calls.request("run", INN, "brief")
    assert (result.state, result.reason) == (CallState.UNKNOWN, "too_large")
    assert ledger.outbox_responses()["body"].to_list() == [b" " * 1024 * 1024]


async def test_compressed_body_is_stored_decompressed(ledger):
    body = json.dumps({"price": 4, "x": "y" * 5000}).encode()
    packed = gzip.compress(body)
    stream = Stream(packed[:10], packed[10:])
    response = httpx.Response(200, stream=stream, headers={"Content-Encoding": "gzip"})
    async with Connection(ledger, response) as calls:
        assert (await calls.request("run", INN, "brief")).state is CallState.SETTLED
    assert ledger.outbox_responses()["body"].to_list() == [body]


@pytest.mark.parametrize("keep", [lambda packed: packed[:-20], lambda packed: b"not packed at all"])
async def test_broken_compression_leaves_the_call_unknown(ledger, keep):
    content = keep(gzip.compress(json.dumps({"numbers": [*range(500)], "price": 4}).encode()))
    response = httpx.Response(200, stream=Stream(content), headers={"Content-Encoding": "gzip"})
    async with Connection(ledger, response) as calls:
        result = await calls.request("run", INN, "brief")
    assert (result.state, result.reason) == (CallState.UNKNOWN, "broken")


async def test_truncated_body_is_stored_and_its_price_counts(ledger):
    stream = Stream(b'{"price": 3, "data": {"name": "', fault=httpx.ReadError("cut"))
    async with Connection(ledger, httpx.Response(200, stream=stream)) as calls:
        result = await calls.request("run", INN, "brief")
    assert (result.state, result.charged, result.reason) == (CallState.SETTLED, 300, "broken")
    assert ledger.outbox_responses()["body"].to_list() == [b'{"price": 3, "data": {"name": "']


async def test_key_is_stored_nowhere(ledger, caplog):
    caplog.set_level(logging.DEBUG)
    echo = httpx.Response(403, json={"message": f"key {KEY} is blocked"})
    connection = Connection(ledger, httpx.ReadTimeout(KEY), echo)
    async with connection as calls:
        # The HTTP/2 header encoder logs headers.
        Encoder().encode([("x-api-key", KEY)])
        await calls.request("run", INN, "brief")
        with pytest.raises(KeyRefused) as caught:
            await calls.request("run", INN, "brief")
        shown = [
            repr(calls),
            repr(calls.client),
            repr(caught.value),
            str(caught.value.facts),
            caplog.text,
            repr(connection.async_ledger),
        ]
    response = ledger.outbox_responses().row(0, named=True)
    assert response["masked"] is True
    assert response["body"] == echo.content.replace(KEY.encode(), b"*" * len(KEY))
    assert not [text for text in shown if KEY in text]
    assert KEY not in str(ledger.call_rows("run").to_dicts())


@pytest.mark.parametrize("key", ["", "ключ", "two words", "line\nbreak"])
def test_key_that_is_invalid_in_a_header_is_rejected(key):
    with pytest.raises(SettingsError) as caught:
        ServiceClient(SERVICE, SecretStr(key), now)
    assert not key or key not in str(caught.value)


def test_missing_base_url_is_rejected():
    with pytest.raises(SettingsError):
        ServiceClient(Service(), SecretStr(KEY), now)


@pytest.mark.parametrize(
    ("inn", "method"),
    [
        (INN, "person-brief"),
        (PERSON, "brief"),
        (INN, "nosuch"),
        ("", "ping"),
        ("77070838/3", "brief"),
        ("٧٧٠٧٠٨٣٨٩٣", "brief"),
    ],
)
async def test_invalid_request_costs_nothing(ledger, inn, method):
    connection = Connection(ledger, ok())
    async with connection as calls:
        with pytest.raises(UsageError):
            await calls.request("run", inn, method)
    assert (connection.service.requests, states(ledger)) == ([], [])


async def test_nothing_is_sent_at_the_cap(ledger):
    connection = Connection(ledger, ok(price=4), caps=Caps(run=1000))
    async with connection as calls:
        done = await asyncio.gather(*(calls.request("run", INN, "brief") for _ in range(9)), return_exceptions=True)
    assert sum(isinstance(one, BudgetEnded) for one in done) == 7
    assert len(connection.service.requests) == 2


async def test_concurrency_is_limited(ledger):
    active, most_active = 0, 0
    three = asyncio.Event()

    async def handle(_):
        nonlocal active, most_active
        active += 1
        most_active = max(most_active, active)
        if active == 3:
            three.set()
        await three.wait()
        # Give a fourth call the time to start, if the limit allowed it.
        await asyncio.sleep(0.01)
        active -= 1
        return ok()

    async with Connection(ledger, handle, service=SERVICE.model_copy(update={"concurrency": 3})) as calls:
        async with asyncio.timeout(60):
            await asyncio.gather(*(calls.request("run", INN, "brief") for _ in range(20)))
    assert most_active == 3


async def test_cancelled_call_is_completed(ledger):
    sent, response = asyncio.Event(), asyncio.Event()

    async def slow(_):
        sent.set()
        await response.wait()
        return ok(price=4)

    async with Connection(ledger, slow) as calls:
        task = asyncio.create_task(calls.request("run", INN, "brief"))
        await sent.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        response.set()
        await calls.drain()
        assert (states(ledger), ledger.figures().outbox) == (["settled"], 1)


async def test_forced_exit_leaves_the_call_unknown(ledger):
    sent = asyncio.Event()

    async def never(_):
        sent.set()
        await asyncio.Event().wait()

    async def run():
        async with Connection(ledger, never) as calls:
            await calls.request("run", INN, "brief")

    task = asyncio.create_task(run())
    await sent.wait()
    task.cancel()
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ledger.call_rows("run").select("state", "reason").rows() == [("unknown", "interrupted")]


@pytest.mark.parametrize("body", [{"balance": 12.5}, {"data": {"balance": "12,50"}}])
async def test_account_returns_its_balance(ledger, body):
    connection = Connection(ledger, httpx.Response(200, json=body))
    async with connection as calls:
        assert await calls.update_balance() == 1250
        await calls.client.ping()
    assert ledger.figures().balance == 1250
    assert [request.url.path for request in connection.service.requests] == ["/api/v1/account", "/api/v1/ping"]
    assert states(ledger) == []


@pytest.mark.parametrize(
    ("response", "error"),
    [
        (httpx.Response(401), KeyRefused),
        (httpx.Response(402), CreditRefused),
        (httpx.Response(404), ServiceUnreachable),
        (httpx.Response(503), ServiceUnreachable),
        (httpx.ConnectError(KEY), ServiceUnreachable),
    ],
)
async def test_free_methods_report_errors(ledger, response, error):
    async with Connection(ledger, response) as calls:
        with pytest.raises(error) as caught:
            await calls.client.ping()
        assert KEY not in str(caught.value)


async def test_free_methods_are_retried_after_a_timeout_but_not_after_a_refusal(ledger):
    connection = Connection(ledger, httpx.ReadTimeout("x"), httpx.Response(502), ok(balance=1), httpx.Response(401))
    async with connection as calls:
        assert await calls.update_balance() == 100
        with pytest.raises(KeyRefused):
            await calls.client.ping()
    assert len(connection.service.requests) == 4


async def test_account_without_balance_is_accepted(ledger):
    async with Connection(ledger, httpx.Response(200, json=["who knows"])) as calls:
        assert await calls.update_balance() is None


@pytest.mark.parametrize("envelope", ["root", "data"])
@pytest.mark.parametrize("method", [name for name, method in METHODS.items() if method.free_if_unavailable])
async def test_unavailable_of_the_payload_only_is_free(ledger, envelope, method):
    faults = FaultPlan(script=(Entry(Fault.PAYLOAD_UNAVAILABLE),))
    transport = httpx.ASGITransport(create_app(SandboxOptions(faults=faults, envelope=envelope)))
    async with (
        AsyncLedger(ledger, Caps()) as async_ledger,
        ServiceClient(SERVICE, SecretStr("sandbox"), now, transport) as client,
        PaidCalls(client, async_ledger, {}) as calls,
    ):
        free, charged = [await calls.request("run", INN, method) for _ in range(2)]
    assert (free.state, free.charged, free.reason, free.attempts) == (CallState.FREE, 0, "unavailable", 1)
    assert free.response_id is not None
    assert (charged.state, charged.charged, charged.reason) == (CallState.SETTLED, METHODS[method].price, None)


async def test_person_methods_of_the_settings_accept_persons(ledger):
    confirmed = SERVICE.model_copy(update={"person_methods": ("rnp",)})
    connection = Connection(ledger, ok(), service=confirmed)
    async with connection as calls:
        assert (await calls.request("run", PERSON, "rnp")).state is CallState.SETTLED
        assert (await calls.request("run", INN, "rnp")).state is CallState.SETTLED
        with pytest.raises(UsageError):
            await calls.request("run", PERSON, "sanctions")
    assert [request.url.path for request in connection.service.requests] == [
        f"/api/v1/company/{inn}/rnp" for inn in (PERSON, INN)
    ]
    async with Connection(ledger, ok()) as calls:
        with pytest.raises(UsageError):
            await calls.request("run", PERSON, "rnp")
