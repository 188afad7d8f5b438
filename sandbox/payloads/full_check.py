"""The full check: every block in one object, with what only it has."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from innspect.sandbox.payloads.arbitration import arbitration
from innspect.sandbox.payloads.bankruptcy import bankruptcy
from innspect.sandbox.payloads.company import company, stored
from innspect.sandbox.payloads.contracts import contracts
from innspect.sandbox.payloads.extras import contacts, founded_companies, leasing, trademarks
from innspect.sandbox.payloads.financial import financial
from innspect.sandbox.payloads.freezes import freezes
from innspect.sandbox.payloads.fssp import fssp
from innspect.sandbox.payloads.general_courts import general_courts
from innspect.sandbox.payloads.inspections import inspections
from innspect.sandbox.payloads.licenses import licenses
from innspect.sandbox.payloads.open_data import employees, msp, revexp, tax_debts, tax_offences
from innspect.sandbox.payloads.pledges import pledges
from innspect.sandbox.payloads.risk_flags import risk_flags
from innspect.sandbox.payloads.rnp import rnp
from innspect.sandbox.payloads.sanctions import minjust_check, sanctions
from innspect.sandbox.payloads.timeline import timeline
from innspect.sandbox.world.calendar import unix
from innspect.sandbox.world.context import Payload, View
from innspect.schemas.catalogue import BLOCKS, METHODS

MAKERS: Mapping[str, Callable[[View], Any]] = MappingProxyType({
    "company": company, "fssp": fssp, "arbitration": arbitration, "bankruptcy": bankruptcy, "contracts": contracts,
    "financial": financial, "pledges": pledges, "inspections": inspections, "risk_flags": risk_flags, "rnp": rnp,
    "sanctions": sanctions, "licenses": licenses, "freezes": freezes, "general_courts": general_courts,
    "timeline": timeline, "tax_debts": tax_debts, "tax_offences": tax_offences, "employees": employees,
    "revexp": revexp, "msp": msp, "leasing": leasing, "trademarks": trademarks,
    "founded_companies": founded_companies, "minjust_check": minjust_check, "contacts": contacts,
})  # fmt: skip
"""Every block and what makes its payload."""

KEYS: Mapping[str, str] = MappingProxyType(
    {name: block.full_check_key for name, block in BLOCKS.items() if block.full_check_key}
)
"""Blocks of the full check and their keys there."""

_NOTHING: Mapping[str, str] = MappingProxyType({
    "fssp": "proceedings", "arbitration": "cases", "contracts": "contracts", "pledges": "pledges",
    "inspections": "inspections", "rnp": "records", "sanctions": "hits", "freezes": "items",
    "general_courts": "cases", "tax_debts": "records", "tax_offences": "records", "leasing": "contracts",
    "trademarks": "trademarks", "bankruptcy": "cases", "founded_companies": "items", "minjust_check": "hits",
})  # fmt: skip
"""Blocks that may come as an empty object when they were polled and hold nothing, and the list that says so."""
_HONESTY = ("unavailable", "sources_failed", "error", "errors", "filter_bypassed", "from_store_only")
_STORE_SPAN = 90


def standalone(view: View, method: str) -> Any:
    """The payload of one method that is not the full check."""
    block = METHODS[method].block
    if block == "timeline":
        return timeline(view)
    return _from_store(view, block) if view.draw("stored", method).chance(0.06) else _plain(view, block)


def full_check(view: View, fetched_at: int) -> Payload:
    """The object of all blocks; the view must be a whole one."""
    answer: Payload = {}
    empty: list[str] = []
    restored: list[str] = []
    forgotten = _forgotten(view)
    for block, key in KEYS.items():
        if block in forgotten:
            continue
        draw = view.draw("shape", block)
        made = _from_store(view, block) if draw.chance(0.1) else _plain(view, block)
        if _confirmed_nothing(block, made) and draw.chance(0.6):
            answer[key] = {}
            if block != "trademarks" or draw.chance(0.5):
                empty.append(key)
            continue
        answer[key] = made
        if isinstance(made, dict) and "_from_local" in made:
            restored.append(key)
    answer["_verified_empty_blocks"] = empty
    elapsed = round(view.draw("elapsed").unit() * 90, 3)
    answer["_meta"] = {"inn": view.inn, "fetched_at": fetched_at, "elapsed_s": elapsed,
                       "restored_from_local": restored}  # fmt: skip
    return answer


def fetched_at(view: View, method: str) -> int:
    """When the collection began, in unix seconds: a second of the view's day that belongs to INN and method."""
    return unix(view.day, view.second(method))


def _forgotten(view: View) -> set[str]:
    """Blocks that are missing from the answer."""
    draw = view.draw("forgotten")
    gone = {"general_courts"} if draw.chance(0.05) else set[str]()
    if draw.chance(0.02):
        gone.add(draw.pick(tuple(KEYS)))
    return gone


def _plain(view: View, block: str) -> Any:
    made = MAKERS[block](view)
    if block == "company" and stored(view) and not made["error"]:
        days = (_store_day(view, block, span) for span in (_STORE_SPAN, 30, 10, 3, 1))
        since = next(day for day in days if MAKERS[block](replace(view, day=day)) == made)
        made |= {"_from_local": True, "_local_fetched_at": view.fetched(since, block)}
    return made


def _store_day(view: View, block: str, span: int = _STORE_SPAN) -> int:
    phase = view.draw("store", block).whole(0, _STORE_SPAN - 1)
    return view.day - (view.day + phase) % span


def _from_store(view: View, block: str) -> Any:
    """The block as the local store holds it: marked so, if nothing has changed since, else collected anew."""
    made = _plain(view, block)
    if not isinstance(made, dict) or block == "company" or not _confirmed(made):
        return made
    since = _store_day(view, block)
    if since != view.day and MAKERS[block](replace(view, day=since)) != made:
        return made
    return {**made, "_from_local": True, "_local_fetched_at": view.fetched(since, block)}


def _confirmed(made: Payload) -> bool:
    walked = made.get("courts_searched", 1) >= max(1, made.get("courts_in_region", 0))
    return walked and not any(made.get(mark) for mark in _HONESTY) and made.get("available", True)


def _confirmed_nothing(block: str, made: Any) -> bool:
    if block not in _NOTHING or not _confirmed(made) or "_from_local" in made:
        return False
    ready = made.get("status", "idle") in ("", "idle", "loaded")
    raw = made.get("raw", {})
    answered = raw.get("answered", True) and not raw.get("all_sources_dead") and not made.get("has_intention")
    return ready and answered and not made[_NOTHING[block]]
