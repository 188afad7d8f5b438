"""The context of a payload: company, day, kind of method, and sources that are down."""

from dataclasses import dataclass
from typing import Any

from innspect.sandbox.world.calendar import stamp
from innspect.sandbox.world.company_profile import Profile
from innspect.sandbox.world.random_streams import Draw

Payload = dict[str, Any]
OUTAGE_DAYS = 30
"""Length of an outage of a source for an INN."""
_OUTAGE_SHARES = {"arbitration": 0.008, "risk_flags": 0.008}
_DEFAULT_OUTAGE_SHARE = 0.003


@dataclass(frozen=True)
class View:
    """A company on a day, as a method returns it.

    `is_full_check`: the method is the full check. `down`: blocks whose source is down by a fault plan; each source is
    also down for a small share of INNs for `OUTAGE_DAYS`, separately for the full check and the standalone method.
    `states`: blocks and the states that were chosen for them, as `NAME` or `NAME:WORD`. `has_outages` False: no source
    is down.
    """

    profile: Profile
    day: int
    is_full_check: bool = False
    down: frozenset[str] = frozenset()
    states: tuple[tuple[str, str], ...] = ()
    has_outages: bool = True

    @property
    def inn(self) -> str:
        """The requested INN."""
        return self.profile.inn

    def draw(self, *labels: str | int) -> Draw:
        """A stream of this INN."""
        return self.profile.draw(*labels)

    def failure_draw(self, block: str) -> Draw | None:
        """A stream that chooses how the block's source fails, or None if it responds."""
        if not self.has_outages:
            return None
        phase = self.draw("phase", block, int(self.is_full_check)).integer(0, OUTAGE_DAYS - 1)
        draw = self.draw("silence", block, int(self.is_full_check), (self.day + phase) // OUTAGE_DAYS)
        if draw.chance(_OUTAGE_SHARES.get(block, _DEFAULT_OUTAGE_SHARE)) or block in self.down:
            return draw
        return None

    def events_until_today(self, days: list[int]) -> list[tuple[int, int]]:
        """Number, counted from the first event, and day of each event up to this day, latest first."""
        return [(number, day) for number, day in reversed(list(enumerate(days))) if day <= self.day]

    def second(self, what: str) -> int:
        """The second of the day for the INN and the label."""
        return self.draw("second", what).integer(0, 79_999)

    def fetched_at(self, day: int, what: str) -> str:
        """The time of collection on a day."""
        return stamp(day, self.second(what))
