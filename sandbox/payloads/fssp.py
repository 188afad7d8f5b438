"""Enforcement proceedings."""

from innspect.sandbox.payloads.block_state import WORD, States, both, with_rows, without_rows
from innspect.sandbox.world import vocabulary as words
from innspect.sandbox.world.calendar import dmy, year_of
from innspect.sandbox.world.context import Payload, View
from innspect.sandbox.world.random_streams import on_wire

_ENDS = {
    "paid": "ст. 47 ч. 1 п. 1",
    "no_assets": "ст. 46 ч. 1 п. 4",
    "expired": "ст. 47 ч. 1 п. 9",
    "returned": "ст. 46 ч. 1 п. 1",
    "other": "ст. 43 ч. 2 п. 5",
}
_DOCUMENTS = ("Исполнительный лист", "Судебный приказ", "Акт по делу об административном правонарушении",
              "Акт органа, осуществляющего контрольные функции", "Постановление судебного пристава-исполнителя",
              "Исполнительная надпись нотариуса")  # fmt: skip
_SUBJECTS = ("Взыскание налогов и сборов", "Задолженность", "Госпошлина", "Штраф", "Исполнительский сбор")
_OTHER_SUBJECT = "Обязать освободить песочницу"
_CHANNELS: tuple[str, ...] = ("parser_api", "site_inn", "site_name", "fssp_official", "fallback")
_EMPTY_CHANNELS: tuple[str, ...] = ("parser_api_empty", "fssp_official_empty", "fallback_auth")
_LARGE_DEBT_RUB = 90_000_000


def _large_debt(view: View, _: Payload, __: str) -> Payload:
    """One active proceeding, opened on the day before."""
    fields = {"sum": _LARGE_DEBT_RUB, "is_active": True, "end_reason": "", "completion_reason": ""}
    return _with_totals([_proceeding(view, 0, view.day - 1) | fields], [_CHANNELS[0]], [], "")


STATES: dict[str, States] = {
    "fssp": {
        **both("sources_failed", "a channel in `sources_failed`", *_CHANNELS[:3], sources_failed=[WORD]),
        "confirmed_empty": without_rows("a channel that confirms no records", *_EMPTY_CHANNELS, sources_ok=[WORD]),
        "large_debt": with_rows("one active proceeding of 90 000 000 RUB", change=_large_debt),
    }
}


def fssp(view: View) -> Payload:
    """Proceedings without order, with counts by state and end reason."""
    seen = view.events_until_today(view.profile.event_days("fssp"))
    draw = view.draw("fssp")
    failed = view.failure_draw("fssp")
    if failed:
        kept = seen[1:] if failed.chance(0.4) else []
        blocked = failed.some(_CHANNELS[:3], 2)
        proceedings = [_proceeding(view, number, day) for number, day in kept]
        return _with_totals(proceedings, [], blocked, "" if failed.chance(0.5) else "captcha_unsolved")
    proceedings = [_proceeding(view, number, day) for number, day in seen]
    proceedings.sort(key=lambda one: view.draw("order", one["exe_production"]).unit())
    return _with_totals(proceedings, [draw.pick(_CHANNELS if seen else _EMPTY_CHANNELS)], [], "")


def _with_totals(proceedings: list[Payload], ok: list[str], failed: list[str], error: str) -> Payload:
    reasons = [one["completion_reason"] for one in proceedings]
    active = [one for one in proceedings if one["is_active"]]
    return {
        "total_proceedings": len(proceedings),
        "active_proceedings": len(active),
        "completed_proceedings": len(proceedings) - len(active),
        "total_debt_rub": on_wire(sum(round(one["sum"] * 100) for one in proceedings)),
        "active_debt_rub": on_wire(sum(round(one["sum"] * 100) for one in active)),
        **{f"completed_{reason}": reasons.count(reason) for reason in _ENDS},
        "proceedings": proceedings,
        "sources_ok": ok,
        "sources_failed": failed,
        "error": error,
    }


def _proceeding(view: View, number: int, day: int) -> Payload:
    draw = view.draw("proceeding", number)
    fate = "no_assets" if view.profile.kind == "troubled" and draw.chance(0.4) else draw.pick(tuple(_ENDS))
    ended = view.day >= day + draw.integer(20, 700)
    dated = draw.chance(0.96)
    code = f"{draw.integer(1000, 999_999)}/{year_of(day) % 100}/{draw.integer(1000, 99_999)}-ИП"
    money = draw.chance(0.85)
    amount = draw.roubles(500, 3_000_000) if money else 0
    subject = draw.pick(_SUBJECTS) if money else _OTHER_SUBJECT
    document = draw.pick(_DOCUMENTS)
    bailiff = draw.chance(0.3)
    court = document in ("Исполнительный лист", "Судебный приказ")
    department = draw.pick(words.BAILIFFS)
    return {
        "exe_production": f"{code} от {dmy(day)}" if dated else code,
        "process_date": dmy(day) if dated else "",
        "subject": subject,
        "subject_matter": f"{subject}: {amount:.2f} руб." if money else subject,
        "sum": amount,
        "is_active": not ended,
        "end_reason": _ENDS[fate] if ended else "",
        "completion_reason": fate if ended else "",
        "debtor_name": view.profile.short_name if draw.chance(0.8) else f"ФИЛИАЛ {view.profile.short_name}",
        "department": department,
        "department_address": f"101000, г. Москва, , ул. {draw.pick(words.STREETS)}, д. {draw.integer(1, 90)}, , ",
        "bailiff": "ПЕСОЧНИКОВА К. К." if bailiff else "",
        "bailiff_phone": "+7(999)000-00-00" if bailiff else "",
        "document_type": document,
        "doc_type": document,
        "case_number": draw.pick((f"ФС {draw.digits(9)}", f"А40-{draw.digits(5)}/{year_of(day)}",
                                  f"99#{draw.digits(6)}#{draw.digits(4)}", "")),
        "doc_date": dmy(day - draw.integer(5, 60)) if draw.chance(0.9) else "",
        "court_name": draw.pick(words.COURTS).upper() if court else "",
    }  # fmt: skip
