"""The webhook: body, signature and retries."""

import hashlib
import hmac
import logging

import httpx
import pytest
import stamina
from pydantic import SecretStr

from innspect.flows.notify.webhook import DELIVERY, MAX_ATTEMPTS, SIGNATURE, Webhook

ADDRESS = "https://hooks.example/innspect/t0ken-in-the-path"
BODY = '{"alerts": ["счёт"]}'.encode()


@pytest.fixture(autouse=True)
def retry_without_waiting():
    with stamina.set_testing(True, attempts=MAX_ATTEMPTS):
        yield


class Receiver:
    """Returns these responses in turn, repeats the last one, and records the requests."""

    def __init__(self, *responses):
        self.responses, self.requests = list(responses), []

    def __call__(self, request):
        self.requests.append(request)
        response = self.responses.pop(0) if len(self.responses) > 1 else self.responses[0]
        if isinstance(response, Exception):
            raise response
        return httpx.Response(response)


def post(receiver, secret=None):
    with Webhook(ADDRESS, secret, httpx.MockTransport(receiver)) as webhook:
        return webhook.post(BODY, "delivery-1")


def test_signature_covers_the_sent_bytes():
    receiver = Receiver(204)
    assert post(receiver, SecretStr("s3cret-ключ")) is None
    (request,) = receiver.requests
    assert request.method == "POST"
    assert str(request.url) == ADDRESS
    assert request.content == BODY
    assert request.headers["Content-Type"] == "application/json"
    expected = hmac.new("s3cret-ключ".encode(), request.content, hashlib.sha256).hexdigest()
    assert request.headers[SIGNATURE] == expected


def test_nothing_is_signed_without_a_secret():
    receiver = Receiver(200)
    assert post(receiver) is None
    assert SIGNATURE not in receiver.requests[0].headers


@pytest.mark.parametrize("first", [500, 503, 408, 429, httpx.ConnectError("no"), httpx.ReadTimeout("late")])
def test_temporary_failure_is_retried_with_the_same_delivery_id(first):
    receiver = Receiver(first, 200)
    assert post(receiver, SecretStr("s")) is None
    assert len(receiver.requests) == 2
    assert {request.headers[DELIVERY] for request in receiver.requests} == {"delivery-1"}
    assert len({request.headers[SIGNATURE] for request in receiver.requests}) == 1


@pytest.mark.parametrize("refusal", [400, 401, 404, 410, 301])
def test_permanent_refusal_is_not_retried(refusal):
    receiver = Receiver(refusal)
    assert post(receiver) == f"HTTP {refusal}"
    assert len(receiver.requests) == 1


@pytest.mark.parametrize(("fault", "says"), [(502, "HTTP 502"), (httpx.ConnectError(f"to {ADDRESS}"), "ConnectError")])
def test_delivery_fails_after_all_attempts_without_naming_the_url(fault, says, caplog):
    caplog.set_level(logging.DEBUG)
    receiver = Receiver(fault)
    assert post(receiver) == says
    assert len(receiver.requests) == MAX_ATTEMPTS
    assert "t0ken" not in caplog.text
