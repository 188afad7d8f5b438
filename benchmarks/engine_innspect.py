"""An archive through `innspect rebuild`: decoding, coverage states, normalising, validation, versions, lineage."""

from pathlib import Path

from innspect.extract.archive.archive import Archive
from innspect.flows.rebuild import rebuild_warehouse
from innspect.schemas.settings import Settings


def load(archive: Path, out: Path) -> None:
    """Rebuild the warehouse `out` from the archive."""
    settings = Settings(stores={"warehouse": str(out), "archive": str(archive)})  # pyright: ignore[reportArgumentType, reportCallIssue]
    rebuild_warehouse(settings, Archive(archive))
