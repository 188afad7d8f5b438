"""A look at a made-up company: on which day, through which kind of method, with which sources silent."""

from dataclasses import dataclass
from typing import Any

from innspect.sandbox.world.calendar import stamp
from innspect.sandbox.world.company_profile import Profile
from innspect.sandbox.world.random_streams import Draw

Payload = dict[str, Any]
OUTAGE_DAYS = 30
"""Days for which a source that is down for an INN stays so."""
_OUTAGE_SHARES = {"arbitration": 0.008, "risk_flags": 0.008}
_DEFAULT_OUTAGE_SHARE = 0.003


@dataclass(frozen=True)
class View:
    """What a payload is made from.

    `whole`: asked through the full check. `down`: blocks whose source is down because a fault plan says so; besides,
    each source is down for a small share of INNs, in spells, apart for the full check and the standalone method.
    """

    profile: Profile
    day: int
    is_full_check: bool = False
    down: frozenset[str] = frozenset()

    @property
    def inn(self) -> str:
        """The INN asked about."""
        return self.profile.inn

    def draw(self, *labels: str | int) -> Draw:
        """A stream of this INN."""
        return self.profile.draw(*labels)

    def failure_draw(self, block: str) -> Draw | None:
        """A stream to choose how the block's source fails, or None where it answers."""
        phase = self.draw("phase", block, int(self.is_full_check)).integer(0, OUTAGE_DAYS - 1)
        draw = self.draw("silence", block, int(self.is_full_check), (self.day + phase) // OUTAGE_DAYS)
        if draw.chance(_OUTAGE_SHARES.get(block, _DEFAULT_OUTAGE_SHARE)) or block in self.down:
            return draw
        return None

    def events_until_today(self, days: list[int]) -> list[tuple[int, int]]:
        """What has happened by this day, the latest first: its number, counted from the first ever, and its day."""
        return [(number, day) for number, day in reversed(list(enumerate(days))) if day <= self.day]

    def second(self, what: str) -> int:
        """A second of the day that belongs to the INN and what is asked."""
        return self.draw("second", what).integer(0, 79_999)

    def fetched_at(self, day: int, what: str) -> str:
        """A stamp of collection on some day."""
        return stamp(day, self.second(what))
