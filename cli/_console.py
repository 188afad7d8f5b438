"""Output for people: Rich on a terminal, plain lines elsewhere; with `--json` on standard error."""

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
"""Columns of the output if it is not a terminal."""


def make_console(*, to_stderr: bool = False) -> Console:
    """A console on standard output, or on standard error if standard output is for JSON."""
    stream = sys.stderr if to_stderr else sys.stdout
    if stream.isatty():
        return Console(file=stream, highlight=False, markup=False)
    return Console(file=stream, highlight=False, markup=False, color_system=None, width=PLAIN_WIDTH)


def show_status(what: str) -> AbstractContextManager[Any]:
    """Show a status line on a terminal until the context ends."""
    return make_console(to_stderr=True).status(f"{what} ...")


def command_name() -> str:
    """The command as this user can type it: `innspect` if the shell finds it, else the path that was used."""
    used = Path(sys.argv[0])
    if shutil.which("innspect") or used.name != "innspect":
        return "innspect"
    return os.path.relpath(used)


def make_table(
    names: Sequence[str], rows: Iterable[Sequence[Any]], title: str | None = None, *, null: str = ""
) -> Table:
    """A table with numbers aligned right; `null` is shown for a missing value."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    cells = [list(row) for row in rows]
    for column, name in enumerate(names):
        is_numeric = bool(cells) and all(isinstance(row[column], int | float | None) for row in cells)
        table.add_column(name, justify="right" if is_numeric else "left", overflow="fold")
    for row in cells:
        table.add_row(*(null if cell is None else str(cell) for cell in row))
    return table
