"""Run a command in this process: a process of its own takes a second to start."""

import io
import re

import pytest

from innspect.cli import main


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def run_here(capsys, *arguments) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command."""
    with pytest.raises(SystemExit) as left:
        main.main([*map(str, arguments)])
    out, err = capsys.readouterr()
    return left.value.code, out, err


def drop_ages(output: str) -> str:
    """JSON output with ages of 0: they change with the clock between two commands."""
    return re.sub(r'"age[a-z_]*": [0-9.]+', '"age": 0', output)
