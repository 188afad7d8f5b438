"""Bankruptcy: stage, notices of intention, debtor cards."""

from innspect.sandbox.payloads.block_state import States, without_rows
from innspect.sandbox.world.calendar import count_until, iso
from innspect.sandbox.world.company_profile import person_name
from innspect.sandbox.world.context import Payload, View

_STAGES = (("observation", "Наблюдение"), ("proceedings", "Конкурсное производство"),
           ("completed", "Завершение конкурсного производства"))  # fmt: skip
_SLOW_STAGES = (("financial_recovery", "Финансовое оздоровление"), ("external_management", "Внешнее управление"),
                ("completed", "Производство завершено"))  # fmt: skip
_CITIZEN_STAGES = (("citizen_restructuring", "Реструктуризация долгов гражданина"),
                   ("citizen_property_sale", "Реализация имущества гражданина"),
                   ("completed", "Завершение реализации имущества"))  # fmt: skip
_UNRECOGNISED = "Возвращено заявление о признании должника банкротом"


def bankruptcy(view: View) -> Payload:
    """The heaviest recognised stage; a card or a notice alone is not a bankruptcy."""
    failed = view.failure_draw("bankruptcy")
    if failed:
        return {"has_bankruptcy": False, "has_intention": False, "status": "", "total_cases": 0, "cases": [],
                "raw": {}, "error": "exception:ReadTimeout"}  # fmt: skip
    draw = view.draw("bankruptcy")
    days = list(view.profile.insolvency)
    reached = count_until(days, view.day)
    ways = _CITIZEN_STAGES if view.profile.is_person else draw.pick((_STAGES, _STAGES, _SLOW_STAGES))
    cards: list[Payload] = []
    status = ""
    if reached > 1:
        status, wording = ways[reached - 2]
        cards = [_card(view, status, wording, days[reached - 1])]
        if draw.chance(0.08):
            cards.append(_card(view, status, wording, days[1], second=True))
    elif not days and draw.chance(0.04):
        cards = [_card(view, _UNRECOGNISED.lower()[:30], _UNRECOGNISED, 0)]
    return {"has_bankruptcy": reached > 1, "has_intention": reached > 0, "status": status, "total_cases": len(cards),
            "cases": cards, "raw": {}, "error": ""}  # fmt: skip


def _card_only(view: View, payload: Payload, _: str) -> Payload:
    return payload | {"total_cases": 1, "cases": [_card(view, _UNRECOGNISED.lower()[:30], _UNRECOGNISED, 0)]}


STATES: dict[str, States] = {
    "bankruptcy": {
        "intention": without_rows("`has_intention` without a case", has_intention=True),
        "stage_only": without_rows("a stage in `status` without a case", has_bankruptcy=True, status="observation"),
        "card_only": without_rows("a case without a recognised stage", change=_card_only),
    }
}


def _card(view: View, status: str, wording: str, updated: int, *, second: bool = False) -> Payload:
    draw = view.draw("debtor", int(second))
    manager = {"name": person_name(draw), "guid": draw.uuid(), "type": "Company" if draw.chance(0.1) else "Person"}
    published = bool(updated) and draw.chance(0.85)
    return {
        "status": status,
        "status_raw": wording,
        "name": view.profile.name,
        "inn": view.inn,
        "ogrn": view.profile.ogrn,
        "region": "",
        "case_number": f"А40-{draw.digits(6)}/2026" if published else "",
        "arbitration_manager": manager if published else "",
        "update_date": iso(updated, view.second("debtor")) if published else "",
    }
