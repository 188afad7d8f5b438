"""Copies of what judging reads about some thousand INNs, so that not every chunk reads the tables of all INNs.

Each table is read once per part, and the chunks of the part read the copies. A table without a copy is read itself.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

from innspect.schemas.lineage import LINEAGE
from innspect.schemas.tables import tables
from innspect.warehouse.assessments.turning_days import turning_days_query
from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import LATEST, LATEST_COLUMNS, UNANSWERED, UNANSWERED_COLUMNS, core_columns, identifier
from innspect.warehouse.latest import latest_attempts, latest_query
from innspect.warehouse.risk.policy_sql import policy_ctes
from innspect.warehouse.risk.signals import PERSON_TABLES, score_ctes
from innspect.warehouse.risk.stored_risk import SCORES_TABLE

MAX_PART_INNS = 20_000
MAX_PART_ROWS = 2_000_000
"""INNs of a part, and rows that are expected to be copied for them: temporary tables grow with them."""
PART, NEAR = "temp.assessed_part", "temp.assessed_near"
"""INNs of the part; these and those that are linked to them."""
COPY_PREFIX = "assessed_copy_"
TABLE = re.compile(r'\b(core|lineage)\.("?)(\w+)\2')
NEAR_TABLES = frozenset(
    {("lineage", name) for name in (LATEST, UNANSWERED, "snapshots", "portfolio_members")}
    | {("core", name) for name in PERSON_TABLES}
)
"""Tables that are also read about the INNs that are linked to those of the part."""

TableName = tuple[str, str]


class PartInputs:
    """Copies of what judging reads about the INNs of the current part. There are none before the first part.

    There are none in a lake: it is assessed in one transaction, which would keep the copies of all parts.
    """

    def __init__(self, warehouse: Warehouse, commit: Callable[[], None] | None = None) -> None:
        self._warehouse = warehouse
        self.commit = commit or (lambda: None)
        """Ends the transaction in progress, if that is allowed.

        Until then dropped and replaced temporary tables take memory, and not all of it can be spilled.
        """
        self._copies: dict[TableName, str] = {}
        self.max_inns = 1
        """INNs of a part, after `split`."""

    def split(self, inns: Sequence[str]) -> Iterator[Sequence[str]]:
        """The INNs in parts whose inputs fit into temporary tables."""
        self.max_inns = self._part_inns(len(inns))
        for start in range(0, len(inns), self.max_inns):
            yield inns[start : start + self.max_inns]

    def _part_inns(self, count: int) -> int:
        """INNs of a part, if this number of INNs is judged."""
        if self._warehouse.is_shared:
            return max(1, count)
        sizes = self._count_rows()
        rows = sum(sizes.get(table, 0) for table in copied_columns())
        stored = self._warehouse.connection.execute(f"SELECT count(*) FROM {SCORES_TABLE}").fetchall()[0][0]
        return min(MAX_PART_INNS, max(1, MAX_PART_ROWS * max(count, stored) // max(1, rows)))

    def _count_rows(self) -> dict[TableName, int]:
        """Rows of the tables; without those of the transaction in progress."""
        query = "SELECT schema_name, table_name, estimated_size FROM duckdb_tables() WHERE NOT temporary"
        return {(schema, name): size for schema, name, size in self._warehouse.connection.execute(query).fetchall()}

    def copy(self, inns: Sequence[str], linked: Sequence[str]) -> None:
        """Copy the inputs of INNs, and what is read about those that are linked to them."""
        if self._warehouse.is_shared:
            return
        self.drop()
        for table, members in ((PART, inns), (NEAR, [*inns, *linked])):
            self._warehouse.connection.execute(
                f"CREATE OR REPLACE TEMP TABLE {table.removeprefix('temp.')} AS "
                "SELECT DISTINCT unnest($inns::VARCHAR[]) AS inn",
                {"inns": list(members)},
            )
        sizes = self._count_rows()
        for table in copied_columns():
            if sizes.get(table):
                self._copy_table(table)

    def _copy_table(self, table: TableName) -> None:
        schema, name = table
        copy = f"{COPY_PREFIX}{schema}_{name}"
        columns = ", ".join(map(identifier, copied_columns()[table]))
        inns = NEAR if table in NEAR_TABLES else PART
        self._warehouse.connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {copy} AS SELECT {columns} FROM {schema}.{identifier(name)} c "
            f"SEMI JOIN {inns} o ON o.inn = c.inn"
        )
        self._copies[table] = f"temp.{copy}"

    def read(self, query: str) -> str:
        """The query, reading the copies."""
        return TABLE.sub(lambda match: self._copies.get((match[1], match[3]), match[0]), query)

    def drop(self) -> None:
        """Drop the copies, and commit; then queries read the tables."""
        for copy in (*self._copies.values(), PART, NEAR):
            self._warehouse.connection.execute(f"DROP TABLE IF EXISTS {copy}")
        self._copies.clear()
        self.commit()


@cache
def copied_columns() -> Mapping[TableName, Sequence[str]]:
    """The tables with a row per INN that judging reads, and those of their columns that occur in its queries."""
    queries = " ".join(
        (
            policy_ctes(),
            score_ctes(latest_attempts()),
            latest_query(),
            turning_days_query("judged", "day"),
        )
    )
    words = set(re.findall(r"\w+", queries))
    columns = {("core", table.name): [column.name for column in core_columns(table)] for table in tables().values()}
    columns |= {("lineage", name): list(table.schema()) for name, table in LINEAGE.items()}
    for name, specs in ((LATEST, LATEST_COLUMNS), (UNANSWERED, UNANSWERED_COLUMNS)):
        columns["lineage", name] = [column.name for column in specs]
    read = {(match[1], match[3]) for match in TABLE.finditer(queries)} | {("lineage", LATEST)}
    return {
        table: [name for name in columns[table] if name in words]
        for table in sorted(read)
        if "inn" in columns.get(table, ())
    }
