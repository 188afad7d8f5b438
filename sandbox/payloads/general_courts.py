"""Cases of courts of general jurisdiction."""

from innspect.sandbox.payloads.block_state import States, both, with_rows, without_rows
from innspect.sandbox.world.calendar import dmy, year_of
from innspect.sandbox.world.company_profile import person_name
from innspect.sandbox.world.context import Payload, View
from innspect.sandbox.world.random_streams import Draw

_CATEGORIES = ("Гражданские", "Гражданские", "Гражданские (апелляция)", "Административные", "Уголовные",
               "Дела об административных правонарушениях")  # fmt: skip
_ROLES = ("истец", "ответчик", "ответчик", "третье лицо", "заявитель", "привлекаемое лицо", "потерпевший",
          "взыскатель", "должник", "подсудимый", "")  # fmt: skip
_RESULTS = ("Иск удовлетворён", "Отказано в удовлетворении иска", "Производство прекращено", "")
_LABELS = {"истец": "ИСТЕЦ", "ответчик": "ОТВЕТЧИК", "третье лицо": "ТРЕТЬЕ ЛИЦО",
           "привлекаемое лицо": "ПРИВЛЕКАЕМОЕ ЛИЦО"}  # fmt: skip
_ONLY_MAGISTRATES = ("court_type", "codex", "attracted_parties")
_ONLY_ENRICHED = ("case_uid", "category_detailed", "judge", "decision_date", "movements", "has_appeal", "has_cassation",
                  "is_force", "latest_stage", "parties_detail", "writs", "acts")  # fmt: skip
_ONLY_STORED = ("court_name", "court_url", "case_type", "_from_store")
_SOMETIMES = (*_ONLY_STORED, *_ONLY_MAGISTRATES, *_ONLY_ENRICHED)
OMITTED = frozenset({"general_courts.from_store_only", *(f"general_courts.cases.{name}" for name in _SOMETIMES)})

STATES: dict[str, States] = {
    "general_courts": {
        "unavailable": without_rows("`unavailable`: the walk failed", unavailable=True),
        "unavailable_with_cases": with_rows(
            "`unavailable`: the walk failed, and the store has cases", unavailable=True
        ),
        **both("no_court_searched", "`courts_searched` 0: no live walk", courts_searched=0),
        **both("region_unknown", "`courts_in_region` 0: the region is unknown", courts_in_region=0),
        **both("from_store_only", "`from_store_only`: the live walk failed", from_store_only=True),
        **both("courts_failed", "`errors` 2: courts answered with an error", errors=2),
        **both("courts_missed", "`courts_searched` below `courts_in_region`", courts_searched=19, courts_in_region=60),
    }
}


def general_courts(view: View) -> Payload:
    """Cases found by the search or taken from the store, and the completeness of the search."""
    seen = view.events_until_today(view.profile.event_days("courts"))
    failed = view.failure_draw("general_courts")
    if failed:
        if failed.chance(0.5):
            return _with_totals(
                [], 0, {"courts_searched": 0, "errors": 38, "unavailable": True, "error": "walk_failed"}, 38
            )
        stored = [_case(view, number, day, stored=True) for number, day in seen]
        return _with_totals(stored, len(stored), {"courts_searched": 0, "from_store_only": True}, 38)
    draw = view.draw("courts")
    region = 0 if draw.chance(0.04) else draw.integer(20, 60)
    short = draw.integer(1, 3) if region and draw.chance(0.06) else 0
    searched = (region or 30) - short
    lifted = [draw.chance(0.15) for _ in seen]
    cases = [_case(view, number, day, stored=old) for (number, day), old in zip(seen, lifted, strict=True)]
    marks = {"courts_searched": searched, "errors": short if draw.chance(0.5) else 0}
    return _with_totals(cases, sum(lifted), marks, region)


def _with_totals(cases: list[Payload], stored: int, marks: Payload, region: int) -> Payload:
    enriched = sum("case_uid" in case for case in cases)
    return {
        "total_cases": len(cases),
        "cases_found_now": len(cases) - stored,
        "cases_from_store": stored,
        "courts_searched": 0,
        "courts_in_region": region,
        "errors": 0,
        "error": "",
        "unavailable": False,
        "raw": {"sudrf_enriched_count": enriched, "sudrf_enriched_cost_rub": 0.5} if enriched > 5 else {},
        "cases": cases,
        **marks,
    }


def _case(view: View, number: int, day: int, *, stored: bool) -> Payload:
    draw = view.draw("court", number)
    category = draw.pick(_CATEGORIES)
    role = draw.pick(_ROLES)
    magistrate = draw.chance(0.25)
    closing = day + draw.integer(30, 300)
    closed = view.day >= closing
    outcome = draw.pick(_RESULTS)
    other = view.profile.other_company(draw).short_name if draw.chance(0.5) else person_name(draw)
    crowd = 200 if draw.chance(0.01) else 1
    money = draw.chance(0.12)
    portal = draw.chance(0.1)
    case: Payload = {
        "case_number": f"{draw.integer(1, 13)}-{draw.integer(1, 9999)}/{year_of(day)}",
        "date": "" if portal else dmy(day),
        "participants": f"ИСТЕЦ: {view.profile.short_name}; ОТВЕТЧИК: " + ", ".join([other] * crowd),
        "category": category,
        "result_date": dmy(closing) if closed else "",
        "result": outcome if closed else "",
        "court": "" if stored and draw.chance(0.3) else "Мировой судья участка № 99" if magistrate else "pesochny--msk",
        "url": "" if stored and draw.chance(0.5) else f"https://sudrf.invalid/case/{number}",
        "case_id": "" if magistrate or portal else draw.digits(8),
        "role": role,
        "claim_sum": draw.roubles(1_000, 900_000) if money else 0,
        "plaintiffs": [],
        "respondents": [],
        "third_parties": [],
        "other_parties": [{"name": other}] if draw.chance(0.02) else [],
    }
    if magistrate:
        case |= {"court_type": "мировой", "codex": "ст. 15.33.2 ч. 1" if "правонаруш" in category else ""}
        case["attracted_parties"] = [{"name": view.profile.short_name, "codex": "ст. 15.33.2 ч. 1"}]
    if draw.chance(0.5):
        case |= _enriched_fields(view, draw, day, closing if closed else 0, outcome, other)
    if stored:
        case |= {"court_name": case["court"], "court_url": case["url"], "case_type": category, "_from_store": True}
    return case


def _enriched_fields(view: View, draw: Draw, day: int, closed: int, outcome: str, other: str) -> Payload:
    known = draw.chance(0.4)
    inn, ogrn = (view.inn, view.profile.ogrn) if known else ("", "")
    own = {"name": view.profile.short_name, "inn": inn, "ogrn": ogrn}
    third = [{"name": view.profile.other_company(draw).short_name, "inn": "", "ogrn": ""}] if draw.chance(0.1) else []
    opposite = {"name": other, "inn": "", "ogrn": ""}
    steps = [(day, "Регистрация иска", ""), (day + 5, "Передача материалов судье", ""),
             *([(closed, "Судебное заседание", outcome)] if closed else [])]  # fmt: skip
    movements = [
        {"date": dmy(one), "time": "10:30" if result else "", "event": event, "place": "каб. 12" if result else "",
         "result": result, "basis": "", "note": "", "published": ""}
        for one, event, result in steps
        if one <= view.day
    ]  # fmt: skip
    blank = {"date": "", "number": "", "e_id": "", "status": "", "recipient": ""}
    writ = {"date": dmy(closed + 30), "number": f"ФС № {draw.digits(9)}", "e_id": draw.digits(6), "status": "Выдан",
            "recipient": other}  # fmt: skip
    text = "Суд решил песочницу сохранить."
    published = bool(closed) and draw.chance(0.4)
    label = draw.pick((*_LABELS.values(), "ПРЕДСТАВИТЕЛЬ", ""))
    return {
        "plaintiffs": [own],
        "respondents": [opposite],
        "third_parties": third,
        "case_uid": f"77RS0099-01-{year_of(day)}-{draw.digits(6)}-{draw.digits(2)}",
        "category_detailed": "Иски о взыскании сумм → по договору → займа",
        "judge": person_name(draw),
        "decision_date": dmy(closed) if closed else "",
        "movements": movements,
        "has_appeal": draw.chance(0.2),
        "has_cassation": draw.chance(0.05),
        "is_force": bool(closed) and closed + 31 <= view.day,
        "latest_stage": (outcome or movements[-1]["event"] if movements else outcome)[:120],
        "parties_detail": [
            {"role": label, **own, "kpp": "", "ogrnip": ""},
            {"role": "ОТВЕТЧИК", **opposite, "kpp": "", "ogrnip": ""},
        ],
        "writs": [writ, blank] if closed and closed + 30 <= view.day and draw.chance(0.4) else [],
        "acts": [{"n": 1, "title": "Решение", "text_snippet": text, "text_len": len(text)}] if published else [],
    }
