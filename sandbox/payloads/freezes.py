"""Suspended bank accounts."""

from innspect.sandbox.payloads.block_state import REMOVE, States, with_rows, without_rows
from innspect.sandbox.world import vocabulary as words
from innspect.sandbox.world.calendar import dmy
from innspect.sandbox.world.context import Payload, View

MAX_DECISIONS = 30
OMITTED = frozenset({"freezes._inquiry"})
"""The full check does not carry it."""


def freezes(view: View) -> Payload:
    """Decisions in force, at most 30; without a response of the source the payload has two keys."""
    if view.failure_draw("freezes"):
        return _without_answer(view, {}, "")
    profile = view.profile
    draw = view.draw("freezes")
    rate = {"troubled": 3.0, "ordinary": 0.12, "heavy": 1.0}.get(profile.kind, 0.02)
    if profile.kind == "troubled" and draw.chance(0.04):
        rate = 200.0
    items: list[Payload] = []
    for number, day in view.events_until_today(profile.event_days("freezes", rate)):
        item, lifted = _decision(view, number, day)
        if view.day < lifted and len(items) < MAX_DECISIONS:
            items.append(item)
    answer: Payload = {"available": True, "found": bool(items), "count": len(items), "items": items}
    if not view.is_full_check:
        answer["_inquiry"] = {"price": 0.5, "balance": 1234.5, "credit": 0, "speed": draw.integer(100, 900),
                              "attempts": draw.integer(1, 3)}  # fmt: skip
    return answer


def _without_answer(_: View, __: Payload, ___: str) -> Payload:
    return {"available": False, "items": []}


def _full_list(view: View, payload: Payload, _: str) -> Payload:
    items = [_decision(view, number, view.day - number)[0] for number in range(MAX_DECISIONS)]
    return payload | {"found": True, "count": len(items), "items": items}


STATES: dict[str, States] = {
    "freezes": {
        "not_available": without_rows("`available` false: the source did not answer", change=_without_answer),
        "list_full": with_rows("`count` 30, the cap", change=_full_list),
        "found_not_stated": without_rows("`found` is absent", found=REMOVE),
        "found_not_listed": without_rows("`found` with an empty list", found=True),
    }
}


def _decision(view: View, number: int, day: int) -> tuple[Payload, int]:
    draw = view.draw("freeze", number)
    bank, bik = draw.pick(words.BANKS)
    lifted = day + draw.integer(10, 150)
    item = {
        "decision_date": dmy(day),
        "decision_num": draw.digits(5),
        "authority": draw.pick(words.TAX_OFFICES),
        "bank": bank,
        "bik": bik,
        "code": draw.pick(("01", "02", "07")),
        "kbk": draw.pick(words.TAXES)[0] if draw.chance(0.7) else "",
    }
    return item, lifted
