"""The published copy, read: nobody who reads it is in the way of a run, and no query leaves the file."""

from io import BytesIO
from pathlib import Path
from threading import Timer
from typing import Any, Self

import duckdb
import polars as pl

from innspect.schemas.errors import UsageError, WarehouseError
from innspect.warehouse.ddl import text
from innspect.warehouse.export.csv_json import write_csv

SECONDS = 30.0
NAME = "published"


class Published:
    """The copy as it is when it is opened; one that is swapped in later is seen by the next opening.

    Whatever is asked can read this file and no other, and changes nothing. Raises UsageError where there is no copy,
    and WarehouseError for a file that is none.
    """

    def __init__(self, path: Path) -> None:
        try:
            told = path.stat()
        except OSError:
            raise UsageError(
                f"There is no published copy at {path}; `innspect publish` makes one, and so does the end of each run.",
                path=str(path),
            ) from None
        # Before the opening: what is remembered of this copy is never taken for what the next one says.
        self.stamp = (str(path), told.st_mtime_ns, told.st_ino)
        """What tells this copy from the next in its place."""
        # In an instance of its own: connections to one path share the file that the first of them opened, and would go
        # on showing the old copy for as long as any of them is open.
        self.connection = duckdb.connect(
            ":memory:", config={"autoinstall_known_extensions": False, "autoload_known_extensions": False}
        )
        try:
            self.connection.execute(f"ATTACH {text(str(path))} AS {NAME} (READ_ONLY)")
            self.connection.execute(f"USE {NAME}")
            self.connection.execute("SET enable_external_access = false")
            self.connection.execute("SET lock_configuration = true")
        except duckdb.Error as error:
            self.connection.close()
            raise WarehouseError(
                f"The published copy {path} cannot be read ({str(error).splitlines()[0]}); `innspect publish` makes it "
                "anew.",
                path=str(path),
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self.connection.close()

    def frame(self, query: str, parameters: dict[str, Any] | None = None) -> pl.DataFrame:
        """The rows of a query of ours. Raises WarehouseError where the copy lacks what it asks for."""
        try:
            return self.connection.sql(query, params=parameters).pl()
        except (duckdb.CatalogException, duckdb.BinderException) as error:
            raise WarehouseError(
                f"The published copy has not all that is shown here ({str(error).splitlines()[0]}); where "
                "publish.exclude does not leave it out, `innspect publish` makes it anew.",
                query=query,
            ) from error

    def keep(self, name: str, query: str, parameters: dict[str, Any] | None = None) -> None:
        """Keep the rows of a query under a name for the queries to come; they lie in memory, not in the copy."""
        self.connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {query}", parameters)

    def select(self, query: str, limit: int, seconds: float = SECONDS) -> pl.DataFrame:
        """At most `limit` rows of a query that somebody typed; it is ended after so many seconds.

        Raises UsageError where it is not one SELECT, is wrong, takes too long or too much memory.
        """
        watch = Timer(seconds, self.connection.interrupt)
        try:
            statements = self.connection.extract_statements(query.strip().rstrip(";"))
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise UsageError("Only one reading statement is run here; write one SELECT.", sql=query)
            watch.start()
            return self.connection.sql(statements[0].query).limit(limit).pl()
        except duckdb.InterruptException as error:
            raise UsageError(
                f"The query took more than {seconds:g} seconds and was ended; ask for less.", sql=query
            ) from error
        except (duckdb.Error, pl.exceptions.PolarsError) as error:
            first = str(error).split("\n\n")[0].replace("\n", " ")
            raise UsageError(
                f"The query is wrong: {first} Correct it; docs/data-dictionary.md lists tables and columns.", sql=query
            ) from error
        finally:
            watch.cancel()


def as_csv(frame: pl.DataFrame) -> bytes:
    """A frame as CSV that a spreadsheet opens without running what stands in it, in UTF-8 with a byte order mark."""
    out = BytesIO(b"\xef\xbb\xbf")
    out.seek(0, 2)
    with duckdb.connect(":memory:") as connection:
        connection.register("frame", frame.to_arrow())
        write_csv(connection, "SELECT * FROM frame", out)
    return out.getvalue()
