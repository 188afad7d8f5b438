"""Chosen states of blocks: by a fault file's `[[state]]`, by `--state` and by `--unknown-inn`."""

from collections.abc import Iterable

import msgspec

from innspect.sandbox.payloads.states import NAMED_EMPTY, block_states, find_state
from innspect.sandbox.world.inn_samples import is_valid
from innspect.schemas.catalogue import BLOCKS, METHODS
from innspect.schemas.declaration import ANY_LENGTH
from innspect.schemas.errors import SettingsError

ANY = "*"


class StateChoice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A state, as `NAME` or `NAME:WORD`, of a block (`*`: each that has it) for an INN and a method."""

    block: str
    state: str
    inn: str = ANY
    method: str = ANY

    def matches(self, inn: str, method: str) -> bool:
        """Whether the choice concerns the call."""
        return self.inn in (ANY, inn) and self.method in (ANY, method)


def parse_choice(text: str) -> StateChoice:
    """The choice of an option `BLOCK=STATE` or `INN:BLOCK=STATE`; raises SettingsError if it is not one."""
    place, _, state = text.partition("=")
    inn, _, block = place.rpartition(":")
    choice = StateChoice(block, state, inn or ANY)
    check_choice(choice, "--state")
    return choice


def unknown_inn(inn: str) -> StateChoice:
    """The choice with which an INN is in no register; raises SettingsError for an invalid INN."""
    choice = StateChoice(ANY, NAMED_EMPTY, inn)
    check_choice(choice, "--unknown-inn")
    return choice


def check_choice(choice: StateChoice, source: str) -> None:
    """Raise SettingsError if the INN is invalid, or the block, the state or the method is unknown."""
    if choice.inn != ANY and not is_valid(choice.inn, ANY_LENGTH):
        raise SettingsError(f"Give a valid INN in {source} instead of {choice.inn!r}", source=source)
    if choice.method not in (ANY, *METHODS):
        raise SettingsError(f"Give a name of a method in {source} instead of {choice.method!r}", source=source)
    if choice.block not in (ANY, *BLOCKS):
        known = ", ".join((ANY, *BLOCKS))
        raise SettingsError(f"Give one of these blocks in {source} instead of {choice.block!r}: {known}", source=source)
    if not _blocks(choice):
        names = {name for block, states in block_states().items() if choice.block in (ANY, block) for name in states}
        known = ", ".join(sorted(names))
        raise SettingsError(
            f"Give one of these states of {choice.block} in {source} instead of {choice.state!r}: {known}",
            source=source,
        )


def _blocks(choice: StateChoice) -> list[str]:
    """The blocks that the choice concerns."""
    return [block for block in BLOCKS if choice.block in (ANY, block) and find_state(block, choice.state)]


def states_of_call(choices: Iterable[StateChoice], inn: str, method: str) -> tuple[tuple[str, str], ...]:
    """Block and state of each choice that concerns the call; a named block has precedence over `*`, then the last."""
    matching = [choice for choice in choices if choice.matches(inn, method)]
    ordered = sorted(matching, key=lambda choice: choice.block != ANY)
    return tuple({block: choice.state for choice in ordered for block in _blocks(choice)}.items())
