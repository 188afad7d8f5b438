"""What a person sees: Rich on a terminal, plain lines elsewhere; with `--json` all of it goes to standard error."""

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

PLAIN_WIDTH = 200


def console(*, to_stderr: bool = False) -> Console:
    """A console on standard output, or on standard error when standard output is for JSON."""
    stream = sys.stderr if to_stderr else sys.stdout
    if stream.isatty():
        return Console(file=stream, highlight=False, markup=False)
    return Console(file=stream, highlight=False, markup=False, color_system=None, width=PLAIN_WIDTH)


def waiting(what: str) -> AbstractContextManager[Any]:
    """On a terminal, says while this lasts what is waited for; nothing is left of it, and nothing is said elsewhere."""
    return console(to_stderr=True).status(f"{what} ...")


def command() -> str:
    """The command as this user can type it: by its name where the shell finds it, else by the path that was used."""
    used = Path(sys.argv[0])
    if shutil.which("innspect") or used.name != "innspect":
        return "innspect"
    return os.path.relpath(used)


def table(names: Sequence[str], rows: Iterable[Sequence[Any]], title: str | None = None, *, null: str = "") -> Table:
    """A table; numbers stand to the right. `null` is what a missing value is shown as."""
    drawn = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    listed = [list(row) for row in rows]
    for place, name in enumerate(names):
        numeric = bool(listed) and all(isinstance(row[place], int | float) or row[place] is None for row in listed)
        drawn.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for row in listed:
        drawn.add_row(*(null if cell is None else str(cell) for cell in row))
    return drawn
