"""What is recognised of a response of `account`, whose fields the service does not document."""

import json
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from innspect.extract.service.account_reader import MAX_TEXT_CHARACTERS, read_account

NOW = datetime(2026, 11, 20, 12)
ENVELOPE = {"price": 0, "balance": 900.5, "status": "ok", "message": "", "last_updated_at": 1793500000}


def recognise(body: object) -> tuple[int | None, str | None, int | None]:
    """Balance, access status and spend of 30 days of a body: bytes, or what is encoded as JSON."""
    read = read_account(body if isinstance(body, bytes) else json.dumps(body).encode(), NOW)
    return read.balance, read.access_status, read.spend_30_days


@pytest.mark.parametrize(
    ("body", "recognised"),
    [
        ({"balance": 900.5, "status": "active", "spend_30_days": 12.34}, (90050, "active", 1234)),
        ({**ENVELOPE, "access_status": "active", "spent_30d": "1 200,50"}, (90050, "active", 120050)),
        ({**ENVELOPE, "data": {"status": "blocked", "spend30Days": 7}}, (90050, "blocked", 700)),
        ({"data": {"balance": "900,50", "accessState": "Активен", "spentLast30Days": 0}}, (90050, "Активен", 0)),
        ({"data": {"access": {"status": "on", "until": "2027-01-01"}, "spend": {"30_days": 5, "today": 1}}}, (None, "on", 500)),
        ({"account": {"status": "trial"}, "spend": {"days": 30, "amount": 8}}, (None, "trial", 800)),
        ({"access": True, "last_30_days": 9}, (None, "true", 900)),
        ({"access": False}, (None, "false", None)),
        ({"api_key_status": "expires soon"}, (None, "expires soon", None)),
        ({"spend_30_days": 12.345}, (None, None, 1235)),
    ],
)  # fmt: skip
def test_figures_are_recognised(body, recognised):
    assert recognise(body) == recognised


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        [{"status": "active", "spend_30_days": 5}],
        "active",
        5,
        None,
        b"",
        b"<html><body>status: active</body></html>",
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"spend_30_days": 1e99999999999999999999, "balance": NaN}',
        b'{"status": "act',
        {"status": "ok"},
        {"status": "unavailable"},
        {"state": {"since": "2026-01-01"}},
        {"access_token": "abc", "access_until": "2027-01-01", "status_message": "hello", "status_code": "A1"},
        {"status": 1, "access": None},
        {"status": "x" * 101},
        {"status": "2026"},
        {"items": [{"status": "active", "spend_30_days": 5}]},
        {"spend_30_days": -5},
        {"spend_30_days": 1e300},
        {"spend_30_days": True},
        {"spend_30_days": "much"},
        {"spend_limit": 5, "spent_today": 5, "total_spent": 5, "spend_month": 5, "requests_30_days": 5},
        {"spend_30_days_kopecks": 500},
    ],
)
def test_other_fields_are_not_recognised(body):
    assert recognise(body)[1:] == (None, None)


@pytest.mark.parametrize(
    "body",
    [
        {"spend_30_days": 5, "spent_last_30_days": 6},
        {"contract_status": "active", "payment_status": "overdue"},
    ],
)
def test_different_candidates_are_ambiguous(body):
    assert recognise(body) == (None, None, None)


def test_equal_candidates_are_not_ambiguous():
    assert recognise({"a": {"access_status": "active"}, "b": {"access_status": "active"}})[1] == "active"


def test_a_better_name_wins():
    body = {"status": "paid", "access_status": "blocked", "payment_status": "late", "spend": 9, "spend_30": 4}
    assert recognise(body)[1:] == ("blocked", 400)


def test_text_is_kept_as_received_and_is_bounded():
    body = '{"тариф": "А",  "balance": 1}'.encode()
    assert read_account(body, NOW).text == body.decode()
    assert not read_account(body, NOW).is_truncated
    long = read_account(b'{"balance": 1, "status": "active", "x": "' + b"y" * 10**6 + b'"}', NOW)
    assert (len(long.text), long.is_truncated) == (MAX_TEXT_CHARACTERS, True)
    assert (long.balance, long.access_status) == (100, "active")
    assert read_account(b"a\x00b", NOW).text == "a\ufffdb"


def test_control_characters_of_a_status_are_replaced():
    assert recognise(b'{"status": "a\\u0000\\ud800\\u001b[31m"}')[1] == "a\ufffd\ufffd\ufffd[31m"


names = st.sampled_from(["status", "access", "access_status", "spend", "spend_30_days", "balance", "data", "x", "30"])
values = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.lists(st.integers(), max_size=2)
)
bodies = st.recursive(values, lambda inner: st.dictionaries(names, inner, max_size=4), max_leaves=8)


@given(bodies.map(lambda body: json.dumps(body).encode()) | st.binary(max_size=50))
def test_any_body_is_read_and_nothing_is_invented(body):
    read = read_account(body, NOW)
    read.text.encode()
    assert read.spend_30_days is None or read.spend_30_days >= 0
    if read.access_status is not None:
        read.access_status.encode()
    if b"st" not in body and b"access" not in body:
        assert read.access_status is None
    if b"sp" not in body and b"30" not in body:
        assert read.spend_30_days is None
