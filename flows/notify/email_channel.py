"""E-mail: one SMTP transaction for each message, accepted by all recipients or sent to none.

Apprise parses the address and fills in host, port and encryption. The dialogue is ours because Apprise neither keeps
the Message-ID of a repeated message nor says whether a failure came before or after the message was handed over.
"""

import smtplib
import ssl
from datetime import UTC
from email.message import EmailMessage
from email.policy import SMTP as SMTP_POLICY
from email.utils import format_datetime, formataddr
from typing import Any

from innspect.extract.failpoints import failpoint
from innspect.flows.notify.message import MarkSending, Message, Outcome
from innspect.reports.digest.message_page import wrap_text

TIMEOUT_SECONDS = 20.0
OK_REPLIES = (250, 251, 252)
PRODUCT = "innspect"


class EmailChannel:
    """A mailbox or several; `plugin` is the `NotifyEmail` of Apprise that was made from the address."""

    can_repeat = True

    def __init__(self, plugin: Any) -> None:
        self._plugin = plugin
        self.shown_address = ", ".join(mask_mailbox(mailbox) for _, mailbox in plugin.targets)

    def send(self, message: Message, mark_sending: MarkSending) -> Outcome:
        """Send a message in one transaction."""
        content = self.build_email(message).as_bytes()
        try:
            with self._connect() as smtp:
                outcome = self._open_transaction(smtp)
                return self._hand_over(smtp, content, mark_sending) if outcome.is_accepted else outcome
        except smtplib.SMTPAuthenticationError as fault:
            return Outcome(f"SMTP {fault.smtp_code}: the server refuses user or password")
        except smtplib.SMTPResponseException as fault:
            return Outcome(f"SMTP {fault.smtp_code}")
        except (smtplib.SMTPException, OSError) as fault:
            return Outcome(f"no connection to the mail server ({type(fault).__name__})")

    def build_email(self, message: Message) -> EmailMessage:
        """The message in plain text and HTML, with its attachments."""
        plugin = self._plugin
        sender = str(plugin.from_addr[1])
        email = EmailMessage(SMTP_POLICY)
        email["From"] = formataddr((plugin.from_addr[0] or PRODUCT, sender))
        email["To"] = ", ".join(formataddr((name or "", mailbox)) for name, mailbox in plugin.targets)
        if plugin.cc:
            email["Cc"] = ", ".join(sorted(plugin.cc))
        if plugin.reply_to:
            email["Reply-To"] = ", ".join(sorted(plugin.reply_to))
        email["Subject"] = message.subject
        email["Date"] = format_datetime(message.at.replace(tzinfo=UTC))
        email["Message-ID"] = f"<{message.message_id}@{sender.rpartition('@')[2] or PRODUCT}>"
        email["Auto-Submitted"] = "auto-generated"
        email.set_content(wrap_text(message.text))
        email.add_alternative(message.html, subtype="html")
        for attachment in message.attachments:
            main, _, sub = attachment.media_type.partition("/")
            email.add_attachment(attachment.content, maintype=main, subtype=sub, filename=attachment.name)
        return email

    def _connect(self) -> smtplib.SMTP:
        plugin = self._plugin
        context = ssl.create_default_context()
        if not plugin.verify_certificate:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if plugin.secure_mode == "ssl":
            smtp = smtplib.SMTP_SSL(plugin.smtp_host, plugin.port, timeout=TIMEOUT_SECONDS, context=context)
        else:
            smtp = smtplib.SMTP(plugin.smtp_host, plugin.port, timeout=TIMEOUT_SECONDS)
        try:
            if plugin.secure_mode == "starttls":
                smtp.starttls(context=context)
            if plugin.user and plugin.password:
                smtp.login(plugin.user, plugin.password)
        except BaseException:
            smtp.close()
            raise
        return smtp

    def _open_transaction(self, smtp: smtplib.SMTP) -> Outcome:
        """Name sender and recipients; a recipient that is refused ends the transaction for all."""
        smtp.ehlo_or_helo_if_needed()
        code, _ = smtp.mail(str(self._plugin.from_addr[1]))
        if code not in OK_REPLIES:
            return Outcome(f"SMTP {code}: the server refuses the sender")
        mailboxes = [mailbox for _, mailbox in self._plugin.targets]
        for mailbox in (*mailboxes, *sorted(self._plugin.cc), *sorted(self._plugin.bcc)):
            code, _ = smtp.rcpt(mailbox)
            if code not in OK_REPLIES:
                return Outcome(f"SMTP {code}: the server refuses the recipient {mask_mailbox(mailbox)}")
        return Outcome()

    def _hand_over(self, smtp: smtplib.SMTP, content: bytes, mark_sending: MarkSending) -> Outcome:
        """Hand the content over. Only here a lost connection leaves open whether the server has it."""
        mark_sending()
        failpoint("before message is handed over")
        try:
            code, _ = smtp.data(content)
        except smtplib.SMTPDataError as fault:
            return Outcome(f"SMTP {fault.smtp_code}: the server refuses the message")
        except (smtplib.SMTPException, OSError) as fault:
            return Outcome(f"the mail server did not confirm the message ({type(fault).__name__})", is_doubtful=True)
        failpoint("after message is handed over")
        return Outcome() if code == 250 else Outcome(f"SMTP {code}: the server refuses the message")


def mask_mailbox(mailbox: str) -> str:
    """A mailbox for messages: `m…@example.org`."""
    local, _, domain = mailbox.rpartition("@")
    return f"{local[:1]}…@{domain}"
