"""Why a run makes no further call, as errors that say what to do next."""

from http import HTTPStatus

from innspect.extract.service.charging import CREDIT_REFUSED, KEY_REFUSED, Failure, Stop
from innspect.extract.service.envelope import Envelope
from innspect.schemas.errors import CreditRefused, InnspectError, KeyRefused, PriceListChanged, ServiceUnreachable


def refused(stop: Stop, status: int | None) -> InnspectError:
    """The error of a verdict that stops the run."""
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
                "The price list has changed: an answer cost more than was reserved for it; write the new prices in "
                "budget.prices and run again.",
                status=status,
            )


def at_once(stop: Stop) -> bool:
    """Whether the answer itself is a refusal; a dear answer is still an answer, and only the next call stops."""
    return stop is not Stop.PRICE_LIST


def silent(calls: int, reason: str | None) -> ServiceUnreachable:
    """The error of so many calls in a row without an answer."""
    return ServiceUnreachable(
        f"The last {calls} calls brought no answer ({reason}), and each may have been charged; find out what ails the "
        "service, then run again.",
        calls=calls,
        reason=reason,
    )


def of_free_method(name: str, status: int | None, failure: Failure | None, envelope: Envelope) -> InnspectError | None:
    """The error of an answer of `ping` or `account`, or None where it is as it should be."""
    if failure is None and status is not None and HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return None
    if failure is None and (status == CREDIT_REFUSED or envelope.tells_no_credit):
        return refused(Stop.CREDIT, status)
    if failure is None and status in KEY_REFUSED:
        return refused(Stop.KEY, status)
    what = failure.value if failure is not None else f"http_{status}"
    return ServiceUnreachable(
        f"The service does not answer its free method {name} ({what}); check service.base_url and the network.",
        method=name,
        status=status,
        reason=what,
    )
