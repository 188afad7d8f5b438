"""The form of a risk policy: thresholds, required blocks, age limits, and one entry per rule.

`configs/risk.toml` explains each key. What a rule looks at is in `innspect.warehouse.risk`, what it weighs is here.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, model_validator

from innspect.schemas.catalogue import BLOCKS, CONFIRMABLE_METHODS, METHODS, available_blocks
from innspect.schemas.declaration import COMPANY_DIGITS, PERSON_DIGITS

DEFAULT_POLICY = "default"
"""The policy of members that no other policy names."""
DEFAULT = "default"
MAX_WEIGHT = 100
TITLES = ("title", "title_ru")
"""Keys of a rule that say nothing about risk: a new title is no new policy."""


def _check_blocks(digits: int) -> AfterValidator:
    confirmable = {METHODS[name].block for name in CONFIRMABLE_METHODS} if digits == PERSON_DIGITS else set[str]()
    known = tuple(block for block in BLOCKS if block in available_blocks(digits) or block in confirmable)

    def check(names: tuple[str, ...]) -> tuple[str, ...]:
        _require_known(set(names), known)
        return tuple(block for block in known if block in names)

    return AfterValidator(check)


def _require_known(names: set[str], known: tuple[str, ...]) -> None:
    unknown = sorted(names - set(known))
    if unknown:
        raise ValueError(f"unknown block {', '.join(unknown)}; the blocks are {', '.join(known)}")


def _check_days(days: dict[str, float]) -> dict[str, float]:
    if DEFAULT not in days:
        raise ValueError(f"the key {DEFAULT} is missing")
    _require_known(set(days) - {DEFAULT}, tuple(BLOCKS))
    return days


def _check_number(value: Any) -> Any:
    """The value, unless it is a text or a flag that would be read as a number."""
    if isinstance(value, bool | str):
        raise ValueError("must be a number")  # noqa: TRY004 (pydantic reports a ValueError)
    return value


Number = BeforeValidator(_check_number)
Points = Annotated[int, Number, Field(ge=1, le=10_000)]
Days = Annotated[float, Number, Field(gt=0, le=36_500, allow_inf_nan=False)]
DaysByBlock = Annotated[dict[str, Days], AfterValidator(_check_days)]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class PolicyTable(BaseModel):
    """A table of the file: undeclared keys are refused, and values are immutable."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Thresholds(PolicyTable):
    """Scores from which a level begins."""

    critical: Points
    high: Points
    medium: Points

    @model_validator(mode="after")
    def _check_order(self) -> "Thresholds":
        if not self.medium < self.high < self.critical:
            raise ValueError("medium must be below high, and high below critical")
        return self


class Required(PolicyTable):
    """Blocks without which a level is unknown, by kind of INN; days after which such a gap is an alert."""

    company: Annotated[tuple[str, ...], _check_blocks(COMPANY_DIGITS)]
    person: Annotated[tuple[str, ...], _check_blocks(PERSON_DIGITS)]
    unknown_alert_days: Days


class RulePolicy(PolicyTable):
    """What one signal weighs; `group` empty: it stands alone. `limits`: the numbers of its condition."""

    title: Name
    title_ru: Name
    weight: Annotated[int, Number, Field(ge=0, le=MAX_WEIGHT)]
    severity: Literal["info", "notice", "alert"]
    group: Annotated[str, Field(max_length=200)] = ""
    stop: StrictBool = False
    substitute: StrictBool = False
    enabled: StrictBool = True
    limits: dict[str, Annotated[int | float, Number]] = Field(default_factory=dict[str, int | float])


@dataclass(frozen=True, slots=True)
class LimitRange:
    """Permitted values of a limit of that name; `is_integer`: without a fraction."""

    least: float
    most: float
    is_integer: bool = False


LIMIT_RANGES: Mapping[str, LimitRange] = {
    "amount_rub": LimitRange(0, 1e12),
    "size_share": LimitRange(0, 100),
    "size_times": LimitRange(0, 1e6),
    "share": LimitRange(0, 1),
    "times": LimitRange(1, 1e6),
    "days": LimitRange(0, 36_500, is_integer=True),
    "young_days": LimitRange(0, 36_500, is_integer=True),
    "due_month": LimitRange(1, 12, is_integer=True),
    "months": LimitRange(1, 1_200, is_integer=True),
    "years": LimitRange(1, 100, is_integer=True),
    "cases": LimitRange(1, 1e6, is_integer=True),
    "companies": LimitRange(1, 1e6, is_integer=True),
    "headcount": LimitRange(0, 1e6, is_integer=True),
}
"""Every name of a limit and its range."""


def check_limit(name: str, value: float) -> str | None:
    """What is wrong with the value of a limit, or None."""
    permitted = LIMIT_RANGES[name]
    if not permitted.least <= value <= permitted.most:
        return f"must be from {permitted.least:g} to {permitted.most:g}"
    return "must be a whole number" if permitted.is_integer and value != int(value) else None


class Policy(PolicyTable):
    """An effective policy: the file's own tables, or these with the overrides of one named policy."""

    name: str = DEFAULT_POLICY
    portfolios: tuple[Name, ...] = ()
    tags: tuple[Name, ...] = ()
    thresholds: Thresholds
    required: Required
    age_days: DaysByBlock
    source_age_days: DaysByBlock
    rules: dict[str, RulePolicy]

    def max_age_days(self, block: str) -> float:
        """Days after which an answer of the block is stale."""
        return self.age_days.get(block, self.age_days[DEFAULT])

    def max_source_age_days(self, block: str) -> float:
        """Days after which the data set that the block reports is stale."""
        return self.source_age_days.get(block, self.source_age_days[DEFAULT])

    def tables(self) -> dict[str, Any]:
        """The tables of the file as the warehouse stores them: every rule has a group, that of its own if no other."""
        tables = self.model_dump(mode="json", exclude={"name", "portfolios", "tags"})
        for signal, rule in tables["rules"].items():
            rule["group"] = rule["group"] or signal
        return _plain_numbers(tables)

    @cached_property
    def text(self) -> str:
        """`tables` as JSON."""
        return _canonical_json(self.tables())

    @property
    def flat_keys(self) -> dict[str, Any]:
        """Every key of `tables` as in the file, such as `rules.young.limits.days`, with its value."""
        return dict(_walk_keys(self.tables()))

    @cached_property
    def version(self) -> str:
        """Hash of everything that judges: a new title, or a day limit that repeats the default, is no new version."""
        tables = self.tables()
        for rule in tables["rules"].values():
            for title in TITLES:
                del rule[title]
        for days in ("age_days", "source_age_days"):
            by_block: dict[str, float] = tables[days]
            default = by_block[DEFAULT]
            tables[days] = {block: limit for block, limit in by_block.items() if block == DEFAULT or limit != default}
        return sha256(_canonical_json(tables).encode()).hexdigest()[:12]

    @model_validator(mode="after")
    def _check_groups(self) -> "Policy":
        sizes = Counter(rule.group or signal for signal, rule in self.rules.items())
        for signal, rule in self.rules.items():
            if rule.group not in ("", signal) and sizes[rule.group] == 1:
                raise ValueError(f"rules.{signal}.group is {rule.group}, and no other rule has this group")
            if rule.substitute and sizes[rule.group or signal] == 1:
                raise ValueError(f"rules.{signal}.substitute needs a group with another rule")
        return self


def _walk_keys(tables: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tables.items():
        if isinstance(value, Mapping):
            yield from _walk_keys(cast("Mapping[str, Any]", value), f"{above}{name}.")
        else:
            yield f"{above}{name}", value


def _canonical_json(tables: Mapping[str, Any]) -> str:
    return json.dumps(tables, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _plain_numbers(value: Any) -> Any:
    """The value with whole floats as integers: `35` and `35.0` are the same limit."""
    if isinstance(value, Mapping):
        return {name: _plain_numbers(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain_numbers(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@dataclass(frozen=True)
class Policies:
    """The effective policies of a file; `ordered`: by precedence, `default` last."""

    file: str
    ordered: tuple[Policy, ...]

    @property
    def default(self) -> Policy:
        """The policy of members that no other one names."""
        return self.ordered[-1]

    def get(self, name: str) -> Policy | None:
        """The policy of that name, or None."""
        return next((policy for policy in self.ordered if policy.name == name), None)
