"""Answers that are easily read as more than they say: words, years and lists that do not tell what a rule asks."""

from datetime import timedelta

import pytest

from innspect.schemas.news.news_template import Style
from innspect.warehouse.news.news_sql import notation
from tests.marts.bodies import PLAIN, START, all_blocks, full_check_response, load, rows, single_row
from tests.support.builders import INN, Response

PERSON = "770000000017"
OTHER_PERSON = "770700000018"
HIT = {"source": "UK_FCDO", "name": "X", "match_confidence": "high", "raw_id": "1", "inn": INN}
CHECKED = ["OFAC_SDN", "OFAC_CONSOL", "UK_FCDO", "ROSFIN"]


def card(**fields) -> Response:
    return Response("brief", {"inn": INN, **PLAIN["company"], **fields}, INN)


def signal(warehouse, name: str) -> tuple:
    row = single_row(warehouse, "SELECT state, confirmed, evidence FROM mart.risk_signals WHERE signal = ?", name)
    return row["state"], row["confirmed"], row["evidence"]


def state(warehouse, name: str) -> str:
    return signal(warehouse, name)[0]


def news(warehouse) -> list[str]:
    return [text for (text,) in rows(warehouse, "SELECT sentence_en FROM mart.news ORDER BY sentence_en")]


def test_founders_that_stay_are_no_change_when_something_else_changes(warehouse):
    founders = [{"name": "ИВАНОВ ИВАН", "inn": PERSON}]
    load(warehouse, card(founders=founders))
    load(warehouse, card(founders=founders, phone="+7"), start=10)
    assert state(warehouse, "founder_changed") == "unknown"
    load(warehouse, card(founders=[{"name": "ПЕТРОВ ПЁТР", "inn": OTHER_PERSON}], phone="+7"), start=20)
    assert signal(warehouse, "founder_changed") == ("present", True, f"before: {PERSON}")


def test_founders_that_were_not_told_before_are_no_change(warehouse):
    load(warehouse, card(founders=[]))
    load(warehouse, card(founders=[{"name": "ИВАНОВ ИВАН", "inn": PERSON}]), start=10)
    assert state(warehouse, "founder_changed") == "unknown"


def test_the_shares_of_the_registration_are_no_change_of_founders(warehouse):
    day = (START - timedelta(days=30)).date()
    shares = [{"name": "ИВАНОВ ИВАН", "inn": PERSON, "date": f"{day:%d.%m.%Y}"}]
    load(warehouse, card(registration_date=str(day), founder_shares=shares))
    assert state(warehouse, "founder_changed") == "unknown"


@pytest.mark.parametrize("field", ["director", "name", "address"])
def test_another_case_or_spacing_is_no_change(warehouse, field):
    load(warehouse, card(**{field: "Иванов Пётр"}))
    load(warehouse, card(**{field: "ИВАНОВ  ПЕТР "}), start=10)
    assert state(warehouse, f"{field}_changed") == "unknown"
    load(warehouse, card(**{field: "ПЕТРОВ ПЕТР"}), start=20)
    assert state(warehouse, f"{field}_changed") == "present"


@pytest.mark.parametrize(
    ("block", "case", "signals"),
    [
        ("general_courts", {"role": "Ответчик", "case_number": "1"}, ("court_respondent", "writs_issued")),
        (
            "arbitration",
            {"role": "Ответчик", "type": "Банкротство", "case_number": "1"},
            ("bankruptcy_petition", "arbitration_claims", "litigation_growing"),
        ),
        ("arbitration", {"role": "respondent", "type": "банкр.", "case_number": "1"}, ("bankruptcy_petition",)),
    ],
)
def test_a_role_that_is_not_recognised_is_not_known(warehouse, block, case, signals):
    load(warehouse, full_check_response(INN, all_blocks(**{block: {"total_cases": 1, "cases": [case]}})))
    assert {name: state(warehouse, name) for name in signals} == dict.fromkeys(signals, "unknown")


@pytest.mark.parametrize(("years", "state_of_debt"), [((-2, -1), "present"), ((-2,), "absent")])
def test_revenue_of_an_earlier_year_is_no_size(warehouse, years, state_of_debt):
    """Of 10 billion a debt of 90 million is small; it is large where the size is not known."""
    listed = [START.year + year for year in years]
    content = {"years": listed, "revenue": {str(START.year - 2): 10_000_000_000}}
    debt = {"exe_production": "1/20/77", "process_date": "01.02.2026", "sum": 90_000_000, "is_active": True}
    owed = {"proceedings": [debt], "active_proceedings": 1, "active_debt_rub": 90_000_000}
    silent = {"record": None, "status": "loaded"}
    load(warehouse, full_check_response(INN, all_blocks(financial=content, fssp=owed, revexp=silent)))
    assert state(warehouse, "enforcement_large") == state_of_debt


@pytest.mark.parametrize(
    ("checked", "found"),
    [
        (CHECKED, "absent"),
        (["OFAC_SDN", "OFAC_CONSOL", "UK_FCDO", "FEDSFM_TERR", "FEDSFM_OMU"], "absent"),
        (["OFAC_SDN"], "present"),
        (["OFAC_SDN", "OFAC_CONSOL", "UK_FCDO"], "present"),
    ],
)
def test_a_list_that_was_not_checked_removes_no_match(warehouse, checked, found):
    load(warehouse, full_check_response(INN, all_blocks(sanctions={"hits": [HIT], "sources_checked": CHECKED})))
    load(
        warehouse,
        full_check_response(
            INN, all_blocks(sanctions={"sources_checked": checked}), at=START + timedelta(hours=10), name="second"
        ),
        start=10,
    )
    assert state(warehouse, "sanctions_hit") == found
    assert any("no longer" in text for text in news(warehouse)) == (found == "absent")


@pytest.mark.parametrize(
    "at", ["2026-11-01T01:30:00", "2012-07-01T00:30:00", "2014-10-25T00:30:00", "2014-11-01T00:30:00"]
)
def test_a_message_is_of_the_day_in_moscow(warehouse, at):
    # Moscow was UTC+4 from 2011 to 2014.
    message = {"type": "Намерение", "date": at, "number": "1"}
    load(warehouse, Response("risk-flags", {**PLAIN["risk_flags"], "efrsb_messages": []}, INN))
    load(warehouse, Response("risk-flags", {**PLAIN["risk_flags"], "efrsb_messages": [message]}, INN), start=10)
    since = rows(warehouse, "SELECT since::DATE::VARCHAR FROM mart.risk_signals WHERE signal = 'bankruptcy_message'")
    published = rows(warehouse, "SELECT happened_on::VARCHAR FROM mart.events WHERE source = 'efrsb'")
    assert since == published == [(at[:10],)]
    in_news = notation("date::VARCHAR", f"'{Style.DATE}'", "'en'")
    assert rows(warehouse, f"SELECT {in_news} FROM core.risk_flags__efrsb_messages") == [(at[:10],)]


def test_a_message_is_not_confirmed_by_a_full_check_which_has_none(warehouse):
    message = {"type": "Намерение", "date": "2026-11-01T01:30:00", "number": "1"}
    load(warehouse, Response("risk-flags", {**PLAIN["risk_flags"], "efrsb_messages": [message]}, INN))
    assert signal(warehouse, "bankruptcy_message")[:2] == ("present", True)
    ((since,),) = rows(warehouse, "SELECT since::DATE FROM mart.risk_signals WHERE signal = 'bankruptcy_message'")
    assert str(since) == "2026-11-01"
    load(warehouse, full_check_response(INN, all_blocks(), at=START + timedelta(hours=10)), start=10)
    assert signal(warehouse, "bankruptcy_message")[:2] == ("present", False)


@pytest.mark.parametrize("status", ["Исключено", "Исключено по решению суда"])
def test_an_excluded_entry_is_not_in_force_however_it_is_worded(warehouse, status):
    record = {"reg_number": "Р1", "status": status}
    content = {"total": 1, "active": 0, "historic": 1, "records": [record]}
    load(warehouse, full_check_response(INN, all_blocks(rnp=content)))
    assert (state(warehouse, "rnp_active"), state(warehouse, "rnp_past")) == ("absent", "present")


def test_a_flag_that_is_no_longer_told_is_not_withdrawn(warehouse):
    load(warehouse, card(sanctions=True, mass_address=False))
    load(warehouse, card(sanctions=None, mass_address=None), start=10)
    assert news(warehouse) == [
        "The response no longer says whether: “The address is a mass-registration address”",
        "The response no longer says whether: “The counterparty is on a sanctions list”",
    ]
    load(warehouse, card(sanctions=False, mass_address=True), start=20)
    assert news(warehouse)[:2] == [
        "The address is a mass-registration address",
        "The response no longer says whether: “The address is a mass-registration address”",
    ]
    assert "The response says that it is not so: “The counterparty is on a sanctions list”" in news(warehouse)
