"""Every outcome over a stand-in for the network: money, retries, limits, the key, stops and interruptions."""

import asyncio
import gzip
import itertools
import json
import logging
import zlib
from datetime import UTC, datetime

import httpx
import pytest
import stamina
from hpack import Encoder
from pydantic import SecretStr

from innspect.extract.ledger.async_writer import LedgerFront
from innspect.extract.ledger.ledger import Ledger
from innspect.extract.ledger.operations import Caps
from innspect.extract.service.charging import State
from innspect.extract.service.client import BREAKER, Client
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

INN, PERSON = "7707083893", "500100732259"
KEY = "s3cret-key/with+signs"
SERVICE = Service(base_url="http://service.test", requests_per_second=10_000, max_body_mb=1)


@pytest.fixture(autouse=True)
def no_waits():
    with stamina.set_testing(True, attempts=100, cap=True):
        yield


@pytest.fixture
def ledger(tmp_path):
    ledger = Ledger.open(tmp_path / "ledger.sqlite", now, "UTC")
    ledger.start_run("run", portfolio="p", profile="f", budget=1, at=now(), software_version="1")
    yield ledger
    ledger.close()


def now() -> datetime:
    return datetime(2026, 11, 20, 12, tzinfo=UTC)


class Stream(httpx.AsyncByteStream):
    """A body in parts, of which a client may take as many as it likes."""

    def __init__(self, *parts, endless=False, fault=None):
        self.parts, self.endless, self.fault, self.taken = parts, endless, fault, 0

    async def __aiter__(self):
        for part in itertools.cycle(self.parts) if self.endless else self.parts:
            self.taken += 1
            yield part
        if self.fault:
            raise self.fault


class Answering:
    """Answers with the given things in turn, the last one for ever; keeps the requests."""

    def __init__(self, *answers):
        self.answers = itertools.chain(answers[:-1], itertools.repeat(answers[-1]))
        self.requests = []

    async def __call__(self, request):
        self.requests.append(request)
        answer = next(self.answers)
        if callable(answer):
            answer = await answer(request)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer.stream, Stream):
            return answer
        # Anew, and unread: as it comes over a wire.
        return httpx.Response(answer.status_code, headers=answer.headers, stream=httpx.ByteStream(answer.content))


def ok(**fields) -> httpx.Response:
    return httpx.Response(200, json={"name": "x", **fields})


class asked:  # noqa: N801
    """A client over a service that answers so, and its front."""

    def __init__(self, ledger, *answers, service=SERVICE, caps=None, prices=None):
        self.service = Answering(*answers)
        self.front = LedgerFront(ledger, caps or Caps())
        self.client = Client(
            service,
            SecretStr(KEY),
            self.front,
            Budget().price_kopecks | (prices or {}),
            now,
            httpx.MockTransport(self.service),
        )

    async def __aenter__(self):
        await self.front.__aenter__()
        await self.client.__aenter__()
        return self.client

    async def __aexit__(self, *error):
        try:
            await self.client.__aexit__(*error)
        finally:
            await self.front.__aexit__(*error)


def states(ledger) -> list[str]:
    return ledger.call_rows("run")["state"].to_list()


async def test_a_good_answer_is_settled_and_kept_byte_for_byte(ledger):
    body = b'{ "price": 3.5,\n "balance": 99.5, "name": "\xd0\x9e\xd0\x9e\xd0\x9e" }'
    over = asked(ledger, httpx.Response(200, content=body))
    async with over as client:
        result = await client.check("run", INN, "brief")
    assert (result.state, result.charged, result.expected, result.balance) == (State.SETTLED, 350, 400, 9950)
    assert (result.http_status, result.reason, result.attempts) == (200, None, 1)
    answer = ledger.outbox_answers().row(0, named=True)
    assert (answer["body"], answer["masked"], answer["response_id"]) == (body, False, result.response_id)
    [request] = over.service.requests
    assert str(request.url) == f"http://service.test/api/v1/company/{INN}/brief"
    assert (request.method, request.headers["X-Api-Key"]) == ("GET", KEY)


async def test_without_a_price_the_catalogue_or_its_override_counts(ledger):
    async with asked(ledger, ok(), prices={"fssp": 777}) as client:
        assert (await client.check("run", INN, "brief")).charged == 400
        assert (await client.check("run", INN, "fssp")).charged == 777


OUTCOMES = [
    (httpx.ConnectError("x"), State.RELEASED, "not_connected", 4),
    (httpx.ConnectTimeout("x"), State.RELEASED, "not_connected", 4),
    (httpx.PoolTimeout("x"), State.RELEASED, "not_connected", 4),
    (httpx.ReadTimeout("x"), State.UNKNOWN, "timeout", 1),
    (httpx.WriteTimeout("x"), State.UNKNOWN, "timeout", 1),
    (httpx.RemoteProtocolError("x"), State.UNKNOWN, "broken", 1),
    (httpx.ReadError("x"), State.UNKNOWN, "broken", 1),
    (httpx.WriteError("x"), State.UNKNOWN, "broken", 1),
    (ConnectionResetError("x"), State.UNKNOWN, "broken", 1),
    (RuntimeError("x"), State.UNKNOWN, "broken", 1),
    (httpx.Response(200, content=b'{"name": "cut'), State.UNKNOWN, "not_json", 1),
    (httpx.Response(200, content=b""), State.UNKNOWN, "not_json", 1),
    (httpx.Response(200, content=b"{}", headers={"Content-Length": "900"}), State.UNKNOWN, "broken", 1),
    (httpx.Response(500), State.UNKNOWN, "http_500", 1),
    (httpx.Response(503), State.UNKNOWN, "http_503", 1),
    (httpx.Response(302, headers={"Location": "/elsewhere"}), State.UNKNOWN, "http_302", 1),
    (httpx.Response(404), State.FREE, "http_404", 1),
    (httpx.Response(429, headers={"Retry-After": "0"}), State.FREE, "http_429", 4),
]


@pytest.mark.parametrize(("answer", "state", "reason", "gets"), OUTCOMES, ids=lambda value: str(value)[:30])
async def test_outcomes_and_how_often_each_is_asked(ledger, answer, state, reason, gets):
    over = asked(ledger, answer)
    async with over as client:
        result = await client.check("run", INN, "brief")
    assert (result.state, result.reason, result.attempts) == (state, reason, gets)
    assert len(over.service.requests) == gets
    assert states(ledger) == [state] * gets
    assert ledger.run_figures("run").unknown == (400 if state is State.UNKNOWN else 0)
    # A refusal that was repeated is no answer; the last word is.
    assert ledger.figures().outbox == (result.response_id is not None) <= 1


async def test_a_slow_answer_is_given_up_and_unknown(ledger):
    async def never(_):
        await asyncio.Event().wait()

    quick = SERVICE.model_copy(update={"timeout_seconds": 0.05})
    async with asked(ledger, never, service=quick) as client:
        assert (await client.check("run", INN, "brief")).reason == "timeout"


@pytest.mark.parametrize("free", [httpx.ConnectError("x"), httpx.Response(429)])
async def test_after_a_free_failure_the_call_is_made_anew(ledger, free):
    over = asked(ledger, free, free, ok(price=4))
    async with over as client:
        result = await client.check("run", INN, "brief")
    assert (result.state, result.attempts) == (State.SETTLED, 3)
    assert len(set(ledger.call_rows("run")["call_id"])) == 3
    assert ledger.figures().outbox == 1


async def test_a_setting_makes_statuses_free_and_repeated(ledger):
    service = SERVICE.model_copy(update={"free_statuses": (503,), "retries": 1})
    async with asked(ledger, httpx.Response(503), ok(), service=service) as client:
        assert (await client.check("run", INN, "brief")).state is State.SETTLED
    assert states(ledger) == ["free", "settled"]


async def test_every_repetition_is_held_against_the_caps(ledger):
    over = asked(ledger, httpx.Response(429, json={"price": 0}), ok(price=4), caps=Caps(run=400))
    async with over as client:
        assert (await client.check("run", INN, "brief")).charged == 400
        with pytest.raises(BudgetEnded):
            await client.check("run", PERSON, "msp")
    assert len(over.service.requests) == 2


async def test_a_refusal_that_costs_is_not_repeated(ledger):
    over = asked(ledger, httpx.Response(429, json={"price": 4}))
    async with over as client:
        assert (await client.check("run", INN, "brief")).charged == 400
    assert len(over.service.requests) == 1


async def test_an_unavailable_answer_is_free_and_kept(ledger):
    async with asked(ledger, ok(status="unavailable", unavailable=True)) as client:
        assert (await client.check("run", INN, "pledges")).state is State.FREE
        assert (await client.check("run", INN, "brief")).state is State.SETTLED
    assert ledger.outbox_answers()["charged_rub"].to_list() == [0, 4]


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (httpx.Response(401), KeyRefused),
        (httpx.Response(403, json={"message": "blocked"}), KeyRefused),
        (httpx.Response(402), CreditRefused),
        (httpx.Response(400, json={"error": {"code": "insufficient_funds"}}), CreditRefused),
    ],
)
async def test_a_refused_key_or_credit_stops_everything(ledger, answer, error):
    over = asked(ledger, answer, ok())
    async with over as client:
        for _ in range(2):
            with pytest.raises(error):
                await client.check("run", INN, "brief")
        assert isinstance(client.stopped, error)
    assert len(over.service.requests) == 1
    assert (states(ledger), ledger.figures().outbox) == (["free"], 1)


async def test_a_dearer_answer_is_recorded_and_the_next_call_stops(ledger):
    over = asked(ledger, ok(price=5))
    async with over as client:
        assert (await client.check("run", INN, "brief")).charged == 500
        with pytest.raises(PriceListChanged):
            await client.check("run", INN, "fssp")
    assert ledger.run_figures("run").settled == 500
    assert len(over.service.requests) == 1


@pytest.mark.parametrize("fault", [httpx.Response(500), httpx.ReadTimeout("x"), httpx.ConnectError("x")])
async def test_silence_stops_the_run_before_it_eats_the_budget(ledger, fault):
    over = asked(ledger, ok(), fault, service=SERVICE.model_copy(update={"retries": 0}))
    async with over as client:
        for _ in range(BREAKER + 1):
            await client.check("run", INN, "brief")
        with pytest.raises(ServiceUnreachable):
            await client.check("run", INN, "brief")
    assert len(over.service.requests) == BREAKER + 1


async def test_an_answer_in_between_keeps_the_run_going(ledger):
    over = asked(ledger, *([httpx.Response(500)] * (BREAKER - 1) + [httpx.Response(404)]) * 2, ok())
    async with over as client:
        for _ in range(2 * BREAKER + 1):
            await client.check("run", INN, "brief")
        assert client.stopped is None


async def test_an_endless_body_is_given_up(ledger):
    stream = Stream(b"x" * 65536, endless=True)
    async with asked(ledger, httpx.Response(200, stream=stream)) as client:
        result = await client.check("run", INN, "brief")
    assert (result.state, result.reason, result.response_id) == (State.UNKNOWN, "too_large", None)
    assert stream.taken == 17


@pytest.mark.parametrize("packing", ["gzip", "deflate"])
async def test_a_bomb_is_given_up(ledger, packing):
    pack = gzip.compress if packing == "gzip" else zlib.compress
    answer = httpx.Response(200, stream=Stream(pack(b" " * 200_000_000)), headers={"Content-Encoding": packing})
    async with asked(ledger, answer) as client:
        result = await client.check("run", INN, "brief")
    assert (result.state, result.reason) == (State.UNKNOWN, "too_large")
    assert ledger.figures().outbox == 0


async def test_a_packed_body_is_kept_unpacked(ledger):
    body = json.dumps({"price": 4, "x": "y" * 5000}).encode()
    packed = gzip.compress(body)
    stream = Stream(packed[:10], packed[10:])
    answer = httpx.Response(200, stream=stream, headers={"Content-Encoding": "gzip"})
    async with asked(ledger, answer) as client:
        assert (await client.check("run", INN, "brief")).state is State.SETTLED
    assert ledger.outbox_answers()["body"].to_list() == [body]


@pytest.mark.parametrize("keep", [lambda packed: packed[:-20], lambda packed: b"not packed at all"])
async def test_a_broken_packing_is_unknown(ledger, keep):
    content = keep(gzip.compress(json.dumps({"numbers": [*range(500)], "price": 4}).encode()))
    answer = httpx.Response(200, stream=Stream(content), headers={"Content-Encoding": "gzip"})
    async with asked(ledger, answer) as client:
        result = await client.check("run", INN, "brief")
    assert (result.state, result.reason) == (State.UNKNOWN, "broken")


async def test_what_came_of_a_cut_body_is_kept_and_its_price_believed(ledger):
    stream = Stream(b'{"price": 3, "data": {"name": "', fault=httpx.ReadError("cut"))
    async with asked(ledger, httpx.Response(200, stream=stream)) as client:
        result = await client.check("run", INN, "brief")
    assert (result.state, result.charged, result.reason) == (State.SETTLED, 300, "broken")
    assert ledger.outbox_answers()["body"].to_list() == [b'{"price": 3, "data": {"name": "']


async def test_the_key_is_nowhere(ledger, caplog):
    caplog.set_level(logging.DEBUG)
    echo = httpx.Response(403, json={"message": f"key {KEY} is blocked"})
    over = asked(ledger, httpx.ReadTimeout(KEY), echo)
    async with over as client:
        # What writes headers over HTTP/2 logs them.
        Encoder().encode([("x-api-key", KEY)])
        await client.check("run", INN, "brief")
        with pytest.raises(KeyRefused) as caught:
            await client.check("run", INN, "brief")
        shown = [repr(client), repr(caught.value), str(caught.value.facts), caplog.text, repr(over.front)]
    answer = ledger.outbox_answers().row(0, named=True)
    assert answer["masked"] is True
    assert answer["body"] == echo.content.replace(KEY.encode(), b"*" * len(KEY))
    assert not [text for text in shown if KEY in text]
    assert KEY not in str(ledger.call_rows("run").to_dicts())


@pytest.mark.parametrize("key", ["", "ключ", "two words", "line\nbreak"])
def test_a_key_that_no_header_carries_is_refused(ledger, key):
    with pytest.raises(SettingsError) as caught:
        Client(SERVICE, SecretStr(key), LedgerFront(ledger, Caps()), {}, now)
    assert not key or key not in str(caught.value)


def test_a_service_without_address_is_refused(ledger):
    with pytest.raises(SettingsError):
        Client(Service(), SecretStr(KEY), LedgerFront(ledger, Caps()), {}, now)


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
async def test_what_cannot_be_asked_costs_nothing(ledger, inn, method):
    over = asked(ledger, ok())
    async with over as client:
        with pytest.raises(UsageError):
            await client.check("run", inn, method)
    assert (over.service.requests, states(ledger)) == ([], [])


async def test_at_the_cap_nothing_is_sent(ledger):
    over = asked(ledger, ok(price=4), caps=Caps(run=1000))
    async with over as client:
        done = await asyncio.gather(*(client.check("run", INN, "brief") for _ in range(9)), return_exceptions=True)
    assert sum(isinstance(one, BudgetEnded) for one in done) == 7
    assert len(over.service.requests) == 2


async def test_so_many_at_once_and_no_more(ledger):
    under_way, most = 0, 0
    three = asyncio.Event()

    async def watched(_):
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        if under_way == 3:
            three.set()
        await three.wait()
        # Time for a fourth to come, if it could.
        await asyncio.sleep(0.01)
        under_way -= 1
        return ok()

    async with asked(ledger, watched, service=SERVICE.model_copy(update={"concurrency": 3})) as client:
        async with asyncio.timeout(60):
            await asyncio.gather(*(client.check("run", INN, "brief") for _ in range(20)))
    assert most == 3


async def test_a_cancelled_call_is_carried_to_its_end(ledger):
    sent, answer = asyncio.Event(), asyncio.Event()

    async def slow(_):
        sent.set()
        await answer.wait()
        return ok(price=4)

    async with asked(ledger, slow) as client:
        task = asyncio.create_task(client.check("run", INN, "brief"))
        await sent.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        answer.set()
        await client.drain()
        assert (states(ledger), ledger.figures().outbox) == (["settled"], 1)


async def test_leaving_in_a_hurry_leaves_the_call_unknown(ledger):
    sent = asyncio.Event()

    async def never(_):
        sent.set()
        await asyncio.Event().wait()

    async def run():
        async with asked(ledger, never) as client:
            await client.check("run", INN, "brief")

    task = asyncio.create_task(run())
    await sent.wait()
    task.cancel()
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ledger.call_rows("run").select("state", "reason").rows() == [("unknown", "interrupted")]


@pytest.mark.parametrize("body", [{"balance": 12.5}, {"data": {"balance": "12,50"}}])
async def test_the_account_names_its_balance(ledger, body):
    over = asked(ledger, httpx.Response(200, json=body))
    async with over as client:
        assert (await client.account()).balance == 1250
        await client.ping()
    assert ledger.figures().balance == 1250
    assert [request.url.path for request in over.service.requests] == ["/api/v1/account", "/api/v1/ping"]
    assert states(ledger) == []


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (httpx.Response(401), KeyRefused),
        (httpx.Response(402), CreditRefused),
        (httpx.Response(404), ServiceUnreachable),
        (httpx.Response(503), ServiceUnreachable),
        (httpx.ConnectError(KEY), ServiceUnreachable),
    ],
)
async def test_free_methods_say_what_is_wrong(ledger, answer, error):
    async with asked(ledger, answer) as client:
        with pytest.raises(error) as caught:
            await client.ping()
        assert KEY not in str(caught.value)


async def test_free_methods_are_asked_again_after_silence_but_not_after_a_refusal(ledger):
    over = asked(ledger, httpx.ReadTimeout("x"), httpx.Response(502), ok(balance=1), httpx.Response(401))
    async with over as client:
        assert (await client.account()).balance == 100
        with pytest.raises(KeyRefused):
            await client.ping()
    assert len(over.service.requests) == 4


async def test_an_account_without_a_balance_is_no_error(ledger):
    async with asked(ledger, httpx.Response(200, json=["who knows"])) as client:
        assert (await client.account()).balance is None
