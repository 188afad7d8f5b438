"""Whether a home's answers are a service's or made up: the two never share one, or nobody could tell them apart."""

from pathlib import Path
from urllib.parse import urlsplit

from innspect.schemas.errors import UsageError

NAME = "answers.from"
SERVICE, SANDBOX = "service", "sandbox"
LOOPBACK = ("localhost", "127.0.0.1", "::1")


def is_near(url: str) -> bool:
    """Whether an address is this machine's own."""
    return urlsplit(url).hostname in LOOPBACK


def keep_apart(home: Path, origin: str) -> None:
    """Note where the answers of a home come from, SERVICE or SANDBOX. Only for who holds the lock of the home.

    Raises UsageError where those that it has come from the other, OSError where that cannot be read or written.
    """
    path = home / NAME
    known = path.read_text(encoding="ascii", errors="replace").strip() if path.exists() else ""
    if known in (SERVICE, SANDBOX) and known != origin:
        raise UsageError(
            f"The home {home} holds made-up answers of the sandbox; name another for a service with --home."
            if known == SANDBOX
            else f"The home {home} holds answers of a service; name another for the sandbox with --home.",
            home=str(home),
        )
    if known != origin:
        path.touch(mode=0o600)
        path.write_text(f"{origin}\n", encoding="ascii")
