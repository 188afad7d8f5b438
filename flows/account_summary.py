"""What people read about the account: figures, forecast of the balance, warnings. For `run`, `status` and `doctor`."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from math import ceil
from typing import Any

from innspect.extract.ledger.account import SPEND_DAYS, AccountFigures
from innspect.reports.format import format_roubles, roubles_text, utc_text
from innspect.schemas.catalogue import MIN_TOP_UP_RUB
from innspect.schemas.settings import Settings

ACTIVE_STATUSES = frozenset(
    (
        "active", "activated", "allowed", "enabled", "granted", "ok", "on", "open", "true", "valid", "активен",
        "активна", "активно", "активный", "действует", "доступ открыт", "открыт",
    )
)  # fmt: skip
"""Words of an access status that mean that the access works; `service.active_statuses` adds others."""
MIN_LEDGER_DAYS = 7
"""A younger ledger gives no rate: the first load of a portfolio is not a normal week."""
MAX_FORECAST_DAYS = 3650
MAX_SHOWN_CHARACTERS = 300
SERVICE, LEDGER = "service", "ledger"
_TOP_UP = f"a top-up is at least {format_roubles(MIN_TOP_UP_RUB * 100)}, and a transfer takes days"


@dataclass(frozen=True, slots=True)
class Forecast:
    """A balance at a rate: `spend` kopecks in `days` days, by SERVICE or LEDGER. `floor` is where runs stop."""

    balance: int
    balance_at: datetime
    floor: int
    source: str
    spend: int
    days: int

    @property
    def daily(self) -> int:
        """Kopecks per day, rounded up."""
        return ceil(Fraction(self.spend, self.days))

    @property
    def basis(self) -> str:
        """The rate in words."""
        return f"{format_roubles(self.daily)} a day (of {self.days} days, by the {self.source})"

    def find_day(self, level: int) -> date | None:
        """The day on which the balance falls below a level; None if that is more than ten years away."""
        days = max(0, self.balance - level) * self.days // self.spend
        return None if days > MAX_FORECAST_DAYS else (self.balance_at + timedelta(days=days)).date()


@dataclass(frozen=True, slots=True)
class AccountSummary:
    """The account on a day. `forecast` is None if there is no rate or no balance; `forecast_gap` says why.

    `is_active` is None without an access status; a warning that does not apply is empty.
    """

    figures: AccountFigures
    today: date
    is_active: bool | None
    forecast: Forecast | None
    forecast_gap: str
    access_warning: str
    balance_warning: str

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings that apply: sentences that say what to do."""
        return tuple(warning for warning in (self.balance_warning, self.access_warning) if warning)

    def as_json(self) -> dict[str, Any]:
        """The object `account` of `--json`."""
        figures, response, forecast = self.figures, self.figures.response, self.forecast
        until = None if forecast is None else forecast.find_day(forecast.floor)
        return {
            "balance_rub": roubles_text(figures.balance),
            "balance_at": utc_text(figures.balance_at),
            "access_status": None if response is None else response.access_status,
            "is_active": self.is_active,
            "spend_30_days_rub": None if response is None else roubles_text(response.spend_30_days),
            "reported_at": None if response is None else utc_text(response.received_at),
            "response": None if response is None else response.text,
            "response_truncated": None if response is None else response.is_truncated,
            "ledger_spend_rub": roubles_text(figures.spend),
            "ledger_days": figures.spend_days,
            "forecast": None
            if forecast is None
            else {
                "rub_per_day": roubles_text(forecast.daily),
                "source": forecast.source,
                "days": forecast.days,
                "until": None if until is None else until.isoformat(),
                "days_left": None if until is None else max(0, (until - self.today).days),
            },
            "forecast_gap": self.forecast_gap or None,
            "warnings": list(self.warnings),
        }

    @property
    def access_text(self) -> str:
        """The access status, or what there is in its place."""
        response = self.figures.response
        if response is None:
            return "not known: `account` was not requested yet; `innspect doctor` requests it"
        return response.access_status or "not known: the response of `account` has no field that is recognised as it"

    @property
    def spend_text(self) -> str:
        """The spend by the service and by the ledger."""
        figures, response = self.figures, self.figures.response
        by_service = "not known"
        if response is not None and response.spend_30_days is not None:
            at = f"{response.received_at:%Y-%m-%d %H:%M} UTC"
            by_service = f"{format_roubles(response.spend_30_days)} in {SPEND_DAYS} days, as of {at}"
        younger = "" if figures.spend_days == SPEND_DAYS else ", all that the ledger has"
        by_ledger = f"{format_roubles(figures.spend)} in {count_days(figures.spend_days)}{younger}"
        by_ledger = by_ledger if figures.spend_days else "no calls"
        return f"by the service: {by_service}; by the ledger: {by_ledger}"

    @property
    def forecast_text(self) -> str:
        """How long the balance lasts."""
        if self.forecast is None:
            return f"not known: {self.forecast_gap}"
        until = self.forecast.find_day(self.forecast.floor)
        lasts = "more than ten years" if until is None else f"until {until} ({_remaining_days_text(until, self.today)})"
        floor = f" above {format_roubles(self.forecast.floor)} (budget.keep_balance_rub)" if self.forecast.floor else ""
        return f"at {self.forecast.basis} the balance{floor} lasts {lasts}"

    @property
    def unrecognised_text(self) -> str:
        """The response if a figure of it is not recognised, else empty; on one line."""
        response = self.figures.response
        if response is None or None not in (response.access_status, response.spend_30_days, response.balance):
            return ""
        shown = "".join(letter if letter.isprintable() else " " for letter in response.text[:MAX_SHOWN_CHARACTERS])
        return shown + (" ..." if len(response.text) > MAX_SHOWN_CHARACTERS else "")


def summarize_account(figures: AccountFigures, settings: Settings, now: datetime) -> AccountSummary:
    """The summary of the account at a time (UTC)."""
    status = None if figures.response is None else figures.response.access_status
    active = ACTIVE_STATUSES | {word.strip().lower() for word in settings.service.active_statuses}
    is_active = None if status is None else status.lower() in active
    floor = settings.budget.keep_balance_kopecks or 0
    forecast, gap = _make_forecast(figures, floor)
    access_warning = "" if is_active is not False else _access_warning(status)
    balance_warning = _balance_warning(figures.balance, forecast, settings, now.date())
    return AccountSummary(figures, now.date(), is_active, forecast, gap, access_warning, balance_warning)


def _make_forecast(figures: AccountFigures, floor: int) -> tuple[Forecast | None, str]:
    """The forecast at the higher known rate, or why there is none."""
    if figures.balance is None or figures.balance_at is None:
        return None, "the service has not reported a balance"
    reported = None if figures.response is None else figures.response.spend_30_days
    rates: list[tuple[str, int, int]] = []
    gaps: list[str] = []
    if reported is None:
        gaps.append(f"the service reported no spend of {SPEND_DAYS} days")
    elif reported == 0:
        gaps.append(f"the service reported a spend of 0 in {SPEND_DAYS} days")
    else:
        rates.append((SERVICE, reported, SPEND_DAYS))
    if figures.spend_days < MIN_LEDGER_DAYS:
        gaps.append(f"the ledger covers {count_days(figures.spend_days)}, and a forecast needs {MIN_LEDGER_DAYS}")
    elif figures.spend == 0:
        gaps.append(f"the ledger has no spend in {count_days(figures.spend_days)}")
    else:
        rates.append((LEDGER, figures.spend, figures.spend_days))
    if not rates:
        return None, "; ".join(gaps)
    source, spend, days = max(rates, key=lambda rate: Fraction(rate[1], rate[2]))
    return Forecast(figures.balance, figures.balance_at, floor, source, spend, days), ""


def _access_warning(status: str | None) -> str:
    return (
        f'The access status of the account is "{status}", which is not known to mean active; ask the provider, or add '
        "it to service.active_statuses."
    )


def _balance_warning(balance: int | None, forecast: Forecast | None, settings: Settings, today: date) -> str:
    """The strongest sentence that applies, or empty."""
    if balance is None:
        return ""
    budget = settings.budget
    level = budget.warn_balance_kopecks or 0
    limit = today + timedelta(days=budget.warn_days)
    has = f"The balance of the account is {format_roubles(balance)}"
    if forecast is None:
        if balance < level:
            return (
                f"{has}, below the {format_roubles(level)} of budget.warn_balance_rub; how long it lasts is not known. "
                f"Plan a top-up: {_TOP_UP}."
            )
        return ""
    empty = forecast.find_day(forecast.floor)
    if empty is not None and empty <= limit:
        left = _remaining_days_text(empty, today)
        return f"{has}, and at {forecast.basis} it lasts until {empty} ({left}). Top up now: {_TOP_UP}."
    low = forecast.find_day(level)
    if balance >= level and (low is None or low > limit):
        return ""
    lasts = "" if empty is None else f", and lasts until {empty}"
    # `low` is the day of the balance if that is below the level already.
    falls = (
        ", below"
        if balance < level or low is None
        else f"; on {low} ({_remaining_days_text(low, today)}) it falls below"
    )
    return (
        f"{has}{falls} the {format_roubles(level)} of budget.warn_balance_rub, at {forecast.basis}{lasts}. Plan a "
        f"top-up: {_TOP_UP}."
    )


def count_days(days: int) -> str:
    """A number of days in words: `1 day`."""
    return "1 day" if days == 1 else f"{days} days"


def _remaining_days_text(day: date, today: date) -> str:
    return f"{count_days(max(0, (day - today).days))} left"
