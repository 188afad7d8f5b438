"""The register of unfair suppliers."""

from innspect.sandbox.payloads.block_state import States, with_rows, without_rows
from innspect.sandbox.world.calendar import CLOSE_OF_TURN, CLOSING, TURN, dmy, ymd
from innspect.sandbox.world.company_profile import Profile
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
    return _with_totals(view, [_record(view, number, day) for number, day in seen])


def _full_list(view: View, _: Payload, __: str) -> Payload:
    return _with_totals(view, [_record(view, number, view.day - 30 * number) for number in range(MAX_RECORDS)])


def _exclude_entry(view: View, _: Payload, __: str) -> Payload:
    return _with_totals(view, [_record(view, 0, view.day - _STAY - 30)])


STATES: dict[str, States] = {
    "rnp": {
        "filter_bypassed": without_rows("`filter_bypassed`: the search ignored the INN", filter_bypassed=True),
        "list_full": with_rows("`total` 30, the cap", change=_full_list),
        "excluded": with_rows("one entry, excluded from the register", change=_exclude_entry),
    }
}


def _with_totals(view: View, records: list[Payload]) -> Payload:
    excluded = sum(record["status"] == "Исключено" for record in records)
    return {"inn": view.inn, "total": len(records), "active": len(records) - excluded, "historic": excluded,
            "records": records, "error": "", "filter_bypassed": False}  # fmt: skip


def _record(view: View, number: int, day: int) -> Payload:
    draw = view.draw("rnp", number)
    law = draw.pick(("FZ44", "FZ44", "FZ223", "PP615"))
    excluded = view.day > day + _STAY
    authority = view.profile.other_company(draw).short_name
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
