"""Open the warehouse for commands that read, and say when they read the published copy instead."""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime

from innspect.cli._console import tell
from innspect.flows.read_warehouse import WarehouseSource, open_for_reading, open_refreshed_warehouse
from innspect.schemas.settings import Settings
from innspect.warehouse.database import Warehouse


@contextmanager
def open_source(settings: Settings, *, published: bool = False, reads_risk: bool = True) -> Generator[WarehouseSource]:
    """`open_for_reading`, with the time of the published copy on standard error if that is read.

    `reads_risk`: whether risk or links are read of many INNs, which are stored again first if they are not valid.
    """
    with open_for_reading(settings, tell if reads_risk else None, published=published) as source:
        if source.published_at is not None:
            start = "This is" if published else "A run is writing to the warehouse: this is"
            tell_publication_time(source.published_at, start)
        yield source


def open_warehouse_to_read(settings: Settings) -> Warehouse:
    """`open_refreshed_warehouse`, with its sentences on standard error."""
    return open_refreshed_warehouse(settings, tell)


def tell_publication_time(published_at: datetime, start: str = "This is") -> None:
    """Say on standard error, in a sentence with this start, that the published copy of this time (UTC) is read."""
    tell(f"{start} the published copy of {published_at:%Y-%m-%d %H:%M} UTC.")
