"""Which home this is: a name that stays when its folder is moved, and that no other home has."""

import os
import re
from pathlib import Path
from uuid import uuid4

NAME = "innspect.id"


def identity(home: Path) -> str:
    """The home's name, 32 hexadecimal digits, made and written down where there is none yet.

    Only for who holds the lock of the home. Raises OSError where the file cannot be read or written.
    """
    if known := written(home):
        return known
    name = uuid4().hex
    beside = home / f".{NAME}.torn"
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(f"{name}\n")
        file.flush()
        os.fsync(file.fileno())
    beside.replace(home / NAME)
    return name


def written(home: Path) -> str:
    """The home's name, empty where none is written down. Raises OSError where the file cannot be read."""
    path = home / NAME
    known = path.read_text(encoding="ascii", errors="replace").strip() if path.exists() else ""
    return known if re.fullmatch("[0-9a-f]{32}", known) else ""
