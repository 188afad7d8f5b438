"""Lines for `configs/innspect.toml` that follow from a probe."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from innspect.extract.service.charging import FREE_REFUSALS, is_success
from innspect.flows.probe import body_shape
from innspect.flows.probe.probe_plan import Purpose
from innspect.flows.probe.probed_response import ProbedResponse
from innspect.schemas.catalogue import METHODS
from innspect.schemas.decoders import envelope_statuses
from innspect.schemas.settings import Settings


@dataclass(frozen=True, slots=True)
class Proposal:
    """Lines of one section of the settings file, and why."""

    section: str
    line: str
    reason: str


def propose_settings(probed: Sequence[ProbedResponse], settings: Settings) -> list[Proposal]:
    """What the probe suggests to set; empty if the present settings agree with the service."""
    return [
        *_propose_ok_statuses(probed, settings),
        *_propose_free_statuses(probed, settings),
        *_propose_person_methods(probed, settings),
        *_propose_prices(probed, settings),
    ]


def as_toml(proposals: Iterable[Proposal]) -> str:
    """The lines by section, with their reasons as comments."""
    lines: list[str] = []
    section = ""
    for proposal in proposals:
        if proposal.section != section:
            section = proposal.section
            lines += ["", f"[{section}]"] if lines else [f"[{section}]"]
        lines += [f"# {proposal.reason}", proposal.line]
    return "\n".join(lines)


def _propose_ok_statuses(probed: Sequence[ProbedResponse], settings: Settings) -> Iterator[Proposal]:
    present = settings.service.ok_statuses
    known = envelope_statuses(present)
    counts: dict[str, int] = {}
    for one in probed:
        word = one.envelope.get("status")
        is_fitting = one.response.call.purpose in (Purpose.METHOD, Purpose.PERSON_METHOD)
        if is_fitting and one.has_content and isinstance(word, str) and word and word.casefold() not in known:
            shown = body_shape.mask_status(word)
            if not shown.startswith("<"):
                counts[shown] = counts.get(shown, 0) + 1
    if counts:
        found = ", ".join(f"{word}: {count}" for word, count in counts.items())
        words = _array([*present, *counts])
        yield Proposal("service", f"ok_statuses = {words}", f"Status around payloads with content; responses: {found}.")


def _propose_free_statuses(probed: Sequence[ProbedResponse], settings: Settings) -> Iterator[Proposal]:
    present = settings.service.free_statuses
    found: dict[int, set[bool]] = {}
    for one in probed:
        status, drop = one.response.http_status, one.response.balance_drop
        if status is not None and not is_success(status) and 400 <= status <= 599 and drop is not None:
            found.setdefault(status, set()).add(drop == 0)
    free = sorted(status for status, is_free in found.items() if is_free == {True} and status not in FREE_REFUSALS)
    if new := [status for status in free if status not in present]:
        listed = ", ".join(map(str, new))
        yield Proposal(
            "service",
            f"free_statuses = {[*present, *new]}",
            f"The balance did not fall with HTTP {listed}. Such calls are retried then: ask the provider to confirm.",
        )


def _propose_person_methods(probed: Sequence[ProbedResponse], settings: Settings) -> Iterator[Proposal]:
    present = settings.service.person_methods
    of_persons = [one for one in probed if one.response.call.purpose is Purpose.PERSON_METHOD]
    with_evidence = [one for one in of_persons if one.response.is_usable and one.has_evidence]
    new = [one.response.call.method for one in with_evidence if one.response.call.method not in present]
    if new:
        content = sum(one.has_content for one in with_evidence)
        yield Proposal(
            "service",
            f"person_methods = {_array([*present, *new])}",
            f"Answered for the INN of a person, {content} of {len(with_evidence)} with content. An empty response may "
            "mean that the method does not look for persons: ask the provider to confirm.",
        )


def _propose_prices(probed: Sequence[ProbedResponse], settings: Settings) -> Iterator[Proposal]:
    prices = settings.budget.price_kopecks
    for one in probed:
        method = METHODS[one.response.call.method]
        is_method = one.response.call.purpose is Purpose.METHOD
        if not is_method or not one.response.is_usable or one.is_free_unavailable:
            continue
        price = one.price if one.price is not None else one.response.balance_drop
        if price is not None and price != prices.get(method.name, method.price):
            catalogue = Decimal(method.price).scaleb(-2)
            roubles = Decimal(price).scaleb(-2)
            yield Proposal("budget.prices", f"{method.name} = {roubles:.2f}", f"The catalogue says {catalogue:.2f}.")


def _array(words: Iterable[str]) -> str:
    return json.dumps(list(dict.fromkeys(words)), ensure_ascii=False)
