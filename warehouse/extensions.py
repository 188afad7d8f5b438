"""DuckDB's extensions from the installed packages, nothing fetched; and the object store that they reach."""

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import duckdb

from innspect.schemas.errors import SettingsError, UsageError
from innspect.warehouse.ddl import text

OBJECT_STORE = "s3://"
CREDENTIALS = "innspect_object_store"


def load_extension(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    """Load an extension from its package, else one that the user installed in DuckDB's own folder.

    Raises UsageError where there is neither: the extra `scale` brings them.
    """
    known = connection.execute(
        "SELECT loaded FROM duckdb_extensions() WHERE extension_name = $name", {"name": name}
    ).fetchone()
    if known == (True,):
        return
    file = packaged(name)
    try:
        connection.execute(f"LOAD {text(str(file)) if file else name}")
    except duckdb.Error as error:
        raise UsageError(
            f"DuckDB's extension {name} is not installed; install innspect[scale], "
            f"or duckdb-extension-{name.replace('_', '-')}=={duckdb.__version__} alone.",
            extension=name,
        ) from error


def packaged(name: str) -> Path | None:
    """The file of an extension that a package brought for this DuckDB."""
    spec = find_spec(f"duckdb_extension_{name}")
    for folder in (spec and spec.submodule_search_locations) or ():
        file = Path(folder) / "extensions" / f"v{duckdb.__version__}" / f"{name}.duckdb_extension"
        if file.exists():
            return file
    return None


def is_object_store(place: object) -> bool:
    """Whether a place is a URL in an object store, and no folder."""
    return isinstance(place, str) and place.startswith(OBJECT_STORE)


def reach_object_store(connection: duckdb.DuckDBPyConnection, environ: Mapping[str, str] = os.environ) -> None:
    """Let a connection read and write `s3://`, with what the environment says; the secret lies in memory only.

    `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION` or `AWS_DEFAULT_REGION`, and
    `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL` for a store that is not Amazon's. Raises UsageError without the
    extension, SettingsError for an endpoint that is no URL.
    """
    load_extension(connection, "httpfs")
    options = {
        "KEY_ID": environ.get("AWS_ACCESS_KEY_ID", ""),
        "SECRET": environ.get("AWS_SECRET_ACCESS_KEY", ""),
        "SESSION_TOKEN": environ.get("AWS_SESSION_TOKEN", ""),
        "REGION": environ.get("AWS_REGION", "") or environ.get("AWS_DEFAULT_REGION", ""),
    }
    words = [f"{name} {text(value)}" for name, value in options.items() if value]
    endpoint = environ.get("AWS_ENDPOINT_URL_S3", "") or environ.get("AWS_ENDPOINT_URL", "")
    if endpoint:
        words += _endpoint(endpoint)
    connection.execute(f"CREATE OR REPLACE TEMPORARY SECRET {CREDENTIALS} ({', '.join(['TYPE s3', *words])})")


def _endpoint(url: str) -> list[str]:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise SettingsError(
            "AWS_ENDPOINT_URL in the environment is no address; write https://HOST or http://HOST:PORT.",
            key="AWS_ENDPOINT_URL",
        )
    # A store of one's own rarely has a name for each bucket.
    secure = "true" if parts.scheme == "https" else "false"
    return [f"ENDPOINT {text(parts.netloc + parts.path.rstrip('/'))}", f"USE_SSL {secure}", "URL_STYLE 'path'"]
