"""Which INNs have to be checked before the stored risk is used again: those about which something was written.

Each write of responses, of calls of unknown outcome or of members notes its INNs in `NEWS_TABLE`, in its transaction.
`CHECKS_TABLE` has the last check of all stored rows: its moment, and what else the basis of an INN rests on. If that
differs, or rows were written without a note, all INNs are checked.
"""

from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256

import polars as pl

from innspect.schemas.states import CallState
from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import RISK_CHECKS, RISK_NEWS, identifier
from innspect.warehouse.latest import LATEST_TABLE
from innspect.warehouse.risk.policy_sql import POLICIES_TABLE

NEWS_TABLE = f"lineage.{identifier(RISK_NEWS)}"
CHECKS_TABLE = f"lineage.{identifier(RISK_CHECKS)}"
ANSWERS, CALLS, MEMBERS = "answers", "calls", "members"
"""What was written: responses, calls of unknown outcome, members."""
COUNTS: Mapping[str, str] = {
    ANSWERS: f"(SELECT count(*) FROM lineage.snapshots) + (SELECT count(*) FROM {LATEST_TABLE}) "
    "+ (SELECT count(*) FROM lineage.responses)",
    CALLS: f"(SELECT count(*) FROM lineage.calls WHERE state = '{CallState.UNKNOWN}')",
    MEMBERS: "(SELECT count(*) FROM lineage.portfolio_members)",
}
"""A number of rows of each kind: it does not change without a note."""


def note_news(warehouse: Warehouse, kind: str, inns: pl.Series) -> None:
    """Note that something of this kind was written about INNs, inside the caller's transaction.

    Nothing before the first check, which is one of all INNs, nor in a lake, which stores no risk.
    """
    if not warehouse.is_shared and not inns.is_empty() and _last_check(warehouse) is not None:
        warehouse.insert(NEWS_TABLE, inns.unique().sort().to_frame("inn").with_columns(pl.lit(kind).alias("kind")))


def checks_everything(warehouse: Warehouse, moment: datetime) -> bool:
    """Whether all INNs have to be checked at the moment, not only those with news and those that time changes."""
    last = _last_check(warehouse)
    if last is None:
        return True
    checked_at, policies, *counts = last
    if checked_at > moment or policies != _policies_digest(warehouse):
        return True
    noted = {row[0] for row in warehouse.connection.execute(f"SELECT DISTINCT kind FROM {NEWS_TABLE}").fetchall()}
    pairs = zip(COUNTS, counts, _count_rows(warehouse), strict=True)
    return any(before != now and kind not in noted for kind, before, now in pairs)


def has_news(warehouse: Warehouse) -> bool:
    """Whether something was noted since the last check."""
    return warehouse.connection.execute(f"SELECT 1 FROM {NEWS_TABLE} LIMIT 1").fetchone() is not None


def note_check(warehouse: Warehouse, moment: datetime) -> None:
    """Note that all stored rows were valid at the moment, inside the caller's transaction."""
    warehouse.connection.execute(f"DELETE FROM {NEWS_TABLE}")
    warehouse.connection.execute(f"DELETE FROM {CHECKS_TABLE}")
    warehouse.connection.execute(
        f"INSERT INTO {CHECKS_TABLE} VALUES (?, ?, ?, ?, ?)",
        [moment, _policies_digest(warehouse), *_count_rows(warehouse)],
    )


def _last_check(warehouse: Warehouse) -> tuple[datetime, str, int, int, int] | None:
    return warehouse.connection.execute(f"FROM {CHECKS_TABLE}").fetchone()


def _count_rows(warehouse: Warehouse) -> list[int]:
    return list(warehouse.connection.execute(f"SELECT {', '.join(COUNTS.values())}").fetchall()[0])


def _policies_digest(warehouse: Warehouse) -> str:
    """A hash of the current policies, and of whom they judge."""
    rows = warehouse.connection.execute(
        f"SELECT position, policy_version, name, portfolios::VARCHAR, tags::VARCHAR, policy::VARCHAR "
        f"FROM {POLICIES_TABLE} WHERE position IS NOT NULL ORDER BY ALL"
    ).fetchall()
    return sha256(repr(rows).encode()).hexdigest()
