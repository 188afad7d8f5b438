"""Output for people: Rich on a terminal, plain lines elsewhere; with `--json` on standard error."""

import json
import os
import select
import shutil
import sys
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TextIO

import typer
from rich.console import Console
from rich.table import Table

from innspect.schemas.errors import UsageError

PLAIN_WIDTH = 1_000_000_000
"""Columns of the output if it is not a terminal: no line is wrapped and no column of a table is shrunk."""


class _Console(Console):
    """A console that lets a closed pipe end the command as `main` does, not with the exit code of an error."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def make_console(*, to_stderr: bool = False) -> Console:
    """A console on standard output, or on standard error if standard output is for JSON."""
    stream = sys.stderr if to_stderr else sys.stdout
    if stream.isatty():
        return _Console(file=stream, highlight=False, markup=False)
    return _Console(file=stream, highlight=False, markup=False, color_system=None, width=PLAIN_WIDTH)


def confirm(question: str, refusal: str) -> bool:
    """Ask on the terminal. Raises UsageError with `refusal` where there is none."""
    if not sys.stdin.isatty():
        raise UsageError(refusal)
    return typer.confirm(question, err=True)


def tell(sentence: str) -> None:
    """Write a sentence to standard error."""
    typer.echo(sentence, err=True)


_json_outputs: list[object] = []


def print_json(value: object) -> None:
    """Write the one JSON object of a command to standard output; an error after it is on standard error only."""
    _json_outputs.append(value)
    typer.echo(json.dumps(value, ensure_ascii=False))


def has_printed_json() -> bool:
    """Whether this command has written its JSON object."""
    return bool(_json_outputs)


def reset_json() -> None:
    """Begin a command: it has written no JSON object yet."""
    _json_outputs.clear()


def is_reader_gone(stream: TextIO) -> bool:
    """Whether the reader of a pipe has closed it."""
    poll = select.poll()
    poll.register(stream.fileno(), select.POLLOUT)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


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
        # Rich measures a tab as one column, and would break the cell there.
        table.add_row(*(null if cell is None else str(cell).expandtabs() for cell in row))
    return table
