"""Outcomes and money: what a call cost, whether it may be repeated, and whether the run must stop. Pure."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from innspect.extract.service.envelope import UNAVAILABLE, Envelope
from innspect.schemas.catalogue import Method

NOT_CHARGED = (400, 401, 402, 403, 404, 422, 429)
"""Refusals that cost nothing unless the answer names a price."""
KEY_REFUSED = (401, 403)
CREDIT_REFUSED = 402
TOO_MANY = 429
OVERLOADED = (429, 503)


class State(StrEnum):
    """What became of a call; every state but the first is final, save that an unknown call may be reconciled."""

    RESERVED = "reserved"
    SETTLED = "settled"
    FREE = "free"
    UNKNOWN = "unknown"
    RELEASED = "released"


class Failure(StrEnum):
    """Why there is no complete answer."""

    NOT_CONNECTED = "not_connected"
    """No connection was made, so nothing was sent."""
    TIMEOUT = "timeout"
    BROKEN = "broken"
    """The connection or the packing of the body broke."""
    TOO_LARGE = "too_large"
    INTERRUPTED = "interrupted"
    """This program was stopped while it waited."""


class Stop(StrEnum):
    """Why the run makes no further call."""

    KEY = "key"
    CREDIT = "credit"
    PRICE_LIST = "price_list"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement on one call. `charged` is kopecks, None while unknown.

    `retry`: it is certain that nothing was charged and asking again may help. `reason` says why there is no usable
    answer, None where there is one.
    """

    state: State
    charged: int | None
    retry: bool = False
    stop: Stop | None = None
    reason: str | None = None


def judge(
    method: Method,
    expected: int,
    status: int | None,
    failure: Failure | None,
    envelope: Envelope,
    free_statuses: Collection[int] = (),
) -> Verdict:
    """What a call came to, that reserved `expected` kopecks. `status` is None without an answer's head."""
    if failure is Failure.NOT_CONNECTED:
        return Verdict(State.RELEASED, 0, retry=True, reason=failure.value)
    answered = status is not None and 200 <= status < 300
    whole = failure is None and status is not None
    free_anyway = status in NOT_CHARGED or status in free_statuses
    if whole and answered and method.free_if_unavailable and envelope.unavailable:
        charged: int | None = 0
    elif envelope.price is not None:
        charged = envelope.price
    elif whole and answered and envelope.whole:
        charged = expected
    elif whole and free_anyway:
        charged = 0
    else:
        charged = None
    state = State.UNKNOWN if charged is None else State.SETTLED if charged else State.FREE
    stop = _stop(status, envelope, answered=answered)
    if stop is None and charged is not None and charged > expected:
        stop = Stop.PRICE_LIST
    again = whole and state is State.FREE and stop is None and (status == TOO_MANY or status in free_statuses)
    return Verdict(state, charged, again, stop, _reason(status, failure, envelope, answered=answered))


def _stop(status: int | None, envelope: Envelope, *, answered: bool) -> Stop | None:
    if status is None:
        return None
    if status == CREDIT_REFUSED or (envelope.no_credit if answered else envelope.tells_no_credit):
        return Stop.CREDIT
    return Stop.KEY if status in KEY_REFUSED else None


def _reason(status: int | None, failure: Failure | None, envelope: Envelope, *, answered: bool) -> str | None:
    if failure is not None:
        # The plain text: a database driver may store a member of an enumeration by its name.
        return failure.value
    if not answered:
        return f"http_{status}"
    if not envelope.whole:
        return "not_json"
    return UNAVAILABLE if envelope.unavailable else None
