"""Delivery state of alerts: a file in the home, outside the warehouse, so that it survives a rebuild."""

import json
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from innspect.extract.home.atomic_file import write_atomically
from innspect.schemas.errors import StoreError

FILE_NAME = "alerts.json"
TIMES, SETS = ("since", "portfolios"), ("delivered", "pending", "unfinished")


@dataclass(slots=True)
class ChannelState:
    """What has been delivered to one receiver, and what is to be delivered.

    `since`: by severity, the instant (UTC) from which alerts are sent, by the time of the assessment.
    `delivered`: ids of alerts since then that the receiver has accepted.
    `pending`: ids of alerts since then that it has not accepted yet.
    `runs`: by run, the number of its responses when its alerts were last collected. Of such a run only pending alerts
    are sent, unless more of its responses are loaded: a changed policy judges it again, and that is no news.
    `portfolios`: by portfolio, the instant up to which its members' unknown blocks have been delivered.
    `unfinished`: portfolios whose unknown blocks may be pending.
    `sending`: ids that were handed over without a reply: the receiver may have them.
    `run_at`: start of the last run whose alerts were collected; `innspect notify` sends what is pending since then.
    """

    since: dict[str, datetime] = field(default_factory=dict[str, datetime])
    delivered: set[str] = field(default_factory=set[str])
    pending: set[str] = field(default_factory=set[str])
    runs: dict[str, int] = field(default_factory=dict[str, int])
    portfolios: dict[str, datetime] = field(default_factory=dict[str, datetime])
    unfinished: set[str] = field(default_factory=set[str])
    sending: set[str] = field(default_factory=set[str])
    run_at: datetime | None = None

    @classmethod
    def from_json(cls, entry: dict[str, Any]) -> Self:
        """The state from its JSON; an empty one from an entry of a version that sent changes instead of signals.

        Raises TypeError, KeyError, ValueError or AttributeError for any other content.
        """
        if "runs" not in entry:
            return cls()
        since, portfolios = ({name: datetime.fromisoformat(text) for name, text in entry[key].items()} for key in TIMES)
        delivered, pending, unfinished = (set(entry[key]) for key in SETS)
        runs = {run: int(responses) for run, responses in entry["runs"].items()}
        # States that were written before the two were added have neither.
        run_at = None if entry.get("run_at") is None else datetime.fromisoformat(entry["run_at"])
        return cls(since, delivered, pending, runs, portfolios, unfinished, set(entry.get("sending", ())), run_at)

    def as_json(self) -> dict[str, Any]:
        """The state for `from_json`."""
        times = {key: {name: moment.isoformat() for name, moment in getattr(self, key).items()} for key in TIMES}
        run_at = None if self.run_at is None else self.run_at.isoformat()
        sets = {key: sorted(getattr(self, key)) for key in (*SETS, "sending")}
        return {**times, **sets, "runs": self.runs, "run_at": run_at}


class DeliveryState:
    """The file of one home; the caller holds its lock. Raises StoreError if it cannot be read or written."""

    def __init__(self, home: Path, *, keeps_changes: bool = True) -> None:
        self.path, self.keeps_changes = home / FILE_NAME, keeps_changes

    def load_channel(self, name: str) -> ChannelState:
        """The state of a receiver; an empty one if nothing was sent to it yet."""
        entry = self._read().get(name, {})
        try:
            return ChannelState.from_json(entry)
        except (TypeError, KeyError, ValueError, AttributeError) as fault:
            raise self._read_error(fault) from fault

    def save_channel(self, name: str, channel: ChannelState) -> None:
        """Write the state of a receiver atomically, unless nothing is to be kept (`--dry-run`)."""
        if not self.keeps_changes:
            return
        entries = {**self._read(), name: channel.as_json()}
        try:
            write_atomically(self.path, json.dumps(entries).encode(), failpoint_name="alerts")
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
