"""A home whose warehouse is on DuckLake: the same front door, the warehouse read with SQL as any reader would."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import psycopg
import pytest

from innspect.warehouse.database import Warehouse
from innspect.warehouse.location import warehouse_at
from innspect.warehouse.opening import open_warehouse
from tests.flows.conftest import House

NUMBERS = count(1)


@pytest.fixture
def database(postgres) -> str:
    """An empty database, in the words that PostgreSQL's own programs take."""
    name = f"lake_{next(NUMBERS)}"
    words = f"host=127.0.0.1 port={postgres.port} user=innspect"
    with psycopg.connect(f"{words} dbname=postgres", autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}"')
    return f"{words} dbname={name}"


@dataclass
class LakeHouse(House):
    """A home that names a lake in `stores.warehouse`, by the environment alone."""

    @property
    def setting(self) -> str:
        return self.environ["INNSPECT_STORES__WAREHOUSE"]

    @contextmanager
    def reading(self) -> Iterator[Warehouse]:
        with open_warehouse(warehouse_at(self.setting), self.home / "archive", read_only=True) as warehouse:
            yield warehouse

    def sql(self, query: str, *values: object) -> list[tuple]:
        with self.reading() as warehouse:
            return warehouse.connection.execute(query, list(values)).fetchall()

    def tables(self, *schemas: str, without: Callable[[str, str], tuple[str, ...]] = lambda *_: ()) -> dict:
        found = {}
        with self.reading() as warehouse:
            columns = warehouse.connection.execute(
                "SELECT if(database_name = 'raw', 'raw', schema_name) AS schema, table_name, "
                "list(column_name ORDER BY column_index) FROM duckdb_columns() "
                "WHERE database_name IN ('lake', 'raw') AND schema IN (SELECT unnest(?)) GROUP BY ALL ORDER BY ALL",
                [list(schemas)],
            ).fetchall()
            for schema, table, names in columns:
                kept = [f'"{name}"' for name in names if name not in without(schema, table)]
                rows = warehouse.connection.execute(f'SELECT {", ".join(kept)} FROM {schema}."{table}"').fetchall()
                if (schema, table) != ("lineage", "_turn"):
                    found[f"{schema}.{table}"] = sorted(map(repr, rows))
        return found


def lake_house(home: Path, database: str, data: str, **environ: str) -> LakeHouse:
    """A home with its warehouse in that database, its files at that place."""
    setting = f"ducklake:postgres:{database} data_path={data}"
    return LakeHouse(home, environ={"INNSPECT_STORES__WAREHOUSE": setting, **environ})
