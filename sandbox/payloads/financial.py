"""Financial statements."""

from datetime import date

from innspect.sandbox.payloads.block_state import States, without_rows
from innspect.sandbox.payloads.open_data import headcount
from innspect.sandbox.world.calendar import year_of
from innspect.sandbox.world.company_profile import Profile
from innspect.sandbox.world.context import Payload, View

Amounts = dict[str, int]
FORMS = {"balance": "1", "income": "2", "capital": "3", "cash_flow": "4"}
INDICATORS = {
    "revenue": "2110", "net_profit": "2400", "gross_profit": "2100", "operating_profit": "2200",
    "profit_before_tax": "2300", "total_assets": "1600", "equity": "1300", "current_assets": "1200",
    "non_current_assets": "1100", "accounts_receivable": "1230", "accounts_payable": "1520",
    "short_term_liabilities": "1500", "long_term_liabilities": "1400", "cash_flow_operations": "4100",
    "cash_flow_investing": "4200", "cash_flow_financing": "4300", "cash_flow_total": "4400",
    "cash_balance_end": "4500", "cash_from_sales": "4111", "cash_inflows_ops": "4110", "cash_outflows_ops": "4120",
    "cash_pay_suppliers": "4121", "cash_pay_wages": "4122", "cash_pay_interest": "4123", "cash_pay_tax": "4124",
    "cash_inv_inflows": "4210", "cash_inv_outflows": "4220", "cash_loans_received": "4311",
    "cash_dividends_paid": "4322", "cash_loan_repayments": "4323", "cash_fin_inflows": "4310",
    "cash_fin_outflows": "4320",
}  # fmt: skip
_LATEST_ONLY = ("profit_before_tax", "cash_flow_total")
_CAPITAL = ("capital_authorized", "capital_additional", "capital_reserve", "retained_earnings", "capital_total")
_DEPTH = 6
_DETAILED = 2


def filing_day(profile: Profile, year: int) -> int:
    """The day on which the statements of a year are published: from March to December of the next year."""
    return date(year + 1, 3, 1).toordinal() + profile.draw("filed", year).integer(0, 300)


STATES: dict[str, States] = {
    "financial": {"found_not_listed": without_rows("`has_data` without a year or an amount", has_data=True)}
}


def has_statements(profile: Profile) -> bool:
    """Whether it files statements: banks, insurers, persons and a few others do not."""
    return profile.kind != "bank" and not profile.is_person and profile.draw("files").chance(0.95)


def years(profile: Profile, day: int) -> list[int]:
    """Years with published statements, latest first."""
    if not has_statements(profile):
        return []
    newest = year_of(min(day, profile.liquidation[1])) - 1
    first = max(newest - _DEPTH, year_of(profile.registration_day) + 1)
    return [year for year in range(newest, first - 1, -1) if filing_day(profile, year) <= day][:_DEPTH]


def financial(view: View) -> Payload:
    """Amounts by year, and the lines of the two latest years."""
    failed = view.failure_draw("financial")
    covered = [] if failed else years(view.profile, view.day)
    books = {year: _statements(view.profile, year) for year in covered}
    latest = covered[:_DETAILED]
    answer: Payload = {"has_data": bool(covered), "years": covered}
    for name, code in INDICATORS.items():
        shown = latest if name in _LATEST_ONLY else covered
        answer[name] = {str(year): books[year][code] for year in shown if code in books[year]}
    answer |= {name: {} for name in _CAPITAL}
    answer["tax_burden_pct"] = {
        str(year): round(book["4124"] / book["2110"] * 100, 2)
        for year, book in books.items()
        if book.get("4124") is not None and book.get("2110")
    }
    rare = view.draw("told")
    okpo = rare.digits(8) if covered and rare.chance(0.02) else ""
    staff = headcount(view.profile, view.day) if covered and rare.chance(0.01) else []
    answer |= {"okpo": okpo, "employee_count": staff[0][1] if staff else 0}
    answer["employees_history"] = [{"year": year, "count": count} for year, count in staff]
    for form, digit in FORMS.items():
        lines = {str(year): {code: v for code, v in books[year].items() if code[0] == digit} for year in latest}
        answer[f"{form}_lines"] = {year: found for year, found in lines.items() if found}
    return answer | {"raw": {}, "error": "source_timeout" if failed and failed.chance(0.5) else ""}


def _statements(profile: Profile, year: int) -> Amounts:
    draw = profile.draw("statements", year)
    traits = profile.draw("reporting")
    cash_flow, capital, detail = traits.chance(0.5), traits.chance(0.5), traits.chance(0.66)
    revenue = int(profile.turnover * (0.7 + 0.6 * draw.unit())) // 1000 * 1000
    assets = int(revenue * (0.3 + draw.unit()))
    sunk = profile.kind == "troubled" and draw.chance(0.7)
    equity = -assets // 3 if sunk else int(assets * 0.4 * draw.unit())
    long_term = 0 if draw.chance(0.7) else assets // 10
    short_term = assets - equity - long_term
    fixed = int(assets * 0.3 * draw.unit())
    gross = int(revenue * (0.05 + 0.3 * draw.unit()))
    operating = gross - int(revenue * 0.12 * draw.unit())
    net = -abs(operating) if sunk else operating * 8 // 10
    current = assets - fixed
    book = {
        "1150": fixed, "1210": current // 3, "1230": current // 3, "1250": current - 2 * (current // 3),
        "1200": current, "1600": assets, "1310": 10_000, "1370": equity - 10_000, "1300": equity, "1400": long_term,
        "1510": short_term // 4, "1520": short_term - short_term // 4, "1500": short_term, "1700": assets,
        "2110": revenue, "2120": revenue - gross, "2100": gross, "2210": gross - operating, "2200": operating,
        "2300": net * 10 // 8, "2410": net // 4, "2400": net,
    }  # fmt: skip
    if draw.chance(0.9):
        book["1100"] = fixed
    if capital:
        book["3600"] = equity
    return book | (_cash(profile, year, revenue, detail=detail) if cash_flow else {})


def _cash(profile: Profile, year: int, revenue: int, *, detail: bool) -> Amounts:
    draw = profile.draw("cash", year)
    inflow = int(revenue * (0.9 + 0.2 * draw.unit()))
    outflow = int(inflow * (0.8 + 0.3 * draw.unit()))
    loans, repaid, dividends = (int(revenue * 0.1 * draw.unit()) for _ in range(3))
    sold, bought = (int(revenue * 0.05 * draw.unit()) for _ in range(2))
    operations, investing, financing = inflow - outflow, sold - bought, loans - repaid - dividends
    cash = {
        "4110": inflow, "4111": inflow * 9 // 10, "4120": outflow, "4121": outflow * 6 // 10, "4122": outflow // 5,
        "4123": outflow // 50, "4100": operations, "4210": sold, "4220": bought, "4200": investing, "4310": loans,
        "4311": loans, "4320": repaid + dividends, "4322": dividends, "4323": repaid, "4300": financing,
        "4400": operations + investing + financing, "4500": int(revenue * 0.05 * draw.unit()),
    }  # fmt: skip
    if detail:
        cash["4124"] = outflow // 12
    return cash
