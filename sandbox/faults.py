"""Fault plans: faults by rates, or by a script of (INN, method, nth call)."""

import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from innspect.sandbox.deviations import Deviations
from innspect.sandbox.state_choices import ANY, StateChoice, check_choice, states_of_call
from innspect.sandbox.world.random_streams import Draw
from innspect.schemas.catalogue import BLOCKS, FULL_CHECK, METHODS
from innspect.schemas.errors import SettingsError

ALWAYS_RESPONDING = frozenset(
    name for name, block in BLOCKS.items() if not block.coverage.columns() and "error" not in block.row_parts
)
"""Blocks whose payload cannot show that the source did not respond: no rule of coverage and no `error`."""


class Fault(StrEnum):
    """Faults of a call; the values are those of a fault file."""

    NEVER_SENT = "never_sent"
    """Charged, then the connection is closed without a response."""
    CUT = "cut"
    """Charged; the connection is closed in the middle of the body."""
    SLOW = "slow"
    """Charged; the response is late."""
    TOO_MANY = "too_many_requests"
    """429 with `Retry-After`; free."""
    HTTP_500 = "http_500"
    HTTP_502 = "http_502"
    HTTP_503 = "http_503"
    TRUNCATED = "truncated"
    """Charged; a complete response whose JSON ends in the middle."""
    WRONG_TYPE = "wrong_type"
    """Charged; a value of another JSON type."""
    UNKNOWN_FIELD = "unknown_field"
    """Charged; an undocumented field."""
    OTHER_INN = "other_inn"
    """Charged; a response about another INN."""
    PAYLOAD_UNAVAILABLE = "payload_unavailable"
    """Free; the payload of a method that is free if unavailable says `unavailable`, and the envelope has no status."""
    SOURCES_DOWN = "sources_down"
    """The sources of the entry's `blocks` do not respond."""
    NO_CREDIT = "no_credit"
    """The balance is 0 from this call on."""
    KEY_REVOKED = "key_revoked"
    """The key is blocked from this call on."""


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of a script: the nth matching call gets the fault (0: every one)."""

    fault: Fault
    inn: str = ANY
    method: str = ANY
    nth: int = 1
    blocks: tuple[str, ...] = ()

    def matches(self, inn: str, method: str) -> bool:
        """Whether the entry counts the call."""
        return self.inn in (ANY, inn) and self.method in (ANY, method)


class FaultPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a fault file.

    `rates`: share of calls per fault. `sources_down`: share of INNs for which the source of a block is down.
    `state`: chosen states of blocks. `charged`: the 5xx responses that are charged. `deviations`: how every response
    differs from the documents.
    """

    rates: dict[Fault, float] = msgspec.field(default_factory=dict)
    sources_down: dict[str, float] = msgspec.field(default_factory=dict)
    script: tuple[Entry, ...] = ()
    state: tuple[StateChoice, ...] = ()
    charged: tuple[Fault, ...] = (Fault.HTTP_500,)
    slow_seconds: float = 2.0
    retry_after_seconds: int = 1
    seed: int = 0
    deviations: Deviations = Deviations()


def fault_plan(table: Mapping[str, Any], source: str = "faults") -> FaultPlan:
    """A plan from a parsed TOML table; raises SettingsError that names the wrong key."""
    try:
        plan = msgspec.convert(table, FaultPlan)
    except msgspec.ValidationError as error:
        raise SettingsError(f"Correct the fault file {source}: {error}", file=source) from error
    _check_shares(plan, source)
    _check_names(plan, source)
    for choice in plan.state:
        check_choice(choice, source)
    return plan


def load_plan(path: Path) -> FaultPlan:
    """A plan from a TOML file; raises SettingsError if it is unreadable or invalid."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        message = f"Give a readable TOML file of faults instead of {path}: {error}"
        raise SettingsError(message, file=str(path)) from error
    return fault_plan(table, str(path))


def _check_shares(plan: FaultPlan, source: str) -> None:
    shares = {**plan.rates, **plan.sources_down}
    wrong = [name for name, share in shares.items() if not 0 <= share <= 1]
    if wrong or sum(plan.rates.values()) > 1:
        keys = ", ".join(wrong) or "rates"
        raise SettingsError(f"Keep shares between 0 and 1, and rates at 1 together, in {source}: {keys}", file=source)
    bare = [entry for entry in plan.script if entry.fault is Fault.SOURCES_DOWN and not entry.blocks]
    if bare or Fault.SOURCES_DOWN in plan.rates:
        raise SettingsError(f"Name the blocks whose sources are down in {source}", file=source)


def _check_names(plan: FaultPlan, source: str) -> None:
    methods = {*METHODS, ANY}
    charged = {
        entry.method
        for entry in plan.script
        if entry.fault is Fault.PAYLOAD_UNAVAILABLE
        and entry.method in METHODS
        and not METHODS[entry.method].free_if_unavailable
    }
    if charged:
        words = ", ".join(sorted(charged))
        raise SettingsError(f"Name methods that are free if unavailable in {source} instead of {words}", file=source)
    blocks = set(BLOCKS) - ALWAYS_RESPONDING
    named = {block for entry in plan.script for block in entry.blocks} | set(plan.sources_down)
    wrong = {entry.method for entry in plan.script} - methods | named - blocks | set(plan.deviations.prices) - methods
    if wrong:
        words = ", ".join(sorted(wrong))
        raise SettingsError(f"Use names of methods and blocks in {source} instead of {words}", file=source)


@dataclass(frozen=True, slots=True)
class CallFault:
    """The fault of a call, if any, the blocks whose sources are down, and the chosen states of blocks."""

    fault: Fault | None = None
    down: frozenset[str] = frozenset()
    states: tuple[tuple[str, str], ...] = ()


class Faults:
    """A plan with counters of calls: the same calls get the same faults in any order of INNs."""

    def __init__(self, plan: FaultPlan) -> None:
        self.plan = plan
        self._calls: Counter[tuple[str, str]] = Counter()
        self._matched: Counter[int] = Counter()

    def reset(self) -> None:
        """Reset the counters."""
        self._calls.clear()
        self._matched.clear()

    def next_fault(self, inn: str, method: str) -> CallFault:
        """Count a call and return its fault; the script has precedence over the rates."""
        self._calls[inn, method] += 1
        down = self._down(inn, method)
        chosen: Fault | None = None
        for number, entry in enumerate(self.plan.script):
            if not entry.matches(inn, method):
                continue
            self._matched[number] += 1
            if entry.nth in (0, self._matched[number]):
                if entry.fault is Fault.SOURCES_DOWN:
                    down |= frozenset(entry.blocks)
                else:
                    chosen = chosen or entry.fault
        return CallFault(chosen or self._by_rate(inn, method), down, states_of_call(self.plan.state, inn, method))

    def _by_rate(self, inn: str, method: str) -> Fault | None:
        if not self.plan.rates:
            return None
        left = Draw(self.plan.seed, "fault", inn, method, self._calls[inn, method]).unit()
        for fault, share in self.plan.rates.items():
            left -= share
            if left < 0:
                return fault
        return None

    def _down(self, inn: str, method: str) -> frozenset[str]:
        is_full_check = method == FULL_CHECK
        shares = self.plan.sources_down.items()
        seed = self.plan.seed
        return frozenset(
            name for name, share in shares if Draw(seed, "down", name, inn, int(is_full_check)).chance(share)
        )
