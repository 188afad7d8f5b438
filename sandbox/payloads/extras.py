"""Leasing, trademarks, related companies and contacts."""

from innspect.sandbox.payloads.block_state import States, without_rows
from innspect.sandbox.world.calendar import dmy, ymd
from innspect.sandbox.world.context import Payload, View

_CONFIRMATION_DAYS, _MAX_CONFIRMATIONS = 100, 4
"""A contact is confirmed at this interval, so often; a daily confirmation would be a change of every company."""
OMITTED = frozenset({"contacts.inn"})


def _empty_object(_: View, __: Payload, ___: str) -> Payload:
    return {}


STATES: dict[str, States] = {
    "trademarks": {"empty_object": without_rows("an empty object: polled, nothing found", change=_empty_object)}
}


def leasing(view: View) -> Payload:
    """Leasing contracts; only in the full check."""
    draw = view.draw("leasing")
    share = {"heavy": 0.8, "ordinary": 0.2}.get(view.profile.kind, 0.04)
    count = draw.integer(1, 6) if draw.chance(share) else 0
    signed = [view.profile.registration_day + draw.integer(30, 900) for _ in range(count)]
    rows = [
        {"subject": "Экскаватор карьерный", "lessor": view.profile.other_company(draw).short_name, "date": ymd(day),
         "amount": draw.roubles(200_000, 20_000_000), "status": draw.pick(("Действует", "Завершён", ""))}
        for day in signed if day <= view.day
    ]  # fmt: skip
    failed = view.failure_draw("leasing")
    return {"total_contracts": 0 if failed else len(rows), "contracts": [] if failed else rows,
            "error": "exception:ReadTimeout" if failed else ""}  # fmt: skip


def trademarks(view: View) -> Payload:
    """Trademarks; the undocumented standalone response has the same fields here."""
    draw = view.draw("trademarks")
    count = draw.integer(1, 4) if draw.chance(0.3 if view.profile.kind in ("heavy", "bank") else 0.06) else 0
    failed = view.failure_draw("trademarks")
    rows: list[Payload] = []
    for number in range(0 if failed else count):
        mark = view.draw("trademark", number)
        granted = view.profile.registration_day + mark.integer(60, 1500)
        if granted > view.day:
            continue
        rows.append({"name": f"ПЕСОЧНИЦА {number + 1}", "number": mark.digits(6), "date": dmy(granted),
                     "owner": view.profile.name, "url": f"https://fips.invalid/{mark.digits(6)}"})  # fmt: skip
    return {"total": len(rows), "trademarks": rows, "error": "no_name" if failed else ""}


def founded_companies(view: View) -> Payload:
    """Companies that this one founded or manages; only in the full check."""
    draw = view.draw("founded")
    wide = view.profile.kind in ("heavy", "bank")
    count = draw.integer(3, 40) if wide else draw.integer(1, 3) if draw.chance(0.08) else 0
    items: list[Payload] = []
    for number in range(count):
        draw = view.draw("founded", number)
        child = view.profile.other_company(draw)
        items.append({"name": child.short_name, "inn": child.inn, "ogrn": child.ogrn,
                      "role": draw.pick(("учредитель", "руководитель")),
                      "status": "Действующая" if child.is_registered(view.day) else "Ликвидирована",
                      "source": "egrul"})  # fmt: skip
    return {"count": count, "items": items}


def contacts(view: View) -> Payload:
    """Contacts, each with its source and the days of its first and last confirmation."""
    era = view.profile.change_count("contacts", view.day)
    draw = view.draw("contact book", era)
    first = view.profile.change_days["contacts"][era - 1] if era else view.profile.registration_day
    confirmed = min((view.day - first) // _CONFIRMATION_DAYS, _MAX_CONFIRMATIONS) * _CONFIRMATION_DAYS
    seen = {
        "source": draw.pick(("site", "egrul", "eis")),
        "first_seen": ymd(first),
        "last_seen": ymd(first + confirmed),
    }
    full = draw.chance(0.7)
    return {
        "phones": [{"value": f"+7999{draw.digits(7)}", **seen} for _ in range(draw.integer(1, 3))] if full else [],
        "emails": [{"value": f"info@{view.inn}.invalid", **seen}] if full else [],
        "sites": [{"value": f"https://pesochnica-{view.inn}.invalid", **seen}] if full and draw.chance(0.5) else [],
        "addresses": [{"value": view.profile.address(view.day), **seen}],
    }
