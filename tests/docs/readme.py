"""What the README shows of SQL: queries in blocks of their own, and commands with what they print."""

import re
import shlex
from collections.abc import Callable
from functools import partial

from tests.docs.cookbook import Recipe
from tests.flows.conftest import ROOT, Done, House

README = (ROOT / "README.md").read_text("utf-8")
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
"""The day of the check, which is another one each time."""
PROGRAM = ".venv/bin/innspect sql --sandbox"
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
QUERIES = [Recipe(f"README {number}", "", query, "", second=False) for number, query in enumerate(
    (text for kind, text in BLOCKS if kind == "sql"), 1
)]  # fmt: skip
SHOWN = [text for kind, text in BLOCKS if not kind and text.startswith(f"$ {PROGRAM}")]


def commands(house: House) -> list[tuple[Callable[[], Done], str]]:
    """The README's commands, each to be run on this home, and what it is said to print."""
    found = []
    for text in SHOWN:
        typed, _, printed = text.removeprefix("$ ").rpartition('"\n')
        words = shlex.split(typed + '"')
        assert words[1:3] == ["sql", "--sandbox"], words
        found.append((partial(house, "sql", *words[3:]), printed))
    return found
