"""What every command shares: the flags that name settings and stores, and how a command is found and run."""

import gc
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from innspect.transforms.pause import collector_paused

if TYPE_CHECKING:
    from innspect.schemas.settings import Settings

SANDBOX_HOME = Path("data/sandbox")


@dataclass(frozen=True, slots=True)
class Given:
    """The flags as typed."""

    config: Path | None = None
    home: Path | None = None
    base_url: str | None = None
    budget: str | None = None
    profile: str | None = None
    sandbox: bool = False
    json: bool = False

    def settings(self) -> "Settings":
        """The settings that these flags, the environment and the file make. Raises SettingsError."""
        import os  # noqa: PLC0415 (pydantic is heavy: only commands that need settings pay for it)

        from innspect.schemas.settings import load_settings  # noqa: PLC0415

        overrides: dict[str, Any] = {
            "home": self.home,
            "service.base_url": self.base_url,
            "budget.run_rub": self.budget,
            "default_profile": self.profile,
        }
        settings = load_settings(self.config, os.environ, overrides)
        if not self.sandbox:
            return settings
        # What is made up never gets into stores that other homes share.
        apart: dict[str, Any] = {"stores": type(settings.stores)()}
        if self.home is None and settings.home == Path("data"):
            apart["home"] = SANDBOX_HOME
        return settings.model_copy(update=apart)


def run_command(module: str, name: str, **arguments: Any) -> None:
    """Run a command's function and leave with the exit code that it gives."""
    with collector_paused():
        command = getattr(import_module(module), name)
    # What was imported stays to the end: the collector need not walk through it again and again.
    gc.freeze()
    code = command(**arguments)
    raise typer.Exit(int(code or 0))
