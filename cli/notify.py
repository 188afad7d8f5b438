"""The command `notify`: send what is due, show what would be sent, or test a receiver."""

import os
from typing import Any

from rich.console import Console

from innspect.cli._console import make_console, print_json
from innspect.cli._options import CliOptions
from innspect.flows.notify.after_run import send_between_runs
from innspect.flows.notify.contents import Contents
from innspect.flows.notify.message import Message
from innspect.flows.notify.notifications import SendLog, open_receiver
from innspect.flows.open_home import utc_now
from innspect.schemas.errors import NotAccepted, UsageError
from innspect.schemas.settings import Settings
from innspect.transforms.versions.content_hash import identifier

ADVICE = (
    ("no connection", "check host and port of the address, and that this machine may connect to them"),
    ("SMTP 535", "check user and password; many mail services want a password for applications"),
    ("the server refuses the recipient", "check the recipients of the address"),
    ("the server refuses the sender", "check the sender of the address (from=...)"),
    ("HTTP 401", "check the token of the address"),
    ("HTTP 403", "check that the token may write to this receiver"),
    ("HTTP 404", "check the token and the receiver of the address"),
)
"""What to do by the reason of a failed test."""
DEFAULT_ADVICE = "check the address; docs/notifications.md shows examples"


def notify(options: CliOptions, name: str | None, *, dry_run: bool) -> int:
    """Send what is due, or only show it; `name`: send a test message to this receiver.

    Raises UsageError for an unknown name or settings without receivers, NotAccepted if a message was not accepted.
    """
    settings = options.settings()
    if not settings.notify and not settings.alerts.webhook:
        raise UsageError(
            "The settings have no receivers; add notify.<name> to configs/innspect.toml, which contains an example."
        )
    screen = make_console(to_stderr=options.json)
    if name is not None:
        return _send_test(settings, name, screen, as_json=options.json)
    log = SendLog(screen, preview=[] if dry_run else None)
    send_between_runs(settings, log)
    if options.json:
        print_json(_as_json(log))
    elif log.preview is not None:
        _print_preview(log.preview, screen)
    elif not log.sent and not log.failures:
        screen.print("Nothing is due.")
    if log.failures:
        raise NotAccepted("Some messages were not accepted; they are kept and sent again by the next run.")
    return 0


def _send_test(settings: Settings, name: str, screen: Console, *, as_json: bool) -> int:
    receiver = settings.notify.get(name)
    if receiver is None:
        known = ", ".join(settings.notify) or "none yet"
        raise UsageError(f"There is no receiver {name}; notify.<name> of the settings has {known}.", name=name)
    channel = open_receiver(name, receiver, os.environ)
    now = utc_now()
    message = Contents(settings, name, receiver).write_test(identifier("test", name, now.isoformat()), now)
    outcome = channel.send(message, lambda: None)
    if not outcome.is_accepted:
        advice = next((words for reason, words in ADVICE if reason in outcome.reason), DEFAULT_ADVICE)
        raise NotAccepted(f"The test message to notify.{name} was not accepted: {outcome.reason}; {advice}.")
    if as_json:
        print_json({"receiver": name, "to": channel.shown_address, "accepted": True})
    else:
        screen.print(f"ok: notify.{name} accepted a test message to {channel.shown_address}.", soft_wrap=True)
    return 0


def _print_preview(preview: list[tuple[str, str, Message]], screen: Console) -> None:
    if not preview:
        screen.print("Nothing is due.")
    for name, address, message in preview:
        screen.print(f"To {address} (notify.{name}): {message.subject}", soft_wrap=True)
        for attachment in message.attachments:
            screen.print(f"Attached: {attachment.name}, {len(attachment.content)} bytes", soft_wrap=True)
        screen.print(message.text, soft_wrap=True)


def _as_json(log: SendLog) -> dict[str, Any]:
    pending = [
        {
            "receiver": name,
            "to": address,
            "subject": message.subject,
            "text": message.text,
            "attachments": [attachment.name for attachment in message.attachments],
        }
        for name, address, message in log.preview or ()
    ]
    return {"sent": log.sent, "not_accepted": log.failures, "would_send": pending}
