"""Days: their formats, and the days of events and data sets.

A day is its proleptic Gregorian ordinal. The events of a company are on fixed days between `OPENING` and `CLOSING`; the
state on a day results from the events up to that day.
"""

from bisect import bisect_right
from datetime import UTC, date, datetime

from innspect.sandbox.world.random_streams import Draw

OPENING = date(2020, 1, 1).toordinal()
CLOSING = date(2031, 1, 1).toordinal()
TURN = date(2025, 7, 1).toordinal()
"""Rare events that a user should see are between `TURN` and `CLOSE_OF_TURN`."""
CLOSE_OF_TURN = date(2028, 7, 1).toordinal()
DAYS_PER_YEAR = 365.25


def dmy(day: int) -> str:
    """`DD.MM.YYYY`."""
    return date.fromordinal(day).strftime("%d.%m.%Y")


def ymd(day: int) -> str:
    """`YYYY-MM-DD`."""
    return date.fromordinal(day).isoformat()


def compact(day: int) -> str:
    """`YYYYMMDD`."""
    return date.fromordinal(day).strftime("%Y%m%d")


def compact_dmy(day: int) -> str:
    """`DDMMYYYY`."""
    return date.fromordinal(day).strftime("%d%m%Y")


def stamp(day: int, second: int) -> str:
    """`YYYY-MM-DD HH:MM:SS` at a second of the day."""
    return f"{ymd(day)} {second // 3600 % 24:02d}:{second // 60 % 60:02d}:{second % 60:02d}"


def iso(day: int, second: int) -> str:
    """ISO 8601 with a time and no zone."""
    return stamp(day, second).replace(" ", "T")


def unix(day: int, second: int) -> int:
    """Unix seconds of a second of that UTC day."""
    return int(datetime.combine(date.fromordinal(day), datetime.min.time(), UTC).timestamp()) + second


def year_of(day: int) -> int:
    """The calendar year of a day."""
    return date.fromordinal(day).year


def random_days(draw: Draw, a_year: float, start: int, end: int = CLOSING) -> list[int]:
    """Random days between two days, `a_year` per year on average, in order."""
    span = max(0, end - start)
    count = int(a_year * span / DAYS_PER_YEAR + draw.unit())
    return sorted(start + int(draw.unit() * span) for _ in range(count))


def count_until(days: list[int], day: int) -> int:
    """Number of the ordered days that are not after `day`."""
    return bisect_right(days, day)


def last_quarter(day: int) -> int:
    """Publication day of the latest quarterly data set: the 25th of January, April, July, October."""
    year = year_of(day)
    sets = [date(y, month, 25).toordinal() for y in (year - 1, year) for month in (1, 4, 7, 10)]
    return max(one for one in sets if one <= day)


def last_yearly(day: int) -> int:
    """Publication day of the latest yearly data set: the 1st of July."""
    year = year_of(day)
    this = date(year, 7, 1).toordinal()
    return this if this <= day else date(year - 1, 7, 1).toordinal()


def last_monthly(day: int) -> int:
    """Publication day of the latest monthly data set: the 10th."""
    this = date.fromordinal(day).replace(day=10).toordinal()
    return this if this <= day else date.fromordinal(this - 11).replace(day=10).toordinal()
