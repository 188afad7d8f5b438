"""Flat marts on hand-made responses: what is found, partly answered, not answered, and confirmed to be absent."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from innspect.warehouse.database import Warehouse
from tests.marts.bodies import PLAIN, add_members, blocks, full_check_response, load, rows, single_row
from tests.support.builders import FULL_CHECK_KEYS, Response

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
            {"source": "UK_FCDO", "name": "PRIMER LTD", "match_confidence": "medium", "raw_id": "18"},
        ],
        [
            {"list_code": "OFAC_SDN", "list_label": "OFAC SDN List", "listed_name": "PRIMER", "listed_name_ru": "ПРИМЕР",
             "listed_inn": COMPANY, "listed_birth_date": None, "program": "RUSSIA", "designated_on": date(2024, 2, 29),
             "confidence": "high", "list_entry_id": "17"},
            {"list_code": "UK_FCDO", "designated_on": None, "confidence": "medium", "list_entry_id": "18"},
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
    "rnp": Case(
        "unfair_supplier_entries",
        "reg_number",
        [
            {"reg_number": "1", "law": "FZ44", "supplier_name": "ООО", "supplier_inn": COMPANY, "status": "Размещено",
             "inclusion_date": "01.02.2025", "exclusion_date": "01.02.2027", "reason": "Отказ", "fas_authority": "УФАС",
             "decision_number": "Р-1", "decision_date": "30.01.2025", "detail_url": "https://e.invalid/1"},
            {"reg_number": "Р2", "law": "FZ223", "status": "Исключено", "supplier_inn": ""},
        ],
        [
            {"reg_number": "1", "law": "FZ44", "active": True, "included_on": date(2025, 2, 1),
             "exclusion_planned_on": date(2027, 2, 1), "reason": "Отказ", "authority": "УФАС", "decision_number": "Р-1",
             "decided_on": date(2025, 1, 30), "supplier_inn": COMPANY, "url": "https://e.invalid/1"},
            {"reg_number": "Р2", "active": False, "status": "Исключено", "included_on": None, "supplier_inn": None},
        ],
        key_of_list="records",
        counter="total",
    ),
    "pledges": Case(
        "pledges",
        "notice_number",
        [
            {"id": "2024-001-000001-001", "reg_date": "05.06.2024", "source": "notary", "pledgors": [], "pledgees": [],
             "properties": [{"description": "LADA, VIN XTA210990Y2766389", "vin": ""}, {"description": "Станок"}]},
            {"id": "77", "reg_date": "", "source": "fedresurs", "properties": [],
             "pledgors": [{"name": "Лизингополучатель", "inn": ""}], "pledgees": [{"name": "Лизингодатель", "inn": ""}]},
        ],
        [
            {"notice_number": "2024-001-000001-001", "registered_on": date(2024, 6, 5), "register": "notary",
             "kind": "pledge", "properties": 2, "property": "LADA, VIN XTA210990Y2766389; Станок",
             "vins": "XTA210990Y2766389", "pledgor_role": None},
            {"notice_number": "77", "registered_on": None, "kind": "leasing", "properties": 0, "property": None,
             "vins": None, "pledgor_role": "Лизингополучатель", "pledgee_role": "Лизингодатель"},
        ],
        key_of_list="pledges",
        counter="total_pledges",
        partial={"fetched": 1, "total_pledges": 2},
    ),
    "leasing": Case(
        "leasing_contracts",
        "subject",
        [
            {"subject": "Автобус", "lessor": "АО", "date": "2023-04-05", "amount": 100.5, "status": "Действует"},
            {"subject": "Кран", "lessor": "ПАО", "date": "", "status": ""},
        ],
        [
            {"subject": "Автобус", "lessor": "АО", "signed_on": date(2023, 4, 5), "amount_rub": Decimal("100.50"),
             "status": "Действует"},
            {"subject": "Кран", "signed_on": None, "amount_rub": None, "status": None},
        ],
        key_of_list="contracts",
        counter="total_contracts",
    ),
    "inspections": Case(
        "inspections",
        "number",
        [
            {"number": "77240000000001", "type": "Плановая проверка", "method": "Выездная", "start_date": "2024-05-06",
             "status": "Завершена", "has_violations": True, "purpose": "Надзор"},
            {"number": "77240000000002", "type": "Внеплановая проверка", "method": "", "end_date": "", "status": "Новая",
             "has_violations": False},
        ],
        [
            {"number": "77240000000001", "planned": True, "form": "Выездная", "started_on": date(2024, 5, 6),
             "ended_on": None, "status": "Завершена", "has_violations": True, "violations": None, "purpose": "Надзор"},
            {"number": "77240000000002", "planned": False, "form": None, "status": "Новая", "has_violations": None},
        ],
        key_of_list="inspections",
        counter="total",
        partial={"total": 5},
    ),
    "trademarks": Case(
        "trademarks",
        "number",
        [
            {"name": "ЗНАК", "number": "1", "date": "2020-01-02", "owner": "ООО", "url": "https://t.invalid/1"},
            {"name": "ДРУГОЙ", "number": "2", "date": "", "owner": ""},
        ],
        [
            {"trademark": "ЗНАК", "number": "1", "registered_on": date(2020, 1, 2), "owner": "ООО",
             "url": "https://t.invalid/1"},
            {"trademark": "ДРУГОЙ", "number": "2", "registered_on": None, "owner": None},
        ],
        key_of_list="trademarks",
        counter="total",
    ),
    "licenses": Case(
        "licences",
        "number",
        [
            {"source": "ROSZ_LS", "license_number": "Л-1", "license_date": "01.02.2020", "licensee_name": "ООО",
             "activity_type": "Фармацевтическая деятельность", "status": "Действует", "order_number": "П-1",
             "order_date": "01.02.2020"},
            {"source": "ROSZ_MD", "license_number": "Л-2", "license_date": ""},
        ],
        [
            {"kind": "licence", "register": "ROSZ_LS", "number": "Л-1", "issued_on": date(2020, 2, 1), "status": "Действует",
             "activity": "Фармацевтическая деятельность", "licensee_name": "ООО", "order_number": "П-1",
             "order_date": "01.02.2020", "details": None, "block": "licenses"},
            {"register": "ROSZ_MD", "number": "Л-2", "issued_on": None},
        ],
        key_of_list="health",
        counter="total",
        partial={"sources_failed": ["MCHS"]},
    ),
    "tax_debts": Case(
        "taxes",
        "tax",
        [{"debt_type": "НДС", "sum": 10.25, "record_date": "01.10.2026"}, {"debt_type": "Пени", "sum": 3, "record_date": ""}],
        [
            {"kind": "debt", "year": 2026, "tax": "НДС", "amount_rub": Decimal("10.25"), "as_of": date(2026, 10, 1),
             "block": "tax_debts", "source_date": date(2026, 10, 2)},
            {"kind": "debt", "year": None, "tax": "Пени", "amount_rub": Decimal("3.00"), "as_of": None},
        ],
        key_of_list="records",
        counter="total",
    ),
    "general_courts": Case(
        "court_acts",
        "case_number",
        [
            {"case_number": f"2-{n}", "date": "05.06.2025", "role": "истец", "court": "суд", "url": f"https://s.invalid/{n}",
             "acts": [{"n": 1, "title": "Решение", "text_snippet": "РЕШИЛ", "text_len": 1200}]} for n in (1, 2)
        ],
        [
            {"court_kind": "general", "case_number": f"2-{n}", "court": "суд", "filed_on": date(2025, 6, 5),
             "role": "plaintiff", "act_number": 1, "title": "Решение", "text": "РЕШИЛ", "text_length": 1200,
             "url": f"https://s.invalid/{n}"} for n in (1, 2)
        ],
        key_of_list="cases",
        counter="total_cases",
        partial={"errors": 1},
    ),
}  # fmt: skip
FOUND = {"bankruptcy": {"has_bankruptcy": True, "status": "observation"}, "freezes": {"found": True}, "pledges": {"fetched": 2},
         "tax_debts": {"snapshot_date": "20261002"}}  # fmt: skip
STEPS = ("found", "partial", "silent", "clean")


def _content(block: str, step: str) -> Any:
    case = CASES[block]
    if step == "clean":
        return {"verified": True}
    chosen = case.rows if step == "found" else case.rows[1:]
    content = case.content(chosen, **(FOUND.get(block, {}) | ({} if step == "found" else case.partial)))
    return {**PLAIN.get(block, {}), **content}


def _mart_rows(warehouse: Warehouse, case: Case) -> list[dict[str, Any]]:
    result = warehouse.connection.execute(f"FROM mart.{case.mart} WHERE inn = ? ORDER BY {case.key}", [COMPANY])
    names = [column[0] for column in result.description]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


@pytest.fixture(scope="module")
def steps(opening: Callable[[], Warehouse]) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """The rows of each mart by step and block: each step is one full check with all the blocks."""
    warehouse = opening()
    add_members(warehouse, COMPANY, name="По портфелю")
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for number, step in enumerate(STEPS):
        content = {} if step == "silent" else {FULL_CHECK_KEYS[block]: _content(block, step) for block in CASES}
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


def test_pledged_items_keep_their_order_and_each_vehicle_counts_once(warehouse: Warehouse) -> None:
    vehicles = ["LADA, VIN xta210990y2766389", None, "VIN Z94CB41AAFR123456 и XTA210990Y2766389", "Станок 0123456789"]
    described = [*vehicles, *(f"Станок {number}" for number in range(4, 12))]
    roles = [{"name": name} for name in ("Залогодатель", "Должник", "Залогодатель")]
    notice = {"id": "1", "source": "notary", "pledgors": roles,
              "properties": [{"description": text} for text in described]}  # fmt: skip
    load(warehouse, full_check_response(COMPANY, blocks(pledges={"total_pledges": 1, "pledges": [notice]})))
    found = single_row(warehouse, "SELECT properties, property, vins, pledgor_role, pledgee_role FROM mart.pledges")
    assert found == {
        "properties": 12,
        "property": "; ".join(text for text in described if text),
        "vins": "XTA210990Y2766389 Z94CB41AAFR123456",
        "pledgor_role": "Должник; Залогодатель",
        "pledgee_role": None,
    }


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


def test_licences_of_the_card_and_of_the_fire_safety_regulator(warehouse: Warehouse) -> None:
    card = {"licenses": [{"number": "Л-1", "date": "2020-02-01", "authority": "Росздравнадзор", "activity": "Фармация"},
                         {"number": "К-9", "date": "2019-01-02", "authority": "Ространснадзор", "activity": "Перевозки"}],
            "sro": [{"name": "СРО", "inn": OTHER, "date": "2018-03-04"}]}  # fmt: skip
    fire = {"number": "Л014", "date": "03.04.2021", "works": ["Монтаж", "Огнезащита"], "holder": {"name": "ООО"}}
    official = {"health": [{"source": "ROSZ_LS", "license_number": "Л-1"}], "mchs": [fire], "total": 2}
    load(warehouse, full_check_response(COMPANY, blocks(company=card, licenses=official)))
    query = (
        "SELECT kind, register, number, issued_on, authority, authority_inn, details, block, confirmed FROM mart.licences "
        "ORDER BY block, number"
    )
    details = "number: Л014; date: 03.04.2021; works[0]: Монтаж; works[1]: Огнезащита; holder.name: ООО"
    found = rows(warehouse, query)
    assert [row for row in found if row[1] != "MCHS"] == [
        ("licence", "card", "К-9", date(2019, 1, 2), "Ространснадзор", None, None, "company", True),
        ("membership", "card", None, date(2018, 3, 4), "СРО", OTHER, None, "company", True),
        ("licence", "ROSZ_LS", "Л-1", None, None, None, None, "licenses", True),
    ]
    (row,) = [row for row in found if row[1] == "MCHS"]
    assert row[:4] == ("licence", "MCHS", "Л014", date(2021, 4, 3))
    assert sorted(row[6].split("; ")) == sorted(details.split("; "))
    # The register did not answer: its licences are known from before, and not confirmed.
    silent = {"health": [{"source": "ROSZ_LS", "license_number": "Л-1"}], "total": 1, "sources_failed": ["MCHS"]}
    load(warehouse, full_check_response(COMPANY, blocks(company=card, licenses=silent)), start=10)
    assert dict(rows(warehouse, "SELECT register, confirmed FROM mart.licences WHERE register <> 'card'")) == {
        "MCHS": False, "ROSZ_LS": True,
    }  # fmt: skip


def test_taxes_of_the_card_by_year(warehouse: Warehouse) -> None:
    card = {
        "tax_debts": [{"year": 2025, "period": "4", "kbkname": "НДС", "arrearsum": 5, "penaltysum": 1, "finesum": 0.5,
                       "totalsum": 6.5}],
        "tax_payments": [{"year": 2025, "kbk": "18210301000010000110", "kbkname": "НДС", "taxsum": 100}],
        "tax_payments_by_year": {"2025": {"НДС": 100}, "2024": {"НДС": 90}},
        "tax_regimes": [{"year": 2025, "period": "год", "taxCode": "1", "taxName": "УСН"}], "tax_regime": "УСН",
    }  # fmt: skip
    offences = {"total": 1, "total_sum": 7, "status": "loaded", "records": [{"sum": 7, "decision_date": "01.11.2026"}]}
    load(warehouse, full_check_response(COMPANY, blocks(company=card, tax_offences=offences)))
    found = rows(
        warehouse,
        "SELECT kind, year, period, tax, regime_code, amount_rub, arrears_rub, penalty_rub, fines_rub, as_of, block, confirmed "
        "FROM mart.taxes ORDER BY kind, year",
    )
    assert found == [
        ("debt", 2025, "4", "НДС", None, Decimal("6.50"), 5, 1, Decimal("0.50"), None, "company", True),
        ("fine", None, None, None, None, 7, None, None, None, None, "tax_offences", True),
        ("payment", 2024, None, "НДС", None, 90, None, None, None, None, "company", True),
        ("payment", 2025, None, "НДС", None, 100, None, None, None, None, "company", True),
        ("regime", 2025, "год", "УСН", "1", None, None, None, None, None, "company", True),
        ("regime", None, None, "УСН", None, None, None, None, None, None, "company", True),
    ]


def test_fine_of_an_earlier_data_set_has_the_date_of_the_latest(warehouse: Warehouse) -> None:
    for number, year in enumerate((2025, 2026)):
        fine = {"sum": 500.5, "decision_date": f"01.10.{year}"}
        fines = {"total": 1, "total_sum": 500.5, "records": [fine], "snapshot_date": f"{year}1001"}
        load(warehouse, full_check_response(COMPANY, blocks(tax_offences=fines)), start=number)
    query = "SELECT year, as_of, source_date, confirmed FROM mart.taxes WHERE kind = 'fine'"
    assert rows(warehouse, query) == [(None, None, date(2026, 10, 1), True)]
    assert rows(warehouse, "SELECT count(*) FROM lineage.changes") == [(0,)]


def test_file_of_an_arbitration_act(warehouse: Warehouse) -> None:
    cases = [{"case_number": "А40-1", "role": "respondent", "file_url": "https://k.invalid/1.pdf", "court": "Судья\nАС"},
             {"case_number": "А40-2", "role": "respondent", "file_url": ""}]  # fmt: skip
    load(warehouse, full_check_response(COMPANY, blocks(arbitration={"total_cases": 2, "cases": cases})))
    found = rows(warehouse, "SELECT court_kind, case_number, court, url, confirmed FROM mart.court_acts")
    assert found == [("arbitration", "А40-1", "Судья АС", "https://k.invalid/1.pdf", True)]


CONTACTS = "SELECT kind, value, source, first_confirmed_on, last_confirmed_on, block, confirmed FROM mart.contacts ORDER BY kind, value"


def test_contacts_of_the_card_and_of_the_contact_book_are_one_row_per_value(warehouse: Warehouse) -> None:
    book = {
        "phones": [{"value": "8 (495) 111-22-33", "source": "site", "first_seen": "2024-01-02", "last_seen": "03.10.2026"}],
        "emails": ["a@b.example"],
        "more": {"sites": [{"url": "https://b.example", "sources": ["eis", "site"]}]},
        "items": [{"type": "phone", "number": 74952223344, "score": 5}],
        "rating": 17,
    }  # fmt: skip
    card = {"phone": "+7 495 111-22-33", "phones": ["+7 495 111-22-33"], "website": "https://b.example/", "vk_url": "https://vk.invalid/b",
            "social_profiles": {"vk": [{"url": "https://vk.invalid/b", "name": "Б"}]}, "address": "101000, Москва"}  # fmt: skip
    load(warehouse, Response("contacts", book, COMPANY))
    load(warehouse, full_check_response(COMPANY, blocks(company=card)), start=10)
    assert rows(warehouse, CONTACTS) == [
        ("address", "101000, Москва", None, None, None, "company", True),
        ("email", "a@b.example", None, None, None, "contacts", True),
        ("phone", "74952223344", None, None, None, "contacts", True),
        ("phone", "8 (495) 111-22-33", "site", date(2024, 1, 2), date(2026, 10, 3), "contacts", True),
        ("social page", "https://vk.invalid/b", None, None, None, "company", True),
        ("website", "https://b.example", "eis", None, None, "contacts", True),
    ]
    load(warehouse, full_check_response(COMPANY, {}), start=20)
    assert {(row[-2], row[-1]) for row in rows(warehouse, CONTACTS)} == {("contacts", True), ("company", False)}


def test_marts_of_a_sole_proprietor(warehouse: Warehouse) -> None:
    cards = [
        {"status": "citizen_property_sale", "status_raw": "Реализация", "case_number": "А41-5/2026", "inn": PERSON}
    ]
    body = {
        "has_bankruptcy": True,
        "has_intention": False,
        "status": "citizen_property_sale",
        "total_cases": 1,
        "cases": cards,
    }
    card = {
        "name": "Иванов Иван Иванович",
        "ogrn": "304500116000157",
        "phone": "+7 916 000-00-11",
        "authorized_capital": 0,
    }
    load(warehouse, Response("person-bankruptcy", body, PERSON), Response("person-brief", card, PERSON))
    assert rows(warehouse, "SELECT inn, name, stage, confirmed, complete FROM mart.bankruptcy_cases") == [
        (PERSON, "Иванов Иван Иванович", "citizen_property_sale", True, True)
    ]
    assert rows(warehouse, "SELECT kind, value FROM mart.contacts") == [("phone", "+7 916 000-00-11")]


def test_foreign_agents_disqualified_persons_and_related_companies(warehouse: Warehouse) -> None:
    hit = {"full_name": "ООО ПРИМЕР", "included": "2026-01-17", "excluded": "", "numbers": [17, 25]}
    disqualified = {"queried_name": "Петров", "matched_name": "ПЕТРОВ П. П.", "birth_date": "01.02.1980", "company": "АО",
                    "offence": "ст. 14.25", "start_date": "01.03.2026", "end_date": "01.03.2027", "term": "1 год"}  # fmt: skip
    fact = {"via_name": "Петров П. П.", "via_inn": "770708389301", "source": "ФНС"}
    linked = {"inn": OTHER, "name": "АО", "status": "Ликвидирована", "role": "руководит", "historic": True, **fact,
              "connections": [{"role": "руководит", **fact}, {"role": "учредитель", **fact}]}  # fmt: skip
    founded = {"inn": OTHER, "ogrn": "1027700132195", "name": "АО", "role": "учредитель", "status": "Действующая"}
    content = blocks(
        minjust_check={"hits": [hit]},
        risk_flags={"disqualified_records": [disqualified], "linked_companies": [linked]},
        founded_companies={"count": 1, "items": [founded]},
    )
    queries = {
        "SELECT searched_name, listed_name, included_on, excluded_on, confirmed FROM mart.foreign_agents": [
            ("ООО", "ООО ПРИМЕР", date(2026, 1, 17), None),
        ],
        "SELECT person_name, searched_name, birth_date, employer, started_on, ends_on, confirmed FROM mart.disqualifications": [
            ("ПЕТРОВ П. П.", "Петров", date(1980, 2, 1), "АО", date(2026, 3, 1), date(2027, 3, 1)),
        ],
        "SELECT related_inn, relation, role, status, historic, via_inn, link_facts, link_roles, block, confirmed "
        "FROM mart.related_companies ORDER BY relation": [
            (OTHER, "founded", "учредитель", "Действующая", None, None, None, None, "founded_companies"),
            (OTHER, "linked", "руководит", "Ликвидирована", True, "770708389301", 2, "руководит; учредитель", "risk_flags"),
        ],
    }  # fmt: skip
    for start, answered in ((0, True), (10, False)):
        load(warehouse, full_check_response(COMPANY, content if answered else {}), start=start)
        for query, expected in queries.items():
            assert rows(warehouse, query) == [(*row, answered) for row in expected]
    load(warehouse, full_check_response(COMPANY, {FULL_CHECK_KEYS["minjust_check"]: {"verified": True}}), start=20)
    assert rows(warehouse, "FROM mart.foreign_agents") == []


@pytest.mark.parametrize("hits", [[{}], [{"name": ""}], [""], [None], [[]]], ids=str)
def test_entry_without_readable_fields_is_an_entry(warehouse: Warehouse, hits: list[Any]) -> None:
    add_members(warehouse, COMPANY)
    load(warehouse, full_check_response(COMPANY, blocks(minjust_check={"hits": []})))
    load(warehouse, full_check_response(COMPANY, blocks(minjust_check={"hits": hits})), start=10)
    assert rows(warehouse, "SELECT state, complete FROM mart.coverage WHERE block = 'minjust_check'") == [
        ("found", True)
    ]
    assert foreign_agent(warehouse) == [("present", True, "matches: 1")]
    assert rows(warehouse, "SELECT listed_name, details, confirmed FROM mart.foreign_agents") == [(None, None, True)]
    assert rows(warehouse, "SELECT sentence_en FROM mart.news") == [("A match in the register of foreign agents",)]


@pytest.mark.parametrize(
    ("hits", "state"),
    [({"a": 1}, "partial"), ({"a": {}}, "unconfirmed"), (False, "partial"), ("х", "partial")],
    ids=str,
)
def test_matches_of_another_shape_confirm_no_absence(warehouse: Warehouse, hits: Any, state: str) -> None:
    add_members(warehouse, COMPANY)
    load(warehouse, full_check_response(COMPANY, blocks(minjust_check={"hits": hits})))
    assert rows(warehouse, "SELECT state, reason FROM mart.coverage WHERE block = 'minjust_check'") == [
        (state, "shape")
    ]
    assert foreign_agent(warehouse) == [("unknown", False, None)]
    assert rows(warehouse, "SELECT 1 FROM mart.foreign_agents") == []


def foreign_agent(warehouse: Warehouse) -> list[tuple]:
    return rows(warehouse, "SELECT state, confirmed, evidence FROM mart.risk_signals WHERE signal = 'foreign_agent'")


def test_licence_without_readable_fields_is_a_licence(warehouse: Warehouse) -> None:
    add_members(warehouse, COMPANY)
    load(warehouse, full_check_response(COMPANY, blocks(licenses={"mchs": [{"number": ""}]})))
    assert rows(warehouse, "SELECT state FROM mart.coverage WHERE block = 'licenses'") == [("found",)]
    assert rows(warehouse, "SELECT register, number, details FROM mart.licences") == [("MCHS", None, None)]


def test_headcounts_by_source(warehouse: Warehouse) -> None:
    content = blocks(
        employees={"record": {"headcount": 0, "publish_date": "31.12.2025"}, "snapshot_date": "20260701"},
        msp={"record": {"headcount": 3, "as_of": "10.11.2026"}},
        company={"employees_history": [{"year": 2024, "count": 5}]},
        financial={"employees_history": [{"year": 2023, "count": 7}]},
    )
    load(warehouse, full_check_response(COMPANY, content))
    query = "SELECT block, year, as_of, headcount, source_date, confirmed FROM mart.headcounts ORDER BY block"
    assert rows(warehouse, query) == [
        ("company", 2024, None, 5, None, True),
        ("employees", 2025, date(2025, 12, 31), 0, date(2026, 7, 1), True),
        ("financial", 2023, None, 7, None, True),
        ("msp", None, date(2026, 11, 10), 3, None, True),
    ]
