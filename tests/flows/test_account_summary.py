"""Forecast of the balance and warnings about the account."""

from datetime import date, datetime, timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from innspect.extract.ledger.account import AccountFigures, AccountResponse
from innspect.flows.account_summary import AccountSummary, summarize_account
from innspect.schemas.settings import load_settings

NOW = datetime(2026, 11, 20, 12)
RUB = 100


def summarize(
    balance: int | None = 100_000,
    service: int | None = None,
    ledger: tuple[int, int] = (0, 0),
    *,
    age: int = 0,
    status: str | None = "active",
    **budget: str,
) -> AccountSummary:
    """The summary of a balance and of spends in roubles, with these settings; the balance is `age` days old."""
    at = NOW - timedelta(days=age)
    kopecks = [None if amount is None else amount * RUB for amount in (balance, service)]
    response = AccountResponse(at, "{}", False, kopecks[0], status, kopecks[1])
    figures = AccountFigures(kopecks[0], None if balance is None else at, response, ledger[0] * RUB, ledger[1])
    environ = {f"INNSPECT_BUDGET__{name.upper()}": value for name, value in budget.items()}
    return summarize_account(figures, load_settings(None, environ, {}), NOW)


@pytest.mark.parametrize(
    ("service", "ledger", "source", "daily", "days"),
    [
        (3000, (0, 0), "service", 100, 1000),
        (None, (3000, 30), "ledger", 100, 1000),
        (3000, (3000, 30), "service", 100, 1000),
        (6000, (3000, 30), "service", 200, 500),
        (3000, (6000, 30), "ledger", 200, 500),
        (3000, (1400, 7), "ledger", 200, 500),
        (3000, (60000, 6), "service", 100, 1000),
        (0, (1400, 7), "ledger", 200, 500),
    ],
)
def test_forecast_uses_the_higher_known_rate(service, ledger, source, daily, days):
    forecast = summarize(service=service, ledger=ledger).as_json()["forecast"]
    assert (forecast["source"], forecast["rub_per_day"], forecast["days_left"]) == (source, f"{daily}.00", days)
    assert forecast["until"] == (NOW.date() + timedelta(days=days)).isoformat()


@pytest.mark.parametrize(
    ("balance", "service", "ledger", "words"),
    [
        (None, 3000, (3000, 30), ("has not reported a balance",)),
        (100, None, (0, 0), ("reported no spend", "covers 0 days")),
        (100, 0, (3000, 6), ("a spend of 0", "covers 6 days, and a forecast needs 7")),
        (100, None, (0, 30), ("reported no spend", "no spend in 30 days")),
    ],
)
def test_forecast_without_data_is_not_known(balance, service, ledger, words):
    summary = summarize(balance, service, ledger)
    assert summary.forecast is None
    assert summary.forecast_text == f"not known: {summary.forecast_gap}"
    assert all(word in summary.forecast_gap for word in words)
    assert summary.as_json()["forecast"] is None


def test_days_are_counted_from_the_time_of_the_balance():
    assert summarize(1000, 3000, age=4).as_json()["forecast"]["days_left"] == 6
    assert summarize(1000, 3000, age=40).as_json()["forecast"]["days_left"] == 0


def test_runs_stop_at_the_balance_to_keep():
    summary = summarize(10_000, 3000, keep_balance_rub="9000")
    assert summary.as_json()["forecast"]["days_left"] == 10
    assert "above 9 000.00 RUB (budget.keep_balance_rub)" in summary.forecast_text


@pytest.mark.parametrize(
    ("balance", "rate", "budget", "words"),
    [
        (46_000, 1000, {}, None),
        (44_000, 1000, {}, "on 2026-12-04 (14 days left) it falls below the 30 000.00 RUB of budget.warn_balance_rub"),
        (44_000, 1000, {"warn_days": "13"}, None),
        (29_000, 1000, {}, "below the 30 000.00 RUB of budget.warn_balance_rub, at 1 000.00 RUB a day"),
        (29_000, 1000, {}, "lasts until 2026-12-19"),
        (29_000, 1, {}, "below the 30 000.00 RUB"),
        (29_000, 1000, {"warn_balance_rub": "none"}, None),
        (29_000, 1000, {"warn_balance_rub": "5000"}, None),
        (14_000, 1000, {"warn_balance_rub": "none"}, "lasts until 2026-12-04 (14 days left). Top up now"),
        (14_000, 1000, {}, "Top up now"),
        (100_000, 10_000, {}, "lasts until 2026-11-30 (10 days left). Top up now"),
        (15_000, 1000, {"warn_balance_rub": "none", "keep_balance_rub": "2000"}, "Top up now"),
        (0, 1000, {"warn_balance_rub": "none"}, "(0 days left). Top up now"),
        (-5, 1000, {}, "(0 days left). Top up now"),
        (29_999, None, {}, "below the 30 000.00 RUB of budget.warn_balance_rub; how long it lasts is not known"),
        (30_000, None, {}, None),
        (1, None, {"warn_balance_rub": "none"}, None),
        (30_000, 1000, {"warn_days": "0"}, "(0 days left) it falls below"),
        (31_000, 1000, {"warn_days": "0"}, None),
        (None, 1000, {}, None),
    ],
)
def test_warning_of_the_balance(balance, rate, budget, words):
    warnings = summarize(balance, None if rate is None else rate * 30, **budget).warnings
    if words is None:
        assert warnings == ()
    else:
        (warning,) = warnings
        assert words in warning
        assert "a top-up is at least 30 000.00 RUB" in warning


@pytest.mark.parametrize("status", ["active", "ACTIVE", "Активен", "ok", "true", None])
def test_known_words_for_active_are_no_warning(status):
    summary = summarize(status=status)
    assert summary.warnings == ()
    assert summary.is_active is (None if status is None else True)


@pytest.mark.parametrize("status", ["blocked", "inactive", "not active", "false", "trial"])
def test_other_words_are_a_warning(status):
    summary = summarize(status=status)
    (warning,) = summary.warnings
    assert f'"{status}"' in warning
    assert summary.is_active is False


kopecks = st.integers(-(10**14), 10**14)


@given(kopecks, st.none() | st.integers(0, 10**14), st.integers(0, 10**14), st.integers(0, 30), st.integers(0, 400))
def test_forecast_never_lasts_longer_than_the_known_spend_allows(balance, service, spend, days, age):
    at = NOW - timedelta(days=age)
    figures = AccountFigures(balance, at, AccountResponse(at, "{}", False, balance, "active", service), spend, days)
    summary = summarize_account(figures, load_settings(None, {}, {}), NOW)
    forecast = summary.as_json()["forecast"]
    assert summary.forecast_text
    assert len(summary.warnings) <= 1
    if balance < 3_000_000:
        assert summary.warnings
    if forecast is None:
        assert not service
        assert days < 7 or not spend
    elif forecast["until"] is not None:
        rates = [Fraction(service or 0, 30), Fraction(spend, days) if days >= 7 else 0]
        lasted = (date.fromisoformat(forecast["until"]) - at.date()).days
        assert lasted * max(rates) <= max(0, balance) < (lasted + 1) * max(rates) or balance < 0
