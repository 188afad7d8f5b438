"""Open the warehouse for commands that read, and say when they read the published copy instead."""

from collections.abc import Generator
from contextlib import contextmanager

import typer

from innspect.flows.read_warehouse import WarehouseSource, open_for_reading
from innspect.schemas.settings import Settings


@contextmanager
def open_source(settings: Settings, query: str | None = None) -> Generator[WarehouseSource]:
    """`open_for_reading`; that it is the published copy of a run in progress is said on standard error."""
    with open_for_reading(settings, query) as source:
        if source.published_at is not None:
            at = f"{source.published_at:%Y-%m-%d %H:%M} UTC"
            typer.echo(f"A run is writing to the warehouse: this is the published copy of {at}.", err=True)
        yield source
