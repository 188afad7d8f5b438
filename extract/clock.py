"""Instants: a clock that callers pass in, and the form in which instants are stored."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from innspect.schemas.errors import UsageError

Clock = Callable[[], datetime]


def to_utc(moment: datetime) -> datetime:
    """The instant in UTC as a naive datetime, as frames and tables hold it; a naive one is UTC already."""
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)


def describe_skew(ahead: float) -> str:
    """The seconds by which this clock is ahead of the service's, in words."""
    return f"{timedelta(seconds=round(abs(ahead)))} {'ahead of' if ahead > 0 else 'behind'} the service"


def check_clock(ahead: float | None, limit: float) -> None:
    """Raise UsageError if the clock differs more from the service's (`ahead`: seconds, None if that is not known).

    Answers from a time ahead would count as the latest until that time, and later ones be requested in vain.
    """
    if limit and ahead is not None and abs(ahead) > limit:
        raise UsageError(
            f"The clock of this machine is {describe_skew(ahead)}, so nothing was requested; correct it with "
            "`timedatectl set-ntp true` and run again."
        )
