"""For each signal: the block's content in which it is present, in which it is absent, and that does not tell."""

from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

Content = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """What an answer says, and the evidence and the first day that are expected where the signal is present.

    `unclear` is content of which the signal cannot be told; None where every content tells. `earlier` is what the block
    said before; `more` is the content of other blocks that the rule reads. `method`: of a response with the block alone.
    """

    block: str
    present: Content
    absent: Content
    unclear: Content | None = None
    evidence: str | None = None
    since: date | None = None
    earlier: Content | None = None
    more: dict[str, Content] = field(default_factory=dict[str, Content])
    method: str = ""


def dotted(day: date) -> str:
    return day.strftime("%d.%m.%Y")


TODAY = date.today()
LATELY, LONG_AGO = TODAY - timedelta(days=60), TODAY - timedelta(days=1500)
LAST_YEAR = TODAY.year - 1


def card(field: str) -> Case:
    return Case("company", {field: True}, {field: False}, {field: None})


def status(value: str, **more: Any) -> Case:
    return Case(
        "company", {"status": value, "status_description": "как в реестре"}, {"status": "active"}, {"status": ""},
        "как в реестре", **more,
    )  # fmt: skip


def flag(field: str) -> Case:
    return Case("risk_flags", {field: True}, {field: False}, {field: None, **linked(False)})


def proceeding(**cells: Any) -> Content:
    return {"exe_production": "1/26", "process_date": "05.02.2026", "sum": 0, "is_active": True, **cells}


def fssp(*proceedings: Content, **counters: Any) -> Content:
    return {"total_proceedings": len(proceedings), "proceedings": list(proceedings), **counters}


def arbitration(*cases: Content, **counters: Any) -> Content:
    return {"total_cases": len(cases), "cases": list(cases), **counters}


def case(number: int = 1, **cells: Any) -> Content:
    return {
        "case_number": f"А40-{number}",
        "date": dotted(LATELY),
        "type": "Гражданское",
        "role": "respondent",
        **cells,
    }


def court(role: str) -> Content:
    return {"total_cases": 1, "cases": [{"case_number": "2-1", "date": "07.03.2025", "court": "с", "role": role}]}


def statements(**years: dict[str, Any]) -> Content:
    """Indicators by name: amounts of 2024 and 2025."""
    return {name: dict(zip(("2024", "2025"), amounts, strict=True)) for name, amounts in years.items()}


def hit(confidence: str | None) -> Content:
    return {
        "hits": [
            {"source": "OFAC_SDN", "list_label": "OFAC SDN List", "name": "OOO", "designated_at": "2024-05-06",
             "raw_id": "17", "match_confidence": confidence}
        ]
    }  # fmt: skip


def linked(*historic: bool | None) -> Content:
    return {
        "linked_companies": [
            {"inn": f"{7700000000 + n}", "name": f"К{n}", "historic": h} for n, h in enumerate(historic)
        ]
    }


PLEDGE = {"id": "2024-001", "reg_date": "03.04.2024", "source": "notary"}
LEASE = {"id": "77", "reg_date": "03.04.2023", "source": "fedresurs"}
RECORD = {"reg_number": "Р17", "inclusion_date": "09.08.2025", "status": "Размещено", "reason": "уклонение"}

VERIFIED_EMPTY: Content = {"verified": "empty"}
"""Stands for a block that the full check names as verified empty."""
SIZE = {"revexp": {"record": {"revenue": 10_000, "period": "2025"}}}
"""The tax data set has a revenue of 10 million."""


def registration(**cells: Any) -> Content:
    return {"ogrnip": "304770000000010", "name": "ИП", "registration_date": "2010-03-04", **cells}


def writ(day: str, role: str = "ответчик") -> Content:
    writs = [{"date": day, "number": "ФС 1", "status": "Выдан"}]
    return {"total_cases": 1, "cases": [{"case_number": "2-1", "court": "с", "role": role, "writs": writs}]}


def licence(status: str = "Действует") -> Content:
    item = {"source": "ROSZ_LS", "license_number": "Л1", "status": status}
    return {"total": 1, "health": [item], "sources_checked": ["ROSZ", "MCHS"]}


def contract(amount: float, day: date = LATELY) -> Content:
    row = {"reg_num": "1770000000026000001", "amount": amount, "sign_date": day.isoformat(), "role": "supplier"}
    return {"total_contracts": 1, "as_supplier": 1, "total_amount": amount, "contracts": [row]}


CASES: dict[str, Case] = {
    "not_in_register": Case("company", VERIFIED_EMPTY, {}, {"ogrn": "", "name": ""}, "no entry in the register"),
    "liquidated": Case(
        "company", {"status": "active", "liquidation_date": "2025-06-07", "status_description": "Ликвидирована"},
        {"status": "liquidating"}, {"status": ""}, "Ликвидирована", date(2025, 6, 7),
    ),
    "liquidating": status("liquidating"),
    "status_bankruptcy": status("bankruptcy"),
    "reorganizing": status("reorganizing"),
    "invalid_data": card("invalid_data"),
    "invalid_address": card("invalid_address"),
    "illegal_finance": card("illegal_finance"),
    "sanctions_founders": card("sanctions_founders"),
    "card_sanctions": card("sanctions"),
    "card_unfair_supplier": card("unfair_supplier"),
    "card_disqualified": card("disqualified_persons"),
    "card_mass_director": card("mass_director"),
    "card_mass_founder": card("mass_founder"),
    "card_mass_address": card("mass_address"),
    "young": Case(
        "company", {"registration_date": LATELY.isoformat()}, {"registration_date": LONG_AGO.isoformat()},
        {"registration_date": ""}, f"registered {LATELY}", LATELY,
    ),
    "tiny_capital": Case(
        "company", {"authorized_capital": 10000}, {"authorized_capital": 0}, {"authorized_capital": None},
        "10 000.00 RUB",
    ),
    "bankruptcy_stage": Case(
        "bankruptcy",
        {"has_bankruptcy": True, "status": "observation", "cases": [{"case_number": "А40-1", "status": "observation"}]},
        {"has_bankruptcy": True, "status": "completed", "cases": [{"case_number": "А40-1", "status": "completed"}]},
        {"has_bankruptcy": None, "status": "", "cases": [{"case_number": "А40-1"}]}, "observation, case А40-1",
    ),
    "bankruptcy_completed": Case(
        "bankruptcy",
        {"has_bankruptcy": True, "status": "completed", "cases": [{"case_number": "А40-1", "status": "completed"}]},
        {"has_bankruptcy": True, "status": "proceedings", "cases": []},
        {"has_bankruptcy": None, "status": "", "cases": [{"case_number": "А40-1"}]}, "case А40-1",
    ),
    "bankruptcy_intention": Case(
        "bankruptcy", {"has_intention": True}, {"has_intention": False},
        {"has_intention": None, "cases": [{"case_number": "А40-1"}]},
    ),
    "bankruptcy_card": Case(
        "bankruptcy", {"has_bankruptcy": False, "total_cases": 1, "cases": [{"case_number": "А40-1"}]},
        {"has_bankruptcy": False}, None, "debtor cards: 1, case А40-1",
    ),
    "bankruptcy_message": Case(
        "risk_flags",
        {"efrsb_messages": [{"type": "Сообщение", "number": "1", "date": "2026-03-01T10:00:00", "text": "т"}]},
        {"efrsb_messages": [], "status_name": "Действует"}, None, "messages: 1, Сообщение", date(2026, 3, 1),
        method="risk-flags",
    ),
    "bankruptcy_event": Case(
        "timeline", [{"date": "01.03.2026", "type": "bankruptcy", "event": "Сообщение", "source": "efrsb"}],
        [{"date": "01.03.2016", "type": "registration", "event": "Регистрация"}], None, "events: 1, Сообщение",
        date(2026, 3, 1),
    ),
    "account_freeze": Case(
        "freezes",
        {"found": True, "count": 2, "items": [
            {"decision_num": "8", "decision_date": "01.10.2026", "bik": "044525225", "bank": "БАНК"},
            {"decision_num": "17", "decision_date": "09.10.2026", "bik": "044525225", "bank": "БАНК"},
        ]},
        {"found": False, "count": 0, "items": []}, None, "decisions: 2, No. 17 of 2026-10-09, БАНК", date(2026, 10, 1),
    ),
    "sanctions_hit": Case("sanctions", hit("high"), hit("medium"), None, "OFAC SDN List: OOO", date(2024, 5, 6)),
    "sanctions_name": Case("sanctions", hit(None), hit("high"), None, "OFAC SDN List: OOO", date(2024, 5, 6)),
    "sanctions_namesake": Case(
        "sanctions", hit("low"), {"hits": []}, hit("high"), "matches of low confidence: 1"
    ),
    "foreign_agent": Case(
        "minjust_check", {"hits": [{"name": "А", "number": 1}, {"name": "Б"}]}, {"hits": []}, None, "matches: 2"
    ),
    "rnp_active": Case(
        "rnp", {"total": 1, "active": 1, "records": [RECORD]},
        {"total": 1, "active": 0, "historic": 1, "records": [{**RECORD, "status": "Исключено"}]},
        {"total": 1, "active": None, "records": [{**RECORD, "status": "Исключено"}]}, "No. Р17, уклонение",
        date(2025, 8, 9),
    ),
    "rnp_past": Case(
        "rnp", {"total": 1, "historic": 1, "records": [{**RECORD, "status": "Исключено"}]},
        {"total": 1, "active": 1, "records": [RECORD]}, {"total": 1, "historic": None, "records": [RECORD]},
        "excluded entries: 1",
    ),
    "disqualified_persons": Case(
        "risk_flags",
        {"disqualified_persons": True, "disqualified_records": [
            {"matched_name": "ИВАНОВ И И", "start_date": "02.03.2025", "end_date": "01.03.2028"}
        ]},
        {"disqualified_persons": False}, {"disqualified_persons": None, **linked(False)}, "ИВАНОВ И И, until 2028-03-01",
        date(2025, 3, 2),
    ),
    "disqualification_expired": Case(
        "risk_flags",
        {"disqualified_persons": True, "disqualified_records": [
            {"matched_name": "ИВАНОВ И И", "start_date": "02.03.2020", "end_date": "01.03.2023"}
        ]},
        {"disqualified_persons": False}, {"disqualified_persons": None, **linked(False)}, "ИВАНОВ И И, until 2023-03-01",
        date(2023, 3, 1),
    ),
    "mass_director": flag("mass_director"),
    "mass_founder": flag("mass_founder"),
    "mass_address": flag("mass_address"),
    "linked_closed": Case(
        "risk_flags", linked(True, True, True, False), linked(True, True, False), linked(True, True, None),
        "linked companies: 4, closed: 3",
    ),
    "inspection_violations": Case(
        "inspections",
        {"total": 2, "with_violations": 1, "inspections": [
            {"number": "77", "start_date": "2024-04-05", "has_violations": True}, {"number": "78"},
        ]},
        {"total": 1, "with_violations": 0, "inspections": [{"number": "77", "has_violations": False}]},
        {"total": 1, "with_violations": None, "inspections": [{"number": "77", "has_violations": None}]},
        "with violations: 1 of 2", date(2024, 4, 5),
    ),
    "pledges": Case(
        "pledges", {"total_pledges": 2, "fetched": 2, "pledges": [PLEDGE, LEASE]},
        {"total_pledges": 1, "fetched": 1, "pledges": [LEASE]}, {"total_pledges": None, "pledges": [LEASE]},
        "notices: 1", date(2024, 4, 3),
    ),
    "leasing": Case(
        "leasing", {"total_contracts": 2, "contracts": [{"subject": "а"}, {"subject": "б"}]}, {"total_contracts": 0},
        {"total_contracts": None, "contracts": [{"subject": "а"}]}, "contracts: 2",
    ),
    "enforcement_no_assets": Case(
        "fssp",
        fssp(proceeding(is_active=False, completion_reason="no_assets"), completed_no_assets=1),
        fssp(proceeding(is_active=False, completion_reason="paid"), completed_paid=1),
        fssp(proceeding(is_active=False), completed_no_assets=None), "proceedings: 1",
    ),
    "enforcement_active": Case(
        "fssp", fssp(proceeding(sum=500), active_proceedings=1, active_debt_rub=500),
        fssp(proceeding(is_active=False, completion_reason="paid")),
        fssp(proceeding(is_active=None), active_proceedings=None), "proceedings: 1, 500.00 RUB", date(2026, 2, 5),
    ),
    "enforcement_large": Case(
        "fssp", fssp(proceeding(sum=1000000), active_proceedings=1, active_debt_rub=1000000),
        fssp(proceeding(sum=999999.99), active_proceedings=1, active_debt_rub=999999.99),
        fssp(proceeding(sum=0), active_proceedings=1, active_debt_rub=0), "1 000 000.00 RUB", date(2026, 2, 5),
        more=SIZE,
    ),
    "tax_debt": Case(
        "tax_debts", {"total": 1, "total_sum": 0.01, "records": [{"debt_type": "НДС", "sum": 0.01}]},
        {"total": 0, "total_sum": 0}, {"total": 1, "total_sum": None, "records": [{"debt_type": "НДС"}]}, "0.01 RUB",
    ),
    "tax_debt_large": Case(
        "tax_debts",
        {"total": 1, "total_sum": 1000000,
         "records": [{"debt_type": "НДС", "sum": 1000000, "record_date": "10.09.2026"}]},
        {"total": 1, "total_sum": 999999.99, "records": [{"debt_type": "НДС", "sum": 999999.99}]},
        {"total": 1, "total_sum": None, "records": [{"debt_type": "НДС"}]}, "1 000 000.00 RUB", date(2026, 9, 10),
        more=SIZE,
    ),
    "tax_fines": Case(
        "tax_offences", {"total": 1, "total_sum": 300, "records": [{"name": "О", "sum": 300}]},
        {"total": 0, "total_sum": 0}, {"total": 1, "total_sum": None, "records": [{"name": "О"}]}, "300.00 RUB",
    ),
    "arbitration_respondent": Case(
        "arbitration", arbitration(case(), as_respondent=1), arbitration(case(role="plaintiff"), as_plaintiff=1),
        arbitration(case(role="plaintiff"), as_respondent=None), "cases: 1 of 1", LATELY,
    ),
    "arbitration_often_respondent": Case(
        "arbitration", arbitration(*map(case, range(10)), as_respondent=5),
        arbitration(*map(case, range(11)), as_respondent=5), arbitration(case(), as_respondent=None),
        "cases: 5 of 10", LATELY,
    ),
    "arbitration_claims": Case(
        "arbitration", arbitration(case(claim_sum=600000), case(2, claim_sum=400000), case(3)),
        arbitration(case(claim_sum=999999.99), case(2, claim_sum=9e6, result="lost"),
                    case(3, claim_sum=9e6, date=dotted(LONG_AGO)), case(4, claim_sum=9e6, type="Банкротство")),
        arbitration(case(claim_sum=999999.99), case(2, claim_sum=0)), "cases: 3, at least 1 000 000.00 RUB",
        LATELY, more=SIZE,
    ),
    "arbitration_lost": Case(
        "arbitration", arbitration(case(result="lost"), as_respondent=1, lost=2), arbitration(case(), lost=0),
        arbitration(case(), lost=None), "cases lost: 2", LATELY,
    ),
    "claims_lost_large": Case(
        "arbitration",
        arbitration(case(result="lost", claim_sum=600000), case(2, result="lost", claim_sum=400000), lost=2),
        arbitration(case(result="lost", claim_sum=999999.99), case(2, result="won", claim_sum=9e6),
                    case(3, result="lost", claim_sum=9e6, date=dotted(LONG_AGO)), lost=2),
        arbitration(case(result="lost", claim_sum=0), lost=1), "cases lost: 2, 1 000 000.00 RUB", LATELY, more=SIZE,
    ),
    "litigation_growing": Case(
        "arbitration", arbitration(*map(case, range(5)), as_respondent=5), arbitration(*map(case, range(4))),
        arbitration(*map(case, range(4)), case(9, date="")), "cases: 5, earlier: 0", LATELY,
    ),
    "bankruptcy_petition": Case(
        "arbitration", arbitration(case(7, type="Банкротство")),
        arbitration(case(7, type="Банкротство", result="dismissed"), case(8, type="Банкротство", role="plaintiff")),
        arbitration(case(7, type="")), "case А40-7", LATELY,
    ),
    "court_respondent": Case(
        "general_courts", court("должник"), court("истец"), court(""), "cases: 1", date(2025, 3, 7)
    ),
    "court_administrative": Case(
        "general_courts", court("привлекаемое лицо"), court("ответчик"), court(""), "cases: 1", date(2025, 3, 7)
    ),
    "writs_issued": Case(
        "general_courts", writ(dotted(LATELY)), writ(dotted(LONG_AGO)), writ(""), "writs: 1", LATELY
    ),
    "low_tax_burden": Case(
        "financial", {"tax_burden_pct": {str(LAST_YEAR): 0.5}}, {"tax_burden_pct": {str(LAST_YEAR): 1}},
        {"years": [LAST_YEAR]}, f"{LAST_YEAR}: 0.5 %", date(LAST_YEAR, 12, 31),
    ),
    "low_salary": Case("company", {"avg_salary": 20000}, {"avg_salary": 40000}, {"avg_salary": 0}, "20 000.00 RUB"),
    "statements_missing": Case(
        "financial", {"years": [LAST_YEAR - 3]}, {"years": [LAST_YEAR]}, {"years": []}, f"newest year {LAST_YEAR - 3}",
        date(LAST_YEAR - 1, 4, 1),
    ),
    "revenue_mismatch": Case(
        "financial", {"revenue": {"2025": 500000}}, {"revenue": {"2025": 1000000}}, {"revenue": {"2024": 500000}},
        "2025: 500 000.00 RUB in the statements, 1 000 000.00 RUB in the data set", date(2025, 12, 31),
        more={"revexp": {"record": {"revenue": 1000, "period": "2025"}}},
    ),
    "contracts_without_staff": Case(
        "contracts", contract(5e6), contract(5e6, LONG_AGO), None, "5 000 000.00 RUB, headcount 1", LATELY,
        more={**SIZE, "company": {}, "employees": {"record": {"headcount": 1, "publish_date": "31.12.2025"}}},
    ),
    "director_changed": Case(
        "company", {"director": "ПЕТРОВ"}, {"director": "ИВАНОВ"}, None, "before: ИВАНОВ", earlier={"director": "ИВАНОВ"}
    ),
    "founder_changed": Case(
        "company", {"founder_shares": [{"name": "А", "date": LATELY.isoformat()}], "founders": [{"name": "Б"}]},
        {"founders": [{"name": "Б"}]}, None, f"entered on {LATELY}", LATELY, earlier={"founders": [{"name": "Б"}]},
    ),
    "address_changed": Case(
        "company", {"address": "г Москва, 2"}, {"address": "г Москва, 1"}, None, "before: г Москва, 1",
        earlier={"address": "г Москва, 1"},
    ),
    "name_changed": Case(
        "company", {"name": "НОВОЕ"}, {"name": "СТАРОЕ"}, None, "before: СТАРОЕ", earlier={"name": "СТАРОЕ"}
    ),
    "licence_lost": Case("licenses", {"total": 0}, licence(), None, "licences: 1, No. Л1", earlier=licence()),
    "loss": Case(
        "financial", statements(net_profit=(5, -1)), statements(net_profit=(-5, 0)), statements(revenue=(5, 5)),
        "2025: -1.00 RUB", date(2025, 1, 1),
    ),
    "loss_repeated": Case(
        "financial", statements(net_profit=(-5, -1)), statements(net_profit=(5, -1)), {"net_profit": {"2025": -1}},
        "2025: -1.00 RUB, before: -5.00 RUB", date(2024, 1, 1),
    ),
    "negative_equity": Case(
        "financial", statements(equity=(5, -1)), statements(equity=(-5, 0)), statements(revenue=(5, 5)),
        "2025: -1.00 RUB", date(2025, 12, 31),
    ),
    "revenue_fall": Case(
        "financial", statements(revenue=(100, 70)), statements(revenue=(100, 71)), {"revenue": {"2025": 70}},
        "2025: 70.00 RUB, before: 100.00 RUB", date(2025, 1, 1),
    ),
    "no_revenue": Case(
        "financial", statements(revenue=(100, 0)), statements(revenue=(0, 1)), statements(equity=(5, 5)), "2025",
        date(2025, 1, 1),
    ),
    "illiquid": Case(
        "financial", statements(current_assets=(5, 5), short_term_liabilities=(5, 6)),
        statements(current_assets=(5, 6), short_term_liabilities=(6, 6)), statements(current_assets=(5, 5)), "2025",
        date(2025, 12, 31),
    ),
    "expense_over_income": Case(
        "revexp", {"record": {"revenue": 100, "expense": 101, "period": "2025"}},
        {"record": {"revenue": 100, "expense": 100, "period": "2025"}}, {"record": {"revenue": 100, "period": "2025"}},
        "expense 101 000.00 RUB, income 100 000.00 RUB", date(2025, 12, 31),
    ),
    "no_employees": Case(
        "employees", {"record": {"headcount": 1, "publish_date": "31.12.2025"}},
        {"record": {"headcount": 2, "publish_date": "31.12.2025"}}, {"record": {"publish_date": "31.12.2025"}},
        "headcount 1", date(2025, 12, 31),
    ),
}  # fmt: skip
