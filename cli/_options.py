"""Options that commands share, and the decorator that adds them to a command."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from innspect.cli._logging import mask_in_log, start_log
from innspect.extract.log_events import log_event
from innspect.schemas.errors import UsageError

if TYPE_CHECKING:
    from innspect.schemas.settings import Settings

CALLING = ("profile", "budget", "expand", "depth", "sandbox", "config", "base_url", "home", "json")
"""Options of a command that plans or makes paid calls."""
CHECKING = (*CALLING, "max_age")
"""Options of a command that checks INNs without a file."""
WITHOUT_JSON = ("sandbox", "config", "home")
READING = (*WITHOUT_JSON, "json")
"""Options of a command on the stores of a home."""

LOGGING = ("verbose", "log_file")
"""Options of every command."""

Command = Callable[..., int]
Verbose = Annotated[
    bool, typer.Option("-v", "--verbose", help="Write a log to standard error: one JSON object per line.")
]
LogFile = Annotated[
    Path | None, typer.Option("--log-file", metavar="FILE", help="Append that log to a file; its folder is created.")
]


@dataclass(frozen=True, slots=True)
class CliOptions:
    """The shared options as typed; each field declares its option."""

    profile: Annotated[
        str | None,
        typer.Option("--profile", metavar="NAME", help="Profile: blocks to request and their maximum age."),
    ] = None
    budget: Annotated[
        str | None, typer.Option("--budget", metavar="RUB", help="Maximum cost of this run in roubles.")
    ] = None
    expand: Annotated[
        str | None,
        typer.Option(
            "--expand",
            metavar="WHOM",
            help="Request whom the answers name too: directors, founders, beneficiaries, linked, founded; or none.",
        ),
    ] = None
    depth: Annotated[
        int | None, typer.Option("--depth", metavar="WAVES", min=1, max=3, help="Waves of --expand; default 1.")
    ] = None
    sandbox: Annotated[
        bool, typer.Option("--sandbox", help="Use the home of the sandbox, data/sandbox unless one is named.")
    ] = False
    config: Annotated[
        Path | None, typer.Option("--config", metavar="FILE", help="Settings file; default configs/innspect.toml.")
    ] = None
    base_url: Annotated[str | None, typer.Option("--base-url", metavar="URL", help="Address of the service.")] = None
    home: Annotated[Path | None, typer.Option("--home", metavar="DIR", help="Folder of the stores; default data/.")] = (
        None
    )
    json: Annotated[bool, typer.Option("--json", help="Write one JSON object to standard output.")] = False
    verbose: Verbose = False
    log_file: LogFile = None

    max_age: Annotated[
        float | None,
        typer.Option(
            "--max-age",
            metavar="DAYS",
            min=0,
            max=36_500,
            help="Do not request again what was requested in this time; default that of the profile.",
        ),
    ] = None

    def settings(self) -> "Settings":
        """The settings from the file, the environment and these options. Raises SettingsError."""
        import os  # noqa: PLC0415 (importing pydantic takes long: only commands that need settings do)

        from innspect.schemas.settings import load_settings  # noqa: PLC0415

        overrides: dict[str, Any] = {
            "home": self.home,
            "service.base_url": self.base_url,
            "budget.run_rub": self.budget,
            "default_profile": self.profile,
            "profile.max_age_days": self.max_age,
            "profile.expand": _list_words(self.expand),
            "profile.expand_depth": self.depth,
        }
        settings = load_settings(self.config, os.environ, overrides)
        if settings.api_key is not None:
            mask_in_log(settings.api_key.get_secret_value())
        if self.depth is not None and not settings.profile().expand:
            raise UsageError("--depth is about an expansion; give --expand too, or set `expand` of the profile.")
        if not self.sandbox:
            return settings
        from innspect.flows.sandbox_process import use_sandbox_home  # noqa: PLC0415

        return use_sandbox_home(settings, is_home_given=self.home is not None)


def _list_words(text: str | None) -> list[str] | None:
    """The words of a list such as `directors,founders`; empty for `none`."""
    if text is None:
        return None
    return [word.strip() for word in text.split(",") if word.strip() not in ("", "none")]


def format_of_file(name: str | None, out: Path, formats: Sequence[str]) -> str:
    """The format of the file `out`: `name`, else the one of these formats that its extension names.

    Raises UsageError for an extension that names none of them, or another one than `name`.
    """
    extension = out.suffix.lower().removeprefix(".")
    if name is None and extension not in formats:
        raise UsageError(f"The extension of {out} selects no format; add --format {' or '.join(formats)}.")
    if name is not None and extension in formats and extension != name:
        raise UsageError(f"--format {name} contradicts the extension of {out}; omit it, or name a file *.{name}.")
    return name or extension


CallingSandbox = Annotated[
    bool,
    typer.Option("--sandbox", help="Use the embedded sandbox; its home is data/sandbox unless one is named."),
]


def add_options(*names: str) -> Callable[[Command], Command]:
    """Replace the first parameter of a command, `options`, by the shared options of these names."""
    names = (*names, *LOGGING)

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_options(**arguments: Any) -> int:
            options = CliOptions(**{name: arguments.pop(name) for name in names})
            start_log(is_verbose=options.verbose, file=options.log_file)
            log_event("command.started", command=command.__name__)
            return command(options, **arguments)

        shared = inspect.signature(CliOptions).parameters
        own = list(inspect.signature(command).parameters.values())[1:]
        parameters = [*own, *(shared[name] for name in names)]
        if "base_url" in names:
            parameters = [p.replace(annotation=CallingSandbox) if p.name == "sandbox" else p for p in parameters]
        # Typer reads both to find the options of a command.
        vars(with_options)["__signature__"] = inspect.Signature(parameters)
        with_options.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return with_options

    return decorate
