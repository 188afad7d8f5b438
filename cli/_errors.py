"""Run a command; every error becomes one sentence and an exit code."""

import os
import sys
import traceback
from collections.abc import Callable
from typing import Any, cast

import typer

from innspect.cli._console import is_reader_gone
from innspect.schemas.errors import Exit, InnspectError, UsageError, class_and_first_line, value_problem

# Typer bundles Click and exports only this one of its errors; its base class is raised for every wrong option, and has
# the same methods.
_USAGE_ERROR = cast("type[typer.BadParameter]", typer.BadParameter.__bases__[0])

INTERRUPTED = "Interrupted. Received responses are saved; run the command again to resume."


def run_app(app: Callable[..., Any], argv: list[str], *, is_debug: bool) -> tuple[int, str]:
    """The exit code, and the sentence of the error; empty without one."""
    try:
        code: Any = _call_app(app, argv)
    except InnspectError as error:
        if is_debug:
            traceback.print_exc()
        return int(error.exit_code), error.message
    except (typer.Abort, KeyboardInterrupt):
        code = Exit.INTERRUPTED
    except _USAGE_ERROR as error:
        return int(UsageError.exit_code), _usage_message(error)
    except Exception as error:  # noqa: BLE001 (every error ends in one sentence and an exit code)
        if is_debug:
            traceback.print_exc()
        from innspect.warehouse.interrupts import is_interruption  # noqa: PLC0415 (imports DuckDB)

        if not is_interruption(error):
            summary = class_and_first_line(error)
            return int(Exit.FAULT), f"Internal error ({summary}). Run again with --debug for a traceback."
        code = Exit.INTERRUPTED
    code = code if isinstance(code, int) else int(Exit.OK)
    return int(code), INTERRUPTED if code == Exit.INTERRUPTED else ""


def _usage_message(error: typer.BadParameter) -> str:
    """What is wrong on the command line, and the help of the command that it is about."""
    message = error.format_message().rstrip(".")
    parameter, faults = getattr(error, "param", None), getattr(error.__cause__, "errors", None)
    if parameter is not None and faults is not None:
        # Typer passes the sentence of pydantic, which does not repeat what was typed.
        first = faults(include_url=False)[0]
        message = f"{parameter.opts[-1]} {first['input']} is not valid: it {value_problem(first['msg'])}"
    command = "innspect" if error.ctx is None else error.ctx.command_path
    return f"{message}; see `{command} --help`."


def _call_app(app: Callable[..., Any], argv: list[str]) -> Any:
    """Call the command; OK if the reader of its output has closed the pipe, as `head` does."""
    try:
        code = app(argv, prog_name="innspect", standalone_mode=False)
        sys.stdout.flush()
    except (SystemExit, BrokenPipeError) as error:
        # Typer exits with 1 in place of the error.
        pipe = error if isinstance(error, BrokenPipeError) else error.__context__
        if not isinstance(pipe, BrokenPipeError):
            raise
        if not is_reader_gone(sys.stdout):
            raise pipe from None
        # Discard what Python still buffers.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.OK
    return code
