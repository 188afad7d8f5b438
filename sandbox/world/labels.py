"""What is true of a generated company, whatever its sources say: the reference for tests of the risk assessment."""

from collections.abc import Callable, Collection, Mapping
from datetime import date
from enum import StrEnum
from typing import Any

from innspect.sandbox.payloads.makers import block_payload
from innspect.sandbox.world.company_profile import Profile
from innspect.sandbox.world.context import View
from innspect.schemas.catalogue import available_blocks


class Label(StrEnum):
    """Condition of a company or person; of several that are true, the first."""

    NOT_IN_REGISTER = "not in the register"
    SANCTIONED = "sanctioned"
    """A sanctions list has its INN."""
    BANKRUPT = "bankrupt"
    """A stage of bankruptcy that is not completed."""
    DEAD = "dead"
    """Liquidated, or no longer registered as a sole proprietor."""
    TROUBLED = "troubled"
    """Any of: an intended or completed bankruptcy, a winding-up, a suspended account, an entry among unfair suppliers
    that is in force, a disqualified person, a sanctions list with its exact name."""
    CLEAN = "clean"
    """None of them; it may have cases, debts and proceedings."""


def _has_hit(payload: Any, confidence: str) -> bool:
    return any(hit["match_confidence"] == confidence for hit in payload["hits"])


_SIGNS: Mapping[Label, Mapping[str, Callable[[Any], bool]]] = {
    Label.SANCTIONED: {"sanctions": lambda payload: _has_hit(payload, "high")},
    Label.BANKRUPT: {"bankruptcy": lambda payload: payload["has_bankruptcy"] and payload["status"] != "completed"},
    Label.DEAD: {"company": lambda payload: payload["status"] == "liquidated"},
    Label.TROUBLED: {
        "bankruptcy": lambda payload: payload["has_intention"] or payload["has_bankruptcy"],
        "company": lambda payload: payload["status"] in ("liquidating", "bankruptcy"),
        "freezes": lambda payload: payload["found"],
        "rnp": lambda payload: payload["active"] > 0,
        "risk_flags": lambda payload: payload["disqualified_persons"],
        "sanctions": lambda payload: _has_hit(payload, "medium"),
    },
}
"""By label, the blocks that show it and how."""


def label(inn: str, seed: int, day: date, unknown_inns: Collection[str] = ()) -> Label:
    """The condition of an INN on a day, as far as blocks that exist for its kind show it.

    `unknown_inns`: those of the option `--unknown-inn`.
    """
    if inn in unknown_inns:
        return Label.NOT_IN_REGISTER
    view = View(Profile(seed, inn), day.toordinal(), has_outages=False)
    blocks = available_blocks(len(inn))
    for found, signs in _SIGNS.items():
        if any(block in blocks and is_shown(block_payload(view, block)) for block, is_shown in signs.items()):
            return found
    return Label.CLEAN
