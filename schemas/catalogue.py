"""The catalogue: every block of `schemas/blocks/`, and every method of the service with its path and price."""

import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from types import MappingProxyType

from innspect.schemas import blocks
from innspect.schemas.declaration import ANY_LENGTH, COMPANY_DIGITS, NO_INN, PERSON_DIGITS, Block, Method

FULL_CHECK = "full-check"
PING, ACCOUNT = "ping", "account"
MIN_TOP_UP_RUB = 30_000
"""Smallest amount that can be paid into the account."""


def _blocks() -> Iterator[type[Block]]:
    """The blocks declared by the modules of `schemas/blocks/`."""
    for found in pkgutil.iter_modules(blocks.__path__):
        module = import_module(f"{blocks.__name__}.{found.name}")
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, Block) and value.__module__ == module.__name__:
                yield value


BLOCKS: Mapping[str, type[Block]] = MappingProxyType(
    {block.block_name: block for block in sorted(_blocks(), key=lambda block: (block.block_order, block.block_name))}
)
"""Blocks by name, in their order, which is also the order of the tables."""

_STANDALONE = sorted(
    (method for block in BLOCKS.values() for method in block.block_methods),
    key=lambda method: method.digits == PERSON_DIGITS,
)
METHODS: Mapping[str, Method] = MappingProxyType(
    {
        method.name: method
        for method in (
            Method(FULL_CHECK, "/api/v1/company/{inn}", 1800),
            *_STANDALONE,
            Method(PING, "/api/v1/ping", 0, digits=NO_INN),
            Method(ACCOUNT, "/api/v1/account", 0, digits=NO_INN),
        )
    }
)
"""Methods by name: the full check, the standalone methods of companies and of persons, the free ones."""


_BLOCKS_OF_PERSONS = {method.block for method in METHODS.values() if method.digits in (PERSON_DIGITS, ANY_LENGTH)}
CONFIRMABLE_METHODS = tuple(
    method.name
    for method in METHODS.values()
    if method.digits == COMPANY_DIGITS and method.block and method.block not in _BLOCKS_OF_PERSONS
)
"""Methods that `service.person_methods` may name: those of companies whose block has no method for persons."""


@cache
def service_methods(person_methods: tuple[str, ...] = ()) -> Mapping[str, Method]:
    """`METHODS`, where the company methods that the provider confirmed for persons accept INNs of both lengths."""
    return MappingProxyType(
        {
            name: replace(method, digits=ANY_LENGTH) if name in person_methods else method
            for name, method in METHODS.items()
        }
    )


def standalone_method(block: str, inn: str, person_methods: tuple[str, ...] = ()) -> Method | None:
    """The method that returns only this block of the INN, or None."""
    for method in service_methods(person_methods).values():
        if method.block == block and accepts_inn(method, inn):
            return method
    return None


def accepts_inn(method: Method, inn: str) -> bool:
    """Whether the method accepts an INN of this length."""
    return method.digits == ANY_LENGTH or method.digits == len(inn)


@cache
def available_blocks(inn_digits: int, person_methods: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The blocks that the service has for INNs of that length."""
    full_check = inn_digits == COMPANY_DIGITS
    return tuple(
        name
        for name, block in BLOCKS.items()
        if (full_check and block.full_check_key)
        or standalone_method(name, "0" * inn_digits, person_methods) is not None
    )


@cache
def method_blocks() -> tuple[tuple[str, str], ...]:
    """Every (method, block) pair where the method returns the block."""
    full_check = [(FULL_CHECK, name) for name, block in BLOCKS.items() if block.full_check_key]
    return (*full_check, *((method.name, method.block) for method in METHODS.values() if method.block))
