"""Instants: a clock that callers pass in, and the form in which instants are stored."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[], datetime]


def to_utc(moment: datetime) -> datetime:
    """The instant in UTC as a naive datetime, as frames and tables hold it; a naive one is UTC already."""
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)


def describe_skew(ahead: float) -> str:
    """The seconds by which this clock is ahead of the service's, in words."""
    return f"{timedelta(seconds=round(abs(ahead)))} {'ahead of' if ahead > 0 else 'behind'} the service"
