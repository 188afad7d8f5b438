"""One counterparty in one row: each figure from its block, and NULL wherever the block is not known."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal

import pytest

from innspect.reports.coverage_text import is_lower_bound
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.warehouse.database import Warehouse
from tests.marts.bodies import (
    KEYS,
    PLAIN,
    add_members,
    all_blocks,
    blocks,
    full_check_response,
    load,
    rows,
    single_row,
)

COMPANY = "7707083893"
PROFILE = "FROM mart.company_profile WHERE inn = ?"
COLUMNS = {
    "company": ("short_name", "status", "registration_date", "age_years", "authorized_capital_rub"),
    "fssp": ("active_debt_rub", "active_proceedings"),
    "arbitration": ("cases", "cases_as_respondent", "claims_rub"),
    "bankruptcy": ("bankruptcy_intention",),
    "contracts": ("contracts", "contracts_rub"),
    "pledges": ("pledges",),
    "inspections": ("inspections_with_violations",),
    "rnp": ("rnp_active",),
    "sanctions": ("sanction_hits",),
    "freezes": ("freezes",),
    "general_courts": ("general_court_cases",),
    "tax_debts": ("tax_debt_rub",),
    "tax_offences": ("tax_fines_rub",),
    "employees": ("headcount", "headcount_date"),
    "revexp": ("revenue_rub", "expense_rub", "revenue_period", "revenue_source"),
    "msp": ("sme_category",),
}
FIGURES = [column for columns in COLUMNS.values() for column in columns]
RESPONDENT = {"case_number": "1", "role": "respondent", "date": "01.02.2020", "result": "lost"}


def test_figures_are_those_of_their_blocks(warehouse: Warehouse) -> None:
    add_members(warehouse, COMPANY, name="Поставщик", tags="а, б", extra='{"segment":"x"}')
    add_members(warehouse, COMPANY, portfolio="q", tags="б,в")
    changes = {
        "company": {"director": "ИВАНОВ", "address": "г. Тула", "okved_main": "10.1", "sme_category": "иное"},
        "fssp": {"active_debt_rub": 12.34, "active_proceedings": 1, "total_proceedings": 1,
                 "proceedings": [{"exe_production": "1", "is_active": True, "sum": 12.34}]},
        "arbitration": {"total_cases": 3, "as_respondent": 2, "cases": [
            {**RESPONDENT, "claim_sum": 100}, {**RESPONDENT, "case_number": "2", "claim_sum": 0},
            {**RESPONDENT, "case_number": "3", "role": "plaintiff", "claim_sum": 7}]},
        "bankruptcy": {"has_bankruptcy": True, "status": "observation", "cases": [{"case_number": "1"}]},
        "contracts": {"total_contracts": 1, "total_amount": 55.5, "contracts": [{"reg_num": "1", "amount": 55.5}]},
        "financial": {"revenue": {"2024": 10, "2025": 20}, "net_profit": {"2025": -3}},
        "sanctions": {"hits": [{"source": "OFAC_SDN", "raw_id": "1", "match_confidence": "low"},
                               {"source": "OFAC_SDN", "raw_id": "2", "match_confidence": "high"}]},
        "tax_debts": {"total": 1, "total_sum": 1.5, "records": [{"debt_type": "НДС", "sum": 1.5}]},
        "revexp": {"record": {"revenue": 30, "expense": 29, "period": "2024"}},
    }  # fmt: skip
    load(warehouse, full_check_response(COMPANY, all_blocks(**changes)))
    row = single_row(warehouse, PROFILE, COMPANY)
    expected = {
        "kind": "company", "name": "ОБЩЕСТВО", "short_name": "ООО", "portfolio_name": "Поставщик",
        "portfolios": ["p", "q"], "tags": ["а", "б", "в"], "region": "77", "status": "active",
        "registration_date": date(2010, 3, 4), "director": "ИВАНОВ", "address": "г. Тула", "okved_main": "10.1",
        "authorized_capital_rub": Decimal("500000.00"), "sme_category": "Малое предприятие", "headcount": 12,
        "headcount_date": date(2025, 12, 31), "revenue_rub": Decimal("20.00"), "expense_rub": None,
        "revenue_period": date(2025, 12, 31), "revenue_source": "financial", "net_profit_rub": Decimal("-3.00"),
        "statements_year": 2025, "active_debt_rub": Decimal("12.34"), "active_proceedings": 1,
        "tax_debt_rub": Decimal("1.50"), "tax_fines_rub": Decimal("0.00"), "cases": 3, "cases_as_respondent": 2,
        "claims_rub": Decimal("100.00"), "general_court_cases": 0, "freezes": 0, "sanction_hits": 1,
        "rnp_active": False, "bankruptcy_stage": "observation", "bankruptcy_known": True, "contracts": 1,
        "contracts_rub": Decimal("55.50"), "pledges": 0, "blocks_askable": 25, "blocks_confirmed": 22,
        "blocks_unconfirmed": 2, "blocks_never_asked": 1,
    }  # fmt: skip
    assert {name: row[name] for name in expected} == expected


def test_member_never_requested_has_no_figures(warehouse: Warehouse) -> None:
    add_members(warehouse, COMPANY, name="Поставщик")
    row = single_row(warehouse, PROFILE, COMPANY)
    assert {name: row[name] for name in FIGURES} == dict.fromkeys(FIGURES)
    assert (row["name"], row["level"], row["score"]) == ("Поставщик", "unknown", 0)
    assert (row["blocks_askable"], row["blocks_confirmed"], row["blocks_never_asked"]) == (25, 0, 25)
    assert (row["newest_checked_at"], row["bankruptcy_known"]) == (None, False)


@pytest.fixture(scope="module")
def silent(opening: Callable[[], Warehouse]) -> dict[str, dict]:
    """The profile of a company for each block that says nothing about it, and of one of which all is told."""
    warehouse = opening()
    inns = dict(zip([*COLUMNS, "none"], sample_inns(len(COLUMNS) + 1, 8), strict=True))
    answers = []
    for block, inn in inns.items():
        content = all_blocks(company={"employee_count": None})
        content.pop(KEYS.get(block, block), None)
        answers.append(full_check_response(inn, content))
    load(warehouse, *answers)
    profiles = {row["inn"]: row for row in warehouse.query("FROM mart.company_profile").iter_rows(named=True)}
    return {block: profiles[inn] for block, inn in inns.items()}


@pytest.mark.long
@pytest.mark.parametrize("block", COLUMNS)
def test_block_without_evidence_makes_only_its_figures_unknown(silent: dict[str, dict], block: str) -> None:
    row = silent[block]
    assert {name for name in FIGURES if row[name] is None} == set(COLUMNS[block])
    assert (row["blocks_confirmed"], row["blocks_unconfirmed"], row["blocks_never_asked"]) == (len(PLAIN) - 1, 3, 1)


def test_complete_evidence_leaves_no_figure_unknown(silent: dict[str, dict]) -> None:
    row = silent["none"]
    assert not [name for name in FIGURES if row[name] is None]
    assert (row["blocks_confirmed"], row["blocks_unconfirmed"]) == (len(PLAIN), 2)


def test_known_figures_stay_during_an_outage(warehouse: Warehouse) -> None:
    load(warehouse, full_check_response(COMPANY, all_blocks()))
    before = single_row(warehouse, PROFILE, COMPANY)
    load(warehouse, full_check_response(COMPANY, {}), start=5)
    after = single_row(warehouse, PROFILE, COMPANY)
    assert {name: after[name] for name in FIGURES} == {name: before[name] for name in FIGURES}
    assert (after["blocks_confirmed"], after["newest_checked_at"]) == (0, before["newest_checked_at"])


@pytest.mark.parametrize(("is_active", "debt"), [(True, None), (False, Decimal("0.00"))])
def test_debt_is_unknown_without_an_amount(warehouse: Warehouse, is_active: bool, debt: Decimal | None) -> None:
    """The service sums up absent amounts to 0."""
    proceeding = {"exe_production": "1/26", "process_date": "05.02.2026", "sum": 0, "is_active": is_active}
    counts = {"total_proceedings": 1, "active_proceedings": int(is_active), "active_debt_rub": 0}
    content = all_blocks(fssp={**counts, "proceedings": [proceeding]})
    load(warehouse, full_check_response(COMPANY, content))
    row = single_row(warehouse, PROFILE, COMPANY)
    assert (row["active_proceedings"], row["active_debt_rub"]) == (int(is_active), debt)


def test_small_business_category_is_that_of_the_register_if_it_answered(warehouse: Warehouse) -> None:
    """The card may keep a category that the register has no longer."""
    card = {"sme_category": "Микропредприятие"}
    size = "SELECT left_value, right_value, agrees FROM mart.cross_checks WHERE check_name = 'size'"
    load(warehouse, full_check_response(COMPANY, blocks(company=card)))
    assert single_row(warehouse, PROFILE, COMPANY)["sme_category"] == "Микропредприятие"
    assert rows(warehouse, size) == [("Микропредприятие", None, None)]
    load(warehouse, full_check_response(COMPANY, blocks(company=card, msp={"record": None, "status": "idle"})), start=5)
    assert single_row(warehouse, PROFILE, COMPANY)["sme_category"] is None
    assert rows(warehouse, size) == [("Микропредприятие", "not in the register", False)]


@pytest.mark.parametrize(
    ("answer", "stage", "is_known"),
    [
        ({"has_bankruptcy": False, "status": "", "total_cases": 1, "cases": [{"case_number": "1"}]}, None, True),
        ({"has_bankruptcy": True, "status": "", "total_cases": 1, "cases": [{"case_number": "1"}]}, None, False),
        ({"has_bankruptcy": True, "status": "observation"}, "observation", True),
        ({"error": "timeout"}, None, False),
    ],
)
def test_debtor_card_is_no_bankruptcy(warehouse: Warehouse, answer: dict, stage: str | None, is_known: bool) -> None:
    load(warehouse, full_check_response(COMPANY, blocks(bankruptcy=answer)))
    row = single_row(warehouse, PROFILE, COMPANY)
    assert (row["bankruptcy_stage"], row["bankruptcy_known"]) == (stage, is_known)


def test_sums_that_lack_amounts_are_lower_bounds(warehouse: Warehouse) -> None:
    going = [{"exe_production": f"{n}/26", "sum": amount, "is_active": True} for n, amount in enumerate((500, 0, 0))]
    debts = {"total_proceedings": 3, "active_proceedings": 3, "active_debt_rub": 500, "total_debt_rub": 500}
    cases = [{**RESPONDENT, "case_number": str(n), "claim_sum": amount} for n, amount in enumerate((0, 700))]
    claims = {"total_cases": 2, "as_respondent": 2, "cases": cases}
    load(warehouse, full_check_response(COMPANY, all_blocks(fssp={**debts, "proceedings": going}, arbitration=claims)))
    row = single_row(warehouse, PROFILE, COMPANY)
    assert (row["active_debt_rub"], row["proceedings_without_amount"], row["fssp_complete"]) == (500, 2, True)
    assert (row["claims_rub"], row["claims_without_amount"], row["arbitration_complete"]) == (700, 1, True)
    assert is_lower_bound(row, "active_debt_rub")
    assert is_lower_bound(row, "claims_rub")
    load(warehouse, full_check_response(COMPANY, all_blocks()), start=5)
    row = single_row(warehouse, PROFILE, COMPANY)
    assert (row["proceedings_without_amount"], row["claims_without_amount"]) == (0, 0)
    assert not is_lower_bound(row, "active_debt_rub")
    assert not is_lower_bound(row, "claims_rub")


def test_claims_are_unknown_without_claim_amounts(warehouse: Warehouse) -> None:
    content = all_blocks(arbitration={"total_cases": 1, "as_respondent": 1, "cases": [{**RESPONDENT, "claim_sum": 0}]})
    load(warehouse, full_check_response(COMPANY, content))
    row = single_row(warehouse, PROFILE, COMPANY)
    assert (row["cases_as_respondent"], row["claims_rub"]) == (1, None)
