"""Delivery state of alerts: a file in the home, outside the warehouse, so that it survives a rebuild."""

import json
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from innspect.extract.home.atomic_file import write_atomically
from innspect.schemas.errors import StoreError

FILE_NAME = "alerts.json"


@dataclass(slots=True)
class ChannelState:
    """What has been delivered to one receiver.

    `since`: by severity, the instant (UTC) from which changes are sent, by the time of the request that found them.
    `delivered`: ids of changes seen since then that the receiver has accepted.
    """

    since: dict[str, datetime] = field(default_factory=dict[str, datetime])
    delivered: set[str] = field(default_factory=set[str])


class DeliveryState:
    """The file of one home; the caller holds its lock. Raises StoreError if it cannot be read or written."""

    def __init__(self, home: Path) -> None:
        self.path = home / FILE_NAME

    def load_channel(self, name: str) -> ChannelState:
        """The state of a receiver; an empty one if nothing was sent to it yet."""
        entry = self._read().get(name, {"since": {}, "told": []})
        try:
            since = {level: datetime.fromisoformat(text) for level, text in entry["since"].items()}
            return ChannelState(since, set(entry["told"]))
        except (TypeError, KeyError, ValueError, AttributeError) as fault:
            raise self._read_error(fault) from fault

    def save_channel(self, name: str, channel: ChannelState) -> None:
        """Write the state of a receiver atomically."""
        since = {level: moment.isoformat() for level, moment in channel.since.items()}
        entries = {**self._read(), name: {"since": since, "told": sorted(channel.delivered)}}
        try:
            write_atomically(self.path, json.dumps(entries).encode())
        except OSError as fault:
            raise StoreError(
                f"{self.path} cannot be written ({fault.strerror}); free some space or correct its permissions.",
                path=str(self.path),
            ) from fault

    def _read(self) -> dict[str, Any]:
        try:
            entries = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as fault:
            raise self._read_error(fault) from fault
        if not isinstance(entries, dict):
            raise self._read_error(TypeError(type(entries).__name__))
        return entries

    def _read_error(self, fault: Exception) -> StoreError:
        return StoreError(
            f"{self.path} cannot be read ({type(fault).__name__}); restore it, or remove it and alerts begin with the "
            "next run.",
            path=str(self.path),
        )
