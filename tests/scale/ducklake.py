"""A home whose warehouse is in DuckLake: the same commands, and SQL on the lake."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from innspect.warehouse.database import Warehouse
from innspect.warehouse.location import open_location, parse_location
from tests.support.cli import TIMED_TABLES, Cli


@dataclass
class LakeCli(Cli):
    """The command line with a home whose `stores.warehouse`, set in the environment, is a lake."""

    @property
    def setting(self) -> str:
        return self.environ["INNSPECT_STORES__WAREHOUSE"]

    @contextmanager
    def open_warehouse(self) -> Iterator[Warehouse]:
        with open_location(parse_location(self.setting), self.home / "archive", read_only=True) as warehouse:
            yield warehouse

    def sql(self, query: str, *values: object) -> list[tuple]:
        with self.open_warehouse() as warehouse:
            return warehouse.connection.execute(query, list(values)).fetchall()

    def tables(self, *schemas: str, without: Callable[[str, str], tuple[str, ...]] = lambda *_: ()) -> dict:
        found = {}
        with self.open_warehouse() as warehouse:
            columns = warehouse.connection.execute(
                "SELECT if(database_name = 'raw', 'raw', schema_name) AS schema, table_name, "
                "list(column_name ORDER BY column_index) FROM duckdb_columns() "
                "WHERE database_name IN ('lake', 'raw') AND schema IN (SELECT unnest(?)) GROUP BY ALL ORDER BY ALL",
                [list(schemas)],
            ).fetchall()
            for schema, table, names in columns:
                kept = [f'"{name}"' for name in names if name not in without(schema, table)]
                rows = warehouse.connection.execute(f'SELECT {", ".join(kept)} FROM {schema}."{table}"').fetchall()
                if table not in (*TIMED_TABLES, "_turn"):
                    found[f"{schema}.{table}"] = sorted(map(repr, rows))
        return found


def make_lake_cli(home: Path, database: str, data: str, **environ: str) -> LakeCli:
    """The command line with a lake whose catalogue is `database` and whose files are in `data`."""
    setting = f"ducklake:postgres:{database} data_path={data}"
    return LakeCli(home, environ={"INNSPECT_STORES__WAREHOUSE": setting, **environ})
