"""The payload of each block: its hand-written maker, completed by the declarations, or the default one."""

import pkgutil
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from innspect.sandbox import payloads
from innspect.sandbox.payloads.default import complete, default_payload
from innspect.sandbox.world.context import View
from innspect.schemas.catalogue import BLOCKS

Maker = Callable[[View], Any]


def block_payload(view: View, block: str) -> Any:
    """The payload of a block; a hand-written one is completed unless its source is down."""
    makers, omitted = _makers()
    if block not in makers:
        return default_payload(view, BLOCKS[block])
    payload = makers[block](view)
    return payload if view.failure_draw(block) else complete(view, BLOCKS[block], payload, omitted)


@cache
def _makers() -> tuple[dict[str, Maker], frozenset[str]]:
    """The functions of the payload modules that are named after a block, and all fields that they omit on purpose."""
    makers: dict[str, Maker] = {}
    omitted: set[str] = set()
    for found in pkgutil.iter_modules(payloads.__path__):
        module = import_module(f"{payloads.__name__}.{found.name}")
        functions = ((name, value) for name, value in vars(module).items() if name in BLOCKS and callable(value))
        makers |= {name: value for name, value in functions if value.__module__ == module.__name__}
        omitted |= getattr(module, "OMITTED", frozenset[str]())
    return makers, frozenset(omitted)
