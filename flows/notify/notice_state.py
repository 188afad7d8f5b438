"""State of the messages that are not alerts: what each receiver was sent, and what is pending. A file in the home."""

import json
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from innspect.extract.home.atomic_file import write_atomically
from innspect.extract.home.lock import Lock
from innspect.schemas.errors import StoreError, StoresHeld
from innspect.schemas.settings.notify import MessageKind
from innspect.transforms.versions.content_hash import identifier

FILE_NAME, LOCK_NAME = "messages.json", "messages.lock"
LOCK_SECONDS = 60.0
"""How long to wait for another process that sends messages of the same home."""
MAX_PENDING_FAILURES = 20
MAX_DOUBTS = 20


@dataclass(slots=True)
class Notice:
    """A message that is due; it contains no personal data, so that nothing has to be erased from it.

    `until`: the end of the period of a digest. `run_id`, `portfolio` and `exit_code` (None: the process was killed)
    are those of a failed run. `is_sending`: a process ended between handing it over and the reply. Instants are UTC.
    """

    notice_id: str
    kind: MessageKind
    at: datetime
    until: datetime | None = None
    portfolio: str = ""
    run_id: str = ""
    exit_code: int | None = None
    is_sending: bool = False

    @classmethod
    def from_json(cls, entry: dict[str, Any]) -> Self:
        """The notice from its JSON."""
        until = entry["until"]
        return cls(
            str(entry["id"]),
            MessageKind(entry["kind"]),
            datetime.fromisoformat(entry["at"]),
            None if until is None else datetime.fromisoformat(until),
            str(entry["portfolio"]),
            str(entry["run_id"]),
            None if entry["exit_code"] is None else int(entry["exit_code"]),
            bool(entry["is_sending"]),
        )

    def as_json(self) -> dict[str, Any]:
        """The notice for `from_json`."""
        return {
            "id": self.notice_id,
            "kind": str(self.kind),
            "at": self.at.isoformat(),
            "until": None if self.until is None else self.until.isoformat(),
            "portfolio": self.portfolio,
            "run_id": self.run_id,
            "exit_code": self.exit_code,
            "is_sending": self.is_sending,
        }


@dataclass(slots=True)
class ReceiverState:
    """What one receiver was sent.

    `digest_due`: the due time that was handled last. `digest_until`: the end of the period of the last digest that was
    accepted. `alerts_due`: the same as `digest_due` for alerts. `is_low`: a message that the balance is low was
    accepted.
    `doubts`: instants of messages that may not have arrived and are not repeated; its next message names them.
    """

    digest_due: datetime | None = None
    digest_until: datetime | None = None
    alerts_due: datetime | None = None
    is_low: bool = False
    pending: list[Notice] = field(default_factory=list[Notice])
    doubts: list[datetime] = field(default_factory=list[datetime])

    @classmethod
    def from_json(cls, entry: dict[str, Any]) -> Self:
        """The state from its JSON. Raises TypeError, KeyError, ValueError or AttributeError for any other content."""
        times = {key: None if entry[key] is None else datetime.fromisoformat(entry[key]) for key in _TIMES}
        pending = [Notice.from_json(notice) for notice in entry["pending"]]
        doubts = [datetime.fromisoformat(text) for text in entry["doubts"]]
        return cls(**times, is_low=bool(entry["is_low"]), pending=pending, doubts=doubts)

    def as_json(self) -> dict[str, Any]:
        """The state for `from_json`."""
        times = {key: None if (at := getattr(self, key)) is None else at.isoformat() for key in _TIMES}
        return {
            **times,
            "is_low": self.is_low,
            "pending": [notice.as_json() for notice in self.pending],
            "doubts": [at.isoformat() for at in self.doubts],
        }

    def add_failure(self, name: str, portfolio: str, run_id: str, code: int | None, at: datetime) -> None:
        """Add a failed run, once; the oldest of very many are dropped."""
        notice_id = identifier(MessageKind.RUN_FAILED, name, run_id or f"{portfolio} {at.isoformat()}")
        if all(notice.notice_id != notice_id for notice in self.pending):
            failure = Notice(notice_id, MessageKind.RUN_FAILED, at, None, portfolio, run_id, code)
            others = [notice for notice in self.pending if notice.kind is not MessageKind.RUN_FAILED]
            failures = [notice for notice in self.pending if notice.kind is MessageKind.RUN_FAILED]
            self.pending = [*others, *[*failures, failure][-MAX_PENDING_FAILURES:]]

    def hold_doubtful(self, at: datetime) -> None:
        """Record that a message may not have arrived and is not repeated."""
        self.doubts = [*self.doubts, at][-MAX_DOUBTS:]


_TIMES = ("digest_due", "digest_until", "alerts_due")


class NoticeState:
    """The file of one home, open under its lock: no two processes send messages of a home at once."""

    def __init__(self, path: Path, receivers: dict[str, ReceiverState], *, keeps_changes: bool = True) -> None:
        self.path, self.receivers, self.keeps_changes = path, receivers, keeps_changes

    def receiver(self, name: str) -> ReceiverState:
        """The state of a receiver; an empty one if it is new."""
        return self.receivers.setdefault(name, ReceiverState())

    def save(self) -> None:
        """Write the file atomically, unless nothing is to be kept (`--dry-run`). Raises StoreError."""
        if not self.keeps_changes:
            return
        entries = {name: receiver.as_json() for name, receiver in self.receivers.items()}
        try:
            write_atomically(self.path, json.dumps(entries).encode(), failpoint_name="messages")
        except OSError as fault:
            raise StoreError(
                f"{self.path} cannot be written ({fault.strerror}); free some space or correct its permissions.",
                path=str(self.path),
            ) from fault


@contextmanager
def open_notice_state(home: Path, *, keeps_changes: bool = True) -> Generator[NoticeState]:
    """Open the state of a home under its own lock. Raises StoresHeld, and StoreError if it cannot be read."""
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _wait_for_lock(home / LOCK_NAME):
        path = home / FILE_NAME
        yield NoticeState(path, _read_receivers(path), keeps_changes=keeps_changes)


@contextmanager
def _wait_for_lock(path: Path) -> Generator[None]:
    end = time.monotonic() + LOCK_SECONDS
    while True:
        lock = Lock(path)
        try:
            lock.__enter__()
            break
        except StoresHeld:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
    try:
        yield
    finally:
        lock.__exit__(None, None, None)


def _read_receivers(path: Path) -> dict[str, ReceiverState]:
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
        return {str(name): ReceiverState.from_json(entry) for name, entry in entries.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as fault:
        raise StoreError(
            f"{path} cannot be read ({type(fault).__name__}); restore it, or remove it and messages begin with the "
            "next run.",
            path=str(path),
        ) from fault
