"""Where a warehouse is: a DuckDB file, or a DuckLake with its catalogue in PostgreSQL and its data in a folder or `s3://`."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from innspect.schemas.errors import SettingsError, WarehouseError
from innspect.warehouse.extensions import is_object_store

PREFIX = "ducklake:"
CATALOGUE = "postgres:"
URIS = ("postgresql://", "postgres://")
OWN = ("data_path", "metadata_schema")
"""Words of ours among those of PostgreSQL."""
WORD = re.compile(rf"(?<!\S)({'|'.join(OWN)})\s*=\s*('(?:[^'\\]|\\.)*'|\S+)")
SECRET = re.compile(r"(password\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&]+)|(://[^:/@\s]*:)[^@\s]*(@)")
EXAMPLE = "ducklake:postgres:dbname=innspect host=db user=innspect data_path=s3://bucket/lake"
PUBLIC = "public"
SECONDS_TO_CONNECT = 10


@dataclass(frozen=True, slots=True)
class Lake:
    """A DuckLake: `catalogue` is how PostgreSQL is reached, in words or as a URI, `data` a folder or `s3://` URL.

    `schema` is the schema of the database in which the catalogue's tables are. As text it shows no password.
    """

    catalogue: str = field(repr=False)
    data: str
    schema: str = PUBLIC

    def __str__(self) -> str:
        words = {"data_path": self.data} | ({} if self.schema == PUBLIC else {"metadata_schema": self.schema})
        own = " ".join(f"{name}={value}" for name, value in words.items())
        return f"{PREFIX}{CATALOGUE}{without_secrets(self.catalogue)} {own}"

    def refuse_inside(self, archive: Path | str | None) -> None:
        """The files of the lake and the archive lie apart: a lake removes what it does not know.

        Raises SettingsError where one is inside the other.
        """
        if archive is None:
            return
        one = f"{self.data}/"
        other = f"{archive if is_object_store(archive) else Path(archive).expanduser().resolve()}".rstrip("/") + "/"
        if one.startswith(other) or other.startswith(one):
            raise SettingsError(
                f"The data_path {self.data} of stores.warehouse and the archive {archive} are one inside the other; "
                "give each a folder of its own.",
                key="stores.warehouse",
            )

    def exists(self) -> bool:
        """Whether there is a warehouse in the catalogue. Raises WarehouseError where PostgreSQL does not answer."""
        return self._has("ducklake_schema", "schema_name = 'lineage' AND end_snapshot IS NULL")

    def is_laid_out(self) -> bool:
        """Whether DuckLake has made its own tables there. Raises WarehouseError where PostgreSQL does not answer."""
        return self._has("ducklake_metadata", "key = 'version'")

    def _has(self, table: str, where: str) -> bool:
        with self.session() as books:
            found = books.execute(
                "SELECT count(*) FROM pg_tables WHERE schemaname = %s AND tablename = %s", (self.schema, table)
            ).fetchone()
            if found is None or not found[0]:
                return False
            row = books.execute(f'SELECT count(*) FROM "{self.schema}"."{table}" WHERE {where}').fetchone()
            return bool(row and row[0])

    def vacuum(self) -> None:
        """Overwrite what the catalogue has let go of: least and greatest values of every file's columns are in it.

        Raises WarehouseError where PostgreSQL does not answer.
        """
        with self.session() as books:
            query = "SELECT tablename FROM pg_tables WHERE schemaname = %s AND tablename LIKE 'ducklake%%'"
            for (table,) in books.execute(query, (self.schema,)).fetchall():
                books.execute(f'VACUUM (ANALYZE) "{self.schema}"."{table}"')

    def session(self) -> Any:
        """A session of PostgreSQL's beside DuckDB's own. Raises WarehouseError where it does not answer."""
        import psycopg  # noqa: PLC0415 (a warehouse in a file never pays for it)

        try:
            return psycopg.connect(self.catalogue, autocommit=True, connect_timeout=SECONDS_TO_CONNECT)
        except psycopg.Error as error:
            reason = without_secrets(str(error)).strip().splitlines()[0]
            raise WarehouseError(
                f"The catalogue of the warehouse {self} cannot be reached ({reason}); start PostgreSQL or correct "
                "stores.warehouse.",
                path=str(self),
            ) from error


def warehouse_at(setting: str | Path) -> Path | Lake:
    """The place that `stores.warehouse` names. Raises SettingsError for a lake that is not wholly named."""
    written = str(setting)
    if not written.startswith(PREFIX):
        return Path(written).expanduser()
    rest = written.removeprefix(PREFIX)
    if not rest.startswith(CATALOGUE):
        raise _wrong("has no catalogue in PostgreSQL")
    rest = rest.removeprefix(CATALOGUE).strip()
    catalogue, own = _uri(rest) if rest.startswith(URIS) else _words(rest)
    _check(catalogue)
    data = own.get("data_path", "")
    if not data:
        raise _wrong("names no data_path, the folder or s3:// URL of its files")
    if not is_object_store(data):
        if "://" in data:
            raise _wrong("has a data_path that is neither a folder nor an s3:// URL")
        data = str(Path(data).expanduser().resolve())
    schema = own.get("metadata_schema", PUBLIC)
    if not re.fullmatch(r"[a-z_][a-z0-9_]*", schema):
        raise _wrong("has a metadata_schema that is no plain lower-case name")
    return Lake(catalogue, data.rstrip("/"), schema)


def _words(rest: str) -> tuple[str, dict[str, str]]:
    own = {name: _plain(value) for name, value in WORD.findall(rest)}
    return WORD.sub("", rest).strip(), own


def _plain(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value[1:-1]) if value.startswith("'") else value


def _uri(rest: str) -> tuple[str, dict[str, str]]:
    parts = urlsplit(rest)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    own = {name: value for name, value in pairs if name in OWN}
    query = urlencode([(name, value) for name, value in pairs if name not in OWN])
    return urlunsplit(parts._replace(query=query)), own


def _check(catalogue: str) -> None:
    from psycopg import ProgrammingError  # noqa: PLC0415
    from psycopg.conninfo import conninfo_to_dict  # noqa: PLC0415

    try:
        conninfo_to_dict(catalogue)
    except ProgrammingError as error:
        raise _wrong(f"is not understood ({without_secrets(str(error)).strip()})") from None


def _wrong(how: str) -> SettingsError:
    return SettingsError(f"stores.warehouse {how}; write it like `{EXAMPLE}`.", key="stores.warehouse")


def without_secrets(said: str) -> str:
    """A text in which PostgreSQL's passwords are not to be read."""
    return SECRET.sub(lambda m: f"{m[1]}***" if m[1] else f"{m[3]}***{m[4]}", said)
