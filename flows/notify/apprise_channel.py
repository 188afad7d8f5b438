"""Channels of Apprise (Telegram, Slack, Teams, JSON, …) from an address. Apprise is imported only to send.

Apprise and the libraries below it log addresses with their tokens. Their log records are caught while they run, and
only a status code or a kind of failure is read from them.
"""

import logging
import re
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from pydantic import SecretStr

from innspect.extract.failpoints import failpoint
from innspect.flows.notify.email_channel import EmailChannel
from innspect.flows.notify.message import Channel, MarkSending, Message, Outcome
from innspect.schemas.errors import SettingsError

LOGGERS = ("apprise", "requests", "urllib3", "requests_oauthlib")
STATUS = re.compile(r"\berror=(\d{3})\b")
NOT_CONNECTED = re.compile(
    r"NewConnectionError|Connection refused|NameResolutionError|ConnectTimeoutError|ProxyError|SSLError|getaddrinfo"
)
"""Failures before a request was sent."""
EXCEPTION = "Socket Exception"
ELLIPSIS = "\n…"


class AppriseChannel:
    """A receiver of short texts. None of these services can recognise a message that it gets twice."""

    can_repeat = False

    def __init__(self, plugin: Any) -> None:
        self._plugin = plugin
        self.shown_address = str(plugin.service_name or plugin.schema)

    def send(self, message: Message, mark_sending: MarkSending) -> Outcome:
        """Send subject and text."""
        title_room = int(self._plugin.title_maxlen)
        title = message.subject if title_room else ""
        body = message.text if title_room else f"{message.subject}\n\n{message.text}"
        mark_sending()
        failpoint("before message is handed over")
        with _caught_logs() as records:
            try:
                is_accepted = self._plugin.notify(
                    body=shorten_text(body, int(self._plugin.body_maxlen) // 2), title=title, body_format="text"
                )
            except Exception as fault:  # noqa: BLE001 (a plugin may raise anything, with its address in the text)
                return Outcome(type(fault).__name__, is_doubtful=True)
        failpoint("after message is handed over")
        return Outcome() if is_accepted else read_outcome(records)


def open_channel(name: str, address: SecretStr) -> Channel:
    """The channel of a receiver's address. Raises SettingsError without showing the address."""
    import apprise  # noqa: PLC0415 (takes a second)

    asset = apprise.AppriseAsset(app_id="innspect", app_desc="innspect", app_url="", async_mode=False)
    with _caught_logs():
        try:
            plugin: Any = apprise.Apprise.instantiate(address.get_secret_value(), asset=asset)
        except Exception:  # noqa: BLE001 (a plugin may raise anything, with the address in the text)
            plugin = None
    if plugin is None:
        raise SettingsError(
            f"The address of notify.{name} is none that can be used; write it as docs/notifications.md shows, for "
            "example mailtos://USER:PASSWORD@HOST?from=...&to=...",
            key=f"notify.{name}",
        )
    return EmailChannel(plugin) if hasattr(plugin, "smtp_host") else AppriseChannel(plugin)


def read_outcome(records: list[str]) -> Outcome:
    """The outcome of a message that Apprise reports as not sent, from what it logged."""
    text = "\n".join(records)
    if found := STATUS.search(text):
        return Outcome(f"HTTP {found[1]}")
    if EXCEPTION not in text:
        return Outcome("the service refuses the message")
    if NOT_CONNECTED.search(text):
        return Outcome("no connection to the service")
    return Outcome("the service did not confirm the message", is_doubtful=True)


def shorten_text(text: str, limit: int) -> str:
    """The first lines of a text, at most `limit` characters; an ellipsis says that some are left out."""
    if len(text) <= limit:
        return text
    cut = text[: limit - len(ELLIPSIS)]
    return (cut.rpartition("\n")[0] or cut) + ELLIPSIS


class _Records(logging.Handler):
    """Keeps the texts of log records."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())


@contextmanager
def _caught_logs() -> Generator[list[str]]:
    """Catch everything that Apprise and the libraries below it log; nothing reaches another handler."""
    handler = _Records()
    before: list[tuple[logging.Logger, int, bool, list[logging.Handler]]] = []
    for name in LOGGERS:
        logger = logging.getLogger(name)
        before.append((logger, logger.level, logger.propagate, logger.handlers))
        logger.propagate, logger.handlers = False, [handler]
        logger.setLevel(logging.DEBUG)
    try:
        yield handler.texts
    finally:
        for logger, level, propagate, handlers in before:
            logger.setLevel(level)
            logger.propagate, logger.handlers = propagate, handlers
