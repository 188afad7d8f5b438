"""Plan of a probe: which methods are requested of which INN, at what price, and which exceed the budget."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from innspect.extract.planner.method_selection import price_of
from innspect.schemas.catalogue import CONFIRMABLE_METHODS, FULL_CHECK, METHODS, accepts_inn
from innspect.schemas.declaration import COMPANY_DIGITS, PERSON_DIGITS

COMPANY_CARD, PERSON_CARD = "brief", "person-brief"


class Purpose(StrEnum):
    """What a call of a probe shows."""

    METHOD = "method"
    """The response of a method to an INN that it is for."""
    PERSON_METHOD = "method of a company with the INN of a person"
    OTHER_LENGTH = "INN of the other length"
    """The refusal of an INN that the method is not for."""
    WRONG_DIGITS = "INN with wrong check digits"
    """The refusal of a text that is no INN."""


@dataclass(frozen=True, slots=True)
class ProbeCall:
    """One call of a probe; `price` in kopecks."""

    inn: str
    method: str
    purpose: Purpose
    price: int

    @property
    def inn_kind(self) -> str:
        """Whose INN it is, in words: reports of a probe never contain the INN."""
        if self.purpose is Purpose.WRONG_DIGITS:
            return "no INN"
        return "company" if len(self.inn) == COMPANY_DIGITS else "person"


@dataclass(frozen=True, slots=True)
class ProbePlan:
    """The calls of a probe, in the order in which they are made.

    `stored`: an earlier probe of this home received their responses; they are not requested again. `above_budget`: not
    requested, because the budget does not cover them.
    """

    calls: tuple[ProbeCall, ...]
    stored: tuple[ProbeCall, ...]
    above_budget: tuple[ProbeCall, ...]

    @property
    def all_calls(self) -> tuple[ProbeCall, ...]:
        """Every call that belongs to the probe of these INNs."""
        order = list(Purpose)
        calls = (*self.calls, *self.stored, *self.above_budget)
        return tuple(sorted(calls, key=lambda call: (order.index(call.purpose), list(METHODS).index(call.method))))

    @property
    def cost(self) -> int:
        """The price of the calls, in kopecks."""
        return sum(call.price for call in self.calls)

    @property
    def missing_cost(self) -> int:
        """The price of what exceeds the budget, in kopecks."""
        return sum(call.price for call in self.above_budget)


def plan_probe(
    inns: Sequence[str],
    prices: Mapping[str, int],
    budget: int,
    stored: Collection[tuple[str, str]],
    *,
    person_methods: bool,
) -> ProbePlan:
    """The plan for at most one company's and one person's INN.

    `prices` are kopecks by method that override the catalogue's; `budget` is kopecks; `stored` are INN and method of
    responses that earlier probes received. The full check has priority, since runs use it and it has most blocks; then
    the cheapest calls, so that the budget covers as many methods as possible.
    """
    wanted = [
        ProbeCall(inn, method, purpose, price_of(method, prices))
        for inn, method, purpose in _list_calls(inns, person_methods=person_methods)
    ]
    new = [call for call in wanted if (call.inn, call.method) not in stored]
    chosen, remaining = set[ProbeCall](), budget
    for call in sorted(new, key=lambda call: (call.method != FULL_CHECK, call.price)):
        # A price of 0 comes from the settings; the service may charge more.
        if call.price <= remaining and budget > 0:
            chosen.add(call)
            remaining -= call.price
    return ProbePlan(
        calls=tuple(call for call in new if call in chosen),
        stored=tuple(call for call in wanted if call not in new),
        above_budget=tuple(call for call in new if call not in chosen),
    )


def _list_calls(inns: Sequence[str], *, person_methods: bool) -> Iterator[tuple[str, str, Purpose]]:
    """INN, method and purpose of every call. The refusals are last: a service may block a key after one."""
    by_length = {len(inn): inn for inn in inns}
    company, person = by_length.get(COMPANY_DIGITS), by_length.get(PERSON_DIGITS)
    for method in METHODS.values():
        for inn in (company, person):
            # msp is a method of both; it is requested of each.
            if inn is not None and method.digits and accepts_inn(method, inn):
                yield inn, method.name, Purpose.METHOD
    if person is not None and person_methods:
        for name in CONFIRMABLE_METHODS:
            yield person, name, Purpose.PERSON_METHOD
    # The card is the only block whose empty response is no evidence: a card without identity confirms nothing, whereas
    # an empty list of another method could be read as "nothing found".
    if person is not None:
        yield person, COMPANY_CARD, Purpose.OTHER_LENGTH
    if company is not None:
        yield company, PERSON_CARD, Purpose.OTHER_LENGTH
    of_inn, card = (company, COMPANY_CARD) if company is not None else (person, PERSON_CARD)
    assert of_inn is not None
    yield change_check_digit(of_inn), card, Purpose.WRONG_DIGITS


def change_check_digit(inn: str) -> str:
    """The INN with another last digit, which is no INN."""
    return inn[:-1] + str((int(inn[-1]) + 1) % 10)
