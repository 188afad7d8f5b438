"""Flat marts on hand-made responses: what is found, partly answered, not answered, and confirmed to be absent."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from innspect.warehouse.database import Warehouse
from tests.marts.bodies import add_members, blocks, full_check_response, load, rows
from tests.support.builders import Response

COMPANY, OTHER, PERSON = "7707083893", "7736050003", "500100732259"
MARKS = ("confirmed", "complete")


@dataclass(frozen=True)
class Case:
    """A block with two rows: the mart, its key, the two expected rows without marks, and what makes it partial."""

    mart: str
    key: str
    rows: list[Any]
    expected: list[dict[str, Any]]
    key_of_list: str = "items"
    counter: str = ""
    partial: dict[str, Any] = field(default_factory=lambda: {"error": "timeout"})

    def content(self, chosen: list[Any], **marks: Any) -> dict[str, Any]:
        """The block with some rows."""
        counter = {self.counter: len(chosen)} if self.counter else {}
        return {self.key_of_list: chosen, **counter, **marks}


CASES: dict[str, Case] = {
    "freezes": Case(
        "account_freezes",
        "decision_number",
        [
            {"decision_num": "1", "decision_date": "01.02.2026", "authority": "ИФНС 1", "bank": "Банк", "bik": "044525225",
             "code": "0", "kbk": ""},
            {"decision_num": "2", "decision_date": "03.04.2026", "bik": "044525226"},
        ],
        [
            {"decision_number": "1", "decided_on": date(2026, 2, 1), "authority": "ИФНС 1", "bank": "Банк",
             "bik": "044525225", "decision_code": "0", "kbk": None},
            {"decision_number": "2", "decided_on": date(2026, 4, 3), "bank": None, "bik": "044525226"},
        ],
        counter="count",
    ),
    "sanctions": Case(
        "sanctions_hits",
        "list_entry_id",
        [
            {"source": "OFAC_SDN", "list_label": "OFAC SDN List", "name": "PRIMER", "name_ru": "ПРИМЕР", "inn": COMPANY,
             "dob": "", "program": "RUSSIA", "designated_at": "2024-02-29", "match_confidence": "high", "raw_id": "17"},
            {"source": "UK_FCDO", "name": "PRIMER LTD", "match_confidence": "low", "raw_id": "18"},
        ],
        [
            {"list_code": "OFAC_SDN", "list_label": "OFAC SDN List", "listed_name": "PRIMER", "listed_name_ru": "ПРИМЕР",
             "listed_inn": COMPANY, "listed_birth_date": None, "program": "RUSSIA", "designated_on": date(2024, 2, 29),
             "confidence": "high", "list_entry_id": "17"},
            {"list_code": "UK_FCDO", "designated_on": None, "confidence": "low", "list_entry_id": "18"},
        ],
        key_of_list="hits",
        partial={"sources_failed": ["OFAC_CONSOL"]},
    ),
    "bankruptcy": Case(
        "bankruptcy_cases",
        "case_number",
        [
            {"status": "observation", "status_raw": "Наблюдение", "name": "ООО", "inn": COMPANY, "ogrn": "1027700132195",
             "region": "", "case_number": "А40-1/2026", "update_date": "2026-03-01T10:00:00",
             "arbitration_manager": {"name": "Иванов И. И.", "guid": "g", "type": "Person"}},
            {"status": "мировое соглашение", "status_raw": "Мировое соглашение", "case_number": "А40-2/2026",
             "arbitration_manager": "", "update_date": ""},
        ],
        [
            {"case_number": "А40-1/2026", "stage": "observation", "stage_description": "Наблюдение", "recognised": True,
             "intention": False, "debtor_name": "ООО", "debtor_inn": COMPANY, "debtor_ogrn": "1027700132195",
             "manager": "Иванов И. И.", "manager_kind": "Person", "updated_at": datetime(2026, 3, 1, 7)},
            {"case_number": "А40-2/2026", "stage": None, "stage_description": "Мировое соглашение", "manager": None,
             "updated_at": None},
        ],
        key_of_list="cases",
        counter="total_cases",
        partial={"error": "timeout", "has_bankruptcy": True, "status": "observation"},
    ),
}  # fmt: skip
FOUND = {"bankruptcy": {"has_bankruptcy": True, "status": "observation"}, "freezes": {"found": True}}
STEPS = ("found", "partial", "silent", "clean")


def _content(block: str, step: str) -> Any:
    case = CASES[block]
    if step == "clean":
        return {"verified": True}
    chosen = case.rows if step == "found" else case.rows[1:]
    content = case.content(chosen, **(FOUND.get(block, {}) | ({} if step == "found" else case.partial)))
    return next(iter(blocks(**{block: content}).values()))


def _mart_rows(warehouse: Warehouse, case: Case) -> list[dict[str, Any]]:
    result = warehouse.connection.execute(f"FROM mart.{case.mart} WHERE inn = ? ORDER BY {case.key}", [COMPANY])
    names = [column[0] for column in result.description]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


@pytest.fixture(scope="module")
def steps(opening: Callable[[], Warehouse]) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """The rows of each mart by step and block: each step is one full check with all the blocks."""
    warehouse = opening()
    add_members(warehouse, COMPANY, name="По портфелю")
    keys = {block: next(iter(blocks(**{block: {}}))) for block in CASES}
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for number, step in enumerate(STEPS):
        content = {} if step == "silent" else {keys[block]: _content(block, step) for block in CASES}
        load(warehouse, full_check_response(COMPANY, content), start=10 * number)
        found[step] = {block: _mart_rows(warehouse, case) for block, case in CASES.items()}
    return found


def _marks(found: list[dict[str, Any]], key: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in (key, *MARKS)) for row in found]


@pytest.mark.parametrize("block", CASES)
def test_rows_are_what_the_service_sent(steps: dict[str, Any], block: str) -> None:
    case, found = CASES[block], steps["found"][block]
    assert [
        {name: row[name] for name in wanted} for row, wanted in zip(found, case.expected, strict=True)
    ] == case.expected
    assert {row["name"] for row in found} == {"По портфелю"}
    assert _marks(found, case.key) == [(wanted[case.key], True, True) for wanted in case.expected]
    for row in found:
        assert (row["version_id"], row["checked_at"], row["collected_at"]) > ("", datetime.min, datetime.min)


@pytest.mark.parametrize("block", CASES)
def test_partial_response_confirms_only_its_own_rows(steps: dict[str, Any], block: str) -> None:
    case = CASES[block]
    first, second = (wanted[case.key] for wanted in case.expected)
    assert _marks(steps["partial"][block], case.key) == [(first, False, False), (second, True, False)]


@pytest.mark.parametrize("block", CASES)
def test_silence_confirms_nothing_and_removes_nothing(steps: dict[str, Any], block: str) -> None:
    case = CASES[block]
    assert _marks(steps["silent"][block], case.key) == [(wanted[case.key], False, False) for wanted in case.expected]
    partial, silent = steps["partial"][block], steps["silent"][block]
    for name in ("version_id", "checked_at", "collected_at", "source_date"):
        assert [row[name] for row in silent] == [row[name] for row in partial]


@pytest.mark.parametrize("block", CASES)
def test_confirmed_absence_leaves_no_row(steps: dict[str, Any], block: str) -> None:
    assert steps["clean"][block] == []


def test_row_that_left_a_capped_list_is_kept_and_not_confirmed(warehouse: Warehouse) -> None:
    def decisions(first: int) -> dict[str, Any]:
        items = [
            {"decision_num": f"{n:03}", "decision_date": "01.02.2026", "bik": "044525225"}
            for n in range(first, first + 30)
        ]
        return blocks(freezes={"found": True, "count": 30, "items": items})

    load(warehouse, full_check_response(COMPANY, decisions(0)))
    load(warehouse, full_check_response(COMPANY, decisions(1)), start=10)
    found = rows(warehouse, "SELECT decision_number, confirmed, complete FROM mart.account_freezes ORDER BY 1")
    assert found == [("000", False, False), *((f"{n:03}", True, False) for n in range(1, 31))]


CARD: dict[str, Any] = {
    "name": "ОБЩЕСТВО", "short_name": "ООО", "ogrn": "1027700132195", "director": "Петров Пётр Петрович",
    "directors": [{"name": "ПЕТРОВ ПЕТР ПЕТРОВИЧ", "inn": "770708389301", "position": "Директор"}],
    "founders": [{"name": "Петров Пётр Петрович", "inn": ""}, {"name": "АО МАТЬ", "inn": OTHER}],
    "founder_shares": [{"name": "АО МАТЬ", "inn": OTHER, "share_pct": 75.5, "share_rub": 7550, "date": "2020-05-06"},
                       {"name": "Петров Петр Петрович", "inn": "770708389301", "share_pct": 0, "share_rub": 0}],
    "beneficiaries": [{"name": "Сидоров С. С.", "inn": "", "chain": ["АО МАТЬ"], "share_pct": 51, "type": "конечный"}],
}  # fmt: skip
PEOPLE = (
    "SELECT role, person_name, person_inn, person_kind, position, share_pct, share_rub, current, confirmed, block "
    "FROM mart.people ORDER BY role, current DESC, person_name"
)


def test_people_are_one_row_per_role_with_their_share(warehouse: Warehouse) -> None:
    load(warehouse, full_check_response(COMPANY, blocks(company=CARD)))
    assert rows(warehouse, PEOPLE) == [
        ("beneficiary", "Сидоров С. С.", None, None, None, 51.0, None, True, True, "company"),
        ("director", "ПЕТРОВ ПЕТР ПЕТРОВИЧ", "770708389301", "person", "Директор", None, None, True, True, "company"),
        ("founder", "АО МАТЬ", OTHER, "company", None, 75.5, Decimal("7550.00"), True, True, "company"),
        ("founder", "Петров Петр Петрович", "770708389301", "person", None, None, None, True, True, "company"),
    ]
    assert rows(warehouse, "SELECT DISTINCT name, complete FROM mart.people") == [("ООО", True)]


def test_former_people_stay_with_the_last_time_they_were_seen(warehouse: Warehouse) -> None:
    load(warehouse, full_check_response(COMPANY, blocks(company=CARD)))
    new = [{"name": "Новая Анна Ивановна", "inn": "770708389302", "position": "Генеральный директор"}]
    later = {**CARD, "director": "Новая Анна Ивановна", "directors": new, "founders": CARD["founders"][1:],
             "founder_shares": [{**CARD["founder_shares"][0], "share_pct": 100}]}  # fmt: skip
    load(warehouse, full_check_response(COMPANY, blocks(company=later)), start=10)
    found = rows(
        warehouse,
        "SELECT role, person_inn, share_pct, current, confirmed, first_seen_at = last_seen_at, checked_at = last_seen_at, "
        "collected_at IS NULL FROM mart.people WHERE role <> 'beneficiary' ORDER BY role, person_inn",
    )
    assert found == [
        ("director", "770708389301", None, False, False, True, True, True),
        ("director", "770708389302", None, True, True, True, True, False),
        ("founder", "770708389301", None, False, False, True, True, True),
        ("founder", OTHER, 100.0, True, True, False, True, False),
    ]
    # Silence makes nobody a former director.
    load(warehouse, full_check_response(COMPANY, {}), start=20)
    current = rows(warehouse, "SELECT current, confirmed, count(*) FROM mart.people GROUP BY ALL ORDER BY ALL")
    assert current == [(False, False, 2), (True, False, 3)]


def test_share_of_the_risk_flags_is_kept_when_the_full_check_does_not_carry_it(warehouse: Warehouse) -> None:
    flags = {
        "founder_shares": [{"name": "АО МАТЬ", "inn": OTHER, "share_pct": 60, "share_rub": 600}],
        "mass_source": "ФНС",
    }
    load(warehouse, Response("risk-flags", flags, COMPANY))
    card = {**CARD, "founder_shares": []}
    load(warehouse, full_check_response(COMPANY, blocks(company=card, risk_flags={})), start=10)
    query = "SELECT share_pct, block, confirmed FROM mart.people WHERE person_inn = ?"
    # The card confirms that it is a founder; the share is from the earlier response.
    assert rows(warehouse, query, OTHER) == [(60.0, "risk_flags", True)]
    load(warehouse, full_check_response(COMPANY, {}), start=20)
    assert rows(warehouse, query, OTHER) == [(60.0, "risk_flags", False)]


EVENTS = "SELECT happened_on, kind, event, number, source, block, confirmed FROM mart.events ORDER BY happened_on NULLS LAST, kind"


def test_events_of_all_blocks_are_one_line_of_time(warehouse: Warehouse) -> None:
    message = {
        "type": "Наблюдение",
        "date": "2026-03-01T00:30:00+03:00",
        "text": "Введено",
        "number": "77",
        "publisher": "АУ",
    }
    flags = {"efrsb_messages": [message], "mass_source": "ФНС"}
    load(warehouse, Response("risk-flags", flags, COMPANY))
    timeline = [
        {"date": "2026-03-01", "type": "bankruptcy", "event": "Наблюдение", "source": "efrsb"},
        {"date": "2026-02-01", "type": "bankruptcy", "event": "Намерение", "source": "efrsb"},
        {"date": "04.03.2010", "type": "registration", "event": "Регистрация"},
        {"date": "", "type": "status_change", "event": "Банкротство"},
    ]
    card = {
        "registration_date": "2010-03-04", "previous_names": ["ООО СТАРОЕ"],
        "address_history": [{"address": "Москва", "date": "2015-01-02"}],
        "founder_shares": [{"name": "АО МАТЬ", "inn": OTHER, "share_pct": 50, "date": "2020-05-06"}],
        "efrsb_messages": [{"type": "Наблюдение", "date": "2026-03-01T10:00:00", "number": "77"}],
        "news": [{"title": "Открыт завод", "date": "05.06.2021", "url": "https://n.invalid"}],
    }  # fmt: skip
    content = blocks(company=card, risk_flags={}, timeline=timeline)
    load(warehouse, full_check_response(COMPANY, content), start=10)
    assert rows(warehouse, EVENTS) == [
        (date(2010, 3, 4), "registration", "Регистрация", None, "register", "timeline", True),
        (date(2015, 1, 2), "address", "Москва", None, "register", "company", True),
        (date(2020, 5, 6), "share entered", "АО МАТЬ", None, "register", "company", True),
        (date(2021, 6, 5), "news", "Открыт завод", None, "media", "company", True),
        (date(2026, 2, 1), "bankruptcy", "Намерение", None, "efrsb", "timeline", True),
        (date(2026, 3, 1), "bankruptcy", "Наблюдение", "77", "efrsb", "risk_flags", True),
        (None, "former name", "ООО СТАРОЕ", None, "register", "company", True),
        (None, "status_change", "Банкротство", None, "register", "timeline", True),
    ]
    text = "SELECT happened_at, text, publisher FROM mart.events WHERE number = '77'"
    assert rows(warehouse, text) == [(datetime(2026, 2, 28, 21, 30), "Введено", "АУ")]
    load(warehouse, full_check_response(COMPANY, {}), start=20)
    assert {row[-1] for row in rows(warehouse, EVENTS)} == {False}


def test_twenty_publications_may_not_be_all(warehouse: Warehouse) -> None:
    def messages(first: int) -> Response:
        listed = [
            {"type": "Сообщение", "date": "2026-03-01T10:00:00", "number": f"{n:02}"} for n in range(first, first + 20)
        ]
        return Response("risk-flags", {"efrsb_messages": listed, "mass_source": "ФНС"}, COMPANY)

    load(warehouse, messages(0))
    load(warehouse, messages(1), start=10)
    found = rows(warehouse, "SELECT number, confirmed, complete FROM mart.events ORDER BY number")
    assert found == [("00", False, False), *((f"{n:02}", True, False) for n in range(1, 21))]


def test_sole_proprietor_has_every_registration(warehouse: Warehouse) -> None:
    record = {"ogrnip": "304500116000157", "name": "Иванов Иван Иванович", "registration_date": "2004-06-08",
              "termination_date": "2012-01-02", "active": False, "termination_kind": "voluntary"}  # fmt: skip
    card = {
        "inn": PERSON, "ogrn": "315500100000011", "name": "Иванов Иван Иванович", "status": "active",
        "registration_date": "2015-02-03",
        "ip_records": [{"ogrnip": "315500100000011", "name": "Иванов Иван Иванович", "registration_date": "2015-02-03",
                        "termination_date": "", "active": True}, record],
    }  # fmt: skip
    load(warehouse, Response("person-brief", card, PERSON))
    assert [row[:-1] for row in rows(warehouse, EVENTS)] == [
        (date(2004, 6, 8), "registration", "Иванов Иван Иванович", "304500116000157", "register", "company"),
        (date(2012, 1, 2), "termination", "voluntary", "304500116000157", "register", "company"),
        (date(2015, 2, 3), "registration", "Иванов Иван Иванович", "315500100000011", "register", "company"),
    ]
    assert rows(warehouse, "SELECT inn, name FROM mart.people") == []
