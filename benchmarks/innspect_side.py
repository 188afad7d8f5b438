"""The same archive through `innspect rebuild`: decoded, judged, normalised, validated, versioned, with lineage."""

from pathlib import Path

from innspect.extract.archive.archive import Archive
from innspect.flows.rebuild import rebuilt
from innspect.schemas.settings import Settings


def load(archive: Path, out: Path) -> None:
    """Rebuild the warehouse of a home whose archive this is."""
    settings = Settings(stores={"warehouse": str(out), "archive": str(archive)})  # pyright: ignore[reportArgumentType, reportCallIssue]
    rebuilt(settings, Archive(archive))
