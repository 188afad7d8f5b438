"""What each kind of value becomes, written as the service's documents write it."""

import random
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from innspect.schemas.catalogue import FULL_CHECK
from tests.support.builders import INN, PERSON, Response, full_check_body, transform_responses

CARD = {"inn": INN, "ogrn": "1230000000017"}
Cells = list[Any]


def moment(*parts: int) -> datetime:
    """A moment as frames hold it: in UTC, without saying so."""
    return datetime(*parts)


def cells(method: str, bodies: list[Any], table: str, column: str) -> tuple[Cells, list[tuple[str, str]]]:
    """A column over responses with one row each, and the violations (rule, value) of that column."""
    batch = transform_responses(*[Response(method, body) for body in bodies])
    frame = batch.rows[table].sort("snap", maintain_order=True)
    assert frame["snap"].to_list() == list(range(len(bodies)))
    wrong = batch.violations.filter((pl.col("table_name") == table) & (pl.col("column_name") == column)).sort("snap")
    return frame[column].to_list(), wrong.select("rule", "value").rows()


def cards(name: str, values: list[Any]) -> tuple[Cells, list[tuple[str, str]]]:
    return cells("brief", [{**CARD, name: value} for value in values], "company", name)


def statements(values: list[str]) -> tuple[Cells, list[tuple[str, str]]]:
    """Amounts as JSON text, through a response of revexp."""
    bodies = [
        b'{"inn":"%s","record":{"name":"A","revenue":%s},"status":"idle"}' % (INN.encode(), value.encode())
        for value in values
    ]
    return cells("revexp", bodies, "revexp", "revenue")


def test_dates_of_the_card_have_two_formats() -> None:
    got, wrong = cards("registration_date", ["02.03.2015", "2015-03-02", "", "29.02.2024", "01.01.1900", "31.12.2100"])
    day = date(2015, 3, 2)
    assert got == [day, day, None, date(2024, 2, 29), date(1900, 1, 1), date(2100, 12, 31)]
    assert wrong == []


def test_day_of_termination_may_have_a_time() -> None:
    """The service does not say its format, and the date alone says that the company exists no more."""
    texts = [
        "05.10.2026", "2026-10-05", "2026-10-05 00:00:00", "2026-10-05T00:00:00", "2026-10-05T23:59:59.999",
        "2026-10-05T00:00:00+03:00", "2026-10-04T21:00:00Z", "2026-10-05T20:59:59.000Z",
    ]  # fmt: skip
    got, wrong = cards("liquidation_date", texts)
    assert (got, wrong) == ([date(2026, 10, 5)] * len(texts), [])


def test_a_midnight_that_did_not_exist_is_its_day() -> None:
    """Summer time began at midnight in Moscow on 1 April 1981."""
    assert cards("birth_date", ["1981-04-01T00:00:00"]) == ([date(1981, 4, 1)], [])


NO_DAYS = [
    "01.03.24",
    "2026-13-01",
    "00010101",
    "31.02.2024",
    "29.02.2023",
    "31.12.1899",
    "01.01.2101",
    "2024",
    "1.3.002024",
    "+1.03.2024",
    " 1.03.2024",
    "01.03.2024 ",
    "2024-3-1",
    "20240301",
    "2024/03/01",
    "вчера",
]


def test_invalid_date_is_null_and_a_violation() -> None:
    got, wrong = cards("registration_date", NO_DAYS)
    assert got == [None] * len(NO_DAYS)
    assert wrong == [("date", text) for text in NO_DAYS]


@given(st.text(alphabet="0123456789.-+ :T", min_size=8, max_size=10))
@settings(max_examples=60, deadline=None)
def test_date_is_read_only_in_its_formats(text: str) -> None:
    got, wrong = cards("registration_date", [text])
    expected: list[date | None] = [None]
    for layout, shape in (("%d.%m.%Y", "dd.dd.dddd"), ("%Y-%m-%d", "dddd-dd-dd")):
        if "".join("d" if c in "0123456789" else c for c in text) == shape:
            try:
                expected = [datetime.strptime(text, layout).date()]
            except ValueError:
                continue
    if expected[0] is not None and not 1900 <= expected[0].year <= 2100:
        expected = [None]
    assert got == expected
    assert len(wrong) == (expected == [None])


@given(st.dates(date(1900, 1, 1), date(2100, 12, 31)))
@settings(max_examples=25, deadline=None)
def test_every_date_is_read_in_every_format(day: date) -> None:
    assert cards("birth_date", [day.strftime("%d.%m.%Y"), day.isoformat()])[0] == [day, day]
    compact = {"inn": INN, "record": None, "status": "idle"}
    for method, table, layout in (("tax-debts", "tax_debts", "%Y%m%d"), ("msp", "msp", "%d%m%Y")):
        body = {**compact, "snapshot_date": day.strftime(layout), "records": []}
        del body["record" if method == "tax-debts" else "records"]
        assert transform_responses(Response(method, body)).snapshots["source_date"].to_list() == [day], table


def test_compact_dates_are_read_in_their_order() -> None:
    debts = [
        {"inn": INN, "total": 0, "records": [], "status": "idle", "snapshot_date": d} for d in ("20260102", "02012026")
    ]
    assert cells("tax-debts", debts, "tax_debts", "snapshot_date") == ([date(2026, 1, 2), None], [("date", "02012026")])
    small = [
        {"inn": INN, "record": None, "status": "idle", "snapshot_date": d} for d in ("02012026", "20260102", "00010101")
    ]
    got, wrong = cells("msp", small, "msp", "snapshot_date")
    assert got == [date(2026, 1, 2), None, None]
    assert wrong == [("date", "20260102"), ("date", "00010101")]


def test_period_is_read_as_its_last_day() -> None:
    bodies = [
        {"inn": INN, "record": {"period": text}, "status": "idle"}
        for text in ("2024", "31.12.2024", "30.06.2024", "24", "0024")
    ]
    got, wrong = cells("revexp", bodies, "revexp", "period")
    assert got == [date(2024, 12, 31), date(2024, 12, 31), date(2024, 6, 30), None, None]
    assert wrong == [("date", "24"), ("date", "0024")]


MOMENTS = {
    "2026-10-11T12:13:14": moment(2026, 10, 11, 9, 13, 14),
    "2026-10-11 12:13:14": moment(2026, 10, 11, 9, 13, 14),
    "2026-10-11T12:13:14Z": moment(2026, 10, 11, 12, 13, 14),
    "2026-10-11T12:13:14+03:00": moment(2026, 10, 11, 9, 13, 14),
    "2026-10-11T12:13:14+0530": moment(2026, 10, 11, 6, 43, 14),
    "2026-10-11T12:13:14.150000": moment(2026, 10, 11, 9, 13, 14, 150000),
    "2026-10-11T12:13:14.123456789Z": moment(2026, 10, 11, 12, 13, 14, 123456),
    "2026-10-11": moment(2026, 10, 10, 21),
    "2012-01-01T00:00:00": moment(2011, 12, 31, 20),
    "": None,
    "2026-10-11T25:00:00": None,
    "11.10.2026 12:13:14": None,
    "0001-01-01T00:00:00": None,
}


def test_timestamps_are_converted_to_utc() -> None:
    bodies = [{"cases": [{"case_number": "1", "update_date": text}]} for text in MOMENTS]
    got, wrong = cells("bankruptcy", bodies, "bankruptcy__cases", "update_date")
    assert dict(zip(MOMENTS, got, strict=True)) == MOMENTS
    assert [value for _, value in wrong] == [text for text, when in MOMENTS.items() if text and when is None]


def test_time_zone_of_the_source_is_a_setting() -> None:
    body = {"cases": [{"case_number": "1", "update_date": "2026-07-01T12:00:00"}]}
    for zone, hour in (("UTC", 12), ("Europe/Moscow", 9), ("Asia/Vladivostok", 2), ("Europe/Berlin", 10)):
        got = transform_responses(Response("bankruptcy", body), zone=zone).rows["bankruptcy__cases"]["update_date"][0]
        assert got == moment(2026, 7, 1, hour)


def test_timestamps_and_unix_seconds_date_the_collection() -> None:
    stored = {"_from_local": True, "_local_fetched_at": "2026-11-01 03:15:00", "available": True, "items": []}
    snapshots = transform_responses(
        Response("freezes", stored),
        Response("freezes", {"available": True, "items": [], "last_updated_at": 1793500000}),
        Response("freezes", {"available": True, "items": [], "last_updated_at": 10**17}),
        Response("freezes", {**stored, "_local_fetched_at": "01.11.2026"}),
    )
    asked = snapshots.snapshots["asked_at"].to_list()
    moments = [moment(2026, 11, 1, 0, 15), moment(2026, 11, 1, 2, 26, 40), asked[2], None]
    assert snapshots.snapshots["collected_at"].to_list() == moments
    assert snapshots.violations.select("snap", "column_name", "rule", "value").rows() == [
        (3, "_local_fetched_at", "instant", "01.11.2026")
    ]


def test_mark_in_unix_seconds_is_a_timestamp() -> None:
    body = {"total_cases": 0, "cases": [], "raw": {"enrichment_completed_at": 1793500000}}
    marks = transform_responses(Response("arbitration", body)).snapshots["marks"][0]
    assert marks == '{"raw":{"enrichment_completed_at":"2026-11-01T02:26:40"}}'


AMOUNTS = [
    "123456789012345.67",
    "999999999999999.99",
    "9999999999999999.99",
    "-9999999999999999.99",
    "0.01",
    "0.1",
    "1e3",
    "12.50",
    "1234567.1",
    "8000000000000.01",
    "7999999999999.99",
    "70000000000000.07",
    "-0.01",
]


def test_kopecks_are_exact_at_any_length() -> None:
    got, wrong = statements(AMOUNTS)
    assert got == [Decimal(text).quantize(Decimal("0.01")) for text in AMOUNTS]
    assert wrong == []


@given(st.lists(st.integers(-(10**18) + 1, 10**18 - 1), min_size=1, max_size=40), st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_any_amount_of_sixteen_digits_and_kopecks_is_exact(kopecks: list[int], chance: random.Random) -> None:
    amounts = [Decimal(k // 10 ** chance.randrange(17)) / 100 for k in kopecks]
    got, wrong = statements([f"{amount:f}" for amount in amounts])
    assert got == amounts
    assert wrong == []


def test_large_amounts_give_no_violation() -> None:
    chance = random.Random(7)
    kopecks = [chance.randrange(10**length, 8 * 10**length) for length in range(10, 15) for _ in range(1500)]
    amounts = [Decimal(number) / 100 for number in kopecks]
    records = ", ".join(f'{{"debt_type": "{number}", "sum": {amount:f}}}' for number, amount in enumerate(amounts))
    batch = transform_responses(Response("tax-debts", f'{{"records": [{records}], "status": "idle"}}'.encode()))
    assert batch.rows["tax_debts__records"]["sum"].to_list() == amounts
    assert batch.violations.rows() == []


def test_fraction_of_a_kopeck_is_detected_at_any_size() -> None:
    texts = [f"{10**length}.00{digit}" for length in range(12) for digit in (1, 5, 9)]
    assert [text for _, text in statements(texts)[1]] == texts
    records = ", ".join(f'{{"debt_type": "{text}", "sum": {text}}}' for text in texts)
    batch = transform_responses(Response("tax-debts", f'{{"records": [{records}], "status": "idle"}}'.encode()))
    assert batch.violations["rule"].to_list() == ["sub_kopeck"] * len(texts)


def test_fraction_of_a_kopeck_is_rounded_and_a_violation() -> None:
    got, wrong = statements(["1.005", "0.001", "123456789012345.678", "2.999"])
    assert wrong == [("sub_kopeck", text) for text in ("1.005", "0.001", "123456789012345.678", "2.999")]
    assert got[1:] == [Decimal("0.00"), Decimal("123456789012345.68"), Decimal("3.00")]


def test_amount_out_of_range_is_null_and_a_violation() -> None:
    got, wrong = statements(["10000000000000000.00", "1e30", "-1e400", "1e999999", "1e9999999"])
    assert got == [None] * 5
    assert [rule for rule, _ in wrong] == ["out_of_range"] * 5


def test_thousands_in_the_full_check_become_roubles() -> None:
    spelled = {
        "1234": "1234000.00",
        "0.5": "500.00",
        "1234567.891": "1234567891.00",
        "9999999999999.999": "9999999999999999.00",
        "12345678901.234": "12345678901234.00",
        "1e13": None,
        "1e999999": None,
        "0.0000051": "0.01",
    }
    for text, roubles in spelled.items():
        body = b'{"revexp_bulk":{"record":{"revenue":%s,"expense":1},"status":"idle"}}' % text.encode()
        batch = transform_responses(Response(FULL_CHECK, body))
        assert batch.rows["revexp"]["revenue"].to_list() == [roubles and Decimal(roubles)], text
        assert batch.rows["revexp"]["expense"].to_list() == [Decimal("1000.00")]
        assert batch.violations.height == (roubles is None or text == "0.0000051")


def test_empty_text_is_null() -> None:
    assert cards("address", ["", "г. Москва", " "]) == ([None, "г. Москва", " "], [])


def test_codes_stay_text() -> None:
    assert cards("okpo", ["00000017"])[0] == ["00000017"]
    assert cards("kpp", ["770701001", 770701001, "77"]) == (["770701001", "770701001", "77"], [("pattern", "77")])


PROCEEDING = {"total_proceedings": 1, "proceedings": [{"exe_production": "1"}]}
ENDED_PROCEEDING = {
    "total_proceedings": 1,
    "active_proceedings": 0,
    "completed_proceedings": 1,
    "proceedings": [{"exe_production": "1", "end_reason": "ст. 47 ч. 1 п. 1"}],
}
UNKNOWN_ZEROS = [
    ("fssp", {**ENDED_PROCEEDING, "total_debt_rub": 0}, "fssp", "total_debt_rub"),
    ("fssp", {**PROCEEDING, "active_proceedings": 1, "active_debt_rub": 0}, "fssp", "active_debt_rub"),
    ("fssp", {**PROCEEDING, "active_debt_rub": 0}, "fssp", "active_debt_rub"),
    (
        "arbitration",
        {"total_cases": 1, "cases": [{"case_number": "1", "claim_sum": 0}]},
        "arbitration__cases",
        "claim_sum",
    ),
    (
        "general-courts",
        {"courts_searched": 1, "cases": [{"case_number": "1", "claim_sum": 0}]},
        "general_courts__cases",
        "claim_sum",
    ),
    (
        "general-courts",
        {"courts_searched": 1, "courts_in_region": 0, "cases": [{"case_number": "1"}]},
        "general_courts",
        "courts_in_region",
    ),
    ("fssp", {"total_proceedings": 1, "proceedings": [{"exe_production": "1", "sum": 0}]}, "fssp__proceedings", "sum"),
    ("financial", {"has_data": True, "employee_count": 0}, "financial", "employee_count"),
    ("brief", {**CARD, "avg_salary": 0}, "company", "avg_salary"),
    ("brief", {**CARD, "employee_count": 0}, "company", "employee_count"),
    (
        "brief",
        {**CARD, "employee_count": 0, "employees_history": [{"year": 2024, "count": 3}]},
        "company",
        "employee_count",
    ),
    (
        "brief",
        {**CARD, "employee_count": 0, "employees_history": [{"year": 2023, "count": 0}, {"year": 2024, "count": 3}]},
        "company",
        "employee_count",
    ),
    ("risk-flags", {"status_name": "x", "authorized_capital": 0}, "risk_flags", "authorized_capital"),
    ("risk-flags", {"status_name": "x", "employee_count": 0}, "risk_flags", "employee_count"),
    ("risk-flags", {"founder_shares": [{"name": "x", "share_pct": 0}]}, "risk_flags__founder_shares", "share_pct"),
    ("risk-flags", {"founder_shares": [{"name": "x", "share_rub": 0}]}, "risk_flags__founder_shares", "share_rub"),
    (
        "arbitration",
        {"total_claim_sum": 0, "total_cases": 1, "cases": [{"case_number": "1"}]},
        "arbitration",
        "total_claim_sum",
    ),
    (
        "contracts",
        {"contracts": [{"reg_num": "1770000001726000017", "paid_sum": 0}]},
        "contracts__contracts",
        "paid_sum",
    ),
]
REAL_ZEROS = [
    ("brief", {**CARD, "authorized_capital": 0}, "company", "authorized_capital"),
    ("employees", {"record": {"headcount": 0}, "status": "idle"}, "employees", "headcount"),
    ("msp", {"record": {"headcount": 0}, "status": "loaded"}, "msp", "headcount"),
    ("financial", {"has_data": True, "long_term_liabilities": {"2024": 0}}, "financial__indicators", "amount"),
    (
        "brief",
        {**CARD, "employee_count": 0, "employees_history": [{"year": 2024, "count": 0}]},
        "company",
        "employee_count",
    ),
    (
        "brief",
        {**CARD, "employee_count": 0, "employees_history": [{"year": 2022, "count": 9}, {"year": "2024", "count": 0}]},
        "company",
        "employee_count",
    ),
    ("brief", {**CARD, "founder_shares": [{"name": "x", "share_rub": 0}]}, "company__founder_shares", "share_rub"),
    ("arbitration", {"total_claim_sum": 0, "total_cases": 0, "cases": []}, "arbitration", "total_claim_sum"),
    ("fssp", {**ENDED_PROCEEDING, "total_debt_rub": 500, "active_debt_rub": 0}, "fssp", "active_debt_rub"),
    ("fssp", {"total_proceedings": 0, "total_debt_rub": 0, "proceedings": []}, "fssp", "total_debt_rub"),
    ("contracts", {"contracts": [{"reg_num": "1770000001726000017", "amount": 0}]}, "contracts__contracts", "amount"),
    (
        "tax-debts",
        {"status": "idle", "total": 1, "records": [{"debt_type": "x", "sum": 0}]},
        "tax_debts__records",
        "sum",
    ),
]


def case_name(case: Any) -> str:
    return f"{case[2]}.{case[3]}" if isinstance(case, tuple) else str(case)


@pytest.mark.parametrize("case", UNKNOWN_ZEROS, ids=case_name)
def test_unconfirmed_zero_is_null(case: tuple[str, Any, str, str]) -> None:
    method, body, table, column = case
    assert cells(method, [body], table, column)[0] == [None]


@pytest.mark.parametrize("case", REAL_ZEROS, ids=case_name)
def test_confirmed_zero_is_kept(case: tuple[str, Any, str, str]) -> None:
    method, body, table, column = case
    assert cells(method, [body], table, column)[0] == [0]


def test_capital_of_a_person_is_not_filled() -> None:
    bodies = [{**CARD, "inn": PERSON, "authorized_capital": capital} for capital in (0, 5)]
    batch = transform_responses(*[Response("person-brief", body, PERSON) for body in bodies])
    assert batch.rows["company"].sort("snap")["authorized_capital"].to_list() == [None, 5]


def test_history_with_an_unreadable_year_is_confirmed_by_other_years() -> None:
    history = [{"year": 2024, "count": None}, {"year": 2024, "count": 3}, {"year": None, "count": 0}]
    assert cards("employee_count", [0])[0] == [None]
    body = {**CARD, "employee_count": 0, "employees_history": history}
    assert cells("brief", [body], "company", "employee_count")[0] == [None]


FLAGS = ("mass_director", "mass_founder", "mass_address", "disqualified_persons")
MASS_CHECKS: list[tuple[dict[str, Any], bool]] = [
    # marks of the mass check, whether they say that it did not run
    ({"mass_check_unavailable": True}, True),
    ({"mass_check_unavailable": False}, False),
    ({"mass_source": "ФНС"}, False),
    ({"mass_source": ""}, True),
    ({}, True),
]


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize("full", [True, False], ids=["full-check", "standalone"])
def test_unchecked_flags_are_null(*, value: bool, full: bool) -> None:
    for marks, unchecked in MASS_CHECKS:
        body = {
            **dict.fromkeys(FLAGS, value),
            **marks,
            "linked_companies": [],
            "disqualified_records": [],
        }
        answer = Response(FULL_CHECK, full_check_body({"risk_flags": body})) if full else Response("risk-flags", body)
        row = transform_responses(answer).rows["risk_flags"].select(FLAGS).row(0)
        assert row == ((None,) * 4 if unchecked else (value,) * 4)


def test_unknown_enumeration_value_is_kept_and_a_violation_except_in_a_status() -> None:
    """An undeclared status may be the word of an envelope, so it is no status of the company."""
    batch = transform_responses(Response("brief", {**CARD, "status": "sleeping", "tax_regime": "НПД"}))
    assert batch.rows["company"].select("status", "tax_regime").rows() == [(None, "НПД")]
    assert set(batch.violations.select("column_name", "rule", "value").rows()) == {
        ("status", "one_of", "sleeping"),
        ("tax_regime", "one_of", "НПД"),
    }
    new = batch.drift.filter(pl.col("kind") == "new_value").select("path", "sample").rows()
    assert set(new) == {("status", "sleeping"), ("tax_regime", "НПД")}


def test_marks_are_enumerations_too() -> None:
    body = {"total_cases": 0, "cases": [], "sources_failed": ["main", "moon"], "raw": {"anything": 1}}
    batch = transform_responses(Response("arbitration", body))
    assert batch.violations.select("column_name", "rule", "value").rows() == [("sources_failed", "one_of", "moon")]
    assert ("sources_failed", "new_value", "moon") in batch.drift.select("path", "kind", "sample").rows()


@pytest.mark.parametrize(
    ("reason", "is_known"), [("no_fio", True), ("exception:TimeoutError", True), ("", True), ("moon", False)]
)
def test_reason_of_the_mass_check_is_a_closed_list_or_an_exception(reason: str, *, is_known: bool) -> None:
    body = {"mass_check_unavailable": True, "mass_check_reason": reason, "linked_companies": []}
    violations = transform_responses(Response("risk-flags", body)).violations.select("rule", "value").rows()
    assert violations == ([] if is_known else [("one_of", reason)])


def test_words_of_closed_lists_and_lengths_of_codes() -> None:
    instances = [{"name": name, "events": []} for name in ("Первая инстанция", "Надзор")]
    body = {"total_cases": 1, "cases": [{"case_number": "1", "instances": instances}]}
    assert cells("arbitration", [body], "arbitration", "total_cases") == ([1], [])
    assert transform_responses(Response("arbitration", body)).violations["value"].to_list() == ["Надзор"]
    rows = [{"number": number} for number in ("77260000000001", "772600000001")]
    batch = transform_responses(Response("inspections", {"total": 2, "inspections": rows}))
    assert batch.violations.select("rule", "value").rows() == [("pattern", "772600000001")]


def test_years_come_as_numbers_and_as_text() -> None:
    body = {"has_data": True, "years": [2025, "2024", 2023.0, 1800, "x", True], "revenue": {"2024": 1, "year": 2}}
    batch = transform_responses(Response("financial", body))
    assert batch.rows["financial__years"]["value"].to_list() == [2025, 2024, 2023, 1800, None, None]
    assert batch.rows["financial__indicators"].sort("amount")["year"].to_list() == [2024, None]
    wrong = batch.violations.select("table_name", "rule", "value").rows()
    assert sorted(wrong) == [
        ("financial__indicators", "year", "year"),
        ("financial__years", "bounds", "1800"),
        ("financial__years", "year", "true"),
        ("financial__years", "year", "x"),
    ]
