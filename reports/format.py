"""Roubles, ages and instants in plain text: for the terminal, for JSON and for SQL. No translation."""

from datetime import datetime
from decimal import Decimal

AGE_BANDS_DAYS = (0, 1, 7, 30, 90)
"""Lower ends of the age bands in days; each band ends where the next begins."""


def roubles_text(kopecks: int | None) -> str | None:
    """An amount for JSON: two decimals, no grouping."""
    return None if kopecks is None else f"{Decimal(kopecks).scaleb(-2):.2f}"


def format_roubles(kopecks: int | None) -> str:
    """An amount for the terminal: grouped thousands and the currency."""
    return "not known" if kopecks is None else f"{Decimal(kopecks).scaleb(-2):,.2f} RUB".replace(",", " ")


def format_count(number: int) -> str:
    """A number of things for the terminal: grouped thousands, as of amounts."""
    return f"{number:,}".replace(",", " ")


def age_band_sql(days: str) -> str:
    """SQL of the age band (its lower end as text) of a column of days that is not NULL."""
    bands = " ".join(f"WHEN {days} >= {age} THEN '{age}'" for age in reversed(AGE_BANDS_DAYS[1:]))
    return f"CASE {bands} ELSE '{AGE_BANDS_DAYS[0]}' END"


def utc_text(moment: datetime | None) -> str | None:
    """An instant in UTC for JSON: `2026-11-20T10:00:00Z`."""
    return None if moment is None else moment.isoformat(timespec="seconds") + "Z"
