"""The id of a home folder: it stays when the folder is moved, and no other home has it."""

import re
from pathlib import Path
from uuid import uuid4

from innspect.extract.home.atomic_file import write_atomically

FILE_NAME = "innspect.id"


def ensure_home_id(home: Path) -> str:
    """The id of the home, 32 hexadecimal digits; created if there is none. The caller holds the lock of the home.

    Raises OSError if the file cannot be read or written.
    """
    if home_id := read_home_id(home):
        return home_id
    home_id = uuid4().hex
    write_atomically(home / FILE_NAME, f"{home_id}\n".encode("ascii"))
    return home_id


def read_home_id(home: Path) -> str:
    """The id of the home, empty if it has none. Raises OSError if the file cannot be read."""
    path = home / FILE_NAME
    text = path.read_text(encoding="ascii", errors="replace").strip() if path.exists() else ""
    return text if re.fullmatch("[0-9a-f]{32}", text) else ""
