"""Risk flags and links to other companies."""

from collections.abc import Iterable

from innspect.sandbox.payloads.block_state import REMOVE, WORD, InFullCheck, States, both, with_rows
from innspect.sandbox.payloads.company import founders
from innspect.sandbox.payloads.open_data import headcount
from innspect.sandbox.world.calendar import dmy, iso
from innspect.sandbox.world.company_profile import Profile, person_name
from innspect.sandbox.world.context import Payload, View
from innspect.sandbox.world.random_streams import Draw
from innspect.schemas.blocks.risk_flags import MAX_LINKS, MAX_PERSONS, REASONS

_MASS_CHECK_REASONS = (*REASONS, "exception:TimeoutError")
_MAX_PUBLICATIONS = 20
_FLAGS = ("mass_director", "mass_founder", "mass_address", "disqualified_persons")
_RESERVED_FLAGS = ("illegal_finance", "unfair_supplier", "sanctions", "sanctions_founders", "invalid_address")
_RESERVED_TEXTS = ("phone", "email", "website", "tax_regime")
_RESERVED_LISTS = ("phones", "emails", "websites", "licenses", "sro", "address_history")
OMITTED = frozenset(f"risk_flags.{name}" for name in (*_RESERVED_TEXTS, *_RESERVED_LISTS))
"""The full check does not carry them."""


def risk_flags(view: View) -> Payload:
    """The flags of the mass check and the links; the standalone method also has a part of the card."""
    failed = view.failure_draw("risk_flags")
    draw = view.draw("flags")
    values = (draw.chance(0.04), draw.chance(0.03), draw.chance(0.05), view.draw("disqualified").chance(0.02))
    answer: Payload = {name: value and not failed for name, value in zip(_FLAGS, values, strict=True)}
    answer |= dict.fromkeys(_RESERVED_FLAGS, False)
    answer |= {
        "mass_check_unavailable": bool(failed),
        "mass_check_reason": failed.pick(_MASS_CHECK_REASONS) if failed else "",
    }
    if not failed:
        answer["mass_source"] = "ФНС: Прозрачный бизнес"
    answer["disqualified_records"] = [_disqualification(view)] if answer["disqualified_persons"] else []
    answer["linked_companies"] = _links(view)
    return answer if view.is_full_check else answer | _card_part(view)


def _disqualification(view: View) -> Payload:
    draw = view.draw("disqualification")
    name = view.profile.director(view.day).full_name
    start = view.profile.registration_day + draw.integer(10, 300)
    return {"queried_name": name, "matched_name": name.upper(), "birth_date": dmy(720_000 + draw.integer(0, 9000)),
            "company": view.profile.other_company(draw).short_name, "position": "Генеральный директор",
            "offence": "ст. 14.25 ч. 5 КоАП РФ",
            "start_date": dmy(start), "end_date": dmy(start + 365), "term": "1 год"}  # fmt: skip


def _links(view: View) -> list[Payload]:
    draw = view.draw("links")
    count = MAX_LINKS if view.profile.kind in ("heavy", "bank") and draw.chance(0.15) else draw.pick((0, 1, 3, 6, 12))
    return _links_of(view, count)


def _links_of(view: View, count: int) -> list[Payload]:
    """Linked companies, until the facts that link them reach the cap."""
    via, left = view.profile.director(view.day), MAX_LINKS
    links: list[Payload] = []
    for number in range(count):
        link = _link(view, number, via)
        link["connections"] = link["connections"][:left]
        left -= len(link["connections"])
        links += [link] if link["connections"] else []
    return links


def _link(view: View, number: int, via: Profile) -> Payload:
    draw = view.draw("link", number)
    other = view.profile.other_company(draw)
    role = draw.pick(("учредитель", "руководит", "связан", "Ликвидатор"))
    historic = not other.is_registered(view.day)
    fact = {"via_name": via.full_name, "via_inn": via.inn, "source": "ФНС: реестр физических лиц"}
    roles = [role, "учредитель"] if role == "руководит" and draw.chance(0.4) else [role]
    return {"inn": other.inn, "ogrn": other.ogrn, "name": other.short_name,
            "status": "Ликвидирована" if historic else "Действующая", "role": role, "historic": historic, **fact,
            "connections": [{"role": one, **fact} for one in roles]}  # fmt: skip


def _full_list(view: View, payload: Payload, _: str) -> Payload:
    return payload | {"linked_companies": _links_of(view, MAX_LINKS)}


def _full_persons(view: View, payload: Payload, _: str) -> Payload:
    """A company through each of as many persons as the service follows."""
    persons: dict[str, Profile] = {}
    while len(persons) < MAX_PERSONS:
        person = view.profile.other_company(view.draw("person", len(persons))).director(view.day)
        persons[person.inn] = person
    links = [_link(view, number, person) for number, person in enumerate(persons.values())]
    return payload | {"linked_companies": links}


def _full_publications(view: View, payload: Payload, _: str) -> Payload:
    days = range(view.day, view.day - _MAX_PUBLICATIONS, -1)
    return payload | {"efrsb_messages": _publications(view.draw("state"), days)}


STATES: dict[str, States] = {
    "risk_flags": {
        **both("mass_check_unavailable", "`mass_check_unavailable` with the reason", *_MASS_CHECK_REASONS,
               mass_check_unavailable=True, mass_check_reason=WORD, mass_source=REMOVE, disqualified_records=[],
               **dict.fromkeys(_FLAGS, False)),
        **both("mass_check_unknown", "neither `mass_check_unavailable` nor `mass_source`",
               mass_check_unavailable=REMOVE, mass_check_reason=REMOVE, mass_source=REMOVE),
        "list_full": with_rows("250 `connections` in `linked_companies`, the cap", change=_full_list),
        "persons_full": with_rows("`linked_companies` through 15 persons, the limit", change=_full_persons),
        "publications_full": with_rows("20 `efrsb_messages`, the cap", change=_full_publications,
                                       in_full_check=InFullCheck.UNCHANGED),
    }
}  # fmt: skip


def _publications(draw: Draw, days: Iterable[int]) -> list[Payload]:
    return [
        {"type": "Объявление о судебном акте", "date": iso(day, 36_000), "text": "О введении процедуры",
         "number": str(day), "publisher": person_name(draw)}
        for day in days
    ]  # fmt: skip


def _card_part(view: View) -> Payload:
    profile = view.profile
    draw = view.draw("risk card")
    disclosed = draw.chance(0.8)
    history = headcount(profile, view.day) if draw.chance(0.8) else []
    return {
        "authorized_capital": draw.pick((10_000, 10_000, 100_000, 0)),
        "status_name": "" if draw.chance(0.05) else profile.status(view.day),
        "employee_count": history[0][1] if history else 0,
        "employees_history": [{"year": year, "count": count} for year, count in history],
        "founder_shares": [
            {"name": name, "inn": inn, "share_pct": share / 100 if disclosed else 0,
             "share_rub": share if disclosed else 0, "date": ""}
            for name, inn, share in founders(profile, view.day)
        ],
        "okved_list": [{"code": code, "name": "" if draw.chance(0.1) else name} for code, name in profile.activities],
        "efrsb_messages": _publications(draw, (day for day in reversed(profile.insolvency) if day <= view.day)),
        "sme_category": profile.category,
        **dict.fromkeys(_RESERVED_TEXTS, ""),
        **{name: [] for name in _RESERVED_LISTS},
    }  # fmt: skip
