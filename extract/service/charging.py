"""Outcome of a call: what it cost, whether it may be repeated, whether the run must stop. Pure functions."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from innspect.extract.service.envelope import UNAVAILABLE, Envelope
from innspect.schemas.declaration import Method
from innspect.schemas.errors import CreditRefused, InnspectError, KeyRefused, PriceListChanged, ServiceUnreachable
from innspect.schemas.states import CallState

FREE_REFUSALS = (400, 401, 402, 403, 404, 422, 429)
"""Statuses that cost nothing unless the response names a price."""
KEY_REFUSED = (401, 403)
CREDIT_REFUSED = 402
TOO_MANY_REQUESTS = 429
OVERLOADED = (429, 503)


class Failure(StrEnum):
    """Why a response is not complete."""

    NOT_CONNECTED = "not_connected"
    """No connection was made, so nothing was sent."""
    TIMEOUT = "timeout"
    BROKEN = "broken"
    """The connection broke, or the body is truncated."""
    TOO_LARGE = "too_large"


class Stop(StrEnum):
    """Why the run must make no further call."""

    KEY = "key"
    CREDIT = "credit"
    PRICE_LIST = "price_list"


@dataclass(frozen=True, slots=True)
class Decision:
    """The decided outcome of one call. `charged` is kopecks, None while unknown.

    `can_retry`: nothing was charged for certain, and a repetition may succeed. `reason` is None for a usable response.
    """

    state: CallState
    charged: int | None
    can_retry: bool = False
    stop: Stop | None = None
    reason: str | None = None


def is_success(status: int | None) -> bool:
    """Whether an HTTP status is 2xx."""
    return status is not None and 200 <= status < 300


def decide_outcome(
    method: Method,
    expected: int,
    status: int | None,
    failure: Failure | None,
    envelope: Envelope,
    free_statuses: Collection[int] = (),
) -> Decision:
    """Decide the outcome of a call that reserved `expected` kopecks. `status` is None if no head was received."""
    if failure is Failure.NOT_CONNECTED:
        return Decision(CallState.RELEASED, 0, can_retry=True, reason=failure.value)
    is_complete = failure is None and status is not None
    is_usable = is_complete and is_success(status)
    is_free_status = status in FREE_REFUSALS or status in free_statuses
    if envelope.price is not None:
        # Also of an unavailable response, which is documented as free: a price that it names was charged.
        charged: int | None = envelope.price
    elif is_usable and method.free_if_unavailable and envelope.is_unavailable:
        # Also if only the payload says that it is unavailable.
        charged = 0
    elif is_usable and envelope.is_complete:
        charged = expected
    elif is_complete and is_free_status:
        charged = 0
    else:
        charged = None
    state = CallState.UNKNOWN if charged is None else CallState.SETTLED if charged else CallState.FREE
    stop = _find_stop(status, envelope)
    if stop is None and charged is not None and charged > expected:
        stop = Stop.PRICE_LIST
    is_retryable_status = status == TOO_MANY_REQUESTS or status in free_statuses
    can_retry = is_complete and state is CallState.FREE and stop is None and is_retryable_status
    return Decision(state, charged, can_retry, stop, _find_reason(status, failure, envelope))


def _find_stop(status: int | None, envelope: Envelope) -> Stop | None:
    if status is None:
        return None
    if status == CREDIT_REFUSED or (envelope.has_credit_status if is_success(status) else envelope.has_credit_message):
        return Stop.CREDIT
    return Stop.KEY if status in KEY_REFUSED else None


def _find_reason(status: int | None, failure: Failure | None, envelope: Envelope) -> str | None:
    if failure is not None:
        # The plain text: a database driver may store an enumeration's member by its name.
        return failure.value
    if not is_success(status):
        return f"http_{status}"
    if not envelope.is_complete:
        return "not_json"
    return UNAVAILABLE if envelope.is_unavailable else None


def stop_error(stop: Stop, status: int | None) -> InnspectError:
    """The error that stops the run."""
    match stop:
        case Stop.KEY:
            return KeyRefused(
                f"The service refused the API key ({status}); set a valid one in INNSPECT_API_KEY and run again.",
                status=status,
            )
        case Stop.CREDIT:
            return CreditRefused("The account's credit is used up; top it up and run again.", status=status)
        case Stop.PRICE_LIST:
            return PriceListChanged(
                "The price list has changed: a response cost more than was reserved for it; write the new prices in "
                "budget.prices and run again.",
                status=status,
            )


def breaker_error(calls: int, reason: str | None) -> ServiceUnreachable:
    """The error that stops the run after consecutive calls without a response."""
    return ServiceUnreachable(
        f"The last calls ({calls}) returned no response ({reason}), and each may have been charged; check the service, "
        "then run again.",
        calls=calls,
        reason=reason,
    )


def free_method_error(
    name: str, status: int | None, failure: Failure | None, envelope: Envelope
) -> InnspectError | None:
    """The error of a response to `ping` or `account`; None if it is a success."""
    if failure is None:
        if is_success(status):
            return None
        if (stop := _find_stop(status, envelope)) is not None:
            return stop_error(stop, status)
    reason = failure.value if failure is not None else f"http_{status}"
    return ServiceUnreachable(
        f"The service does not respond to its free method {name} ({reason}); check service.base_url and the network.",
        method=name,
        status=status,
        reason=reason,
    )
