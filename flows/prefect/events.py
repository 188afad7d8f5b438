"""Alerts as Prefect events."""

from collections.abc import Sequence
from uuid import UUID

from prefect.events import emit_event

from innspect.flows.notify.alerts import Alert


def emit_events(alerts: Sequence[Alert]) -> None:
    """Emit one event per alert, with the alert's id as the event's, so that Prefect keeps a repeated event once."""
    for alert in alerts:
        emit_event(
            event=f"innspect.change.{alert['severity']}",
            resource={
                "prefect.resource.id": f"innspect.counterparty.{alert['inn']}",
                "prefect.resource.name": alert["name"] or alert["inn"],
            },
            payload=alert,
            id=UUID(alert["id"]),
        )
