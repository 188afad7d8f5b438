"""Open the warehouse for commands that read, and say when they read the published copy instead."""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime

import typer

from innspect.flows.read_warehouse import WarehouseSource, open_for_reading
from innspect.schemas.settings import Settings


@contextmanager
def open_source(settings: Settings, *, published: bool = False) -> Generator[WarehouseSource]:
    """`open_for_reading`, with the time of the published copy on standard error if that is read."""
    with open_for_reading(settings, published=published) as source:
        if source.published_at is not None:
            tell_publication_time(source.published_at, "" if published else "A run is writing to the warehouse: ")
        yield source


def tell_publication_time(published_at: datetime, reason: str = "") -> None:
    """Say on standard error that the published copy of this time (UTC) is read, and why."""
    sentence = f"{reason}this is the published copy of {published_at:%Y-%m-%d %H:%M} UTC."
    typer.echo(sentence[0].upper() + sentence[1:], err=True)
