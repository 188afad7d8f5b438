"""Alerts: changes of some weight, told once to the webhook and as Prefect events; what nobody takes waits."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

import polars as pl
from rich.console import Console

from innspect.flows.notify.delivery_state import AlertMarks, Channel
from innspect.reports.change_query import Wanted, as_json, find
from innspect.schemas.change_severity import LEVELS
from innspect.schemas.errors import InnspectError
from innspect.schemas.settings import Settings
from innspect.transforms.versions.content_hash import identifier
from innspect.warehouse.database import Warehouse

if TYPE_CHECKING:
    from innspect.flows.notify.webhook import Webhook

TOGETHER = 100
"""So many alerts go out in one request."""
IDENTITY = ("snapshot_id", "table_name", "row_key", "change", "column_name")
WEBHOOK, EVENTS = "webhook", "events"

Alert = dict[str, Any]
Send = Callable[[Sequence[Alert]], str | None]
"""Tells alerts; None when they were taken, else why not."""


def tell(
    settings: Settings,
    warehouse: Warehouse,
    started_at: datetime,
    screen: Console,
    *,
    events: bool,
    webhook: "Callable[..., Webhook] | None" = None,
) -> None:
    """After a run that started then: tell what is waiting, to the webhook that is set and, if `events`, to Prefect.

    A receiver's fault is a line on the screen, never the run's: what was not taken goes out after the next run.
    """
    marks = AlertMarks(settings.home)
    minimum, address = settings.alerts.minimum_severity, settings.alerts.webhook
    try:
        if address:
            from innspect.flows.notify.webhook import Webhook  # noqa: PLC0415 (what posts takes a while to load)

            with (webhook or Webhook)(address, settings.alerts.key()) as receiver:
                said = _tell(marks, WEBHOOK, warehouse, minimum, started_at, lambda batch: _post(receiver, batch))
            if said:
                screen.print(said, soft_wrap=True)
        if events:
            _tell(marks, EVENTS, warehouse, minimum, started_at, emit)
    except InnspectError as error:
        screen.print(f"Alerts wait: {error.message}", soft_wrap=True)


def _tell(
    marks: AlertMarks, name: str, warehouse: Warehouse, minimum: str, started_at: datetime, send: Send
) -> str | None:
    """Tell one receiver what it has not been told; a line for the screen, None where there is nothing to say."""
    channel = marks.channel(name)
    levels = [level for level, rank in LEVELS.items() if rank >= LEVELS[minimum]]
    # A severity that was not told before begins with this run: nobody wants to be woken by the past.
    since = {level: channel.since.get(level, started_at) for level in levels}
    if since != channel.since:
        channel = Channel(since, channel.told)
        marks.keep(name, channel)
    waiting = [alert for alert in _since(warehouse, since) if alert["id"] not in channel.told]
    for start in range(0, len(waiting), TOGETHER):
        batch = waiting[start : start + TOGETHER]
        reason = send(batch)
        if reason is not None:
            left = len(waiting) - start
            return f"Alerts: {left} were not taken by the {name} ({reason}); they go out after the next run."
        channel.told |= {alert["id"] for alert in batch}
        marks.keep(name, channel)
    # All that was seen before this run is told; only what may come to light again has to be remembered.
    recent = {alert["id"] for alert in _since(warehouse, dict.fromkeys(levels, started_at))}
    marks.keep(name, Channel(dict.fromkeys(levels, started_at), channel.told & recent))
    return f"Alerts: {len(waiting)} told to the {name}." if waiting else None


def _since(warehouse: Warehouse, since: dict[str, datetime]) -> list[Alert]:
    """The changes of these severities seen since then, the oldest first, as JSON with an `id`."""
    lowest = min(since, key=lambda level: LEVELS[level])
    found = find(warehouse, Wanted(min(since.values()), lowest))
    begin = pl.col("severity").replace_strict(since, return_dtype=pl.Datetime("us"))
    found = found.filter(pl.col("seen_at") >= begin).sort("seen_at", maintain_order=True)
    ids = (identifier(*(part or "" for part in row)) for row in found.select(IDENTITY).iter_rows())
    return [{"id": name, **alert} for name, alert in zip(ids, as_json(found), strict=True)]


def _post(receiver: "Webhook", batch: Sequence[Alert]) -> str | None:
    delivery = identifier(*(alert["id"] for alert in batch))
    body = {"delivery": delivery, "alerts": batch}
    return receiver.post(json.dumps(body, ensure_ascii=False).encode(), delivery)


def emit(batch: Sequence[Alert]) -> str | None:
    """Tell Prefect, one event a change; its id is the change's, so the same event is never there twice."""
    from prefect.events import emit_event  # noqa: PLC0415 (three seconds that only a run with Prefect pays)

    for alert in batch:
        emit_event(
            event=f"innspect.change.{alert['severity']}",
            resource={
                "prefect.resource.id": f"innspect.counterparty.{alert['inn']}",
                "prefect.resource.name": alert["name"] or alert["inn"],
            },
            payload=alert,
            id=UUID(alert["id"]),
        )
    return None
