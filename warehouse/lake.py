"""The warehouse on DuckLake: the same schemas, views and macros; writers take turns, readers wait for nobody.

DuckLake alone lets two transactions both append what neither saw of the other. Here each waits for its turn, by a lock
that PostgreSQL gives up when its holder dies, and each moves one number on: should a lock ever be lost on the way (a
connection pool, a restart), the second of the two is refused and done anew on what the first has left.
"""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import duckdb
import polars as pl
import stamina

from innspect.schemas.errors import InnspectError, SettingsError, WarehouseError
from innspect.warehouse.database import RAW, STATE, TURN, Warehouse, Written, made_by
from innspect.warehouse.ddl import SCHEMAS, create_latest, quoted, text
from innspect.warehouse.extensions import is_object_store, load_extension, reach_object_store
from innspect.warehouse.latest import fill, view
from innspect.warehouse.location import Lake, without_secrets

NAME = "lake"
RAW_DATABASE = "raw"
COMMENTS_OF_VIEWS = ("COMMENT ON COLUMN current.", "COMMENT ON COLUMN mart.")
"""DuckLake has no comments on columns of views; those of the tables say the same."""
PATIENCE = "1h"
"""So long a writer waits for its turn: a rebuild by another takes as long as it takes."""
TRIES = 6
NO_ROWS_INLINE = 0
KEPT = "1 day"
"""What is replaced stays so long for those who are reading it."""


class Overtaken(WarehouseError):
    """Another process wrote in between: what was done here is not there, and is to be done anew."""


class LakeWarehouse(Warehouse):
    """A warehouse on DuckLake. `raw.responses` is this connection's own: it reads the archive of who has opened it."""

    is_shared: ClassVar[bool] = True
    dropping: ClassVar[str] = ""

    def __init__(
        self, lake: Lake, archive: Path | str | None = None, *, read_only: bool = False, anew: bool = False
    ) -> None:
        """`anew` leaves what is there as it is: `empty` is going to make it anew, whatever shape it has."""
        lake.refuse_inside(archive)
        self.lake = lake
        self._has_turn = False
        self._anew = anew
        self._open(str(lake), archive, read_only=read_only)

    def _connected(self, *, read_only: bool) -> duckdb.DuckDBPyConnection:
        connection = duckdb.connect(
            ":memory:", config={"autoinstall_known_extensions": False, "autoload_known_extensions": False}
        )
        # What does not fit into memory would else be written where the command was typed.
        self._spill = TemporaryDirectory(prefix="innspect-", ignore_cleanup_errors=True)
        try:
            connection.execute(f"SET temp_directory = {text(self._spill.name)}")
            for extension in ("postgres_scanner", "ducklake"):
                load_extension(connection, extension)
            if is_object_store(self.lake.data):
                reach_object_store(connection)
            elif not read_only:
                Path(self.lake.data).mkdir(parents=True, exist_ok=True, mode=0o700)
            if read_only or self.lake.is_laid_out():
                self._attach(connection, read_only=read_only)
            else:
                with self.turn():
                    if not self.lake.is_laid_out():
                        self._refuse_strangers(connection)
                    self._attach(connection, read_only=False)
        except BaseException:
            connection.close()
            self._spill.cleanup()
            raise
        return connection

    def close(self) -> None:
        """Let go of the lake; what was committed is in it."""
        super().close()
        self._spill.cleanup()

    def _refuse_strangers(self, connection: duckdb.DuckDBPyConnection) -> None:
        """A lake removes what nothing of it names: it must not begin where somebody else's files are."""
        if connection.execute(f"SELECT 1 FROM glob({text(f'{self.lake.data}/**')}) LIMIT 1").fetchone():
            raise SettingsError(
                f"The data_path {self.lake.data} of stores.warehouse holds files, and the catalogue knows none of "
                "them; name an empty one, or the catalogue that they belong to.",
                key="stores.warehouse",
            )

    def _attach(self, connection: duckdb.DuckDBPyConnection, *, read_only: bool) -> None:
        options = [
            f"DATA_PATH {text(self.lake.data)}",
            f"METADATA_SCHEMA {text(self.lake.schema)}",
            # Small inserts into PostgreSQL itself would be quicker, but what is deleted of them has come back before.
            f"DATA_INLINING_ROW_LIMIT {NO_ROWS_INLINE}",
            *(["READ_ONLY"] if read_only else []),
        ]
        place = text(f"ducklake:postgres:{self.lake.catalogue}")
        connection.execute(f"ATTACH {place} AS {NAME} ({', '.join(options)})")
        connection.execute(f"USE {NAME}")

    def _set_up(self, *, read_only: bool) -> None:
        if not read_only and not self._anew:
            self._prepare()
        self.connection.execute(f"ATTACH ':memory:' AS {RAW_DATABASE}")
        self.point_at_archive()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """One more connection, with the lake in use."""
        connection = self.connection.cursor()
        connection.execute(f"USE {NAME}")
        return connection

    def layout(self) -> Iterator[str]:
        """The statements that make all tables, views and marts, as far as a lake has such things."""
        turn = f"lineage.{quoted(TURN)}"
        table, *comments = create_latest()
        left_out = {"CREATE SCHEMA IF NOT EXISTS raw", *comments, fill()}
        for statement in super().layout():
            if statement == table:
                yield view()
            elif not statement.startswith(COMMENTS_OF_VIEWS) and statement not in left_out:
                yield statement
        yield f"CREATE TABLE IF NOT EXISTS {turn} (number BIGINT)"
        yield f"INSERT INTO {turn} SELECT 0 WHERE NOT EXISTS (FROM {turn})"

    def empty(self) -> None:
        """Take everything out and make all tables anew, inside the caller's transaction."""
        for schema in reversed(SCHEMAS):
            self.connection.execute(f"DROP SCHEMA IF EXISTS {quoted(schema)} CASCADE")
        self.connection.execute(";\n".join(self.layout()))
        self.connection.execute(
            f"CREATE TABLE lineage.{quoted(STATE)} AS SELECT $made_by AS fingerprint", {"made_by": made_by()}
        )

    def point_at_archive(self) -> None:
        """Make `raw.responses` read the sealed files that are there now; nothing of it is in the lake."""
        if self.archive is None:
            return
        view = f"{RAW_DATABASE}.main.responses"
        sealed = self._sealed().replace("FROM lineage.responses", f"FROM {NAME}.lineage.responses")
        self.connection.execute(f"CREATE OR REPLACE VIEW {view} AS {sealed}")
        self.connection.execute(f"COMMENT ON VIEW {view} IS {text(RAW)}")

    @contextmanager
    def turn(self) -> Generator[None]:
        """Nobody else writes while this lasts. Raises WarehouseError where others take longer than anybody waits."""
        if self._has_turn:
            yield
            return
        from psycopg import errors  # noqa: PLC0415 (only who writes to a lake pays for it)

        with self.lake.session() as books:
            # A holder that vanishes with its machine is found out in a minute, not in two hours.
            for name, value in (("idle", 30), ("interval", 10), ("count", 3)):
                books.execute(f"SET tcp_keepalives_{name} = {value}")
            books.execute(f"SET lock_timeout = '{PATIENCE}'")
            try:
                books.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", (f"innspect {self.lake.schema}",))
            except errors.LockNotAvailable as error:
                raise WarehouseError(
                    f"Other processes have been writing the warehouse {self.name} for {PATIENCE}; run again later, "
                    "what was paid for is in the archive.",
                    path=self.name,
                ) from error
            self._has_turn = True
            try:
                yield
            finally:
                self._has_turn = False

    @contextmanager
    def transaction(self) -> Generator[duckdb.DuckDBPyConnection]:
        """One transaction, in its turn. Raises `Overtaken`, `DiskFull` and `WarehouseError`."""
        with self.turn(), super().transaction() as connection:
            yield connection
            connection.execute(f"UPDATE lineage.{quoted(TURN)} SET number = number + 1")

    def frame(self, query: str, parameters: dict[str, Any] | None = None) -> pl.DataFrame:
        """The rows of a query. Raises WarehouseError: PostgreSQL or the data may be out of reach."""
        try:
            return super().frame(query, parameters)
        except duckdb.Error as error:
            raise self._refusal(error) from error

    def write(self, work: Callable[[], Written]) -> Written:
        """Do the work in one transaction, and again where another process wrote in between, a few times."""
        for attempt in stamina.retry_context(on=Overtaken, attempts=TRIES, timeout=None, wait_initial=0.2, wait_max=5):
            with attempt:
                return super().write(work)
        raise AssertionError  # the last attempt raises what it met

    def tidy(self, *, everything: bool = False) -> None:
        """Put small files together and let go of those that nothing needs any more; nobody writes meanwhile.

        `everything` leaves nothing of what was replaced, not even to those who are reading it still.
        """
        older = "now()" if everything else f"now() - INTERVAL '{KEPT}'"
        with self.turn():
            try:
                self.connection.execute(f"CALL ducklake_merge_adjacent_files('{NAME}')")
                self.connection.execute(f"CALL ducklake_expire_snapshots('{NAME}', older_than => {older})")
                for what in ("ducklake_cleanup_old_files", "ducklake_delete_orphaned_files"):
                    which = "cleanup_all => true" if everything else f"older_than => {older}"
                    self.connection.execute(f"CALL {what}('{NAME}', {which})")
                self.lake.vacuum()
            except duckdb.Error as error:
                raise self._refusal(error) from error

    def _refusal(self, error: duckdb.Error) -> InnspectError:
        said = without_secrets(str(error))
        if isinstance(error, duckdb.TransactionException) and "conflict" in said.lower():
            return Overtaken(
                f"Other processes wrote the warehouse {self.name} in between, {TRIES} times over; run again, what was "
                "paid for is in the archive.",
                path=self.name,
            )
        if "no space left" in said.lower():
            return super()._refusal(error)
        return WarehouseError(
            f"The warehouse {self.name} did not do it ({said.splitlines()[0]}); see that PostgreSQL and the data are "
            "there and run again, what was paid for is in the archive.",
            path=self.name,
        )

    def _unusable(self, error: duckdb.Error) -> InnspectError:
        reason = without_secrets(str(error)).splitlines()[0]
        return WarehouseError(
            f"The warehouse {self.name} cannot be opened ({reason}); correct stores.warehouse, or start what it names.",
            path=self.name,
        )
