"""Pledges of movable property."""

from innspect.sandbox.payloads.block_state import WORD, States, both, with_rows, without_rows
from innspect.sandbox.world.calendar import dmy, year_of
from innspect.sandbox.world.context import Payload, View
from innspect.sandbox.world.random_streams import Draw

MAX_PLEDGES = 300


def pledges(view: View) -> Payload:
    """Notices of pledges and leasing, at most 300 of the reported ones."""
    failed = view.failure_draw("pledges")
    seen = [] if failed else view.events_until_today(view.profile.event_days("pledges"))
    rows = [_pledge(view, number, day) for number, day in seen[:MAX_PLEDGES]]
    unavailable = failed is not None and failed.chance(0.7)
    return {
        "total_pledges": len(seen),
        "fetched": len(rows),
        "pledges": rows,
        "raw": {"answered": not failed, "sources": [] if failed else ["notary", "fedresurs"]},
        "error": "register_silent" if unavailable else "",
        "unavailable": unavailable,
    }


def _full_list(view: View, payload: Payload, _: str) -> Payload:
    rows = [_pledge(view, number, view.day - number) for number in range(MAX_PLEDGES)]
    return payload | {"total_pledges": MAX_PLEDGES + 120, "fetched": MAX_PLEDGES, "pledges": rows}


STATES: dict[str, States] = {
    "pledges": {
        "unavailable": without_rows("`unavailable`: the register was silent", unavailable=True),
        **both("not_answered", "`raw.answered` false: the result is not accepted", raw={"answered": False}),
        **both("register_missed", "`raw.sources`: one register", "notary", "fedresurs", raw={"sources": [WORD]}),
        **both("no_register", "`raw.sources` is empty", raw={"sources": []}),
        **both("not_all_fetched", "`total_pledges` 400, above `fetched`", total_pledges=400),
        "list_full": with_rows("300 of 420 notices, the cap", change=_full_list),
    }
}


def _pledge(view: View, number: int, day: int) -> Payload:
    draw = view.draw("pledge", number)
    leasing = draw.chance(0.3)
    roles = ("Лизингополучатель", "Лизингодатель") if draw.chance(0.8) else ("Залогодатель", "Залогодержатель")
    return {
        "id": draw.digits(8) if leasing else f"{year_of(day)}-{draw.digits(3)}-{draw.digits(6)}-{draw.digits(3)}",
        "reg_date": dmy(day),
        "source": "fedresurs" if leasing else "notary",
        "pledgors": [{"name": roles[0], "inn": ""}] if leasing else [],
        "pledgees": [{"name": roles[1], "inn": ""}] if leasing else [],
        "properties": _properties(draw),
    }


def _properties(draw: Draw) -> list[Payload]:
    count = 250 if draw.chance(0.01) else draw.pick((0, 1, 1, 1, 2, 4))
    return [
        {"description": f"Погрузчик песочный, VIN XTA{draw.digits(7)}{draw.digits(7)}, {draw.integer(2010, 2026)} г.в.",
         "vin": ""}
        for _ in range(count)
    ]  # fmt: skip
