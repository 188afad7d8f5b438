"""Who is named in answers, over HTTP: an INN that answers, one name in every answer, shared managers, no later day."""

import re
from collections import Counter
from datetime import date

from innspect.sandbox.options import DEFAULT_DAY
from tests.sandbox.samples import COMPANIES

FORMS = {"ООО": "ОБЩЕСТВО С ОГРАНИЧЕННОЙ ОТВЕТСТВЕННОСТЬЮ", "АО": "АКЦИОНЕРНОЕ ОБЩЕСТВО"}
PLANNED = re.compile(r"exclusion_date$|disqualified_records\.end_date$")
"""The documents call these days planned: they may be later than the answer."""


def named_in(payload: object, found: dict[str, set[str]]) -> None:
    """Collect the names of each INN: objects with `name` and `inn`, and the persons through whom a link goes."""
    if isinstance(payload, list):
        for one in payload:
            named_in(one, found)
    elif isinstance(payload, dict):
        for prefix in ("", "via_", "customer_", "supplier_"):
            name, inn = payload.get(f"{prefix}name"), payload.get(f"{prefix}inn")
            if name and inn and "raw_id" not in payload:
                found.setdefault(inn, set()).add(name)
        for one in payload.values():
            named_in(one, found)


def days_in(payload: object, path: str = "") -> list[tuple[str, date]]:
    """Path and value of every day."""
    if isinstance(payload, dict):
        return [one for name, value in payload.items() for one in days_in(value, f"{path}.{name}")]
    if isinstance(payload, list):
        return [one for value in payload for one in days_in(value, path)]
    text = payload if isinstance(payload, str) else ""
    if found := re.match(r"(\d{4})-(\d\d)-(\d\d)", text):
        return [(path, date(*map(int, found.groups())))]
    if found := re.fullmatch(r"(\d\d)\.(\d\d)\.(\d{4})", text):
        return [(path, date(*map(int, reversed(found.groups()))))]
    return []


async def test_whoever_is_named_with_an_inn_answers_by_that_name(client):
    names: dict[str, set[str]] = {}
    async with client() as service:
        for inn in COMPANIES[:25]:
            named_in((await service.get(f"/api/v1/company/{inn}")).json(), names)
        people = [inn for inn in names if len(inn) == 12]
        companies = [inn for inn in names if len(inn) == 10 and inn not in COMPANIES[:25]]
        assert len(people) > 50
        assert len(companies) > 50
        for inn in [*people[:60], *companies[:60]]:
            kind = "person" if len(inn) == 12 else "company"
            answer = await service.get(f"/api/v1/{kind}/{inn}/brief")
            assert answer.status_code == 200
            card = answer.json()
            if card["error"]:
                continue
            (name,) = names[inn]
            assert card["inn"] == inn
            if kind == "person":
                assert card["name"].startswith(f"ИП {name.upper()} (")
                assert {record["name"] for record in card["ip_records"]} == {name.upper()}
            else:
                form, _, own = name.partition(" ")
                assert card["name"] == f"{FORMS[form]} {own}"


async def test_managers_are_shared_and_no_answer_is_about_a_later_day(client):
    managers: Counter[str] = Counter()
    later: set[str] = set()
    async with client() as service:
        for inn in COMPANIES[:120]:
            answer = (await service.get(f"/api/v1/company/{inn}")).json()
            contacts = (await service.get(f"/api/v1/company/{inn}/contacts")).json()
            later |= {path for path, day in (*days_in(answer), *days_in(contacts)) if day > DEFAULT_DAY}
            managers.update({one["inn"] for one in answer["company"].get("directors", []) if one["inn"]})
    assert {path for path in later if not PLANNED.search(path)} == set()
    shared = [inn for inn, companies in managers.items() if companies > 1]
    assert 0 < len(shared) < 30
