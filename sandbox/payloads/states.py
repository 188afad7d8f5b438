"""The states of every block: those that any block can have, derived from its declaration, and its own ones."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from typing import Any

from innspect.sandbox.payloads.block_state import (
    WORD,
    BlockState,
    Change,
    InFullCheck,
    States,
    both,
    set_fields,
    with_rows,
    without_rows,
)
from innspect.sandbox.payloads.default import ERROR, default_payload, empty_payload
from innspect.sandbox.payloads.makers import block_payload, own_states
from innspect.sandbox.world.company_profile import Profile
from innspect.sandbox.world.context import Payload, View
from innspect.sandbox.world.inn_samples import generate_inn
from innspect.schemas.catalogue import BLOCKS, FULL_CHECK, METHODS
from innspect.schemas.declaration import Block, Field, Inline, Leaves, List, Map
from innspect.schemas.kinds import Form, Kind
from innspect.schemas.tables import echo_paths, tables_of

STATUS = "status"
"""The state in which a standalone response is its envelope only, with this status."""
NAMED_EMPTY = "named_empty"
SEPARATOR = ":"
"""Between the name of a state and its word."""
_ERRORS = {
    "arbitration": ("all_kad_searches_failed",),
    "contracts": ("all_gov_sources_blocked",),
    "rnp": ("search_http_503", "invalid_inn"),
    **dict.fromkeys(("tax_debts", "tax_offences", "employees", "revexp"), ("invalid_inn",)),
}
"""Documented texts of `error`; for the other blocks it is any text."""
_WORDS = ("in_progress", "pending", "error")
_STORE_DAY = date(2024, 3, 1)
_MAX_TRIES = {True: 3000, False: 50}
"""Profiles that are tried for a payload with rows and for one without: the rarest rows, of foreign agents, are in 0.6 %
of them; some blocks always have rows."""
_SILENT = ("unavailable", "sources_failed", "error", "errors", "filter_bypassed", "from_store_only",
           "mass_check_unavailable")  # fmt: skip
_CAPS = (30, 250, 5000)
"""Lengths at which a list may be capped."""
_CLEAN = {
    "company": ("empty_card", "every field is empty"),
    "financial": ("no_data", "`has_data` false: no statements, or not obtained"),
}
"""Name and description of the state without rows, where it confirms nothing."""


@dataclass(frozen=True, slots=True)
class ChosenState:
    """A state with its word."""

    name: str
    state: BlockState
    word: str

    def payload(self, view: View, block: str) -> Any:
        """The block's payload in this state."""
        made = payload_with_rows(view, block) if self.state.has_rows else payload_without_rows(view, block)
        return self.state.change(view, made, self.word)


@cache
def block_states() -> Mapping[str, Mapping[str, BlockState]]:
    """The states of every block by name."""
    return {name: {**_common_states(block), **own_states().get(name, {})} for name, block in BLOCKS.items()}


def find_state(block: str, text: str) -> ChosenState | None:
    """The state of a block from `NAME` or `NAME:WORD`, or None if it has no such state."""
    name, _, word = text.partition(SEPARATOR)
    state = block_states()[block].get(name)
    if state is None or (word and not state.words):
        return None
    return ChosenState(name, state, word or (state.words or ("",))[0])


def chosen_state(view: View, block: str) -> ChosenState | None:
    """The state that the view names for the block, if the view's method can have it."""
    chosen = next((find_state(block, text) for name, text in view.states if name == block), None)
    is_elsewhere = view.is_full_check and chosen and chosen.state.in_full_check is InFullCheck.UNCHANGED
    return None if is_elsewhere else chosen


def envelope_status(view: View, method: str) -> str:
    """The status of a response that is its envelope only, or an empty string; of a full check, if all blocks say so."""
    carried = [name for name, block in BLOCKS.items() if block.full_check_key]
    blocks = carried if method == FULL_CHECK else [METHODS[method].block]
    states = dict(view.states)
    words = {states.get(block, "") for block in blocks}
    name, _, word = words.pop().partition(SEPARATOR) if len(words) == 1 else ("", "", "")
    return (word or _WORDS[0]) if name == STATUS else ""


def _common_states(block: type[Block]) -> States:
    name, shows = _CLEAN.get(block.block_name, ("clean", "no rows, and every source answered"))
    found: States = {
        "found": with_rows("rows, and every source answered"),
        name: without_rows(shows),
        NAMED_EMPTY: without_rows("named in `_verified_empty_blocks`", in_full_check=InFullCheck.NAMED_EMPTY),
    }
    if block.full_check_key:
        text = "an empty object that is not named verified empty"
        found["not_named"] = without_rows(text, in_full_check=InFullCheck.EMPTY_OBJECT)
        found["absent"] = without_rows("the full check lacks the block", in_full_check=InFullCheck.ABSENT)
    if not block.rows_at_root:
        found["stored"] = with_rows(
            "`_from_local` with an old `_local_fetched_at`", f"{_STORE_DAY} 10:00:00",
            _from_local=True, _local_fetched_at=WORD,
        )  # fmt: skip
        found["no_field"] = without_rows("no field of the block", change=_no_field)
    place = InFullCheck.UNCHANGED if block.rows_at_root else InFullCheck.PAYLOAD
    text = "a status and nothing else; of the envelope, in the full check of the block"
    found[STATUS] = without_rows(text, *_WORDS, change=_status_only, in_full_check=place)
    if not block.undocumented:
        found["wrong_type"] = without_rows("a list in place of an object, or the reverse", change=_wrong_type)
        found["wrong_shape"] = with_rows("an object in place of a scalar", change=_wrong_shape(block))
    if "error" in block.row_parts:
        found |= both("error", "a text in `error`", *_ERRORS.get(block.block_name, (ERROR,)), error=WORD)
    if echo_paths(block.block_name):
        found["another_inn"] = with_rows("the data of another INN", change=_another_inn)
    if counter := _counter(block):
        found["counted_not_listed"] = without_rows(f"`{counter}` 3 with an empty list", change=set_fields({counter: 3}))
    if counters := _totals(block):
        text = f"`{'`, `'.join(counters)}` greater by 2 than the list"
        found["not_all_listed"] = with_rows(text, change=lambda _, payload, __: _raise(payload, counters))
    return found


def _counter(block: type[Block]) -> str:
    """The first field that counts or sums the block's rows, or an empty string."""
    columns = tables_of(block.block_name)[0].columns
    return next((column.name for column in columns if column.is_total and column.field.full_check), "")


def _totals(block: type[Block]) -> list[str]:
    """The fields that count all rows of a list, without those whose list may be shorter by a rule of the block."""
    if "not_all_fetched" in block.coverage.incomplete:
        return []
    fields = {name: part for name, part in block.row_parts.items() if isinstance(part, Field) and part.full_check}
    figures = {name: field.figure for name, field in fields.items() if field.figure is not None}
    return [name for name, figure in figures.items() if not figure.column and figure.where is None]


def _raise(payload: Payload, counters: list[str]) -> Payload:
    return payload | {name: payload[name] + 2 for name in counters}


def _no_field(view: View, _: Any, __: str) -> Payload:
    """Nothing but the store's marks in the full check, where an empty object has a meaning of its own."""
    return {"_from_local": True, "_local_fetched_at": view.fetched_at(view.day, "stored")} if view.is_full_check else {}


def _status_only(view: View, _: Any, word: str) -> Payload:
    return {"status": word} if view.is_full_check else {}


def _wrong_type(_: View, payload: Any, __: str) -> Any:
    return {"0": []} if isinstance(payload, list) else []


def _wrong_shape(block: type[Block]) -> Change:
    """An object in place of the first field, or of the first field of the first row."""
    part = block.row_parts[block.rows_at_root] if block.rows_at_root else None
    row = part.of if isinstance(part, List) and not isinstance(part.of, Kind) else block
    name = next(name for name, part in row.row_parts.items() if isinstance(part, Field))

    def change(_: View, payload: Any, __: str) -> Any:
        if isinstance(payload, list):
            return [payload[0] | {name: {"value": payload[0][name]}}, *payload[1:]]
        return payload | {name: {"value": payload.get(name)}}

    return change


def _another_inn(view: View, payload: Payload, _: str) -> Payload:
    return payload | {"inn": generate_inn(view.draw("another"), len(view.inn))}


def payload_with_rows(view: View, block: str) -> Any:
    """A payload with rows or another content, whose sources all answered."""
    made = _search(view, block, has_rows=True)
    return default_payload(view, BLOCKS[block]) if made is None else made


def payload_without_rows(view: View, block: str) -> Any:
    """A payload without rows, whose sources all answered where the block can say so."""
    made = _search(view, block, has_rows=False)
    if made is not None:
        return made
    declared = BLOCKS[block]
    return {name: [] for name in block_payload(view, block)} if declared.undocumented else empty_payload(view, declared)


def _search(view: View, block: str, *, has_rows: bool) -> Any:
    """The payload of the first profile of this INN, over the seeds, that has rows or has none; None without any."""
    for seed in range(view.profile.seed, view.profile.seed + _MAX_TRIES[has_rows]):
        made = block_payload(replace(view, profile=Profile(seed, view.inn), has_outages=False), block)
        if _has_rows(BLOCKS[block], made) is has_rows and _is_complete(made):
            return made
    return None


def _has_rows(block: type[Block], made: Any) -> bool:
    """Whether the payload has a row, a record, a true flag or a stage."""
    if block.rows_at_root or block.undocumented:
        return bool(made if block.rows_at_root else any(made.values()))
    for name, part in block.row_parts.items():
        match part:
            case List() | Map() | Leaves() | Inline(record=True):
                is_given = bool(made.get(name))
            case Field() if part.kind.form is Form.FLAG:
                is_given = made.get(name, False)
            case _:
                is_given = False
        if is_given:
            return True
    return False


def _is_complete(made: Any) -> bool:
    """Whether no mark of the payload says that it is incomplete or unconfirmed."""
    if not isinstance(made, dict):
        return True
    raw = made.get("raw", {})
    region = made.get("courts_in_region", 1)
    return (
        not any(made.get(mark) for mark in _SILENT)
        and made.get("available", True)
        and 0 < region <= made.get("courts_searched", 1)
        and raw.get("answered", True)
        and not any(raw.get(mark) for mark in ("all_sources_dead", "enrichment_pending"))
        and made.get("fetched", 0) >= made.get("total_pledges", 0)
        and ("inspections" not in made or made["total"] <= len(made["inspections"]))
        and not any(len(value) in _CAPS for value in made.values() if isinstance(value, list))
    )
