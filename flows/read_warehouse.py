"""Read the warehouse; or the published copy, on request or while a run writes, and say of when that is."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from innspect.flows.open_home import open_existing_warehouse
from innspect.flows.publish import COPY
from innspect.reports.format import utc_text
from innspect.schemas.errors import StoresHeld
from innspect.schemas.settings import Settings
from innspect.warehouse.database import Warehouse
from innspect.warehouse.publish.reader import find_publication_time, require_copy, translate_missing_tables


@dataclass(frozen=True, slots=True)
class WarehouseSource:
    """What is read: the warehouse, or the copy that was published at `published_at` (UTC)."""

    warehouse: Warehouse
    published_at: datetime | None = None

    @property
    def published_at_text(self) -> str | None:
        """`published_at` for JSON; null if the warehouse itself is read."""
        return None if self.published_at is None else utc_text(self.published_at)


@contextmanager
def open_for_reading(settings: Settings, *, published: bool = False) -> Generator[WarehouseSource]:
    """The warehouse, or the published copy while another process writes to the warehouse, or if that is wanted.

    Raises UsageError if there is no warehouse, or no copy and one is wanted, and StoresHeld if the copy does not exist
    or lacks what is read while another process writes.
    """
    copy = settings.published_folder / COPY
    if published:
        require_copy(copy)
        with Warehouse(copy, read_only=True) as earlier:
            yield WarehouseSource(earlier, find_publication_time(earlier))
        return
    try:
        warehouse = open_existing_warehouse(settings)
    except StoresHeld as held:
        if not copy.exists():
            raise StoresHeld(
                f"Another process writes to the warehouse {settings.warehouse}, and nothing is published yet; wait "
                "until it ends.",
                path=str(copy),
            ) from held
        with Warehouse(copy, read_only=True) as earlier, translate_missing_tables(copy):
            yield WarehouseSource(earlier, find_publication_time(earlier))
        return
    with warehouse:
        yield WarehouseSource(warehouse)
