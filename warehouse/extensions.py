"""Load DuckDB extensions from installed packages, without downloads; configure access to the object store."""

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import duckdb

from innspect.schemas.errors import SettingsError, UsageError
from innspect.warehouse.ddl import literal

OBJECT_STORE = "s3://"
CREDENTIALS_NAME = "innspect_object_store"


def load_extension(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    """Load an extension from its Python package, or one that the user installed in DuckDB's folder.

    Raises UsageError if there is neither: the extra `scale` contains the packages.
    """
    row = connection.execute(
        "SELECT loaded FROM duckdb_extensions() WHERE extension_name = $name", {"name": name}
    ).fetchone()
    if row == (True,):
        return
    file = packaged_extension(name)
    try:
        connection.execute(f"LOAD {literal(str(file)) if file else name}")
    except duckdb.Error as error:
        raise UsageError(
            f"DuckDB's extension {name} is not installed; install innspect[scale], "
            f"or duckdb-extension-{name.replace('_', '-')}=={duckdb.__version__} alone.",
            extension=name,
        ) from error


def packaged_extension(name: str) -> Path | None:
    """The extension file of an installed package for this version of DuckDB."""
    spec = find_spec(f"duckdb_extension_{name}")
    for folder in (spec and spec.submodule_search_locations) or ():
        file = Path(folder) / "extensions" / f"v{duckdb.__version__}" / f"{name}.duckdb_extension"
        if file.exists():
            return file
    return None


def is_object_store(location: object) -> bool:
    """Whether a location is a URL in an object store, not a folder."""
    return isinstance(location, str) and location.startswith(OBJECT_STORE)


def configure_object_store(connection: duckdb.DuckDBPyConnection, environ: Mapping[str, str] = os.environ) -> None:
    """Let a connection read and write `s3://` with the credentials of the environment, kept in memory only.

    `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION` or `AWS_DEFAULT_REGION`, and
    `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL` for another store than Amazon's. Raises UsageError without the
    extension, SettingsError if the endpoint is not a URL.
    """
    load_extension(connection, "httpfs")
    options = {
        "KEY_ID": environ.get("AWS_ACCESS_KEY_ID", ""),
        "SECRET": environ.get("AWS_SECRET_ACCESS_KEY", ""),
        "SESSION_TOKEN": environ.get("AWS_SESSION_TOKEN", ""),
        "REGION": environ.get("AWS_REGION", "") or environ.get("AWS_DEFAULT_REGION", ""),
    }
    secret = [f"{name} {literal(value)}" for name, value in options.items() if value]
    endpoint = environ.get("AWS_ENDPOINT_URL_S3", "") or environ.get("AWS_ENDPOINT_URL", "")
    if endpoint:
        secret += _endpoint_options(endpoint)
    connection.execute(f"CREATE OR REPLACE TEMPORARY SECRET {CREDENTIALS_NAME} ({', '.join(['TYPE s3', *secret])})")


def _endpoint_options(url: str) -> list[str]:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise SettingsError(
            "AWS_ENDPOINT_URL in the environment is not a URL; write https://HOST or http://HOST:PORT.",
            key="AWS_ENDPOINT_URL",
        )
    # Self-hosted stores rarely have a host name for each bucket, hence URL_STYLE path.
    use_ssl = "true" if parts.scheme == "https" else "false"
    return [f"ENDPOINT {literal(parts.netloc + parts.path.rstrip('/'))}", f"USE_SSL {use_ssl}", "URL_STYLE 'path'"]
