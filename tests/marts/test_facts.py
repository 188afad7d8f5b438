"""Cases, proceedings, contracts, statements, and what disagrees: expected rows written out."""

from datetime import date
from decimal import Decimal

import pytest

from innspect.warehouse.database import Warehouse
from tests.marts.bodies import blocks, full_check_response, load, rows, single_row

COMPANY = "7707083893"
CASES = (
    "SELECT court_kind, case_number, filed_on, role, court, claim_rub, result, result_on, open, other_parties, confirmed "
    "FROM mart.litigation ORDER BY ALL"
)


def test_cases_of_both_kinds_of_court(warehouse: Warehouse) -> None:
    arbitration = [
        {"case_number": "А40-1", "date": "02.03.2024", "type": "Гражданское", "claim_sum": 10.5, "role": "respondent",
         "court": "Судья\nАС Москвы", "result": "lost", "plaintiffs": [{"name": "Б"}, {"name": "А"}],
         "respondents": [{"name": "Мы"}]},
        {"case_number": "А40-2", "role": "third", "claim_sum": 0, "plaintiffs": [{"name": "А"}],
         "respondents": [{"name": "В"}]},
    ]  # fmt: skip
    general = [
        {"case_number": "2-1", "date": "05.06.2025", "role": "истец", "court": "суд", "result_date": "",
         "respondents": [{"name": "Г"}], "plaintiffs": [{"name": "Мы"}]},
        {"case_number": "2-2", "date": "05.06.2025", "role": "", "court": "суд", "result_date": "07.08.2025",
         "claim_sum": 7, "result": "Отказано"},
    ]  # fmt: skip
    content = blocks(arbitration={"total_cases": 2, "cases": arbitration},
                     general_courts={"total_cases": 2, "cases": general})  # fmt: skip
    load(warehouse, full_check_response(COMPANY, content))
    first, third = Decimal("10.50"), None
    assert rows(warehouse, CASES) == [
        (
            "arbitration",
            "А40-1",
            date(2024, 3, 2),
            "respondent",
            "Судья АС Москвы",
            first,
            "lost",
            None,
            False,
            "А; Б",
            True,
        ),
        ("arbitration", "А40-2", None, "third", None, third, None, None, None, "А; В", True),
        ("general", "2-1", date(2025, 6, 5), "plaintiff", "суд", None, None, None, True, "Г", True),
        (
            "general",
            "2-2",
            date(2025, 6, 5),
            None,
            "суд",
            Decimal("7.00"),
            "Отказано",
            date(2025, 8, 7),
            False,
            None,
            True,
        ),
    ]
    load(warehouse, full_check_response(COMPANY, {}), start=5)
    assert [row[-1] for row in rows(warehouse, CASES)] == [False] * 4


def test_proceedings(warehouse: Warehouse) -> None:
    proceedings = [
        {"exe_production": "1/24", "process_date": "01.02.2024", "subject": "Штраф", "subject_matter": "Штраф: 5.25",
         "sum": 5.25, "is_active": False, "end_reason": "ст. 46", "completion_reason": "no_assets"},
        {"exe_production": "2/25", "subject": "Обязать", "subject_matter": "", "sum": 0, "is_active": True},
        {"exe_production": "3/25", "sum": 1, "is_active": False},
    ]  # fmt: skip
    load(warehouse, full_check_response(COMPANY, blocks(fssp={"total_proceedings": 3, "proceedings": proceedings})))
    found = rows(
        warehouse,
        "SELECT proceeding, opened_on, subject, amount_rub, active, completion_reason, no_assets, confirmed "
        "FROM mart.enforcement ORDER BY proceeding",
    )
    assert found == [
        ("1/24", date(2024, 2, 1), "Штраф: 5.25", Decimal("5.25"), False, "no_assets", True, True),
        ("2/25", None, "Обязать", None, True, None, False, True),
        ("3/25", None, None, Decimal("1.00"), False, None, None, True),
    ]


def test_contracts_have_the_counterparty(warehouse: Warehouse) -> None:
    sides = {"customer_inn": "1", "customer_name": "Заказчик", "supplier_inn": "2", "supplier_name": "Поставщик"}
    contracts = [
        {"reg_num": "11", "amount": 100.01, "sign_date": "2025-01-02", "role": "supplier", "law": "fz44", **sides},
        {"reg_num": "12", "amount": 5, "role": "customer", **sides},
    ]
    load(warehouse, full_check_response(COMPANY, blocks(contracts={"total_contracts": 2, "contracts": contracts})))
    found = rows(
        warehouse,
        "SELECT reg_num, role, signed_on, amount_rub, counterparty_inn, counterparty_name "
        "FROM mart.state_contracts ORDER BY reg_num",
    )
    assert found == [
        ("11", "supplier", date(2025, 1, 2), Decimal("100.01"), "1", "Заказчик"),
        ("12", "customer", None, Decimal("5.00"), "2", "Поставщик"),
    ]


def test_statements_and_ratios(warehouse: Warehouse) -> None:
    content = {
        "revenue": {"2023": 0, "2024": 100, "2025": 150},
        "net_profit": {"2024": 10, "2025": -15},
        "total_assets": {"2025": 300},
        "equity": {"2024": -5, "2025": 60},
        "current_assets": {"2024": 50, "2025": 90},
        "short_term_liabilities": {"2024": 0, "2025": 45},
        "long_term_liabilities": {"2025": 195},
        "tax_burden_pct": {"2025": 7.25},
        "balance_lines": {"2025": {"1250": 12}},
        "income_lines": {"2025": {"2120": 90}},
    }
    load(warehouse, full_check_response(COMPANY, blocks(financial=content)))
    found = warehouse.query("FROM mart.financials ORDER BY year").to_dicts()
    assert [row["year"] for row in found] == [2023, 2024, 2025]
    last = found[2]
    expected = {
        "revenue_rub": Decimal("150.00"), "cost_rub": Decimal("90.00"), "net_profit_rub": Decimal("-15.00"),
        "assets_rub": Decimal("300.00"), "equity_rub": Decimal("60.00"), "cash_rub": Decimal("12.00"),
        "receivables_rub": None, "net_margin": -0.1, "return_on_assets": -0.05, "current_ratio": 2.0, "autonomy": 0.2,
        "debt_to_equity": 4.0, "revenue_growth": 0.5, "tax_burden_pct": 7.25, "source": "statements", "confirmed": True,
    }  # fmt: skip
    assert {name: last[name] for name in expected} == pytest.approx(expected)
    unknown = {"net_margin": [None, 0.1], "return_on_assets": [None, None], "current_ratio": [None, None],
               "debt_to_equity": [None, None], "revenue_growth": [None, None]}  # fmt: skip
    for name, values in unknown.items():
        assert [row[name] for row in found[:2]] == values, name


def test_cross_checks_agree_disagree_or_lack_evidence(warehouse: Warehouse) -> None:
    content = blocks(
        company={"authorized_capital": 10000, "mass_director": True, "sanctions": False, "employee_count": 0},
        revexp={"record": {"revenue": 105, "expense": 1, "period": "2025"}},
        financial={"revenue": {"2024": 7, "2025": 100000}, "balance_lines": {"2025": {"1310": 20000}}},
        risk_flags={"mass_director": False},
        sanctions={"hits": []},
        tax_debts={"total_sum": 5, "total": 1, "records": [{"debt_type": "НДС", "sum": 5}]},
    )
    load(warehouse, full_check_response(COMPANY, content))
    found = rows(
        warehouse,
        "SELECT check_name, period, left_value, right_value, difference_pct, agrees FROM mart.cross_checks "
        "WHERE check_name IN ('revenue', 'capital', 'mass director', 'sanctions', 'tax debts', 'headcount') ORDER BY ALL",
    )
    assert found == [
        ("capital", None, "10000", "20000", 50.0, False),
        ("mass director", None, "yes", "no", None, False),
        ("revenue", "2025", "105000", "100000", 4.76, True),
        ("sanctions", None, "no", "no", None, True),
        ("tax debts", None, "5", None, None, None),
    ]
    assert rows(warehouse, "SELECT count(*) FROM mart.cross_checks WHERE inn <> ?", COMPANY) == [(0,)]


def test_two_zeros_agree(warehouse: Warehouse) -> None:
    load(warehouse, full_check_response(COMPANY, blocks(arbitration={}, fssp={})))
    row = single_row(warehouse, "FROM mart.cross_checks WHERE check_name = 'case count'")
    assert (row["left_value"], row["right_value"], row["difference_pct"], row["agrees"]) == ("0", "0", 0, True)
