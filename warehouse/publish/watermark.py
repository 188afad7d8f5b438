"""How far a published copy follows its warehouse, so that the next copy needs only what was added since."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Self

import duckdb
import msgspec

from innspect.warehouse.ddl import LOADS_TABLE, fingerprint
from innspect.warehouse.marts.fingerprints import SHARED_CODE, code_fingerprint, mart_fingerprints


class TableMark(msgspec.Struct, frozen=True, gc=False):
    """The copied part of a table: its rows with a row id below `next_row`.

    `digest` of a table whose rows may also be updated or deleted: a hash of that part, independent of the order.
    """

    next_row: int = 0
    digest: str = ""


class Watermark(msgspec.Struct, frozen=True):
    """The state of the warehouse that a copy contains, and the state of its file.

    `load_no` and `token` are the last row of `LOADS_TABLE`; `tables` has the key `schema.table`. `file` is the size,
    modification time and inode of the copy: a file that somebody else wrote to is not continued. `unmerged`: what was
    written since DuckDB merged blocks of rows, from 0, and from 1 on they are merged again. `marts`: the version of the
    code of each mart; one with another version is computed again.
    """

    software: str
    marts: dict[str, str]
    exclude: tuple[str, ...]
    load_no: int
    token: str
    tables: dict[str, TableMark]
    unmerged: float = 0.0
    file: tuple[int, int, int] = (0, 0, 0)

    @property
    def version(self) -> str:
        """Everything that decides what the copy shows of the warehouse, as one text."""
        return f"{self.software} marts-{sha256(repr(sorted(self.marts.items())).encode()).hexdigest()[:12]}"

    def with_file(self, path: Path) -> Self:
        """The same watermark for the finished file at `path`."""
        return msgspec.structs.replace(self, file=file_identity(path))

    def encode(self) -> bytes:
        """The watermark as JSON."""
        return msgspec.json.encode(self)


class PreviousCopy(msgspec.Struct, frozen=True):
    """A published copy that a new one may continue."""

    path: Path
    watermark: Watermark

    def is_continued_by(self, connection: duckdb.DuckDBPyConnection, exclude: tuple[str, ...]) -> bool:
        """Whether the warehouse in use has grown from the state that this copy contains.

        It has not after a rebuild, or if the file was restored from a backup and loaded differently since.
        """
        mark = self.watermark
        if (mark.software, mark.exclude) != (copy_software(), exclude):
            return False
        return has_load(connection, mark.token, mark.load_no)


def copy_software() -> str:
    """Everything but marts of this software that a copy depends on: declarations, code that builds copies, DuckDB."""
    return f"{fingerprint()} {code_fingerprint('publish', *SHARED_CODE)} duckdb-{duckdb.__version__}"


def other_marts(marts: Mapping[str, str]) -> frozenset[str]:
    """The marts of which this software has another version than these, or that are not among them."""
    return frozenset(name for name, version in mart_fingerprints().items() if marts.get(name) != version)


def has_load(connection: duckdb.DuckDBPyConnection, token: str, load_no: int | None = None, source: str = "") -> bool:
    """Whether a warehouse has a load with this token, and this number if one is given.

    That in use, or the database `source` (an SQL prefix).
    """
    query = f"SELECT count(*) FROM {source}{LOADS_TABLE} WHERE load_no = coalesce($number, load_no) AND token = $token"
    return connection.execute(query, {"number": load_no, "token": token}).fetchall() == [(1,)]


def last_load(connection: duckdb.DuckDBPyConnection, source: str) -> tuple[int, str]:
    """Number and token of the last load of the database `source` (an SQL prefix); (0, '') if there is none."""
    query = f"SELECT load_no, token FROM {source}{LOADS_TABLE} ORDER BY load_no DESC LIMIT 1"
    row = connection.execute(query).fetchone()
    return (int(row[0]), str(row[1])) if row else (0, "")


def file_identity(path: Path) -> tuple[int, int, int]:
    """Size, modification time and inode. Raises OSError."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns, status.st_ino


def find_previous(copy: Path, record: Path) -> PreviousCopy | None:
    """The published copy with its recorded watermark; None if there is none, or if it was changed since."""
    try:
        watermark = msgspec.json.decode(record.read_bytes(), type=Watermark)
        is_unchanged = file_identity(copy) == watermark.file and not copy.with_name(f"{copy.name}.wal").exists()
    except (OSError, msgspec.MsgspecError):
        return None
    return PreviousCopy(copy, watermark) if is_unchanged else None
