"""Roubles as people and JSON read them."""

from decimal import Decimal


def as_text(kopecks: int | None) -> str | None:
    """Two decimals, no grouping: how money stands in JSON."""
    return None if kopecks is None else f"{Decimal(kopecks).scaleb(-2):.2f}"


def shown(kopecks: int | None) -> str:
    """For the screen: thin groups and the currency."""
    return "not known" if kopecks is None else f"{Decimal(kopecks).scaleb(-2):,.2f} RUB".replace(",", " ")
