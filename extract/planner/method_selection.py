"""Covers: the cheapest calls that bring a set of blocks."""

from collections.abc import Collection, Mapping

from innspect.schemas.catalogue import BLOCKS, FULL_CHECK, METHODS, standalone_method
from innspect.schemas.declaration import Method

COMPANY_DIGITS = 10


def price_of(method: str, prices: Mapping[str, int]) -> int:
    """What a call costs in kopecks: the override, or the catalogue's price."""
    return prices[method] if method in prices else METHODS[method].price


def cheapest_cover(blocks: Collection[str], digits: int, prices: Mapping[str, int]) -> tuple[Method, ...]:
    """The cheapest methods that together bring all the blocks of an INN of that length.

    Each block has at most one method of its own, so only two sets can be the cheapest: all alone, or the full check
    with what it does not bring. Where both cost the same it is the full check, which brings more. `blocks` must be
    askable for INNs of that length.
    """
    wanted = [block for block in BLOCKS if block in blocks]
    alone = {block: standalone_method(block, "0" * digits) for block in wanted}
    whole = [block for block in wanted if digits == COMPANY_DIGITS and BLOCKS[block].full_check_key]
    single = tuple(method for method in alone.values() if method is not None)
    if not whole:
        return single
    rest = (alone[block] for block in wanted if block not in whole)
    full = (METHODS[FULL_CHECK], *(method for method in rest if method is not None))
    if len(single) < len(wanted):
        return full
    return full if _cost(full, prices) <= _cost(single, prices) else single


def _cost(methods: Collection[Method], prices: Mapping[str, int]) -> int:
    return sum(price_of(method.name, prices) for method in methods)
