"""Expected changes from the service's JSON alone: lists by their keys, and a few scalars, day by day.

It uses nothing of the product, so that it is an independent oracle.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

LISTS = {
    "fssp": ("proceedings", ("exe_production",)),
    "arbitration": ("cases", ("case_number",)),
    "contracts": ("contracts", ("reg_num",)),
    "sanctions": ("hits", ("source", "raw_id")),
    "rnp": ("records", ("reg_number",)),
    "freezes": ("items", ("decision_num", "decision_date", "bik")),
}
CELLS = {"fssp": ("is_active", "completion_reason"), "arbitration": ("result",)}
"""Cells of list elements that change."""
SCALARS = {
    "company": ("status", "director", "address", "liquidation_date", "name"),
    "bankruptcy": ("has_bankruptcy", "has_intention", "status"),
    "freezes": ("found",),
    "risk_flags": ("mass_director", "mass_founder", "mass_address", "disqualified_persons"),
}
KEYS = {"contracts": "gov_contracts", "sanctions": "sanctions_check"}
BLOCKS = sorted({*LISTS, *SCALARS})

Fact = tuple[str, str, str, str, str]
"""INN, table, what (added, removed, changed), column or empty, key or empty."""


@dataclass
class Belief:
    """What is known of one INN and block from the responses so far."""

    rows: dict[tuple[str, ...], dict[str, Any]] = field(default_factory=dict)
    scalars: dict[str, Any] = field(default_factory=dict)
    whole: bool = False


def read(block: str, body: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """Whether the block is complete (`whole`) or partial (`part`), and its content; None if it is no evidence."""
    key = KEYS.get(block, block)
    if key in body["_verified_empty_blocks"]:
        return "whole", {}
    told = body.get(key)
    if not told:
        return None
    if told.get("unavailable") or told.get("available") is False or told.get("filter_bypassed"):
        return None
    rows = told.get(LISTS[block][0], []) if block in LISTS else []
    raw = told.get("raw") or {}
    lacking = bool(told.get("error") or told.get("sources_failed") or told.get("mass_check_unavailable"))
    lacking |= bool(raw.get("enrichment_pending") or raw.get("all_sources_dead"))
    full = {"freezes": 30, "rnp": 30, "contracts": 5000}.get(block)
    lacking |= full is not None and len(rows) >= full
    counted = any(value for name, value in told.items() if name.startswith("total_") or name == "total")
    if block == "company" and not (told.get("ogrn") or told.get("name")):
        return None
    if block in ("company", "risk_flags"):
        return ("part" if lacking else "whole"), told
    if not rows and (lacking or counted) and not any(told.get(name) for name in SCALARS.get(block, ())):
        return None
    return ("part" if lacking else "whole"), told


def differences(inn: str, block: str, belief: Belief | None, body: dict[str, Any]) -> tuple[Belief | None, Counter]:
    """The new belief, and the facts that changed from the old one."""
    evidence = read(block, body)
    if evidence is None:
        return belief, Counter()
    extent, told = evidence
    now = Belief(whole=extent == "whole" or (belief is not None and belief.whole))
    changed: Counter[Fact] = Counter()
    unchecked = told.get("mass_check_unavailable", False)
    for name in SCALARS.get(block, ()):
        value = told.get(name) if told else (False if name.startswith(("has_", "found", "mass_", "disq")) else None)
        value = None if unchecked or value == "" else value
        before = None if belief is None else belief.scalars.get(name)
        now.scalars[name] = before if value is None and extent == "part" else value
        unknown_flag = block == "risk_flags" and before is None
        if belief is not None and now.scalars[name] != before and not unknown_flag:
            changed[inn, block, "changed", name, ""] += 1
    if block in LISTS:
        name, key = LISTS[block]
        rows = {tuple(row[part] for part in key): row for row in told.get(name, [])}
        old = {} if belief is None else belief.rows
        now.rows = {**old, **rows} if extent == "part" else rows
        table = f"{block}__{name}"
        if belief is not None:
            first_whole = extent == "whole" and not belief.whole
            for added in now.rows.keys() - old.keys():
                changed[inn, table, "added", "", "|".join(added)] += not first_whole
            for removed in old.keys() - now.rows.keys():
                changed[inn, table, "removed", "", "|".join(removed)] += 1
            for same in now.rows.keys() & old.keys():
                for cell in CELLS.get(block, ()):
                    if now.rows[same][cell] != old[same][cell]:
                        changed[inn, table, "changed", cell, "|".join(same)] += 1
    return now, +changed
