"""Provenance of a home's responses: the service or the sandbox. One home never holds both, they look the same."""

from pathlib import Path

from innspect.extract.home.atomic_file import write_atomically
from innspect.schemas.errors import UsageError

FILE_NAME = "answers.from"
SERVICE, SANDBOX = "service", "sandbox"


def read_provenance(home: Path) -> str:
    """The recorded provenance of a home, empty if there is none. Raises OSError."""
    path = home / FILE_NAME
    recorded = path.read_text(encoding="ascii", errors="replace").strip() if path.exists() else ""
    return recorded if recorded in (SERVICE, SANDBOX) else ""


def check_provenance(home: Path, provenance: str) -> None:
    """Record SERVICE or SANDBOX as the provenance of a home. The caller holds the lock of the home.

    Raises UsageError if the home holds responses of the other, OSError if the file cannot be read or written.
    """
    recorded = read_provenance(home)
    if recorded and recorded != provenance:
        raise UsageError(
            f"The home {home} holds synthetic responses of the sandbox; name another for a service with --home."
            if recorded == SANDBOX
            else f"The home {home} holds responses of a service; name another for the sandbox with --home.",
            home=str(home),
        )
    if recorded != provenance:
        write_atomically(home / FILE_NAME, f"{provenance}\n".encode("ascii"))
