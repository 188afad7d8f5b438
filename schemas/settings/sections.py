"""Sections of the settings: keys, defaults and ranges. `configs/innspect.toml` explains each key."""

import re
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, NonNegativeInt, SecretStr

from innspect.schemas.catalogue import CONFIRMABLE_METHODS, METHODS, MIN_TOP_UP_RUB
from innspect.schemas.decoders import DECLARED_STATUSES, MAX_STATUS_CHARS, OK_STATUSES, UNAVAILABLE_STATUS
from innspect.schemas.errors import SettingsError

NO_LIMIT = "none"

Roubles = Annotated[Decimal, Field(ge=0, le=10**12, decimal_places=2)]
"""Roubles, exact to the kopeck."""


def kopecks(roubles: Decimal) -> int:
    """The amount in kopecks; it has no fraction of a kopeck."""
    return int(roubles * 100)


def _parse_limit(value: Any) -> Any:
    return None if value == NO_LIMIT else value


Limit = Annotated[Roubles | None, BeforeValidator(_parse_limit)]
"""Roubles, or `none` for no limit."""


def _check_web_address(value: str) -> str:
    if value and not re.fullmatch(r"https?://[^\s/]+(/\S*)?", value):
        raise ValueError("must begin with http:// or https:// and name a host")
    return value.rstrip("/")


WebAddress = Annotated[str, AfterValidator(_check_web_address)]


def time_zone(value: str) -> str:
    """The name, if the tz database has it; raises ValueError."""
    try:
        ZoneInfo(value)
    except (KeyError, ValueError, OSError) as fault:
        raise ValueError("must be the name of a time zone, such as Europe/Moscow") from fault
    return value


def time_zone_or_none(value: str) -> str:
    """The name of a time zone, or empty; raises ValueError."""
    return time_zone(value) if value else value


def _check_cron(value: str) -> str:
    if not re.fullmatch(r"[\w*/,?#-]+( +[\w*/,?#-]+){4}", value.strip()):
        raise ValueError("must be five fields of cron: minute, hour, day, month, day of week")
    return value.strip()


def _archive_address(value: str) -> str:
    # A bucket name has no @ and no colon, so that an address with credentials is refused.
    if "://" in value and not re.fullmatch(r"s3://[A-Za-z0-9][A-Za-z0-9._-]{1,62}(/[^?#]*)?", value):
        raise ValueError(
            "must be a folder or s3://BUCKET/PREFIX; set credentials and endpoint in AWS_ACCESS_KEY_ID, "
            "AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL of the environment"
        )
    return value.rstrip("/") if "://" in value else value


def cluster_address(value: str) -> str:
    """Where responses are transformed: empty, `auto`, `dask`, or a scheduler's address; raises ValueError."""
    if value not in {"", "auto", "dask"} and not re.fullmatch(r"(tcp|tls|ucx|ws|wss)://[^\s/]+", value):
        raise ValueError(
            'must be "auto", empty for this process, "dask" for a cluster on this machine, or an address as '
            "tcp://HOST:8786"
        )
    return value


def _check_prices(value: dict[str, Decimal]) -> dict[str, Decimal]:
    # Names of environment variables cannot contain a hyphen.
    spelled = {name.replace("_", "-"): price for name, price in value.items()}
    paid = [method.name for method in METHODS.values() if method.digits]
    unknown = sorted(spelled.keys() - set(paid))
    if unknown:
        raise ValueError(f"unknown method {', '.join(unknown)}; the paid methods are {', '.join(paid)}")
    return spelled


def _check_person_methods(value: tuple[str, ...]) -> tuple[str, ...]:
    unknown = sorted({*value} - {*CONFIRMABLE_METHODS})
    if unknown:
        known = ", ".join(CONFIRMABLE_METHODS)
        raise ValueError(f"unknown method {', '.join(unknown)}; the methods that persons may be given are {known}")
    return tuple(name for name in CONFIRMABLE_METHODS if name in value)


def _check_ok_statuses(value: tuple[str, ...]) -> tuple[str, ...]:
    words = tuple(dict.fromkeys(word.strip().casefold() for word in value))
    if not words or not all(0 < len(word) <= MAX_STATUS_CHARS for word in words):
        raise ValueError(f"must be words of at most {MAX_STATUS_CHARS} characters, at least one")
    taken = sorted({*words} & {*DECLARED_STATUSES, UNAVAILABLE_STATUS})
    if taken:
        raise ValueError(f"{', '.join(taken)} is no status of a good response: the documents give it another meaning")
    return words


class Section(BaseModel):
    """A section: undeclared keys are refused, and values are immutable."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Service(Section):
    """Connection to the service."""

    base_url: WebAddress = ""
    api_key_file: str = ""
    timeout_seconds: Annotated[float, Field(gt=0, le=3600)] = 120.0
    concurrency: Annotated[int, Field(ge=1, le=256)] = 32
    requests_per_second: Annotated[float, Field(gt=0, le=10_000)] = 50.0
    retries: Annotated[int, Field(ge=0, le=20)] = 3
    free_statuses: tuple[Annotated[int, Field(ge=400, le=599)], ...] = ()
    active_statuses: tuple[str, ...] = ()
    ok_statuses: Annotated[tuple[str, ...], AfterValidator(_check_ok_statuses)] = OK_STATUSES
    person_methods: Annotated[tuple[str, ...], AfterValidator(_check_person_methods)] = ()
    max_body_mb: Annotated[int, Field(ge=1, le=1024)] = 64
    batch: Annotated[int, Field(ge=1, le=10_000)] = 200
    max_clock_skew_seconds: Annotated[float, Field(ge=0)] = 600.0


class Budget(Section):
    """Spending caps in roubles; the properties are in kopecks, None for no limit."""

    run_rub: Roubles = Decimal("10000.00")
    check_rub: Roubles = Decimal("60.00")
    day_rub: Limit = None
    month_rub: Limit = None
    keep_balance_rub: Limit = None
    account_is_ours: bool = False
    warn_days: Annotated[int, Field(ge=0, le=365)] = 14
    warn_balance_rub: Limit = Decimal(MIN_TOP_UP_RUB)
    prices: Annotated[dict[str, Roubles], AfterValidator(_check_prices)] = Field(default_factory=dict[str, Decimal])

    @property
    def run_kopecks(self) -> int:
        """Cap of one run."""
        return kopecks(self.run_rub)

    def of_check(self, inns: int) -> Decimal:
        """Roubles that a check of this number of INNs may spend: `check_rub` for each, and never more than a run."""
        return min(self.check_rub * inns, self.run_rub)

    @property
    def day_kopecks(self) -> int | None:
        """Cap of a calendar day."""
        return None if self.day_rub is None else kopecks(self.day_rub)

    @property
    def month_kopecks(self) -> int | None:
        """Cap of a calendar month."""
        return None if self.month_rub is None else kopecks(self.month_rub)

    @property
    def keep_balance_kopecks(self) -> int | None:
        """Balance below which no call is made."""
        return None if self.keep_balance_rub is None else kopecks(self.keep_balance_rub)

    @property
    def warn_balance_kopecks(self) -> int | None:
        """Balance that must not be reached without a warning."""
        return None if self.warn_balance_rub is None else kopecks(self.warn_balance_rub)

    @property
    def price_kopecks(self) -> dict[str, int]:
        """Price of every paid method: the catalogue's, or the override."""
        catalogue = {method.name: method.price for method in METHODS.values() if method.digits}
        return catalogue | {name: kopecks(price) for name, price in self.prices.items()}


class Stores(Section):
    """Addresses of the stores; empty: in the home folder.

    `wait_seconds`: how long a command that writes to the warehouse waits while another process reads it.
    """

    ledger: Annotated[str, Field(repr=False)] = ""
    archive: Annotated[str, Field(repr=False), AfterValidator(_archive_address)] = ""
    warehouse: Annotated[str, Field(repr=False)] = ""
    wait_seconds: NonNegativeInt = 300


class Schedule(Section):
    """A run that `serve` starts; `budget_rub` None: `budget.run_rub`, `timezone` empty: `source_timezone`.

    `portfolio` is a file, `portfolio_name` the name of the portfolio (default: the file's), `sheet` one of a workbook.
    """

    cron: Annotated[str, AfterValidator(_check_cron)]
    timezone: Annotated[str, AfterValidator(time_zone_or_none)] = ""
    portfolio: Annotated[str, Field(min_length=1)]
    portfolio_name: str = ""
    sheet: str = ""
    profile: str = ""
    budget_rub: Roubles | None = None


class Alerts(Section):
    """Notifications of changes."""

    minimum_severity: Literal["info", "notice", "alert"] = "alert"
    # Such addresses often contain a secret of the receiver.
    webhook: Annotated[WebAddress, Field(repr=False)] = ""
    secret: SecretStr = SecretStr("")
    secret_file: str = ""

    def signing_key(self) -> SecretStr | None:
        """The key that signs alerts, or None; raises SettingsError for a file without a secret."""
        if self.secret.get_secret_value() or not self.secret_file:
            return self.secret if self.secret.get_secret_value() else None
        try:
            text = Path(self.secret_file).expanduser().read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            text = ""
        if not text:
            raise SettingsError(
                f"The file {self.secret_file} that alerts.secret_file names holds no readable secret; write it there "
                "or set INNSPECT_ALERTS__SECRET.",
                key="alerts.secret_file",
                file=self.secret_file,
            )
        return SecretStr(text)


Language = Literal["ru", "en"]


class Report(Section):
    """The report of a run."""

    language: Language = "ru"
    after_run: bool = True


class Publish(Section):
    """The published copy; `exclude`: tables that it omits (`core.contacts__leaves`, `*` matches any text).

    `parquet_hours`: a run leaves Parquet files in place that are younger. `prepare_inns`: INNs with new responses after
    which a run continues the copy while it requests others, then fewer towards its end; 0: only at its end.
    """

    exclude: tuple[str, ...] = ()
    parquet: Literal["none", "marts", "all"] = "marts"
    parquet_hours: Annotated[float, Field(ge=0, le=8_760)] = 0
    prepare_inns: Annotated[int, Field(ge=0)] = 15_000
    after_run: bool = True
    after_check: bool = True
