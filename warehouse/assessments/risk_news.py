"""Which INNs have to be checked before the stored risk is used again: those about which something was written.

Each write of responses, of calls of unknown outcome or of members notes its INNs in `RISK_NEWS_TABLE`, in its
transaction. `CHECKS_TABLE` has the last check of all stored rows: its moment, and what else the basis of an INN rests
on. If that differs, or rows were written without a note, all INNs are checked.
"""

from datetime import datetime

import polars as pl

from innspect.warehouse.database import Warehouse
from innspect.warehouse.risk.signals import NOW
from innspect.warehouse.risk.stored_risk import (
    CHECKED,
    CHECKS_TABLE,
    COUNTS,
    POLICIES_DIGEST,
    RISK_NEWS_TABLE,
    checked_ctes,
    has_check,
)


def note_news(warehouse: Warehouse, kind: str, inns: pl.Series) -> None:
    """Note that something of this kind was written about INNs, inside the caller's transaction.

    Nothing before the first check, which is one of all INNs, nor in a lake, which stores no risk.
    """
    if not warehouse.is_shared and not inns.is_empty() and has_been_checked(warehouse):
        warehouse.insert(RISK_NEWS_TABLE, inns.unique().sort().to_frame("inn").with_columns(pl.lit(kind).alias("kind")))


def has_been_checked(warehouse: Warehouse) -> bool:
    """Whether all stored rows were checked before."""
    return warehouse.connection.execute(f"SELECT 1 FROM {CHECKS_TABLE}").fetchone() is not None


def checks_everything(warehouse: Warehouse, moment: str) -> bool:
    """Whether all INNs have to be checked at the moment (SQL), not only those with news and those that time changes."""
    return not warehouse.connection.execute(f"SELECT {has_check(moment)}").fetchall()[0][0]


def count_checked(warehouse: Warehouse) -> int:
    """INNs that have to be checked before their risk is read, and are judged then if it is no longer valid."""
    query = f"WITH {checked_ctes(NOW)} SELECT count(*) FROM {CHECKED}"
    return int(warehouse.connection.execute(query).fetchall()[0][0])


def has_news(warehouse: Warehouse) -> bool:
    """Whether something was noted since the last check."""
    return warehouse.connection.execute(f"SELECT 1 FROM {RISK_NEWS_TABLE} LIMIT 1").fetchone() is not None


def note_check(warehouse: Warehouse, moment: datetime) -> None:
    """Note that all stored rows were valid at the moment, inside the caller's transaction."""
    warehouse.connection.execute(f"DELETE FROM {RISK_NEWS_TABLE}")
    warehouse.connection.execute(f"DELETE FROM {CHECKS_TABLE}")
    warehouse.connection.execute(
        f"INSERT INTO {CHECKS_TABLE} SELECT ?, {POLICIES_DIGEST}, {', '.join(COUNTS.values())}", [moment]
    )
