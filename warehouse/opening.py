"""A warehouse, wherever it is: in a file or on DuckLake."""

from pathlib import Path

from innspect.warehouse.database import Warehouse
from innspect.warehouse.location import Lake


def open_warehouse(where: Path | Lake, archive: Path | str | None = None, *, read_only: bool = False) -> Warehouse:
    """The warehouse at a place (`innspect.warehouse.location.warehouse_at`), to be closed again.

    Raises UsageError where a lake needs what is not installed, and WarehouseError where it cannot be opened.
    """
    if isinstance(where, Path):
        return Warehouse(where, archive, read_only=read_only)
    from innspect.warehouse.lake import LakeWarehouse  # noqa: PLC0415 (a warehouse in a file never pays for it)

    return LakeWarehouse(where, archive, read_only=read_only)
