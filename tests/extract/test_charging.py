"""What each outcome costs, whether it is repeated, and whether it stops the run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from innspect.extract.service.charging import Failure, Stop, decide_outcome
from innspect.extract.service.envelope import Envelope
from innspect.schemas.catalogue import METHODS
from innspect.schemas.states import CallState

PAID, FREE_IF_UNAVAILABLE = METHODS["brief"], METHODS["arbitration"]
READ, TRUNCATED = Envelope(is_complete=True), Envelope()
PRICED, FREE, TOO_EXPENSIVE = (Envelope(price=price, is_complete=True) for price in (350, 0, 10_000))
UNAVAILABLE = Envelope(status="unavailable", is_complete=True)
REFUSED = Envelope(status="insufficient_balance", price=0, is_complete=True)

CASES = [
    # status, failure, envelope -> state, charged, retry, stop
    (200, None, PRICED, CallState.SETTLED, 350, False, None),
    (200, None, READ, CallState.SETTLED, 400, False, None),
    (206, None, READ, CallState.SETTLED, 400, False, None),
    (200, None, FREE, CallState.FREE, 0, False, None),
    (200, None, TOO_EXPENSIVE, CallState.SETTLED, 10_000, False, Stop.PRICE_LIST),
    (200, None, UNAVAILABLE, CallState.SETTLED, 400, False, None),
    (200, None, TRUNCATED, CallState.UNKNOWN, None, False, None),
    (200, None, Envelope(price=350), CallState.SETTLED, 350, False, None),
    (200, None, REFUSED, CallState.FREE, 0, False, Stop.CREDIT),
    (200, None, Envelope(message="insufficient balance", is_complete=True), CallState.SETTLED, 400, False, None),
    *((status, None, READ, CallState.FREE, 0, False, None) for status in (400, 404, 422)),
    *((status, None, TRUNCATED, CallState.FREE, 0, False, None) for status in (400, 404, 422)),
    *((status, None, PRICED, CallState.SETTLED, 350, False, None) for status in (400, 404, 422, 429, 500, 503)),
    (401, None, READ, CallState.FREE, 0, False, Stop.KEY),
    (403, None, READ, CallState.FREE, 0, False, Stop.KEY),
    (
        403,
        None,
        Envelope(message="Недостаточно средств на балансе", is_complete=True),
        CallState.FREE,
        0,
        False,
        Stop.CREDIT,
    ),
    (402, None, READ, CallState.FREE, 0, False, Stop.CREDIT),
    (402, None, PRICED, CallState.SETTLED, 350, False, Stop.CREDIT),
    (429, None, READ, CallState.FREE, 0, True, None),
    (429, None, FREE, CallState.FREE, 0, True, None),
    *((status, None, READ, CallState.UNKNOWN, None, False, None) for status in (500, 502, 503, 504, 302, 409, 418)),
    (503, None, FREE, CallState.FREE, 0, False, None),
    (None, Failure.NOT_CONNECTED, TRUNCATED, CallState.RELEASED, 0, True, None),
    (None, Failure.TIMEOUT, TRUNCATED, CallState.UNKNOWN, None, False, None),
    (None, Failure.BROKEN, TRUNCATED, CallState.UNKNOWN, None, False, None),
    (200, Failure.BROKEN, TRUNCATED, CallState.UNKNOWN, None, False, None),
    (200, Failure.BROKEN, Envelope(price=400), CallState.SETTLED, 400, False, None),
    (200, Failure.TOO_LARGE, TRUNCATED, CallState.UNKNOWN, None, False, None),
    (429, Failure.BROKEN, TRUNCATED, CallState.UNKNOWN, None, False, None),
    (401, Failure.BROKEN, TRUNCATED, CallState.UNKNOWN, None, False, Stop.KEY),
]


@pytest.mark.parametrize(("status", "failure", "envelope", "state", "charged", "retry", "stop"), CASES)
def test_outcomes(status, failure, envelope, state, charged, retry, stop):
    decision = decide_outcome(PAID, 400, status, failure, envelope)
    assert (decision.state, decision.charged, decision.can_retry, decision.stop) == (state, charged, retry, stop)


@pytest.mark.parametrize("method", ["arbitration", "general-courts", "contracts", "pledges"])
@pytest.mark.parametrize(
    ("price", "state", "charged"),
    [(None, CallState.FREE, 0), (0, CallState.FREE, 0), (1200, CallState.SETTLED, 1200), (900, CallState.SETTLED, 900)],
)
def test_unavailable_response_of_four_methods_is_free_unless_it_names_a_price(method, price, state, charged):
    envelope = Envelope(price=price, status="unavailable", is_complete=True)
    decision = decide_outcome(METHODS[method], 1200, 200, None, envelope)
    assert (decision.state, decision.charged, decision.can_retry, decision.reason) == (
        state,
        charged,
        False,
        "unavailable",
    )


@pytest.mark.parametrize("name", [*METHODS])
@pytest.mark.parametrize(("price", "status"), [(None, ""), (None, "ok"), (0, "ok"), (1200, "ok")])
def test_unavailable_payload_without_the_status_is_free_for_the_same_methods(name, price, status):
    method = METHODS[name]
    envelope = Envelope(price=price, status=status, is_complete=True, payload_unavailable=True)
    decision = decide_outcome(method, 1200, 200, None, envelope)
    charged = price if price is not None else 0 if method.free_if_unavailable else 1200
    assert (decision.charged, decision.stop, decision.reason) == (charged, None, "unavailable")
    assert method.free_if_unavailable == (name in ("arbitration", "general-courts", "contracts", "pledges"))


def test_broken_or_failed_unavailable_response_is_charged():
    assert decide_outcome(FREE_IF_UNAVAILABLE, 1200, 200, Failure.BROKEN, UNAVAILABLE).state is CallState.UNKNOWN
    assert decide_outcome(FREE_IF_UNAVAILABLE, 1200, 500, None, UNAVAILABLE).state is CallState.UNKNOWN
    marked = Envelope(is_complete=True, payload_unavailable=True)
    assert decide_outcome(FREE_IF_UNAVAILABLE, 1200, 200, Failure.BROKEN, marked).state is CallState.UNKNOWN
    assert decide_outcome(FREE_IF_UNAVAILABLE, 1200, 500, None, marked).state is CallState.UNKNOWN


def test_statuses_that_the_settings_call_free_are_free_and_retried():
    decision = decide_outcome(PAID, 400, 503, None, READ, (503,))
    assert (decision.state, decision.charged, decision.can_retry) == (CallState.FREE, 0, True)
    assert decide_outcome(PAID, 400, 503, None, PRICED, (503,)).can_retry is False
    assert decide_outcome(PAID, 400, 503, Failure.BROKEN, READ, (503,)).state is CallState.UNKNOWN
    assert decide_outcome(PAID, 400, 403, None, READ, (403,)).can_retry is False


def test_usable_response_has_no_reason():
    assert decide_outcome(PAID, 400, 200, None, READ).reason is None
    assert decide_outcome(PAID, 400, 200, None, TRUNCATED).reason == "not_json"
    assert decide_outcome(PAID, 400, 404, None, READ).reason == "http_404"
    assert decide_outcome(PAID, 400, 200, Failure.TIMEOUT, READ).reason == "timeout"
    assert {type(decide_outcome(PAID, 400, None, failure, TRUNCATED).reason) for failure in Failure} == {str}


@given(
    st.sampled_from([*METHODS.values()]),
    st.integers(0, 5000),
    st.one_of(st.none(), st.integers(100, 599)),
    st.one_of(st.none(), st.sampled_from([*Failure])),
    st.builds(
        Envelope,
        price=st.one_of(st.none(), st.integers(0, 9000)),
        status=st.sampled_from(["", "ok", "unavailable", "no_credit"]),
        is_complete=st.booleans(),
        payload_unavailable=st.booleans(),
    ),
    st.sets(st.integers(400, 599), max_size=3),
)
def test_only_what_is_free_is_repeated_and_every_decision_adds_up(method, expected, status, failure, envelope, free):
    decision = decide_outcome(method, expected, status, failure, envelope, free)
    assert (decision.charged is None) == (decision.state is CallState.UNKNOWN)
    if decision.can_retry:
        assert decision.charged == 0
        assert decision.stop is None
        assert failure is Failure.NOT_CONNECTED or status == 429 or status in free
    if decision.state is CallState.RELEASED:
        assert failure is Failure.NOT_CONNECTED
    if failure is not Failure.NOT_CONNECTED and envelope.price and not envelope.is_unavailable:
        assert decision.charged == envelope.price
