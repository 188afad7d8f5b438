"""Options of a sandbox."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Literal

from innspect.sandbox.faults import FaultPlan

DEFAULT_DAY = date(2026, 11, 1)
FIRST_DAY = date(2026, 10, 1)
"""On this day all generated companies are registered: before it, some would report what is still to come."""
DEFAULT_KEY = "sandbox"
BLOCKED_KEY = "blocked"
DEFAULT_BALANCE = 1_000_000_00
DEFAULT_ACCESS_STATUS = "active"

Envelope = Literal["root", "data"]


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class SandboxOptions:
    """All options. `balance`: in kopecks, of each of `keys`. `cache_bytes`: limit of the response cache.

    `person_methods`: company methods that accept INNs of persons too. `access_status`: what `account` reports.
    """

    seed: int = 0
    day: date = DEFAULT_DAY
    envelope: Envelope = "root"
    balance: int = DEFAULT_BALANCE
    keys: tuple[str, ...] = (DEFAULT_KEY,)
    blocked_keys: tuple[str, ...] = (BLOCKED_KEY,)
    faults: FaultPlan = field(default_factory=FaultPlan)
    person_methods: tuple[str, ...] = ()
    access_status: str = DEFAULT_ACCESS_STATUS
    cache_bytes: int = 256 * 2**20
    clock: Callable[[], datetime] = _now
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
