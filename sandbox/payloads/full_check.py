"""Payloads of the methods: the full check with all blocks, and a standalone block."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from innspect.sandbox.payloads.block_state import InFullCheck
from innspect.sandbox.payloads.company import is_from_store
from innspect.sandbox.payloads.makers import block_payload
from innspect.sandbox.payloads.states import ChosenState, chosen_state
from innspect.sandbox.world.calendar import unix
from innspect.sandbox.world.context import Payload, View
from innspect.schemas.catalogue import BLOCKS, METHODS
from innspect.schemas.declaration import Block, Leaves, List

KEYS: Mapping[str, str] = MappingProxyType(
    {name: block.full_check_key for name, block in BLOCKS.items() if block.full_check_key}
)
"""Blocks of the full check and their keys there."""


def _only_list(block: type[Block]) -> str:
    """The name of the block's list, if it has exactly one."""
    lists = [name for name, part in block.row_parts.items() if isinstance(part, List | Leaves)]
    return lists[0] if len(lists) == 1 and not block.rows_at_root else ""


_ONLY_LISTS = {name: _only_list(block) for name, block in BLOCKS.items() if block.full_check_key and _only_list(block)}
"""Blocks that may come as an empty object if their source responded and their list is empty."""
_HONESTY = ("unavailable", "sources_failed", "error", "errors", "filter_bypassed", "from_store_only")
_STORE_SPAN = 90


def standalone_payload(view: View, method: str) -> Any:
    """The payload of a standalone method."""
    block = METHODS[method].block
    if chosen := chosen_state(view, block):
        return chosen.payload(view, block)
    return (
        _possibly_from_store(view, block) if view.draw("stored", method).chance(0.06) else _current_payload(view, block)
    )


def full_check_payload(view: View, fetched_at: int) -> Payload:
    """The object of all blocks; the view must be one of the full check."""
    answer: Payload = {}
    empty: list[str] = []
    restored: list[str] = []
    forgotten = _missing_blocks(view)
    for block, key in KEYS.items():
        chosen = chosen_state(view, block)
        if not chosen and block in forgotten:
            continue
        made, is_named = _chosen_form(view, block, chosen) if chosen else _ordinary_form(view, block)
        if made is None:
            continue
        answer[key] = made
        if is_named:
            empty.append(key)
        if isinstance(made, dict) and "_from_local" in made:
            restored.append(key)
    answer["_verified_empty_blocks"] = empty
    elapsed = round(view.draw("elapsed").unit() * 90, 3)
    answer["_meta"] = {"inn": view.inn, "fetched_at": fetched_at, "elapsed_s": elapsed,
                       "restored_from_local": restored}  # fmt: skip
    return answer


def _ordinary_form(view: View, block: str) -> tuple[Any, bool]:
    """The block as the full check carries it, and whether it is named verified empty."""
    draw = view.draw("shape", block)
    made = _possibly_from_store(view, block) if draw.chance(0.1) else _current_payload(view, block)
    if _is_confirmed_empty(block, made) and draw.chance(0.6):
        return {}, not BLOCKS[block].coverage.empty_is_clean or draw.chance(0.5)
    return made, False


def _chosen_form(view: View, block: str, chosen: ChosenState) -> tuple[Any, bool]:
    """The same for a chosen state; None if the block is absent."""
    match chosen.state.in_full_check:
        case InFullCheck.ABSENT:
            return None, False
        case InFullCheck.NAMED_EMPTY | InFullCheck.EMPTY_OBJECT as form:
            return {}, form is InFullCheck.NAMED_EMPTY
        case _:
            return chosen.payload(view, block), False


def fetched_at(view: View, method: str) -> int:
    """When the collection began, in unix seconds on the view's day."""
    return unix(view.day, view.second(method))


def _missing_blocks(view: View) -> set[str]:
    """Blocks that are missing in the response."""
    draw = view.draw("forgotten")
    gone = {"general_courts"} if draw.chance(0.05) else set[str]()
    if draw.chance(0.02):
        gone.add(draw.pick(tuple(KEYS)))
    return gone


def _current_payload(view: View, block: str) -> Any:
    made = block_payload(view, block)
    if block == "company" and is_from_store(view) and not made["error"]:
        days = (_store_day(view, block, span) for span in (_STORE_SPAN, 30, 10, 3, 1))
        since = next(day for day in days if block_payload(replace(view, day=day), block) == made)
        made |= {"_from_local": True, "_local_fetched_at": view.fetched_at(since, block)}
    return made


def _store_day(view: View, block: str, span: int = _STORE_SPAN) -> int:
    phase = view.draw("store", block).integer(0, _STORE_SPAN - 1)
    return view.day - (view.day + phase) % span


def _possibly_from_store(view: View, block: str) -> Any:
    """The block from the local store, with its marks, if it has not changed since; else the current one."""
    made = _current_payload(view, block)
    if not isinstance(made, dict) or block == "company" or not _is_confirmed(made):
        return made
    since = _store_day(view, block)
    if since != view.day and block_payload(replace(view, day=since), block) != made:
        return made
    return {**made, "_from_local": True, "_local_fetched_at": view.fetched_at(since, block)}


def _is_confirmed(made: Payload) -> bool:
    walked = made.get("courts_searched", 1) >= max(1, made.get("courts_in_region", 0))
    return walked and not any(made.get(mark) for mark in _HONESTY) and made.get("available", True)


def _is_confirmed_empty(block: str, made: Any) -> bool:
    if block not in _ONLY_LISTS or not _is_confirmed(made) or "_from_local" in made:
        return False
    ready = made.get("status", "idle") in ("", "idle", "loaded")
    raw = made.get("raw", {})
    answered = raw.get("answered", True) and not raw.get("all_sources_dead") and not made.get("has_intention")
    checked = made.get("sources_checked", True)
    return bool(ready and answered and checked and not made[_ONLY_LISTS[block]])
