"""Profiles: blocks to request, their maximum age, and when a block without evidence is requested again."""

import math
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator

from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.settings.relations import Relation
from innspect.schemas.settings.sections import Limit, kopecks

ALL_BLOCKS = "*"
DEFAULT = "default"
DEFAULT_MAX_AGE_DAYS: Mapping[str, float] = {DEFAULT: 30.0}
DEFAULT_RETRY_DAYS: Mapping[str, float] = {DEFAULT: 1.0, "financial": 30.0}


def _days(defaults: Mapping[str, float]) -> BeforeValidator:
    def table(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {**defaults, **value}
        return {DEFAULT: value}

    return BeforeValidator(table)


Days = Annotated[float, Field(ge=0, le=36_500)]
"""Days, fractions allowed."""


class Profile(BaseModel):
    """The blocks to request and when to request them again.

    `max_age_days` and `retry_unconfirmed_days` map `default` and names of blocks to days; a number instead of a table
    applies to every block. `repair`: request unconfirmed and unavailable blocks once more by their standalone methods.
    `expand`: whom of those that the members' answers name to request too, in waves up to `expand_depth`, at most
    `expand_limit` INNs per naming INN, for at most `expand_budget_rub` of what the members leave of the run's budget.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    blocks: Annotated[tuple[str, ...], Field(min_length=1)]
    max_age_days: Annotated[dict[str, Days], _days(DEFAULT_MAX_AGE_DAYS)] = Field(
        default_factory=lambda: dict(DEFAULT_MAX_AGE_DAYS)
    )
    retry_unconfirmed_days: Annotated[dict[str, Days], _days(DEFAULT_RETRY_DAYS)] = Field(
        default_factory=lambda: dict(DEFAULT_RETRY_DAYS)
    )
    repair: bool = True
    expand: tuple[Relation, ...] = ()
    expand_depth: Annotated[int, Field(ge=1, le=3)] = 1
    expand_budget_rub: Limit = None
    expand_limit: Annotated[int, Field(ge=1, le=1000)] = 10

    @field_validator("blocks")
    @classmethod
    def _check_blocks(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        _require_blocks({*names} - {ALL_BLOCKS})
        return names

    @field_validator("max_age_days", "retry_unconfirmed_days")
    @classmethod
    def _check_days(cls, days: dict[str, float]) -> dict[str, float]:
        _require_blocks({*days} - {DEFAULT})
        if not all(math.isfinite(value) for value in days.values()):
            raise ValueError("days must be finite numbers")
        return days

    @field_validator("expand")
    @classmethod
    def _drop_repeated(cls, relations: tuple[Relation, ...]) -> tuple[Relation, ...]:
        return tuple(relation for relation in Relation if relation in relations)

    @property
    def expand_budget_kopecks(self) -> int | None:
        """Cap of an expansion; None for no limit but the run's."""
        return None if self.expand_budget_rub is None else kopecks(self.expand_budget_rub)

    @property
    def block_names(self) -> tuple[str, ...]:
        """The blocks of the profile, in the order of the catalogue."""
        return tuple(name for name in BLOCKS if name in self.blocks or ALL_BLOCKS in self.blocks)

    def max_age(self, block: str) -> timedelta:
        """Maximum age of the block's evidence; with zero no evidence is fresh."""
        return _days_of(self.max_age_days, block)

    def retry_unconfirmed(self, block: str) -> timedelta:
        """How long a block without evidence is not requested again."""
        return _days_of(self.retry_unconfirmed_days, block)


def _days_of(days: Mapping[str, float], block: str) -> timedelta:
    return timedelta(days=days[block] if block in days else days[DEFAULT])


def _require_blocks(names: set[str]) -> None:
    unknown = sorted(names - BLOCKS.keys())
    if unknown:
        raise ValueError(f"unknown block {', '.join(unknown)}; the blocks are {', '.join(BLOCKS)}")


DEFAULT_PROFILES: Mapping[str, Mapping[str, Any]] = {
    "full": {"blocks": [ALL_BLOCKS]},
    "monitor": {
        "blocks": [
            "company",
            "bankruptcy",
            "freezes",
            "fssp",
            "arbitration",
            "risk_flags",
            "sanctions",
            "rnp",
        ],
        "max_age_days": {DEFAULT: 3.0, "bankruptcy": 1.0, "freezes": 1.0},
    },
    "light": {
        "blocks": ["company", "msp", "tax_debts"],
        "max_age_days": {DEFAULT: 30.0, "company": 7.0},
    },
}
"""The profiles without a settings file; a file overrides them key by key and may add others."""
