"""Messages to the receivers of the settings: what is due is sent once, what is not accepted is sent later.

The state is written before a message is handed over and after the reply (docs/decisions/0060-messages.md).
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from pydantic import SecretStr
from rich.console import Console

from innspect.flows.account_summary import AccountSummary
from innspect.flows.notify.alerts import Alert, AlertDelivery
from innspect.flows.notify.contents import Contents, view_account
from innspect.flows.notify.delivery_state import DeliveryState
from innspect.flows.notify.message import Channel, MarkSending, Message, Outcome
from innspect.flows.notify.notice_state import Notice, NoticeState, ReceiverState, open_notice_state
from innspect.flows.open_home import utc_now
from innspect.schemas.errors import InnspectError
from innspect.schemas.settings import Settings
from innspect.schemas.settings.notify import MessageKind, Notify, latest_due
from innspect.transforms.versions.content_hash import identifier
from innspect.warehouse.database import Warehouse

OpenChannel = Callable[[str, SecretStr], Channel]


@dataclass(frozen=True, slots=True)
class Facts:
    """What messages are made of. `run_at` is the start of the run that has just ended, None without one.

    `known_until`: up to when everything received is loaded; a digest ends there. Instants are UTC.
    """

    warehouse: Warehouse
    account: AccountSummary
    now: datetime
    known_until: datetime
    run_at: datetime | None = None


@dataclass(slots=True)
class SendLog:
    """What was sent or, with `preview`, would be sent; `failures` counts messages that were not accepted."""

    screen: Console
    preview: list[tuple[str, str, Message]] | None = None
    sent: int = 0
    failures: int = 0

    def say(self, line: str) -> None:
        """Print a line."""
        self.screen.print(line, soft_wrap=True)


def send_messages(settings: Settings, facts: Facts, log: SendLog) -> None:
    """Send every receiver what is due. The caller holds the lock of the home.

    A failure is a line of the log; the message stays pending. Raises StoreError for an unreadable state.
    """
    if not settings.notify:
        return
    keeps_changes = log.preview is None
    with open_notice_state(settings.home, keeps_changes=keeps_changes) as state:
        for name, receiver in settings.notify.items():
            sender = _Sender(settings, name, receiver, state, log)
            try:
                sender.send_alerts(facts, DeliveryState(settings.home, keeps_changes=keeps_changes))
                sender.plan_digest(facts)
                sender.plan_low_balance(facts)
                sender.send_pending(facts)
            except InnspectError as error:
                log.failures += 1
                log.say(f"notify.{name}: {error.message}")


def send_failures(settings: Settings, failure: Notice, log: SendLog, *, now: bool = True) -> None:
    """Record a failed run for the receivers that ask for it, and send it unless `now` is False; needs no warehouse."""
    wanted = {
        name: receiver
        for name, receiver in settings.notify.items()
        if MessageKind.RUN_FAILED in receiver.what and receiver.portfolio in ("", failure.portfolio)
    }
    if not wanted:
        return
    with open_notice_state(settings.home) as state:
        for name in wanted:
            own = state.receiver(name)
            own.add_failure(name, failure.portfolio, failure.run_id, failure.exit_code, failure.at)
        state.save()
        for name, receiver in wanted.items() if now else ():
            try:
                _Sender(settings, name, receiver, state, log).send_pending(None)
            except InnspectError as error:
                log.failures += 1
                log.say(f"notify.{name}: {error.message}")


def open_receiver(name: str, receiver: Notify, variables: Mapping[str, str]) -> Channel:
    """The channel of a receiver. Raises SettingsError, which does not show the address."""
    from innspect.flows.notify.apprise_channel import open_channel  # noqa: PLC0415 (large libraries)

    return open_channel(name, receiver.read_address(name, variables))


@dataclass(slots=True)
class _Sender:
    """Sends the messages of one receiver."""

    settings: Settings
    name: str
    receiver: Notify
    state: NoticeState
    log: SendLog
    _opened: list[Channel] = field(default_factory=list[Channel])

    @property
    def own(self) -> ReceiverState:
        return self.state.receiver(self.name)

    def _channel(self) -> Channel:
        """The channel, opened for the first message."""
        if not self._opened:
            self._opened.append(open_receiver(self.name, self.receiver, os.environ))
        return self._opened[0]

    def _contents(self) -> Contents:
        return Contents(self.settings, self.name, self.receiver, tuple(self.own.doubts))

    def _wants(self, kind: MessageKind) -> bool:
        return kind in self.receiver.what

    def _due_at(self, facts: Facts) -> datetime | None:
        """The latest due time: that of the settings, or the run that has just ended."""
        due = self.receiver.due_time
        if due is None:
            return facts.run_at
        return latest_due(due, self.receiver.timezone or self.settings.source_timezone, facts.now)

    # Alerts

    def send_alerts(self, facts: Facts, state: DeliveryState) -> None:
        """Send the alerts that are due; record those that are not due yet."""
        if not self._wants(MessageKind.ALERTS):
            return
        key = f"notify.{self.name}"
        known = state.load_channel(key)
        started_at = facts.run_at or known.run_at
        if started_at is None:
            return
        due = self._due_at(facts)
        timed = self.receiver.due_time is not None
        if timed and self.own.alerts_due is None:
            self.own.alerts_due = due
        # Without a time each run sends, and between runs what was not accepted is sent again.
        is_due = not timed or due != self.own.alerts_due or bool(known.sending)
        delivery = AlertDelivery(
            state,
            key,
            facts.warehouse,
            self.receiver.severity,
            started_at,
            self._selection(facts.warehouse),
            lambda: self._channel().can_repeat,
            self._hold_doubtful,
        )

        def send(alerts: Sequence[Alert], mark_sending: MarkSending) -> Outcome:
            message_id = identifier(MessageKind.ALERTS, self.name, *sorted(alert["id"] for alert in alerts))
            return self._hand_over(self._contents().write_alerts(message_id, alerts, facts.now), mark_sending)

        result = delivery.send_pending(send, is_due=is_due)
        if result.summary and self.log.preview is None:
            self.log.say(result.summary)
        if result.is_complete and is_due:
            self.own.alerts_due = due if timed else None
        self.state.save()

    def _selection(self, warehouse: Warehouse) -> Callable[[Alert], bool]:
        """Whether an alert is about a member of the portfolio and with the tag of the receiver."""
        portfolio, tag = self.receiver.portfolio, self.receiver.tag
        if not tag:
            return lambda alert: not portfolio or portfolio in alert["portfolios"]
        from innspect.reports.digest.digest_data import MEMBERS  # noqa: PLC0415 (only with a tag)

        members = set(warehouse.query(MEMBERS, {"portfolio": portfolio, "tag": tag})["inn"].to_list())
        return lambda alert: alert["inn"] in members

    # Digest and balance

    def plan_digest(self, facts: Facts) -> None:
        """Add a digest that has become due; a new receiver's first one is about the time after now."""
        due = self._due_at(facts)
        if not self._wants(MessageKind.DIGEST) or due is None:
            return
        own = self.own
        is_new = own.digest_until is None
        if own.digest_until is None:
            own.digest_until = due
        is_due = due != own.digest_due and not (is_new and self.receiver.due_time is not None)
        own.digest_due = due
        waiting = [notice for notice in own.pending if notice.kind is MessageKind.DIGEST and not notice.is_sending]
        if is_due:
            # A digest that was not accepted is replaced by one of the whole time.
            own.pending = [notice for notice in own.pending if notice not in waiting]
            waiting = [
                Notice(identifier(MessageKind.DIGEST, self.name, due.isoformat()), MessageKind.DIGEST, facts.now)
            ]
            own.pending += waiting
        for notice in waiting:
            notice.at, notice.until = facts.now, min(facts.now, facts.known_until)
        self.state.save()

    def plan_low_balance(self, facts: Facts) -> None:
        """Add a message when the balance becomes low; an unknown balance changes nothing."""
        if not self._wants(MessageKind.BUDGET_LOW):
            return
        own = self.own
        view = view_account(facts.account, self.settings, self.receiver.below_days)
        waiting = [notice for notice in own.pending if notice.kind is MessageKind.BUDGET_LOW]
        if view.is_low and not own.is_low and not waiting:
            notice_id = identifier(MessageKind.BUDGET_LOW, self.name, facts.now.isoformat())
            own.pending.append(Notice(notice_id, MessageKind.BUDGET_LOW, facts.now))
        elif not view.is_low and view.balance is not None:
            own.is_low = False
            own.pending = [notice for notice in own.pending if notice not in waiting or notice.is_sending]
        self.state.save()

    # Sending

    def send_pending(self, facts: Facts | None) -> None:
        """Send the pending messages, without `facts` only failed runs."""
        for notice in list(self.own.pending):
            if facts is None and notice.kind is not MessageKind.RUN_FAILED:
                continue
            channel = self._channel()
            if notice.is_sending and not channel.can_repeat:
                self.own.pending.remove(notice)
                self._end_attempts(notice, is_held=True)
                self.state.save()
                self.log.say(f"notify.{self.name}: a message may not have arrived; the next one says so.")
                continue
            self._send(notice, self._write(notice, facts))

    def _write(self, notice: Notice, facts: Facts | None) -> Message:
        contents = self._contents()
        if notice.kind is MessageKind.RUN_FAILED or facts is None:
            return contents.write_failure(notice)
        if notice.kind is MessageKind.BUDGET_LOW:
            return contents.write_low_balance(notice, facts.account)
        by_mail = self._channel().can_repeat
        since = self.own.digest_until or notice.at
        return contents.write_digest(notice, since, facts.warehouse, facts.account, by_mail=by_mail)

    def _send(self, notice: Notice, message: Message) -> None:
        def mark_sending() -> None:
            notice.is_sending = True
            self.state.save()

        outcome = self._hand_over(message, mark_sending)
        if self.log.preview is not None:
            return
        shown = self._channel().shown_address
        if outcome.is_accepted:
            self.own.pending.remove(notice)
            self._end_attempts(notice, is_held=False)
            self.log.say(f"notify.{self.name}: {notice.kind} sent to {shown}.")
        elif outcome.is_doubtful and not self._channel().can_repeat:
            self.own.pending.remove(notice)
            self._end_attempts(notice, is_held=True)
            self.log.say(
                f"notify.{self.name}: {notice.kind} may not have arrived ({outcome.reason}); it is not repeated."
            )
        else:
            notice.is_sending = outcome.is_doubtful
            self.log.say(
                f"notify.{self.name}: {notice.kind} was not accepted ({outcome.reason}); it is sent again by the next "
                "run or by `innspect notify`."
            )
        self.state.save()

    def _end_attempts(self, notice: Notice, *, is_held: bool) -> None:
        """Record that a message needs no further attempt; a digest that may be lost is covered by the next one."""
        if is_held:
            self._hold_doubtful()
        elif notice.kind is MessageKind.DIGEST:
            self.own.digest_until = notice.until
        if notice.kind is MessageKind.BUDGET_LOW:
            self.own.is_low = True

    def _hold_doubtful(self) -> None:
        self.own.hold_doubtful(utc_now())
        self.state.save()

    def _hand_over(self, message: Message, mark_sending: MarkSending) -> Outcome:
        """Send a message, or add it to the preview."""
        channel = self._channel()
        if self.log.preview is not None:
            self.log.preview.append((self.name, channel.shown_address, message))
            return Outcome()
        outcome = channel.send(message, mark_sending)
        if outcome.is_accepted:
            self.log.sent += 1
            # The message named them.
            self.own.doubts = []
        else:
            self.log.failures += 1
        return outcome
