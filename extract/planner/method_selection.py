"""Method selection: the cheapest methods that return a set of blocks (a set cover)."""

from collections.abc import Collection, Mapping

from innspect.schemas.catalogue import BLOCKS, FULL_CHECK, METHODS, standalone_method
from innspect.schemas.declaration import Method

COMPANY_DIGITS = 10


def price_of(method: str, prices: Mapping[str, int]) -> int:
    """The price of a call in kopecks: the configured price, else the catalogue's."""
    return prices[method] if method in prices else METHODS[method].price


def cheapest_cover(
    blocks: Collection[str], digits: int, prices: Mapping[str, int], person_methods: tuple[str, ...] = ()
) -> tuple[Method, ...]:
    """The cheapest methods that together return all these blocks of an INN with `digits` digits.

    A block has at most one standalone method, so there are two candidates: standalone methods only, or the full check
    with standalone methods for the blocks that it lacks. At equal cost the full check is selected, since it returns
    more blocks. Each of `blocks` must have a method for INNs of this length. `person_methods` are the company methods
    that persons have too.
    """
    requested = [block for block in BLOCKS if block in blocks]
    own_methods = {block: standalone_method(block, "0" * digits, person_methods) for block in requested}
    in_full_check = [block for block in requested if digits == COMPANY_DIGITS and BLOCKS[block].full_check_key]
    standalone = tuple(method for method in own_methods.values() if method is not None)
    if not in_full_check:
        return standalone
    others = (own_methods[block] for block in requested if block not in in_full_check)
    full = (METHODS[FULL_CHECK], *(method for method in others if method is not None))
    is_full_required = len(standalone) < len(requested)
    return full if is_full_required or _cost(full, prices) <= _cost(standalone, prices) else standalone


def _cost(methods: Collection[Method], prices: Mapping[str, int]) -> int:
    return sum(price_of(method.name, prices) for method in methods)
