"""The warehouse file: opened, brought up to the declarations, and closed again."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import duckdb
import polars as pl

from schemas.errors import DiskFull, WarehouseError
from warehouse.ddl import base_tables, fingerprint, quoted, statements, text
from warehouse.mart_files import mart_fingerprint, mart_statements

STATE = "_declarations"
"""A table beside the lineage that remembers which declarations the file was made for."""


class Warehouse:
    """A DuckDB file with the schemas of the contract. `archive` is the folder that `raw.responses` reads."""

    def __init__(self, path: Path, archive: Path | None = None, *, read_only: bool = False) -> None:
        self.path = path
        self.archive = archive
        self.added: list[str] = []
        """Columns that this opening added: older rows have NULL there until a rebuild."""
        if not read_only:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            self.connection = duckdb.connect(str(path), read_only=read_only)
        except duckdb.Error as error:
            raise _unusable(path, error) from error
        try:
            if not read_only:
                path.chmod(0o600)
                # A checkpoint writes the end of every table anew: seldom is cheap, and what is committed is in the log.
                self.connection.execute("SET checkpoint_threshold = '256MB'")
                self._prepare()
        except BaseException as error:
            # Whoever rebuilds opens the file anew, also while this error is still being told.
            self.connection.close()
            if isinstance(error, duckdb.Error):
                raise _unusable(path, error) from error
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; what was committed is in it."""
        self.connection.close()

    def _prepare(self) -> None:
        known = self._tables()
        made_for = None
        if ("lineage", STATE) in known:
            row = self.connection.execute(f"SELECT fingerprint FROM lineage.{quoted(STATE)}").fetchone()
            made_for = row[0] if row else None
        if made_for != made_by():
            self._migrate(known)
        self.point_at_archive()

    def _tables(self) -> dict[tuple[str, str], dict[str, str]]:
        rows = self.connection.execute(
            "SELECT schema_name, table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal "
            "AND schema_name IN ('core', 'lineage') AND database_name = current_database()"
        ).fetchall()
        found: dict[tuple[str, str], dict[str, str]] = {}
        for schema, table, column, kind in rows:
            found.setdefault((schema, table), {})[column] = kind
        return found

    def _migrate(self, known: dict[tuple[str, str], dict[str, str]]) -> None:
        """Add what the declarations have and the file has not; refuse to guess about the rest."""
        add: list[str] = []
        for (schema, name), (_, columns) in base_tables().items():
            if (schema, name) not in known:
                continue
            have = known[schema, name]
            wanted = {column.name: column.sql for column in columns}
            other = [c for c in have if c not in wanted or wanted[c] != have[c]]
            if other:
                raise WarehouseError(
                    f"The table {schema}.{name} of {self.path} has a column {other[0]} that the declarations do not "
                    "have in this form; run `innspect rebuild`.",
                    path=str(self.path),
                    table=name,
                    columns=other,
                )
            for column, sql in wanted.items():
                if column not in have:
                    add.append(f"ALTER TABLE {schema}.{quoted(name)} ADD COLUMN {quoted(column)} {sql}")
                    self.added.append(f"{schema}.{name}.{column}")
        with self.transaction():
            # Views hold on to the columns that they were made with: they go first and come back with the DDL.
            if add:
                views = (
                    "SELECT schema_name, view_name FROM duckdb_views() "
                    "WHERE NOT internal AND schema_name IN ('current', 'mart')"
                )
                for schema, name in self.connection.execute(views).fetchall():
                    self.connection.execute(f"DROP VIEW IF EXISTS {schema}.{quoted(name)} CASCADE")
            # Two and a half thousand statements, most of them comments: one call is a third cheaper than as many.
            self.connection.execute(";\n".join((*add, *statements(), *mart_statements())))
            self.connection.execute(
                f"CREATE OR REPLACE TABLE lineage.{quoted(STATE)} AS SELECT ? AS fingerprint", [made_by()]
            )

    def point_at_archive(self) -> None:
        """Make `raw.responses` read the sealed files that are there now."""
        if self.archive is None:
            return
        pattern = str(self.archive / "answers" / "*.parquet")
        if any(self.archive.glob("answers/*.parquet")):
            source = f"SELECT * FROM read_parquet({text(pattern)}, union_by_name = true)"
        else:
            source = (
                "SELECT * EXCLUDE (archive_file), NULL::BOOLEAN AS masked, NULL::BLOB AS body "
                "FROM lineage.responses WHERE false"
            )
        self.connection.execute(f"CREATE OR REPLACE VIEW raw.responses AS {source}")
        self.connection.execute("COMMENT ON VIEW raw.responses IS 'Every answer of the archive, with its exact bytes.'")

    @contextmanager
    def transaction(self) -> Generator[duckdb.DuckDBPyConnection]:
        """One transaction: all of it or nothing. Raises `DiskFull` and `WarehouseError`."""
        self.connection.execute("BEGIN")
        try:
            yield self.connection
            self.connection.execute("COMMIT")
        except duckdb.Error as error:
            self._rollback()
            if "No space left" in str(error) or "not enough disk space" in str(error).lower():
                raise DiskFull(
                    f"No space is left for {self.path}; free some and run again, what was paid for is in the archive.",
                    path=str(self.path),
                ) from error
            raise WarehouseError(f"The warehouse {self.path} refused a load: {error}", path=str(self.path)) from error
        except BaseException:
            self._rollback()
            raise

    def _rollback(self) -> None:
        try:
            self.connection.execute("ROLLBACK")
        except duckdb.Error:
            return  # the fault has ended the transaction already

    @contextmanager
    def frames(self, **frames: pl.DataFrame) -> Generator[None]:
        """Let queries read polars frames by these names."""
        for name, frame in frames.items():
            self.connection.register(name, frame.to_arrow())
        try:
            yield
        finally:
            for name in frames:
                self.connection.unregister(name)

    def frame(self, query: str, parameters: dict[str, Any] | None = None) -> pl.DataFrame:
        """The rows of a query."""
        return self.connection.sql(query, params=parameters).pl()


def made_by() -> str:
    """What a file is made by: the declarations and the marts; another one has its views made anew."""
    return f"{fingerprint()}-{mart_fingerprint()}"


def _unusable(path: Path, error: duckdb.Error) -> WarehouseError:
    reason = str(error)
    if "lock" in reason.lower():
        return WarehouseError(
            f"The warehouse {path} is being written by another process; wait for it, or read the published copy.",
            path=str(path),
        )
    if "not a valid DuckDB" in reason or "Serialization" in reason or "magic bytes" in reason:
        return WarehouseError(
            f"{path} is not a DuckDB database; move it away and run `innspect rebuild` to make one from the archive.",
            path=str(path),
        )
    return WarehouseError(
        f"The warehouse {path} cannot be opened ({reason.splitlines()[0]}); `innspect rebuild` makes a new one.",
        path=str(path),
    )
