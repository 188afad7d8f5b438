"""The register of unfair suppliers."""

from innspect.sandbox.world.calendar import CLOSE_OF_TURN, CLOSING, TURN, dmy, ymd
from innspect.sandbox.world.company_profile import Profile, other_company
from innspect.sandbox.world.context import Payload, View

MAX_RECORDS = 30
_STAY = 730


def entry_days(profile: Profile) -> list[int]:
    """Days of its entries, past or future, in order."""
    draw = profile.draw("rnp")
    if profile.kind == "troubled" and draw.chance(0.03):
        return sorted(draw.integer(TURN - 1500, TURN) for _ in range(MAX_RECORDS + 8))
    if draw.chance(0.05):
        return sorted(draw.integer(TURN - 200, CLOSE_OF_TURN) for _ in range(draw.integer(1, 2)))
    return []


def rnp(view: View) -> Payload:
    """Entries under the three laws; a response with a bypassed filter has none."""
    empty: Payload = {"inn": view.inn, "total": 0, "active": 0, "historic": 0, "records": []}
    failed = view.failure_draw("rnp")
    if failed:
        bypassed = failed.chance(0.6)
        return {**empty, "error": "" if bypassed else "search_http_503", "filter_bypassed": bypassed}
    seen = view.events_until_today([day for day in entry_days(view.profile) if day < CLOSING])[:MAX_RECORDS]
    records = [_record(view, number, day) for number, day in seen]
    excluded = sum(record["status"] == "Исключено" for record in records)
    return {"inn": view.inn, "total": len(records), "active": len(records) - excluded, "historic": excluded,
            "records": records, "error": "", "filter_bypassed": False}  # fmt: skip


def _record(view: View, number: int, day: int) -> Payload:
    draw = view.draw("rnp", number)
    law = draw.pick(("FZ44", "FZ44", "FZ223", "PP615"))
    excluded = view.day > day + _STAY
    authority, _ = other_company(draw)
    long_name = draw.chance(0.05)
    digits = f"{ymd(day)[2:4]}{draw.digits(6)}"
    return {
        "reg_number": digits if law == "FZ44" else f"Р{digits}",
        "law": law,
        "supplier_name": (view.profile.name + " В ЛИЦЕ ФИЛИАЛОВ" * 30)[:300] + "…" if long_name else view.profile.name,
        "supplier_inn": "" if law == "FZ223" or draw.chance(0.3) else view.inn,
        "inclusion_date": dmy(day),
        "exclusion_date": dmy(day + _STAY) if draw.chance(0.2) else "",
        "status": "Исключено" if excluded else "Размещено",
        "reason": draw.pick(("Уклонение от заключения контракта", "Односторонний отказ заказчика от исполнения")),
        "fas_authority": f"Управление антимонопольной службы при {authority}",
        "decision_number": f"РНП-{draw.digits(3)}" if draw.chance(0.7) else "",
        "decision_date": dmy(day - 3) if draw.chance(0.7) else "",
        "detail_url": f"https://rnp.invalid/{digits}",
    }
