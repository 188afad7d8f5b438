"""The payload of each block: its hand-written maker, completed by the declarations, or the default one."""

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from innspect.sandbox import payloads
from innspect.sandbox.payloads.block_state import States
from innspect.sandbox.payloads.default import complete, default_payload
from innspect.sandbox.world.context import View
from innspect.schemas.catalogue import BLOCKS

Maker = Callable[[View], Any]


def block_payload(view: View, block: str) -> Any:
    """The payload of a block; a hand-written one is completed unless its source is down."""
    found = _by_hand()
    if block not in found.makers:
        return default_payload(view, BLOCKS[block])
    payload = found.makers[block](view)
    return payload if view.failure_draw(block) else complete(view, BLOCKS[block], payload, found.omitted)


def own_states() -> Mapping[str, States]:
    """The states that only one block has, by block."""
    return _by_hand().states


@dataclass(frozen=True, slots=True)
class _ByHand:
    """What the payload modules hold: makers and states by block, and the fields that they omit on purpose."""

    makers: Mapping[str, Maker]
    states: Mapping[str, States]
    omitted: frozenset[str]


@cache
def _by_hand() -> _ByHand:
    """Functions named after a block, `STATES` and `OMITTED` of the payload modules."""
    makers: dict[str, Maker] = {}
    states: dict[str, States] = {}
    omitted: set[str] = set()
    for found in pkgutil.iter_modules(payloads.__path__):
        module = import_module(f"{payloads.__name__}.{found.name}")
        functions = ((name, value) for name, value in vars(module).items() if name in BLOCKS and callable(value))
        makers |= {name: value for name, value in functions if value.__module__ == module.__name__}
        omitted |= getattr(module, "OMITTED", frozenset[str]())
        states |= getattr(module, "STATES", {})
    return _ByHand(makers, states, frozenset(omitted))
