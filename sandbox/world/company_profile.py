"""The company of an INN: its kind, its size and the days of its events. One profile per (seed, INN)."""

from bisect import bisect_right
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import accumulate

from innspect.sandbox.world import vocabulary as words
from innspect.sandbox.world.calendar import CLOSE_OF_TURN, CLOSING, OPENING, TURN, count_until, random_days
from innspect.sandbox.world.inn_samples import generate_inn
from innspect.sandbox.world.random_streams import Draw

_SHARES = (
    ("small", 0.60),
    ("ordinary", 0.20),
    ("troubled", 0.06),
    ("dead", 0.06),
    ("heavy", 0.012),
    ("bank", 0.018),
    ("new", 0.05),
)
_SHARES_UP_TO = list(accumulate(share for _, share in _SHARES))
_A_YEAR: dict[str, dict[str, float]] = {
    "small": {"cases": 0.025, "fssp": 0.025, "contracts": 0.05, "courts": 0.04, "pledges": 0.03, "inspections": 0.05},
    "ordinary": {"cases": 0.5, "fssp": 0.5, "contracts": 1.2, "courts": 0.5, "pledges": 0.4, "inspections": 0.3},
    "troubled": {"cases": 1.5, "fssp": 4, "contracts": 0.3, "courts": 1, "pledges": 0.8, "inspections": 0.5},
    "dead": {"cases": 0.5, "fssp": 1, "contracts": 0.1, "courts": 0.3, "pledges": 0.1, "inspections": 0.1},
    "heavy": {"cases": 70, "fssp": 15, "contracts": 500, "courts": 25, "pledges": 65, "inspections": 30},
    "bank": {"cases": 15, "fssp": 1, "contracts": 4, "courts": 15, "pledges": 1, "inspections": 0.3},
    "new": {"cases": 0.02, "fssp": 0, "contracts": 0.02, "courts": 0, "pledges": 0, "inspections": 0},
}

_STAFF = {"heavy": (800, 9000), "bank": (300, 4000), "new": (0, 4), "dead": (0, 3), "ordinary": (2, 240)}
_HOLDINGS = 6021
"""A label with which two pairs of the sample portfolio share a manager, for the links in `make demo`."""
_LATER = {"heavy": 0.12, "bank": 0.3}
"""Share of the events after `TURN` that these kinds keep, so that not all of them change every day."""


@dataclass(frozen=True)
class Profile:
    """A generated company (10 digits) or sole proprietor (12)."""

    seed: int
    inn: str

    def draw(self, *labels: str | int) -> Draw:
        """The stream of this INN and the labels."""
        return Draw(self.seed, self.inn, *labels)

    @property
    def is_person(self) -> bool:
        """Whether it is a person."""
        return len(self.inn) == 12

    @cached_property
    def kind(self) -> str:
        """One of the kinds of the mixture: small, ordinary, troubled, dead, heavy, bank, new."""
        place = bisect_right(_SHARES_UP_TO, self.draw("kind").unit())
        kind = _SHARES[min(place, len(_SHARES) - 1)][0]
        return "ordinary" if self.is_person and kind in ("heavy", "bank") else kind

    @cached_property
    def full_name(self) -> str:
        """The generated name of the person with this INN, the same wherever the INN is named."""
        return person_name(self.draw("person"))

    @property
    def name(self) -> str:
        """The full name as in a register."""
        if self.is_person:
            return f"ИП {self.full_name.upper()} (ПЕСОЧНИЦА {self.inn})"
        if self.kind == "bank":
            return f'АКЦИОНЕРНОЕ ОБЩЕСТВО "ПЕСОЧНИЦА {self.inn}"'
        return f'ОБЩЕСТВО С ОГРАНИЧЕННОЙ ОТВЕТСТВЕННОСТЬЮ "ПЕСОЧНИЦА {self.inn}"'

    @property
    def short_name(self) -> str:
        """The short name, which contains the word sandbox in Russian."""
        if self.is_person:
            return self.name
        return f'{"АО" if self.kind == "bank" else "ООО"} "ПЕСОЧНИЦА {self.inn}"'

    @cached_property
    def ogrn(self) -> str:
        """The registration number: 13 digits with a check digit, 15 for a person."""
        draw = self.draw("ogrn")
        body = ("3" if self.is_person else "1") + draw.digits(13 if self.is_person else 11)
        return body + str(int(body) % (13 if self.is_person else 11) % 10)

    @cached_property
    def registration_day(self) -> int:
        """Day of registration."""
        draw = self.draw("registered")
        if self.kind == "new":
            return draw.integer(date(2026, 1, 15).toordinal(), date(2026, 9, 30).toordinal())
        return draw.integer(date(2003, 1, 9).toordinal(), date(2023, 12, 20).toordinal())

    @cached_property
    def liquidation(self) -> tuple[int, int, str]:
        """Days on which the winding-up begins and ends, and its kind; after `CLOSING` where it never comes."""
        draw = self.draw("liquidation")
        if self.kind == "dead":
            ended = draw.integer(
                max(self.registration_day + 400, date(2024, 1, 10).toordinal()), date(2026, 8, 1).toordinal()
            )
            return ended - 120, ended, draw.pick(("voluntary", "bankruptcy", "forced", "unknown"))
        if self.insolvency:
            completed = self.insolvency[-1]
            return completed, completed + 10, "bankruptcy"
        if self.kind in ("small", "ordinary") and draw.chance(0.10):
            begun = draw.integer(TURN, CLOSE_OF_TURN)
            return begun, begun + draw.integer(25, 90), draw.pick(("voluntary", "voluntary", "forced"))
        return CLOSING + 1, CLOSING + 2, ""

    @cached_property
    def insolvency(self) -> tuple[int, ...]:
        """Days of the intention, the first stage, the second, and completion; empty without an insolvency."""
        draw = self.draw("insolvency")
        if self.kind == "troubled" and draw.chance(0.75):
            notice = draw.integer(TURN, CLOSE_OF_TURN)
            first = notice + draw.integer(15, 30)
            second = first + draw.integer(100, 180)
            return notice, first, second, second + draw.integer(180, 400)
        return ()

    @cached_property
    def reorganization(self) -> tuple[int, int]:
        """First and last day of a reorganisation; both after `CLOSING` without one."""
        draw = self.draw("reorganized")
        if self.kind in ("ordinary", "small") and draw.chance(0.03):
            begun = draw.integer(TURN, CLOSE_OF_TURN)
            return begun, begun + draw.integer(40, 120)
        return CLOSING + 1, CLOSING + 1

    def status(self, day: int) -> str:
        """The normalised status on a day."""
        begun, ended, _ = self.liquidation
        if day >= ended:
            return "liquidated"
        if self.insolvency and day >= self.insolvency[1]:
            return "bankruptcy"
        if day >= begun:
            return "liquidating"
        first, last = self.reorganization
        return "reorganizing" if first <= day <= last else "active"

    def is_registered(self, day: int) -> bool:
        """Whether the register lists it as existing."""
        return day < self.liquidation[1]

    def event_days(self, what: str, a_year: float | None = None) -> list[int]:
        """Days of the events of a kind, up to the liquidation."""
        rate = _A_YEAR[self.kind][what] if a_year is None else a_year
        draw = self.draw("happens", what)
        if a_year is None and self.kind == "heavy":
            rate *= 0.6 + 1.6 * draw.unit() ** 2
        start = max(OPENING, self.registration_day + 30)
        days = random_days(draw, rate, start, max(start, min(CLOSING, self.liquidation[0])))
        calm = _LATER.get(self.kind, 1.0)
        return [day for day in days if day < TURN or draw.chance(calm)]

    @cached_property
    def change_days(self) -> dict[str, list[int]]:
        """Days of the changes of manager, address, name, contacts and founders."""
        rates = {"director": 0.16, "address": 0.14, "name": 0.02, "contacts": 0.1, "founders": 0.05}
        return {what: self.event_days(what, rate) for what, rate in rates.items()}

    def change_count(self, what: str, day: int) -> int:
        """Number of changes up to a day."""
        return count_until(self.change_days[what], day)

    def director(self, day: int) -> "Profile":
        """The person who manages it; of a sole proprietor, the person itself."""
        if self.is_person:
            return self
        era = self.change_count("director", day)
        own = self.holding is None or era != self.change_count("director", TURN)
        return self.other_person(
            self.draw("director", era) if own else Draw(self.seed, "head of holding", self.holding or 0)
        )

    def other_company(self, draw: Draw) -> "Profile":
        """Another company of the same world."""
        return Profile(self.seed, generate_inn(draw, 10))

    def other_person(self, draw: Draw) -> "Profile":
        """A person of the same world: name and card follow from the INN."""
        return Profile(self.seed, generate_inn(draw, 12))

    @cached_property
    def holding(self) -> int | None:
        """The group whose manager it shares until its own manager changes, or None."""
        draw = Draw(self.seed, "holding", _HOLDINGS, self.inn)
        return draw.integer(0, 99) if draw.chance(0.15) else None

    def address(self, day: int) -> str:
        """The registered address."""
        return self.address_of(self.change_count("address", day))

    def address_of(self, era: int) -> str:
        """The registered address after a number of changes."""
        draw = self.draw("address", era)
        post, city, _ = words.CITIES[self.city]
        return (
            f"{post}, {city}, ул. {draw.pick(words.STREETS)}, д. {draw.integer(1, 150)}, помещ. {draw.integer(1, 40)}"
        )

    @cached_property
    def city(self) -> int:
        """Index of its city."""
        return self.draw("city").integer(0, len(words.CITIES) - 1)

    @cached_property
    def activities(self) -> list[tuple[str, str]]:
        """Activity codes and names, the main one first."""
        draw = self.draw("activities")
        if self.kind == "bank":
            return [draw.pick(words.BANKING)]
        return draw.some(words.ACTIVITIES, draw.integer(3, 18))

    @cached_property
    def staff(self) -> int:
        """Average headcount over the years."""
        low, high = _STAFF.get(self.kind, (1, 90))
        draw = self.draw("staff")
        return low + int((high - low) * draw.unit() ** 3)

    @cached_property
    def turnover(self) -> int:
        """Average revenue over the years, in roubles."""
        draw = self.draw("turnover")
        return int((self.staff + 1) * 1_000_000 * (0.5 + 5 * draw.unit()))

    @property
    def category(self) -> str:
        """Small-business category, or an empty string."""
        if self.kind in ("heavy", "bank", "dead"):
            return ""
        sizes = ((15, "Микропредприятие"), (100, "Малое предприятие"), (250, "Среднее предприятие"))
        return next((name for most, name in sizes if self.staff <= most), "")


def person_name(draw: Draw) -> str:
    """A generated full name, of somebody who is named without an INN; else `Profile.full_name`."""
    return f"{draw.pick(words.SURNAMES)} {draw.pick(words.FIRST_NAMES)} {draw.pick(words.PATRONYMICS)}"
