"""SQL of the latest response and the latest evidence of each (INN, block), and of the calls without a response.

A DuckDB file stores them in the tables `LATEST` and `UNANSWERED`, which each load updates, so that lookups do not slow
down as the history grows. A lake has views instead.
"""

import duckdb

from innspect.schemas.catalogue import method_blocks
from innspect.schemas.states import COMPLETE, CallState, SnapshotState, sql_list
from innspect.warehouse.ddl import LATEST, LATEST_COLUMNS, UNANSWERED, UNANSWERED_COLUMNS, identifier, literal

LATEST_TABLE = f"lineage.{identifier(LATEST)}"
COLUMNS = ", ".join(column.name for column in LATEST_COLUMNS)
UNANSWERED_TABLE = f"lineage.{identifier(UNANSWERED)}"
MAX_SNAPSHOTS = 250_000
"""Snapshots of which one statement finds the latest: it keeps 500 bytes for each, which no limit of memory counts."""
MANY_INNS = 200_000
"""INNs, each with a few blocks, up to which a limit of memory does not depend on their number."""
BYTES_PER_INN = 1500
"""What DuckDB may have for each INN more.

For each row of a part of a table with deleted rows it keeps 8 bytes, and the marts have 100 to 200 rows for an INN.
"""
EVIDENCE_COLUMNS = (
    "version_id", "evidence_id", "evidence_state", "evidence_reason", "checked_at", "collected_at", "source_date",
)  # fmt: skip


def memory_for_inns(connection: duckdb.DuckDBPyConnection, megabytes: int) -> str:
    """A limit of DuckDB's memory: this one, and more for a warehouse or copy with more than `MANY_INNS`, roughly."""
    query = f"SELECT approx_count_distinct(inn) FROM {LATEST_TABLE}"
    inns = int(connection.execute(query).fetchall()[0][0])
    return f"{megabytes + max(0, inns - MANY_INNS) * BYTES_PER_INN // 1_000_000}MB"


def latest_query(filter_snapshots: str = "") -> str:
    """The columns of `LATEST_COLUMNS`, computed from the snapshots; `filter_snapshots` follows them in `FROM`.

    `max` of a struct compares its fields in order: the latest is the one with the greatest (asked_at, snapshot_id).
    """
    return (
        "SELECT inn, block, response.asked_at, response.snapshot_id, response.state, response.reason, response.method, "
        "evidence.version_id, evidence.snapshot_id AS evidence_id, evidence.state AS evidence_state, "
        "evidence.reason AS evidence_reason, evidence.asked_at AS checked_at, evidence.collected_at, "
        "evidence.source_date, is_whole FROM (SELECT inn, block, "
        "max({'asked_at': asked_at, 'snapshot_id': snapshot_id, 'state': state, 'reason': reason, 'method': method}) "
        "AS response, max({'asked_at': asked_at, 'snapshot_id': snapshot_id, 'version_id': version_id, "
        "'state': state, 'reason': reason, 'collected_at': collected_at, 'source_date': source_date}) "
        "FILTER (version_id IS NOT NULL) AS evidence, "
        f"bool_or(version_id IS NOT NULL AND state IN {sql_list(COMPLETE)}) AS is_whole "
        f"FROM lineage.snapshots{filter_snapshots} GROUP BY inn, block)"
    )


def unanswered_query() -> str:
    """The columns of `UNANSWERED_COLUMNS`, computed from calls and responses."""
    columns = ", ".join(f"c.{column.name}" for column in UNANSWERED_COLUMNS)
    return (
        f"SELECT {columns} FROM lineage.calls c WHERE c.state = '{CallState.UNKNOWN}' "
        "AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)"
    )


def create_latest_views() -> tuple[str, str]:
    """The statements that create `LATEST` and `UNANSWERED` as views."""
    return (
        f"CREATE OR REPLACE VIEW {LATEST_TABLE} AS {latest_query()}",
        f"CREATE OR REPLACE VIEW {UNANSWERED_TABLE} AS {unanswered_query()}",
    )


def fill_unanswered() -> str:
    """The statement that fills the empty table `UNANSWERED`."""
    columns = ", ".join(column.name for column in UNANSWERED_COLUMNS)
    return f"INSERT INTO {UNANSWERED_TABLE} ({columns}) {unanswered_query()}"


def fill_latest(connection: duckdb.DuckDBPyConnection) -> None:
    """Fill the empty table `LATEST` from the snapshots."""
    snapshots = int(connection.execute("SELECT count(*) FROM lineage.snapshots").fetchall()[0][0])
    parts = 1 + snapshots // MAX_SNAPSHOTS
    for part in range(parts):
        of_part = f" WHERE hash(inn) % {parts} = {part}" if parts > 1 else ""
        connection.execute(f"INSERT INTO {LATEST_TABLE} ({COLUMNS}) {latest_query(of_part)}")


def latest_of_pairs(pairs: str, *, is_shared: bool) -> str:
    """The latest of the (inn, block) pairs of a registered frame; `is_shared`: the warehouse has no table `LATEST`."""
    semi_join = f" SEMI JOIN {pairs} USING (inn, block)"
    return latest_query(semi_join) if is_shared else f"SELECT * FROM {LATEST_TABLE}{semi_join}"


def unanswered_calls(until: str = "") -> str:
    """Calls of unknown outcome without an archived response, one row per block that the method returns.

    `until`: an SQL timestamp; only calls up to it.
    """
    is_earlier = f" WHERE c.reserved_at <= {until}" if until else ""
    pairs = ", ".join(f"({literal(method)}, {literal(block)})" for method, block in method_blocks())
    return (
        f"SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, '{SnapshotState.FAILED}' AS state, "
        f"coalesce(c.reason, '{CallState.UNKNOWN}') AS reason, '' AS snapshot_id FROM {UNANSWERED_TABLE} c "
        f"JOIN (VALUES {pairs}) b (method, block) ON b.method = c.method{is_earlier}"
    )


def latest_attempts(responses: str = LATEST_TABLE, until: str = "") -> str:
    """The latest response of each (INN, block), or a later call without a response; and the latest evidence.

    The columns of `LATEST_COLUMNS` without `is_whole`; `snapshot_id` is NULL if the latest attempt has no response.
    `responses`: a relation like `LATEST`. `until`: an SQL timestamp; only calls up to it.
    """
    calls = (
        "SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call "
        f"FROM ({unanswered_calls(until)}) GROUP BY inn, block"
    )
    names = ("asked_at", "state", "reason", "method")
    cells = [f"CASE WHEN f.call.asked_at > l.asked_at THEN f.call.{name} ELSE l.{name} END AS {name}" for name in names]
    cells.append("CASE WHEN f.call.asked_at > l.asked_at THEN NULL ELSE l.snapshot_id END AS snapshot_id")
    return (
        f"SELECT l.inn, l.block, {', '.join(cells)}, {', '.join(f'l.{name}' for name in EVIDENCE_COLUMNS)} "
        f"FROM {responses} l LEFT JOIN ({calls}) f ON f.inn = l.inn AND f.block = l.block UNION ALL BY NAME "
        f"SELECT f.inn, f.block, {', '.join(f'f.call.{name} AS {name}' for name in names)} "
        f"FROM ({calls}) f ANTI JOIN {responses} l ON l.inn = f.inn AND l.block = f.block"
    )
