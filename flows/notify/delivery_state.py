"""Which changes have been told to whom: a small file in the home, outside the warehouse, that survives a rebuild."""

import json
import os
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from innspect.schemas.errors import StoreError

NAME = "alerts.json"


@dataclass(slots=True)
class Channel:
    """What one receiver has been told.

    `since`: by severity, from when (UTC, by when the answer was asked) changes are told at all. `told`: ids of changes
    seen since then that the receiver has taken.
    """

    since: dict[str, datetime] = field(default_factory=dict[str, datetime])
    told: set[str] = field(default_factory=set[str])


class AlertMarks:
    """The file of marks of one home, for who holds its lock. Raises StoreError where it cannot be read or written."""

    def __init__(self, home: Path) -> None:
        self.path = home / NAME

    def channel(self, name: str) -> Channel:
        """The marks of a receiver; empty ones where it was never told anything."""
        marks = self._read().get(name, {"since": {}, "told": []})
        try:
            since = {level: datetime.fromisoformat(text) for level, text in marks["since"].items()}
            return Channel(since, set(marks["told"]))
        except (TypeError, KeyError, ValueError, AttributeError) as fault:
            raise self._damaged(fault) from fault

    def keep(self, name: str, channel: Channel) -> None:
        """Write the marks of a receiver: after a crash the file is the old one or the new one."""
        since = {level: moment.isoformat() for level, moment in channel.since.items()}
        marks = {**self._read(), name: {"since": since, "told": sorted(channel.told)}}
        beside = self.path.with_name(f".{self.path.name}.torn")
        try:
            handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(marks, file)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(self.path)
            folder = os.open(self.path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as fault:
            raise StoreError(
                f"{self.path} cannot be written ({fault.strerror}); make room or correct its rights.",
                path=str(self.path),
            ) from fault

    def _read(self) -> dict[str, Any]:
        try:
            marks = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as fault:
            raise self._damaged(fault) from fault
        if not isinstance(marks, dict):
            raise self._damaged(TypeError(type(marks).__name__))
        return marks

    def _damaged(self, fault: Exception) -> StoreError:
        return StoreError(
            f"{self.path} cannot be read ({type(fault).__name__}); restore it, or remove it and alerts begin with the "
            "next run.",
            path=str(self.path),
        )
