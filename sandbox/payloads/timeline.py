"""The timeline: an array, not an object."""

from innspect.sandbox.payloads.block_state import States, with_rows
from innspect.sandbox.world.calendar import count_until, dmy, ymd
from innspect.sandbox.world.context import Payload, View

_PUBLICATIONS = ("Намерение должника обратиться в суд с заявлением о банкротстве",
                 "Сообщение о введении наблюдения", "Сообщение об открытии конкурсного производства",
                 "Сообщение о завершении конкурсного производства")  # fmt: skip
OMITTED = frozenset({"timeline.source"})


def _without_days(_: View, payload: list[Payload], __: str) -> list[Payload]:
    return [event | {"date": ""} for event in payload]


STATES: dict[str, States] = {"timeline": {"no_day": with_rows("events without a date", change=_without_days)}}


def timeline(view: View) -> list[Payload]:
    """Events, latest first; those without a date are last."""
    profile = view.profile
    write = ymd if view.draw("timeline").chance(0.5) else dmy
    days = list(profile.insolvency)
    events: list[tuple[int, Payload]] = [
        (day, {"date": ymd(day), "type": "bankruptcy", "event": text, "source": "efrsb"})
        for day, text in list(zip(days, _PUBLICATIONS, strict=False))[: count_until(days, view.day)]
    ]
    if profile.registration_day <= view.day:
        registered = {
            "date": write(profile.registration_day),
            "type": "registration",
            "event": "Регистрация организации",
        }
        events.append((profile.registration_day, registered))
    status = profile.status(view.day)
    if status != "active":
        wording = {"liquidated": "Ликвидирована", "liquidating": "В стадии ликвидации",
                   "bankruptcy": "Банкротство", "reorganizing": "Реорганизация"}[status]  # fmt: skip
        ended = status == "liquidated" and view.draw("dated").chance(0.5)
        day = profile.liquidation[1] if ended else 0
        events.append((day, {"date": write(day) if ended else "", "type": "status_change", "event": wording}))
    return [event for _, event in sorted(events, key=lambda one: -one[0])]
