"""Read the warehouse; or the published copy, on request or while a run writes, and say of when that is."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from innspect.flows.open_home import Tell, open_existing_warehouse, open_warehouse
from innspect.flows.publish import COPY
from innspect.reports.format import utc_text
from innspect.reports.i18n.catalog import count_of
from innspect.schemas.errors import InnspectError, StoresHeld
from innspect.schemas.settings import Settings
from innspect.warehouse.assessments.risk_news import count_checked
from innspect.warehouse.assessments.store_risk import refresh_risk
from innspect.warehouse.database import Warehouse
from innspect.warehouse.interrupts import interruptible
from innspect.warehouse.links.refresh_links import count_unstored, refresh_links
from innspect.warehouse.location import parse_location
from innspect.warehouse.publish.reader import find_publication_time, require_copy, translate_missing_tables

MAX_COMPUTED_WHILE_READ = 5_000
"""INNs whose risk or links are computed while they are read. 100,000 of them would take 10 GB of memory and more."""


@dataclass(frozen=True, slots=True)
class WarehouseSource:
    """What is read: the warehouse, or the copy that was published at `published_at` (UTC)."""

    warehouse: Warehouse
    published_at: datetime | None = None

    @property
    def published_at_text(self) -> str | None:
        """`published_at` for JSON; null if the warehouse itself is read."""
        return None if self.published_at is None else utc_text(self.published_at)


def open_refreshed_warehouse(settings: Settings, tell: Tell) -> Warehouse:
    """`open_existing_warehouse`, after storing risk and links again that may no longer be valid, if of many INNs.

    Evidence of a whole portfolio becomes too old on the same day if it was requested on the same day; links rest on
    names in the files of portfolios too. If nothing can be stored, because another process has the warehouse open or
    its folder is read-only, both are computed while they are read. So they are in a lake, which stores neither, and
    where another version of the software stored them.
    """
    warehouse = open_existing_warehouse(settings, tell)
    if not isinstance(parse_location(settings.warehouse), Path) or not warehouse.is_migrated():
        return warehouse
    judged, linked = count_checked(warehouse), count_unstored(warehouse)
    if max(judged, linked) <= MAX_COMPUTED_WHILE_READ:
        return warehouse
    warehouse.close()
    steps: list[Callable[[Warehouse], object]] = []
    if judged > MAX_COMPUTED_WHILE_READ:
        inns = count_of(judged, "INN")
        tell(
            f"The risk of {inns} may no longer be valid, for example because evidence became too old. It is "
            "judged again first, once; that takes some minutes."
        )
        steps.append(refresh_risk)
    if linked > MAX_COMPUTED_WHILE_READ:
        tell("The links between INNs may no longer be valid. They are stored again first, once.")
        steps.append(refresh_links)
    try:
        # Ctrl-C in DuckDB is an exception that would be taken for a failure.
        with open_warehouse(settings) as writable, interruptible():
            for refresh in steps:
                refresh(writable)
    except Exception as error:  # noqa: BLE001 (what is read does not depend on what can be stored)
        reason = error.message if isinstance(error, InnspectError) else str(error)
        tell(f"What is not stored is computed while it is read, which takes much memory: {reason}")
    return open_existing_warehouse(settings)


@contextmanager
def open_for_reading(settings: Settings, tell: Tell | None, *, published: bool = False) -> Generator[WarehouseSource]:
    """The warehouse, or the published copy while another process writes to the warehouse, or if that is wanted.

    `tell`: for `open_refreshed_warehouse`; None if neither risk nor links are read.
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
        warehouse = open_existing_warehouse(settings) if tell is None else open_refreshed_warehouse(settings, tell)
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
