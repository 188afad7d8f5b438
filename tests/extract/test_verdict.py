"""What each outcome costs, whether it is repeated, and whether it stops the run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from innspect.extract.service.charging import Failure, State, Stop, judge
from innspect.extract.service.envelope import Envelope
from innspect.schemas.catalogue import METHODS

PAID, SILENT_IS_FREE = METHODS["brief"], METHODS["arbitration"]
READ, GARBLED = Envelope(whole=True), Envelope()
PRICED, FREE, DEAR = (Envelope(price=price, whole=True) for price in (350, 0, 10_000))
UNAVAILABLE = Envelope(status="unavailable", whole=True)
REFUSED = Envelope(status="insufficient_balance", price=0, whole=True)

CASES = [
    # status, failure, envelope -> state, charged, retry, stop
    (200, None, PRICED, State.SETTLED, 350, False, None),
    (200, None, READ, State.SETTLED, 400, False, None),
    (206, None, READ, State.SETTLED, 400, False, None),
    (200, None, FREE, State.FREE, 0, False, None),
    (200, None, DEAR, State.SETTLED, 10_000, False, Stop.PRICE_LIST),
    (200, None, UNAVAILABLE, State.SETTLED, 400, False, None),
    (200, None, GARBLED, State.UNKNOWN, None, False, None),
    (200, None, Envelope(price=350), State.SETTLED, 350, False, None),
    (200, None, REFUSED, State.FREE, 0, False, Stop.CREDIT),
    (200, None, Envelope(says="insufficient balance", whole=True), State.SETTLED, 400, False, None),
    *((status, None, READ, State.FREE, 0, False, None) for status in (400, 404, 422)),
    *((status, None, GARBLED, State.FREE, 0, False, None) for status in (400, 404, 422)),
    *((status, None, PRICED, State.SETTLED, 350, False, None) for status in (400, 404, 422, 429, 500, 503)),
    (401, None, READ, State.FREE, 0, False, Stop.KEY),
    (403, None, READ, State.FREE, 0, False, Stop.KEY),
    (403, None, Envelope(says="Недостаточно средств на балансе", whole=True), State.FREE, 0, False, Stop.CREDIT),
    (402, None, READ, State.FREE, 0, False, Stop.CREDIT),
    (402, None, PRICED, State.SETTLED, 350, False, Stop.CREDIT),
    (429, None, READ, State.FREE, 0, True, None),
    (429, None, FREE, State.FREE, 0, True, None),
    *((status, None, READ, State.UNKNOWN, None, False, None) for status in (500, 502, 503, 504, 302, 409, 418)),
    (503, None, FREE, State.FREE, 0, False, None),
    (None, Failure.NOT_CONNECTED, GARBLED, State.RELEASED, 0, True, None),
    (None, Failure.TIMEOUT, GARBLED, State.UNKNOWN, None, False, None),
    (None, Failure.BROKEN, GARBLED, State.UNKNOWN, None, False, None),
    (200, Failure.BROKEN, GARBLED, State.UNKNOWN, None, False, None),
    (200, Failure.BROKEN, Envelope(price=400), State.SETTLED, 400, False, None),
    (200, Failure.TOO_LARGE, GARBLED, State.UNKNOWN, None, False, None),
    (429, Failure.BROKEN, GARBLED, State.UNKNOWN, None, False, None),
    (401, Failure.BROKEN, GARBLED, State.UNKNOWN, None, False, Stop.KEY),
]


@pytest.mark.parametrize(("status", "failure", "envelope", "state", "charged", "retry", "stop"), CASES)
def test_outcomes(status, failure, envelope, state, charged, retry, stop):
    verdict = judge(PAID, 400, status, failure, envelope)
    assert (verdict.state, verdict.charged, verdict.retry, verdict.stop) == (state, charged, retry, stop)


@pytest.mark.parametrize("method", ["arbitration", "general-courts", "contracts", "pledges"])
@pytest.mark.parametrize("price", [None, 0, 1200])
def test_an_unavailable_answer_of_four_methods_is_free(method, price):
    verdict = judge(METHODS[method], 1200, 200, None, Envelope(price=price, status="unavailable", whole=True))
    assert (verdict.state, verdict.charged, verdict.retry, verdict.reason) == (State.FREE, 0, False, "unavailable")


def test_a_broken_or_failed_unavailable_answer_is_not_taken_for_free():
    assert judge(SILENT_IS_FREE, 1200, 200, Failure.BROKEN, UNAVAILABLE).state is State.UNKNOWN
    assert judge(SILENT_IS_FREE, 1200, 500, None, UNAVAILABLE).state is State.UNKNOWN


def test_statuses_that_the_provider_calls_free_are_free_and_repeated():
    verdict = judge(PAID, 400, 503, None, READ, (503,))
    assert (verdict.state, verdict.charged, verdict.retry) == (State.FREE, 0, True)
    assert judge(PAID, 400, 503, None, PRICED, (503,)).retry is False
    assert judge(PAID, 400, 503, Failure.BROKEN, READ, (503,)).state is State.UNKNOWN
    assert judge(PAID, 400, 403, None, READ, (403,)).retry is False


def test_a_usable_answer_has_no_reason():
    assert judge(PAID, 400, 200, None, READ).reason is None
    assert judge(PAID, 400, 200, None, GARBLED).reason == "not_json"
    assert judge(PAID, 400, 404, None, READ).reason == "http_404"
    assert judge(PAID, 400, 200, Failure.TIMEOUT, READ).reason == "timeout"
    assert {type(judge(PAID, 400, None, failure, GARBLED).reason) for failure in Failure} == {str}


@given(
    st.sampled_from([*METHODS.values()]),
    st.integers(0, 5000),
    st.one_of(st.none(), st.integers(100, 599)),
    st.one_of(st.none(), st.sampled_from([*Failure])),
    st.builds(
        Envelope,
        price=st.one_of(st.none(), st.integers(0, 9000)),
        status=st.sampled_from(["", "ok", "unavailable", "no_credit"]),
        whole=st.booleans(),
    ),
    st.sets(st.integers(400, 599), max_size=3),
)
def test_only_what_is_free_is_repeated_and_every_verdict_adds_up(method, expected, status, failure, envelope, free):
    verdict = judge(method, expected, status, failure, envelope, free)
    assert (verdict.charged is None) == (verdict.state is State.UNKNOWN)
    if verdict.retry:
        assert verdict.charged == 0
        assert verdict.stop is None
        assert failure is Failure.NOT_CONNECTED or status == 429 or status in free
    if verdict.state is State.RELEASED:
        assert failure is Failure.NOT_CONNECTED
    if failure is not Failure.NOT_CONNECTED and envelope.price and not envelope.unavailable:
        assert verdict.charged == envelope.price
