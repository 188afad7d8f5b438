"""The card of a company or sole proprietor."""

from collections.abc import Callable
from datetime import date

from innspect.sandbox.payloads.block_state import REMOVE, WORD, States, with_rows
from innspect.sandbox.payloads.open_data import headcount
from innspect.sandbox.payloads.rnp import entry_days
from innspect.sandbox.payloads.sanctions import matches
from innspect.sandbox.world import vocabulary as words
from innspect.sandbox.world.calendar import count_until, dmy, iso, stamp, year_of, ymd
from innspect.sandbox.world.company_profile import Profile
from innspect.sandbox.world.context import Payload, View
from innspect.sandbox.world.inn_samples import generate_inn
from innspect.sandbox.world.random_streams import Draw, on_wire

Write = Callable[[int], str]
_WORDING = {
    "active": "Действующая",
    "liquidating": "В стадии ликвидации",
    "liquidated": "Ликвидирована",
    "reorganizing": "В процессе реорганизации",
    "bankruptcy": "В отношении организации введена процедура банкротства",
}
_REGIMES = ("ОСНО", "УСН", "АУСН", "ЕСХН", "патент", "", "УСН", "ОСНО")
STATES: dict[str, States] = {
    "company": {
        "stored_record": with_rows(
            "`_source_local` with an old `_source_fetched_at`, and no `_from_local`", "2024-03-01 10:00:00",
            _source_local="egrul_dump", _source_fetched_at=WORD, _from_local=REMOVE, _local_fetched_at=REMOVE,
        ),
    },
}  # fmt: skip
OMITTED = frozenset({"company._source_local", "company._source_fetched_at", "company.ip_records.termination_reason"})


def is_from_store(view: View) -> bool:
    """Whether the card is from the service's local store."""
    return view.draw("company", "stored", int(view.is_full_check)).chance(0.4)


def company(view: View) -> Payload:
    """The card on the view's day."""
    failed = view.failure_draw("company")
    if failed:
        return {"inn": view.inn, "ogrn": "", "kpp": "", "name": "", "short_name": "", "status": "",
                "error": failed.pick(("TimeoutError: egrul", "exception:ConnectError"))}  # fmt: skip
    write = ymd if is_from_store(view) else dmy
    card = {**_identity(view, write), **_people(view, write), **_activity(view), **_taxes(view), **_flags(view)}
    card |= {**_contacts(view), **_codes(view), **_extras(view, write)}
    card |= {"raw": {}, "error": ""}
    if is_from_store(view):
        card["_source_local"] = "egrul_dump"
        card["_source_fetched_at"] = view.fetched_at(view.profile.registration_day + 1, "source")
    return card


def _write_undocumented(view: View, day: int, write: Write) -> str:
    """A day of a field whose format the documents do not state, in one of those that they name."""
    return view.draw("undocumented format").pick((write(day), write(day), stamp(day, 0), iso(day, 0)))


def _identity(view: View, write: Write) -> Payload:
    profile, day = view.profile, view.day
    status = profile.status(day)
    ended = status == "liquidated"
    draw = view.draw("identity")
    kind = profile.liquidation[2]
    if profile.is_person and ended and draw.chance(0.2):
        kind = "death"
    short = profile.short_name if draw.chance(0.93) else profile.name
    return {
        "inn": view.inn,
        "ogrn": "" if draw.chance(0.01) else profile.ogrn,
        "kpp": "" if profile.is_person else f"{view.inn[:4]}01001",
        "name": profile.name,
        "short_name": short,
        "status": status,
        "status_description": _WORDING[status],
        "status_name": _WORDING[status] if draw.chance(0.05) else "",
        "registration_date": write(profile.registration_day),
        "liquidation_date": _write_undocumented(view, profile.liquidation[1], write) if ended else "",
        "termination_reason": "Прекращение деятельности" if ended else "",
        "termination_kind": kind if ended else "",
        "ip_records": _registrations(view, write, kind) if profile.is_person else [],
        "address": profile.address(day),
    }


def _registrations(view: View, write: Write, kind: str) -> list[Payload]:
    profile = view.profile
    ended = not profile.is_registered(view.day)
    common = {"name": profile.full_name.upper()}
    now: Payload = {
        **common,
        "ogrnip": profile.ogrn,
        "registration_date": write(profile.registration_day),
        "termination_date": write(profile.liquidation[1]) if ended else "",
        "active": not ended,
        "status": "Прекращено" if ended else "Действует",
        "termination_reason": "Решение о прекращении деятельности" if ended else "",
        "termination_kind": kind if ended else "",
    }
    records = [now]
    draw = view.draw("earlier")
    if draw.chance(0.3):
        opened = profile.registration_day - draw.integer(900, 2500)
        earlier = {**common, "ogrnip": "3" + draw.digits(14), "registration_date": write(opened)}
        earlier |= {"termination_date": write(opened + draw.integer(100, 800)), "active": False, "status": "Прекращено"}
        records.append({**earlier, "termination_kind": draw.pick(("voluntary", "unknown"))})
    return records


def founders(profile: Profile, day: int) -> list[tuple[str, str, int]]:
    """Name, INN and hundredths of a percent of each founder on a day."""
    draw = profile.draw("founders", profile.change_count("founders", day))
    count = draw.pick((1, 1, 1, 2, 2, 3, 5))
    left, found = 10_000, list[tuple[str, str, int]]()
    for number in range(count):
        share = left if number == count - 1 else draw.integer(1, max(1, left // 2))
        left -= share
        owner = profile.other_company(draw) if draw.chance(0.25) else profile.other_person(draw)
        found.append((owner.full_name if owner.is_person else owner.short_name, owner.inn, share))
    return found


def _people(view: View, write: Write) -> Payload:
    profile = view.profile
    director = profile.director(view.day)
    draw = view.draw("people")
    if profile.is_person:
        return {"director": "", "directors": [], "founders": [], "founder_shares": [], "beneficiaries": [],
                "connections_graph": {}, "authorized_capital": 0}  # fmt: skip
    hidden = draw.chance(0.1)
    people = [{"name": director.full_name, "inn": "" if hidden else director.inn, "position": "Генеральный директор"}]
    if profile.kind in ("bank", "heavy"):
        board = [profile.other_person(draw) for _ in range(4)]
        people += [{"name": one.full_name, "inn": one.inn, "position": "Член правления"} for one in board]
    capital = draw.pick((10_000, 10_000, 10_000, 50_000, 100_000, 12_345_678))
    owners = founders(profile, view.day)
    entered = draw.chance(0.6)
    shares = [
        {"name": name, "inn": inn, "share_pct": share / 100, "share_rub": on_wire(capital * share // 100),
         "date": write(profile.registration_day) if entered else ""}
        for name, inn, share in owners
    ]  # fmt: skip
    known = draw.chance(0.3)
    ends = [
        {"name": name, "inn": inn, "chain": [profile.short_name, name], "share_pct": share / 100, "type": "person"}
        for name, inn, share in owners
        if len(inn) == 12
    ]
    nodes = [{"id": inn, "label": name} for name, inn, _ in owners]
    edges = [{"from": inn, "to": view.inn, "share": share / 100} for _, inn, share in owners]
    return {
        "director": director.full_name,
        "directors": people,
        "founders": [{"name": name, "inn": inn} for name, inn, _ in owners],
        "founder_shares": shares,
        "beneficiaries": ends if known else [],
        "connections_graph": {"nodes": nodes, "edges": edges, "beneficiaries": ends} if known else {},
        "authorized_capital": capital,
    }


def _activity(view: View) -> Payload:
    profile = view.profile
    draw = view.draw("activity")
    code, name = profile.activities[0]
    published = headcount(profile, view.day)
    history = [{"year": year, "count": count} for year, count in published]
    seen = draw.unit()
    if seen < 0.15:
        history = []
    count = history[0]["count"] if history else 0
    return {
        "okved_main": code,
        "okved_name": "" if draw.chance(0.1) else name,
        "okved_list": [{"code": c, "name": n, "is_main": c == code} for c, n in profile.activities],
        "employee_count": count,
        "employees_history": history,
        "avg_salary": draw.roubles(20_000, 250_000) if count and draw.chance(0.6) else 0,
    }


def _taxes(view: View) -> Payload:
    profile = view.profile
    draw = view.draw("taxes")
    if profile.is_person or profile.kind == "new" or draw.chance(0.1):
        return {"tax_debts": [], "tax_payments": [], "tax_payments_by_year": {}, "tax_years": [], "tax_regimes": [],
                "tax_regime": "", "sme_category": profile.category if draw.chance(0.8) else ""}  # fmt: skip
    newest = year_of(view.day - draw.integer(60, 360)) - 1
    years = list(range(newest, max(newest - 5, year_of(profile.registration_day) - 1), -1))
    paid = [(year, *tax, _tax_amount(profile, year, tax[0])) for year in years for tax in words.TAXES]
    by_year: dict[str, dict[str, float]] = {}
    for year, _, name, amount in paid:
        by_year.setdefault(str(year), {})[name] = amount
    regime = draw.pick(_REGIMES)
    return {
        "tax_debts": [_debt(view.draw("card debt", year), year) for year in years[:2]]
        if profile.kind == "troubled"
        else [],
        "tax_payments": [{"year": y, "kbk": kbk, "kbkname": name, "taxsum": amount} for y, kbk, name, amount in paid],
        "tax_payments_by_year": by_year,
        "tax_years": years,
        "tax_regimes": [{"year": year, "period": 12, "taxCode": "02", "taxName": regime} for year in years if regime],
        "tax_regime": regime,
        "sme_category": profile.category if draw.chance(0.8) else "",
    }


def _tax_amount(profile: Profile, year: int, kbk: str) -> float:
    draw = profile.draw("tax", year, kbk)
    return on_wire(int(profile.turnover * (0.2 + draw.unit())))


def _debt(draw: Draw, year: int) -> Payload:
    parts = [draw.kopecks(100, 90_000) for _ in range(3)]
    arrears, penalty, fine = (on_wire(part) for part in parts)
    return {"year": year, "period": "12", "kbkname": draw.pick(words.TAXES)[1], "arrearsum": arrears,
            "penaltysum": penalty, "finesum": fine, "totalsum": on_wire(sum(parts))}  # fmt: skip


def _flags(view: View) -> Payload:
    profile = view.profile
    draw = view.draw("flags")
    return {
        "invalid_data": draw.chance(0.02),
        "edo": "Участник ЭДО" if draw.chance(0.03) else "",
        "illegal_finance": draw.chance(0.005),
        "mass_director": draw.chance(0.03),
        "mass_founder": draw.chance(0.02),
        "unfair_supplier": any(day <= view.day for day in entry_days(profile)),
        "disqualified_persons": view.draw("disqualified").chance(0.02),
        "sanctions": any(day <= view.day for day, _ in matches(profile)),
        "sanctions_founders": draw.chance(0.01),
        "mass_address": draw.chance(0.05),
        "invalid_address": draw.chance(0.02),
        "efrsb_messages": [
            {"type": "Сообщение о банкротстве", "date": iso(one, 36_000), "number": draw.digits(8)}
            for one in reversed(profile.insolvency)
            if one <= view.day
        ],
    }


def _contacts(view: View) -> Payload:
    draw = view.draw("contacts", view.profile.change_count("contacts", view.day))
    some = draw.chance(0.45)
    phones = [f"+7999{draw.digits(7)}" for _ in range(draw.integer(1, 3))] if some else []
    mails = [f"info{n}@{view.inn}.invalid" for n in range(draw.integer(0, 2))] if some else []
    sites = [f"https://pesochnica-{view.inn}.invalid"] if some and draw.chance(0.5) else []
    page = f"https://vk.invalid/{view.inn}"
    social = draw.chance(0.12)
    return {
        "phone": phones[0] if phones else "",
        "email": mails[0] if mails else "",
        "website": sites[0] if sites else "",
        "phones": phones,
        "emails": mails,
        "websites": sites,
        "vk_url": page if social else "",
        "ok_url": "",
        "tg_url": f"https://t.invalid/{view.inn}" if social and draw.chance(0.5) else "",
        "ig_url": "",
        "social_profiles": {"vk": [{"url": page, "name": view.profile.short_name, "extra": {"members": 12}}]}
        if social
        else {},
    }


def _codes(view: View) -> Payload:
    draw = view.draw("codes")
    born = draw.integer(date(1950, 1, 1).toordinal(), date(2000, 1, 1).toordinal())
    okato = words.CITIES[view.profile.city][2]
    return {
        "birth_date": dmy(born) if view.profile.is_person and draw.chance(0.7) else "",
        "okpo": draw.digits(10 if view.profile.is_person else 8),
        "oktmo": f"{okato}000000",
        "okato": f"{okato}000000000",
        "okopf": "50102" if view.profile.is_person else "12300",
        "okogu": "4210014",
        "okfs": "16",
        "pfr_number": draw.digits(12) if draw.chance(0.8) else "",
        "fss_number": draw.digits(15) if draw.chance(0.7) else "",
    }


def _extras(view: View, write: Write) -> Payload:
    profile = view.profile
    draw = view.draw("extras")
    moves = profile.change_days["address"][: count_until(profile.change_days["address"], view.day)]
    starts = [profile.registration_day, *moves]
    renamed = profile.change_count("name", view.day)
    licence = {"number": f"Л0{draw.digits(3)}-{draw.digits(8)}", "date": write(profile.registration_day + 200),
               "authority": "Росздравнадзор", "activity": "Фармацевтическая деятельность"}  # fmt: skip
    membership = {
        "name": 'СРО "СОЮЗ ПЕСОЧНИЦ"',
        "inn": generate_inn(draw, 10),
        "date": write(profile.registration_day + 300),
    }
    story = {"title": "Песочница расширяется", "date": ymd(profile.registration_day + 500), "url": "https://n.invalid"}
    age = view.day - profile.registration_day
    return {
        "licenses": [licence] if draw.chance(0.04) and age >= 200 else [],
        "sro": [membership] if draw.chance(0.06) and age >= 300 else [],
        "timeline": [],
        "news": [story] if draw.chance(0.01) and age >= 500 else [],
        "address_history": [
            {"address": profile.address_of(era), "date": write(starts[era])} for era in reversed(range(len(moves)))
        ],
        "previous_names": [f'ООО "БЫВШАЯ ПЕСОЧНИЦА {era + 1}"' for era in range(renamed)],
    }  # fmt: skip
