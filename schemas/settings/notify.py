"""`notify.<name>` of the settings: who gets which messages, and when. An address is never in the settings file."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, Self
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field, SecretStr, model_validator

from innspect.schemas.errors import SettingsError
from innspect.schemas.settings.sections import Language, Section, WebAddress, time_zone_or_none

EACH_RUN = "each run"
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WHEN = re.compile(rf"(?:daily|weekly ({'|'.join(WEEKDAYS)})) ([01]\d|2[0-3]):([0-5]\d)")
MAX_ADDRESS_FILE_BYTES = 4096


class MessageKind(StrEnum):
    """What a receiver may ask for in `what`."""

    ALERTS = "alerts"
    DIGEST = "digest"
    RUN_FAILED = "run_failed"
    BUDGET_LOW = "budget_low"


@dataclass(frozen=True, slots=True)
class DueTime:
    """A local time of every day, or of one day of the week (0 is Monday)."""

    at: time
    weekday: int | None = None

    @property
    def cron(self) -> str:
        """The five fields of cron."""
        day = "*" if self.weekday is None else str((self.weekday + 1) % 7)
        return f"{self.at.minute} {self.at.hour} * * {day}"


def parse_when(value: str) -> DueTime | None:
    """The time that `when` names; None for each run. Raises ValueError."""
    if value == EACH_RUN:
        return None
    found = _WHEN.fullmatch(value)
    if found is None:
        raise ValueError('must be "each run", "daily HH:MM" or "weekly DAY HH:MM" with a day of mon, tue, wed, ... sun')
    weekday = None if found[1] is None else WEEKDAYS.index(found[1])
    return DueTime(time(int(found[2]), int(found[3])), weekday)


def latest_due(due: DueTime, zone: str, now: datetime) -> datetime:
    """The latest due time at or before `now`; both are UTC. `due` is a local time of the zone."""
    here = ZoneInfo(zone)
    local_day = now.replace(tzinfo=UTC).astimezone(here).date()
    days = (local_day - timedelta(days=back) for back in range(9))
    wanted = (day for day in days if due.weekday in (None, day.weekday()))
    # A local time that a change of the clocks skips is taken an hour later, as the tz database does.
    instants = (datetime.combine(day, due.at, here).astimezone(UTC).replace(tzinfo=None) for day in wanted)
    return next(instant for instant in instants if instant <= now)


def _check_when(value: str) -> str:
    parse_when(value)
    return value


class Notify(Section):
    """A receiver of messages. Exactly one of `address_env` and `address_file` names where its address is."""

    address_env: Annotated[str, Field(pattern=r"^([A-Za-z_]\w*)?$")] = ""
    address_file: str = ""
    what: Annotated[tuple[MessageKind, ...], Field(min_length=1)]
    severity: Literal["info", "notice", "alert"] = "notice"
    portfolio: str = ""
    tag: str = ""
    when: Annotated[str, AfterValidator(_check_when)] = EACH_RUN
    timezone: Annotated[str, AfterValidator(time_zone_or_none)] = ""
    language: Language | Literal[""] = ""
    attach_report: bool = True
    report_url: WebAddress = ""
    below_days: Annotated[int, Field(ge=1, le=365)] = 14

    @model_validator(mode="after")
    def _check_address(self) -> Self:
        if bool(self.address_env) == bool(self.address_file):
            raise ValueError(
                "name the environment variable with the address in address_env, or its file in address_file; the "
                "settings file never contains the address itself"
            )
        return self

    @property
    def due_time(self) -> DueTime | None:
        """When alerts and digest are due; None: at the end of each run."""
        return parse_when(self.when)

    @property
    def address_source(self) -> str:
        """Where the address is, for messages."""
        return self.address_env or self.address_file

    def read_address(self, name: str, variables: Mapping[str, str]) -> SecretStr:
        """The address of the receiver `name`. Raises SettingsError, which says where it is missing."""
        if self.address_env:
            text, key = variables.get(self.address_env, ""), "address_env"
            problem = f"The environment variable {self.address_env} of notify.{name}.address_env is not set"
        else:
            text, key = _read_short_file(Path(self.address_file).expanduser()), "address_file"
            problem = f"The file {self.address_file} of notify.{name}.address_file holds no readable address"
        if not text.strip():
            raise SettingsError(f"{problem}; write the address there, as docs/notifications.md shows.", key=key)
        return SecretStr(text.strip())


def _read_short_file(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(MAX_ADDRESS_FILE_BYTES)
    except (OSError, UnicodeDecodeError):
        return ""
