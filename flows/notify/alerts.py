"""Alerts: signals, levels and unknown blocks, sent once to the webhook and as events, and again if not accepted."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.console import Console

from innspect.flows.notify.delivery_state import ChannelState, DeliveryState
from innspect.flows.notify.message import MarkSending, Outcome
from innspect.reports.alert_query import (
    AlertCause,
    AlertKind,
    count_responses,
    describe_causes,
    find_signal_causes,
)
from innspect.reports.overdue_blocks import OverdueBlock, find_checked_portfolios, find_overdue_blocks
from innspect.schemas.change_severity import SEVERITY_RANKS
from innspect.schemas.errors import InnspectError
from innspect.schemas.settings import Settings
from innspect.transforms.versions.content_hash import identifier
from innspect.warehouse.database import Warehouse

if TYPE_CHECKING:
    from innspect.flows.notify.webhook import Webhook

MAX_ALERTS_PER_REQUEST = 100
WEBHOOK, EVENTS = "webhook", "events"

Alert = dict[str, Any]
Send = Callable[[Sequence[Alert], MarkSending], Outcome]
"""Sends alerts, and calls the second argument when the receiver may have them."""


def send_alerts(
    settings: Settings,
    warehouse: Warehouse,
    started_at: datetime | None,
    screen: Console,
    *,
    emit_events: Callable[[Sequence[Alert]], None] | None = None,
    webhook: "Callable[..., Webhook] | None" = None,
) -> bool:
    """Send the pending alerts after a run that started at `started_at`: to the webhook of the settings and as events.

    Without a run (None) the alerts of the last run that are still pending. A failure is a line on the screen and does
    not fail the run; the next run sends what was not accepted. Whether the webhook accepted everything.
    """
    state = DeliveryState(settings.home)
    minimum, address = settings.alerts.minimum_severity, settings.alerts.webhook
    is_complete = True
    try:
        since = started_at or state.load_channel(WEBHOOK).run_at
        if address and since is not None:
            from innspect.flows.notify.webhook import Webhook  # noqa: PLC0415 (HTTP takes a while to import)

            with (webhook or Webhook)(address, settings.alerts.signing_key()) as receiver:
                delivery = AlertDelivery(state, WEBHOOK, warehouse, minimum, since)
                result = delivery.send_pending(lambda batch, _: Outcome(_post(receiver, batch) or ""))
            is_complete = result.is_complete
            if result.summary:
                screen.print(result.summary, soft_wrap=True)
        if emit_events is not None and started_at is not None:
            # Prefect queues events itself, so they count as accepted.
            def emit(batch: Sequence[Alert], _: MarkSending) -> Outcome:
                emit_events(batch)
                return Outcome()

            AlertDelivery(state, EVENTS, warehouse, minimum, started_at).send_pending(emit)
    except InnspectError as error:
        screen.print(f"Alerts are pending: {error.message}", soft_wrap=True)
        return False
    return is_complete


@dataclass(frozen=True, slots=True)
class DeliveryResult:
    """A line for the screen, None if nothing was pending; whether the receiver has accepted everything that was due."""

    summary: str | None = None
    is_complete: bool = True


@dataclass(frozen=True, slots=True)
class AlertDelivery:
    """The delivery to one receiver after a run that started at `started_at`.

    `matches` selects the alerts of the receiver. `can_repeat`: it drops a second copy, so that a batch without a reply
    is sent again; else `hold_doubtful` records that it may not have arrived.
    """

    state: DeliveryState
    name: str
    warehouse: Warehouse
    minimum: str
    started_at: datetime
    matches: Callable[[Alert], bool] = lambda _: True
    can_repeat: Callable[[], bool] = lambda: True
    hold_doubtful: Callable[[], None] = lambda: None

    def send_pending(self, send: Send, *, is_due: bool = True) -> DeliveryResult:
        """Send the pending alerts; if they are not due, only record which there are."""
        channel = self._begin()
        causes = self._collect(channel)
        # From here on a changed policy or a crash neither adds an alert to these runs nor removes one.
        self.state.save_channel(self.name, channel)
        if not is_due:
            return DeliveryResult()
        alerts = self._describe(causes)
        sent: list[Alert] = []
        for batch in _cut_batches(alerts, channel.sending):
            outcome = self._send_batch(batch, channel, send)
            if not outcome.is_accepted:
                left = len(alerts) - len(sent)
                summary = (
                    f"Alerts: {left} were not accepted by {self._receiver} ({outcome.reason}); the next run sends "
                    "them again."
                )
                if outcome.is_doubtful and not self.can_repeat():
                    summary = (
                        f"Alerts: {len(batch)} may not have arrived at {self._receiver} ({outcome.reason}); they are "
                        "not repeated, and the next message says so."
                    )
                return DeliveryResult(summary, is_complete=False)
            sent += batch
        self._finish(channel)
        if not alerts:
            return DeliveryResult()
        return DeliveryResult(f"Alerts: {len(alerts)} sent to {self._receiver} ({_count_kinds(alerts)}).")

    @property
    def _receiver(self) -> str:
        return f"the {self.name}" if self.name in (WEBHOOK, EVENTS) else self.name

    def _send_batch(self, batch: Sequence[Alert], channel: ChannelState, send: Send) -> Outcome:
        """Send one batch and record what became of it."""
        ids = {alert["id"] for alert in batch}

        def mark_sending() -> None:
            channel.sending = ids
            self.state.save_channel(self.name, channel)

        outcome = send(batch, mark_sending)
        if outcome.is_accepted:
            self._record_delivered(channel, ids)
        elif outcome.is_doubtful and not self.can_repeat():
            self.hold_doubtful()
            self._record_delivered(channel, ids)
        elif not outcome.is_doubtful and channel.sending:
            channel.sending = set()
            self.state.save_channel(self.name, channel)
        return outcome

    def _record_delivered(self, channel: ChannelState, ids: set[str]) -> None:
        channel.delivered |= ids
        channel.pending -= ids
        channel.sending = set()
        self.state.save_channel(self.name, channel)

    def _begin(self) -> ChannelState:
        """The state of the receiver, with the severities and portfolios that begin with this run."""
        channel = self.state.load_channel(self.name)
        if channel.sending and not self.can_repeat():
            # A process ended between handing the batch over and the reply.
            self.hold_doubtful()
            self._record_delivered(channel, channel.sending)
        levels = [level for level, rank in SEVERITY_RANKS.items() if rank >= SEVERITY_RANKS[self.minimum]]
        since = {level: channel.since.get(level, self.started_at) for level in levels}
        checked = find_checked_portfolios(self.warehouse, self.started_at)
        portfolios = {**dict.fromkeys(checked, self.started_at), **channel.portfolios}
        begun = replace(
            channel,
            since=since,
            portfolios=portfolios,
            unfinished=channel.unfinished | {*checked},
            run_at=self.started_at,
        )
        self.state.save_channel(self.name, begun)
        return begun

    def _collect(self, channel: ChannelState) -> dict[str, AlertCause]:
        """The causes of the alerts that are to be sent, by id, oldest first; they become the pending ones."""
        earliest = min(channel.since.values())
        responses = count_responses(self.warehouse, earliest)
        found: dict[str, AlertCause] = {}
        for cause in find_signal_causes(self.warehouse, earliest):
            alert_id = _signal_id(cause)
            is_recent = cause.severity in channel.since and cause.assessed_at >= channel.since[cause.severity]
            run = cause.run_id or ""
            is_new = responses.get(run, 0) > channel.runs.get(run, -1)
            if is_recent and alert_id not in channel.delivered and (is_new or alert_id in channel.pending):
                found[alert_id] = cause
        for block in find_overdue_blocks(self.warehouse, channel.unfinished, self.started_at):
            alert_id = _block_id(block)
            is_due = any(block.due_at > channel.portfolios[portfolio] for portfolio in block.portfolios)
            if is_due and alert_id not in channel.delivered:
                found[alert_id] = block.cause
        channel.runs |= responses
        channel.pending = set(found)
        return found

    def _describe(self, causes: dict[str, AlertCause]) -> list[Alert]:
        """The alerts as JSON, with their ids."""
        if not causes:
            return []
        described = describe_causes(self.warehouse, [*causes.values()])
        alerts = [{"id": alert_id, **alert} for alert_id, alert in zip(causes, described, strict=True) if alert]
        return [alert for alert in alerts if self.matches(alert)]

    def _finish(self, channel: ChannelState) -> None:
        """Record that everything up to the start of this run is delivered; keep only what may be found again."""
        recent = {_signal_id(cause) for cause in find_signal_causes(self.warehouse, self.started_at)}
        runs = count_responses(self.warehouse, self.started_at)
        finished = ChannelState(
            since=dict.fromkeys(channel.since, self.started_at),
            delivered=channel.delivered & recent,
            runs={run: responses for run, responses in channel.runs.items() if run in runs},
            portfolios={**channel.portfolios, **dict.fromkeys(channel.unfinished, self.started_at)},
            run_at=self.started_at,
        )
        self.state.save_channel(self.name, finished)


def _cut_batches(alerts: Sequence[Alert], sending: set[str]) -> list[list[Alert]]:
    """The alerts in batches; those that may have arrived are a batch of their own again, with the same id."""
    repeated = [alert for alert in alerts if alert["id"] in sending]
    others = [alert for alert in alerts if alert["id"] not in sending]
    starts = range(0, len(others), MAX_ALERTS_PER_REQUEST)
    return [*([repeated] if repeated else []), *(others[start : start + MAX_ALERTS_PER_REQUEST] for start in starts)]


def _signal_id(cause: AlertCause) -> str:
    """The id of a signal or a level: the same after a rebuild and whatever the policy says otherwise."""
    is_further_fact = cause.kind is AlertKind.SIGNAL and cause.from_state == cause.to_state
    parts = (cause.run_id, cause.inn, cause.signal, cause.from_state, cause.to_state)
    return identifier(*(part or "" for part in parts), (cause.evidence or "") if is_further_fact else "")


def _block_id(block: OverdueBlock) -> str:
    """The id of an unknown block: the same as long as no fresh answer is received."""
    return identifier(str(block.cause.kind), block.cause.inn, block.cause.block or "", block.known_at.isoformat())


def _count_kinds(alerts: Sequence[Alert]) -> str:
    """The alerts by kind as text: `2 signal, 1 level`."""
    counts = Counter(str(alert["kind"]) for alert in alerts)
    return ", ".join(f"{counts[kind]} {kind}" for kind in AlertKind if counts[kind])


def _post(receiver: "Webhook", batch: Sequence[Alert]) -> str | None:
    delivery = identifier(*(alert["id"] for alert in batch))
    body = {"delivery": delivery, "alerts": batch}
    return receiver.post(json.dumps(body, ensure_ascii=False).encode(), delivery)
