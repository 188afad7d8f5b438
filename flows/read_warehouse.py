"""Read the warehouse, or the published copy: while a run writes, which is said, and where both show the same.

In the copy the marts are tables; in the warehouse they are views, of which the largest take seconds.
"""

import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from innspect.flows.open_home import open_existing_warehouse, software_version
from innspect.flows.prepared_copy import COPY, WATERMARK
from innspect.reports.format import utc_text
from innspect.schemas.errors import StoresHeld
from innspect.schemas.settings import Settings
from innspect.warehouse.database import Warehouse
from innspect.warehouse.export.query import can_answer
from innspect.warehouse.publish.reader import find_publication_time, translate_missing_tables
from innspect.warehouse.publish.watermark import find_previous

MART = re.compile(r"\bmart\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WarehouseSource:
    """What is read: what the warehouse shows, or an earlier state, that of the copy of `published_at` (UTC)."""

    warehouse: Warehouse
    published_at: datetime | None = None

    @property
    def published_at_text(self) -> str | None:
        """`published_at` for JSON; null if the warehouse is read, or what shows the same."""
        return None if self.published_at is None else utc_text(self.published_at)


@contextmanager
def open_for_reading(settings: Settings, query: str | None = None) -> Generator[WarehouseSource]:
    """The warehouse, or the published copy while another process writes to the warehouse.

    Also the copy if it shows the same, unless a user's `query` reads no mart, or what the copy lacks. Raises UsageError
    if there is no warehouse, and StoresHeld if the copy does not exist or lacks what is read.
    """
    try:
        warehouse = open_existing_warehouse(settings)
    except StoresHeld as held:
        copy = settings.published_folder / COPY
        if not copy.exists():
            raise StoresHeld(
                f"Another process writes to the warehouse {settings.warehouse}, and nothing is published yet; wait "
                "until it ends.",
                path=str(copy),
            ) from held
        with Warehouse(copy, read_only=True) as published, translate_missing_tables(copy):
            yield WarehouseSource(published, find_publication_time(published))
        return
    with warehouse:
        copy = find_current_copy(settings, warehouse) if query is None or MART.search(query) else None
        if copy is not None:
            with Warehouse(copy, read_only=True) as published:
                # It has neither `raw` nor tables that somebody added to the warehouse.
                if query is None or can_answer(published, query):
                    yield WarehouseSource(published)
                    return
        yield WarehouseSource(warehouse)


def find_current_copy(settings: Settings, warehouse: Warehouse) -> Path | None:
    """The published copy if it shows the same as the open warehouse; None if there is none, or if it does not."""
    copy = settings.published_folder / COPY
    previous = find_previous(copy, settings.published_folder / WATERMARK)
    if previous is None or warehouse.is_shared or not previous.shows(warehouse.connection, software_version()):
        return None
    return copy
