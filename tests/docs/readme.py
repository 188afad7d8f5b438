"""The queries of the README, and its commands with their output."""

import re
import shlex
from collections.abc import Callable
from functools import partial

from tests.docs.cookbook import Recipe
from tests.support.cli import ROOT, Cli, Result

README = (ROOT / "README.md").read_text("utf-8")
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
"""A date of the check; it differs at every run."""
PROGRAM = ".venv/bin/innspect sql --sandbox"
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
QUERIES = [Recipe(f"README {number}", "", query, "", is_second_day=False) for number, query in enumerate(
    (text for kind, text in BLOCKS if kind == "sql"), 1
)]  # fmt: skip
COMMANDS = [text for kind, text in BLOCKS if not kind and text.startswith(f"$ {PROGRAM}")]


def parse_commands(cli: Cli) -> list[tuple[Callable[[], Result], str]]:
    """The commands of the README, bound to this home, with the output that the page shows."""
    found = []
    for text in COMMANDS:
        typed, _, printed = text.removeprefix("$ ").rpartition('"\n')
        arguments = shlex.split(typed + '"')
        assert arguments[1:3] == ["sql", "--sandbox"], arguments
        found.append((partial(cli, "sql", *arguments[3:]), printed))
    return found
