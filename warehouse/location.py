"""The setting `stores.warehouse`: a DuckDB file or a DuckLake; and opening the warehouse at such a location."""

import re
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from innspect.schemas.errors import SettingsError
from innspect.warehouse.database import Warehouse
from innspect.warehouse.extensions import is_object_store
from innspect.warehouse.lake import DEFAULT_SCHEMA, SETTING_PREFIX, LakeLocation, LakeWarehouse, mask_passwords

LAKE_PREFIX = "ducklake:"
URI_SCHEMES = ("postgresql://", "postgres://")
OWN_KEYS = ("data_path", "metadata_schema")
"""Keys that are ours in a setting whose other keys are PostgreSQL's."""
OWN_PAIR = re.compile(rf"(?<!\S)({'|'.join(OWN_KEYS)})\s*=\s*('(?:[^'\\]|\\.)*'|\S+)")
EXAMPLE = "ducklake:postgres:dbname=innspect host=db user=innspect data_path=s3://bucket/lake"


def open_location(
    location: Path | LakeLocation, archive: Path | str | None = None, *, read_only: bool = False
) -> Warehouse:
    """Open the warehouse at a location of `parse_location`; the caller closes it.

    Raises UsageError if an extension for DuckLake is not installed, WarehouseError if it cannot be opened.
    """
    if isinstance(location, Path):
        return Warehouse(location, archive, read_only=read_only)
    return LakeWarehouse(location, archive, read_only=read_only)


def parse_location(setting: str | Path) -> Path | LakeLocation:
    """Parse `stores.warehouse`. Raises SettingsError for an incomplete or malformed DuckLake location."""
    written = str(setting)
    if not written.startswith(LAKE_PREFIX):
        return Path(written).expanduser()
    if not written.startswith(SETTING_PREFIX):
        raise _settings_error("has no catalogue in PostgreSQL")
    rest = written.removeprefix(SETTING_PREFIX).strip()
    dsn, own = _split_uri(rest) if rest.startswith(URI_SCHEMES) else _split_pairs(rest)
    _check_dsn(dsn)
    data = own.get("data_path", "")
    if not data:
        raise _settings_error("has no data_path, the folder or s3:// URL of the data files")
    if not is_object_store(data):
        if "://" in data:
            raise _settings_error("has a data_path that is neither a folder nor an s3:// URL")
        data = str(Path(data).expanduser().resolve())
    schema = own.get("metadata_schema", DEFAULT_SCHEMA)
    if not re.fullmatch(r"[a-z_][a-z0-9_]*", schema):
        raise _settings_error("has a metadata_schema that is not a plain lower-case name")
    return LakeLocation(dsn, data.rstrip("/"), schema)


def _split_pairs(rest: str) -> tuple[str, dict[str, str]]:
    """Separate our keys from PostgreSQL's in `key=value` notation."""
    own = {name: _unquote(value) for name, value in OWN_PAIR.findall(rest)}
    return OWN_PAIR.sub("", rest).strip(), own


def _unquote(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value[1:-1]) if value.startswith("'") else value


def _split_uri(rest: str) -> tuple[str, dict[str, str]]:
    """Separate our keys from PostgreSQL's in the query of a URI."""
    parts = urlsplit(rest)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    own = {name: value for name, value in pairs if name in OWN_KEYS}
    query = urlencode([(name, value) for name, value in pairs if name not in OWN_KEYS])
    return urlunsplit(parts._replace(query=query)), own


def _check_dsn(dsn: str) -> None:
    from psycopg import ProgrammingError  # noqa: PLC0415 (slow import, not needed for a DuckDB file)
    from psycopg.conninfo import conninfo_to_dict  # noqa: PLC0415

    try:
        conninfo_to_dict(dsn)
    except ProgrammingError as error:
        raise _settings_error(f"is malformed ({mask_passwords(str(error)).strip()})") from None


def _settings_error(problem: str) -> SettingsError:
    return SettingsError(f"stores.warehouse {problem}; write it like `{EXAMPLE}`.", key="stores.warehouse")
