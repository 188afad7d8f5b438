"""A message to one receiver, and what became of sending it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

MarkSending = Callable[[], None]
"""Records that the receiver may have the message from here on. A channel calls it as late as its protocol allows."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file of a message."""

    name: str
    content: bytes
    media_type: str = "text/html"


@dataclass(frozen=True, slots=True)
class Message:
    """A message. The same content keeps its `message_id` in every attempt; `at` (UTC) is its date."""

    message_id: str
    at: datetime
    subject: str
    text: str
    html: str
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """Of one attempt. `reason` is empty if the receiver accepted the message.

    `is_doubtful`: the receiver may have accepted it, because the connection ended before its reply. A reason never
    contains a part of the address.
    """

    reason: str = ""
    is_doubtful: bool = False

    @property
    def is_accepted(self) -> bool:
        """Whether the receiver confirmed the message."""
        return not self.reason


class Channel(Protocol):
    """A way to one receiver.

    `can_repeat`: a receiver that gets a message of the same id twice can drop the second.
    """

    can_repeat: bool
    shown_address: str

    def send(self, message: Message, mark_sending: MarkSending) -> Outcome:
        """Send a message; no error of the network is raised."""
        ...
