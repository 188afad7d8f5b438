"""The policies in the warehouse: write them, and the SQL that says which of them judges an INN."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import duckdb
import polars as pl

from innspect.schemas.risk_policy.policy_model import Policies, Policy
from innspect.warehouse.risk.policy_sql import POLICIES_TABLE, inn_policies
from innspect.warehouse.risk.version_findings import refresh_findings

TRIED_TABLE = "policies_tried"
"""Temporary table of policies that are not the current ones."""
WAREHOUSE = "the warehouse"
"""In place of the file of policies that were read from the warehouse."""
COLUMNS = "policy_version, name, position, portfolios, tags, policy, first_used_at"


def store_policies(connection: duckdb.DuckDBPyConnection, policies: Policies, table: str = POLICIES_TABLE) -> bool:
    """Make these the current policies, inside the caller's transaction; whether a level may differ from now on.

    A policy that has judged something stays in the table without a position. Findings of other limits are computed.
    `table`: one with the columns of `lineage.policies`.
    """
    wanted = {(policy.version, policy.name): _cells(policy, place) for place, policy in enumerate(policies.ordered, 1)}
    stored = {
        (version, name): tuple(cells)
        for version, name, *cells in connection.execute(
            f"SELECT policy_version, name, position, portfolios::VARCHAR, tags::VARCHAR, policy::VARCHAR FROM {table}"
        ).fetchall()
    }
    current = {key: cells for key, cells in stored.items() if cells[0] is not None}
    if current == wanted:
        return False
    connection.execute(f"UPDATE {table} SET position = NULL WHERE position IS NOT NULL")
    for key, cells in wanted.items():
        connection.execute((UPDATE_POLICY if key in stored else INSERT_POLICY).format(table=table), [*cells, *key])
    connection.execute(f"DELETE FROM {table} WHERE position IS NULL AND first_used_at IS NULL")
    if table == POLICIES_TABLE:
        refresh_findings(connection)
    # The text of a version differs from another one only in titles.
    return {key: cells[:-1] for key, cells in current.items()} != {key: cells[:-1] for key, cells in wanted.items()}


UPDATE_POLICY = (
    "UPDATE {table} SET position = ?, portfolios = ?, tags = ?, policy = ? WHERE policy_version = ? AND name = ?"
)
INSERT_POLICY = (
    "INSERT INTO {table} (position, portfolios, tags, policy, policy_version, name) VALUES (?, ?, ?, ?, ?, ?)"
)


def _cells(policy: Policy, position: int) -> tuple[int, str, str, str]:
    """Position, portfolios, tags and text of a policy, as its row has them."""
    portfolios, tags = (json.dumps(names, ensure_ascii=False) for names in (policy.portfolios, policy.tags))
    return position, portfolios, tags, policy.text


def read_policies(connection: duckdb.DuckDBPyConnection) -> Policies:
    """The current policies of the warehouse."""
    rows = connection.execute(
        f"SELECT name, portfolios::VARCHAR, tags::VARCHAR, policy::VARCHAR FROM {POLICIES_TABLE} "
        "WHERE position IS NOT NULL ORDER BY position"
    ).fetchall()
    ordered = [
        Policy.model_validate(
            {"name": name, "portfolios": json.loads(portfolios), "tags": json.loads(tags), **json.loads(text)}
        )
        for name, portfolios, tags, text in rows
    ]
    return Policies(WAREHOUSE, tuple(ordered))


def date_first_use(connection: duckdb.DuckDBPyConnection, at: datetime | None = None) -> None:
    """Record when the current policies first judged something, where that is not recorded yet.

    `at` None: at the earliest request that is loaded, so that a rebuild gives the same time.
    """
    undated = "WHERE position IS NOT NULL AND first_used_at IS NULL"
    if connection.execute(f"SELECT 1 FROM {POLICIES_TABLE} {undated}").fetchone() is not None:
        earliest = "(SELECT min(asked_at) FROM lineage.snapshots)"
        connection.execute(
            f"UPDATE {POLICIES_TABLE} SET first_used_at = coalesce($at::TIMESTAMP, {earliest}) {undated}", {"at": at}
        )


def read_used_policies(connection: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """The policies that have judged something, by first use (frame of `ARCHIVE["policies"]`)."""
    return connection.execute(
        "SELECT 'policies' AS run_id, policy_version, name, portfolios::VARCHAR AS portfolios, tags::VARCHAR AS tags, "
        f"policy::VARCHAR AS policy, first_used_at FROM {POLICIES_TABLE} WHERE first_used_at IS NOT NULL "
        "ORDER BY first_used_at, name"
    ).pl()


def read_used_policies_of(file: Path) -> pl.DataFrame | None:
    """The same of a warehouse that is to be replaced; None if it has none, or another layout."""
    if not file.exists():
        return None
    try:
        with duckdb.connect(file, read_only=True) as connection:
            return read_used_policies(connection)
    except duckdb.Error:
        return None


def add_used_policies(connection: duckdb.DuckDBPyConnection, used: pl.DataFrame) -> None:
    """Add policies of earlier times, and date those that are known, inside the caller's transaction."""
    same = "p.policy_version = u.policy_version AND p.name = u.name"
    connection.register("used_policies", used)
    try:
        connection.execute(
            f"UPDATE {POLICIES_TABLE} p SET first_used_at = least(p.first_used_at, u.first_used_at) "
            f"FROM used_policies u WHERE {same}"
        )
        connection.execute(
            f"INSERT INTO {POLICIES_TABLE} BY NAME SELECT u.* EXCLUDE (run_id) FROM used_policies u "
            f"ANTI JOIN {POLICIES_TABLE} p ON {same}"
        )
    finally:
        connection.unregister("used_policies")


@contextmanager
def try_policies(connection: duckdb.DuckDBPyConnection, policies: Policies) -> Generator[str]:
    """A temporary table like `lineage.policies` with these policies only, its name; the warehouse may be read-only."""
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE {TRIED_TABLE} AS SELECT {COLUMNS} FROM {POLICIES_TABLE} WHERE false"
    )
    try:
        store_policies(connection, policies, TRIED_TABLE)
        yield TRIED_TABLE
    finally:
        connection.execute(f"DROP TABLE {TRIED_TABLE}")


def count_members(connection: duckdb.DuckDBPyConnection, policies: Policies, portfolio: str) -> dict[str, int]:
    """Members of a portfolio by the policy that judges them, where these policies are the current ones."""
    with try_policies(connection, policies) as table:
        rows = connection.execute(
            f"""WITH {inn_policies(table)}
            SELECT coalesce(i.position, (SELECT max(position) FROM {table})) AS position, count(*)
            FROM lineage.portfolio_members m LEFT JOIN inn_policies i ON i.inn = m.inn
            WHERE m.portfolio = $portfolio AND m.left_at IS NULL GROUP BY 1 ORDER BY 1""",
            {"portfolio": portfolio},
        ).fetchall()
    return {policies.ordered[position - 1].name: count for position, count in rows}
