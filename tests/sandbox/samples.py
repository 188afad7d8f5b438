"""Looks at a sample of the sandbox's companies, each made when it is first asked for."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from innspect.sandbox.options import DEFAULT_DAY
from innspect.sandbox.payloads.full_check import fetched_at, full_check_payload, standalone_payload
from innspect.sandbox.payloads.makers import block_payload
from innspect.sandbox.world.company_profile import Profile
from innspect.sandbox.world.context import View
from innspect.sandbox.world.inn_samples import sample_inns

DAY = DEFAULT_DAY.toordinal()
COMPANIES = sample_inns(2000, 0)
PEOPLE = sample_inns(400, 1, persons=1.0)


@cache
def profile(inn: str) -> Profile:
    return Profile(0, inn)


def view(inn: str, day: int = DAY, *, is_full_check: bool = False) -> View:
    return View(profile(inn), day, is_full_check=is_full_check)


@cache
def standalone_block(block: str, inn: str, day: int = DAY) -> Any:
    return block_payload(view(inn, day), block)


@cache
def block_of_full_check(block: str, inn: str) -> Any:
    return block_payload(view(inn, is_full_check=True), block)


@cache
def method_payload(method: str, inn: str) -> Any:
    return standalone_payload(view(inn), method)


@cache
def full_check_of(inn: str) -> Any:
    look = view(inn, is_full_check=True)
    return full_check_payload(look, fetched_at(look, "full-check"))


def list_elements(block: str, *path: str, inns: list[str] = COMPANIES) -> Iterator[dict[str, Any]]:
    """The elements of a list in the standalone payloads, one list within another."""
    for inn in inns:
        found = [standalone_block(block, inn)]
        for name in path:
            found = [element for one in found for element in one.get(name, [])]
        yield from found
