"""Who meets whom: a common director, founder, address, phone or e-mail, and what must not join anybody."""

from typing import Any

from innspect.warehouse.database import Warehouse
from innspect.warehouse.marts.fragments import MAX_SHARING_INNS
from tests.marts.bodies import PLAIN, add_members, blocks, full_check_response, load, rows
from tests.support.builders import Response

FIRST, SECOND, THIRD = "7707083893", "7736050003", "7812014560"
PERSON, OWNER = "770000000017", "500100732259"
SHARED = "SELECT inn, other_inn, kind, via, via_inn, matched_by FROM mart.links WHERE shared ORDER BY ALL"
NAMED = "SELECT inn, other_inn, kind, via, other_name, other_is_member FROM mart.links WHERE NOT shared ORDER BY ALL"


def cards(warehouse: Warehouse, **companies: dict[str, Any]) -> None:
    """Cards of companies by INN (a digit cannot begin a name, so `i` goes before it)."""
    load(warehouse, *(full_check_response(inn[1:], blocks(company=card)) for inn, card in companies.items()))


def person(name: str, inn: str = "") -> dict[str, str]:
    return {"name": name, "inn": inn}


def both(warehouse: Warehouse, first: dict[str, Any], second: dict[str, Any]) -> list[tuple]:
    load(
        warehouse,
        full_check_response(FIRST, blocks(company=first)),
        full_check_response(SECOND, blocks(company=second)),
    )
    return rows(warehouse, SHARED)


def test_common_director(warehouse: Warehouse) -> None:
    met = both(
        warehouse,
        {"directors": [person("Иванов Пётр Ильич", PERSON)]},
        {"directors": [person("ИВАНОВ ПЕТР ИЛЬИЧ", PERSON)], "founders": [person("Иванов Пётр Ильич", PERSON)]},
    )
    via = f"Иванов Пётр Ильич: director of {FIRST}, director and founder of {SECOND}"
    assert met == [(FIRST, SECOND, "director", via, PERSON, "inn")]


def test_founder_of_one_is_director_of_another(warehouse: Warehouse) -> None:
    met = both(warehouse, {"founders": [person("А Б В", PERSON)]}, {"directors": [person("А Б В", PERSON)]})
    assert [row[:3] for row in met] == [(FIRST, SECOND, "director")]


def test_common_corporate_founder(warehouse: Warehouse) -> None:
    met = both(warehouse, {"founders": [person("ООО М", THIRD)]}, {"founder_shares": [person("ООО М", THIRD)]})
    assert met == [(FIRST, SECOND, "founder", f"ООО М: founder of {FIRST}, founder of {SECOND}", THIRD, "inn")]
    assert [row[:3] for row in rows(warehouse, NAMED)] == [(FIRST, THIRD, "founder"), (SECOND, THIRD, "founder")]


def test_full_name_links_only_without_an_inn(warehouse: Warehouse) -> None:
    name = "Рюмин Семён Львович"
    met = both(
        warehouse,
        {"directors": [person(name), person("Зимин Олег Ильич", PERSON), person("ООО МАССОВОЕ")]},
        {
            "directors": [
                person("РЮМИН СЕМЕН  ЛЬВОВИЧ", OWNER),
                person("Зимин Олег Ильич", OWNER),
                person("ООО МАССОВОЕ"),
            ]
        },
    )
    assert [(row[2], row[3].split(":")[0], row[4], row[5]) for row in met] == [("director", name, OWNER, "name")]


def test_spellings_of_one_address_are_linked(warehouse: Warehouse) -> None:
    first = "101000, г. Москва, ул. Пионёрская, д. 3, помещ. 2"
    met = both(warehouse, {"address": first}, {"address": "Город Москва, улица Пионерская,дом 3,помещение 2"})
    assert [(row[2], row[5]) for row in met] == [("address", "value")]


def test_different_or_incomplete_addresses_are_not_linked(warehouse: Warehouse) -> None:
    cards(
        warehouse,
        **{
            f"i{FIRST}": {"address": "101000, г. Москва, ул. Лесная, д. 3, помещ. 2"},
            f"i{SECOND}": {"address": "101000, г. Москва, ул. Лесная, д. 3, помещ. 12"},
            "i7700000016": {"address": "г. Санкт-Петербург"},
            "i7700000023": {"address": "г. Санкт-Петербург"},
            "i7700000030": {"address": ""},
            "i7700000047": {"address": ""},
        },
    )
    assert rows(warehouse, SHARED) == []


def test_phones_and_email_addresses(warehouse: Warehouse) -> None:
    met = both(
        warehouse,
        {"phone": "8 (495) 123-45-67", "emails": ["Info@Firm.example "], "phones": ["+7 000 000-00-00", "112"]},
        {"phones": ["+74951234567", "+7 000 000-00-00", "112"], "email": "info@firm.example", "emails": ["нет", "нет"]},
    )
    assert sorted((row[2], row[5]) for row in met) == [("email", "value"), ("phone", "value")]


def test_contacts_are_linked_like_those_of_the_card(warehouse: Warehouse) -> None:
    contacts = {"phones": [{"value": "+7 495 123-45-67", "source": "site"}], "addresses": []}
    load(
        warehouse,
        full_check_response(FIRST, blocks(company={"phone": "84951234567"})),
        Response("contacts", contacts, SECOND),
    )
    assert [row[:3] for row in rows(warehouse, SHARED)] == [(FIRST, SECOND, "phone")]


def test_widely_shared_values_are_not_linked(warehouse: Warehouse) -> None:
    inns = [f"77{number:08}" for number in range(MAX_SHARING_INNS + 1)]
    body = blocks(company={"phone": "+74951234567"})
    load(warehouse, *(full_check_response(inn, body) for inn in inns[:-1]))
    assert len(rows(warehouse, SHARED)) == MAX_SHARING_INNS * (MAX_SHARING_INNS - 1) / 2
    load(warehouse, full_check_response(inns[-1], body), start=100)
    assert rows(warehouse, SHARED) == []


def test_links_within_one_response(warehouse: Warehouse) -> None:
    add_members(warehouse, FIRST, SECOND)
    linked = [{"inn": SECOND, "name": "Вторая", "role": "учредитель", "via_name": "А Б", "via_inn": PERSON}]
    back = [{"inn": FIRST, "name": "Первая", "role": "руководит", "via_name": "А Б", "via_inn": PERSON}]
    founded = {"count": 1, "items": [{"inn": THIRD, "name": "Третья", "role": "учредитель"}]}
    load(
        warehouse,
        full_check_response(SECOND, blocks(risk_flags={"linked_companies": back}, founded_companies=founded)),
        full_check_response(
            FIRST, blocks(risk_flags={"linked_companies": linked}, company={"directors": [person("А Б В", PERSON)]})
        ),
    )
    assert rows(warehouse, NAMED) == [
        (FIRST, PERSON, "director", f"А Б В is director of {FIRST}", "А Б В", False),
        (FIRST, SECOND, "linked company", "А Б: руководит; А Б: учредитель", "Вторая", True),
        (SECOND, THIRD, "founded company", f"{SECOND}: учредитель", "Третья", False),
    ]


def test_pairs_are_unique(warehouse: Warehouse) -> None:
    card = {"directors": [person("А Б В", PERSON)], "phone": "84951234567", "phones": ["+74951234567"]}
    load(
        warehouse,
        *(full_check_response(inn, blocks(company={**PLAIN["company"], **card})) for inn in (FIRST, SECOND, THIRD)),
    )
    found = rows(warehouse, "SELECT inn, other_inn, kind FROM mart.links WHERE shared")
    pairs = [(FIRST, SECOND), (FIRST, THIRD), (SECOND, THIRD)]
    assert sorted(found) == sorted((*pair, kind) for pair in pairs for kind in ("director", "phone"))


STATUSES = "SELECT inn, other_inn, kind, status, other_status, historic FROM mart.links ORDER BY ALL"


def test_links_give_the_status_of_both_ends(warehouse: Warehouse) -> None:
    linked = [{"inn": THIRD, "name": "ООО Г", "status": "Ликвидирована", "historic": True}]
    founded = [{"inn": "7703000001", "name": "ООО Д", "role": "учредитель", "status": "Действующая"}]
    first = blocks(
        company={"directors": [person("Иванов Пётр Ильич", PERSON)]},
        risk_flags={"linked_companies": linked},
        founded_companies={"count": 1, "items": founded},
    )
    second = blocks(company={"status": "liquidating", "directors": [person("Иванов Пётр Ильич", PERSON)]})
    load(warehouse, full_check_response(FIRST, first), full_check_response(SECOND, second))
    assert [row for row in rows(warehouse, STATUSES) if row[1] != PERSON] == [
        (FIRST, "7703000001", "founded company", "active", "Действующая", None),
        (FIRST, SECOND, "director", "active", "liquidating", None),
        (FIRST, THIRD, "linked company", "active", "Ликвидирована", True),
    ]
    assert {row[3:] for row in rows(warehouse, STATUSES) if row[1] == PERSON} == {
        ("active", None, None),
        ("liquidating", None, None),
    }
    # A card that is known later is more recent than what names the company.
    load(warehouse, full_check_response(THIRD, blocks(company={"status": "liquidated"})), start=5)
    assert rows(warehouse, f"SELECT other_status, historic FROM mart.links WHERE other_inn = '{THIRD}'") == [
        ("liquidated", True)
    ]


def test_the_smaller_end_that_is_only_named_keeps_its_status(warehouse: Warehouse) -> None:
    linked = [{"inn": FIRST, "name": "ООО Г", "status": "Ликвидирована", "historic": True}]
    load(warehouse, full_check_response(SECOND, blocks(company={}, risk_flags={"linked_companies": linked})))
    add_members(warehouse, FIRST)
    assert rows(warehouse, STATUSES) == [(FIRST, SECOND, "linked company", "Ликвидирована", "active", True)]
