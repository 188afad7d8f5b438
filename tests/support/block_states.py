"""What the pipeline makes of every state of the sandbox: requested over HTTP, transformed, and as tables for the docs."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from pathlib import Path

import httpx

from innspect.sandbox.app import create_app
from innspect.sandbox.faults import FaultPlan
from innspect.sandbox.options import Envelope, SandboxOptions
from innspect.sandbox.payloads.block_state import BlockState, InFullCheck
from innspect.sandbox.payloads.states import SEPARATOR, block_states
from innspect.sandbox.state_choices import StateChoice
from innspect.schemas.catalogue import BLOCKS, FULL_CHECK, METHODS
from tests.support.builders import INN, OWN_METHOD, Response, transform_responses

KEY = {"X-Api-Key": "sandbox"}
PAGE = Path(__file__).parents[2] / "docs" / "sandbox.md"
HEADING = "## States of every block\n"
Outcome = tuple[str, str]
"""Coverage state and reason."""


@dataclass(frozen=True, slots=True)
class Case:
    """A state of a block with one of its documented words, in one method."""

    block: str
    name: str
    word: str
    method: str

    @property
    def choice(self) -> StateChoice:
        """The choice that produces it."""
        return StateChoice(self.block, f"{self.name}{SEPARATOR}{self.word}" if self.word else self.name)


@cache
def cases() -> tuple[Case, ...]:
    """Every state of every block with each of its documented words, in each method that can have it."""
    return tuple(
        Case(block, name, word, method)
        for block, states in block_states().items()
        for name, state in states.items()
        for word in state.words or ("",)
        for method in _methods(block, state)
    )


def _methods(block: str, state: BlockState) -> Iterator[str]:
    place = state.in_full_check
    if block in OWN_METHOD and place not in (InFullCheck.ABSENT, InFullCheck.EMPTY_OBJECT):
        yield OWN_METHOD[block]
    if BLOCKS[block].full_check_key and place is not InFullCheck.UNCHANGED:
        yield FULL_CHECK


async def request(choices: Iterable[StateChoice], method: str, inn: str = INN, envelope: Envelope = "root") -> bytes:
    """The body of a response of a sandbox with these choices."""
    transport = httpx.ASGITransport(
        create_app(SandboxOptions(faults=FaultPlan(state=tuple(choices)), envelope=envelope))
    )
    async with httpx.AsyncClient(transport=transport, base_url="http://sandbox", headers=KEY) as service:
        response = await service.get(METHODS[method].path.format(inn=inn))
    assert response.status_code == 200, response.text
    return response.content


def _rounds() -> Iterator[tuple[str, Sequence[Case]]]:
    """The cases by request: each standalone one alone; one of each block in a full check."""
    yield from ((case.method, [case]) for case in cases() if case.method != FULL_CHECK)
    by_block: dict[str, list[Case]] = {}
    for case in cases():
        if case.method == FULL_CHECK:
            by_block.setdefault(case.block, []).append(case)
    for together in zip_longest(*by_block.values()):
        yield FULL_CHECK, [case for case in together if case]


@cache
def outcomes(envelope: Envelope = "root") -> dict[Case, Outcome]:
    """The coverage state and the reason of each case."""
    rounds = list(_rounds())

    async def bodies() -> list[bytes]:
        return [await request([case.choice for case in made], method, envelope=envelope) for method, made in rounds]

    responses = [Response(method, body) for (method, _), body in zip(rounds, asyncio.run(bodies()), strict=True)]
    columns = ("response", "block", "state", "reason")
    decided = {
        (response, block): (state, reason or "")
        for response, block, state, reason in transform_responses(*responses).snapshots.select(columns).iter_rows()
    }
    return {case: decided[number, case.block] for number, (_, made) in enumerate(rounds) for case in made}


def _write_outcome(outcome: Outcome) -> str:
    state, reason = outcome
    return f"{state} (`{reason}`)" if reason else state


def _write_outcomes(by_block: dict[str, Outcome]) -> str:
    """The most frequent outcome, then the others with their blocks."""
    (usual, _), *others = Counter(by_block.values()).most_common()
    texts = [_write_outcome(usual)]
    for outcome, _ in others:
        texts.append(
            f"{', '.join(name for name, one in by_block.items() if one == outcome)}: {_write_outcome(outcome)}"
        )
    return "; ".join(texts)


def _write_row(name: str, words: Sequence[str], shows: str, found: dict[bool, dict[str, Outcome]]) -> str:
    """A row of a table; `found`: outcomes by block, in the full check and in standalone methods."""
    standalone, full = found.get(False, {}), found.get(True, {})
    if standalone and full and all(standalone[block] == full[block] for block in standalone.keys() & full.keys()):
        cell = _write_outcomes(standalone | full)
    else:
        places = {"standalone": standalone, "full check": full}
        cell = ". ".join(f"{place}: {_write_outcomes(made)}" for place, made in places.items() if made)
    listed = ", ".join(f"`{word}`" for word in words)
    return f"| `{name}` | {shows}{': ' if listed else ''}{listed} | {cell} |"


def _found(block: str, name: str) -> dict[bool, dict[str, Outcome]]:
    """The outcomes of a state's default word."""
    word = (block_states()[block][name].words or ("",))[0]
    found: dict[bool, dict[str, Outcome]] = {}
    for case, outcome in outcomes().items():
        if (case.block, case.name, case.word) == (block, name, word):
            state, reason = outcome
            found[case.method == FULL_CHECK] = {block: (state, reason.replace(word, "WORD") if word else reason)}
    return found


def _write_extent(blocks: Sequence[str]) -> str:
    """Which blocks have a state that not all have."""
    missing = [block for block in BLOCKS if block not in blocks]
    if len(missing) > len(blocks):
        return f"; only {', '.join(blocks)}"
    return f"; not {', '.join(missing)}" if missing else ""


def _tables() -> Iterator[str]:
    names = Counter(name for states in block_states().values() for name in states)
    common = [name for name, count in names.items() if count > len(BLOCKS) // 3]
    head = ("response | coverage state |", "|---|---|---|")
    yield f"| state | {head[0]}\n{head[1]}"
    for name in common:
        merged: dict[bool, dict[str, Outcome]] = {}
        blocks = [block for block, states in block_states().items() if name in states]
        for block in blocks:
            for place, found in _found(block, name).items():
                merged.setdefault(place, {}).update(found)
        first = block_states()[blocks[0]][name]
        is_same = all(block_states()[block][name].shows == first.shows for block in blocks)
        words = dict.fromkeys(word for block in blocks for word in block_states()[block][name].words)
        shows = (first.shows if is_same else "a counter above 0 with an empty list") + _write_extent(blocks)
        yield _write_row(name, [*words], shows, merged)
    yield f"\n| block and state | {head[0]}\n{head[1]}"
    for block, states in block_states().items():
        for name, state in states.items():
            if name not in common:
                yield _write_row(f"{block}={name}", state.words, state.shows, _found(block, name))


def page() -> str:
    """docs/sandbox.md with the present tables below its heading and introduction."""
    text = PAGE.read_text("utf-8")
    before, heading, rest = text.partition(HEADING)
    introduction = rest.partition("\n| state |")[0]
    after = rest.partition("\n## ")[2]
    tables = "\n".join(_tables())
    return f"{before}{heading}{introduction}\n{tables}\n" + (f"\n## {after}" if after else "")
