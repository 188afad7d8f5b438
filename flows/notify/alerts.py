"""Alerts: changes above a severity, sent once to the webhook and as Prefect events; what is not accepted is retried."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import polars as pl
from rich.console import Console

from innspect.flows.notify.delivery_state import ChannelState, DeliveryState
from innspect.reports.change_query import ChangeFilter, changes_as_json, find_changes
from innspect.schemas.change_severity import SEVERITY_RANKS
from innspect.schemas.errors import InnspectError
from innspect.schemas.settings import Settings
from innspect.transforms.versions.content_hash import identifier
from innspect.warehouse.database import Warehouse

if TYPE_CHECKING:
    from innspect.flows.notify.webhook import Webhook

MAX_ALERTS_PER_REQUEST = 100
IDENTIFYING_COLUMNS = ("snapshot_id", "table_name", "row_key", "change", "column_name")
WEBHOOK, EVENTS = "webhook", "events"

Alert = dict[str, Any]
Send = Callable[[Sequence[Alert]], str | None]
"""Sends alerts; None if they were accepted, else the reason."""


def send_alerts(
    settings: Settings,
    warehouse: Warehouse,
    started_at: datetime,
    screen: Console,
    *,
    emit_events: Callable[[Sequence[Alert]], None] | None = None,
    webhook: "Callable[..., Webhook] | None" = None,
) -> None:
    """Send the pending alerts after a run that started at `started_at`: to the webhook of the settings and as events.

    A failure is a line on the screen and does not fail the run; the next run sends what was not accepted.
    """
    state = DeliveryState(settings.home)
    minimum, address = settings.alerts.minimum_severity, settings.alerts.webhook
    try:
        if address:
            from innspect.flows.notify.webhook import Webhook  # noqa: PLC0415 (HTTP takes a while to import)

            with (webhook or Webhook)(address, settings.alerts.signing_key()) as receiver:
                summary = _send_pending(
                    state, WEBHOOK, warehouse, minimum, started_at, lambda batch: _post(receiver, batch)
                )
            if summary:
                screen.print(summary, soft_wrap=True)
        if emit_events is not None:
            # Prefect queues events itself, so they count as accepted.
            _send_pending(state, EVENTS, warehouse, minimum, started_at, emit_events)
    except InnspectError as error:
        screen.print(f"Alerts are pending: {error.message}", soft_wrap=True)


def _send_pending(
    state: DeliveryState, name: str, warehouse: Warehouse, minimum: str, started_at: datetime, send: Send
) -> str | None:
    """Send the pending alerts to one receiver; a line for the screen, None if nothing was pending."""
    channel = state.load_channel(name)
    levels = [level for level, rank in SEVERITY_RANKS.items() if rank >= SEVERITY_RANKS[minimum]]
    # A severity that is sent for the first time begins with this run, not with the changes of the past.
    since = {level: channel.since.get(level, started_at) for level in levels}
    if since != channel.since:
        channel = ChannelState(since, channel.delivered)
        state.save_channel(name, channel)
    pending = [alert for alert in _alerts_since(warehouse, since) if alert["id"] not in channel.delivered]
    for start in range(0, len(pending), MAX_ALERTS_PER_REQUEST):
        batch = pending[start : start + MAX_ALERTS_PER_REQUEST]
        reason = send(batch)
        if reason is not None:
            left = len(pending) - start
            return f"Alerts: {left} were not accepted by the {name} ({reason}); the next run sends them again."
        channel.delivered |= {alert["id"] for alert in batch}
        state.save_channel(name, channel)
    # All changes seen before this run are delivered; remember only ids that may be found again.
    recent = {alert["id"] for alert in _alerts_since(warehouse, dict.fromkeys(levels, started_at))}
    state.save_channel(name, ChannelState(dict.fromkeys(levels, started_at), channel.delivered & recent))
    return f"Alerts: {len(pending)} sent to the {name}." if pending else None


def _alerts_since(warehouse: Warehouse, since: dict[str, datetime]) -> list[Alert]:
    """The changes seen since an instant by severity, oldest first, as JSON with an `id`."""
    lowest = min(since, key=lambda level: SEVERITY_RANKS[level])
    changes = find_changes(warehouse, ChangeFilter(min(since.values()), lowest))
    begin = pl.col("severity").replace_strict(since, return_dtype=pl.Datetime("us"))
    changes = changes.filter(pl.col("seen_at") >= begin).sort("seen_at", maintain_order=True)
    ids = (identifier(*(part or "" for part in row)) for row in changes.select(IDENTIFYING_COLUMNS).iter_rows())
    return [{"id": alert_id, **alert} for alert_id, alert in zip(ids, changes_as_json(changes), strict=True)]


def _post(receiver: "Webhook", batch: Sequence[Alert]) -> str | None:
    delivery = identifier(*(alert["id"] for alert in batch))
    body = {"delivery": delivery, "alerts": batch}
    return receiver.post(json.dumps(body, ensure_ascii=False).encode(), delivery)
